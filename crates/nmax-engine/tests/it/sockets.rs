//! The engine over real sockets on the loopback. No test depends on how fast anything is.

use std::sync::Arc;
use std::time::Duration;

use nmax_engine::measure::collector::Complete;
use nmax_engine::run::rehearsal::trace_iteration;
use nmax_engine::runtime::real::RealClock;
use nmax_engine::{Event, KeepSamples, Origin, Run, Settings, StartError, calibrate};
use nmax_metrics::{
    Aggregate, Clock, Code, ErrorKind, FailureExample, Fence, LoadStats, RawSample, RequestStats, Section,
};
use nmax_plan::plan::Plan;
use nmax_target::{Listen, Options};
use nmax_testkit::plans::requests;
use nmax_testkit::servers::{BadServer, Habit, refusing_url};

use crate::{changed, ms, s};

/// How long to wait for the next event before asking again.
const PATIENCE: Duration = Duration::from_millis(50);

pub(crate) fn settings(plan: Arc<Plan>, workers: u32) -> Settings {
    Settings { workers, names_max: 100, ..Settings::new(plan, Arc::new(|_, _| Ok(()))) }
}

/// A run's result, joined.
#[derive(Default)]
pub(crate) struct Ran {
    pub(crate) totals: Aggregate,
    pub(crate) failures: Vec<FailureExample>,
    raw: Vec<RawSample>,
}

impl Ran {
    fn take(&mut self, complete: Complete) {
        self.totals.merge(&complete.window.aggregate);
        self.failures.extend(complete.failures);
        self.raw.extend(complete.raw);
    }

    fn stats(&self) -> RequestStats {
        self.totals.whole().total(Section::Hold)
    }

    fn load(&self) -> LoadStats {
        self.totals.whole().load(Section::Hold).clone()
    }
}

/// Takes windows until `enough` says so, or the run has ended; says whether it has.
fn take_until(run: &mut Run, ran: &mut Ran, enough: impl Fn(&Ran) -> bool) -> bool {
    while !enough(ran) {
        match run.next(PATIENCE) {
            Event::Window(complete) => ran.take(*complete),
            Event::Quiet => {}
            Event::Ended => return true,
        }
    }
    false
}

pub(crate) fn finish(settings: &Settings) -> Ran {
    let (mut run, mut ran) = (Run::start(settings).unwrap(), Ran::default());
    assert!(take_until(&mut run, &mut ran, |_| false));
    assert_eq!(run.ended_early(), None);
    ran
}

fn target() -> nmax_target::Running {
    nmax_target::spawn(Options::default()).unwrap()
}

/// A process that takes a stretch of a run has the starts of that stretch and its windows, however late they are.
#[test]
fn a_stretch_of_a_run_has_its_own_starts_and_windows() {
    let target = target();
    let keys = "workload: { open: { rate: 200/s } }\nwindow: 100ms\nduration: 1h";
    let plan = requests(&target.url(), "[{ get: / }]", keys);
    let stretch = (ms(200), ms(500));
    let settings = Settings { from: stretch.0, fence: Fence::at(stretch.1), ..settings(plan, 2) };
    let mut run = Run::prepare(&settings).unwrap().begin(Origin::soon());
    let (mut ran, mut first) = (Ran::default(), None);
    while let event @ (Event::Window(_) | Event::Quiet) = run.next(PATIENCE) {
        let Event::Window(complete) = event else { continue };
        first = first.or(Some(complete.window.index));
        ran.take(*complete);
    }
    assert_eq!((first, ran.load().due, run.load_ended()), (Some(2), 60, Some(stretch.1)));
    let is_within = |raw: &RawSample| (stretch.0..stretch.1).contains(&raw.sample.intended);
    assert!(ran.raw.iter().all(|raw| is_within(raw) && raw.sample.sent < Some(stretch.1)));
    assert!(settings.fence.was_reached() && !settings.fence.set(s(9)));
}

/// Its workers are more than those of other tests, so theirs have other names.
#[test]
fn a_calibration_finds_a_number_and_leaves_no_thread() {
    let target = target();
    let found = calibrate(&target.url(), 32, Duration::from_millis(200)).unwrap();
    assert!(found.requests_per_s > 0.0 && found.per_core_s > 0.0, "{found:?}");
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let names = threads.flatten().filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
    assert!(!names.into_iter().any(|name| name.trim() == "nmax-worker-31"));
    assert!(calibrate(&refusing_url(), 1, Duration::from_millis(50)).unwrap_err().contains("answered nothing"));
}

