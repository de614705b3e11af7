//! Conditions, loops, choices, transactions and pages: what users do and what is counted of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use nmax_metrics::{Nanos, Outcome, RawSample, Section, TransactionStats};
use nmax_plan::plan::{
    Branch, Comparison, Condition, Discover, Extract, If, Loop, LoopEnd, MatchPick, Page, Plan, Source, Step,
    ThinkTime, Transaction,
};
use nmax_plan::template::{self, Function, Part, Template};
use nmax_testkit::plans::requests;
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, Sent, Server, Simulated, reply_with, simulate};

use crate::{changed, ms};

const ONCE: &str = "workload: { closed: { vus: 1 }, iterations: 1 }";

/// A step that requests this URL, which may have `${iteration}` and `${vu}` in it, under the name of its path.
fn get(url: &str) -> Step {
    let name = url.split('?').next().unwrap_or_default();
    let steps = format!("[{{ get: \"{url}\", name: \"{name}\" }}]");
    requests("http://h.test", &steps, ONCE).scenarios[0].steps[0].clone()
}

/// The same with this changed in it.
fn with(mut step: Step, change: impl FnOnce(&mut nmax_plan::plan::Request)) -> Step {
    let Step::Request(request) = &mut step else {
        panic!("no request")
    };
    change(Arc::make_mut(request));
    step
}

fn page(url: &str) -> Step {
    with(get(url), |request| {
        request.page = Some(Page {
            listed: Vec::new(),
            discover: Discover::Nothing,
        });
    })
}

fn slot(slot: usize) -> Template {
    Template {
        parts: vec![Part::Slot(slot)],
    }
}

fn called(function: Function, arguments: &[Template]) -> Template {
    Template {
        parts: vec![Part::Call(Box::new(template::Call {
            function,
            arguments: arguments.to_vec(),
        }))],
    }
}

fn compare(left: Template, comparison: Comparison, right: &str) -> Condition {
    Condition::Compare {
        left,
        comparison,
        right: Template::text(right),
    }
}

fn repeat(times: &str, steps: Vec<Step>) -> Step {
    Step::Loop(Loop {
        until: LoopEnd::Times(Template::text(times)),
        counter: None,
        steps,
    })
}

fn group(name: &str, steps: Vec<Step>) -> Step {
    Step::Transaction(Transaction {
        name: name.into(),
        steps,
    })
}

fn think(from_ms: u64, to_ms: u64) -> Step {
    Step::Think(ThinkTime::Uniform {
        min: Duration::from_millis(from_ms),
        max: Duration::from_millis(to_ms),
    })
}

/// A plan of one scenario with these steps and slots.
fn plan(steps: Vec<Step>, slots: &[&str], keys: &str) -> Arc<Plan> {
    changed(&requests("http://h.test", "[{ get: / }]", keys), |plan| {
        plan.scenarios[0].steps = steps;
        plan.scenarios[0].slots = slots.iter().map(|slot| (*slot).to_owned()).collect();
    })
}

/// Replies after 5 to 14 ms; with 500 to every seventh request for something that has `weak` in its path.
fn moody() -> impl Server {
    move |call: &Call<'_>| {
        let status = if call.target().contains("weak") && call.number % 7 == 3 {
            500
        } else {
            200
        };
        Answer::Bytes(call.at + ms(5 + call.number % 10), reply_with(status, "", "yes"))
    }
}

fn run(plan: &Arc<Plan>, workers: u32) -> Simulated {
    let options = Options {
        workers,
        requests: KeepRequests::All,
        ..Options::all()
    };
    simulate(plan, moody(), &options)
}

/// Paths and queries in the order of sending.
fn targets(sent: &[Sent]) -> Vec<String> {
    let target = |sent: &Sent| {
        let text = String::from_utf8_lossy(&sent.bytes).into_owned();
        text.split(' ').nth(1).unwrap().to_owned()
    };
    sent.iter().map(target).collect()
}

fn sent_once(steps: Vec<Step>, slots: &[&str]) -> (Vec<String>, Simulated) {
    let run = run(&plan(steps, slots, ONCE), 1);
    (targets(&run.transcript), run)
}

