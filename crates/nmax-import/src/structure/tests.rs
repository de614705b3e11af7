use proptest::prelude::*;

use super::*;

const ORIGIN: &str = "http://127.0.0.1:8080";

fn page(body: &str) -> Structure {
    typed("text/html; charset=utf-8", body)
}

fn typed(mime: &str, body: &str) -> Structure {
    Structure::from_reply(&Reply {
        status: 200,
        origin: ORIGIN,
        headers: &[("content-type", mime.as_bytes())],
        body: Some(body.as_bytes()),
    })
}

fn redirect(status: u16, location: &str) -> Structure {
    Structure::from_reply(&Reply {
        status,
        origin: ORIGIN,
        headers: &[("Location", location.as_bytes())],
        body: Some(b"<p>Found</p>"),
    })
}

fn difference(of: &Structure, from: &Structure) -> Option<String> {
    let mut expected = Expected::default();
    expected.add(from.clone());
    expected.difference(of)
}

/// A basket as a shop shows it.
fn basket(user: &str, items: &[String], token: &str, class: &str) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    let rows: String = items
        .iter()
        .map(|item| format!("<tr class=\"{class}\"><td><a href=\"/item/{0}\">{0}</a><td>1", escape(item)))
        .collect();
    format!(
        "<!doctype html><title>{user}</title><script>var t='{}'</script><body class=\"{class}\"><h1>{user}'s basket</h1>\
         <table>{rows}</table><form action=/order><input type=hidden name=csrf value=\"{}\"><button>Order</button></form>",
        escape(token),
        escape(token),
        user = escape(user),
        class = escape(class),
    )
}

const LOG_IN: &str = "<!doctype html><title>Log in</title><h1>Log in</h1><form action=/login><label>E-mail <input name=email>\
                      </label><label>Password <input name=password type=password></label><input type=hidden name=csrf value=x></form>";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Law: texts, values of attributes and the number of rows, of at least one, do not matter.
    #[test]
    fn what_a_page_says_is_not_what_it_is(
        users in ("\\PC{0,20}", "\\PC{0,20}"),
        items in (prop::collection::vec("\\PC{1,10}", 1..8), prop::collection::vec("\\PC{1,10}", 1..8)),
        tokens in ("[0-9a-f]{8,40}", "[A-Za-z0-9+/=]{8,40}"),
        classes in ("[a-z]{0,8}", "[a-z]{0,8}"),
    ) {
        let one = page(&basket(&users.0, &items.0, &tokens.0, &classes.0));
        let two = page(&basket(&users.1, &items.1, &tokens.1, &classes.1));
        prop_assert_eq!(difference(&one, &two), None);
        prop_assert!(!one.is_another_than(&two));
    }

    /// Law: a log-in page is told from a basket, whatever is in it.
    #[test]
    fn a_log_in_page_is_not_the_page_behind_it(user in "\\PC{0,20}", items in prop::collection::vec("\\PC{1,10}", 0..8)) {
        let basket = page(&basket(&user, &items, "7f", "row"));
        let words = difference(&page(LOG_IN), &basket);
        prop_assert!(words.as_deref().is_some_and(|words| words.contains("input[email]")), "{words:?}");
        prop_assert!(page(LOG_IN).is_another_than(&basket));
        prop_assert!(difference(&basket, &page(LOG_IN)).is_some());
    }

    /// Law: values and the length of lists do not matter to JSON, keys do.
    #[test]
    fn values_do_not_matter_and_keys_do(
        ids in (prop::collection::vec(any::<u32>(), 1..6), prop::collection::vec(any::<u32>(), 1..6)),
        names in ("\\PC{0,12}", "\\PC{0,12}"),
    ) {
        let of = |ids: &[u32], name: &str| {
            let items: Vec<serde_json::Value> = ids.iter().map(|id| serde_json::json!({ "id": id, "in_stock": id % 2 == 0 })).collect();
            typed("application/json", &serde_json::json!({ "user": { "name": name }, "items": items }).to_string())
        };
        let (one, two) = (of(&ids.0, &names.0), of(&ids.1, &names.1));
        prop_assert_eq!(difference(&one, &two), None);
        let refusal = typed("application/json", &serde_json::json!({ "message": names.0 }).to_string());
        prop_assert!(refusal.is_another_than(&one));
        prop_assert!(difference(&refusal, &one).is_some());
    }
}

