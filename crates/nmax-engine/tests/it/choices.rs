//! Every choice is a pure function of the seed and its place; what a visitor keeps and forgets.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use nmax_plan::plan::{Cookies, Plan, Visitor};
use nmax_testkit::plans::{plan, with_files};
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, Sent, Server, reply_with, simulate};

use crate::{changed, ms};

/// Scenarios, rows, pauses and picks, all left to chance.
fn chancy(seed: u64, workload: &str) -> Arc<Plan> {
    let text = format!(
        r#"
nmax: 1
target: http://shop.test
seed: {seed}
data:
  terms: {{ csv: terms.csv, pick: zipf }}
  users: {{ csv: users.csv, pick: random }}
scenarios:
  search:
    steps:
      - get: "/search?q=${{terms.q}}&n=${{iteration}}&user=${{users.name}}"
        extract: {{ item: {{ regex: "i([0-9])", pick: random }} }}
      - think: {{ median: 300ms, p95: 900ms }}
      - get: "/item/${{item}}?n=${{iteration}}"
  home:
    steps: [{{ get: "/?n=${{iteration}}" }}]
workload: {{ mix: {{ search: 3, home: 1 }}, {workload} }}
duration: 20s
"#
    );
    with_files(&text, &[("terms.csv", "q\na\nb\nc\nd\ne\n"), ("users.csv", "name\nu0\nu1\nu2\nu3\n")])
}

fn items(service_ms: u64) -> impl Server {
    let reply = reply_with(200, "", "i0 i1 i2 i3 i4 i5 i6 i7 i8 i9");
    move |call: &Call<'_>| Answer::Bytes(call.at + ms(service_ms + call.number % 7), reply.clone())
}

fn transcript(seed: u64, workload: &str, service_ms: u64) -> Vec<Sent> {
    let options = Options { workers: 2, requests: KeepRequests::All, ..Options::all() };
    simulate(&chancy(seed, workload), items(service_ms), &options).transcript
}

#[test]
fn equal_seeds_give_equal_transcripts() {
    for workload in ["open: { rate: 30/s, arrivals: poisson }", "closed: { vus: 20 }"] {
        let first = transcript(7, workload, 5);
        assert!(first.len() > 500);
        assert_eq!(first, transcript(7, workload, 5), "{workload}");
        assert_ne!(first, transcript(8, workload, 5), "{workload}");
    }
}

/// What each iteration asked for, by its number.
fn by_iteration(transcript: &[Sent]) -> BTreeMap<u64, Vec<String>> {
    let mut found: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for sent in transcript {
        let text = String::from_utf8_lossy(&sent.bytes).into_owned();
        let number = text.split("n=").nth(1).unwrap();
        let number = number.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
        found.entry(number).or_default().push(text);
    }
    found
}

/// The same iteration makes the same choices, however fast the server is.
#[test]
fn choices_do_not_depend_on_replies() {
    let fast = by_iteration(&transcript(7, "open: { rate: 30/s }", 1));
    let slow = by_iteration(&transcript(7, "open: { rate: 30/s }", 400));
    assert_eq!(fast.len(), 600);
    assert_eq!(fast, slow);
    // And they are choices: every row, every item, both scenarios occur.
    let all = fast.values().flatten().cloned().collect::<Vec<_>>().join("\n");
    for part in ["q=a", "q=e", "user=u0", "user=u3", "/item/0", "/item/9", "GET /?n="] {
        assert!(all.contains(part), "{part}");
    }
    let fast = by_iteration(&transcript(7, "closed: { vus: 5 }", 1));
    let slow = by_iteration(&transcript(7, "closed: { vus: 5 }", 400));
    let both = slow.iter().filter(|(number, _)| fast.contains_key(number));
    assert!(both.clone().count() > 50);
    // A closed user's last iteration may be cut short by the end, nothing else differs.
    assert!(both.filter(|(number, texts)| fast[number] != **texts).count() == 0);
}