/// Kinds and texts of what failed.
fn told(run: &Simulated) -> Vec<(&str, &str)> {
    run.failures
        .iter()
        .map(|failure| (failure.kind.as_str(), failure.text.as_str()))
        .collect()
}

/// Completed and failed iterations.
fn iterations(run: &Simulated) -> (u64, u64) {
    let whole = run.whole();
    let stats = whole.scenario(Section::Hold, 0).unwrap();
    (stats.completed, stats.failed)
}

#[test]
fn loops_count_their_passes() {
    let inner = Step::Loop(Loop {
        until: LoopEnd::Times(slot(0)),
        counter: Some(1),
        steps: vec![with(get("/x"), |request| {
            request.url.parts = vec![
                Part::Text("/".into()),
                Part::Slot(0),
                Part::Text("-".into()),
                Part::Slot(1),
            ];
        })],
    });
    let outer = Step::Loop(Loop {
        until: LoopEnd::Times(Template::text("3")),
        counter: Some(0),
        steps: vec![inner],
    });
    let (sent, run) = sent_once(vec![outer, get("/after")], &["i", "j"]);
    assert_eq!(sent, ["/1-1", "/2-1", "/2-2", "/3-1", "/3-2", "/3-3", "/after"]);
    assert_eq!(iterations(&run), (1, 0));
    let (sent, _) = sent_once(vec![repeat("0", vec![get("/never")]), get("/after")], &[]);
    assert_eq!(sent, ["/after"]);
}

