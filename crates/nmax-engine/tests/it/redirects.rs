//! Steps that follow redirects: what each hop sends, how it is counted, and how a chain ends.

use std::sync::Arc;

use nmax_metrics::{Code, ErrorKind, Nanos, Outcome, Section};
use nmax_plan::plan::{Plan, Step};
use nmax_testkit::plans::requests;
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, Sent, Server, Simulated, reply_with, simulate};

use crate::{changed, ms};

const ONCE: &str = "workload: { closed: { vus: 1 }, iterations: 1 }";

/// One iteration of these steps, each of which follows up to `most` redirects.
fn following(steps: &str, keys: &str, most: u32, server: impl Server) -> Simulated {
    let plan = requests("http://shop.test", steps, &format!("{ONCE}\n{keys}"));
    let plan = changed(&plan, |plan| plan.defaults.redirects_max = most);
    let options = Options { requests: KeepRequests::All, ..Options::all() };
    simulate(&plan, server, &options)
}

/// Redirects with this status along the list of absolute URLs, then 200; each reply takes 10 ms.
fn along(status: u16, way: &'static [&'static str]) -> impl Server {
    move |call: &Call<'_>| {
        let url = format!("http://{}{}", call.header("host").unwrap_or_default(), call.target());
        let next = way.iter().position(|place| *place == url).and_then(|at| way.get(at + 1));
        let reply = match next {
            Some(next) => reply_with(status, &format!("location: {next}\r\n"), "moved"),
            None => reply_with(200, "", "there"),
        };
        Answer::Bytes(call.at + ms(10), reply)
    }
}

fn texts(sent: &[Sent]) -> Vec<String> {
    sent.iter().map(|sent| String::from_utf8_lossy(&sent.bytes).into_owned()).collect()
}

fn lines(run: &Simulated) -> Vec<String> {
    let first = |text: &String| text.lines().next().unwrap_or_default().to_owned();
    texts(&run.transcript).iter().map(first).collect()
}

fn names(run: &Simulated) -> Vec<&str> {
    run.raw.iter().map(|raw| run.catalog.requests.name(raw.sample.name)).collect()
}

const WAY: &[&str] = &["http://shop.test/a", "http://shop.test/b", "http://cdn.test/c?d=1"];

/// Each hop is a sample of its own, due when the one before is done; nothing is added and nothing is hidden.
#[test]
fn every_hop_is_counted_and_so_is_the_whole() {
    let run = following("[{ get: /a, name: page }, { get: /z }]", "", 10, along(302, WAY));
    assert_eq!(lines(&run), ["GET /a HTTP/1.1", "GET /b HTTP/1.1", "GET /c?d=1 HTTP/1.1", "GET /z HTTP/1.1"]);
    assert_eq!(names(&run), ["page", "page +1", "page +2", "GET /z"]);
    for (k, raw) in (0_u64..).zip(&run.raw) {
        assert_eq!((raw.sample.intended, raw.sample.done), (ms(10 * k), ms(10 * k + 10)));
        assert_eq!(raw.sample.outcome, Outcome::Ok, "a redirect that is followed is ok");
        assert_eq!(raw.sample.injector_lag(), Some(Nanos::ZERO));
    }
    let whole = run.whole();
    assert_eq!(run.load().redirects, 2);
    assert_eq!(run.catalog.transactions, ["page", "GET /z"]);
    let page = whole.transactions.get(Section::Hold, 0).unwrap();
    assert_eq!((page.count, page.failed, page.time.max_ns()), (1, 0, Some(ms(30).0)));
    let last = whole.transactions.get(Section::Hold, 1).unwrap();
    assert_eq!((last.count, last.time.max_ns()), (1, Some(ms(10).0)), "without a redirect too");
}

#[test]
fn hops_of_a_name_with_holes_are_named_after_it() {
    let run = following("[{ get: /a, name: \"page ${iteration}\" }]", "", 10, along(302, WAY));
    assert_eq!(names(&run), ["page 0", "page 0 +1", "page 0 +2"]);
}

