//! Starts of a list, and exchanges that are told: both against the transcript of what was sent.

use std::sync::Arc;

use nmax_metrics::{Nanos, Section};
use nmax_plan::plan::{Arrivals, Plan, Workload};
use nmax_testkit::plans::{home_page, plan};
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, instant, reply_with, simulate};
use proptest::prelude::*;

use crate::{changed, ms};

/// A plan that starts iterations at these instants, in 60 s.
fn listed(starts: &[Nanos]) -> Arc<Plan> {
    let plan = home_page("workload: { open: { rate: 1/s } }\nduration: 60s");
    changed(&plan, |plan| {
        plan.starts = starts.iter().map(|start| start.0).collect();
        if let Workload::Open { arrivals, .. } = &mut plan.workload {
            *arrivals = Arrivals::Listed;
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Each iteration starts at its instant, neither more nor fewer do, however many workers share them.
    #[test]
    fn listed_starts_are_kept(
        mut starts in prop::collection::vec(prop_oneof![0..30_000_u64, 0..5_u64], 0..80),
        workers in 1..4_u32,
    ) {
        starts.sort_unstable();
        let starts: Vec<Nanos> = starts.into_iter().map(ms).collect();
        let options = Options { workers, requests: KeepRequests::All, ..Options::all() };
        let run = simulate(&listed(&starts), instant(ms(7)), &options);
        let sent: Vec<Nanos> = run.transcript.iter().map(|sent| sent.at).collect();
        prop_assert_eq!(&sent, &starts);
        let load = run.load();
        prop_assert_eq!((load.due, load.started), (starts.len() as u64, starts.len() as u64));
        prop_assert_eq!(load.dropped().total(), 0);
        let numbers: Vec<(u64, Nanos)> = run.by_intended().iter().map(|raw| (raw.iteration, raw.sample.intended)).collect();
        prop_assert_eq!(numbers, (0..).zip(starts).collect::<Vec<_>>());
    }
}

/// Requests, redirects and resources are told with the targets that were sent; setup and teardown are not.
#[test]
fn what_is_told_is_what_was_sent() {
    let text = r#"
nmax: 1
target: http://shop.test
defaults: { redirects: follow }
scenarios:
  visit:
    setup: [{ get: /setup }]
    steps:
      - get: "/page?n=${iteration}"
        resources: [/a.css, /b.png]
      - post: /old
        form: { a: 1 }
    teardown: [{ get: /teardown }]
workload: { open: { rate: 10/s } }
duration: 5s
"#;
    let server = |call: &Call<'_>| {
        let reply = match call.target() {
            "/old" => reply_with(303, "location: /new\r\n", ""),
            "/b.png" => reply_with(404, "", "no such"),
            _ => reply_with(200, "", "twelve bytes"),
        };
        Answer::Bytes(call.at + ms(4), reply)
    };
    let options = Options { workers: 2, reports_exchanges: true, requests: KeepRequests::All, ..Options::all() };
    let run = simulate(&plan(text), server, &options);
    let told = run.exchange_events.iter().flat_map(|told| told.iter());
    let mut told: Vec<(Nanos, String, Option<u16>)> = told
        .map(|(told, method, target)| {
            assert_eq!(told.done, told.sent + ms(4));
            let line = format!("{} {}", String::from_utf8_lossy(method), String::from_utf8_lossy(target));
            (told.sent, line, told.status)
        })
        .collect();
    let sent = run.transcript.iter().map(|sent| {
        let text = String::from_utf8_lossy(&sent.bytes).into_owned();
        let line = text.split(" HTTP/").next().unwrap().to_owned();
        let status = match line.as_str() {
            "POST /old" => 303,
            "GET /b.png" => 404,
            _ => 200,
        };
        (sent.at, line, Some(status))
    });
    let mut sent: Vec<_> =
        sent.filter(|(_, line, ..)| !line.ends_with("setup") && !line.ends_with("teardown")).collect();
    told.sort();
    sent.sort();
    assert_eq!(told, sent);
    assert_eq!(told.len(), 5 * 50, "page, two resources, redirect and where it leads");
    let quiet = simulate(&plan(text), server, &Options { reports_exchanges: false, ..options });
    assert!(quiet.exchange_events.is_empty());
    assert_eq!(quiet.whole().total(Section::Hold).count(), run.whole().total(Section::Hold).count());
}