const VISIT: &str = r"
nmax: 1
target: http://shop.test
scenarios: { visit: { steps: [{ get: /in }, { get: /out }] } }
duration: 2s
workload: { closed: { vus: 4 } }
";

/// A server that gives every visitor who comes to `/in` a new number.
fn numbers() -> impl Server {
    let mut visitors = 0;
    move |call: &Call<'_>| {
        let header = if call.target() == "/in" {
            visitors += 1;
            format!("set-cookie: visitor={visitors}; path=/\r\n")
        } else {
            String::new()
        };
        Answer::Bytes(call.at + ms(20), reply_with(200, &header, ""))
    }
}

#[test]
fn cookies_last_for_an_iteration() {
    let run = simulate(&plan(VISIT), numbers(), &Options { requests: KeepRequests::All, ..Options::all() });
    let mut seen = HashSet::new();
    for sent in &run.transcript {
        let text = String::from_utf8_lossy(&sent.bytes).into_owned();
        let cookie = text.lines().find_map(|line| line.strip_prefix("cookie: ")).map(str::to_owned);
        if text.starts_with("GET /in ") {
            assert_eq!(cookie, None, "an iteration begins without cookies");
        } else {
            assert!(seen.insert(cookie.expect("the reply before set one")), "nobody else's cookie");
        }
        assert!(text.ends_with("\r\n\r\n"), "{text}");
    }
    assert!(seen.len() >= 100, "{}", seen.len());
}

/// A link that leads elsewhere must not take the shop's session along.
#[test]
fn cookies_go_to_their_own_host_only() {
    let plan = plan(
        r#"
nmax: 1
target: http://shop.test
scenarios:
  visit:
    steps:
      - get: /in
        extract: { away: { regex: "away=(.*)" }, back: { regex: "^([^ ]*) " } }
      - get: ${away}
      - get: ${back}
workload: { closed: { vus: 1 }, iterations: 1 }
"#,
    );
    let server = |call: &Call<'_>| {
        Answer::Bytes(call.at + ms(1), reply_with(200, "set-cookie: sid=1\r\n", "/back away=http://cdn.test/x"))
    };
    let options = Options { requests: KeepRequests::All, ..Options::all() };
    let run = simulate(&plan, server, &options);
    let texts: Vec<String> =
        run.transcript.iter().map(|sent| String::from_utf8_lossy(&sent.bytes).into_owned()).collect();
    let has_cookie: Vec<bool> = texts.iter().map(|text| text.contains("cookie: sid=1")).collect();
    assert!(texts[1].contains("host: cdn.test"), "{}", texts[1]);
    assert_eq!(has_cookie, [false, false, true], "none to cdn.test: {texts:?}");
}

#[test]
fn connections_follow_their_policy() {
    let cases = [
        ("keep-alive", "returning"),
        ("per-iteration", "returning"),
        ("per-request", "returning"),
        ("keep-alive", "new"),
    ];
    for (connection, visitor) in cases {
        let plan = plan(&format!("{VISIT}\ndefaults: {{ connection: {connection}, visitor: {visitor} }}"));
        let run = simulate(&plan, numbers(), &Options { connect: ms(10), ..Options::all() });
        let started = run.whole().scenarios.get(nmax_metrics::Section::Hold, 0).unwrap().started;
        let expected = match (connection, visitor) {
            ("per-request", _) => run.exchanges(),
            ("per-iteration", _) | (_, "new") => started,
            _ => 4,
        };
        assert_eq!(run.load().connections, expected, "{connection}, {visitor}");
        let connecting = run.raw.iter().filter(|raw| raw.sample.network.connect == ms(10)).count() as u64;
        assert_eq!(connecting, expected);
        assert_eq!(run.load().injector_lag.max_ns(), Some(0), "connecting is not the injector's lag");
    }
}