#[test]
fn conditions_decide() {
    let decide = |condition: Condition| {
        let step = Step::If(If {
            condition,
            then: vec![get("/then")],
            otherwise: vec![get("/else")],
        });
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
            source: Source::Regex("more=([a-z]*)".into()),
            pick: MatchPick::First,
            default: None,
        }];
    });
    let steps = vec![
        Step::Set(vec![(0, Template::text("yes"))]),
        Step::Loop(Loop {
            until: LoopEnd::While {
                condition: compare(slot(0), Comparison::Equal, "yes"),
                max: 4,
            },
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
        let options = Options {
            requests: KeepRequests::All,
            ..Options::all()
        };
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
    assert_eq!(
        told(&run),
        [("loop", "the condition of `while` still holds after 4 passes, its `max`")]
    );
}

#[test]
fn loops_that_cannot_be_done_fail_the_iteration() {
    for (times, part) in [
        ("many", "`many` passes"),
        ("10001", "10000 is the limit"),
        ("-1", "`-1`"),
        ("", "``"),
    ] {
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
        until: LoopEnd::While {
            condition: compare(Template::text("1"), Comparison::Equal, "1"),
            max: 10_000,
        },
        counter: None,
        steps: Vec::new(),
    });
    let keys = "workload: { closed: { vus: 2 }, iterations: 4 }";
    let run = run(&plan(vec![get("/a"), spin], &[], keys), 1);
    assert_eq!(run.exchanges(), 4);
    assert_eq!(iterations(&run), (4, 4));
    assert_eq!(
        run.failures[0].name, run.catalog.scenarios[0],
        "it is nobody's exchange"
    );
}

/// An iteration ends where the plan says so, as planned or not.
#[test]
fn an_end_is_an_end() {
    let (sent, run) = sent_once(vec![get("/a"), Step::End(None), get("/b")], &[]);
    assert_eq!(sent, ["/a"]);
    assert_eq!((iterations(&run), told(&run)), ((1, 0), Vec::new()));
    let reason = Template {
        parts: vec![Part::Text("sold out: ".into()), Part::Slot(0)],
    };
    let set = Step::Set(vec![(0, Template::text("7"))]);
    let (sent, run) = sent_once(vec![get("/a"), set, Step::End(Some(reason)), get("/b")], &["n"]);
    assert_eq!(sent, ["/a"]);
    assert_eq!((iterations(&run), told(&run)), ((1, 1), vec![("end", "sold out: 7")]));
}

/// Three ways by chance: 70, 25 and 5 of 100.
fn chances(keys: &str) -> Arc<Plan> {
    let way = |weight, path: &str| Branch {
        weight,
        steps: vec![get(&format!("{path}?n=${{iteration}}"))],
    };
    let choose = Step::Choose(vec![way(70.0, "/a"), way(25.0, "/b"), way(5.0, "/c")]);
    plan(vec![choose, think(10, 50), get("/end?n=${iteration}")], &[], keys)
}

/// What each iteration asked for, by its number.
fn by_iteration(run: &Simulated) -> BTreeMap<u64, Vec<String>> {
    let mut found: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for target in targets(&run.transcript) {
        let number = target.split("n=").nth(1).unwrap().parse().unwrap();
        found.entry(number).or_default().push(target);
    }
    found
}

/// Law: shares follow the weights within four standard deviations, and are made by the place, not by who comes first.
#[test]
fn chance_follows_weights_and_nothing_else() {
    let keys = "seed: 11\nworkload: { open: { rate: 500/s } }\nduration: 20s";
    let one = run(&chances(keys), 1);
    let found = by_iteration(&one);
    assert_eq!(found.len(), 10_000);
    for (path, share) in [("/a", 0.7), ("/b", 0.25), ("/c", 0.05)] {
        let taken = found
            .values()
            .flatten()
            .filter(|target| target.starts_with(path))
            .count() as f64;
        let deviation = (10_000.0_f64 * share * (1.0 - share)).sqrt();
        let expected = 10_000.0 * share;
        assert!(
            (taken - expected).abs() < 4.0 * deviation,
            "{path}: {taken} of {expected}"
        );
    }
    assert_eq!(
        found,
        by_iteration(&run(&chances(keys), 3)),
        "three workers choose the same"
    );
    let other = keys.replace("11", "12");
    assert_ne!(found, by_iteration(&run(&chances(&other), 1)));
}

/// Every pass of a loop makes its own choices.
#[test]
fn passes_differ_in_their_pauses() {
    let (_, run) = sent_once(vec![repeat("50", vec![think(0, 100), get("/a")])], &[]);
    let gaps: BTreeSet<Nanos> = run
        .raw
        .windows(2)
        .map(|pair| pair[1].sample.intended.since(pair[0].sample.done))
        .collect();
    assert_eq!(gaps.len(), 49, "no two pauses are the same");
}

/// Groups in loops, in choices and in one another, some of whose steps fail.
fn grouped() -> Vec<Step> {
    vec![
        get("/before"),
        group(
            "outer",
            vec![
                think(10, 20),
                get("/o-first"),
                repeat(
                    "2",
                    vec![group(
                        "inner",
                        vec![get("/i-weak"), think(5, 30), get("/i-last"), think(40, 50)],
                    )],
                ),
                Step::Choose(vec![
                    Branch {
                        weight: 1.0,
                        steps: vec![get("/o-last")],
                    },
                    Branch {
                        weight: 1.0,
                        steps: Vec::new(),
                    },
                ]),
            ],
        ),
        group("empty", vec![think(1, 2)]),
        get("/after"),
    ]
}

/// The exchanges of each iteration, in order.
fn exchanges(run: &Simulated) -> BTreeMap<(u32, u64), Vec<RawSample>> {
    let mut found: BTreeMap<(u32, u64), Vec<RawSample>> = BTreeMap::new();
    for raw in run.by_intended() {
        found.entry((raw.vu, raw.iteration)).or_default().push(raw);
    }
    found
}

/// What a transaction of these exchanges adds.
fn add(stats: &mut TransactionStats, part: &[RawSample]) {
    let (Some(first), Some(last)) = (part.first(), part.last()) else {
        return;
    };
    let is_ok = part.iter().all(|raw| raw.sample.outcome == Outcome::Ok);
    stats.record(is_ok, last.sample.done.since(first.sample.intended).0);
}

#[track_caller]
fn same(run: &Simulated, name: &str, expected: &TransactionStats) {
    let number = run.catalog.transactions.iter().position(|known| known == name).unwrap();
    let whole = run.whole();
    let found = whole.transaction(Section::Hold, number).unwrap();
    let figures = |stats: &TransactionStats| {
        let quantiles = [0.0, 0.25, 0.5, 0.9, 1.0].map(|q| stats.time.quantile_ns(q));
        (stats.count, stats.failed, stats.time.count(), quantiles)
    };
    assert_eq!(figures(found), figures(expected), "{name}");
}

/// Law: transactions are the sums that the log of exchanges gives.
#[test]
fn transactions_are_sums_of_their_exchanges() {
    let keys = "workload: { closed: { vus: 5 }, iterations: 300 }";
    let run = run(&plan(grouped(), &[], keys), 2);
    let (mut outer, mut inner) = (TransactionStats::default(), TransactionStats::default());
    for exchanges in exchanges(&run).values() {
        let name = |raw: &RawSample| run.catalog.requests.name(raw.sample.name).to_owned();
        let of = |prefix: &[&str]| -> Vec<RawSample> {
            let belongs = |raw: &&RawSample| prefix.iter().any(|prefix| name(raw).starts_with(prefix));
            exchanges.iter().filter(belongs).cloned().collect()
        };
        add(&mut outer, &of(&["/o-", "/i-"]));
        of(&["/i-"]).chunks(2).for_each(|pass| add(&mut inner, pass));
    }
    assert_eq!((outer.count, inner.count), (300, 600));
    assert!(
        inner.failed > 20 && outer.failed > inner.failed / 2,
        "{} {}",
        inner.failed,
        outer.failed
    );
    same(&run, "outer", &outer);
    same(&run, "inner", &inner);
    let empty = run
        .catalog
        .transactions
        .iter()
        .position(|name| name == "empty")
        .unwrap();
    assert_eq!(
        run.whole()
            .transaction(Section::Hold, empty)
            .map_or(0, |stats| stats.count),
        0
    );
}

/// An iteration that fails ends the transactions that it is in; one that ends as planned leaves them as they were.
#[test]
fn transactions_end_with_their_iteration() {
    let ended = |end: Step| {
        let steps = vec![group(
            "outer",
            vec![get("/a"), group("inner", vec![get("/b"), end, get("/c")])],
        )];
        let (_, run) = sent_once(steps, &[]);
        let counted = |name: &str| {
            let number = run.catalog.transactions.iter().position(|known| known == name).unwrap();
            let whole = run.whole();
            let stats = whole.transaction(Section::Hold, number).unwrap();
            (stats.count, stats.failed)
        };
        [counted("outer"), counted("inner")]
    };
    assert_eq!(ended(Step::End(None)), [(1, 0), (1, 0)]);
    assert_eq!(ended(Step::End(Some(Template::text("no")))), [(1, 1), (1, 1)]);
    assert_eq!(ended(repeat("x", Vec::new())), [(1, 1), (1, 1)]);
}

#[test]
fn a_transaction_that_the_run_cuts_is_not_counted() {
    let steps = vec![group("cut", vec![get("/a"), get("/b")])];
    let plan = plan(steps, &[], ONCE);
    let server = |call: &Call<'_>| match call.number {
        0 => Answer::Bytes(call.at + ms(1), reply_with(200, "", "")),
        _ => Answer::Never,
    };
    let options = Options {
        cut_at: Some(ms(500)),
        ..Options::all()
    };
    let run = simulate(&plan, server, &options);
    let number = run.catalog.transactions.iter().position(|name| name == "cut").unwrap();
    assert_eq!(run.exchanges(), 1);
    assert_eq!(
        run.whole()
            .transaction(Section::Hold, number)
            .map_or(0, |stats| stats.count),
        0
    );
}

