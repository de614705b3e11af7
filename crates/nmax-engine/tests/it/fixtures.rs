//! What a run does once around its load, and a rehearsal of it, over real sockets.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use nmax_engine::run::rehearsal::rehearse;
use nmax_engine::{Event, Fixture, Origin, Run, Settings, StartError};
use nmax_metrics::{Clock as _, Nanos};
use nmax_plan::plan::Plan;
use nmax_plan::share::Share;
use nmax_testkit::plans::{plan, with_files};
use nmax_testkit::servers::BadServer;

use crate::changed;

/// A server that notes the paths it was asked for; `/broken` answers 500.
fn server() -> (BadServer, Arc<Mutex<Vec<String>>>) {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&seen);
    let server = BadServer::answering(move |head| {
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let status = if path.starts_with("/broken") { 500 } else { 200 };
        log.lock().unwrap().push(path);
        format!("HTTP/1.1 {status} X\r\ncontent-length: 4\r\n\r\nid=7")
    });
    (server, seen)
}

fn with_fixture(url: &str, setup: &str, teardown: &str, workload: &str) -> Arc<Plan> {
    plan(&format!(
        "nmax: 1
target: {url}
setup: {{ steps: [{setup}] }}
teardown: {{ steps: [{teardown}] }}
scenarios: {{ home: {{ steps: [{{ get: \"/use?id=${{setup.id}}\", name: use }}] }} }}
workload: {{ {workload} }}
graceful_stop: 2s
"
    ))
}

const INSERT: &str = r#"{ get: /insert, extract: { id: { regex: "id=([0-9])" } } }"#;
const REMOVE: &str = r#"{ get: "/remove?id=${setup.id}", name: remove }"#;

fn settings(plan: Arc<Plan>) -> Settings {
    Settings { workers: 2, ..Settings::new(plan, Arc::new(|_, _| Ok(()))) }
}

fn to_the_end(run: &mut Run) {
    while !matches!(run.next(Duration::from_millis(50)), Event::Ended) {}
}

/// Setup, load with its values, teardown with its values: in this order, on any number of workers.
#[test]
fn a_run_is_between_its_setup_and_its_teardown() {
    let (server, seen) = server();
    let plan = with_fixture(&server.url(), INSERT, REMOVE, "closed: { vus: 4 }, iterations: 40");
    let mut run = Run::start(&settings(plan)).unwrap();
    to_the_end(&mut run);
    assert_eq!((run.teardown_failure(), run.ended_early()), (None, None));
    drop(run);
    let seen = seen.lock().unwrap();
    assert_eq!((seen[0].as_str(), seen[seen.len() - 1].as_str()), ("/insert", "/remove?id=7"));
    assert_eq!(seen.iter().filter(|path| *path == "/use?id=7").count(), 40);
    assert_eq!(seen.len(), 42);
}

/// Two injectors share a run whose setup and teardown are done once, beside them: both know its values, begin at the origin
/// that they are given, and together send all of it.
#[test]
fn a_run_of_two_injectors_has_one_setup_and_one_origin() {
    let (server, seen) = server();
    let plan = with_fixture(&server.url(), INSERT, REMOVE, "closed: { vus: 4 }, iterations: 40");
    let mut fixture = Fixture::open(&settings(plan), &|| false).unwrap();
    let ready = [0, 1].map(|index| {
        let share = Share::for_injector(index, &[1, 2]).unwrap();
        Run::prepare(&Settings { share, ..fixture.settings().clone() }).unwrap()
    });
    let origin = Origin::soon();
    let later = Origin { at: origin.at + Nanos::from_millis(300), wall: origin.wall + Duration::from_millis(300) };
    let mut runs = ready.map(|ready| ready.begin(later));
    let begun = runs.iter().map(|run| (run.started_at(), run.clock().now()));
    assert!(begun.eq([(later.wall, Nanos::ZERO); 2]), "the origin is ahead");
    assert_eq!(*seen.lock().unwrap(), ["/insert"], "nothing of the load is sent before it");
    for run in &mut runs {
        to_the_end(run);
        assert_eq!((run.teardown_failure(), run.ended_early()), (None, None));
    }
    while !fixture.close() {}
    assert_eq!(fixture.failure(), None);
    let seen = seen.lock().unwrap();
    assert_eq!(seen.iter().filter(|path| *path == "/use?id=7").count(), 40);
    assert_eq!((seen[0].as_str(), seen[seen.len() - 1].as_str(), seen.len()), ("/insert", "/remove?id=7", 42));
}

/// Workers whose run does not begin go home, and nothing was sent.
#[test]
fn what_was_prepared_in_vain_sends_nothing() {
    let (server, seen) = server();
    let plan = with_fixture(&server.url(), INSERT, REMOVE, "closed: { vus: 4 }, iterations: 40");
    drop(Run::prepare(&settings(plan)).unwrap());
    assert!(seen.lock().unwrap().is_empty());
}

/// Nothing of the load is sent when the setup fails, and what was made is cleared up.
#[test]
fn a_setup_that_fails_stops_the_run() {
    let (server, seen) = server();
    let setup = format!("{INSERT}, {{ get: /broken }}");
    let plan = with_fixture(&server.url(), &setup, REMOVE, "closed: { vus: 4 }, iterations: 40");
    let Err(StartError::Setup(text)) = Run::start(&settings(plan)) else { panic!("it started") };
    assert!(text.contains("GET /broken") && text.contains("500"), "{text}");
    assert_eq!(*seen.lock().unwrap(), ["/insert", "/broken", "/remove?id=7"]);
}

/// A teardown is done after a run that was cut off, and once only; when it fails, the run says so.
#[test]
fn a_teardown_is_always_done() {
    let (server, seen) = server();
    let teardown = format!("{REMOVE}, {{ get: /broken/teardown }}");
    let plan = with_fixture(&server.url(), INSERT, &teardown, "closed: { vus: 1 }");
    let removed = || seen.lock().unwrap().iter().filter(|path| path.starts_with("/remove")).count();
    let mut run = Run::start(&settings(Arc::clone(&plan))).unwrap();
    run.cut();
    to_the_end(&mut run);
    assert!(run.teardown_failure().is_some_and(|text| text.contains("/broken/teardown")));
    drop(run);
    assert_eq!(removed(), 1);
    drop(Run::start(&settings(plan)).unwrap());
    assert_eq!(removed(), 2, "also when nobody waits for the end");
}

/// The first reason counts, and the load ends.
#[test]
fn a_run_ends_for_a_reason() {
    let (server, _) = server();
    let plan = with_fixture(&server.url(), INSERT, REMOVE, "closed: { vus: 1 }");
    let mut run = Run::start(&settings(plan)).unwrap();
    run.abort("failure_rate was 3 % for 30 s");
    run.abort("another reason");
    to_the_end(&mut run);
    assert_eq!(run.ended_early(), Some("failure_rate was 3 % for 30 s"));
}

/// Every scenario once, those of the background too, between setup and teardown, without pauses at any depth, with the
/// last rows of the data.
#[test]
fn a_rehearsal_does_everything_once() {
    let (server, seen) = server();
    let text = format!(
        "nmax: 1
target: {}
data: {{ people: {{ csv: people.csv, pick: unique }} }}
setup: {{ steps: [{INSERT}] }}
teardown: {{ steps: [{REMOVE}] }}
scenarios:
  home: {{ steps: [{{ think: 1h }}, {{ repeat: 2, steps: [{{ get: \"/p/${{people.name}}\", name: p }}, {{ think: 1h }}] }}] }}
  batch: {{ steps: [{{ get: \"/broken/${{setup.id}}\", name: batch }}] }}
workload: {{ closed: {{ vus: 9 }}, mix: {{ home: 1 }}, background: {{ batch: {{ closed: {{ vus: 1 }} }} }} }}
",
        server.url()
    );
    let plan = with_files(&text, &[("people.csv", "name\nann\nben\ncid\n")]);
    let all = rehearse(&settings(changed(&plan, |plan| plan.locations.clear()))).unwrap();
    assert_eq!(*seen.lock().unwrap(), ["/insert", "/p/cid", "/p/cid", "/broken/7", "/remove?id=7"]);
    let found: Vec<_> = all.iter().map(|one| (one.scenario, one.is_ok, one.exchanges.len())).collect();
    assert_eq!(found, [(0, true, 2), (1, false, 1)]);
    assert!(all[0].failures.is_empty() && all[1].failures[0].text.contains("500"));
}
