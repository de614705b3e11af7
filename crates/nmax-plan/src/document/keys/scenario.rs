//! Keys of scenarios, steps and replies.

use nmax_metrics::MetricKind;

use super::Shape::*;
use super::http::{REDIRECTS_SHAPE, TEXTS};
use super::{MATCH_PICK, Shape, Words, keywords};
use crate::plan::Comparison;

/// How the sides of a condition are compared.
pub(crate) const OPERATORS: Words<Comparison> = words_of!(Comparison sign);

/// Kinds of metrics.
pub(crate) const METRIC_KIND: Words<MetricKind> = &MetricKind::WORDS;

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

const MATCH: &str = "Regular expression on what was found: its group 1, or all that it matches; the rest is not found. Of \
                     several each is on what the one before found.";

tables! {
    RUN_SETUP "`setup`" {
        required "steps": Steps, "Steps, in order.";
    };
    RUN_TEARDOWN "`teardown`" {
        required "steps": Steps, "Steps, in order.";
    };
    SCENARIO "a scenario" {
        key "weight": Number, "Share in the mix, relative to the others; instead of `workload.mix`.";
        key "pacing": Duration, "Least time between two starts of the same VU (closed workloads).";
        key "location": Text, "Where all its users are, by name, in place of the mix of `locations`.";
        key "setup": Steps, "Done once by each VU before its first iteration of the scenario; the values stay.";
        required "steps": Steps, "Steps, in order.";
        key "teardown": Steps,
            "Done once at the end of the run by each VU that began the setup, also when that failed.";
    } later [
        ("script", "write the behaviour as `steps`"),
        ("transactions", "write `- transaction: NAME` with its `steps`"),
    ];
    STEP "a step" {
        key "get": Text, "GET this path or URL.";
        key "head": Text, "HEAD of this path or URL.";
        key "post": Text, "POST to this path or URL.";
        key "put": Text, "PUT to this path or URL.";
        key "patch": Text, "PATCH of this path or URL.";
        key "delete": Text, "DELETE of this path or URL.";
        key "options": Text, "OPTIONS of this path or URL.";
        key "think": Either(&[Duration, Object(&THINK)]), "A user's pause.";
        key "set": Map(&Text), "Values by name, one after the other; `${name}` reads them.";
        key "transaction": Text, "Its `steps` are measured together under this name.";
        key "if": Condition,
            "Does `then` when it holds, else `else`: `${stock} > 0`, or `all`, `any` or `not` of such.";
        key "repeat": Text, "Does its `steps` that many times, at most 10000.";
        key "while": Condition, "Does its `steps` as long as this holds, looked at before each pass.";
        key "choose": List(&Object(&BRANCH)), "Does the steps of one of these, by chance.";
        key "end": OneOf(|| vec!["ok"]), "Ends the iteration, as planned.";
        key "fail": Text, "Ends the iteration as failed, for this reason.";
        key "steps": Steps, "Steps of a `transaction`, `repeat` or `while`, in order.";
        key "then": Steps, "Steps of an `if` that holds.";
        key "else": Steps, "Steps of an `if` that does not hold.";
        key "as": Text, "Name of the value that counts the passes of a loop, from 1.";
        key "max": Whole(1, 10_000), "Most passes of `while`; one more fails the iteration. 10000 by default.";
        key "name": Text, "Name under which it is measured; method and path by default.";
        key "query": PAIRS, "Query parameters, encoded when sent.";
        key "headers": Map(&Text), "Headers, after those of `defaults`; the same name replaces.";
        key "body": Text, "Body, sent as it is.";
        key "json": Any, "JSON body: YAML, or JSON as a text.";
        key "form": PAIRS, "Body of a form.";
        key "multipart": PARTS,
            "Body of a form with files: texts by name, or `{ file: PATH, type: image/png, name: a.png }`.";
        key "file": Text, "File whose bytes are the body, relative to the plan.";
        key "expect_continue": Bool,
            "Send the body only when the server asks for it, or after a second; false by default.";
        key "expect": Object(&EXPECT), "What makes the reply ok; a status of 200-399 by default.";
        key "extract": Map(&Object(&EXTRACT)),
            "Values taken from the reply, by name, `${name}` reads them; from no body of more than 16 MiB.";
        key "metric": Map(&Object(&METRIC)),
            "Numbers taken from the reply, by name: metrics of one's own, for the whole run and by each of the step's tags.";
        key "timeout": Duration, "Instead of `defaults.timeout`.";
        key "redirects": REDIRECTS_SHAPE, "Instead of `defaults.redirects`.";
        key "page": Bool, "Makes it a page, measured until its last resource is there; `resources` implies it.";
        key "resources": Either(&[List(&Text), OneOf(|| vec!["discover"]), Object(&RESOURCES)]),
            "What a browser fetches with the page, relative to it.";
        key "tags": TEXTS, "Labels by which thresholds gather requests.";
    } later [
        ("websocket", "remove the step"),
        ("script", "write the behaviour as steps"),
        ("for", "write `repeat: N` and `as: NAME`"),
        ("switch", "write `if`, `then` and `else`, one in the other"),
    ];
    BRANCH "a branch of `choose`" {
        key "weight": Number, "Chance relative to the other branches'; 1 by default.";
        required "steps": Steps, "Its steps; none for a user who goes on at once.";
    };
    /// The forms of a condition besides a text.
    DECISION "a condition of a step" {
        key "all": List(&Condition), "All of these hold.";
        key "any": List(&Condition), "One of these holds.";
        key "not": Condition, "This does not hold.";
    } later [("and", "write `all: [...]`"), ("or", "write `any: [...]`")];
    RESOURCES "`resources`" {
        key "list": List(&Text), "Paths and URLs, relative to the page.";
        key "discover": OneOf(|| keywords(DISCOVER)),
            "Whether those that the page and its style sheets name are fetched too.";
        key "hosts": TEXTS, "Other hosts whose resources are fetched too, such as `cdn.test`.";
    };
}