#[test]
fn what_all_have_must_be_there_and_what_none_has_must_not() {
    let of = |body: &str| page(&format!("<h1>x</h1>{body}"));
    let mut expected = Expected::default();
    for body in ["<p>one</p><ul><li>a</ul>", "<p>two</p><table></table>"] {
        expected.add(of(body));
    }
    // What some have may be there or not.
    for body in ["<p>three</p>", "<p>four</p><ul><li>a</ul><table></table>"] {
        assert_eq!(expected.difference(&of(body)), None, "{body}");
    }
    assert_eq!(expected.difference(&of("<ul></ul>")).as_deref(), Some("another reply: without body/p"));
    assert_eq!(expected.difference(&of("<p>five</p><hr>")).as_deref(), Some("another reply: with body/hr"));
    assert_eq!(
        expected.difference(&of("<form><input name=q></form>")).as_deref(),
        Some("another reply: with form/input[q], without body/p")
    );
}

/// Trap: a refusal that comes with 200 and the same keys.
#[test]
fn a_key_that_decides_is_told_by_its_value() {
    let of = |body: &str| typed("application/json", body);
    let good = of(r#"{"ok": true, "error": null, "in_stock": true}"#);
    let cases = [
        (r#"{"ok": true, "error": "", "in_stock": false}"#, true),
        (r#"{"ok": false, "error": null, "in_stock": true}"#, false),
        (r#"{"ok": true, "error": "no such order", "in_stock": true}"#, false),
        ("<html>", false),
    ];
    for (body, is_same) in cases {
        assert_eq!(difference(&of(body), &good).is_none(), is_same, "{body}");
    }
}

#[test]
fn a_redirect_is_where_it_leads_without_its_ids() {
    let orders = redirect(303, "/order/17?new=1");
    for (location, is_same) in [
        ("/order/4711?new=0", true),
        ("http://127.0.0.1:8080/order/9?new=", true),
        ("/order/9?new=1#top", true),
        ("/order/9", false),
        ("/login", false),
        ("http://127.0.0.2:8080/order/9?new=1", false),
        ("http://127.0.0.1:80801/order/9?new=1", false),
    ] {
        assert_eq!(difference(&redirect(302, location), &orders).is_none(), is_same, "{location}");
    }
    assert_eq!(
        difference(&redirect(302, "/login"), &orders).as_deref(),
        Some("it leads to /login, not to /order/*?new")
    );
}

#[test]
fn statuses_are_told_by_class_and_types_by_name() {
    let of = |status| Structure::from_reply(&Reply { status, origin: ORIGIN, headers: &[], body: None });
    for (status, is_same) in [(200, true), (204, true), (304, true), (404, false), (500, false), (302, false)] {
        assert_eq!(difference(&of(status), &of(201)).is_none(), is_same, "{status}");
    }
    assert_eq!(difference(&of(403), &of(200)).as_deref(), Some("status 403, not 200"));
    let (css, image) = (typed("text/css", "a{}"), typed("image/svg+xml", "<svg/>"));
    assert_eq!(difference(&image, &css).as_deref(), Some("image/svg+xml, not text/css"));
    // What is not known does not differ.
    assert_eq!(difference(&of(200), &Structure { mime: String::new(), ..page(LOG_IN) }), None);
}

#[test]
fn the_same_with_more_on_it_is_not_another_page() {
    let short = page("<h1>x</h1><p>y</p>");
    let long = page("<h1>x</h1><p>y</p><table></table>");
    assert!(!short.is_another_than(&long) && !long.is_another_than(&short));
    assert!(difference(&long, &short).is_some());
}

#[test]
fn a_difference_names_fields_before_anything_else() {
    let account = page("<h1>x</h1><table></table>");
    let words = difference(&page(LOG_IN), &account).unwrap();
    assert_eq!(
        words,
        "another reply: with form/input[csrf], form/input[email], form/input[password], without body/table"
    );
}
