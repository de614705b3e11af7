//! Keys of scenarios, steps and replies.

use super::http::{TEXTS, redirects};
use super::{MATCH_PICK, Shape, Table, Words, key, required, words};
use crate::plan::Comparison;

/// How the sides of a condition are compared.
pub(crate) const OPERATORS: Words<Comparison> = &[
    ("==", Comparison::Equal),
    ("!=", Comparison::NotEqual),
    ("<", Comparison::Below),
    ("<=", Comparison::AtMost),
    (">", Comparison::Above),
    (">=", Comparison::AtLeast),
    ("contains", Comparison::Contains),
];

/// The words of `discover`, and whether anything is.
pub(crate) const DISCOVER: Words<bool> = &[("none", false), ("same-origin", true)];

/// The keys that say what a step does, and those that belong to them; any other key belongs to a request.
pub(crate) const STEP_KINDS: [(&str, &[&str]); 9] = [
    ("think", &[]),
    ("set", &[]),
    ("transaction", &["steps"]),
    ("if", &["then", "else"]),
    ("repeat", &["as", "steps"]),
    ("while", &["max", "as", "steps"]),
    ("choose", &[]),
    ("end", &[]),
    ("fail", &[]),
];

pub(crate) static RUN_SETUP: Table =
    Table { what: "`setup`", keys: &[required("steps", Shape::Steps, "Steps, in order.")], later: &[] };

pub(crate) static RUN_TEARDOWN: Table =
    Table { what: "`teardown`", keys: &[required("steps", Shape::Steps, "Steps, in order.")], later: &[] };

pub(crate) static SCENARIO: Table = Table {
    what: "a scenario",
    keys: &[
        key("weight", Shape::Number, "Share in the mix, relative to the others; instead of `workload.mix`."),
        key("pacing", Shape::Duration, "Least time between two starts of the same VU (closed workloads)."),
        key("location", Shape::Text, "Where all its users are, by name, in place of the mix of `locations`."),
        key("setup", Shape::Steps, "Done once by each VU before its first iteration of the scenario; the values stay."),
        required("steps", Shape::Steps, "Steps, in order."),
        key(
            "teardown",
            Shape::Steps,
            "Done once at the end of the run by each VU that began the setup, also when that failed.",
        ),
    ],
    later: &[
        ("script", "write the behaviour as `steps`"),
        ("transactions", "write `- transaction: NAME` with its `steps`"),
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
        key("think", Shape::Either(&[Shape::Duration, Shape::Object(&THINK)]), "A user's pause."),
        key("set", Shape::Map(&Shape::Text), "Values by name, one after the other; `${name}` reads them."),
        key("transaction", Shape::Text, "Its `steps` are measured together under this name."),
        key(
            "if",
            Shape::Condition,
            "Does `then` when it holds, else `else`: `${stock} > 0`, or `all`, `any` or `not` of such.",
        ),
        key("repeat", Shape::Text, "Does its `steps` that many times, at most 10000."),
        key("while", Shape::Condition, "Does its `steps` as long as this holds, looked at before each pass."),
        key("choose", Shape::List(&Shape::Object(&BRANCH)), "Does the steps of one of these, by chance."),
        key("end", Shape::OneOf(|| vec!["ok"]), "Ends the iteration, as planned."),
        key("fail", Shape::Text, "Ends the iteration as failed, for this reason."),
        key("steps", Shape::Steps, "Steps of a `transaction`, `repeat` or `while`, in order."),
        key("then", Shape::Steps, "Steps of an `if` that holds."),
        key("else", Shape::Steps, "Steps of an `if` that does not hold."),
        key("as", Shape::Text, "Name of the value that counts the passes of a loop, from 1."),
        key("max", Shape::Whole(1, 10_000), "Most passes of `while`; one more fails the iteration. 10000 by default."),
        key("name", Shape::Text, "Name under which it is measured; method and path by default."),
        key("query", PAIRS, "Query parameters, encoded when sent."),
        key("headers", Shape::Map(&Shape::Text), "Headers, after those of `defaults`; the same name replaces."),
        key("body", Shape::Text, "Body, sent as it is."),
        key("json", Shape::Any, "JSON body: YAML, or JSON as a text."),
        key("form", PAIRS, "Body of a form."),
        key(
            "multipart",
            PARTS,
            "Body of a form with files: texts by name, or `{ file: PATH, type: image/png, name: a.png }`.",
        ),
        key("file", Shape::Text, "File whose bytes are the body, relative to the plan."),
        key(
            "expect_continue",
            Shape::Bool,
            "Send the body only when the server asks for it, or after a second; false by default.",
        ),
        key("expect", Shape::Object(&EXPECT), "What makes the reply ok; a status of 200-399 by default."),
        key(
            "extract",
            Shape::Map(&Shape::Object(&EXTRACT)),
            "Values taken from the reply, by name, `${name}` reads them; from no body of more than 16 MiB.",
        ),
        key("timeout", Shape::Duration, "Instead of `defaults.timeout`."),
        redirects("Instead of `defaults.redirects`."),
        key("page", Shape::Bool, "Makes it a page, measured until its last resource is there; `resources` implies it."),
        key(
            "resources",
            Shape::Either(&[Shape::List(&Shape::Text), Shape::OneOf(|| vec!["discover"]), Shape::Object(&RESOURCES)]),
            "What a browser fetches with the page, relative to it.",
        ),
        key("tags", TEXTS, "Labels by which thresholds gather requests."),
    ],
    later: &[
        ("websocket", "remove the step"),
        ("script", "write the behaviour as steps"),
        ("for", "write `repeat: N` and `as: NAME`"),
        ("switch", "write `if`, `then` and `else`, one in the other"),
    ],
};