#[test]
fn nothing_is_followed_unless_the_plan_says_so() {
    let run = following("[{ get: /a }]", "", 0, along(302, WAY));
    assert_eq!(lines(&run), ["GET /a HTTP/1.1"]);
    assert_eq!((run.load().redirects, run.catalog.transactions.len()), (0, 0));
    assert_eq!(run.raw[0].sample.status, Some(Code::new(302)));
}

/// The step's own limit counts, also against following at all.
#[test]
fn a_step_has_its_own_limit() {
    let plan = requests("http://shop.test", "[{ get: /a }, { get: /a }]", ONCE);
    let plan = changed(&plan, |plan| {
        plan.defaults.redirects_max = 10;
        let Step::Call(first) = &mut plan.scenarios[0].steps[0] else {
            return;
        };
        std::sync::Arc::make_mut(first).http_mut().unwrap().redirects_max = Some(0);
    });
    let run = simulate(&plan, along(302, WAY), &Options::all());
    assert_eq!(names(&run), ["GET /a", "GET /a", "GET /a +1", "GET /a +2"]);
}

#[test]
fn a_post_becomes_a_get_without_its_body_or_keeps_both() {
    let step = "[{ post: /a, form: { q: tea }, headers: { x-id: 7, content-language: en, content-type: text/x } }]";
    for (status, keeps) in [(301, false), (302, false), (303, false), (307, true), (308, true)] {
        let run = following(step, "", 10, along(status, &["http://shop.test/a", "http://shop.test/b"]));
        let hop = &texts(&run.transcript)[1];
        let (head, body) = hop.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("x-id: 7"), "{status}: {head}");
        if keeps {
            assert!(head.starts_with("POST /b HTTP/1.1\r\n") && body == "q=tea", "{status}: {hop}");
            assert!(head.contains("content-length: 5") && head.contains("content-language: en"), "{head}");
        } else {
            assert!(head.starts_with("GET /b HTTP/1.1\r\n") && body.is_empty(), "{status}: {hop}");
            assert!(!head.contains("content-"), "{status}: {head}");
        }
    }
}

/// Secrets of one origin are not shown to another one, nor to the first one after the detour; nor is its host name.
#[test]
fn secrets_by_hand_stay_with_their_origin() {
    let headers = "headers: { authorization: Bearer x, cookie: by=hand, Proxy-Authorization: p, x-kept: 1 }";
    let step = format!("[{{ get: /a, {headers} }}]");
    let way = &["http://shop.test/a", "http://shop.test/b", "http://evil.test/c", "http://shop.test/d"];
    let run = following(&step, "", 10, along(307, way));
    let has = |text: &String| text.contains("Bearer x") || text.contains("by=hand") || text.contains("Proxy-Auth");
    let texts = texts(&run.transcript);
    assert_eq!(texts.iter().map(has).collect::<Vec<_>>(), [true, true, false, false], "{texts:?}");
    assert!(texts.iter().all(|text| text.contains("x-kept: 1")));
    let hand = following("[{ get: /a, headers: { host: shop.test } }]", "", 10, along(307, way));
    assert!(String::from_utf8_lossy(&hand.transcript[2].bytes).contains("host: evil.test\r\n"));
}

/// Cookies set on the way count from the next hop on, where they belong.
#[test]
fn cookies_of_a_hop_are_sent_where_they_belong() {
    let server = |call: &Call<'_>| {
        let reply = match (call.header("host"), call.target()) {
            (_, "/login") => reply_with(303, "set-cookie: sid=1\r\nlocation: /home\r\n", ""),
            (_, "/home") => reply_with(302, "location: http://cdn.test/x\r\n", ""),
            _ => reply_with(200, "", ""),
        };
        Answer::Bytes(call.at + ms(1), reply)
    };
    let run = following("[{ post: /login, form: { a: b } }]", "", 10, server);
    let has: Vec<bool> = texts(&run.transcript).iter().map(|text| text.contains("cookie: sid=1")).collect();
    assert_eq!(has, [false, true, false]);
}

