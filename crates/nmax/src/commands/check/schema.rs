//! The JSON Schemas (2020-12) of what `nmax check` and `nmax check --once` print.

use nmax_metrics::ErrorKind;
use nmax_plan::plan::Profile;
use serde_json::{Value, json};

use crate::commands::schema::{
    allow, boolean, count, described, document, first_version, list, number, one_of, or_null, record, text,
};

/// Of `nmax check`.
pub fn check() -> Value {
    document(
        "nmax check",
        &[
            first_version(),
            ("name", text()),
            ("target", text()),
            ("plan", described(text(), "As resolved, YAML; secrets are blanked.")),
            ("duration_s", described(or_null(number()), "Null when only a number of iterations ends the run.")),
            ("iterations", described(or_null(count()), "Null: as many as the replies allow.")),
            ("requests", described(or_null(count()), "On average, when none fails.")),
            ("peak_rate_per_s", described(or_null(number()), "Iterations per second of an open workload.")),
            ("peak_vus", described(or_null(number()), "Virtual users of a closed one.")),
            ("peak_requests_per_s", or_null(number())),
            ("scenarios", list(scenario())),
            ("compress", described(number(), "How many times shorter than written.")),
            ("warnings", list(text())),
            ("machine", machine()),
            ("advice", advice()),
            ("sources", sources()),
        ],
    )
}

/// What the plan observes, in its order.
fn sources() -> Value {
    let clock = record(&[
        ("offset_s", described(number(), "The calendar of its host, less that of this one.")),
        ("error_s", described(number(), "How far its readings may be from where they belong.")),
    ]);
    let source = record(&[
        ("kind", described(text(), "The word of the plan for it.")),
        ("name", text()),
        ("host", described(text(), "Whose figures it gives.")),
        ("place", described(text(), "Where it is; secrets are blanked.")),
        ("ok", described(boolean(), "Whether it can be read.")),
        ("about", described(or_null(text()), "What it says that it is, with its version; null where it does not say.")),
        (
            "figures",
            described(
                or_null(count()),
                "Of its first reading; rates begin with the second one. Null where it cannot be read.",
            ),
        ),
        ("clock", described(or_null(clock), "Of an agent's host.")),
        ("error", described(or_null(text()), "Why it cannot be read, and what to do.")),
        ("notes", described(list(text()), "What else is to be known of it.")),
    ]);
    described(or_null(list(source)), "What is observed, each tried once; null with --quick.")
}

fn scenario() -> Value {
    let mut requests = record(&[
        ("least", count()),
        ("most", or_null(count())),
        ("expected", described(or_null(number()), "On average.")),
    ]);
    requests["type"] = json!(["integer", "object"]);
    record(&[
        ("name", text()),
        ("share", described(number(), "Of the iterations, 0 to 1.")),
        ("iterations", or_null(count())),
        ("requests", or_null(count())),
        ("requests_per_iteration", described(requests, "A number where each iteration makes as many.")),
    ])
}

/// All of it, or why it could not be measured.
fn machine() -> Value {
    let mut machine = or_null(record(&[]));
    let keys = [
        ("requests_per_core_s", number()),
        ("workers", count()),
        ("capacity_per_s", described(number(), "Requests per second at 70 % of its cores.")),
        ("needed_per_s", described(or_null(number()), "At the peak.")),
        ("is_enough", or_null(boolean())),
        ("wake", or_null(wake())),
        ("error", described(text(), "Why it could not be measured; nothing else is there then.")),
    ];
    for (key, rules) in keys {
        allow(&mut machine, key, rules);
    }
    described(machine, "What this machine can; null with --quick.")
}

/// How late a thread wakes.
fn wake() -> Value {
    record(&[
        ("wakes", count()),
        ("p50_ms", number()),
        ("p99_ms", number()),
        ("max_ms", number()),
        ("target_p99_ms", described(number(), "The p99 of targets that are slower can be told.")),
    ])
}

fn advice() -> Value {
    let profiles = list(one_of(Profile::ALL.map(Profile::name)));
    record(&[
        ("every_profile", boolean()),
        ("profiles", described(profiles, "To run, in order.")),
        ("reasons", list(text())),
    ])
}

/// Of `nmax check --once`.
pub fn once() -> Value {
    let outcomes = ["ok", "failed"].into_iter().chain(ErrorKind::ALL.map(ErrorKind::name));
    let exchange = record(&[
        ("name", text()),
        ("outcome", one_of(outcomes)),
        (
            "status",
            described(
                json!({ "type": ["integer", "string", "null"] }),
                "A text where the protocol has such; null without a valid reply.",
            ),
        ),
        ("response_time_ms", number()),
        ("failure", described(or_null(text()), "Why it is not ok.")),
        ("request", described(text(), "Head and body; secrets are blanked.")),
        ("reply_head", text()),
        ("reply_body", described(text(), "Its beginning.")),
        ("reply_body_bytes", described(or_null(count()), "All of it.")),
    ]);
    let scenario = record(&[
        ("name", text()),
        ("ok", boolean()),
        ("exchanges", list(exchange)),
        ("failures", described(list(text()), "What was not ok and is no exchange.")),
    ]);
    document(
        "nmax check --once",
        &[first_version(), ("ok", boolean()), ("scenarios", list(scenario)), ("sources", sources())],
    )
}