#[test]
fn names_beyond_the_cap_are_joined() {
    let text = "nmax: 1\ntarget: http://h.test\nworkload: { open: { rate: 100/s } }\nduration: 1s\n\
                scenarios: { a: { steps: [{ get: \"/${iteration}\", name: \"page ${iteration}\" }] } }";
    let run = simulate(&plan(text), items(1), &Options { workers: 2, names_max: 10, ..Options::all() });
    assert_eq!(run.exchanges(), 100);
    let other = run.catalog.requests.find("other").unwrap();
    let stats = run.whole();
    assert_eq!(stats.request(nmax_metrics::Section::Hold, other).unwrap().count(), 90);
    assert!(run.catalog.requests.overflowed() > 0, "and it is said");
}

/// Which of 4,000 iterations of one returning user had to open a connection, because it was a new visitor's.
fn new_visits(share: f64, seed: u64, service_ms: u64) -> Vec<u64> {
    let text = "nmax: 1\ntarget: http://h.test\nscenarios: { a: { steps: [{ get: / }] } }\n\
                workload: { closed: { vus: 1 }, iterations: 4000 }";
    let plan = changed(&plan(text), |plan| {
        plan.defaults.visitor = Visitor::Mixed(share);
        plan.seed = seed;
    });
    let options = Options { connect: ms(3), ..Options::all() };
    let run = simulate(&plan, items(service_ms), &options);
    let opened = run.raw.iter().filter(|raw| raw.sample.network.connect > nmax_metrics::Nanos::ZERO);
    opened.map(|raw| raw.iteration).collect()
}

/// New visitors have their share, spread by chance, and are the same ones whenever the plan is run.
#[test]
fn a_share_of_the_visits_is_made_by_new_visitors() {
    let visits = new_visits(0.3, 7, 1);
    // 1,200 expected, standard deviation 29.
    assert!(visits.len().abs_diff(1_200) < 120, "{}", visits.len());
    for quarter in 0..4 {
        let of_quarter = visits.iter().filter(|visit| **visit / 1_000 == quarter).count();
        assert!(of_quarter.abs_diff(300) < 60, "{of_quarter} in quarter {quarter}");
    }
    assert_eq!(visits, new_visits(0.3, 7, 50), "a slow server sees the same visitors");
    assert_ne!(visits, new_visits(0.3, 8, 1));
    assert_eq!(new_visits(0.0, 7, 1), [0], "the first one connects");
    assert_eq!(new_visits(1.0, 7, 1).len(), 4_000);
}

/// The cookies that each visit to `/in` brings along, of one user with this policy.
fn cookies_brought(cookies: Cookies, visitor: Visitor) -> Vec<Option<String>> {
    let text = "nmax: 1\ntarget: http://shop.test\nscenarios: { a: { steps: [{ get: /in }, { get: /out }] } }\n\
                workload: { closed: { vus: 1 }, iterations: 4 }";
    let plan = changed(&plan(text), |plan| {
        plan.defaults.cookies = cookies;
        plan.defaults.visitor = visitor;
    });
    let options = Options { requests: KeepRequests::All, ..Options::all() };
    let run = simulate(&plan, numbers(), &options);
    let cookie = |sent: &Sent| {
        let text = String::from_utf8_lossy(&sent.bytes).into_owned();
        text.lines().find_map(|line| line.strip_prefix("cookie: visitor=")).map(str::to_owned)
    };
    run.transcript.iter().map(cookie).collect()
}

#[test]
fn cookies_stay_as_long_as_the_plan_says() {
    let brought = |cookies, visitor| {
        let found = cookies_brought(cookies, visitor);
        found.into_iter().map(|cookie| cookie.map_or(0, |number| number.parse().unwrap())).collect::<Vec<u32>>()
    };
    let each_time = [0, 1, 0, 2, 0, 3, 0, 4];
    assert_eq!(brought(Cookies::PerIteration, Visitor::Returning), each_time);
    assert_eq!(brought(Cookies::Kept, Visitor::Returning), [0, 1, 1, 2, 2, 3, 3, 4]);
    assert_eq!(brought(Cookies::Kept, Visitor::New), each_time, "a new visitor has none");
    assert_eq!(brought(Cookies::Ignored, Visitor::Returning), [0; 8]);
}