#[test]
fn open_counts_are_exact() {
    let target = target();
    for keys in [
        "duration: 1s\nworkload: { open: { rate: 400/s } }",
        "workload: { open: { rate: 2k/s, arrivals: poisson }, iterations: 400 }",
    ] {
        let ran = finish(&settings(requests(&target.url(), "[{ get: / }]", keys), 2));
        let (stats, load) = (ran.stats(), ran.load());
        assert_eq!((stats.ok(), stats.count(), load.due, load.dropped().total()), (400, 400, 400, 0), "{keys}");
        assert_eq!(stats.latencies().response.count(), 400);
    }
}

#[test]
fn closed_counts_and_connections_are_exact() {
    let target = target();
    let cases = [("keep-alive", 8), ("per-iteration", 100), ("per-request", 200)];
    for (policy, connections) in cases {
        let keys =
            format!("defaults: {{ connection: {policy} }}\nworkload: {{ closed: {{ vus: 8 }}, iterations: 100 }}");
        let ran = finish(&settings(requests(&target.url(), "[{ get: / }, { get: /bytes/3000 }]", &keys), 3));
        assert_eq!((ran.stats().ok(), ran.stats().count()), (200, 200), "{policy}");
        assert_eq!(ran.load().connections, connections, "{policy}");
        assert!(ran.stats().bytes_received > 100 * 3000);
    }
}

#[test]
fn fewer_iterations_than_users() {
    let target = target();
    let ran = finish(&settings(
        requests(&target.url(), "[{ get: / }]", "workload: { closed: { vus: 20 }, iterations: 3 }"),
        4,
    ));
    assert_eq!(ran.stats().ok(), 3);
}

#[test]
fn encrypted_and_untrusted() {
    let target = nmax_target::spawn(Options { listen: vec![Listen::https()], ..Options::default() }).unwrap();
    let plan = requests(&target.url(), "[{ get: / }]", "workload: { closed: { vus: 2 }, iterations: 20 }");
    let ca_pem = vec![target.ca_pem().unwrap().as_bytes().to_vec()];
    let ran = finish(&Settings { ca_pem, ..settings(Arc::clone(&plan), 1) });
    assert_eq!(ran.stats().ok(), 20);
    let untrusted = finish(&settings(plan, 1)).stats();
    assert_eq!(untrusted.errors[ErrorKind::Tls.index()], 20);
}

#[test]
fn a_session_of_the_shop() {
    let target = nmax_target::spawn(Options { shop: true, ..Options::default() }).unwrap();
    let steps = r#"[
        { get: /signup, extract: { csrf: { css: "input[name=csrf]@value" } } },
        { post: /signup, form: { email: "user-${iteration}@example.test", password: "correct horse", csrf: "${csrf}" }, expect: { status: 302 } },
    ]"#;
    let ran = finish(&settings(requests(&target.url(), steps, "workload: { closed: { vus: 4 }, iterations: 40 }"), 2));
    let stats = ran.stats();
    assert_eq!((stats.ok(), stats.count()), (80, 80), "{:?}", ran.failures.first());
    assert_eq!(ran.load().connections, 4);
}

#[test]
fn a_stop_lets_exchanges_end() {
    let target = target();
    let keys = "window: 20ms\nduration: 1h\nworkload: { closed: { vus: 4 } }";
    let settings = settings(requests(&target.url(), "[{ get: /delay/30ms }]", keys), 2);
    let (mut run, mut ran) = (Run::start(&settings).unwrap(), Ran::default());
    assert!(!take_until(&mut run, &mut ran, |ran| ran.stats().ok() > 8));
    run.stop();
    run.stop();
    assert!(take_until(&mut run, &mut ran, |_| false));
    let stats = ran.stats();
    assert_eq!((stats.count(), ran.load().censored.count()), (stats.ok(), 0));
    assert_eq!(ran.load().started, stats.ok());
}

#[test]
fn a_cut_censors_and_ends() {
    let target = target();
    let keys = "window: 20ms\nduration: 1h\nworkload: { closed: { vus: 5 } }";
    let settings = settings(requests(&target.url(), "[{ get: /delay/10m }]", keys), 2);
    let (mut run, mut ran) = (Run::start(&settings).unwrap(), Ran::default());
    assert!(!take_until(&mut run, &mut ran, |ran| ran.load().started == 5));
    run.cut();
    assert!(take_until(&mut run, &mut ran, |_| false));
    assert_eq!((ran.stats().count(), ran.load().censored.count()), (0, 5));
}

