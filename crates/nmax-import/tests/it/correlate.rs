//! What is correlated, what is not, and that each extractor finds what it must.

use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine as _};
use nmax_extract::{Extractor, Page};
use nmax_import::correlate::{Correlation, Correlations, State, correlate};
use nmax_import::journey::{Journey, Step};
use nmax_import::parts;
use nmax_import::recording::{Body, Entry, Kind, Recording, Request, Response, Timings};
use nmax_plan::plan::{MatchPick, Source};

mod planted;

/// Instant of the first request, in µs since 1970.
const START_US: i64 = 1_764_000_000_000_000;

/// An exchange: what is sent, what comes back.
#[derive(Clone, Default)]
struct Exchange {
    method: &'static str,
    url: String,
    headers: Vec<(String, String)>,
    body: Option<(&'static str, String)>,
    status: u16,
    reply_headers: Vec<(String, String)>,
    reply: String,
    kind: Kind,
    /// It belongs to the step before, as a redirect or a resource.
    belongs: Option<Belongs>,
}

#[derive(Clone, Copy, PartialEq)]
enum Belongs {
    Redirect,
    Resource,
}

fn get(url: &str) -> Exchange {
    Exchange {
        method: "GET",
        url: url.to_owned(),
        status: 200,
        kind: Kind::Document,
        ..Exchange::default()
    }
}

fn post(url: &str, form: &str) -> Exchange {
    Exchange {
        method: "POST",
        body: Some(("application/x-www-form-urlencoded", form.to_owned())),
        ..get(url)
    }
}

impl Exchange {
    fn sends(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }
    fn json_body(mut self, body: &str) -> Self {
        self.body = Some(("application/json", body.to_owned()));
        self.kind = Kind::Call;
        self
    }
    fn html(self, body: &str) -> Self {
        self.replies("text/html; charset=utf-8", body)
    }
    fn json(self, body: &str) -> Self {
        self.replies("application/json", body)
    }
    fn replies(mut self, mime: &str, body: &str) -> Self {
        self.reply = body.to_owned();
        self.tells("content-type", mime)
    }
    fn tells(mut self, name: &str, value: &str) -> Self {
        self.reply_headers.push((name.into(), value.into()));
        self
    }
    fn leads_to(mut self, status: u16, location: &str) -> Self {
        self.status = status;
        self.tells("location", location)
    }
    fn belongs(mut self, how: Belongs, kind: Kind) -> Self {
        self.belongs = Some(how);
        self.kind = kind;
        self
    }

