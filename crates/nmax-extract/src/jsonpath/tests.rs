use proptest::prelude::*;

use super::*;
use crate::GaveUp;
use crate::budget::STEPS_MIN;

const STORE: &str = r#"{ "store": { "book": [
  { "category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century", "price": 8.95, "n": [3, 1, 2] },
  { "category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": 12.99, "n": [] },
  { "category": "fiction", "author": "Herman Melville", "title": "Moby Dick", "isbn": "0-553-21311-3", "price": 8.99 },
  { "category": "fiction", "title": "The Lord of the Rings", "isbn": "0-395-19395-8", "price": 22.99, "a b": null } ],
  "bicycle": { "color": "red", "price": 399, "é": true } }, "deep": [[1, [2, [3]]], {"a": {"a": {"a": 1}}}] }"#;

fn found(path: &JsonPath, json: &Json<'_>) -> Vec<String> {
    let budget = Budget::for_body(1 << 20);
    let mut found = Vec::new();
    path.apply(json, &budget, |value| {
        let quote = if value.kind() == crate::json::Kind::String { "\"" } else { "" };
        let text = format!("{quote}{}{quote}", value.raw());
        found.push(serde_json::from_str::<serde_json::Value>(&text).unwrap().to_string());
        false
    });
    found
}

/// Both say the same of a path: that it is none, or what it selects in which order.
#[track_caller]
fn check(path: &str) {
    let document: serde_json::Value = serde_json::from_str(STORE).unwrap();
    let budget = Budget::for_body(STORE.len());
    let json = Json::read(STORE, &budget).unwrap().unwrap();
    let own = JsonPath::read(path);
    let other = serde_json_path::JsonPath::parse(path);
    assert_eq!(own.is_ok(), other.is_ok(), "{path}: {own:?} {other:?}");
    if let (Ok(own), Ok(other)) = (own, other) {
        let other: Vec<String> = other.query(&document).iter().map(|value| value.to_string()).collect();
        let mut own = found(&own, &json);
        let mut other = other;
        if path.contains("..") {
            // RFC 9535 leaves the order of descendants open.
            own.sort();
            other.sort();
        }
        assert_eq!(own, other, "{path}");
    }
}

/// Law: paths mean what another implementation of RFC 9535 takes them for.
#[test]
fn paths_select_what_the_standard_says() {
    for path in [
        "$",
        "$.store.book[*].author",
        "$..author",
        "$.store.*",
        "$.store..price",
        "$..book[2]",
        "$..book[-1]",
        "$..book[0,1]",
        "$..book[:2]",
        "$..book[?@.isbn]",
        "$..book[?@.price<10]",
        "$..*",
        "$['store']['book'][0]",
        "$[\"store\"].bicycle['\\u00e9']",
        "$.store.bicycle.é",
        "$..book[::2]",
        "$..book[::-1]",
        "$..book[3:0:-2]",
        "$..book[-1:]",
        "$..book[1:-1]",
        "$..book[::0]",
        "$..book[5:]",
        "$..n[?@>1]",
        "$..n[?@ >= 2 && @ != 3]",
        "$..book[?@.price > 8.95 || @.category == 'reference']",
        "$..book[?!@.isbn]",
        "$..book[?!(@.price < 10)]",
        "$..book[?@['a b'] == null]",
        "$..book[?length(@.title) == 9]",
        "$..book[?count(@.n[*]) > 0]",
        "$..book[?value(@.n[0]) == 3]",
        "$..book[?@.price == $.store.book[0].price]",
        "$..book[?@.n]",
        "$..book[?@.n == @.n]",
        "$..book[?@.n == @.x]",
        "$..book[?@.x == @.y]",
        "$..[?@.a]",
        "$.deep[0][1][1][0]",
        "$..a..a",
        "$ .store\n['book'] [0]",
        "$.store[ 'book' , 'bicycle' ]",
        "$..book[?@.price<=8.95]",
        "$..book[?@.title>='S']",
        "$..book[?@.category=='fiction'&&@.isbn||@.n]",
        "$..book[?(@.isbn)]",
        "$..book[? @.isbn ]",
        "$..book[?length(@.n)==0]",
        "$.store.bicycle[?@ == true]",
        "$.store.bicycle[?@ == 399.0]",
        "$.store.bicycle[?@ == 3.99e2]",
        "$[?@[?@.price]]",
        "$.store.book[0,0]",
        "$..book[?@.n==@.n && (@.price<10 || @.price>20)]",
        "$.deep[?@ == @]",
        "$..[0]",
        // Not paths.
        "",
        "store",
        "$.",
        "$..",
        "$[",
        "$[]",
        "$[01]",
        "$[-0]",
        "$[1",
        "$['a]",
        "$.1a",
        "$ ",
        " $",
        "$[?]",
        "$[?@.a=1]",
        "$[?@.* == 1]",
        "$[?1]",
        "$[?'a']",
        "$[?length(@.a)]",
        "$[?match(@.a, 'b') == true]",
        "$[?count(1) == 1]",
        "$[?unknown(@.a)]",
        "$[?@.a ==]",
        "$[?(@.a]",
        "$[?@.a && ]",
        "$[?!!@.a]",
        "$[9007199254740992]",
        "$[1:2:3:4]",
        "$[?true]",
        "$[?!@.a == 1]",
        "$[?@.a == 01]",
        "$['\\x']",
        "$['\\\"']",
        "$[\"\\'\"]",
        "$.a b",
        "$[?@.a == 1.]",
        "$[?length(@.*) == 1]",
        "$[?match(@.a)]",
        "$[?(1 == 1) == true]",
        "$['\\ud800']",
        "$[?@.a==1e]",
        "$x",
        "$[?length (@.a)==1]",
    ] {
        check(path);
    }
}

