//! The keys of the document: one table per map, used by the decoder and by the schema.

use crate::plan::{Arrivals, AtEnd, Connection, MatchPick, Method, Version, Visitor};

/// A map with fixed keys.
pub(crate) struct Table {
    /// What the map is, in messages.
    pub what: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// Keys of later versions, and what to write instead.
    pub later: &'static [(&'static str, &'static str)],
}

/// A key of a table.
pub(crate) struct Key {
    pub name: &'static str,
    pub shape: Shape,
    pub required: bool,
    /// One line for editors.
    pub about: &'static str,
}

/// What a value looks like.
pub(crate) enum Shape {
    /// A text, or another single value taken as text.
    Text,
    Duration,
    Rate,
    Size,
    /// A percentage, a rate or a number of VUs.
    Level,
    /// A condition on the result.
    Threshold,
    Bool,
    /// A whole number in this range.
    Whole(u64, u64),
    Number,
    /// Any value.
    Any,
    /// One of these words.
    OneOf(fn() -> Vec<&'static str>),
    /// Status codes: `200`, `2xx`, `200-299`.
    Status,
    List(&'static Shape),
    /// Names of the user's choice.
    Map(&'static Shape),
    Object(&'static Table),
    Either(&'static [Shape]),
}

/// Words of a choice and what they mean.
pub(crate) type Words<T> = &'static [(&'static str, T)];

/// The words alone.
pub(crate) fn words<T>(table: Words<T>) -> Vec<&'static str> {
    table.iter().map(|(word, _)| *word).collect()
}

pub(crate) const CONNECTION: Words<Connection> = &[
    ("keep-alive", Connection::KeepAlive),
    ("per-iteration", Connection::PerIteration),
    ("per-request", Connection::PerRequest),
];
pub(crate) const VISITOR: Words<Visitor> = &[("returning", Visitor::Returning), ("new", Visitor::New)];
pub(crate) const VERSION: Words<Version> = &[("1.1", Version::Http11), ("1.0", Version::Http10)];
pub(crate) const AT_END: Words<AtEnd> = &[("wrap", AtEnd::Wrap), ("stop", AtEnd::Stop), ("error", AtEnd::Error)];
pub(crate) const ARRIVALS: Words<Arrivals> = &[("even", Arrivals::Even), ("poisson", Arrivals::Poisson)];
pub(crate) const PICK_NAMES: [&str; 4] = ["sequential", "unique", "random", "zipf"];
pub(crate) const MATCH_PICK: Words<MatchPick> = &[
    ("first", MatchPick::First),
    ("last", MatchPick::Last),
    ("random", MatchPick::Random),
];
/// Keys that make a step a request.
pub(crate) const METHODS: Words<Method> = &[
    ("get", Method::Get),
    ("head", Method::Head),
    ("post", Method::Post),
    ("put", Method::Put),
    ("patch", Method::Patch),
    ("delete", Method::Delete),
    ("options", Method::Options),
];

const fn key(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key {
        name,
        shape,
        required: false,
        about,
    }
}

const fn required(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key {
        name,
        shape,
        required: true,
        about,
    }
}

pub(crate) static ROOT: Table = Table {
    what: "the plan",
    keys: &[
        required("nmax", Shape::Whole(1, 1), "Version of the document; 1."),
        key(
            "name",
            Shape::Text,
            "Short name, for directories and headings; the file's name by default.",
        ),
        key(
            "target",
            Shape::Text,
            "Base URL, such as `https://shop.test`; `--target` overrides it.",
        ),
        key(
            "defaults",
            Shape::Object(&DEFAULTS),
            "What holds for every request unless a step says otherwise.",
        ),
        key(
            "data",
            Shape::Map(&Shape::Object(&DATA)),
            "Data sources by name; `${name.column}` reads them.",
        ),
        required(
            "scenarios",
            Shape::Map(&Shape::Object(&SCENARIO)),
            "Behaviours by name.",
        ),
        required("workload", Shape::Object(&WORKLOAD), "How iterations start."),
        key(
            "stages",
            Shape::List(&Shape::Object(&STAGE)),
            "The run's shape, stage after stage.",
        ),
        key(
            "duration",
            Shape::Duration,
            "Length of the run without `stages`; 30s by default.",
        ),
        key(
            "warm_up",
            Shape::Duration,
            "Time before the first hold, at its level, left out of the statistics.",
        ),
        key(
            "graceful_stop",
            Shape::Duration,
            "How long exchanges may go on after the last start; 30s by default.",
        ),
        key(
            "seed",
            Shape::Whole(0, u64::MAX),
            "Initial value of every choice; 1 by default.",
        ),
        key(
            "thresholds",
            Shape::List(&Shape::Threshold),
            "Conditions on the result.",
        ),
        key(
            "window",
            Shape::Duration,
            "Width of a window of measurements, 10ms to 60s; 1s by default.",
        ),
    ],
    later: &[
        (
            "profile",
            "write the shape out, such as `stages: [{ ramp: 30s, to: 100% }, { hold: 2m }]`",
        ),
        ("observe", "remove it; watch the servers with their own tools meanwhile"),
        (
            "transactions",
            "remove it; give requests a `name` and set thresholds on them",
        ),
        ("hosts", "remove it; name the server in `target`"),
        ("timeline", "remove it"),
        ("scripts", "write the behaviour as `scenarios`"),
        ("tags", "remove it; use `--tag` on the command"),
    ],
};

pub(crate) static DEFAULTS: Table = Table {
    what: "`defaults`",
    keys: &[
        key(
            "connection",
            Shape::OneOf(|| words(CONNECTION)),
            "When connections are closed; keep-alive by default.",
        ),
        key(
            "visitor",
            Shape::OneOf(|| words(VISITOR)),
            "Whether a VU is known to the server from before; returning by default.",
        ),
        key(
            "version",
            Shape::OneOf(|| words(VERSION)),
            "HTTP version; 1.1 by default.",
        ),
        key(
            "timeout",
            Shape::Duration,
            "From intended send to last byte; 30s by default.",
        ),
        key("headers", Shape::Map(&Shape::Text), "Headers of every request."),
        key("body_limit", Shape::Size, "Largest reply body; 64MiB by default."),
        key("tls", Shape::Object(&TLS), "Trust in the server's certificate."),
    ],
    later: &[
        ("http", "write `version: 1.1` or `version: 1.0`"),
        (
            "redirects",
            "request the new location in a step of its own: `extract: { next: { header: location } }`",
        ),
        (
            "compression",
            "write the header `accept-encoding` into `headers`; replies are not decoded",
        ),
        ("proxy", "point `target` at the server itself"),
        ("resources", "write one step per resource"),
        ("cookies", "cookies are always kept within an iteration"),
    ],
};

pub(crate) static TLS: Table = Table {
    what: "`tls`",
    keys: &[
        key(
            "ca",
            Shape::Either(&[Shape::Text, Shape::List(&Shape::Text)]),
            "PEM files with additional issuers.",
        ),
        key("insecure", Shape::Bool, "Accept any certificate."),
    ],
    later: &[
        ("cert", "remove it; client certificates are not sent"),
        ("key", "remove it; client certificates are not sent"),
    ],
};

pub(crate) static DATA: Table = Table {
    what: "a data source",
    keys: &[
        required(
            "csv",
            Shape::Text,
            "CSV file with a header row, relative to the plan; separated by `,`, else `;`, else tab.",
        ),
        key(
            "pick",
            Shape::OneOf(|| PICK_NAMES.to_vec()),
            "Which row an iteration reads; sequential by default.",
        ),
        key(
            "exponent",
            Shape::Number,
            "Skew of `pick: zipf`, above 0; 1 by default.",
        ),
        key(
            "at_end",
            Shape::OneOf(|| words(AT_END)),
            "What happens after the last row; wrap, or stop for `pick: unique`.",
        ),
    ],
    later: &[
        ("generate", "write the rows into a file and read it with `csv: FILE`"),
        ("unique", "write `pick: unique`, with rows that differ"),
        ("locale", "write the rows into a file and read it with `csv: FILE`"),
        ("json", "write the rows into a file and read it with `csv: FILE`"),
        ("delimiter", "remove it; the header row shows the delimiter"),
    ],
};

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
            "expect",
            Shape::Object(&EXPECT),
            "What makes the reply ok; a status of 200-399 by default.",
        ),
        key(
            "extract",
            Shape::Map(&Shape::Object(&EXTRACT)),
            "Values taken from the reply, by name; `${name}` reads them.",
        ),
        key("timeout", Shape::Duration, "Instead of `defaults.timeout`."),
    ],
    later: &[
        ("resources", "write one step per resource"),
        ("transaction", "give requests a `name` and set thresholds on them"),
        ("websocket", "remove the step"),
        ("script", "write the behaviour as steps"),
        ("repeat", "write the steps out"),
        ("if", "write scenarios for the cases and weigh them in `mix`"),
        ("multipart", "write the body as a text: `body: ...`"),
        ("file", "write the body as a text: `body: ...`"),
        (
            "redirects",
            "request the new location in a step of its own: `extract: { next: { header: location } }`",
        ),
    ],
};