const PAIRS: Shape = Shape::Either(&[Shape::Map(&TEXTS), Shape::List(&Shape::Map(&Shape::Text))]);

const PARTS: Shape = Shape::Either(&[
    Shape::Map(&Shape::Either(&[PART_SHAPE, Shape::List(&PART_SHAPE)])),
    Shape::List(&Shape::Map(&PART_SHAPE)),
]);
const WANTED: Shape = Shape::Either(&[Shape::Text, Shape::Null, Shape::List(&Shape::Text)]);
const PART_SHAPE: Shape = Shape::Either(&[Shape::Text, Shape::Object(&PART)]);

tables! {
    PART "a part of `multipart`" {
        key "file": Text, "File whose bytes are the content, relative to the plan.";
        key "text": Text, "The content as a text.";
        key "type": Text, "Its content type; that of a file is `application/octet-stream` by default.";
        key "name": Text, "Name of the file as told to the server; that of `file` without folders by default.";
    };
    THINK "`think`" {
        key "fixed": Duration, "Always the same.";
        key "min": Duration, "Shortest; equally likely up to `max`.";
        key "max": Duration, "Longest.";
        key "median": Duration, "Half of the pauses are shorter (lognormal).";
        key "p95": Duration, "One in twenty is longer.";
    } later [
        ("recorded", "write `think: { median: ..., p95: ... }` from the recording"),
        ("mean", "write `think: { median: ..., p95: ... }`"),
    ];
    EXPECT "`expect`" {
        key "status": Either(&[Status, List(&Status)]), "Accepted status codes: 200, 2xx or 200-299.";
        key "contains": TEXTS, "Text in the body, of which the first 16 MiB are looked at.";
        key "lacks": TEXTS,
            "Text that must not be in the body; one of more than 16 MiB fails, since its end is not looked at.";
        key "header": Map(&Text), "Headers that must be there and contain a text; `absent` for one that must not be there.";
        key "json": Map(&WANTED),
            "What values of a JSON body must be, by JSONPath: `> 0`, `== open`, `open` alone, `exists` or `absent`, or a list of these.";
        key "max_time": Duration, "Longest response time, from when the request was due to the last byte of the reply.";
        key "finds": Either(&[Object(&FINDS), List(&Object(&FINDS))]), "What an extractor must find.";
    } later [
        ("body", "write `contains: TEXT`"),
        ("size", "write `contains: TEXT` or a threshold on `bytes`"),
    ];
    FINDS "`finds`" {
        key "regex": Text, "Regular expression on the body.";
        key "css": Text, "CSS selector; `a.item@href` is the attribute `href`.";
        key "json": Text, "JSONPath (RFC 9535).";
        key "header": Text, "Name of a header.";
        key "match": TEXTS, MATCH;
    } later [("xpath", "write `css: SELECTOR`")];
    EXTRACT "an extractor" {
        key "regex": Text, "Regular expression on the body: group 1, or all when it has no group.";
        key "css": Text, "CSS selector; `a.item@href` is the attribute `href`, else the element's text.";
        key "json": Text, "JSONPath (RFC 9535).";
        key "header": Text, "Name of a header.";
        key "match": TEXTS, MATCH;
        key "pick": Either(&[OneOf(|| keywords(MATCH_PICK)), Whole(1, 1_000_000)]),
            "Which of several matches; first by default, or a number from 1.";
        key "default": Text, "Used when nothing matches; without it the iteration fails.";
    } later [
        ("xpath", "write `css: SELECTOR`"),
        ("cookie", "cookies are sent back by themselves; for other uses take `header: set-cookie`"),
    ];
    METRIC "a metric" {
        key "regex": Text, "Regular expression on the body: group 1, or all when it has no group.";
        key "css": Text, "CSS selector; `a.item@href` is the attribute `href`, else the element's text.";
        key "json": Text, "JSONPath (RFC 9535).";
        key "header": Text, "Name of a header.";
        key "match": TEXTS, MATCH;
        key "pick": Either(&[OneOf(|| keywords(MATCH_PICK)), Whole(1, 1_000_000)]),
            "Which of several matches; first by default, or a number from 1.";
        required "as": OneOf(|| keywords(METRIC_KIND)),
            "What its numbers come to: counter (their sum), gauge (the last, least and most), rate (the share that is not 0) \
             or trend (their distribution).";
        key "unit": Text, "What a number is of, for people: `EUR`, `ms`, `items`.";
    } later [("default", "remove it; a reply without a number is counted as such")];
}