fn any_path() -> impl Strategy<Value = String> {
    let selector = prop::sample::select(vec![
        "*", "0", "-1", "'a'", "'book'", "?@.a", "?@>1", "1:", "::-1", "?@.price<10", "'n',0", "?count(@.*)>1",
        "?@[?@]", "?!@.a&&@.n||@==1", "'store'", "?@==$.deep[0][0]",
    ]);
    let segment = (selector, any::<bool>())
        .prop_map(|(selector, descends)| format!("{}[{selector}]", if descends { ".." } else { "" }));
    prop::collection::vec(segment, 0..4).prop_map(|segments| format!("${}", segments.concat()))
}

proptest! {
    #[test]
    fn any_path_selects_what_the_standard_says(path in any_path()) {
        check(&path);
    }

    /// Trap: a path that is none makes one of the two stumble.
    #[test]
    fn any_text_is_a_path_or_not(path in "\\$[.*@?!&|()\\[\\]'a-b0-9:,=<> -]{0,14}") {
        check(&path);
    }
}

/// Trap: a filter that is read twice takes twice as long at each level; parentheses take the stack.
#[test]
fn paths_are_bounded_in_depth_and_length() {
    let nested = |open: &str, close: &str, depth: usize| format!("$[?{}@{}]", open.repeat(depth), close.repeat(depth));
    for (open, close) in [("@[?", "]"), ("(", ")"), ("!(", ")")] {
        let most = JsonPath::read(&nested(open, close, 98));
        assert!(most.is_ok(), "{open}: {most:?}");
        for depth in [101, 4_000, 200_000] {
            let error = JsonPath::read(&nested(open, close, depth)).unwrap_err();
            assert!(error.contains("nested more than 100 deep"), "{error}");
            let error = JsonPath::read(&nested(open, "", depth)).unwrap_err();
            assert!(error.contains("nested more than 100 deep"), "{error}");
        }
    }
    let error = JsonPath::read(&format!("$[?{}", "length(".repeat(20_000))).unwrap_err();
    assert!(error.contains("nested more than 100 deep"), "{error}");
    for part in [".a", "[0]", "[?@.a]", "..*"] {
        let error = JsonPath::read(&format!("${}", part.repeat(2_000))).unwrap_err();
        assert!(error.contains("1,000 parts"), "{error}");
    }
}

#[test]
fn a_wrong_path_says_where() {
    let error = JsonPath::read("$.é[?@.a = 1]").unwrap_err();
    assert_eq!(error, "at character 10, `,` or `]` is expected");
}

/// Trap: `..` visits a node once for each way that leads to it.
#[test]
fn a_path_that_multiplies_nodes_ends() {
    let deep = format!("{}1{}", "[".repeat(120), "]".repeat(120));
    let tree = (0..13).fold("1".to_owned(), |tree, _| format!("[{tree},{tree}]"));
    let wide = format!("[{}1]", "1,".repeat(5_000));
    for (path, text) in [
        ("$..*..*..*..*..*", deep.as_str()),
        ("$..[?@..[?@..[?@..[?@..x]]]]", &tree),
        ("$[?count($..*) > 1]", &wide),
        ("$[?count($[?count($[*]) > 9]) > 1]", &wide),
        ("$[?@ == $[4999] && count($[*]) < 1]", &wide),
    ] {
        let budget = Budget::for_body(text.len());
        let json = Json::read(text, &budget).unwrap().unwrap();
        let mut count = 0_u64;
        JsonPath::read(path).unwrap().apply(&json, &budget, |_| {
            count += 1;
            false
        });
        assert_eq!(budget.check(), Err(GaveUp::Steps), "{path}");
        assert!(budget.steps() < STEPS_MIN + 100_000 && count <= STEPS_MIN, "{path}");
    }
}
