//! Pages: what is fetched along with a document, when, how often at a time, and what of it comes out of a cache.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use nmax_metrics::{Code, ErrorKind, Nanos, Outcome, PageStats, Section};
use nmax_plan::plan::RESOURCES_MAX;
use nmax_testkit::plans::requests;
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, Server, Simulated, reply_with, simulate};
use proptest::prelude::*;

use crate::ms;

const ONCE: &str = "workload: { closed: { vus: 1 }, iterations: 1 }";

fn run(steps: &str, keys: &str, server: impl Server) -> Simulated {
    run_with(steps, keys, server, &Options::all())
}

fn run_with(steps: &str, keys: &str, server: impl Server, options: &Options) -> Simulated {
    let plan = requests("http://shop.test", steps, keys);
    let options = Options { requests: KeepRequests::All, ..options.clone() };
    simulate(&plan, server, &options)
}

/// A reply: status, headers, body.
type Content = (u16, &'static str, &'static str);

/// A server of these URLs without their scheme, 404 for all others; each reply takes 10 ms.
fn site(content: &[(&'static str, Content)]) -> impl Server + use<> {
    let content: HashMap<&str, Content> = content.iter().copied().collect();
    move |call: &Call<'_>| {
        let url = format!("{}{}", call.header("host").unwrap_or_default(), call.target());
        let path = call.target().to_owned();
        let found = content.get(url.as_str()).or_else(|| content.get(path.as_str()));
        let (status, headers, body) = found.copied().unwrap_or((404, "", "nothing there"));
        let is_known = call.header("if-none-match").is_some_and(|known| headers.contains(known));
        let reply = if is_known { reply_with(304, headers, "") } else { reply_with(status, headers, body) };
        Answer::Bytes(call.at + ms(10), reply)
    }
}

/// What was asked for, in order: host where it is another one, and path.
fn asked(run: &Simulated) -> Vec<String> {
    let url = |text: &str| {
        let target = text.split(' ').nth(1).unwrap_or_default();
        let host = text.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
        format!("{}{target}", if host == "shop.test" { "" } else { host })
    };
    let text = |bytes: &[u8]| url(&String::from_utf8_lossy(bytes));
    run.transcript.iter().map(|sent| text(&sent.bytes)).collect()
}

fn page(run: &Simulated, number: usize) -> PageStats {
    run.whole().pages.get(Section::Hold, number).unwrap().clone()
}

fn names(run: &Simulated) -> Vec<&str> {
    run.raw.iter().map(|raw| run.catalog.requests.name(raw.sample.name)).collect()
}

const HTML: &str = "content-type: text/html\r\n";
const CSS: &str = "content-type: text/css\r\ncache-control: max-age=60\r\n";
const TAGGED: &str = "content-type: image/png\r\ncache-control: no-cache\r\netag: \"7\"\r\n";

/// A page with everything: a style sheet that imports, a font, a script, images, a frame.
const SITE: &[(&str, Content)] = &[
    (
        "/",
        (
            200,
            HTML,
            "<link rel=stylesheet href=/a.css><link rel=icon href=/i.png><script src=/s.js></script>\
             <body><img src=/p.png><img src=/p.png#again><iframe src=/f></iframe><img src=//cdn.test/x.png>",
        ),
    ),
    ("/a.css", (200, CSS, "@import 'b.css'; @font-face { src: url(t.woff2) } p { background: url(/q.png) }")),
    ("/b.css", (200, CSS, "")),
    ("/t.woff2", (200, "cache-control: max-age=60\r\n", "font")),
    ("/s.js", (200, "cache-control: no-store\r\n", "run()")),
    ("/p.png", (200, TAGGED, "png")),
    ("/q.png", (200, TAGGED, "png")),
    ("/i.png", (200, TAGGED, "png")),
    ("/f", (200, HTML, "<img src=/g.png><iframe src=/deeper></iframe>")),
    ("/g.png", (200, TAGGED, "png")),
    ("/x.png", (200, TAGGED, "png")),
];

const DISCOVER: &str = "[{ get: /, resources: discover }]";

/// What the document names is due when the document is there, what the style sheet names when that is there.
#[test]
fn resources_are_found_where_they_are_named() {
    let run = run(DISCOVER, ONCE, site(SITE));
    assert_eq!(
        asked(&run),
        ["/", "/a.css", "/s.js", "/p.png", "/f", "/i.png", "/b.css", "/t.woff2", "/q.png", "/g.png"]
    );
    assert_eq!(
        names(&run),
        [
            "GET /", "GET / style", "GET / script", "GET / image", "GET / frame", "GET / image", "GET / style",
            "GET / font", "GET / image", "GET / image"
        ]
    );
    let due: Vec<u64> = run.raw.iter().map(|raw| raw.sample.intended.0 / 1_000_000).collect();
    assert_eq!(due, [0, 10, 10, 10, 10, 10, 20, 20, 20, 20]);
    for raw in &run.raw {
        assert_eq!((raw.sample.outcome, raw.sample.injector_lag()), (Outcome::Ok, Some(Nanos::ZERO)));
    }
    let page = page(&run, 0);
    assert_eq!(run.catalog.pages, ["GET /"]);
    assert_eq!((page.pages.count, page.pages.failed, page.pages.time.max_ns()), (1, 0, Some(ms(30).0)));
    assert_eq!((page.resources, page.cached, page.unchanged, page.resources_failed), (9, 0, 0, 0));
    let bytes: u64 = run.raw.iter().map(|raw| raw.sample.bytes_received).sum();
    assert_eq!(page.bytes_received, bytes);
    assert_eq!(run.load().connections, 5, "the document's own connection is used again");
}

/// Another host is asked when the plan names it, and sees neither cookies nor credentials of the first.
#[test]
fn hosts_that_the_plan_names() {
    let steps = "[{ get: /, resources: { discover: same-origin, hosts: [cdn.test] } }]";
    let keys = format!("defaults: {{ headers: {{ authorization: Bearer x, x-own: y }} }}\n{ONCE}");
    let run = run(steps, &keys, site(SITE));
    let foreign = run.transcript.iter().map(|sent| String::from_utf8_lossy(&sent.bytes).into_owned());
    let (foreign, own): (Vec<String>, Vec<String>) = foreign.partition(|text| text.contains("host: cdn.test"));
    assert_eq!((foreign.len(), own.len()), (1, 10));
    assert!(foreign[0].contains("x-own: y") && !foreign[0].contains("authorization"), "{}", foreign[0]);
    assert!(own.iter().all(|text| text.contains("authorization: Bearer x")));
}

/// A user who comes back asks only whether things changed; one who is new asks for everything.
#[test]
fn those_who_come_back_have_a_cache() {
    let twice = "workload: { closed: { vus: 1 }, iterations: 2 }";
    let returning = run(DISCOVER, twice, site(SITE));
    let again = &asked(&returning)[10..];
    assert_eq!(again, ["/", "/s.js", "/p.png", "/f", "/q.png", "/i.png", "/g.png"]);
    let checks = returning
        .transcript
        .iter()
        .filter(|sent| String::from_utf8_lossy(&sent.bytes).contains("if-none-match: \"7\""));
    assert_eq!(checks.count(), 4);
    let stats = page(&returning, 0);
    assert_eq!((stats.resources, stats.cached, stats.unchanged, stats.resources_failed), (18, 3, 4, 0));
    assert_eq!(stats.pages.failed, 0);

    let new = run(DISCOVER, &format!("defaults: {{ visitor: new }}\n{twice}"), site(SITE));
    let asked = asked(&new);
    assert_eq!(asked[..10], asked[10..]);
    assert_eq!((page(&new, 0).cached, page(&new, 0).unchanged), (0, 0));

    let logged_out = run(DISCOVER, &format!("defaults: {{ cookies: per-iteration }}\n{twice}"), site(SITE));
    assert_eq!(page(&logged_out, 0), stats, "a cache is not a cookie");
}

/// Within one iteration too, and until it is stale.
#[test]
fn what_is_stale_is_fetched_again() {
    let steps = "[{ get: /, resources: [/b.css] }, { think: 59s }, { get: /, resources: [/b.css] }, { think: 2s }, { get: /, resources: [/b.css] }]";
    let run = run(steps, ONCE, site(SITE));
    assert_eq!(asked(&run), ["/", "/b.css", "/", "/", "/b.css"]);
    let stats = page(&run, 0);
    assert_eq!((stats.pages.count, stats.resources, stats.cached), (3, 3, 1));
}

/// What is missing for a while is not asked for again meanwhile, and is missing on each page.
#[test]
fn what_is_missing_is_remembered() {
    let missing: &[(&str, Content)] = &[
        ("/", (200, HTML, "<img src=/a.png><img src=/b.png>")),
        ("/a.png", (404, "cache-control: max-age=60\r\netag: \"7\"\r\n", "")),
    ];
    let twice = "workload: { closed: { vus: 1 }, iterations: 2 }";
    let run = run(DISCOVER, twice, site(missing));
    assert_eq!(asked(&run), ["/", "/a.png", "/b.png", "/", "/b.png"]);
    let stats = page(&run, 0);
    assert_eq!((stats.resources, stats.cached, stats.resources_failed), (4, 1, 4));
    assert_eq!(stats.pages.failed, 2);
}

/// A page fetches so many resources and no more, and the rest is counted.
#[test]
fn what_is_beyond_the_most_is_counted() {
    let images: String = (0..RESOURCES_MAX + 7).map(|n| format!("<img src=/{n}>")).collect();
    let run = run(DISCOVER, ONCE, move |call: &Call<'_>| {
        let body = if call.target() == "/" { images.as_str() } else { "" };
        Answer::Bytes(call.at + ms(1), reply_with(200, HTML, body))
    });
    let stats = page(&run, 0);
    assert_eq!((stats.resources, stats.left_out), (RESOURCES_MAX as u64, 7));
    assert_eq!((asked(&run).len(), stats.pages.failed), (1 + RESOURCES_MAX, 0));
}

