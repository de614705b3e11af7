//! Keys of scenarios, steps and replies.

use super::http::{TEXTS, redirects};
use super::{MATCH_PICK, Shape, Table, key, required, words};

pub(crate) static SCENARIO: Table = Table {
    what: "a scenario",
    keys: &[
        key(
            "weight",
            Shape::Number,
            "Share in the mix, relative to the others; instead of `workload.mix`.",
        ),
        key(
            "pacing",
            Shape::Duration,
            "Least time between two starts of the same VU (closed workloads).",
        ),
        required("steps", Shape::List(&Shape::Object(&STEP)), "Steps, in order."),
    ],
    later: &[
        ("setup", "write the steps at the beginning of `steps`"),
        ("teardown", "write the steps at the end of `steps`"),
        ("script", "write the behaviour as `steps`"),
        ("transactions", "give requests a `name` and set thresholds on them"),
    ],
};

pub(crate) static STEP: Table = Table {
    what: "a step",
    keys: &[
        key("get", Shape::Text, "GET this path or URL."),
        key("head", Shape::Text, "HEAD of this path or URL."),
        key("post", Shape::Text, "POST to this path or URL."),
        key("put", Shape::Text, "PUT to this path or URL."),
        key("patch", Shape::Text, "PATCH of this path or URL."),
        key("delete", Shape::Text, "DELETE of this path or URL."),
        key("options", Shape::Text, "OPTIONS of this path or URL."),
        key(
            "think",
            Shape::Either(&[Shape::Duration, Shape::Object(&THINK)]),
            "A user's pause.",
        ),
        key(
            "name",
            Shape::Text,
            "Name under which it is measured; method and path by default.",
        ),
        key("query", PAIRS, "Query parameters, encoded when sent."),
        key(
            "headers",
            Shape::Map(&Shape::Text),
            "Headers, after those of `defaults`; the same name replaces.",
        ),
        key("body", Shape::Text, "Body, sent as it is."),
        key("json", Shape::Any, "JSON body: YAML, or JSON as a text."),
        key("form", PAIRS, "Body of a form."),
        key(
            "multipart",
            PARTS,
            "Body of a form with files: texts by name, or `{ file: PATH, type: image/png, name: a.png }`.",
        ),
        key(
            "file",
            Shape::Text,
            "File whose bytes are the body, relative to the plan.",
        ),
        key(
            "expect_continue",
            Shape::Bool,
            "Send the body only when the server asks for it, or after a second; false by default.",
        ),
        key(
            "expect",
            Shape::Object(&EXPECT),
            "What makes the reply ok; a status of 200-399 by default.",
        ),
        key(
            "extract",
            Shape::Map(&Shape::Object(&EXTRACT)),
            "Values taken from the reply, by name, `${name}` reads them; from no body of more than 16 MiB.",
        ),
        key("timeout", Shape::Duration, "Instead of `defaults.timeout`."),
        redirects("Instead of `defaults.redirects`."),
    ],
    later: &[
        ("resources", "write one step per resource"),
        ("transaction", "give requests a `name` and set thresholds on them"),
        ("websocket", "remove the step"),
        ("script", "write the behaviour as steps"),
        ("repeat", "write the steps out"),
        ("if", "write scenarios for the cases and weigh them in `mix`"),
    ],
};

const PAIRS: Shape = Shape::Either(&[Shape::Map(&TEXTS), Shape::List(&Shape::Map(&Shape::Text))]);

const PARTS: Shape = Shape::Either(&[
    Shape::Map(&Shape::Either(&[PART_SHAPE, Shape::List(&PART_SHAPE)])),
    Shape::List(&Shape::Map(&PART_SHAPE)),
]);
const PART_SHAPE: Shape = Shape::Either(&[Shape::Text, Shape::Object(&PART)]);

pub(crate) static PART: Table = Table {
    what: "a part of `multipart`",
    keys: &[
        key(
            "file",
            Shape::Text,
            "File whose bytes are the content, relative to the plan.",
        ),
        key("text", Shape::Text, "The content as a text."),
        key(
            "type",
            Shape::Text,
            "Its content type; that of a file is `application/octet-stream` by default.",
        ),
        key(
            "name",
            Shape::Text,
            "Name of the file as told to the server; that of `file` without folders by default.",
        ),
    ],
    later: &[],
};

pub(crate) static THINK: Table = Table {
    what: "`think`",
    keys: &[
        key("fixed", Shape::Duration, "Always the same."),
        key("min", Shape::Duration, "Shortest; equally likely up to `max`."),
        key("max", Shape::Duration, "Longest."),
        key("median", Shape::Duration, "Half of the pauses are shorter (lognormal)."),
        key("p95", Shape::Duration, "One in twenty is longer."),
    ],
    later: &[
        (
            "recorded",
            "write `think: { median: ..., p95: ... }` from the recording",
        ),
        ("mean", "write `think: { median: ..., p95: ... }`"),
    ],
};

pub(crate) static EXPECT: Table = Table {
    what: "`expect`",
    keys: &[
        key(
            "status",
            Shape::Either(&[Shape::Status, Shape::List(&Shape::Status)]),
            "Accepted status codes: 200, 2xx or 200-299.",
        ),
        key(
            "contains",
            TEXTS,
            "Text in the body, of which the first 16 MiB are looked at.",
        ),
        key(
            "lacks",
            TEXTS,
            "Text that must not be in the body; one of more than 16 MiB fails, since its end is not looked at.",
        ),
        key(
            "header",
            Shape::Map(&Shape::Text),
            "Headers that must be there and contain a text.",
        ),
        key(
            "finds",
            Shape::Either(&[Shape::Object(&FINDS), Shape::List(&Shape::Object(&FINDS))]),
            "What an extractor must find.",
        ),
    ],
    later: &[
        (
            "response_time",
            "write a threshold, such as `response_time p95 < 400ms for request NAME`",
        ),
        ("body", "write `contains: TEXT`"),
        ("size", "write `contains: TEXT` or a threshold on `bytes`"),
    ],
};

pub(crate) static FINDS: Table = Table {
    what: "`finds`",
    keys: &[
        key("regex", Shape::Text, "Regular expression on the body."),
        key(
            "css",
            Shape::Text,
            "CSS selector; `a.item@href` is the attribute `href`.",
        ),
        key("json", Shape::Text, "JSONPath (RFC 9535)."),
        key("header", Shape::Text, "Name of a header."),
    ],
    later: &[("xpath", "write `css: SELECTOR`")],
};

pub(crate) static EXTRACT: Table = Table {
    what: "an extractor",
    keys: &[
        key(
            "regex",
            Shape::Text,
            "Regular expression on the body: group 1, or all when it has no group.",
        ),
        key(
            "css",
            Shape::Text,
            "CSS selector; `a.item@href` is the attribute `href`, else the element's text.",
        ),
        key("json", Shape::Text, "JSONPath (RFC 9535)."),
        key("header", Shape::Text, "Name of a header."),
        key(
            "pick",
            Shape::Either(&[Shape::OneOf(|| words(MATCH_PICK)), Shape::Whole(1, 1_000_000)]),
            "Which of several matches; first by default, or a number from 1.",
        ),
        key(
            "default",
            Shape::Text,
            "Used when nothing matches; without it the iteration fails.",
        ),
    ],
    later: &[
        ("xpath", "write `css: SELECTOR`"),
        (
            "cookie",
            "cookies are sent back by themselves; for other uses take `header: set-cookie`",
        ),
    ],
};
