//! A whole visit, once and twice.

use nmax_import::correlate::{Correlations, State};
use nmax_import::recording::Kind;

use super::visits::{Belongs, Exchange, get, post};
use super::{CSRF, ITEM, OTHER, check, found_in_two};

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
        post("/signup", &format!("csrf={csrf}&email=anna%40example.com&password=Tr0ub4dor%263xx"))
            .sends("cookie", &cookie)
            .leads_to(302, "/account"),
        get("/account")
            .belongs(Belongs::Redirect, Kind::Document)
            .sends("cookie", &cookie)
            .html("<b class=email>anna@example.com</b>"),
        csrf_page("/login", csrf).sends("cookie", &cookie),
        post("/login", &format!("csrf={csrf}&email=anna%40example.com&password=Tr0ub4dor%263xx"))
            .sends("cookie", &cookie)
            .leads_to(302, "/account"),
        get("/account").belongs(Belongs::Redirect, Kind::Document).html("<b class=email>anna@example.com</b>"),
        get("/search?q=oak").html(&list),
        get(&format!("/item/{item}")).sends("referer", "https://shop.test/search?q=oak").html(&form),
        get(&format!("/image/{item}.jpg")).belongs(Belongs::Resource, Kind::Image),
        post("/basket", &format!("csrf={csrf}&item={item}&pieces=2")).sends("cookie", &cookie).leads_to(303, "/basket"),
        csrf_page("/basket", csrf).belongs(Belongs::Redirect, Kind::Document),
        post("/order", &format!("csrf={csrf}")).sends("cookie", &cookie).leads_to(303, &format!("/order/{order}")),
        get(&format!("/order/{order}")).belongs(Belongs::Redirect, Kind::Document).html("<h1>Order</h1>"),
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
    let jar: Vec<_> = found.jar.iter().map(|cookie| (cookie.name.as_str(), cookie.set_by, cookie.sent)).collect();
    assert_eq!(jar, [("sid", Some(0), 6)]);
    assert_eq!(found.generated, []);
    assert!(found.values.iter().all(|correlation| correlation.state == State::Found));
}

#[test]
fn a_second_visit_says_what_changes() {
    let first = shop(CSRF, ITEM, OTHER, "0f1e2d3c4b5a69788796", 17);
    let second = shop("00ff11ee22dd33cc44bb55aa66997788", ITEM, OTHER, "5a4b3c2d1e0f", 21);
    let states = |found: &Correlations| -> Vec<(String, State)> {
        found.values.iter().map(|found| (found.name.clone(), found.state)).collect()
    };
    let found = found_in_two(&first, &second);
    let of = |name: &str, state| (name.to_owned(), state);
    let want =
        [of("csrf", State::Changes), of("item", State::Same), of("item_id", State::Same), of("order", State::Changes)];
    assert_eq!(states(&found), want);
    // The user took the other item: the same extractor has it at another place.
    let mut third = shop("00ff11ee22dd33cc44bb55aa66997788", OTHER, ITEM, "5a4b3c2d1e0f", 21);
    third[6] = first[6].clone();
    let found = found_in_two(&first, &third);
    assert_eq!(states(&found)[1], of("item", State::Changes));
    assert!(found.values[1].evidence.contains("random"), "{}", found.values[1].evidence);
    // A token that stays is a constant, and nothing is written for it.
    let same = found_in_two(&first, &shop(CSRF, ITEM, OTHER, "5a4b3c2d1e0f", 21));
    assert!(same.values.iter().all(|found| found.name != "csrf"));
    assert!(same.denied.iter().any(|denied| denied.what.contains("csrf") && denied.reason.contains("constant")));
}
