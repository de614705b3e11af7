#![allow(clippy::disallowed_methods, reason = "waits for real processes")]

use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use nmax_plan::plan::Plan;
use nmax_plan::planless::Planless;

use super::*;

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("nmax-timeline-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn command(&self, line: &str) -> Action {
        Action::Command(format!("cd {} && {line}", self.0.display()))
    }

    fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn settings() -> Settings {
    let plan = Plan::for_url(&Planless::get("http://127.0.0.1:1/")).unwrap();
    Settings::new(Arc::new(plan), Arc::new(|_, _| Ok(())))
}

/// Nothing ends an action before its limit.
fn going() -> AtomicBool {
    AtomicBool::new(false)
}

fn intervention(action: Action, undo: Option<Action>) -> Intervention {
    Intervention {
        name: "it".into(),
        at: Moment::At(Duration::from_secs(5)),
        action,
        limit: Duration::from_secs(20),
        lasts: Some(Duration::from_secs(2)),
        undo,
    }
}

/// Advances at one instant until something happened.
fn until_change(timeline: &mut Timeline, now: Nanos) -> Vec<Change> {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let changes = timeline.advance(now, false);
        if !changes.is_empty() || Instant::now() > end {
            return changes.into_iter().map(|(_, change)| change).collect();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until an action has ended without telling anything.
fn wait_for_action(timeline: &mut Timeline, now: Nanos) {
    let end = Instant::now() + Duration::from_secs(20);
    let is_acting = |timeline: &Timeline| matches!(timeline.course().items[0].state, State::Acting(_));
    while is_acting(timeline) && Instant::now() < end {
        assert_eq!(timeline.advance(now, false), []);
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn done_at_its_time_and_undone_after_it() {
    let folder = Folder::new("life");
    let what = intervention(folder.command("touch done"), Some(folder.command("touch undone")));
    let mut timeline = Timeline::new(&[what], &settings());
    let at = Nanos::from_secs;
    assert_eq!(timeline.advance(at(4), false), []);
    assert_eq!(until_change(&mut timeline, at(5)), [Change::Began]);
    wait_for_action(&mut timeline, at(6));
    assert!(folder.has("done") && !folder.has("undone"));
    assert_eq!(timeline.advance(at(7), false), []);
    assert_eq!(until_change(&mut timeline, at(8)), [Change::Ended]);
    assert!(folder.has("undone"));
    assert_eq!(timeline.finish(&|| false), [], "it is undone once");
}

#[test]
fn whatever_was_begun_is_undone_at_the_end() {
    let folder = Folder::new("abort");
    let what = intervention(folder.command("sleep 15; touch late"), Some(folder.command("touch undone")));
    let mut timeline = Timeline::new(&[what], &settings());
    assert_eq!(until_change(&mut timeline, Nanos::from_secs(5)), [Change::Began]);
    let changes = timeline.finish(&|| false);
    let [(0, Change::Failed(why)), (0, Change::Ended)] = changes.as_slice() else { panic!("{changes:?}") };
    assert!(why.contains("went on when the run ended"), "{why}");
    assert!(folder.has("undone") && !folder.has("late"));
}

#[test]
fn what_is_dropped_is_undone() {
    let folder = Folder::new("drop");
    let what = intervention(folder.command("true"), Some(folder.command("touch undone")));
    let mut timeline = Timeline::new(&[what], &settings());
    until_change(&mut timeline, Nanos::from_secs(5));
    drop(timeline);
    assert!(folder.has("undone"));
}

#[test]
fn what_a_panic_drops_is_undone() {
    let folder = Folder::new("panic");
    let what = intervention(folder.command("true"), Some(folder.command("touch undone")));
    let broken = std::panic::catch_unwind(|| {
        let mut timeline = Timeline::new(&[what], &settings());
        until_change(&mut timeline, Nanos::from_secs(5));
        panic!("a defect of the session");
    });
    assert!(broken.is_err() && folder.has("undone"));
}

/// A run that is stuck takes part in nothing: the listener of signals undoes, and the run hears of it later.
#[test]
fn the_listener_of_signals_undoes_without_the_run() {
    let folder = Folder::new("listener");
    let what = intervention(folder.command("true"), Some(folder.command("touch undone")));
    let mut timeline = Timeline::new(&[what.clone(), what], &settings());
    assert_eq!(until_change(&mut timeline, Nanos::from_secs(5)), [Change::Began, Change::Began]);
    let undo = timeline.undo();
    let end = Instant::now() + Duration::from_secs(20);
    while !undo() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(folder.has("undone") && undo(), "it is undone once");
    let ended = timeline.advance(Nanos::from_secs(5), true);
    assert_eq!(ended.iter().filter(|(_, change)| *change == Change::Ended).count(), 2, "{ended:?}");
    assert_eq!(timeline.advance(Nanos::from_secs(99), true), [], "nothing begins any more");
}

/// Every undo begins at once: one that hangs keeps no other from being done, and is not killed when time is over.
#[test]
fn an_undo_that_hangs_is_left_to_end_by_itself() {
    let folder = Folder::new("left");
    let hangs = "while [ ! -e release ]; do sleep 0.02; done; touch undone-late";
    let slow = intervention(folder.command("true"), Some(folder.command(hangs)));
    let quick = intervention(folder.command("true"), Some(folder.command("touch undone")));
    let mut timeline = Timeline::new(&[slow, quick], &settings());
    until_change(&mut timeline, Nanos::from_secs(5));
    let changes = timeline.finish(&|| folder.has("undone"));
    let left = |(index, change): &(usize, Change)| {
        *index == 0 && matches!(change, Change::Failed(why) if why.contains("left to end"))
    };
    assert!(changes.iter().any(left), "{changes:?}");
    drop(timeline);
    assert!(!folder.has("undone-late"));
    std::fs::write(folder.0.join("release"), "").unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while !folder.has("undone-late") && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(folder.has("undone-late"));
}

/// A call that is under way when the run ends is cut off, so that its undo need not wait for its limit.
#[test]
fn a_call_under_way_is_cut_off_and_undone() {
    let folder = Folder::new("call");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let call = Action::Http { method: nmax_plan::plan::Method::Post, url, body: String::new() };
    let mut what = intervention(call, Some(folder.command("touch undone")));
    what.limit = Duration::from_secs(600);
    let mut timeline = Timeline::new(&[what], &settings());
    until_change(&mut timeline, Nanos::from_secs(5));
    let _held = silent.accept().unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    let changes = timeline.finish(&|| Instant::now() > end);
    assert!(folder.has("undone"), "{changes:?}");
}

#[test]
fn what_was_never_begun_is_not_undone() {
    let folder = Folder::new("never");
    let what = intervention(folder.command("true"), Some(folder.command("touch undone")));
    drop(Timeline::new(&[what], &settings()));
    assert!(!folder.has("undone"));
}

#[test]
fn a_failed_action_says_why_and_is_undone() {
    let folder = Folder::new("failed");
    let what = intervention(folder.command("echo no disk >&2; exit 3"), Some(folder.command("touch undone")));
    let mut timeline = Timeline::new(&[what], &settings());
    until_change(&mut timeline, Nanos::from_secs(5));
    let failed = until_change(&mut timeline, Nanos::from_secs(6));
    let [Change::Failed(why)] = failed.as_slice() else { panic!("{failed:?}") };
    assert!(why.ends_with("ended with code 3: no disk"), "{why}");
    assert_eq!(until_change(&mut timeline, Nanos::from_secs(6)), [Change::Ended]);
    assert!(folder.has("undone"));
}

#[test]
fn an_action_is_killed_at_its_limit_with_all_it_started() {
    let folder = Folder::new("limit");
    let mut what = intervention(folder.command("(sleep 3; touch late) & wait"), None);
    what.limit = Duration::from_millis(200);
    let mut timeline = Timeline::new(&[what], &settings());
    until_change(&mut timeline, Nanos::from_secs(5));
    let failed = until_change(&mut timeline, Nanos::from_secs(6));
    assert!(matches!(&failed[..], [Change::Failed(why)] if why.contains("did not end within 200ms")), "{failed:?}");
    std::thread::sleep(Duration::from_millis(3_300));
    assert!(!folder.has("late"));
}

#[test]
fn steadiness_is_waited_for() {
    let folder = Folder::new("steady");
    let mut what = intervention(folder.command("true"), None);
    what.at = Moment::Steady;
    let mut timeline = Timeline::new(&[what], &settings());
    assert!(timeline.awaits_steadiness());
    assert_eq!(timeline.advance(Nanos::from_secs(100), false), []);
    assert_eq!(timeline.advance(Nanos::from_secs(101), true), [(0, Change::Began)]);
    assert!(!timeline.awaits_steadiness());
}

#[test]
fn a_call_reaches_the_server_and_its_failure_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let mut requests = Vec::new();
        for reply in ["204 No Content", "503 Service Unavailable"] {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = [0; 4096];
            let length = stream.read(&mut bytes).unwrap();
            requests.push(String::from_utf8_lossy(&bytes[..length]).into_owned());
            write!(stream, "HTTP/1.1 {reply}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n").unwrap();
        }
        requests
    });
    let url = format!("http://{address}/admin/flush?all=1");
    let call = || Action::Http { method: nmax_plan::plan::Method::Post, url: url.clone(), body: "now".into() };
    let limit = Duration::from_secs(10);
    assert_eq!(act::act(&call(), limit, &going(), &settings()), Ok(()));
    let failed = act::act(&call(), limit, &going(), &settings()).unwrap_err();
    assert!(failed.contains("503"), "{failed}");
    let requests = server.join().unwrap();
    assert!(requests[0].starts_with("POST /admin/flush?all=1 HTTP/1.1\r\n") && requests[0].ends_with("\r\n\r\nnow"));
}

#[test]
fn a_signal_stops_and_continues_a_process() {
    // In a group of its own: TSTP stops nobody in a group without a parent outside, as that of tests in the background.
    let mut child = std::process::Command::new("sleep").arg("30").process_group(0).spawn().unwrap();
    let pid = child.id();
    let signal = |name: &str| Action::Signal { signal: name.into(), process: nmax_plan::plan::ProcessRef::Pid(pid) };
    let state = || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        stat.rsplit_once(") ").unwrap().1.chars().next().unwrap()
    };
    let wait_for = |wanted: fn(char) -> bool| {
        (0..6_000).any(|_| {
            wanted(state()) || {
                std::thread::sleep(Duration::from_millis(5));
                false
            }
        })
    };
    let limit = Duration::from_secs(5);
    act::act(&signal("STOP"), limit, &going(), &settings()).unwrap();
    assert!(wait_for(|state| state == 'T'));
    act::act(&signal("CONT"), limit, &going(), &settings()).unwrap();
    assert!(wait_for(|state| state != 'T'));
    act::act(&signal("TSTP"), limit, &going(), &settings()).unwrap();
    assert!(wait_for(|state| state == 'T'));
    act::act(&signal("KILL"), limit, &going(), &settings()).unwrap();
    child.wait().unwrap();
    assert!(act::act(&signal("TERM"), limit, &going(), &settings()).unwrap_err().contains("there is no process"));
}

/// What the end of the run finds waiting is told once, and not undone.
#[test]
fn what_never_came_due_is_told() {
    let folder = Folder::new("never");
    let mut calm = intervention(folder.command("touch done"), Some(folder.command("touch undone")));
    calm.at = Moment::Steady;
    let mut timeline = Timeline::new(&[calm], &settings());
    assert_eq!(timeline.advance(Nanos::from_secs(9), false), []);
    assert_eq!(timeline.finish(&|| false), [(0, Change::NotDone)]);
    assert_eq!(timeline.finish(&|| false), []);
    assert!(!folder.has("done") && !folder.has("undone"));
}
