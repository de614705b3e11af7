//! Keys of what a run is made of beside its scenarios: profile, background, locations, timeline, what is observed.

use super::{Shape, Table, Words, key, required, words};
use crate::plan::Profile;

/// Names of profiles.
pub(crate) const PROFILES: Words<Profile> = &[
    ("smoke", Profile::Smoke),
    ("ladder", Profile::Ladder),
    ("peak", Profile::Peak),
    ("stress", Profile::Stress),
    ("soak", Profile::Soak),
    ("flood", Profile::Flood),
];
/// Signals that can be sent, without `SIG`.
pub(crate) const SIGNALS: [&str; 11] =
    ["HUP", "INT", "QUIT", "KILL", "USR1", "USR2", "TERM", "CONT", "STOP", "TSTP", "WINCH"];

const STAGES: &str = "The whole shape, in place of the other keys.";

pub(crate) static PROFILE: Table = Table {
    what: "`profile`",
    keys: &[
        key(
            "smoke",
            Shape::Object(&SMOKE),
            "One user, in place of the workload: does the plan work, and at the expected rate?",
        ),
        key("ladder", Shape::Object(&LADDER), "1, 10, 100, ... users: where does trouble with concurrency begin?"),
        key("peak", Shape::Object(&PEAK), "Ramp, hold, ramp down: are the conditions kept at the expected load?"),
        key("stress", Shape::Object(&STRESS), "A long ramp beyond the expected load: where does it break?"),
        key("soak", Shape::Object(&SOAK), "A day of load: does anything grow, leak or recur?"),
        key("flood", Shape::Object(&FLOOD), "All at once: does it settle, and how soon?"),
    ],
    later: &[],
};

pub(crate) static SMOKE: Table = Table {
    what: "`smoke`",
    keys: &[
        key("hold", Shape::Duration, "How long the user stays; 20m by default."),
        key("stages", STAGE_LIST, STAGES),
    ],
    later: &[],
};

pub(crate) static LADDER: Table = Table {
    what: "`ladder`",
    keys: &[
        key(
            "levels",
            Shape::List(&Shape::Level),
            "Its rungs; by default 1, 10, 100, ... up to the VUs, or 1%, 10% and 100% of a rate.",
        ),
        key("hold", Shape::Duration, "Time on each rung; 5m by default."),
        key("stages", STAGE_LIST, STAGES),
    ],
    later: &[],
};

pub(crate) static PEAK: Table = Table {
    what: "`peak`",
    keys: &[
        key("ramp", Shape::Duration, "Length of the way up; 30m by default."),
        key("to", Shape::Level, "Level of the hold; 100% by default."),
        key("hold", Shape::Duration, "Time at that level; 2h by default."),
        key("down", Shape::Duration, "Length of the way down; 5m by default."),
        key("stages", STAGE_LIST, STAGES),
    ],
    later: &[],
};

pub(crate) static STRESS: Table = Table {
    what: "`stress`",
    keys: &[
        key("ramp", Shape::Duration, "Length of the ramp; 8h by default."),
        key("to", Shape::Level, "Level at its end; 200% by default."),
        key("hold", Shape::Duration, "Time at that level; none by default."),
        key("down", Shape::Duration, "Length of a way down; none by default."),
        key("stages", STAGE_LIST, STAGES),
    ],
    later: &[],
};

pub(crate) static SOAK: Table = Table {
    what: "`soak`",
    keys: &[
        key("ramp", Shape::Duration, "Length of the way up; 30m by default."),
        key("to", Shape::Level, "Level of the hold; 100% by default."),
        key("hold", Shape::Duration, "Time at that level; 24h by default."),
        key("down", Shape::Duration, "Length of a way down; none by default."),
        key("stages", STAGE_LIST, STAGES),
    ],
    later: &[],
};

pub(crate) static FLOOD: Table = Table {
    what: "`flood`",
    keys: &[
        key("to", Shape::Level, "Level from the first instant on; 100% by default."),
        key("hold", Shape::Duration, "Time at that level; 2h by default."),
        key("down", Shape::Duration, "Length of a way down; none by default."),
        key("stages", STAGE_LIST, STAGES),
    ],
    later: &[],
};

const STAGE_LIST: Shape = Shape::List(&Shape::Object(&super::STAGE));