/// A request and a transaction of the same name are counted apart.
#[test]
fn names_do_not_clash() {
    let follows = |url| with(get(url), |request| request.redirects_max = Some(3));
    let (_, run) = sent_once(vec![group("/a", vec![follows("/a"), follows("/b")])], &[]);
    assert_eq!(run.catalog.transactions, ["/a", "/a (redirects)", "/b"]);
    let whole = run.whole();
    let times: Vec<u64> = (0..3)
        .map(|number| {
            whole
                .transaction(Section::Hold, number)
                .unwrap()
                .time
                .quantile_ns(1.0)
                .unwrap()
        })
        .collect();
    assert!(
        times[0] > times[1] && times[0] > times[2],
        "the group has both exchanges: {times:?}"
    );
}

/// Law: pages and their transitions are those that the log of exchanges shows; other requests between them do not count.
#[test]
fn pages_and_transitions_are_those_of_the_log() {
    let steps = vec![
        page("/home"),
        repeat(
            "2",
            vec![
                get("/ajax"),
                think(1, 9),
                Step::Choose(vec![
                    Branch {
                        weight: 2.0,
                        steps: vec![page("/list-weak")],
                    },
                    Branch {
                        weight: 1.0,
                        steps: vec![page("/item")],
                    },
                ]),
            ],
        ),
    ];
    let keys = "workload: { closed: { vus: 3 }, iterations: 200 }";
    let run = run(&plan(steps, &[], keys), 2);
    assert_eq!(run.catalog.pages, ["/home", "/list-weak", "/item"]);
    let mut expected: BTreeMap<String, TransactionStats> = BTreeMap::new();
    let mut pages: BTreeMap<String, TransactionStats> = BTreeMap::new();
    for exchanges in exchanges(&run).values() {
        let mut before: Option<String> = None;
        for raw in exchanges {
            let name = run.catalog.requests.name(raw.sample.name).to_owned();
            if name == "/ajax" {
                continue;
            }
            add(pages.entry(name.clone()).or_default(), std::slice::from_ref(raw));
            if let Some(before) = before.replace(name.clone()) {
                let pair = format!("{before} -> {name}");
                add(expected.entry(pair).or_default(), std::slice::from_ref(raw));
            }
        }
    }
    let whole = run.whole();
    for (number, name) in run.catalog.pages.iter().enumerate() {
        let found = whole.page(Section::Hold, number).unwrap();
        let of_name = &pages[name];
        let figures = |stats: &TransactionStats| (stats.count, stats.failed, stats.time.quantile_ns(0.5));
        assert_eq!(figures(&found.pages), figures(of_name), "{name}");
        assert!(found.bytes_received > of_name.count * 20, "heads included");
    }
    // No way leads from one pass of the loop back home, and none skips both.
    let names: BTreeSet<&String> = run.catalog.transitions.iter().collect();
    assert_eq!(names.len(), 6, "{names:?}");
    assert_eq!(names, expected.keys().collect(), "all of them happened");
    for (number, name) in run.catalog.transitions.iter().enumerate() {
        let found = whole.transition(Section::Hold, number).unwrap();
        let figures = |stats: &TransactionStats| (stats.count, stats.failed, stats.time.quantile_ns(0.5));
        assert_eq!(figures(found), figures(&expected[name]), "{name}");
    }
}