#[test]
fn a_limit_that_is_reached_is_a_failure_with_the_way() {
    let circle = |call: &Call<'_>| {
        let next = if call.target().starts_with("/b") { "/a?token=abc" } else { "/b" };
        Answer::Bytes(call.at + ms(1), reply_with(302, &format!("location: {next}\r\n"), ""))
    };
    let run = following("[{ get: /a, expect: { status: 302 } }]", "", 4, circle);
    assert_eq!(run.transcript.len(), 5, "the request and four redirects");
    let outcomes: Vec<Outcome> = run.raw.iter().map(|raw| raw.sample.outcome).collect();
    assert_eq!(outcomes[..4], [Outcome::Ok; 4]);
    assert_eq!(outcomes[4], Outcome::Failed);
    let failure = &run.failures[0];
    assert_eq!((failure.kind.as_str(), failure.name.as_str()), ("redirects", "GET /a +4"));
    assert!(failure.text.contains("in a circle"), "{}", failure.text);
    assert!(!failure.text.contains("abc") && !failure.reply.contains("abc"), "{failure:?}");
    let stats = run.whole().transactions.get(Section::Hold, 0).unwrap().clone();
    assert_eq!((stats.count, stats.failed, run.load().redirects), (1, 1, 4));
}

/// Trap: a redirect to where nobody can go is within 200-399, so a login that broke passes for good.
#[test]
fn a_redirect_that_cannot_be_followed_fails_and_says_why() {
    let cases = [
        ("", "no `location`"),
        ("location:\r\n", "is empty"),
        ("location: http://[broken\r\n", "to `http://[broken` cannot be followed: it has no valid IPv6 address"),
        ("location: app://open\r\n", "it has the scheme `app`"),
        ("location: http://h.test:0/\r\n", "it has no valid port"),
        ("location: //ann:hidden@h.test/\r\n", "it has a user name"),
        ("location: http://ann:hidden@h.test/?token=hidden\r\n", "to `http://REDACTED@h.test/?token="),
    ];
    for (location, why) in cases {
        for steps in ["[{ get: /a }]", "[{ get: /a, expect: { status: 200 } }]"] {
            let server = move |call: &Call<'_>| Answer::Bytes(call.at + ms(1), reply_with(302, location, ""));
            let run = following(steps, "", 10, server);
            let failure = run.failures.first().expect(location);
            assert_eq!(failure.kind, "redirect", "{location}");
            assert!(failure.text.contains(why), "{location}: {}", failure.text);
            assert!(!format!("{failure:?}").contains("hidden"), "{failure:?}");
            assert_eq!(run.whole().transactions.get(Section::Hold, 0).unwrap().failed, 1);
        }
    }
    for status in [300, 304] {
        let server = move |call: &Call<'_>| Answer::Bytes(call.at + ms(1), reply_with(status, "", ""));
        assert_eq!(following("[{ get: /a }]", "", 10, server).failures, [], "{status}");
    }
    let at_the_end = |call: &Call<'_>| {
        let location = if call.target() == "/a" { "location: /b\r\n" } else { "location: tel:1\r\n" };
        Answer::Bytes(call.at + ms(1), reply_with(302, location, ""))
    };
    let run = following("[{ get: /a }]", "", 10, at_the_end);
    let failure = &run.failures[0];
    assert_eq!((failure.kind.as_str(), failure.name.as_str()), ("redirect", "GET /a +1"));
}

