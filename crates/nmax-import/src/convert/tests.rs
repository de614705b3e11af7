use super::*;
use crate::recording::{Entry, Kind};
use crate::tests::{get, page, post, recording};

fn shop(pause_ms: i64, csrf: &str) -> Recording {
    let form = format!("<form method=post action=/login><input type=hidden name=csrf value={csrf}></form>");
    recording(vec![
        page(0, "/login", &form),
        post(20 + pause_ms, "/login", &format!("csrf={csrf}&email=ada%40shop.test&password=Engine1")),
    ])
}

#[test]
fn visits_of_the_same_journey_are_one_scenario_with_pauses_that_differ() {
    let visits = vec![
        shop(1000, "8d1f0c5e7b2a49e6a1b2"),
        shop(4000, "0aa39fd2c41b47f09c3d"),
        shop(2000, "77c0e1d9f3b24a5d8e6f"),
    ];
    let made = convert(visits, &Options::default());
    assert_eq!((made.summary.scenarios, made.summary.steps, made.summary.entries), (1, 2, 6));
    // Mean and deviation of ln 1, ln 4, ln 2 are ln 2 and ln 2: p95 is 2 · 2^1.645.
    assert!(made.plan.contains("think: { median: 2s, p95: 6.3s }"), "{}", made.plan);
    let fixed = Options { think: Think::Fixed(Duration::from_millis(250)), ..Options::default() };
    assert!(convert(vec![shop(1000, "x"), shop(4000, "y")], &fixed).plan.contains("think: 250ms"));
}

/// Other articles make no other journey; other pages do.
#[test]
fn visits_with_other_articles_are_one_scenario() {
    let list = |a: &str, b: &str| format!("<ul><li><a href=/products/{a}>A</a><li><a href=/products/{b}>B</a></ul>");
    let visit = |path: &str, html: &str| {
        recording(vec![
            page(0, "/products", &list("p5-f4fe29", "p8-f2eebf")),
            page(4000, path, html),
            post(9000, "/basket", "pieces=1").leads_to(303, "/basket"),
            page(9050, "/basket", "<p>1</p>"),
        ])
    };
    let article = "<h1>Oak</h1><p>12</p>";
    // The second visit's page, whether both are one journey.
    let cases = [
        ("/products/p8-f2eebf", "<h1>Pine</h1><p>7</p>", true, "another article"),
        ("/products/pine-chair", "<h1>Pine</h1><p>7</p>", true, "a slug of words"),
        ("/products/p8-f2eebf", "<form><input name=q></form>", false, "a page of another kind"),
        ("/products/new", "<h1>New</h1><p>7</p>", false, "a word"),
        ("/articles/p8-f2eebf", "<h1>Pine</h1><p>7</p>", false, "another place"),
    ];
    for (path, html, is_one, why) in cases {
        let made = convert(vec![visit("/products/p5-f4fe29", article), visit(path, html)], &Options::default());
        assert_eq!(made.summary.scenarios, 2 - usize::from(is_one), "{why}: {}", made.plan);
    }
    let made = convert(
        vec![visit("/products/p5-f4fe29", article), visit("/products/p8-f2eebf", "<h1>Pine</h1><p>7</p>")],
        &Options::default(),
    );
    assert!(made.plan.contains("name: \"GET /products/{id}\""), "{}", made.plan);
    assert!(!made.plan.contains("f4fe29"), "{}", made.plan);
    let evidence: serde_json::Value = serde_json::from_str(&made.evidence).unwrap();
    assert_eq!(evidence["correlations"][0]["state"], "changes");
}

/// One visit tells no spread of pauses, and users who pause alike would stay in step.
#[test]
fn a_pause_that_was_recorded_once_is_spread() {
    let made = convert(vec![shop(5480, "8d1f0c5e7b2a49e6a1b2")], &Options::default());
    let places =
        ["think: { min: 0s, max: 5.5s }", "- get: /login", "think: { median: 5.5s, p95: 11s }", "- post: /login"]
            .map(|part| made.plan.find(part));
    assert!(places.is_sorted() && places[0].is_some(), "{places:?} in {}", made.plan);
    let without = convert(vec![shop(0, "8d1f0c5e7b2a49e6a1b2")], &Options::default());
    assert!(!without.plan.contains("think"), "{}", without.plan);
}