/// A resource that is not ok fails the page and the iteration, and leaves the document's exchange as it was.
#[test]
fn a_failed_resource_fails_the_page() {
    let run = run("[{ get: /, resources: [/p.png, '/no${iteration}.png'] }, { get: /b.css }]", ONCE, site(SITE));
    assert_eq!(asked(&run), ["/", "/p.png", "/no0.png", "/b.css"]);
    let outcome = |name: &str| {
        let found = run.raw.iter().find(|raw| run.catalog.requests.name(raw.sample.name) == name);
        found.map(|raw| raw.sample.outcome)
    };
    assert_eq!(outcome("GET /"), Some(Outcome::Ok));
    assert_eq!(outcome("GET /no${iteration}.png"), Some(Outcome::Failed));
    let stats = page(&run, 0);
    assert_eq!((stats.pages.count, stats.pages.failed, stats.resources, stats.resources_failed), (1, 1, 2, 1));
    assert_eq!(run.whole().scenarios.get(Section::Hold, 0).unwrap().failed, 1);
    assert_eq!(run.failures.len(), 1);
    assert_eq!((run.failures[0].kind.as_str(), run.failures[0].status), ("status 404", Some(Code::new(404))));
    assert!(run.failures[0].request.contains("GET /no0.png") && run.failures[0].reply.contains("404 X"));
}