/// A redirect to nowhere is the last reply, and what the step expects decides.
#[test]
fn a_redirect_that_leads_nowhere_is_judged_like_any_reply() {
    for location in ["", "location: http://[broken\r\n", "location: mailto:a@b\r\n"] {
        for (expect, is_ok) in [("302", true), ("200", false)] {
            let server = move |call: &Call<'_>| Answer::Bytes(call.at + ms(1), reply_with(302, location, ""));
            let run = following(&format!("[{{ get: /a, expect: {{ status: {expect} }} }}]"), "", 10, server);
            let stats = run.totals.total(Section::Hold);
            assert_eq!((stats.ok(), stats.failed()), if is_ok { (1, 0) } else { (0, 1) }, "{location} {expect}");
        }
    }
}

/// Checks and extractors look at the last reply only, and relative references start from it.
#[test]
fn the_last_reply_is_the_one_that_is_used() {
    let steps = "[{ get: /a, expect: { status: 200, contains: there }, extract: { word: { regex: \"(.*)\" } } }, \
                 { get: \"${word}\", name: next }]";
    let run = following(steps, "", 10, along(302, &["http://shop.test/a", "http://cdn.test/deep/page"]));
    assert_eq!(run.failures, []);
    assert_eq!(lines(&run)[2], "GET /deep/there HTTP/1.1", "relative to the page at the end");
    assert!(String::from_utf8_lossy(&run.transcript[2].bytes).contains("host: cdn.test"));
}

/// A value that makes no URL is quoted in the example, without what is secret in it.
#[test]
fn what_cannot_be_requested_is_kept_without_its_secrets() {
    let server = |call: &Call<'_>| {
        Answer::Bytes(call.at + ms(1), reply_with(200, "", "http://ann:hidden1@h.test/?token=hidden2&page=3"))
    };
    let steps = "[{ get: /a, extract: { next: { regex: \"(.*)\" } } }, { get: \"${next}\", name: next }]";
    let run = following(steps, "", 10, server);
    let failure = &run.failures[0];
    assert_eq!((run.transcript.len(), failure.name.as_str()), (1, "next"));
    assert!(!format!("{failure:?}").contains("hidden"), "{failure:?}");
    assert!(failure.text.contains("page=3"), "{}", failure.text);
    assert_eq!(run.whole().transactions.get(Section::Hold, 1).unwrap().failed, 1);
}

/// The time limit of a step is that of its whole chain.
#[test]
fn the_time_limit_spans_the_chain() {
    let server = |call: &Call<'_>| {
        let next = format!("location: /{}\r\n", call.number);
        Answer::Bytes(call.at + ms(400), reply_with(302, &next, ""))
    };
    let run = following("[{ get: /a, timeout: 1s }]", "", 10, server);
    let ends: Vec<(Nanos, Outcome)> =
        run.raw.iter().map(|raw| (raw.sample.response_time(), raw.sample.outcome)).collect();
    let timeout = Outcome::Error(ErrorKind::Timeout);
    assert_eq!(ends, [(ms(400), Outcome::Ok), (ms(400), Outcome::Ok), (ms(200), timeout)]);
    let transaction = run.whole().transactions.get(Section::Hold, 0).unwrap().clone();
    assert_eq!((transaction.failed, transaction.time.max_ns()), (1, Some(ms(1_000).0)));
}

/// A chain cut off by the end of the run is one censored exchange, and no transaction.
#[test]
fn a_chain_that_is_cut_off_is_censored_once() {
    let plan = requests("http://shop.test", "[{ get: /a }]", "workload: { closed: { vus: 3 } }\nduration: 1h");
    let plan: Arc<Plan> = changed(&plan, |plan| plan.defaults.redirects_max = 9);
    let server = |call: &Call<'_>| match call.target() {
        "/a" => Answer::Bytes(call.at + ms(100), reply_with(302, "location: /b\r\n", "")),
        _ => Answer::Never,
    };
    let options = Options { cut_at: Some(ms(500)), ..Options::all() };
    let run = simulate(&plan, server, &options);
    let censored = run.load().censored;
    assert_eq!((run.exchanges(), censored.count(), censored.max_ns()), (3, 3, Some(ms(400).0)));
    assert!(run.whole().transactions.get(Section::Hold, 0).is_none_or(|stats| stats.count == 0));
}