    fn entry(&self, number: usize) -> Entry {
        let body = |mime: &str, text: &str| Body {
            mime: mime.to_owned(),
            bytes: text.as_bytes().to_vec(),
            ..Body::default()
        };
        let mut headers = self.headers.clone();
        headers.extend(
            self.body
                .iter()
                .map(|(mime, _)| ("content-type".to_owned(), (*mime).to_owned())),
        );
        Entry {
            number: number + 1,
            sent_us: START_US + number as i64 * 2_000_000,
            timings: Timings {
                total: Some(std::time::Duration::from_millis(100)),
                ..Timings::default()
            },
            request: Request {
                method: self.method.into(),
                url: format!("https://shop.test{}", self.url),
                headers,
                body: self.body.as_ref().map(|(mime, text)| body(mime, text)),
                ..Request::default()
            },
            response: Some(Response {
                status: self.status,
                headers: self.reply_headers.clone(),
                body: Some(body("", &self.reply)),
                ..Response::default()
            }),
            kind: self.kind,
            ..Entry::default()
        }
    }
}

fn visit(exchanges: &[Exchange]) -> (Recording, Journey) {
    let entries: Vec<Entry> = exchanges
        .iter()
        .enumerate()
        .map(|(number, exchange)| exchange.entry(number))
        .collect();
    let mut steps: Vec<Step> = Vec::new();
    for (entry, exchange) in exchanges.iter().enumerate() {
        match (exchange.belongs, steps.last_mut()) {
            (Some(Belongs::Redirect), Some(step)) => step.redirects.push(entry),
            (Some(Belongs::Resource), Some(step)) => step.resources.push(entry),
            _ => steps.push(Step {
                entry,
                name: format!("step {}", steps.len()),
                is_page: exchange.kind == Kind::Document,
                ..Step::default()
            }),
        }
    }
    let recording = Recording {
        name: "visit".into(),
        entries,
        ..Recording::default()
    };
    let journey = Journey {
        name: "visit".into(),
        steps,
    };
    (recording, journey)
}

fn found(exchanges: &[Exchange]) -> Correlations {
    let (recording, journey) = visit(exchanges);
    let found = correlate(&recording, &journey, None);
    works(&recording, &found);
    found
}

fn found_in_two(first: &[Exchange], second: &[Exchange]) -> Correlations {
    let (first, second) = (visit(first), visit(second));
    let found = correlate(&first.0, &first.1, Some((&second.0, &second.1)));
    works(&first.0, &found);
    found
}

/// Law: each extractor finds its value in the recorded reply, each template makes what was sent, a source comes before
/// its uses, names are unique, and no selector holds a value.
#[track_caller]
fn works(recording: &Recording, found: &Correlations) {
    let mut names = std::collections::HashSet::new();
    for correlation in &found.values {
        assert!(names.insert(&correlation.name), "{}", correlation.name);
        let text = extracted(&recording.entries[correlation.from], correlation);
        assert!(
            !told(&correlation.source).contains(&correlation.value),
            "{correlation:?}"
        );
        assert!(!correlation.uses.is_empty() && !correlation.evidence.contains(&correlation.value));
        for (at, template) in &correlation.uses {
            assert!(correlation.from < at.entry);
            let value = parts::value_at(&recording.entries[at.entry].request, &at.place).expect("the place exists");
            let made = evaluated(
                template.trim_start_matches("${").trim_end_matches('}'),
                &correlation.name,
                &text,
            );
            assert_eq!(made.to_lowercase(), value[at.span.clone()].to_lowercase(), "{template}");
        }
    }
}

/// What a correlation's extractor gives, as the engine picks it.
fn extracted(entry: &Entry, correlation: &Correlation) -> String {
    let response = entry.response.as_ref().expect("a reply");
    let headers: Vec<(&str, &[u8])> = response
        .headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect();
    let body = &response.body.as_ref().expect("a body").bytes;
    let matches = Extractor::new(&correlation.source)
        .expect("it compiles")
        .matches(&Page::new(&headers, body));
    let place = match correlation.pick {
        MatchPick::First => 0,
        MatchPick::Nth(nth) => nth - 1,
        other => panic!("{other:?} is not what was recorded"),
    };
    matches[place].clone()
}

/// Evaluates nested calls of one name, written apart from the code that makes them.
fn evaluated(call: &str, name: &str, text: &str) -> String {
    if call == name {
        return text.to_owned();
    }
    let (function, rest) = call.split_once('(').expect("a call");
    let inner = rest.strip_suffix(')').expect("its end");
    let (inner, argument) = match inner.rsplit_once(", '") {
        Some((inner, argument)) => (inner, argument.trim_end_matches('\'')),
        None => (inner, ""),
    };
    let text = evaluated(inner, name, text);
    match function {
        "url" => text
            .bytes()
            .map(|byte| {
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            })
            .collect(),
        "url_decode" => parts::percent_decode(&text).expect("encoded"),
        "json_decode" => serde_json::from_str(&format!("\"{text}\"")).expect("escaped"),
        "base64" => BASE64_STANDARD.encode(text),
        "base64url" => BASE64_URL_SAFE_NO_PAD.encode(text),
        "base64_decode" => {
            let text = text.replace('-', "+").replace('_', "/");
            String::from_utf8(
                base64::prelude::BASE64_STANDARD_NO_PAD
                    .decode(text.trim_end_matches('='))
                    .expect("base64"),
            )
            .expect("text")
        }
        "html" => text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;"),
        "jwt_claim" => {
            let claims = BASE64_URL_SAFE_NO_PAD
                .decode(text.split('.').nth(1).expect("claims"))
                .expect("base64url");
            let claims: serde_json::Value = serde_json::from_slice(&claims).expect("JSON");
            claims[argument]
                .as_str()
                .map_or_else(|| claims[argument].to_string(), str::to_owned)
        }
        other => panic!("unknown function {other}"),
    }
}

fn told(source: &Source) -> String {
    match source {
        Source::Regex(pattern) => format!("regex {pattern}"),
        Source::Css {
            selector,
            attribute: Some(attribute),
        } => format!("css {selector}@{attribute}"),
        Source::Css {
            selector,
            attribute: None,
        } => format!("css {selector}"),
        Source::JsonPath(path) => format!("json {path}"),
        Source::Header(name) => format!("header {name}"),
        Source::Part { of, pattern } => format!("{} match {pattern}", told(of)),
    }
}

/// One line for each: name, entry it comes from, extractor, and where it goes.
fn lines(found: &Correlations) -> Vec<String> {
    let line = |correlation: &Correlation| {
        let pick = match correlation.pick {
            MatchPick::First => String::new(),
            other => format!(" {other:?}"),
        };
        let uses: Vec<String> = correlation
            .uses
            .iter()
            .map(|(at, template)| format!("{} {:?} {template}", at.entry, at.place))
            .collect();
        format!(
            "{}: {} {}{pick} -> {}",
            correlation.name,
            correlation.from,
            told(&correlation.source),
            uses.join(", ")
        )
    };
    found.values.iter().map(line).collect()
}

#[track_caller]
fn check(exchanges: &[Exchange], want: &[&str]) -> Correlations {
    let found = found(exchanges);
    assert_eq!(lines(&found), want, "denied: {:?}", found.denied);
    found
}

const CSRF: &str = "9f86d081884c7d659a2feaa0c55ad015";
const ITEM: &str = "5b0b7f9e-1c1d-4e0c-9b2f-7d7a51c9ac10";
const OTHER: &str = "a3e1f2c4-90ab-4c3d-8e21-0f1e2d3c4b5a";

fn csrf_page(url: &str, csrf: &str) -> Exchange {
    let form =
        format!("<form method=post action={url}><input type=hidden name=csrf value={csrf}><input name=email></form>");
    get(url).html(&form)
}

/// A visit to a shop, from signing up to the order.
fn shop(csrf: &str, item: &str, other: &str, sid: &str, order: u32) -> Vec<Exchange> {
    let list = format!(
        "<a href=/>home</a><ul><li><a class=item href=\"/item/{other}\">Oak Chair</a> <b>12.90</b>\
         <li><a class=item href=\"/item/{item}\">Oak Lamp</a></ul>"
    );
    let form = format!(
        "<form method=post action=/basket><input type=hidden name=csrf value={csrf}>\
         <input type=hidden name=item value={item}><input name=pieces value=1></form><img src=/image/{item}.jpg>"
    );
    let cookie = format!("sid={sid}");
    vec![
        csrf_page("/signup", csrf).tells("set-cookie", &format!("sid={sid}; Path=/; HttpOnly")),
        post(
            "/signup",
            &format!("csrf={csrf}&email=anna%40example.com&password=Tr0ub4dor%263xx"),
        )
        .sends("cookie", &cookie)
        .leads_to(302, "/account"),
        get("/account")
            .belongs(Belongs::Redirect, Kind::Document)
            .sends("cookie", &cookie)
            .html("<b class=email>anna@example.com</b>"),
        csrf_page("/login", csrf).sends("cookie", &cookie),
        post(
            "/login",
            &format!("csrf={csrf}&email=anna%40example.com&password=Tr0ub4dor%263xx"),
        )
        .sends("cookie", &cookie)
        .leads_to(302, "/account"),
        get("/account")
            .belongs(Belongs::Redirect, Kind::Document)
            .html("<b class=email>anna@example.com</b>"),
        get("/search?q=oak").html(&list),
        get(&format!("/item/{item}"))
            .sends("referer", "https://shop.test/search?q=oak")
            .html(&form),
        get(&format!("/image/{item}.jpg")).belongs(Belongs::Resource, Kind::Image),
        post("/basket", &format!("csrf={csrf}&item={item}&pieces=2"))
            .sends("cookie", &cookie)
            .leads_to(303, "/basket"),
        csrf_page("/basket", csrf).belongs(Belongs::Redirect, Kind::Document),
        post("/order", &format!("csrf={csrf}"))
            .sends("cookie", &cookie)
            .leads_to(303, &format!("/order/{order}")),
        get(&format!("/order/{order}"))
            .belongs(Belongs::Redirect, Kind::Document)
            .html("<h1>Order</h1>"),
    ]
}

#[test]
fn a_visit_to_a_shop_needs_three_values_of_the_server_and_one_more_for_its_form() {
    let found = check(
        &shop(CSRF, ITEM, OTHER, "0f1e2d3c4b5a69788796", 17),
        &[
            "csrf: 0 css input[name=csrf]@value -> 1 Field(\"csrf\", 0) ${csrf}, 4 Field(\"csrf\", 0) ${csrf}, \
             9 Field(\"csrf\", 0) ${csrf}, 11 Field(\"csrf\", 0) ${csrf}",
            "item: 6 css a.item@href Nth(2) -> 7 Target ${item}",
            "item_id: 7 css input[name=item]@value -> 9 Field(\"item\", 0) ${item_id}",
            "order: 11 header location -> 12 Target ${order}",
        ],
    );
    let jar: Vec<_> = found
        .jar
        .iter()
        .map(|cookie| (cookie.name.as_str(), cookie.set_by, cookie.sent))
        .collect();
    assert_eq!(jar, [("sid", Some(0), 6)]);
    assert_eq!(found.generated, []);
    assert!(found.values.iter().all(|correlation| correlation.state == State::Found));
}

#[test]
fn a_second_visit_says_what_changes() {
    let first = shop(CSRF, ITEM, OTHER, "0f1e2d3c4b5a69788796", 17);
    let second = shop("00ff11ee22dd33cc44bb55aa66997788", ITEM, OTHER, "5a4b3c2d1e0f", 21);
    let states = |found: &Correlations| -> Vec<(String, State)> {
        found
            .values
            .iter()
            .map(|found| (found.name.clone(), found.state))
            .collect()
    };
    let found = found_in_two(&first, &second);
    let of = |name: &str, state| (name.to_owned(), state);
    let want = [
        of("csrf", State::Changes),
        of("item", State::Same),
        of("item_id", State::Same),
        of("order", State::Changes),
    ];
    assert_eq!(states(&found), want);
    // The user took the other item: the same extractor has it at another place.
    let mut third = shop("00ff11ee22dd33cc44bb55aa66997788", OTHER, ITEM, "5a4b3c2d1e0f", 21);
    third[6] = first[6].clone();
    let found = found_in_two(&first, &third);
    assert_eq!(states(&found)[1], of("item", State::Changes));
    assert!(
        found.values[1].evidence.contains("random"),
        "{}",
        found.values[1].evidence
    );
    // A token that stays is a constant, and nothing is written for it.
    let same = found_in_two(&first, &shop(CSRF, ITEM, OTHER, "5a4b3c2d1e0f", 21));
    assert!(same.values.iter().all(|found| found.name != "csrf"));
    assert!(
        same.denied
            .iter()
            .any(|denied| denied.what.contains("csrf") && denied.reason.contains("constant"))
    );
}

/// Trap: short values are found everywhere; two recordings tell which belong together.
#[test]
fn short_values_are_found_when_two_recordings_agree() {
    let visit = |seat: &str, count: &str| {
        vec![
            get("/plan").html(&format!(
                "<p>{count} seats, row 7</p><div id=seat data-free={seat}>{seat}</div>"
            )),
            post("/book", &format!("seat={seat}&persons=2")),
        ]
    };
    assert_eq!(lines(&found(&visit("7", "40"))), [] as [&str; 0]);
    let two = found_in_two(&visit("7", "40"), &visit("9", "38"));
    assert_eq!(lines(&two), ["seat: 0 css div#seat -> 1 Field(\"seat\", 0) ${seat}"]);
    assert_eq!(two.values[0].state, State::Changes);
}

/// Traps: years, prices, counts, versions, words, what the user typed and the server repeats.
#[test]
fn what_is_there_by_chance_is_left_alone() {
    let page = "<title>Oak 2026</title><p>1290 items, page 2, EUR 12.90, version 1.2.3, 2026-01-31, code RED</p>\
        <form><input type=hidden name=step value=2><input type=hidden name=total value=129000><input name=q value=\"oak table\">\
        <select name=country><option value=DE>Germany<option value=FR></select><input name=zip value=80331>\
        <input type=radio name=size value=XL><input type=hidden name=active value=true></form>\
        <script>let config = {year: 2026, lang: 'en-US', width: 1290, mode: 'dark', limit: 100000};</script>";
    let typed = "anna.mueller1987@example.com";
    let found = check(
        &[
            get("/?year=2026").html(page),
            get("/search?q=oak+table&page=2&year=2026&limit=100000").html(page),
            post("/filter", "price=12.90&country=DE&zip=80331&size=XL&step=2&active=true&total=129000&count=1290"),
            post("/subscribe", "email=anna.mueller1987%40example.com&voucher=SAVE2026X").html(&format!("<b>{typed}</b> SAVE2026X")),
            post("/confirm", "email=anna.mueller1987%40example.com&voucher=SAVE2026X").html(page),
            get("/api/v2/items").json(r#"{"count":1290,"page":2,"total":129000,"items":[{"price":1290,"stock":7,"color":"red","at":"2026-01-31"}]}"#),
            post("/api/v2/cart", "").json_body(r#"{"price":1290,"stock":7,"color":"red","at":"2026-01-31","total":129000,"on":true}"#),
            get("/shelf/7?ref=7").json("{}"),
        ],
        &[],
    );
    assert_eq!(found.generated, []);
}

/// Traps: headers that hold long random values and mean nothing to the next request.
#[test]
fn headers_of_the_exchange_are_denied() {
    let id = "7f3a9c1e5b7d4f2a8c6e0b1d3f5a7c9e";
    let found = check(
        &[
            get("/a")
                .tells("x-request-id", id)
                .tells("etag", id)
                .tells("cf-ray", id)
                .tells("x-amzn-trace-id", id)
                .tells("content-security-policy", &format!("script-src 'nonce-{id}'")),
            get("/b")
                .sends("x-request-id", id)
                .sends("if-none-match", id)
                .sends("cf-ray", id)
                .sends("x-amzn-trace-id", id)
                .sends("referer", &format!("https://shop.test/{id}")),
        ],
        &[],
    );
    assert!(
        found.denied.iter().any(|denied| denied.what.contains("x-request-id")),
        "{:?}",
        found.denied
    );
}

#[test]
fn values_are_found_through_their_encodings() {
    let token = "aB3+dE6/gH9=kL2";
    let claims = BASE64_URL_SAFE_NO_PAD.encode(format!(r#"{{"sub":"{ITEM}","n":1}}"#));
    let jwt = format!("eyJhbGciOiJIUzI1NiJ9.{claims}.c2lnbmF0dXJl");
    let coded = BASE64_STANDARD.encode("session 8f31c07b");
    let cases = [
        // What the reply says, what is sent.
        (
            get("/").json(&format!(r#"{{"tok":"{token}"}}"#)),
            post("/x", "a=aB3%2BdE6%2FgH9%3DkL2"),
            "${tok}",
        ),
        (
            get("/").json(&format!(r#"{{"tok":"{token}"}}"#)),
            post("/x", "a=aB3%252BdE6%252FgH9%253DkL2"),
            "${url(tok)}",
        ),
        (
            get("/").html("<script>tok = 'aB3+dE6\\/gH9=kL2'</script>"),
            post("/x", "a=aB3%2BdE6%2FgH9%3DkL2"),
            "${json_decode(tok)}",
        ),
        (
            get("/").html("<b data-tok='a&lt;3&amp;kQ9z7Lm2'></b>"),
            post("/x", "a=a%3C3%26kQ9z7Lm2"),
            "${tok}",
        ),
        (
            get("/").tells("set-cookie", "tok=aB3%2BdE6%2FgH9%3DkL2; path=/"),
            get("/x").sends("x-t", token),
            "${url_decode(tok)}",
        ),
        (
            get("/").json(r#"{"tok":"kQ9z7Lm2Xw4"}"#),
            get("/x").sends("x-t", &BASE64_STANDARD.encode("kQ9z7Lm2Xw4")),
            "${base64(tok)}",
        ),
        (
            get("/").json(&format!(r#"{{"tok":"{jwt}"}}"#)),
            get(&format!("/user/{ITEM}")),
            "${jwt_claim(tok, 'sub')}",
        ),
        (
            get("/").json(&format!(r#"{{"tok":"{coded}"}}"#)),
            get("/x").sends("x-t", "session 8f31c07b"),
            "${base64_decode(tok)}",
        ),
        (
            get("/").json(&format!(r#"{{"tok":"{jwt}"}}"#)),
            get("/x").sends("authorization", &format!("Bearer {jwt}")),
            "${tok}",
        ),
        (
            get("/").json(r#"{"tok":"kQ9z7Lm2Xw4"}"#),
            post("/x", "a=id%3AkQ9z7Lm2Xw4%3B1"),
            "${tok}",
        ),
    ];
    for (reply, request, want) in cases {
        let found = found(&[reply, request]);
        let uses: Vec<&str> = found
            .values
            .iter()
            .flat_map(|found| &found.uses)
            .map(|(_, template)| template.as_str())
            .collect();
        assert_eq!(uses, [want], "{:?}", found.denied);
    }
}

/// A cookie that a script sends as a header too: the jar carries the one, an extractor the other.
#[test]
fn a_cookie_that_is_sent_twice_is_taken_from_its_reply() {
    let found = check(
        &[
            get("/")
                .tells("set-cookie", "a=b; path=/")
                .tells("set-cookie", "XSRF-TOKEN=kQ9z7Lm2Xw4R; path=/; secure"),
            post("/api", "")
                .json_body("{}")
                .sends("cookie", "a=b; XSRF-TOKEN=kQ9z7Lm2Xw4R")
                .sends("x-xsrf-token", "kQ9z7Lm2Xw4R"),
        ],
        &[
            "xsrf_token: 0 header set-cookie match ^XSRF\\-TOKEN=\"?([^;\"]+) -> 1 Header(\"x-xsrf-token\") ${xsrf_token}",
        ],
    );
    assert_eq!(found.jar.len(), 2);
}

/// Short ids: what was just made, and what a redirect led to.
#[test]
fn short_ids_are_found_where_the_server_leads() {
    check(
        &[
            post("/api/carts", "").json_body("{}").json(r#"{"id":7,"lines":0}"#),
            post("/api/carts/7/lines", "")
                .json_body(r#"{"sku":"A1","count":7}"#)
                .json("{}"),
            post("/order", "").leads_to(303, "/order/17?new=1"),
            get("/order/17?new=1")
                .belongs(Belongs::Redirect, Kind::Document)
                .html("<p>17 pieces"),
            get("/api/order/17/status").json("{}"),
            get("/items?page=17").html(""),
        ],
        &[
            "cart: 0 json $.id -> 1 Segment(2) ${cart}",
            "order: 2 header location -> 3 Target ${order}",
            "order_id: 2 header location match /order/([^/?#;]+) -> 4 Segment(2) ${order_id}",
        ],
    );
}

/// What stands on every page of a long visit is taken from the first one or the last one, whatever there is in between;
/// among places of many kinds the one whose name agrees is found.
#[test]
fn a_long_visit_is_searched_at_both_ends() {
    const PAGES: usize = 700;
    let token = |page: usize| {
        format!(
            "{:032x}",
            0x9f86_d081_884c_7d65_u128.wrapping_mul(page as u128 + 1) << 40
        )
    };
    let mut visit = vec![get("/start").html("<form><input name=user_id value=80331><i>80331</i></form>")];
    visit.extend((0..PAGES).map(|page| {
        let html = format!("<meta name=csrf content={}><b>80331</b><i>80331</i>", token(page));
        get(&format!("/page?at={page}")).html(&html)
    }));
    visit.push(post("/order", &format!("user_id=80331&csrf={}", token(PAGES - 1))));
    let last = PAGES + 1;
    check(
        &visit,
        &[
            &format!("user_id: 0 css input[name=user_id]@value -> {last} Field(\"user_id\", 0) ${{user_id}}"),
            &format!("csrf: {PAGES} css meta[name=csrf]@content -> {last} Field(\"csrf\", 0) ${{csrf}}"),
        ],
    );
}

#[test]
fn values_of_the_client_are_made_anew() {
    let ms = START_US / 1_000 + 2_000;
    let uuid = "0b9f8c7d-6e5f-4a3b-9c2d-1e0f9a8b7c6d";
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let found = found(&[
        get("/"),
        get(&format!("/api?_={ms}&a=1500000000000&r=0.8413295712345678"))
            .sends("traceparent", trace)
            .sends("x-request-id", uuid)
            .json(&format!(r#"{{"echo":"{uuid}"}}"#)),
        post("/api", "").json_body(&format!(
            r#"{{"idempotencyKey":"{uuid}","at":{},"productId":"{ITEM}"}}"#,
            ms / 1_000 + 3
        )),
        post(
            "/in",
            &format!("user=0b9f8c7d6e5f4a3b&password=0b9f8c7d6e5f4a3b9c2d&nonce=k3J9sLq8Zx2V&ref={OTHER}"),
        ),
    ]);
    assert_eq!(lines(&found), [] as [&str; 0]);
    let made: Vec<_> = found
        .generated
        .iter()
        .map(|made| {
            let uses: Vec<_> = made
                .uses
                .iter()
                .map(|(at, template)| format!("{} {:?} {template}", at.entry, at.place))
                .collect();
            (
                made.set.as_ref().map(|(name, template)| format!("{name}={template}")),
                uses.join(", "),
            )
        })
        .collect();
    let want = [
        (None, "1 Query(\"_\", 0) ${now('ms')}".to_owned()),
        (
            None,
            "1 Query(\"r\", 0) 0.${random(1000000000000000, 9999999999999999)}".to_owned(),
        ),
        (
            None,
            "1 Header(\"traceparent\") 00-${random_hex(32)}-${random_hex(16)}-01".to_owned(),
        ),
        (
            Some("x_request_id=${uuid()}".to_owned()),
            "1 Header(\"x-request-id\") ${x_request_id}, 2 Json(\"/idempotencyKey\") ${x_request_id}".to_owned(),
        ),
        (None, "2 Json(\"/at\") ${now()}".to_owned()),
        (None, "3 Field(\"nonce\", 0) ${random_text(12)}".to_owned()),
    ];
    assert_eq!(made, want);
}

/// What a script of the site holds is the same for everybody.
#[test]
fn constants_of_scripts_are_no_correlations() {
    let key = "AIzaSyD3x9Kw2LmT4qZ7";
    let found = check(
        &[
            get("/").html("<script src=/app.js></script>"),
            get("/app.js")
                .belongs(Belongs::Resource, Kind::Script)
                .replies("text/javascript", &format!("const apiKey = '{key}'")),
            get(&format!("/api/items?api_key={key}")).json("{}"),
        ],
        &[],
    );
    assert!(
        found.denied.iter().any(|denied| denied.reason.contains("constant")),
        "{:?}",
        found.denied
    );
}

/// Trap: browsers drop the bodies of pages that were left, and nothing says why a token is not found.
#[test]
fn a_token_without_its_page_is_told() {
    let found = check(
        &[
            get("/login").html(""),
            post("/login", &format!("csrf={CSRF}&user=anna")),
        ],
        &[],
    );
    assert_eq!(found.denied.len(), 1);
    assert!(found.denied[0].what.contains("csrf") && found.denied[0].reason.contains("without their bodies"));
}