/// Without its document, a page fetches nothing.
#[test]
fn a_failed_document_is_a_failed_page() {
    let run = run("[{ get: /gone, resources: [/p.png] }]", ONCE, site(SITE));
    assert_eq!(asked(&run), ["/gone"]);
    let stats = page(&run, 0);
    assert_eq!((stats.pages.count, stats.pages.failed, stats.resources), (1, 1, 0));
}

/// Redirects of resources are followed, but not to where the plan does not load; too many are a failure.
#[test]
fn redirects_of_resources() {
    let moved: &[(&str, Content)] = &[
        ("/", (200, HTML, "<img src=/1><img src=/away><img src=/circle><img src=/nowhere>")),
        ("/1", (301, "location: /2\r\n", "")),
        ("/2", (302, "location: /p.png\r\n", "")),
        ("/p.png", (200, TAGGED, "png")),
        ("/away", (302, "location: http://cdn.test/x.png\r\n", "")),
        ("/circle", (302, "location: /circle\r\n", "")),
        ("/nowhere", (302, "", "")),
    ];
    let once = run(DISCOVER, ONCE, site(moved));
    let mut all = asked(&once);
    all.sort();
    assert_eq!(
        all,
        [
            "/", "/1", "/2", "/away", "/circle", "/circle", "/circle", "/circle", "/circle", "/circle", "/nowhere",
            "/p.png"
        ]
    );
    let stats = page(&once, 0);
    assert_eq!((stats.resources, stats.resources_failed), (4, 2));
    assert_eq!(once.load().redirects, 7);
    let mut kinds: Vec<&str> = once.failures.iter().map(|failure| failure.kind.as_str()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["redirect", "redirects"]);
    assert!(names(&once).contains(&"GET / image +2"));

    let twice = run(DISCOVER, "workload: { closed: { vus: 1 }, iterations: 2 }", site(moved));
    let again = asked(&twice).split_off(12);
    assert!(!again.contains(&"/1".to_owned()) && again.contains(&"/2".to_owned()), "a permanent one is remembered");
}

