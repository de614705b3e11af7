use super::*;
use crate::recording::{Request, Response};

fn entry(method: &str, url: &str, status: u16) -> Entry {
    Entry {
        request: Request { method: method.into(), url: url.into(), ..Request::default() },
        response: Some(Response { status, ..Response::default() }),
        ..Entry::default()
    }
}

fn recording(entries: Vec<Entry>) -> Recording {
    let mut recording = Recording { entries, ..Recording::default() };
    for (index, entry) in recording.entries.iter_mut().enumerate() {
        entry.number = index + 1;
        entry.sent_us = index as i64;
    }
    recording
}

fn document(url: &str) -> Entry {
    Entry { kind: Kind::Document, ..entry("GET", url, 200) }
}

fn kept(recording: &Recording, hosts: &[&str]) -> Vec<usize> {
    let options = Options { hosts: hosts.iter().map(|host| (*host).to_owned()).collect(), ..Options::default() };
    let selection = select(recording, &options);
    assert_eq!(selection.kept.len() + selection.skipped.len(), recording.entries.len());
    assert!(selection.skipped.iter().all(|skipped| !skipped.reason.is_empty()));
    selection.kept
}

#[test]
fn source_maps_are_asked_for_by_developer_tools_only() {
    let recording = recording(vec![
        document("http://shop.test/"),
        entry("GET", "http://shop.test/app.js", 200),
        entry("GET", "http://shop.test/app.js.map", 200),
        entry("GET", "http://shop.test/style.css.map?v=1", 200),
        entry("GET", "http://shop.test/tiles/berlin.map", 200),
    ]);
    assert_eq!(kept(&recording, &[]), [0, 1, 4]);
    assert_eq!(kept(&recording, &["shop.test"]), [0, 1, 2, 3, 4]);
}

#[test]
fn requests_without_a_reply_are_taken_when_they_are_wanted() {
    let without = |reply: Option<Response>, comment: &str| Entry {
        response: reply,
        comment: comment.into(),
        ..entry("GET", "http://shop.test/a", 200)
    };
    let recording = recording(vec![
        document("http://shop.test/"),
        without(None, "net::ERR_CONNECTION_REFUSED"),
        without(Some(Response::default()), ""),
        without(Some(Response { status: 999, ..Response::default() }), ""),
    ]);
    let kept = |without_replies| select(&recording, &Options { without_replies, ..Options::default() }).kept;
    assert_eq!(kept(false), [0]);
    assert_eq!(kept(true), [0, 1, 2]);
}

/// The request that follows has the login as a header, so that its URL has none.
#[test]
fn redirects_lead_to_urls_without_logins() {
    let leads_to = |to: &str| {
        let mut entry = entry("GET", "http://shop.test/a", 302);
        let response = entry.response.get_or_insert_default();
        response.headers.push(("location".into(), to.into()));
        location(&entry)
    };
    assert_eq!(leads_to("http://ann:pw@shop.test/b"), Some("http://shop.test/b".into()));
    assert_eq!(leads_to("/b@c"), Some("http://shop.test/b@c".into()));
}

#[test]
fn the_site_is_the_registrable_domain_of_the_first_document() {
    let recording = recording(vec![
        entry("GET", "http://detectportal.firefox.com/success.txt", 200),
        document("https://www.shop.co.uk/"),
        entry("GET", "https://static.shop.co.uk/app.css", 200),
        entry("GET", "https://other.co.uk/x.js", 200),
        entry("GET", "https://eu.api.partner.test/x", 200),
        entry("GET", "https://www.google-analytics.com/collect", 200),
    ]);
    assert_eq!(kept(&recording, &[]), [1, 2]);
    assert_eq!(kept(&recording, &["*.partner.test"]), [1, 2, 4]);
    assert_eq!(kept(&recording, &["google-analytics.com", "other.co.uk"]), [1, 2, 3, 5]);
}

#[test]
fn addresses_and_short_names_are_sites_of_their_own() {
    for (host, site_of_it) in [
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("localhost", "localhost"),
        ("a.b.shop.test", "shop.test"),
        ("10.0.0.1", "10.0.0.1"),
    ] {
        assert_eq!(site(host), site_of_it);
    }
    let recording = recording(vec![
        document("http://127.0.0.1:8080/"),
        entry("GET", "http://127.0.0.1:9090/api", 200),
        entry("GET", "http://10.0.0.1/api", 200),
    ]);
    assert_eq!(kept(&recording, &[]), [0, 1]);
}

#[test]
fn what_nobody_waits_for_is_left_out() {
    let with = |kind: Kind| Entry { kind, ..entry("POST", "https://shop.test/x", 204) };
    let mut preflight = entry("OPTIONS", "https://shop.test/api", 204);
    preflight.request.headers = vec![("Access-Control-Request-Method".into(), "PUT".into())];
    let mut lost = document("https://shop.test/lost");
    lost.response = None;
    lost.comment = "net::ERR_ABORTED".into();
    let recording = recording(vec![
        document("https://shop.test/"),
        with(Kind::Beacon),
        with(Kind::Socket),
        with(Kind::Events),
        preflight,
        lost,
        entry("GET", "data:image/png;base64,AA", 200),
        entry("PROPFIND", "https://shop.test/", 207),
        entry("OPTIONS", "https://shop.test/api", 204),
        entry("GET", "https://shop.test/g/collect?v=2", 204),
        entry("GET", "https://shop.test/favicon.ico", 200),
    ]);
    assert_eq!(kept(&recording, &[]), [0, 8, 10]);
}

#[test]
fn a_way_through_another_site_is_said() {
    let mut login = document("https://shop.test/login");
    login.response.as_mut().unwrap().status = 302;
    login.response.as_mut().unwrap().headers = vec![("Location".into(), "https://id.partner.test/auth?x=1".into())];
    let recording = recording(vec![document("https://shop.test/"), login]);
    let selection = select(&recording, &Options::default());
    assert!(selection.warnings[0].contains("`--host id.partner.test`"), "{:?}", selection.warnings);
}

#[test]
fn the_list_says_each_host_once() {
    let mut hosts: Vec<_> = super::noise::HOSTS.iter().flat_map(|(_, hosts)| hosts.split(' ')).collect();
    let count = hosts.len();
    hosts.sort_unstable();
    hosts.dedup();
    assert_eq!(hosts.len(), count);
    assert_eq!(noise::of_host("notdoubleclick.net"), None);
    assert!(noise::of_host("ad.doubleclick.net").is_some());
}

#[test]
fn a_listed_host_can_be_the_one_that_is_tested() {
    let recording = recording(vec![
        document("https://app.posthog.com/"),
        entry("GET", "https://eu.posthog.com/api", 200),
        entry("GET", "https://sentry.io/api", 200),
    ]);
    assert_eq!(kept(&recording, &[]), [0, 1]);
}