/// Workers share the rule about addresses; nobody holds it after they are gone.
#[test]
fn a_dropped_run_leaves_no_thread() {
    let target = target();
    let settings =
        settings(requests(&target.url(), "[{ get: / }]", "duration: 1h\nworkload: { closed: { vus: 4 } }"), 2);
    let run = Run::start(&settings).unwrap();
    assert!(Arc::strong_count(&settings.allow) > 1);
    drop(run);
    assert_eq!(Arc::strong_count(&settings.allow), 1);
}

#[test]
fn a_target_that_dies_gives_errors_and_the_run_ends() {
    let target = target();
    let keys = "window: 50ms\nduration: 1h\ndefaults: { timeout: 5s }\nworkload: { open: { rate: 200/s } }";
    let settings = settings(requests(&target.url(), "[{ get: / }]", keys), 2);
    let (mut run, mut ran) = (Run::start(&settings).unwrap(), Ran::default());
    assert!(!take_until(&mut run, &mut ran, |ran| ran.stats().ok() > 20));
    drop(target);
    let refused = |ran: &Ran| ran.stats().errors[ErrorKind::Connect.index()] > 20;
    assert!(!take_until(&mut run, &mut ran, refused));
    run.stop();
    assert!(take_until(&mut run, &mut ran, |_| false));
    let stats = ran.stats();
    assert_eq!(stats.count(), stats.ok() + stats.errors());
    let (connect, reset) = (ErrorKind::Connect.index(), ErrorKind::Reset.index());
    assert_eq!(stats.errors[connect] + stats.errors[reset], stats.errors(), "{:?}", stats.errors);
    assert!(ran.failures.iter().any(|failure| failure.kind == "connect"));
}

/// The exchanges of six iterations of two users.
fn six_of(url: &str, timeout: &str) -> RequestStats {
    let keys = format!("defaults: {{ timeout: {timeout} }}\nworkload: {{ closed: {{ vus: 2 }}, iterations: 6 }}");
    finish(&settings(requests(url, "[{ get: / }]", &keys), 2)).stats()
}

#[test]
fn servers_that_misbehave_give_named_errors() {
    let cases = [
        (Habit::Silent, ErrorKind::Timeout, "100ms"),
        (Habit::NotHttp, ErrorKind::Protocol, "30s"),
        (Habit::ClosesMidReply, ErrorKind::Reset, "30s"),
        (Habit::Resets, ErrorKind::Reset, "30s"),
    ];
    for (habit, kind, timeout) in cases {
        let server = BadServer::start(habit);
        let stats = six_of(&server.url(), timeout);
        assert_eq!((stats.errors[kind.index()], stats.count()), (6, 6), "{habit:?}: {:?}", stats.errors);
    }
    assert_eq!(six_of(&refusing_url(), "30s").errors[ErrorKind::Connect.index()], 6);
    assert_eq!(six_of("http://no-such-host.invalid", "30s").errors[ErrorKind::Dns.index()], 6);
}

/// The client notices, before or after sending, and takes a fresh connection.
#[test]
fn a_server_that_hangs_up_between_exchanges_does_no_harm() {
    let server = BadServer::start(Habit::ClosesAfterReply);
    let stats = six_of(&server.url(), "30s");
    assert_eq!((stats.ok(), stats.count()), (6, 6), "{:?}", stats.errors);
    assert_eq!(server.connections(), 6);
}

/// Trap: a run is over before the sockets that a server holds are old enough to be told of.
#[test]
fn a_short_run_tells_of_held_sockets_and_is_not_measured_longer_for_it() {
    let server = BadServer::start(Habit::Holds);
    let plan = requests(
        &server.url(),
        "[{ get: / }]",
        "window: 20ms\nworkload: { closed: { vus: 1 }, iterations: 5 }\ndefaults: { connection: per-request }",
    );
    let clock = RealClock::starting_now();
    let ran = finish(&settings(plan, 1));
    let took = clock.now();
    let load = ran.load();
    assert_eq!((ran.stats().ok(), load.held_open, load.held.count()), (5, 5, 5));
    assert!(took.since(load.worker_time) > s(1), "the wait is not of the run: {took:?} {:?}", load.worker_time);
}

