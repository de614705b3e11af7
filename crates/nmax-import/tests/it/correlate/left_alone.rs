//! What is no correlation: chance, constants, and what the client makes itself.

use nmax_import::recording::Kind;

use super::visits::{Belongs, START_US, get, post};
use super::{CSRF, ITEM, OTHER, check, found, lines};

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
    assert!(found.denied.iter().any(|denied| denied.what.contains("x-request-id")), "{:?}", found.denied);
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
        post("/api", "")
            .json_body(&format!(r#"{{"idempotencyKey":"{uuid}","at":{},"productId":"{ITEM}"}}"#, ms / 1_000 + 3)),
        post("/in", &format!("user=0b9f8c7d6e5f4a3b&password=0b9f8c7d6e5f4a3b9c2d&nonce=k3J9sLq8Zx2V&ref={OTHER}")),
    ]);
    assert_eq!(lines(&found), [] as [&str; 0]);
    let made: Vec<_> = found
        .generated
        .iter()
        .map(|made| {
            let uses: Vec<_> =
                made.uses.iter().map(|(at, template)| format!("{} {:?} {template}", at.entry, at.place)).collect();
            (made.set.as_ref().map(|(name, template)| format!("{name}={template}")), uses.join(", "))
        })
        .collect();
    let want = [
        (None, "1 Query(\"_\", 0) ${now('ms')}".to_owned()),
        (None, "1 Query(\"r\", 0) 0.${random(1000000000000000, 9999999999999999)}".to_owned()),
        (None, "1 Header(\"traceparent\") 00-${random_hex(32)}-${random_hex(16)}-01".to_owned()),
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
    assert!(found.denied.iter().any(|denied| denied.reason.contains("constant")), "{:?}", found.denied);
}

/// Trap: browsers drop the bodies of pages that were left, and nothing says why a token is not found.
#[test]
fn a_token_without_its_page_is_told() {
    let found = check(&[get("/login").html(""), post("/login", &format!("csrf={CSRF}&user=anna"))], &[]);
    assert_eq!(found.denied.len(), 1);
    assert!(found.denied[0].what.contains("csrf") && found.denied[0].reason.contains("without their bodies"));
}
