//! Keys of what a run is made of beside its scenarios: profile, background, locations, timeline, what is observed.

use super::Shape::*;
use super::{Shape, Words, keywords};
use crate::plan::Profile;

/// Names of profiles.
pub(crate) const PROFILES: Words<Profile> = words_of!(Profile name);
/// Signals that can be sent, without `SIG`.
pub(crate) const SIGNALS: [&str; 11] =
    ["HUP", "INT", "QUIT", "KILL", "USR1", "USR2", "TERM", "CONT", "STOP", "TSTP", "WINCH"];

const STAGES: &str = "The whole shape, in place of the other keys.";

tables! {
    PROFILE "`profile`" {
        key "smoke": Object(&SMOKE),
            "One user, in place of the workload: does the plan work, and at the expected rate?";
        key "ladder": Object(&LADDER), "1, 10, 100, ... users: where does trouble with concurrency begin?";
        key "peak": Object(&PEAK), "Ramp, hold, ramp down: are the conditions kept at the expected load?";
        key "stress": Object(&STRESS), "A long ramp beyond the expected load: where does it break?";
        key "soak": Object(&SOAK), "A day of load: does anything grow, leak or recur?";
        key "flood": Object(&FLOOD), "All at once: does it settle, and how soon?";
    };
    SMOKE "`smoke`" {
        key "hold": Duration, "How long the user stays; 20m by default.";
        key "stages": STAGE_LIST, STAGES;
    };
    LADDER "`ladder`" {
        key "levels": List(&Level),
            "Its rungs; by default 1, 10, 100, ... up to the VUs, or 1%, 10% and 100% of a rate.";
        key "hold": Duration, "Time on each rung; 5m by default.";
        key "stages": STAGE_LIST, STAGES;
    };
    PEAK "`peak`" {
        key "ramp": Duration, "Length of the way up; 30m by default.";
        key "to": Level, "Level of the hold; 100% by default.";
        key "hold": Duration, "Time at that level; 2h by default.";
        key "down": Duration, "Length of the way down; 5m by default.";
        key "stages": STAGE_LIST, STAGES;
    };
    STRESS "`stress`" {
        key "ramp": Duration, "Length of the ramp; 8h by default.";
        key "to": Level, "Level at its end; 200% by default.";
        key "hold": Duration, "Time at that level; none by default.";
        key "down": Duration, "Length of a way down; none by default.";
        key "stages": STAGE_LIST, STAGES;
    };
    SOAK "`soak`" {
        key "ramp": Duration, "Length of the way up; 30m by default.";
        key "to": Level, "Level of the hold; 100% by default.";
        key "hold": Duration, "Time at that level; 24h by default.";
        key "down": Duration, "Length of a way down; none by default.";
        key "stages": STAGE_LIST, STAGES;
    };
    FLOOD "`flood`" {
        key "to": Level, "Level from the first instant on; 100% by default.";
        key "hold": Duration, "Time at that level; 2h by default.";
        key "down": Duration, "Length of a way down; none by default.";
        key "stages": STAGE_LIST, STAGES;
    };
}

const STAGE_LIST: Shape = Shape::List(&Shape::Object(&super::STAGE));

tables! {
    CHANGE "a change of the load" {
        required "at": Duration, "From when on, after the run's beginning.";
        key "to": Level, "The level from then on; that of the instant by default.";
        key "ramp": Duration, "Length of the way there; at once by default.";
    };
    LOCATION "a location" {
        key "down": BitRate, "Bits per second towards the user; not limited by default.";
        key "up": BitRate, "Bits per second from the user; not limited by default.";
        key "round_trip": Duration, "Added to each round trip; 0s by default.";
        key "jitter": Duration, "Standard deviation of what is added to a round trip; 0s by default.";
        key "weight": Number,
            "Share of the users, relative to the other locations; 1 by default, 0 = only scenarios that name it.";
    } later [("loss", "remove it; lost packets cannot be made without the kernel's help")];
    BACKGROUND "a background scenario" {
        key "open": Object(&super::OPEN), "Its iterations start by schedule, replies or not.";
        key "closed": Object(&super::CLOSED), "Its VUs start their next iteration when the last is done.";
        key "start": Duration, "When it begins, after the run's beginning; 0s by default.";
        key "duration": Duration, "How long it lasts, at most to the end of the run; to the end by default.";
    } later [
        ("mix", "give each scenario of the background a workload of its own"),
        ("stages", "write `start` and `duration`"),
        ("iterations", "write `duration`"),
    ];
    INTERVENTION "an item of `timeline`" {
        key "name": Text, "Its name in the results; what is done by default.";
        key "at": Duration, "When, after the run's beginning.";
        key "when": OneOf(|| vec!["steady"]),
            "In place of `at`: as soon as the load holds and the measurements are steady.";
        key "command": Text, "Command line for `/bin/sh -c`; needs `--allow-exec`.";
        key "http": Object(&CALL), "An HTTP call.";
        key "signal": Object(&SIGNAL), "A signal to a process of this host; needs `--allow-exec`.";
        key "limit": Duration, "Longest time that an action may take; 30s by default.";
        key "for": Duration, "How long after the action it is undone; at the end of the run by default.";
        key "undo": Object(&UNDO), "What undoes it, also when the run is aborted.";
    };
    UNDO "`undo`" {
        key "command": Text, "Command line for `/bin/sh -c`; needs `--allow-exec`.";
        key "http": Object(&CALL), "An HTTP call.";
        key "signal": Object(&SIGNAL), "A signal to a process of this host; needs `--allow-exec`.";
    };
    CALL "`http`" {
        key "get": Text, "GET this path of the target, or URL.";
        key "head": Text, "HEAD of this path or URL.";
        key "post": Text, "POST to this path or URL.";
        key "put": Text, "PUT to this path or URL.";
        key "patch": Text, "PATCH of this path or URL.";
        key "delete": Text, "DELETE of this path or URL.";
        key "options": Text, "OPTIONS of this path or URL.";
        key "body": Text, "Body, sent as it is.";
    } later [("headers", "write a `command` with curl")];
    SIGNAL "`signal`" {
        required "process": PROCESS_REF, "Name of the processes; or `{ pid: 123 }`, or `{ pid_file: /run/x.pid }`.";
        required "send": OneOf(|| SIGNALS.to_vec()), "Which signal.";
    };
}

pub(super) const PROCESS_REF: Shape = Shape::Either(&[Shape::Text, Shape::Object(&PROCESS)]);

tables! {
    PROCESS "a process" {
        key "pid": Whole(1, u32::MAX as u64), "Its number.";
        key "pid_file": Text, "File that holds its number, relative to the plan.";
    };
    CONDITION "a condition" {
        required "condition": Threshold, "The condition on the result.";
        key "abort": Duration, "Ends the run once the condition has not held for that long without a break.";
    };
}

/// The names of the profiles.
pub(crate) fn profile_names() -> Vec<&'static str> {
    keywords(PROFILES)
}