const PAIRS: Shape = Shape::Either(&[
    Shape::Map(&Shape::Either(&[Shape::Text, Shape::List(&Shape::Text)])),
    Shape::List(&Shape::Map(&Shape::Text)),
]);

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
            Shape::Either(&[Shape::Text, Shape::List(&Shape::Text)]),
            "Text in the body.",
        ),
        key(
            "lacks",
            Shape::Either(&[Shape::Text, Shape::List(&Shape::Text)]),
            "Text that must not be in the body.",
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

pub(crate) static WORKLOAD: Table = Table {
    what: "`workload`",
    keys: &[
        key(
            "mix",
            Shape::Map(&Shape::Number),
            "Weights of the scenarios; absent ones never run.",
        ),
        key(
            "open",
            Shape::Object(&OPEN),
            "Iterations start by schedule, replies or not.",
        ),
        key(
            "closed",
            Shape::Object(&CLOSED),
            "VUs start their next iteration when the last is done.",
        ),
        key(
            "iterations",
            Shape::Whole(1, 1 << 53),
            "Stop after that many iterations.",
        ),
    ],
    later: &[
        ("sessions", "write `open` with `rate`"),
        ("trace", "write `stages` that follow the trace"),
    ],
};

pub(crate) static OPEN: Table = Table {
    what: "`open`",
    keys: &[
        required("rate", Shape::Rate, "Iterations per time at 100 %, such as `200/s`."),
        key(
            "arrivals",
            Shape::OneOf(|| words(ARRIVALS)),
            "Law of the arrivals; even by default.",
        ),
        key(
            "max_in_flight",
            Shape::Whole(1, 1_000_000),
            "Iterations at once; due ones wait beyond it. 10000 by default.",
        ),
    ],
    later: &[],
};

pub(crate) static CLOSED: Table = Table {
    what: "`closed`",
    keys: &[required("vus", Shape::Whole(1, 1_000_000), "VUs at 100 %.")],
    later: &[
        ("think", "write `think` steps into the scenarios"),
        ("pacing", "write `pacing` into the scenarios"),
    ],
};

pub(crate) static STAGE: Table = Table {
    what: "a stage",
    keys: &[
        key(
            "ramp",
            Shape::Duration,
            "Length of a linear change, from the level before (0 at first) to `to`.",
        ),
        key(
            "hold",
            Shape::Duration,
            "Length of a steady level: that before (100% at first), or `to` at once.",
        ),
        key(
            "to",
            Shape::Level,
            "Level at its end: a share (`100%`), a rate (`200/s`) or a number of VUs.",
        ),
    ],
    later: &[
        ("burst", "write `{ ramp: 1ms, to: ... }`"),
        ("sine", "write several ramps"),
        ("repeat", "write the stages out"),
    ],
};