pub(crate) static BRANCH: Table = Table {
    what: "a branch of `choose`",
    keys: &[
        key("weight", Shape::Number, "Chance relative to the other branches'; 1 by default."),
        required("steps", Shape::Steps, "Its steps; none for a user who goes on at once."),
    ],
    later: &[],
};

/// The forms of a condition besides a text.
pub(crate) static DECISION: Table = Table {
    what: "a condition of a step",
    keys: &[
        key("all", Shape::List(&Shape::Condition), "All of these hold."),
        key("any", Shape::List(&Shape::Condition), "One of these holds."),
        key("not", Shape::Condition, "This does not hold."),
    ],
    later: &[("and", "write `all: [...]`"), ("or", "write `any: [...]`")],
};

pub(crate) static RESOURCES: Table = Table {
    what: "`resources`",
    keys: &[
        key("list", Shape::List(&Shape::Text), "Paths and URLs, relative to the page."),
        key(
            "discover",
            Shape::OneOf(|| words(DISCOVER)),
            "Whether those that the page and its style sheets name are fetched too.",
        ),
        key("hosts", TEXTS, "Other hosts whose resources are fetched too, such as `cdn.test`."),
    ],
    later: &[],
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
        key("file", Shape::Text, "File whose bytes are the content, relative to the plan."),
        key("text", Shape::Text, "The content as a text."),
        key("type", Shape::Text, "Its content type; that of a file is `application/octet-stream` by default."),
        key("name", Shape::Text, "Name of the file as told to the server; that of `file` without folders by default."),
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
        ("recorded", "write `think: { median: ..., p95: ... }` from the recording"),
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
        key("contains", TEXTS, "Text in the body, of which the first 16 MiB are looked at."),
        key(
            "lacks",
            TEXTS,
            "Text that must not be in the body; one of more than 16 MiB fails, since its end is not looked at.",
        ),
        key("header", Shape::Map(&Shape::Text), "Headers that must be there and contain a text."),
        key(
            "finds",
            Shape::Either(&[Shape::Object(&FINDS), Shape::List(&Shape::Object(&FINDS))]),
            "What an extractor must find.",
        ),
    ],
    later: &[
        ("response_time", "write a threshold, such as `response_time p95 < 400ms for request NAME`"),
        ("body", "write `contains: TEXT`"),
        ("size", "write `contains: TEXT` or a threshold on `bytes`"),
    ],
};

pub(crate) static FINDS: Table = Table {
    what: "`finds`",
    keys: &[
        key("regex", Shape::Text, "Regular expression on the body."),
        key("css", Shape::Text, "CSS selector; `a.item@href` is the attribute `href`."),
        key("json", Shape::Text, "JSONPath (RFC 9535)."),
        key("header", Shape::Text, "Name of a header."),
        key(
            "match",
            Shape::Text,
            "Regular expression on what was found: its group 1, or all that it matches; the rest is not found.",
        ),
    ],
    later: &[("xpath", "write `css: SELECTOR`")],
};

pub(crate) static EXTRACT: Table = Table {
    what: "an extractor",
    keys: &[
        key("regex", Shape::Text, "Regular expression on the body: group 1, or all when it has no group."),
        key("css", Shape::Text, "CSS selector; `a.item@href` is the attribute `href`, else the element's text."),
        key("json", Shape::Text, "JSONPath (RFC 9535)."),
        key("header", Shape::Text, "Name of a header."),
        key(
            "match",
            Shape::Text,
            "Regular expression on what was found: its group 1, or all that it matches; the rest is not found.",
        ),
        key(
            "pick",
            Shape::Either(&[Shape::OneOf(|| words(MATCH_PICK)), Shape::Whole(1, 1_000_000)]),
            "Which of several matches; first by default, or a number from 1.",
        ),
        key("default", Shape::Text, "Used when nothing matches; without it the iteration fails."),
    ],
    later: &[
        ("xpath", "write `css: SELECTOR`"),
        ("cookie", "cookies are sent back by themselves; for other uses take `header: set-cookie`"),
    ],
};
