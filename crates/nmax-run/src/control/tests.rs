use std::fs;
use std::io::Write as _;

use nmax_store::RunWriter;

use super::*;

struct Running {
    root: PathBuf,
    writer: RunWriter,
}

impl Running {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("nmax-control-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let manifest = nmax_store::fixture::manifest("ab12", "", (0, 1));
        Self { writer: RunWriter::create(&root, &manifest).unwrap(), root }
    }

    fn directory(&self) -> &Path {
        self.writer.path()
    }

    fn append(&self, text: &str) {
        let mut file = OpenOptions::new().append(true).create(true).open(self.directory().join(FILE)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn wish(revision: u64, action: Action) -> Wish {
    Wish { revision, action, by: "test".into() }
}

fn load(level: f64) -> Action {
    Action::Load { level, ramp: Duration::from_millis(1_500) }
}

#[test]
fn what_is_asked_for_is_what_the_run_takes() {
    let run = Running::new("taken");
    let mut inbox = Inbox::new(run.directory());
    assert!(inbox.look().is_empty());
    let wishes = [wish(1, load(200.0)), wish(2, Action::Hold), wish(3, Action::Stop)];
    for wish in &wishes {
        let asked = ask(run.directory(), wish).unwrap();
        assert_eq!((asked.revision, asked.look()), (wish.revision, None));
        assert_eq!(inbox.look(), [Ok(wish.clone())]);
        assert!(inbox.look().is_empty());
    }
    assert_eq!(read(run.directory()).unwrap(), wishes);
    let mode = fs::metadata(run.directory().join(FILE)).unwrap().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn the_second_of_two_at_once_is_told_who_was_first() {
    let run = Running::new("second");
    let first = wish(1, load(200.0));
    ask(run.directory(), &first).unwrap();
    let refused = ask(run.directory(), &wish(1, Action::Hold)).unwrap_err();
    assert_eq!(refused, Refused::Overtaken { given: 1, last: 1, by: Some(Box::new(first)) });
    assert_eq!(
        refused.to_string(),
        "revision 1 does not follow 1, which is load 200, reached over 1.5s (by test): look at the run, then ask again"
    );
    assert_eq!(read(run.directory()).unwrap().len(), 1);
}

#[test]
fn of_many_at_once_one_is_written() {
    let run = Running::new("many");
    let directory = run.directory().to_owned();
    let asked: Vec<_> = std::thread::scope(|scope| {
        let ask = || ask(&directory, &wish(1, Action::Hold)).is_ok();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(asked.iter().filter(|is_written| **is_written).count(), 1);
}

#[test]
fn impossible_wishes_are_not_written() {
    let run = Running::new("impossible");
    for level in [-1.0, f64::NAN, f64::INFINITY, 1e12] {
        assert!(matches!(ask(run.directory(), &wish(1, load(level))), Err(Refused::Wrong(_))), "{level}");
    }
    let long = Action::Load { level: 1.0, ramp: Duration::MAX };
    assert!(matches!(ask(run.directory(), &wish(1, long)), Err(Refused::Wrong(_))));
    assert!(!run.directory().join(FILE).exists());
    let Running { root, writer } = &run;
    let nowhere = root.join("nowhere");
    assert_eq!(ask(&nowhere, &wish(1, Action::Hold)).unwrap_err(), Refused::Ended);
    assert_eq!(read(writer.path()), Ok(Vec::new()));
}

#[test]
fn an_answer_is_the_first_event_about_the_revision() {
    let mut run = Running::new("answer");
    let at = nmax_metrics::Nanos::from_secs(1);
    run.writer.event(at, STEERED, "revision 1 of an earlier file").unwrap();
    let asked = ask(run.directory(), &wish(1, Action::Hold)).unwrap();
    assert_eq!(asked.wait(Duration::ZERO), None);
    run.writer.event(at, STEERED, "revision 10 is another one").unwrap();
    run.writer.event(at, NOT_STEERED, "revision 1 cannot be done").unwrap();
    let answer = asked.wait(Duration::ZERO).unwrap();
    assert_eq!(answer, Answer { is_done: false, text: "revision 1 cannot be done".into() });
}

#[test]
fn what_is_no_wish_is_told_once_and_changes_nothing() {
    let run = Running::new("garbage");
    let mut inbox = Inbox::new(run.directory());
    let cases = [
        ("rubbish", "line 1 of control.jsonl is not a wish: expected value at line 1 column 1"),
        ("{\"revision\":1,\"action\":\"load\"}", "line 2 of control.jsonl is not a wish: `load` needs a `level`"),
        ("{\"revision\":1,\"action\":\"fly\"}", "`fly` is not one of load, hold, stop"),
        ("{\"revision\":7,\"action\":\"hold\"}", "revision 7 does not follow 0, so it was not done"),
        ("{\"revision\":1,\"action\":\"load\",\"level\":-3}", "is not a number from 0"),
        ("{\"revision\":1,\"action\":\"load\",\"level\":3,\"ramp_s\":-1}", "ramp_s -1 is not a length"),
        (&"x".repeat(5_000), "more than 1024 bytes"),
    ];
    for (line, want) in cases {
        run.append(line);
        run.append("\n");
        let found = inbox.look();
        assert!(matches!(found.as_slice(), [Err(why)] if why.contains(want)), "{line:.40}: {found:?}");
    }
    run.append("{\"revision\":1,");
    assert!(inbox.look().is_empty(), "half a line");
    run.append("\"action\":\"hold\"}\n");
    assert_eq!(inbox.look(), [Ok(Wish { by: String::new(), ..wish(1, Action::Hold) })]);
    ask(run.directory(), &wish(2, Action::Stop)).unwrap();
    assert_eq!(inbox.look().len(), 1);
}

#[test]
fn a_file_in_place_of_another_begins_anew() {
    let run = Running::new("anew");
    let mut inbox = Inbox::new(run.directory());
    ask(run.directory(), &wish(1, Action::Hold)).unwrap();
    assert_eq!(inbox.look().len(), 1);
    fs::remove_file(run.directory().join(FILE)).unwrap();
    assert!(inbox.look().is_empty());
    ask(run.directory(), &wish(1, load(3.0))).unwrap();
    assert_eq!(inbox.look(), [Ok(wish(1, load(3.0)))]);
}

#[test]
fn the_number_of_lines_is_bounded() {
    let run = Running::new("bounded");
    let mut inbox = Inbox::new(run.directory());
    run.append(&"no\n".repeat(WISHES_MAX as usize + 10));
    assert_eq!(inbox.look().len(), WISHES_MAX as usize + 1);
    run.append("no\n");
    assert!(inbox.look().is_empty());
    assert_eq!(ask(run.directory(), &wish(1, Action::Hold)).unwrap_err(), Refused::Full);
}