#[test]
fn what_looks_like_an_id_and_stays_is_told() {
    let entries = vec![
        page(0, "/", "<p>Home</p>"),
        get(3000, "/api/cards/4217/limit", Kind::Call)
            .by("POST")
            .sends("application/json", r#"{"tariffId":31,"count":12}"#),
        get(6000, "/api/orders", Kind::Call).by("POST").answers("application/json", r#"{"order":116}"#),
        get(9000, "/api/orders/116", Kind::Call).by("DELETE"),
    ];
    let made = convert(vec![recording(entries)], &Options::default());
    let evidence: serde_json::Value = serde_json::from_str(&made.evidence).unwrap();
    let places: Vec<String> = evidence["as_recorded"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kept| format!("{} {}", kept["step"], kept["place"].as_str().unwrap()))
        .collect();
    assert_eq!(places, ["2 path segment 3", "2 JSON /tariffId"], "{}", made.plan);
    assert!(made.plan.contains("delete: \"/api/orders/${order}\""), "{}", made.plan);
}

#[test]
fn different_journeys_are_scenarios_of_equal_weight() {
    let other = recording(vec![page(0, "/", "")]);
    let made = convert(vec![shop(1000, "x"), other.clone(), other], &Options::default());
    assert_eq!(made.summary.scenarios, 2);
    assert_eq!(made.plan.matches("weight: 1").count(), 2, "{}", made.plan);
    assert!(made.plan.contains("  visit 2:") || made.plan.contains("\"visit 2\":"), "{}", made.plan);
}

#[test]
fn a_call_whose_reply_is_used_is_a_step_of_its_own() {
    let token = "f3b24a5d8e6f77c0e1d9";
    let entries: Vec<Entry> = vec![
        page(0, "/", "<title>Home</title>"),
        get(50, "/api/session", Kind::Call).answers("application/json", &format!("{{\"basket\":\"{token}\"}}")),
        get(60, "/api/menu", Kind::Call).answers("application/json", "{}"),
        get(5000, &format!("/api/baskets/{token}"), Kind::Call).by("POST"),
    ];
    let made = convert(vec![recording(entries)], &Options::default());
    assert_eq!(made.summary.steps, 3, "{}", made.plan);
    assert!(made.plan.contains("- get: /api/session"), "{}", made.plan);
    assert!(made.plan.contains("- /api/menu"), "{}", made.plan);
}

/// A redirect that carries a value is a step of its own, so that the value can be proved.
#[test]
fn a_redirect_with_an_identifier_is_told_hop_by_hop() {
    let entries = vec![
        page(0, "/basket", "<title>Basket</title>"),
        post(5000, "/order", "a=1").leads_to(303, "/order/7788123"),
        page(5050, "/order/7788123", "<title>Order 7788123 - Shop</title>"),
    ];
    let made = convert(vec![recording(entries)], &Options::default());
    for wanted in ["expect: { status: 303 }", "{ header: location }", "name: \"GET /order/{id}\""] {
        assert!(made.plan.contains(wanted), "no `{wanted}` in\n{}", made.plan);
    }
    assert!(!made.plan.contains("7788123"), "{}", made.plan);
    let evidence: serde_json::Value = serde_json::from_str(&made.evidence).unwrap();
    let steps: Vec<_> = evidence["steps"].as_array().unwrap().iter().map(|step| &step["entry"]).collect();
    assert_eq!(steps, [1, 2, 3]);
    let order = &evidence["correlations"][0];
    assert_eq!(
        (&order["from"]["request"], &order["to"][0]["request"]),
        (&"POST /order".into(), &"GET /order/{id}".into())
    );
}

#[test]
fn a_recording_without_anything_is_said() {
    let made = convert(vec![recording(vec![])], &Options::default());
    assert_eq!((made.summary.scenarios, made.summary.steps), (0, 0));
    assert!(made.summary.warnings[0].contains("nothing in it can be replayed"));
}

/// What several people typed into the same field is in the data of the plan, once each.
#[test]
fn data_is_gathered_from_all_recordings_of_a_journey() {
    let visit = |user: &str, word: &str, again: &str, pieces: u32| {
        recording(vec![
            page(0, "/login", ""),
            post(5000, "/login", &format!("email={user}%40shop.test&password=Engine-{user}")),
            page(9000, &format!("/search?q={word}"), ""),
            page(12_000, &format!("/search?q={again}"), ""),
            post(15_000, "/basket", &format!("item=7&qty={pieces}")).with("x-api-key", &format!("key-of-{user}-1234")),
        ])
    };
    let visits = vec![visit("ada", "oak", "oak", 2), visit("bob", "elm", "ash", 5), visit("ada", "oak", "fir", 1)];
    let made = convert(visits, &Options::default());
    assert_eq!(made.summary.scenarios, 1);
    let file = |name: &str| {
        let file = made.files.iter().find(|file| file.name == name).expect("the file");
        String::from_utf8(file.bytes.clone()).expect("text")
    };
    assert_eq!(file("visit.words.csv"), "q\noak\nelm\nash\nfir\n");
    assert_eq!(
        file("visit.secrets.csv"),
        "email,password,x_api_key\nada@shop.test,Engine-ada,key-of-ada-1234\nbob@shop.test,Engine-bob,key-of-bob-1234\n"
    );
    assert!(made.plan.contains("qty: \"${random(1, 5)}\""), "{}", made.plan);
}

/// A login in front of a host is sent as a header, as browsers do; what the request says itself counts more.
#[test]
fn logins_of_urls_are_headers_from_the_file_of_secrets() {
    let with_login = |path: &str| format!("http://ann:pw-4711-x@shop.test:8080{path}");
    let entries = vec![
        page(0, &with_login("/in"), ""),
        page(5000, &with_login("/other"), "").with("Authorization", "Bearer 0b7c2f4e9d1a"),
    ];
    let made = convert(vec![recording(entries)], &Options::default());
    assert!(made.plan.contains("target: \"http://shop.test:8080\""), "{}", made.plan);
    assert_eq!((made.summary.steps, made.summary.skipped.len()), (2, 0), "{}", made.plan);
    assert_eq!(made.plan.matches("authorization: \"${secrets.authorization").count(), 2, "{}", made.plan);
    let secrets = made.files.iter().find(|file| file.name == "visit.secrets.csv");
    let secrets = String::from_utf8(secrets.expect("a file of secrets").bytes.clone()).expect("text");
    // printf ann:pw-4711-x | base64
    let has_both = ["Basic YW5uOnB3LTQ3MTEteA==", "Bearer 0b7c2f4e9d1a"].map(|value| secrets.contains(value));
    assert_eq!(has_both, [true, true], "{secrets}");
    assert!(!made.plan.contains("4711") && !made.evidence.contains("4711"), "{}", made.plan);
}

/// A reply that is made to hold the parser is left, with a warning that names its entry; the rest is searched.
#[test]
fn a_reply_that_is_given_up_is_told_and_the_import_goes_on() {
    let token = "f3b24a5d8e6f77c0e1d9";
    let deep = "<div>".repeat(100_000);
    let wide = format!("<iframe{}>", (0..50_000).map(|number| format!(" a{number}")).collect::<String>());
    let quotes = "'".to_owned() + &"\\'".repeat(1 << 20);
    let entries: Vec<Entry> = vec![
        page(0, "/deep", &deep),
        page(20, "/wide", &wide),
        get(30, "/quotes", Kind::Call).answers("text/plain", &quotes),
        get(40, "/brackets", Kind::Call).answers("application/json", &"[".repeat(100_000)),
        get(50, "/api/session", Kind::Call).answers("application/json", &format!("{{\"basket\":\"{token}\"}}")),
        get(5000, &format!("/api/baskets/{token}"), Kind::Call).by("POST"),
    ];
    let made = convert(vec![recording(entries)], &Options::default());
    assert!(made.plan.contains("basket: { json: \"$.basket\" }"), "{}", made.plan);
    let warnings = made.summary.warnings.join("\n");
    for (entry, reason) in [("entry 1, GET", "nested"), ("entry 2, GET", "attributes"), ("entry 4, GET", "nested")] {
        let is_told = |warning: &&String| warning.contains(entry) && warning.contains(reason);
        assert!(made.summary.warnings.iter().any(|warning| is_told(&warning)), "{entry}: {warnings}");
    }
}