/// Cookies that a resource sets are sent with the next request, and those of the user with resources.
#[test]
fn cookies_go_both_ways() {
    let setting: &[(&str, Content)] = &[
        ("/", (200, "content-type: text/html\r\nset-cookie: a=1\r\n", "")),
        ("/p.png", (200, "set-cookie: b=2\r\n", "png")),
    ];
    let run = run("[{ get: /, resources: [/p.png] }, { get: / }]", ONCE, site(setting));
    let cookies: Vec<Option<String>> = run
        .transcript
        .iter()
        .map(|sent| {
            let text = String::from_utf8_lossy(&sent.bytes).into_owned();
            text.lines().find_map(|line| line.strip_prefix("cookie: ")).map(str::to_owned)
        })
        .collect();
    assert_eq!(cookies, [None, Some("a=1".to_owned()), Some("a=1; b=2".to_owned())]);
}

/// The time limit of a page begins when its document is complete. What had no turn by then is failed, without a sample.
#[test]
fn a_page_has_one_time_limit() {
    let list: Vec<String> = (0..10).map(|n| format!("/{n}")).collect();
    let steps = format!("[{{ get: /, timeout: 5s, resources: [{}] }}, {{ get: /after }}]", list.join(", "));
    let server = |call: &Call<'_>| match call.target() {
        "/" | "/after" => Answer::Bytes(call.at + ms(10), reply_with(200, "", "")),
        _ => Answer::Never,
    };
    let run = run(&steps, ONCE, server);
    assert_eq!(asked(&run).len(), 1 + 6 + 1);
    let timeouts = run.raw.iter().filter(|raw| raw.sample.outcome == Outcome::Error(ErrorKind::Timeout));
    let ends: Vec<Nanos> = timeouts.map(|raw| raw.sample.done).collect();
    assert_eq!(ends, [ms(5010); 6]);
    let stats = page(&run, 0);
    assert_eq!((stats.resources, stats.resources_failed, stats.pages.failed), (10, 10, 1));
    let after = run.raw.last().unwrap();
    assert_eq!(after.sample.intended, ms(5010), "the user waits for the page");
}

/// Exchanges that the end of the run cuts off are censored one by one; their page is not counted.
#[test]
fn resources_under_way_at_the_end_are_censored() {
    let list: Vec<String> = (0..10).map(|n| format!("/{n}")).collect();
    let server = |call: &Call<'_>| match call.target() {
        "/" => Answer::Bytes(call.at + ms(10), reply_with(200, "", "")),
        _ => Answer::Never,
    };
    let options = Options { cut_at: Some(ms(1000)), ..Options::all() };
    let steps = format!("[{{ get: /, resources: [{}] }}]", list.join(", "));
    let run = run_with(&steps, ONCE, server, &options);
    let censored = run.load().censored;
    assert_eq!((censored.count(), censored.max_ns()), (6, Some(ms(990).0)));
    assert_eq!(run.whole().pages.get(Section::Hold, 0).map_or(0, |stats| stats.pages.count), 0);
    assert_eq!(run.whole().scenarios.get(Section::Hold, 0).unwrap().interrupted, 1);
}

