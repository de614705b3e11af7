//! What is computed: functions, and values that cannot be.

use std::collections::BTreeSet;
use std::time::Duration;

use nmax_plan::plan::{Comparison, If, Step, ThinkTime};
use nmax_plan::template::{self, Function, Part, Template};
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, reply_with, simulate};

use super::{ONCE, compare, get, iterations, plan, repeat, run, sent_once, told, with};
use crate::ms;

fn called(function: Function, arguments: &[Template]) -> Template {
    Template { parts: vec![Part::Call(Box::new(template::Call { function, arguments: arguments.to_vec() }))] }
}

/// Identifiers are new at every place and the same at the same place, whoever comes there.
#[test]
fn functions_are_of_their_place() {
    let marked = with(get("/a?n=${iteration}"), |request| {
        let uuid = || called(Function::Uuid, &[]);
        request.http_mut().unwrap().headers = vec![("x-one".into(), uuid()), ("x-two".into(), uuid())];
    });
    let keys = "workload: { open: { rate: 100/s } }\nduration: 3s";
    let plan = plan(vec![repeat("2", vec![marked])], &[], keys);
    let marks = |workers| {
        let run = run(&plan, workers);
        let mut marks = BTreeSet::new();
        for sent in &run.transcript {
            let text = String::from_utf8_lossy(&sent.bytes).into_owned();
            let lines = text.lines().filter(|line| line.starts_with("x-"));
            marks.extend(lines.map(|line| line.split(": ").nth(1).unwrap().to_owned()));
        }
        marks
    };
    let found = marks(1);
    assert_eq!(found.len(), 300 * 2 * 2, "one for each header, pass and iteration");
    assert_eq!(found, marks(3));
}

/// What a redirect repeats is the same body, with the same random values in it.
#[test]
fn a_request_that_is_sent_again_says_the_same() {
    let step = with(get("/a"), |request| {
        request.http_mut().unwrap().method = nmax_plan::plan::Method::Post;
        request.http_mut().unwrap().redirects_max = Some(3);
        request.http_mut().unwrap().body = nmax_plan::plan::Body::Text(called(Function::Uuid, &[]));
    });
    let server = |call: &Call<'_>| {
        let reply = match call.number {
            0 => reply_with(307, "location: /b\r\n", ""),
            _ => reply_with(200, "", ""),
        };
        Answer::Bytes(call.at + ms(1), reply)
    };
    let options = Options { requests: KeepRequests::All, ..Options::all() };
    let run = simulate(&plan(vec![step], &[], ONCE), server, &options);
    let bodies: Vec<String> = run
        .transcript
        .iter()
        .map(|sent| String::from_utf8_lossy(&sent.bytes).split("\r\n\r\n").nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(bodies.len(), 2);
    assert!(bodies[0].len() == 36 && bodies[0] == bodies[1], "{bodies:?}");
}

/// What cannot be computed is not sent, and says why; wherever it is.
#[test]
fn what_cannot_be_computed_fails_the_iteration() {
    let bad = || called(Function::Decrypt, &[Template::text("key"), Template::text("AAAA")]);
    let why = "`decrypt` cannot be computed: the text is too short to be encrypted";
    let in_header = with(get("/a"), |request| request.http_mut().unwrap().headers = vec![("x".into(), bad())]);
    let (sent, run) = sent_once(vec![in_header, get("/b")], &[]);
    assert_eq!((sent.len(), iterations(&run)), (0, (1, 1)));
    assert_eq!(told(&run), [("protocol", why)]);
    assert_eq!(run.failures[0].name, "/a");
    let elsewhere = [
        Step::Set(vec![(0, bad())]),
        repeat("1", vec![Step::Set(vec![(0, bad())])]),
        Step::If(If { condition: compare(bad(), Comparison::Equal, ""), then: Vec::new(), otherwise: Vec::new() }),
        Step::End(Some(bad())),
    ];
    for step in elsewhere {
        let (sent, run) = sent_once(vec![get("/a"), step, get("/b")], &["x"]);
        assert_eq!(sent, ["/a"]);
        assert_eq!(told(&run), [("value", why)]);
        assert_eq!(iterations(&run), (1, 1));
    }
}

/// A value that grows with every pass ends the iteration, not the machine's memory.
#[test]
fn values_have_a_limit() {
    let twice = Template { parts: vec![Part::Slot(0), Part::Slot(0)] };
    let steps = vec![Step::Set(vec![(0, Template::text("x"))]), repeat("1000", vec![Step::Set(vec![(0, twice)])])];
    let (_, run) = sent_once(steps, &["big"]);
    let (kind, text) = told(&run)[0];
    assert!(kind == "value" && text.contains("`big` would have 33554432 bytes"), "{text}");
}

/// Wall time is the run's origin and its clock.
#[test]
fn time_is_that_of_the_run() {
    let now = |format: &str| called(Function::Now, &[Template::text(format)]);
    let step = with(get("/a"), |request| {
        request.http_mut().unwrap().query = vec![(Template::text("t"), now("ms"))];
    });
    let (sent, _) = sent_once(vec![Step::Think(ThinkTime::Fixed(Duration::from_millis(2_500))), step], &[]);
    assert_eq!(sent, ["/a?t=1700000002500"], "the origin and 2.5 s");
}
