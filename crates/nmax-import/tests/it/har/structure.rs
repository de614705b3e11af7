//! What is written has the structure of HAR 1.2: every member that the standard demands, of the type that it demands.
//!
//! Source: *HTTP Archive (HAR) format*, W3C editor's draft of 14 August 2012.

use nmax_import::har;
use proptest::prelude::*;
use serde_json::Value;

use crate::made;

/// Members that the standard demands, by object: name and type.
const DEMANDED: [(&str, &[(&str, &str)]); 11] = [
    ("log", &[("version", "string"), ("creator", "object"), ("entries", "array")]),
    ("creator", &[("name", "string"), ("version", "string")]),
    ("page", &[("startedDateTime", "stamp"), ("id", "string"), ("title", "string"), ("pageTimings", "object")]),
    (
        "entry",
        &[
            ("startedDateTime", "stamp"),
            ("time", "number"),
            ("request", "object"),
            ("response", "object"),
            ("cache", "object"),
            ("timings", "object"),
        ],
    ),
    (
        "request",
        &[
            ("method", "string"),
            ("url", "string"),
            ("httpVersion", "string"),
            ("cookies", "array"),
            ("headers", "array"),
            ("queryString", "array"),
            ("headersSize", "number"),
            ("bodySize", "number"),
        ],
    ),
    (
        "response",
        &[
            ("status", "number"),
            ("statusText", "string"),
            ("httpVersion", "string"),
            ("cookies", "array"),
            ("headers", "array"),
            ("content", "object"),
            ("redirectURL", "string"),
            ("headersSize", "number"),
            ("bodySize", "number"),
        ],
    ),
    ("pair", &[("name", "string"), ("value", "string")]),
    ("postData", &[("mimeType", "string")]),
    ("params", &[("name", "string")]),
    ("content", &[("size", "number"), ("mimeType", "string")]),
    ("timings", &[("send", "number"), ("wait", "number"), ("receive", "number")]),
];
/// Members that the standard knows beside these; the others begin with an underscore.
const KNOWN: [&str; 22] = [
    "browser", "pages", "comment", "pageref", "serverIPAddress", "connection", "postData", "params", "text",
    "fileName", "contentType", "value", "path", "domain", "expires", "httpOnly", "secure", "encoding", "compression",
    "blocked", "dns", "ssl",
];

fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "stamp" => value.as_str().is_some_and(|text| text.parse::<jiff::Timestamp>().is_ok()),
        _ => value.is_object(),
    }
}

#[track_caller]
fn check(object: &Value, name: &str) {
    let (_, demanded) = DEMANDED.iter().find(|(known, _)| *known == name).unwrap();
    for (member, kind) in *demanded {
        let value = object.get(member).unwrap_or_else(|| panic!("{name} has no {member}: {object}"));
        assert!(is(value, kind), "{name}.{member} is no {kind}: {value}");
    }
    for member in object.as_object().unwrap().keys() {
        let is_known = demanded.iter().any(|(known, _)| known == member) || KNOWN.contains(&member.as_str());
        assert!(
            is_known || member.starts_with('_') || matches!(member.as_str(), "connect" | "sameSite"),
            "{name}.{member}"
        );
    }
}

fn each<'a>(object: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    object.get(list).and_then(Value::as_array).into_iter().flatten()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_is_written_has_the_structure_of_the_standard(recording in made::recording()) {
        let file: Value = serde_json::from_str(&har::write(&recording, "1.2.3")).unwrap();
        let log = &file["log"];
        check(log, "log");
        prop_assert_eq!(&log["version"], "1.2");
        check(&log["creator"], "creator");
        each(log, "pages").for_each(|page| check(page, "page"));
        for entry in each(log, "entries") {
            check(entry, "entry");
            check(&entry["timings"], "timings");
            if let Some(page) = entry.get("pageref") {
                prop_assert!(each(log, "pages").any(|known| known["id"] == *page));
            }
            for side in ["request", "response"] {
                check(&entry[side], side);
                for list in ["headers", "cookies", "queryString"] {
                    each(&entry[side], list).for_each(|pair| check(pair, "pair"));
                }
            }
            check(&entry["response"]["content"], "content");
            if let Some(data) = entry["request"].get("postData") {
                check(data, "postData");
                each(data, "params").for_each(|param| check(param, "params"));
            }
        }
    }
}