/// Drivers that want to be polled while others of the page wait are, and change nothing.
#[test]
fn alarms_of_many_drivers_change_nothing() {
    let quiet = run(DISCOVER, ONCE, site(SITE));
    let options = Options { alarm_after: Some(ms(3)), ..Options::all() };
    let alarmed = run_with(DISCOVER, ONCE, site(SITE), &options);
    assert_eq!(alarmed.raw, quiet.raw);
}

/// The shop's gallery over real sockets: what it says a browser fetches, and asks about when it comes back.
#[test]
fn a_gallery_over_sockets() {
    let target = nmax_target::spawn(nmax_target::Options { shop: true, ..nmax_target::Options::default() }).unwrap();
    for (defaults, cached, unchanged, connections) in [("", 5, 12, 6), ("visitor: new", 0, 0, 12)] {
        let keys = format!("defaults: {{ {defaults} }}\nworkload: {{ closed: {{ vus: 1 }}, iterations: 2 }}");
        let plan = requests(&target.url(), "[{ get: /gallery, resources: discover }]", &keys);
        let ran = crate::sockets::finish(&crate::sockets::settings(plan, 1));
        let whole = ran.totals.whole();
        let stats = whole.pages.get(Section::Hold, 0).unwrap();
        let kinds: Vec<&String> = ran.failures.iter().map(|failure| &failure.kind).collect();
        assert_eq!((stats.pages.count, stats.pages.failed), (2, 0), "{kinds:?}");
        assert_eq!((stats.resources, stats.cached, stats.unchanged), (36, cached, unchanged), "{defaults}");
        let exchanges = whole.total(Section::Hold).count();
        assert_eq!(exchanges, 2 + 36 - cached, "{defaults}");
        assert!(whole.load(Section::Hold).connections <= connections, "{defaults}");
    }
}

/// When list scheduling on six lanes has done this work, begun at 0.
fn makespan(times: &[u64]) -> u64 {
    let mut free_at = [0_u64; 6];
    for time in times {
        let lane = free_at.iter_mut().min().unwrap();
        *lane += time;
    }
    free_at.into_iter().max().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Never more than six at a time of one origin and always as many as there are; the page ends with the last one,
    /// as a schedule by hand says; no wait for a connection is a lag of the injector.
    #[test]
    fn six_at_a_time_and_the_page_ends_with_the_last(times in prop::collection::vec(1..200_u64, 0..30), connect in 0..20_u64) {
        let list: Vec<String> = (0..times.len()).map(|n| format!("/{n}")).collect();
        let busy = Rc::new(RefCell::new(Vec::<(Nanos, Nanos)>::new()));
        let seen = Rc::clone(&busy);
        let of = times.clone();
        let server = move |call: &Call<'_>| {
            let number = call.target()[1..].parse::<usize>().ok();
            let service = number.map_or(7, |number| of[number]);
            if number.is_some() {
                seen.borrow_mut().push((call.at, call.at + ms(service)));
            }
            Answer::Bytes(call.at + ms(service), reply_with(200, "", ""))
        };
        let options = Options { connect: ms(connect), ..Options::all() };
        let steps = format!("[{{ get: /, resources: [{}] }}]", list.join(", "));
        let run = run_with(&steps, ONCE, server, &options);
        let busy = busy.borrow();
        let at_once = |at: Nanos| busy.iter().filter(|(from, to)| *from <= at && at < *to).count();
        prop_assert!(busy.iter().all(|(from, _)| at_once(*from) <= 6));
        prop_assert_eq!(run.load().connections as usize, times.len().clamp(1, 6));
        // The first one goes over the document's connection; each other lane opens one first.
        let with_connect: Vec<u64> = times.iter().enumerate().map(|(n, time)| time + if (1..6).contains(&n) { connect } else { 0 }).collect();
        let end = ms(connect + 7 + makespan(&with_connect));
        prop_assert_eq!(page(&run, 0).pages.time.max_ns(), Some(end.0));
        prop_assert!(run.raw.iter().all(|raw| raw.sample.injector_lag() == Some(Nanos::ZERO)));
    }
}
