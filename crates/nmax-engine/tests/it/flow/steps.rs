//! Loops, conditions and ends: which steps are done.

use nmax_plan::plan::{Comparison, Condition, Extract, If, Loop, LoopEnd, MatchPick, ReplyPart, Step};
use nmax_plan::template::{Part, Template};
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, reply_with, simulate};

use super::{ONCE, compare, get, iterations, plan, repeat, run, sent_once, slot, targets, told, with};
use crate::ms;

#[test]
fn loops_count_their_passes() {
    let inner = Step::Loop(Loop {
        until: LoopEnd::Times(slot(0)),
        counter: Some(1),
        steps: vec![with(get("/x"), |request| {
            request.http_mut().unwrap().url.parts =
                vec![Part::Text("/".into()), Part::Slot(0), Part::Text("-".into()), Part::Slot(1)];
        })],
    });
    let outer = Step::Loop(Loop { until: LoopEnd::Times(Template::text("3")), counter: Some(0), steps: vec![inner] });
    let (sent, run) = sent_once(vec![outer, get("/after")], &["i", "j"]);
    assert_eq!(sent, ["/1-1", "/2-1", "/2-2", "/3-1", "/3-2", "/3-3", "/after"]);
    assert_eq!(iterations(&run), (1, 0));
    let (sent, _) = sent_once(vec![repeat("0", vec![get("/never")]), get("/after")], &[]);
    assert_eq!(sent, ["/after"]);
}

#[test]
fn conditions_decide() {
    let decide = |condition: Condition| {
        let step = Step::If(If { condition, then: vec![get("/then")], otherwise: vec![get("/else")] });
        let set = Step::Set(vec![(0, Template::text("10")), (1, slot(0))]);
        sent_once(vec![set, step, get("/after")], &["a", "b"]).0
    };
    let holds = || compare(slot(1), Comparison::Above, "9");
    let fails = || compare(slot(1), Comparison::Equal, "9");
    assert_eq!(decide(holds()), ["/then", "/after"]);
    assert_eq!(decide(fails()), ["/else", "/after"]);
    assert_eq!(decide(Condition::Not(Box::new(fails()))), ["/then", "/after"]);
    assert_eq!(decide(Condition::All(vec![holds(), fails()])), ["/else", "/after"]);
    assert_eq!(decide(Condition::Any(vec![fails(), holds()])), ["/then", "/after"]);
}

/// A loop on a value that its own steps take from replies.
#[test]
fn a_loop_goes_on_while_its_condition_holds() {
    let more = with(get("/more"), |request| {
        request.extract = vec![Extract {
            slot: 0,
            source: ReplyPart::Regex("more=([a-z]*)".into()),
            pick: MatchPick::First,
            default: None,
        }];
    });
    let steps = vec![
        Step::Set(vec![(0, Template::text("yes"))]),
        Step::Loop(Loop {
            until: LoopEnd::While { condition: compare(slot(0), Comparison::Equal, "yes"), max: 4 },
            counter: None,
            steps: vec![more],
        }),
        get("/after"),
    ];
    let answers = |last: u64| {
        let server = move |call: &Call<'_>| {
            let body = if call.number == last { "more=no" } else { "more=yes" };
            Answer::Bytes(call.at + ms(1), reply_with(200, "", body))
        };
        let options = Options { requests: KeepRequests::All, ..Options::all() };
        simulate(&plan(steps.clone(), &["more"], ONCE), server, &options)
    };
    for last in 0..4 {
        let run = answers(last);
        assert_eq!(run.transcript.len() as u64, last + 2, "and then /after");
        assert_eq!(iterations(&run), (1, 0));
    }
    let run = answers(99);
    assert_eq!(targets(&run.transcript), ["/more"; 4], "its max ends the iteration");
    assert_eq!(iterations(&run), (1, 1));
    assert_eq!(told(&run), [("loop", "the condition of `while` still holds after 4 passes, its `max`")]);
}

#[test]
fn loops_that_cannot_be_done_fail_the_iteration() {
    for (times, part) in [("many", "`many` passes"), ("10001", "10000 is the limit"), ("-1", "`-1`"), ("", "``")] {
        let (sent, run) = sent_once(vec![get("/a"), repeat(times, vec![get("/b")])], &[]);
        assert_eq!(sent, ["/a"]);
        assert_eq!(iterations(&run), (1, 1));
        let (kind, text) = told(&run)[0];
        assert!(kind == "loop" && text.contains(part), "{text}");
    }
}

/// A loop without an exchange lets others run, and time go by.
#[test]
fn a_loop_that_waits_for_nothing_starves_nobody() {
    let spin = Step::Loop(Loop {
        until: LoopEnd::While { condition: compare(Template::text("1"), Comparison::Equal, "1"), max: 10_000 },
        counter: None,
        steps: Vec::new(),
    });
    let keys = "workload: { closed: { vus: 2 }, iterations: 4 }";
    let run = run(&plan(vec![get("/a"), spin], &[], keys), 1);
    assert_eq!(run.exchanges(), 4);
    assert_eq!(iterations(&run), (4, 4));
    assert_eq!(run.failures[0].name, run.catalog.scenarios[0], "it is nobody's exchange");
}

/// An iteration ends where the plan says so, as planned or not.
#[test]
fn an_end_is_an_end() {
    let (sent, run) = sent_once(vec![get("/a"), Step::End(None), get("/b")], &[]);
    assert_eq!(sent, ["/a"]);
    assert_eq!((iterations(&run), told(&run)), ((1, 0), Vec::new()));
    let reason = Template { parts: vec![Part::Text("sold out: ".into()), Part::Slot(0)] };
    let set = Step::Set(vec![(0, Template::text("7"))]);
    let (sent, run) = sent_once(vec![get("/a"), set, Step::End(Some(reason)), get("/b")], &["n"]);
    assert_eq!(sent, ["/a"]);
    assert_eq!((iterations(&run), told(&run)), ((1, 1), vec![("end", "sold out: 7")]));
}