#[test]
fn nobody_waits_for_held_sockets_after_a_cut() {
    let server = BadServer::start(Habit::Holds);
    let keys = "window: 20ms\nduration: 1h\nworkload: { closed: { vus: 1 } }\ndefaults: { connection: per-request }";
    let settings = settings(requests(&server.url(), "[{ get: / }, { think: 1h }]", keys), 1);
    let (mut run, mut ran) = (Run::start(&settings).unwrap(), Ran::default());
    assert!(!take_until(&mut run, &mut ran, |ran| ran.stats().ok() == 1));
    run.cut();
    assert!(take_until(&mut run, &mut ran, |_| false));
    let oldest = ran.load().held.max_ns().unwrap_or_default();
    assert!(oldest < s(1).0, "{oldest}");
}

/// Exchanges that end at once, without ever waiting: nobody is forgotten, and nobody keeps the thread.
#[test]
fn exchanges_that_fail_at_once_are_all_counted() {
    let refuse = |workload: &str| {
        let plan = requests("http://127.0.0.1:9", "[{ get: / }]", &format!("workload: {{ {workload} }}"));
        let mut settings = settings(plan, 1);
        settings.allow = Arc::new(|_, _| Err("not allowed here".into()));
        settings.keep = KeepSamples::All;
        let ran = finish(&settings);
        let stats = ran.stats();
        assert_eq!(stats.errors[ErrorKind::Blocked.index()], stats.count());
        assert_eq!((stats.count(), ran.raw.len()), (3000, 3000), "{workload}");
        ran.raw
    };
    refuse("open: { rate: 10M/s }, iterations: 3000");
    let raw = refuse("closed: { vus: 3 }, iterations: 3000");
    for vu in 0..3 {
        let turns = raw.iter().filter(|raw| raw.vu == vu).count();
        assert!(turns > 500, "VU {vu} had {turns} turns of 3,000");
    }
}

/// A panic in a virtual user's task must not leave a run that waits for it.
#[test]
fn a_broken_user_ends_the_run_with_its_reason() {
    let keys = "duration: 1h\nworkload: { closed: { vus: 4 } }";
    let mut settings = settings(requests("http://127.0.0.1:9", "[{ get: / }]", keys), 2);
    settings.allow = Arc::new(|_, _| panic!("a rule that breaks"));
    let (mut run, mut ran) = (Run::start(&settings).unwrap(), Ran::default());
    assert!(take_until(&mut run, &mut ran, |_| false));
    assert!(run.ended_early().is_some_and(|why| why.contains("defect")));
}

#[test]
fn a_plan_that_cannot_run_is_refused_at_the_start() {
    let mut plan = (*requests("http://127.0.0.1:9", "[{ get: / }]", "workload: { closed: { vus: 1 } }")).clone();
    plan.target = "no url".into();
    let refused = Run::start(&settings(Arc::new(plan), 2)).unwrap_err();
    assert!(matches!(refused, StartError::Program(_)), "{refused}");
}

/// `/a` leads to `/b`, and that to `/c`.
fn redirecting() -> BadServer {
    BadServer::answering(|head| {
        let next = if head.starts_with("GET /a ") {
            "/b"
        } else if head.starts_with("GET /b ") {
            "/c"
        } else {
            return "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".into();
        };
        format!("HTTP/1.1 302 Found\r\nlocation: {next}\r\nset-cookie: at=1\r\ncontent-length: 0\r\n\r\n")
    })
}

/// One iteration as it is traced shows each hop with what it sent and got.
#[test]
fn a_trace_shows_each_hop() {
    let server = redirecting();
    let plan = requests(&server.url(), "[{ get: /a }]", "workload: { closed: { vus: 1 } }");
    let plan = changed(&plan, |plan| plan.defaults.redirects_max = 5);
    let traced = trace_iteration(&settings(plan, 1), 0).unwrap();
    let seen: Vec<(String, String, Option<u16>)> = traced
        .iter()
        .map(|hop| {
            let line = String::from_utf8_lossy(hop.request.fields().text());
            let line = line.lines().next().unwrap_or_default().to_owned();
            (hop.name.clone(), line, hop.measured.sample.status.and_then(Code::number))
        })
        .collect();
    let hop = |name: &str, line: &str, status| (name.to_owned(), line.to_owned(), Some(status));
    assert_eq!(
        seen,
        [
            hop("GET /a", "GET /a HTTP/1.1", 302),
            hop("GET /a +1", "GET /b HTTP/1.1", 302),
            hop("GET /a +2", "GET /c HTTP/1.1", 200)
        ]
    );
    assert_eq!(traced[1].request.fields().get("cookie"), Some(b"at=1".as_slice()));
    assert_eq!(traced[2].reply_body, b"ok");
}

