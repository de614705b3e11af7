//! The ways in which a value comes back: short, encoded, in a cookie, from far behind.

use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine as _};
use nmax_import::correlate::State;
use nmax_import::recording::Kind;

use super::visits::{Belongs, get, post};
use super::{ITEM, check, found, found_in_two, lines};

/// Trap: short values are found everywhere; two recordings tell which belong together.
#[test]
fn short_values_are_found_when_two_recordings_agree() {
    let visit = |seat: &str, count: &str| {
        vec![
            get("/plan").html(&format!("<p>{count} seats, row 7</p><div id=seat data-free={seat}>{seat}</div>")),
            post("/book", &format!("seat={seat}&persons=2")),
        ]
    };
    assert_eq!(lines(&found(&visit("7", "40"))), [] as [&str; 0]);
    let two = found_in_two(&visit("7", "40"), &visit("9", "38"));
    assert_eq!(lines(&two), ["seat: 0 css div#seat -> 1 Field(\"seat\", 0) ${seat}"]);
    assert_eq!(two.values[0].state, State::Changes);
}

#[test]
fn values_are_found_through_their_encodings() {
    let token = "aB3+dE6/gH9=kL2";
    let claims = BASE64_URL_SAFE_NO_PAD.encode(format!(r#"{{"sub":"{ITEM}","n":1}}"#));
    let jwt = format!("eyJhbGciOiJIUzI1NiJ9.{claims}.c2lnbmF0dXJl");
    let coded = BASE64_STANDARD.encode("session 8f31c07b");
    let cases = [
        // What the reply says, what is sent.
        (get("/").json(&format!(r#"{{"tok":"{token}"}}"#)), post("/x", "a=aB3%2BdE6%2FgH9%3DkL2"), "${tok}"),
        (get("/").json(&format!(r#"{{"tok":"{token}"}}"#)), post("/x", "a=aB3%252BdE6%252FgH9%253DkL2"), "${url(tok)}"),
        (
            get("/").html("<script>tok = 'aB3+dE6\\/gH9=kL2'</script>"),
            post("/x", "a=aB3%2BdE6%2FgH9%3DkL2"),
            "${json_decode(tok)}",
        ),
        (get("/").html("<b data-tok='a&lt;3&amp;kQ9z7Lm2'></b>"), post("/x", "a=a%3C3%26kQ9z7Lm2"), "${tok}"),
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
        (get("/").json(&format!(r#"{{"tok":"{jwt}"}}"#)), get(&format!("/user/{ITEM}")), "${jwt_claim(tok, 'sub')}"),
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
        (get("/").json(r#"{"tok":"kQ9z7Lm2Xw4"}"#), post("/x", "a=id%3AkQ9z7Lm2Xw4%3B1"), "${tok}"),
    ];
    for (reply, request, want) in cases {
        let found = found(&[reply, request]);
        let uses: Vec<&str> =
            found.values.iter().flat_map(|found| &found.uses).map(|(_, template)| template.as_str()).collect();
        assert_eq!(uses, [want], "{:?}", found.denied);
    }
}

/// A cookie that a script sends as a header too: the jar carries the one, an extractor the other.
#[test]
fn a_cookie_that_is_sent_twice_is_taken_from_its_reply() {
    let found = check(
        &[
            get("/").tells("set-cookie", "a=b; path=/").tells("set-cookie", "XSRF-TOKEN=kQ9z7Lm2Xw4R; path=/; secure"),
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

/// A small number that a reply gives under the name of what was made is its id, where the path names it so.
#[test]
fn what_was_made_is_found_by_its_name() {
    let made = |reply: &str| [post("/api/orders", "").json_body("{}").json(reply), get("/api/orders/116").json("{}")];
    check(&made(r#"{"order":116}"#), &["order: 0 json $.order -> 1 Segment(2) ${order}"]);
    check(&made(r#"{"total":116}"#), &[]);
    check(&[get("/api/orders").json(r#"{"order":116}"#), get("/api/orders/116").json("{}")], &[]);
}

/// Short ids: what was just made, and what a redirect led to.
#[test]
fn short_ids_are_found_where_the_server_leads() {
    check(
        &[
            post("/api/carts", "").json_body("{}").json(r#"{"id":7,"lines":0}"#),
            post("/api/carts/7/lines", "").json_body(r#"{"sku":"A1","count":7}"#).json("{}"),
            post("/order", "").leads_to(303, "/order/17?new=1"),
            get("/order/17?new=1").belongs(Belongs::Redirect, Kind::Document).html("<p>17 pieces"),
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
    let token = |page: usize| format!("{:032x}", 0x9f86_d081_884c_7d65_u128.wrapping_mul(page as u128 + 1) << 40);
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
