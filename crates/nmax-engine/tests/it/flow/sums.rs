//! Transactions, pages and the ways between pages: sums of their exchanges.

use std::collections::{BTreeMap, BTreeSet};

use nmax_metrics::{Outcome, RawSample, Section, TransactionStats};
use nmax_plan::plan::{Branch, Step};
use nmax_plan::template::Template;
use nmax_testkit::sim::{Answer, Call, Options, Simulated, reply_with, simulate};

use super::{ONCE, get, group, page, plan, repeat, run, sent_once, think, with};
use crate::ms;

/// Groups in loops, in choices and in one another, some of whose steps fail.
fn grouped() -> Vec<Step> {
    vec![
        get("/before"),
        group(
            "outer",
            vec![
                think(10, 20),
                get("/o-first"),
                repeat("2", vec![group("inner", vec![get("/i-weak"), think(5, 30), get("/i-last"), think(40, 50)])]),
                Step::Choose(vec![
                    Branch { weight: 1.0, steps: vec![get("/o-last")] },
                    Branch { weight: 1.0, steps: Vec::new() },
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

/// What was counted of a transaction.
#[track_caller]
fn counted(run: &Simulated, name: &str) -> TransactionStats {
    let number = run.catalog.transactions.iter().position(|known| known == name).unwrap();
    let whole = run.whole();
    whole.transactions.get(Section::Hold, number).cloned().unwrap_or_default()
}

#[track_caller]
fn same(run: &Simulated, name: &str, expected: &TransactionStats) {
    let found = counted(run, name);
    let figures = |stats: &TransactionStats| {
        let quantiles = [0.0, 0.25, 0.5, 0.9, 1.0].map(|q| stats.time.quantile_ns(q));
        (stats.count, stats.failed, stats.time.count(), quantiles)
    };
    assert_eq!(figures(&found), figures(expected), "{name}");
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
    assert!(inner.failed > 20 && outer.failed > inner.failed / 2, "{} {}", inner.failed, outer.failed);
    same(&run, "outer", &outer);
    same(&run, "inner", &inner);
    assert_eq!(counted(&run, "empty").count, 0);
}

/// An iteration that fails ends the transactions that it is in; one that ends as planned leaves them as they were.
#[test]
fn transactions_end_with_their_iteration() {
    let ended = |end: Step| {
        let steps = vec![group("outer", vec![get("/a"), group("inner", vec![get("/b"), end, get("/c")])])];
        let (_, run) = sent_once(steps, &[]);
        ["outer", "inner"].map(|name| {
            let stats = counted(&run, name);
            (stats.count, stats.failed)
        })
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
    let options = Options { cut_at: Some(ms(500)), ..Options::all() };
    let run = simulate(&plan, server, &options);
    assert_eq!(run.exchanges(), 1);
    assert_eq!(counted(&run, "cut").count, 0);
}

/// A request and a transaction of the same name are counted apart.
#[test]
fn names_do_not_clash() {
    let follows = |url| with(get(url), |request| request.http_mut().unwrap().redirects_max = Some(3));
    let (_, run) = sent_once(vec![group("/a", vec![follows("/a"), follows("/b")])], &[]);
    assert_eq!(run.catalog.transactions, ["/a", "/a (redirects)", "/b"]);
    let whole = run.whole();
    let times: Vec<u64> = (0..3)
        .map(|number| whole.transactions.get(Section::Hold, number).unwrap().time.quantile_ns(1.0).unwrap())
        .collect();
    assert!(times[0] > times[1] && times[0] > times[2], "the group has both exchanges: {times:?}");
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
                    Branch { weight: 2.0, steps: vec![page("/list-weak")] },
                    Branch { weight: 1.0, steps: vec![page("/item")] },
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
        let found = whole.pages.get(Section::Hold, number).unwrap();
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
        let found = whole.transitions.get(Section::Hold, number).unwrap();
        let figures = |stats: &TransactionStats| (stats.count, stats.failed, stats.time.quantile_ns(0.5));
        assert_eq!(figures(found), figures(&expected[name]), "{name}");
    }
}