#[test]
fn redirects_are_followed_over_sockets() {
    let server = redirecting();
    let plan = requests(&server.url(), "[{ get: /a }]", "workload: { closed: { vus: 2 }, iterations: 10 }");
    let plan = changed(&plan, |plan| plan.defaults.redirects_max = 5);
    let ran = finish(&settings(plan, 2));
    assert_eq!((ran.stats().ok(), ran.load().redirects, ran.load().connections), (30, 20, 30));
    let whole = ran.totals.whole();
    assert_eq!(whole.transactions.get(Section::Hold, 0).unwrap().count, 10);
}

/// Rival mistake: only the target is asked about, and a redirect takes the load to somebody else.
#[test]
fn where_a_redirect_leads_is_asked_about_too() {
    let elsewhere = BadServer::answering(|_| "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".into());
    let port = elsewhere.url().rsplit_once(':').map(|(_, port)| port.to_owned()).unwrap();
    let server = BadServer::answering(move |_| {
        format!("HTTP/1.1 302 Found\r\nlocation: http://localhost:{port}/\r\ncontent-length: 0\r\n\r\n")
    });
    let plan = requests(&server.url(), "[{ get: /a }]", "workload: { closed: { vus: 1 }, iterations: 5 }");
    let mut settings = settings(changed(&plan, |plan| plan.defaults.redirects_max = 5), 1);
    settings.allow = Arc::new(|host, _| match host {
        "127.0.0.1" => Ok(()),
        _ => Err(format!("{host} is not the target")),
    });
    let ran = finish(&settings);
    assert_eq!((ran.stats().ok(), ran.stats().errors[ErrorKind::Blocked.index()]), (5, 5));
    assert_eq!((server.connections(), elsewhere.connections()), (5, 0));
}

/// What came before the break is there to be looked at.
#[test]
fn examples_show_what_came_before_an_error() {
    for (habit, part) in [(Habit::ClosesMidReply, "content-length: 100"), (Habit::NotHttp, "220 mail.test")] {
        let server = BadServer::start(habit);
        let plan = requests(&server.url(), "[{ get: / }]", "workload: { closed: { vus: 1 }, iterations: 1 }");
        let ran = finish(&settings(plan, 1));
        let reply = &ran.failures[0].reply;
        assert!(reply.contains(part), "{habit:?}: {reply:?}");
    }
}

/// A failed reply is kept whole although no step looks at its body.
#[test]
fn examples_show_the_body_of_a_failed_reply() {
    let long = "why ".repeat(5_000);
    let reply = format!("HTTP/1.1 500 X\r\ncontent-length: {}\r\n\r\n{long}", long.len());
    let server = BadServer::answering(move |_| reply.clone());
    let plan = requests(&server.url(), "[{ get: / }]", "workload: { closed: { vus: 1 }, iterations: 1 }");
    let ran = finish(&settings(plan, 1));
    let shown = ran.failures[0].reply.matches("why ").count();
    assert_eq!(shown, 5_000, "all of it");
}

/// At 6,000/s the first starts find connections: their exchanges spent no time on opening one, and tell that it was.
#[test]
fn the_first_starts_of_a_quick_schedule_find_open_connections() {
    let target = target();
    let keys = "workload: { open: { rate: 6k/s }, iterations: 60 }";
    let of = |visitor: &str| {
        let keys = format!("{keys}\ndefaults: {{ visitor: {visitor} }}");
        let settings =
            Settings { keep: KeepSamples::All, ..settings(requests(&target.url(), "[{ get: / }]", &keys), 1) };
        let ran = finish(&settings);
        assert_eq!((ran.stats().ok(), ran.load().due), (60, 60));
        (ran.raw.iter().min_by_key(|raw| raw.iteration).unwrap().sample.network, ran.load().connections)
    };
    let (network, connections) = of("returning");
    assert_eq!(network.total(), s(0), "opened before");
    assert!(connections >= 1, "{connections} told");
    let (network, connections) = of("new");
    assert!(network.total() > s(0), "a new visitor stays new");
    assert_eq!(connections, 60);
}
