use proptest::prelude::*;

use super::*;

/// The value as serde has it, by way of the tape.
fn by_tape(value: Value<'_>) -> serde_json::Value {
    match value.kind() {
        Kind::Array => value.items().map(by_tape).collect(),
        Kind::Object => value.members().map(|(name, value)| (name.into_owned(), by_tape(value))).collect(),
        Kind::String => value.text().into_owned().into(),
        Kind::Word | Kind::Number => serde_json::from_str(value.raw()).unwrap(),
    }
}

#[track_caller]
fn check(text: &str) {
    let want: Option<serde_json::Value> = serde_json::from_str(text).ok();
    let budget = Budget::for_body(text.len());
    let json = Json::read(text, &budget).unwrap();
    assert_eq!(json.as_ref().map(|json| by_tape(json.root())), want, "{text}");
    if let Some(json) = json {
        let again = serde_json::from_str::<serde_json::Value>(&json.root().text());
        assert!(json.root().kind() == Kind::String || again.ok() == want, "{text}");
        let all = json.root().descendants().count();
        assert_eq!(all, count(&want.unwrap()), "{text}");
    }
}

fn count(value: &serde_json::Value) -> usize {
    1 + match value {
        serde_json::Value::Array(items) => items.iter().map(count).sum(),
        serde_json::Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

#[test]
fn what_is_json_is_what_serde_says() {
    for text in [
        "",
        " ",
        "null",
        " true ",
        "nul",
        "truex",
        "\"a\"",
        "\"a",
        "\"\\u00e9\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\x\"",
        "\"\t\"",
        "\"\\\"\\\\\"",
        "0",
        "-0",
        "-",
        "01",
        "1.",
        "1.5e+3",
        "1e",
        ".5",
        "+1",
        "[]",
        "[ ]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1,2] x",
        "{}",
        "{ }",
        "{\"a\":1}",
        "{\"a\" : [ { } , \"]\" ] , \"b\":null}",
        "{\"a\"}",
        "{a:1}",
        "{\"a\":1,}",
        "{1:2}",
        "[}",
        "{]",
        "]",
        "[[",
        "{\"a\":{\"b\":{}}}",
        "[\"\\u00zz\"]",
        "\u{feff}1",
        "[\"\\\\\"]",
    ] {
        check(text);
    }
}

#[test]
fn nesting_has_an_end() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let read = |text: &str| Json::read(text, &Budget::for_body(text.len())).map(|json| json.is_some());
    assert_eq!(read(&nested(DEPTH_MAX)), Ok(true));
    assert_eq!(read(&nested(DEPTH_MAX + 1)), Err(GaveUp::Depth(DEPTH_MAX)));
    assert_eq!(read(&"[".repeat(1 << 20)), Err(GaveUp::Depth(DEPTH_MAX)));
}

/// Law: a tape takes less than three times its text, whatever the values are; only brackets within brackets take more.
#[test]
fn a_tape_is_smaller_than_three_times_its_text() {
    for item in ["1,", "[],", "{},", "\"\",", "null,", "{\"\":1},"] {
        let text = format!("[{}1]", item.repeat((8 << 20) / item.len()));
        let mut is_json = false;
        let memory = allocation_counter::measure(|| {
            is_json = Json::read(&text, &Budget::for_body(text.len())).unwrap().is_some();
        });
        assert!(is_json && memory.bytes_max < 3 * text.len() as u64, "{item} {}", memory.bytes_max);
    }
    let text = format!("[{}1]", "[[[[]]]],".repeat(1 << 20));
    assert_eq!(Json::read(&text, &Budget::for_body(text.len())).err(), Some(GaveUp::Memory(3 * text.len())));
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        "[a-z\"\\\\ \u{e9}\n]{0,6}".prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Into::into),
            prop::collection::btree_map("[a-c\"]{1,2}", inner, 0..5)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_serde_writes_is_read(value in any_json()) {
        check(&value.to_string());
        check(&serde_json::to_string_pretty(&value).unwrap());
    }

    #[test]
    fn any_text_is_read_as_serde_reads_it(text in "[\\[\\]{},:\"\\\\ 0-9eu.tru-]{0,24}") {
        check(&text);
    }
}