/// Identifiers are new at every place and the same at the same place, whoever comes there.
#[test]
fn functions_are_of_their_place() {
    let marked = with(get("/a?n=${iteration}"), |request| {
        let uuid = || called(Function::Uuid, &[]);
        request.headers = vec![("x-one".into(), uuid()), ("x-two".into(), uuid())];
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
        request.method = nmax_plan::plan::Method::Post;
        request.redirects_max = Some(3);
        request.body = nmax_plan::plan::Body::Text(called(Function::Uuid, &[]));
    });
    let server = |call: &Call<'_>| {
        let reply = match call.number {
            0 => reply_with(307, "location: /b\r\n", ""),
            _ => reply_with(200, "", ""),
        };
        Answer::Bytes(call.at + ms(1), reply)
    };
    let options = Options {
        requests: KeepRequests::All,
        ..Options::all()
    };
    let run = simulate(&plan(vec![step], &[], ONCE), server, &options);
    let bodies: Vec<String> = run
        .transcript
        .iter()
        .map(|sent| {
            String::from_utf8_lossy(&sent.bytes)
                .split("\r\n\r\n")
                .nth(1)
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(bodies.len(), 2);
    assert!(bodies[0].len() == 36 && bodies[0] == bodies[1], "{bodies:?}");
}

/// What cannot be computed is not sent, and says why; wherever it is.
#[test]
fn what_cannot_be_computed_fails_the_iteration() {
    let bad = || called(Function::Decrypt, &[Template::text("key"), Template::text("AAAA")]);
    let why = "`decrypt` cannot be computed: the text is too short to be encrypted";
    let in_header = with(get("/a"), |request| request.headers = vec![("x".into(), bad())]);
    let (sent, run) = sent_once(vec![in_header, get("/b")], &[]);
    assert_eq!((sent.len(), iterations(&run)), (0, (1, 1)));
    assert_eq!(told(&run), [("protocol", why)]);
    assert_eq!(run.failures[0].name, "/a");
    let elsewhere = [
        Step::Set(vec![(0, bad())]),
        repeat("1", vec![Step::Set(vec![(0, bad())])]),
        Step::If(If {
            condition: compare(bad(), Comparison::Equal, ""),
            then: Vec::new(),
            otherwise: Vec::new(),
        }),
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
    let twice = Template {
        parts: vec![Part::Slot(0), Part::Slot(0)],
    };
    let steps = vec![
        Step::Set(vec![(0, Template::text("x"))]),
        repeat("1000", vec![Step::Set(vec![(0, twice)])]),
    ];
    let (_, run) = sent_once(steps, &["big"]);
    let (kind, text) = told(&run)[0];
    assert!(
        kind == "value" && text.contains("`big` would have 33554432 bytes"),
        "{text}"
    );
}

/// Wall time is the run's origin and its clock.
#[test]
fn time_is_that_of_the_run() {
    let now = |format: &str| called(Function::Now, &[Template::text(format)]);
    let step = with(get("/a"), |request| {
        request.query = vec![(Template::text("t"), now("ms"))];
    });
    let (sent, _) = sent_once(
        vec![Step::Think(ThinkTime::Fixed(Duration::from_millis(2_500))), step],
        &[],
    );
    assert_eq!(sent, ["/a?t=1700000002500"], "the origin and 2.5 s");
}

/// What a document says in steps within steps is what its users do.
#[test]
fn a_document_is_done_as_it_is_written() {
    let text = r#"
nmax: 1
target: http://h.test
scenarios:
  shop:
    setup:
      - get: /login
        extract: { user: { regex: "([a-z]+)" } }
    steps:
      - get: "/home?${user}"
        page: true
      - set: { n: "${random(3, 3)}", mark: "${hash('sha1', 'x')}" }
      - transaction: search
        steps:
          - repeat: ${n}
            as: i
            steps:
              - if: "${i} != 2"
                then: [{ get: "/item/${i}", page: true }]
                else: [{ get: "/other/${i}" }]
      - while: "${mark} contains 11f6"
        max: 3
        steps:
          - get: /marked
          - set: { mark: done }
      - choose:
          - { weight: 1, steps: [{ get: /one }] }
      - if: { all: ["${n} >= 3", { not: "${user} == bob" }] }
        then: [{ fail: "sold out of ${n}" }]
      - get: /never
    teardown:
      - get: "/logout?${user}"
workload: { closed: { vus: 1 }, iterations: 1 }
"#;
    let run = run(&nmax_testkit::plans::plan(text), 1);
    let expected = [
        "/login",
        "/home?yes",
        "/item/1",
        "/other/2",
        "/item/3",
        "/marked",
        "/one",
        "/logout?yes",
    ];
    assert_eq!(targets(&run.transcript), expected);
    assert_eq!(told(&run), [("end", "sold out of 3")]);
    assert_eq!(run.catalog.transactions, ["search"]);
    let arrows: Vec<&str> = run.catalog.transitions.iter().map(String::as_str).collect();
    assert_eq!(
        arrows,
        ["GET /home -> GET /item/${i}", "GET /item/${i} -> GET /item/${i}"]
    );
}
