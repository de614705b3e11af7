//! What goes out is what was recorded: spelling of URLs, headers that a person wrote, virtual hosts, files with secrets.

use super::*;
use crate::parts::split;
use crate::recording::header;

/// A command that asks for this, as `curl` reads it.
fn command(url: &str, headers: &[(String, String)]) -> Recording {
    let request = Request { method: "GET".into(), url: url.into(), headers: headers.to_vec(), ..Request::default() };
    let entry = Entry { number: 1, request, kind: Kind::Call, ..Entry::default() };
    Recording { is_command: true, ..recording(vec![entry]) }
}

/// The headers of a plan's first request, its defaults included.
fn headers_of(plan: &Plan) -> Vec<(String, String)> {
    let step = plan.scenarios[0].calls().next().expect("a request");
    let is_own = |name: &str| step.http().unwrap().headers.iter().any(|(own, _)| own == name);
    let defaults = plan.defaults.headers.iter().filter(|(name, _)| !is_own(name));
    let all = defaults.chain(&step.http().unwrap().headers);
    let text = |value| String::from_utf8(rendered(value, Escape::None)).expect("text");
    all.map(|(name, value)| (name.clone(), text(value))).collect()
}

/// A query as browsers, scripts and people write it.
fn any_query() -> impl Strategy<Value = String> {
    let name = prop_oneof!["[a-c]", "[a-c]\\[\\]", "[a-c]%5B%5d", "%zz", "[!-~]{0,4}"];
    let value = prop_oneof!["=[a-z0-9]{0,4}", "=[a-z]\\+[a-z]", "=%20%2f", "=[0-9]:[0-9],/@", "=[!-~]{0,6}", ""];
    prop::collection::vec((name, value), 0..5).prop_map(|pairs| {
        let pairs: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}{value}")).collect();
        pairs.join("&").replace('#', "")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// What is not replaced in a query goes out byte by byte.
    #[test]
    fn queries_are_sent_as_they_were_written(query in any_query()) {
        let recording = recording(vec![get(0, &format!("/list?{query}"), Kind::Call)]);
        let (emitted, _) = untouched(&recording);
        let plan = read(&emitted.plan, &emitted.files);
        prop_assert!(plan.is_ok(), "{}", plan.unwrap_err());
        let plan = plan.unwrap();
        let again = sent(plan.scenarios[0].calls().next().unwrap(), &plan, &emitted.files);
        prop_assert_eq!(split(&again.url).query, Some(query.as_str()), "{}", emitted.plan);
    }

    /// Each header of a command goes out as it is written, but for those that nmax writes itself.
    #[test]
    fn headers_that_a_person_wrote_are_sent(
        pairs in prop::collection::btree_map(
            prop_oneof![
                prop::sample::select(vec![
                    "accept", "cache-control", "forwarded", "if-none-match", "origin", "pragma", "referer",
                    "sec-fetch-mode", "traceparent", "user-agent", "x-forwarded-for", "x-real-ip", "x-request-id",
                ]).prop_map(str::to_owned),
                "x-[a-z]{1,6}",
            ],
            "[a-z0-9$/:=-]{0,8}",
            0..6,
        ),
    ) {
        let headers: Vec<(String, String)> = pairs.into_iter().collect();
        let (emitted, _) = untouched(&command("http://shop.test/a", &headers));
        let plan = read(&emitted.plan, &emitted.files);
        prop_assert!(plan.is_ok(), "{}", plan.unwrap_err());
        let sent = headers_of(&plan.unwrap());
        prop_assert_eq!(sent.len(), headers.len(), "{}", emitted.plan);
        for (name, value) in &headers {
            prop_assert_eq!(header(&sent, name), Some(value.as_str()), "{} in {}", name, emitted.plan);
        }
        prop_assert!(emitted.summary.warnings.is_empty(), "{:?}", emitted.summary.warnings);
    }
}

#[test]
fn what_nmax_writes_itself_is_said_where_it_differs() {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let cases = [
        ("connection", "keep-alive", None, "nmax does so too"),
        ("connection", "close", Some("`connection`"), "the plan's policy decides"),
        ("content-length", "3", None, "it follows from the body"),
        ("transfer-encoding", "chunked", Some("`transfer-encoding`"), "a body goes out with its length"),
        ("expect", "100-continue", Some("expect_continue"), "the plan has a key for it"),
        ("accept-encoding", "gzip, br", None, "`compression` says it"),
        ("upgrade", "h2c", Some("`upgrade`"), "nmax speaks HTTP/1.1"),
    ];
    for (name, value, want, why) in cases {
        let (emitted, _) = untouched(&command("http://shop.test/a", &[header(name, value)]));
        let plan = read(&emitted.plan, &emitted.files).unwrap();
        assert!(headers_of(&plan).is_empty(), "{why}: {}", emitted.plan);
        let said = emitted.summary.warnings.join("\n");
        assert!(said.contains(want.unwrap_or_default()), "{why}: {said}");
        assert_eq!(said.is_empty(), want.is_none(), "{why}: {said}");
    }
    // A coding that nmax cannot undo is asked for as it is.
    let (emitted, _) = untouched(&command("http://shop.test/a", &[header("accept-encoding", "identity")]));
    let plan = read(&emitted.plan, &emitted.files).unwrap();
    assert_eq!(headers_of(&plan), [header("accept-encoding", "identity")]);
}

#[test]
fn a_virtual_host_is_asked_for_by_its_own_name() {
    let cases = [
        ("http://127.0.0.1:8080/a", "shop.test", Some("shop.test"), "another name"),
        ("http://127.0.0.1:8080/a", "127.0.0.1:8080", None, "the same"),
        ("http://Shop.test/a", "shop.TEST:80", None, "names have no case, and 80 is the port of http"),
        ("https://shop.test:443/a", "shop.test", None, "443 is the port of https"),
        ("http://shop.test:443/a", "shop.test", Some("shop.test"), "443 is not a port of http"),
        ("http://shop.test/a", "a b", None, "no host"),
        ("http://shop.test/a", "", None, "nothing"),
    ];
    for (url, host, want, why) in cases {
        let headers = [("Host".to_owned(), host.to_owned())];
        for is_command in [true, false] {
            let mut recording = command(url, &headers);
            recording.is_command = is_command;
            let (emitted, _) = untouched(&recording);
            let plan = read(&emitted.plan, &emitted.files).unwrap();
            assert_eq!(header(&headers_of(&plan), "host"), want, "{why}: {}", emitted.plan);
            let is_said = emitted.summary.warnings.iter().any(|warning| warning.contains("`shop.test`"));
            assert_eq!(is_said, want.is_some(), "{why}: {:?}", emitted.summary.warnings);
        }
    }
}

#[test]
fn headers_that_no_request_can_carry_are_named() {
    let entry = get(0, "/a", Kind::Call).with("Bad Name", "1").with("X-Control", "a\u{1}b").with("X-Good", "1");
    let (emitted, _) = untouched(&recording(vec![entry]));
    let plan = read(&emitted.plan, &emitted.files).unwrap();
    assert_eq!(headers_of(&plan), [("x-good".to_owned(), "1".to_owned())]);
    let said = emitted.summary.warnings.join("\n");
    assert!(said.contains("`bad name`, `x-control`"), "{said}");
}

#[test]
fn a_searched_word_is_replaced_and_the_rest_stays_as_written() {
    let entries = vec![page(0, "/", ""), page(3000, "/search?f[]=a+b&q=oak+table", "")];
    let (made, _) = made(entries, &Options::default());
    assert!(made.plan.contains("get: \"/search?f[]=a+b&q=${words.q}\""), "{}", made.plan);
}

/// Also one that is too short to be looked for everywhere, and is a secret by its name alone.
#[test]
fn files_with_secrets_are_kept_for_their_owner() {
    let part = |name: &str, content: &str| {
        format!("--B\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}.json\"\r\n\r\n{content}\r\n")
    };
    let parts = [
        part("one", r#"{"note": "sk_live_51HxYzAbCdEf0123456789"}"#),
        part("two", r#"{"password": "abc"}"#),
        part("six", r#"{"colour": "abc"}"#),
    ];
    let entries = vec![
        get(0, "/pay", Kind::Call)
            .by("POST")
            .sends("application/json", r#"{"api_key": "sk_live_51HxYzAbCdEf0123456789"}"#),
        get(5000, "/up", Kind::Call)
            .by("POST")
            .sends("multipart/form-data; boundary=B", &format!("{}--B--\r\n", parts.concat())),
    ];
    let (made, _) = made(entries, &Options::default());
    let bodies = made.files.iter().filter(|file| file.name.contains(".body-"));
    let secret: Vec<_> = bodies.map(|file| (file.name.as_str(), file.is_secret)).collect();
    assert_eq!(secret, [("visit.body-1.json", true), ("visit.body-2.json", true), ("visit.body-3.json", false)]);
    let said = made.summary.warnings.join("\n");
    assert!(said.contains("visit.body-1.json holds a secret"), "{said}");
    assert!(said.contains("visit.body-2.json holds a secret"), "{said}");
    assert!(!said.contains("visit.body-3.json"), "{said}");
}

/// Whoever comes with an empty cache is new each time; somebody who had been there before, and a command, are not.
#[test]
fn visits_with_an_empty_cache_are_those_of_new_visitors() {
    use nmax_plan::plan::Visitor;
    let visits = |change: fn(&mut Recording)| {
        let mut visit = recording(vec![page(0, "/", ""), get(30, "/app.css", Kind::Style)]);
        change(&mut visit);
        let (emitted, _) = untouched(&visit);
        read(&emitted.plan, &emitted.files).unwrap().defaults.visitor
    };
    assert_eq!(visits(|_| {}), Visitor::New);
    assert_eq!(visits(|visit| visit.entries[1].is_from_cache = true), Visitor::Returning);
    assert_eq!(visits(|visit| visit.entries[1] = get(30, "/app.css", Kind::Style).status(304)), Visitor::Returning);
    assert_eq!(visits(|visit| visit.is_command = true), Visitor::Returning);
}

/// A page's own call for the item that it shows names the value that it would need.
#[test]
fn resources_that_ask_for_what_was_recorded_are_said() {
    let entries = |call: &str| {
        vec![
            page(0, "/", "<a href=\"/book/196\">a</a> <a href=\"/book/197\">b</a>"),
            page(5000, "/book/197", "<form><input type=hidden name=book_id value=197></form>"),
            get(5030, call, Kind::Call).answers("application/json", "{}"),
            post(9000, "/basket", "book_id=197"),
        ]
    };
    let (made, _) = made(entries("/api/stock?book=197"), &Options::default());
    let said = made.summary.warnings.join("\n");
    assert!(made.plan.contains("- \"/api/stock?book=197\""), "{}", made.plan);
    assert!(said.contains("/api/stock?book=197 comes with its page as it was recorded"), "{said}\n{}", made.plan);
    assert!(said.contains("with `${book_id}` in it"), "{said}");
    let (other, _) = super::made(entries("/api/stock?shop=197"), &Options::default());
    let said = other.summary.warnings.join("\n");
    assert!(!said.contains("as it was recorded"), "{said}");
}