pub(crate) static LOCATION: Table = Table {
    what: "a location",
    keys: &[
        key("down", Shape::BitRate, "Bits per second towards the user; not limited by default."),
        key("up", Shape::BitRate, "Bits per second from the user; not limited by default."),
        key("round_trip", Shape::Duration, "Added to each round trip; 0s by default."),
        key("jitter", Shape::Duration, "Standard deviation of what is added to a round trip; 0s by default."),
        key(
            "weight",
            Shape::Number,
            "Share of the users, relative to the other locations; 1 by default, 0 = only scenarios that name it.",
        ),
    ],
    later: &[("loss", "remove it; lost packets cannot be made without the kernel's help")],
};

pub(crate) static BACKGROUND: Table = Table {
    what: "a background scenario",
    keys: &[
        key("open", Shape::Object(&super::OPEN), "Its iterations start by schedule, replies or not."),
        key("closed", Shape::Object(&super::CLOSED), "Its VUs start their next iteration when the last is done."),
        key("start", Shape::Duration, "When it begins, after the run's beginning; 0s by default."),
        key("duration", Shape::Duration, "How long it lasts, at most to the end of the run; to the end by default."),
    ],
    later: &[
        ("mix", "give each scenario of the background a workload of its own"),
        ("stages", "write `start` and `duration`"),
        ("iterations", "write `duration`"),
    ],
};

pub(crate) static INTERVENTION: Table = Table {
    what: "an item of `timeline`",
    keys: &[
        key("name", Shape::Text, "Its name in the results; what is done by default."),
        key("at", Shape::Duration, "When, after the run's beginning."),
        key(
            "when",
            Shape::OneOf(|| vec!["steady"]),
            "In place of `at`: as soon as the load holds and the measurements are steady.",
        ),
        key("command", Shape::Text, "Command line for `/bin/sh -c`; needs `--allow-exec`."),
        key("http", Shape::Object(&CALL), "An HTTP call."),
        key("signal", Shape::Object(&SIGNAL), "A signal to a process of this host; needs `--allow-exec`."),
        key("limit", Shape::Duration, "Longest time that an action may take; 30s by default."),
        key("for", Shape::Duration, "How long after the action it is undone; at the end of the run by default."),
        key("undo", Shape::Object(&UNDO), "What undoes it, also when the run is aborted."),
    ],
    later: &[],
};

pub(crate) static UNDO: Table = Table {
    what: "`undo`",
    keys: &[
        key("command", Shape::Text, "Command line for `/bin/sh -c`; needs `--allow-exec`."),
        key("http", Shape::Object(&CALL), "An HTTP call."),
        key("signal", Shape::Object(&SIGNAL), "A signal to a process of this host; needs `--allow-exec`."),
    ],
    later: &[],
};

pub(crate) static CALL: Table = Table {
    what: "`http`",
    keys: &[
        key("get", Shape::Text, "GET this path of the target, or URL."),
        key("head", Shape::Text, "HEAD of this path or URL."),
        key("post", Shape::Text, "POST to this path or URL."),
        key("put", Shape::Text, "PUT to this path or URL."),
        key("patch", Shape::Text, "PATCH of this path or URL."),
        key("delete", Shape::Text, "DELETE of this path or URL."),
        key("options", Shape::Text, "OPTIONS of this path or URL."),
        key("body", Shape::Text, "Body, sent as it is."),
    ],
    later: &[("headers", "write a `command` with curl")],
};

pub(crate) static SIGNAL: Table = Table {
    what: "`signal`",
    keys: &[
        required("process", PROCESS_REF, "Name of the processes; or `{ pid: 123 }`, or `{ pid_file: /run/x.pid }`."),
        required("send", Shape::OneOf(|| SIGNALS.to_vec()), "Which signal."),
    ],
    later: &[],
};

pub(super) const PROCESS_REF: Shape = Shape::Either(&[Shape::Text, Shape::Object(&PROCESS)]);

pub(crate) static PROCESS: Table = Table {
    what: "a process",
    keys: &[
        key("pid", Shape::Whole(1, u32::MAX as u64), "Its number."),
        key("pid_file", Shape::Text, "File that holds its number, relative to the plan."),
    ],
    later: &[],
};

pub(crate) static CONDITION: Table = Table {
    what: "a condition",
    keys: &[
        required("condition", Shape::Threshold, "The condition on the result."),
        key("abort", Shape::Duration, "Ends the run once the condition has not held for that long without a break."),
    ],
    later: &[],
};

/// The names of the profiles.
pub(crate) fn profile_names() -> Vec<&'static str> {
    words(PROFILES)
}
