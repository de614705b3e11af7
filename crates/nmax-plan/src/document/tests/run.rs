//! What a run is made of beside its scenarios: profile, background, locations, timeline, what is observed, conditions.

use std::time::Duration;

use super::{options, rendered};
use crate::document::{Options, parse};
use crate::plan::*;
use crate::schedule::{Stage, StageKind};
use crate::threshold::{Metric, Scope};

/// Valid, and uses every key of these parts at least once, but those of the other profiles.
pub(super) const RUN_KEYS: &str = include_str!("run_keys.yaml");

/// Documents that use every key of every profile.
pub(super) fn profiles() -> Vec<String> {
    let shapes = [
        "smoke: { hold: 1m }",
        "ladder: { levels: [1, 50%], hold: 1m }",
        "stress: { ramp: 1h, to: 300%, hold: 1m, down: 1m }",
        "soak: { ramp: 1m, to: 100%, hold: 1h, down: 1m }",
        "flood: { to: 50, hold: 1m, down: 1m }",
    ];
    let stages = ["smoke", "ladder", "peak", "stress", "soak", "flood"];
    let stages = stages.map(|name| format!("{name}: {{ stages: [{{ hold: 1m, to: 1 }}] }}"));
    let shapes = shapes.into_iter().map(str::to_owned).chain(stages);
    shapes
        .map(|shape| {
            around(&format!(
                "workload: {{ closed: {{ vus: 50 }} }}\nprofile: {{ {shape} }}"
            ))
        })
        .collect()
}

/// A valid plan with these lines from line 4 on.
fn around(lines: &str) -> String {
    format!(
        "nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ steps: [{{ get: /, name: home }}] }}, b: {{ steps: [{{ get: /b }}] }} }}\n{lines}"
    )
}

const OPEN: &str = "workload: { open: { rate: 10/s } }\n";

fn plan(text: &str, options: &Options) -> Plan {
    parse(text, options).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"))
}

#[track_caller]
fn check(text: &str, want: &[&str]) {
    let found = rendered(text, &options());
    let want: String = want.iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(found, want, "\n--- found\n{found}--- of\n{text}");
}

fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

fn stage(from: f64, to: f64, length: Duration, kind: StageKind) -> Stage {
    Stage {
        from,
        to,
        length_ns: Some(length.as_nanos() as u64),
        kind,
    }
}

#[test]
fn every_part_has_its_meaning() {
    let plan = plan(RUN_KEYS, &options());
    assert_eq!(
        (plan.profile, plan.compress, plan.availability),
        (Some(Profile::Peak), 2.0, Some(0.9999))
    );
    let stages = [
        stage(0.0, 300.0, minutes(10), StageKind::RampUp),
        stage(300.0, 300.0, minutes(60), StageKind::Hold),
        stage(300.0, 0.0, minutes(1), StageKind::RampDown),
    ];
    assert_eq!(plan.stages, stages);
    let weights: Vec<f64> = plan.scenarios.iter().map(|scenario| scenario.weight).collect();
    assert_eq!(weights, [1.0, 0.0, 0.0]);
    assert_eq!(
        plan.background[0],
        Background {
            scenario: 1,
            workload: Workload::Closed { vus: 2 },
            stages: vec![
                stage(0.0, 0.0, minutes(5), StageKind::Hold),
                stage(2.0, 2.0, minutes(10), StageKind::Hold)
            ],
        }
    );
    assert_eq!(
        plan.background[1].stages,
        [stage(3.0, 3.0, minutes(71), StageKind::Hold)],
        "to the end of the run"
    );
    let adsl = &plan.locations[0];
    assert_eq!(
        (adsl.down_bits_per_s, adsl.up_bits_per_s, adsl.weight),
        (Some(256e3), Some(64e3), 20.0)
    );
    assert_eq!(
        (adsl.round_trip, adsl.jitter),
        (Duration::from_millis(60), Duration::from_millis(10))
    );
    let office = &plan.locations[1];
    assert_eq!((office.down_bits_per_s, office.weight), (None, 1.0));
    let backup = &plan.timeline[0];
    assert_eq!(
        (backup.name.as_str(), backup.at, backup.limit, &backup.undo),
        ("backup", Moment::At(minutes(10)), minutes(5), &None)
    );
    assert_eq!(backup.action, Action::Command("./backup.sh keys".into()));
    let signal = |signal: &str| Action::Signal {
        signal: signal.into(),
        process: ProcessRef::Name("nginx".into()),
    };
    let down = &plan.timeline[1];
    assert_eq!(
        (down.name.as_str(), down.at, down.lasts, down.limit),
        ("STOP nginx", Moment::Steady, Some(minutes(1) / 2), minutes(1) / 2)
    );
    assert_eq!(
        (&down.action, down.undo.as_ref()),
        (&signal("STOP"), Some(&signal("CONT")))
    );
    let names: Vec<&str> = plan.timeline[2..].iter().map(|item| item.name.as_str()).collect();
    let want = [
        "POST /admin/flush",
        "GET /",
        "HEAD /",
        "PUT /",
        "PATCH /",
        "DELETE /",
        "OPTIONS /",
        "TERM pid 123",
        "TERM x",
    ];
    assert_eq!(names, want);
    let process = |name: &str, process| Observed::Process {
        name: name.into(),
        process,
    };
    let observed = [
        process("postgres", ProcessRef::Name("postgres".into())),
        process("init", ProcessRef::Pid(1)),
        process("nginx", ProcessRef::PidFile("/run/nginx.pid".into())),
    ];
    assert_eq!(plan.observe, observed);
    assert_eq!(plan.thresholds[0].abort, Some(minutes(1) / 2));
    assert_eq!(plan.thresholds[1].scope, Scope::Tag("adsl".into()));
}

/// Files with the numbers of processes are resolved as all files of a plan.
#[test]
fn pid_files_are_files_of_the_plan() {
    let lines = format!(
        "{OPEN}observe: [{{ process: {{ pid_file: a }} }}, {{ process: b }}]\ntimeline: [{{ at: 1s, command: x, undo: {{ signal: \
         {{ process: {{ pid_file: c }}, send: KILL }} }} }}]"
    );
    let mut plan = plan(&around(&lines), &options());
    let mut files = Vec::new();
    plan.change_files(&mut |file| files.push(file.clone()));
    assert_eq!(files, ["a", "c"]);
}

#[test]
fn names_of_interventions_differ() {
    let lines =
        format!("{OPEN}timeline: [{{ at: 1s, command: x }}, {{ at: 2s, command: x }}, {{ at: 3s, command: x }}]");
    let names: Vec<String> = plan(&around(&lines), &options())
        .timeline
        .into_iter()
        .map(|item| item.name)
        .collect();
    assert_eq!(names, ["x", "x 2", "x 3"]);
}

#[test]
fn arguments_choose_a_profile() {
    let with = |profile, duration: Option<Duration>, compress| Options {
        profile,
        duration,
        compress,
        ..options()
    };
    let staged = format!("{OPEN}stages: [{{ hold: 5m }}]\nwarm_up: 1m");
    let flood = plan(&around(&staged), &with(Some(Profile::Flood), None, None));
    assert_eq!(flood.stages, [stage(10.0, 10.0, minutes(120), StageKind::Hold)]);
    let own = format!("{OPEN}profile: {{ flood: {{ to: 20/s, hold: 3m }} }}");
    let same = plan(&around(&own), &with(Some(Profile::Flood), None, None));
    assert_eq!(
        same.stages,
        [stage(20.0, 20.0, minutes(3), StageKind::Hold)],
        "the plan's own lengths hold for the same profile"
    );
    let other = plan(&around(&own), &with(Some(Profile::Soak), Some(minutes(4)), Some(2.0)));
    assert_eq!(
        other.stages,
        [
            stage(0.0, 10.0, minutes(15), StageKind::RampUp),
            stage(10.0, 10.0, minutes(2), StageKind::Hold)
        ],
        "the only hold lasts that long, before all is compressed"
    );
    assert_eq!((other.profile, other.compress), (Some(Profile::Soak), 2.0));
    let error = |lines: &str, options: &Options| rendered(&around(lines), options);
    assert_eq!(
        error(OPEN, &with(Some(Profile::Ladder), Some(minutes(1)), None)),
        "--duration: profile `ladder` has several holds, so it is not clear what should last that long\n  help: leave the \
         argument out; `--set stages=null` removes stages, `--set profile=null` a profile\n"
    );
    assert_eq!(
        error(OPEN, &with(None, None, Some(0.5))),
        "--compress: a run cannot be made 0.5 times shorter\n  help: write a number from 1 up, such as `60`: an hour \
         becomes a minute\n"
    );
    assert_eq!(
        error(
            &format!("{OPEN}stages: [{{ hold: x }}]"),
            &with(Some(Profile::Peak), None, None)
        ),
        "plan.yaml:5:18: `x` is not a duration\n  help: write a number and a unit, such as `250ms`, `1.5s`, `2m` or \
         `1h30m`\n",
        "what is overridden is still checked"
    );
}

/// Stages, background and timeline are divided; thinking, limits, windows and the rest are as written.
#[test]
fn compressing_divides_the_course_only() {
    let compressed = Options {
        compress: Some(4.0),
        ..options()
    };
    let (whole, short) = (plan(RUN_KEYS, &options()), plan(RUN_KEYS, &compressed));
    let quarter = |length: Duration| length / 4;
    for (whole, short) in whole.timeline.iter().zip(&short.timeline) {
        let at = match whole.at {
            Moment::At(at) => Moment::At(quarter(at)),
            Moment::Steady => Moment::Steady,
        };
        assert_eq!((short.at, short.lasts), (at, whole.lasts.map(quarter)));
        assert_eq!(short.limit, whole.limit);
    }
    let pairs = [(&whole.stages, &short.stages)].into_iter().chain(
        whole
            .background
            .iter()
            .zip(&short.background)
            .map(|(whole, short)| (&whole.stages, &short.stages)),
    );
    for (whole, short) in pairs {
        for (whole, short) in whole.iter().zip(short) {
            assert_eq!(short.length_ns, whole.length_ns.map(|ns| ns / 4));
            assert_eq!((short.from, short.to), (whole.from, whole.to));
        }
    }
    assert_eq!(short.compress, 8.0, "together with what was compressed before");
    let back = Plan {
        stages: whole.stages.clone(),
        background: whole.background.clone(),
        timeline: whole.timeline.clone(),
        compress: whole.compress,
        ..short
    };
    assert_eq!(back, whole, "nothing else changed");
}

/// A condition that asks for load cannot be kept by one user, and says nothing about the plan.
#[test]
fn smoke_leaves_out_conditions_on_the_amount_of_load() {
    let lines = format!(
        "{OPEN}profile: smoke\nthresholds: [rate >= 99%, rate < 200%, throughput > 5/s, throughput < 9k/s, iterations count >= \
         1000, bytes > 1MB, response_time p95 < 1s]"
    );
    let plan = plan(&around(&lines), &options());
    assert_eq!(plan.workload, Workload::Closed { vus: 1 });
    let kept: Vec<Metric> = plan.thresholds.iter().map(|threshold| threshold.metric).collect();
    let want = [
        Metric::Throughput,
        Metric::ResponseTime,
        Metric::FailureRate,
        Metric::Dropped,
    ];
    assert_eq!(kept, want);
}

#[test]
fn background_and_iterations() {
    let lines = "workload: { closed: { vus: 1 }, iterations: 5, background: { b: { closed: { vus: 1 }, start: 1h } } }";
    let plan = plan(&around(lines), &options());
    let lengths: Vec<_> = plan.background[0].stages.iter().map(|stage| stage.length_ns).collect();
    assert_eq!(
        lengths,
        [Some(3_600_000_000_000), None],
        "a run that ends by its iterations has no end that is known before"
    );
    assert_eq!(
        plan.scenarios[0].weight, 1.0,
        "without a mix, those not in the background"
    );
}

#[test]
fn wrong_profiles() {
    let cases: [(&str, &[&str]); 11] = [
        (
            "profile: peek",
            &[
                "plan.yaml:5:10: `peek` is not a choice here",
                "  help: did you mean `peak`?",
            ],
        ),
        (
            "profile: {}",
            &[
                "plan.yaml:5:10: the profile has no name",
                "  help: write `profile: peak`, or `profile: { peak: { hold: 1h } }`",
            ],
        ),
        (
            "profile: { peak: { hold: 1h }, soak: {} }",
            &[
                "plan.yaml:5:32: a run has one profile, `soak` is the second",
                "  help: keep one of them",
            ],
        ),
        (
            "profile: { flood: { rmp: 1h, holt: 1m } }",
            &[
                "plan.yaml:5:21: `flood` has no key `rmp`",
                "  help: known keys are: to, hold, down, stages",
                "plan.yaml:5:30: `flood` has no key `holt`",
                "  help: did you mean `hold`?",
            ],
        ),
        (
            "profile: peak\nstages: [{ hold: 1m }]\nwarm_up: 1s",
            &[
                "plan.yaml:6:1: profile `peak` and `stages` both say how the run goes",
                "  help: keep one of them; `profile: { NAME: { ... } }` changes lengths and levels of a profile",
                "plan.yaml:7:1: profile `peak` and `warm_up` both say how the run goes",
                "  help: keep one of them; `profile: { NAME: { ... } }` changes lengths and levels of a profile",
            ],
        ),
        (
            "duration: 1m\nprofile: peak",
            &[
                "plan.yaml:6:1: profile `peak` and `duration` both say how the run goes",
                "  help: keep one of them; `profile: { NAME: { ... } }` changes lengths and levels of a profile",
            ],
        ),
        (
            "profile: { peak: { stages: [{ hold: 1m }], ramp: 1m } }",
            &[
                "plan.yaml:5:44: `stages` is the whole shape, so `ramp` has no place beside it",
                "  help: keep one of them",
            ],
        ),
        (
            "profile: { stress: { to: 0%, ramp: 0s } }",
            &[
                "plan.yaml:5:36: the duration is zero",
                "  help: write a duration above zero, such as `30s`",
            ],
        ),
        (
            "profile: { stress: { to: 0% } }",
            &[
                "plan.yaml:5:26: every stage is at level 0, so no iteration ever starts",
                "  help: let a stage reach a level above 0, such as `to: 100%`",
            ],
        ),
        (
            "profile: { ladder: { levels: [] } }",
            &[
                "plan.yaml:5:30: there is no level",
                "  help: write levels such as `[1, 10, 100]`",
            ],
        ),
        (
            "profile: { ladder: { levels: [5, 10%] } }",
            &[
                "plan.yaml:5:31: `5` has no `/s`, `/m` or `/h`",
                "  help: write a rate with its unit of time, such as `200/s`, `2k/s`, `120/m` or `1/h`",
            ],
        ),
    ];
    for (lines, want) in cases {
        check(&around(&format!("{OPEN}{lines}")), want);
    }
}

#[test]
fn wrong_backgrounds() {
    let cases: [(&str, &[&str]); 8] = [
        (
            "workload: { open: { rate: 5/s }, background: { batch: { closed: { vus: 1 } } } }",
            &[
                "plan.yaml:4:48: the plan has no scenario `batch`",
                "  help: its scenarios are: s, b",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, mix: { s: 1, b: 1 }, background: { b: { closed: { vus: 1 } } } }",
            &[
                "plan.yaml:4:69: `b` is in the background and has a weight in the mix",
                "  help: keep one of them",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, background: { b: { start: 1s } } }",
            &[
                "plan.yaml:4:51: background scenario `b` is neither `open` nor `closed`",
                "  help: write `open: { rate: 50/s }` (a rate) or `closed: { vus: 10 }` (a number of users)",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, background: { b: { closed: { vus: 1 }, start: 30s } } }",
            &[
                "plan.yaml:4:80: `b` begins after 30s, but the run ends after 30s",
                "  help: let it begin earlier; `--set workload.background=null` leaves the background out",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, background: { b: { closed: { vus: 1 }, duration: 0s } } }",
            &[
                "plan.yaml:4:83: the duration is zero",
                "  help: write a duration above zero, such as `30s`",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, background: { s: { closed: { vus: 1 } }, b: { open: { rate: 1/s } } } }",
            &[
                "plan.yaml:4:48: all scenarios run in the background, so the mix has none",
                "  help: leave one out of the background",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, background: { b: { closed: { vus: 0 }, stages: [] } } }",
            &[
                "plan.yaml:4:68: `0` is not a whole number from 1 to 1000000",
                "  help: write the digits only",
                "plan.yaml:4:73: `stages` in a background scenario is not supported yet by this version",
                "  help: write `start` and `duration`",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, background: [b] }",
            &[
                "plan.yaml:4:46: `background` is a map, this is a list",
                "  help: write `NAME: VALUE` lines",
            ],
        ),
    ];
    for (lines, want) in cases {
        check(&around(lines), want);
    }
}

/// Pacing is of closed workloads: each scenario is held against its own.
#[test]
fn pacing_fits_the_workload_of_its_scenario() {
    let text = |paced: &str, mix: &str, behind: &str| {
        let steps = |name| if paced == name { "pacing: 1s, " } else { "" };
        let (s, b) = (steps("s"), steps("b"));
        format!(
            "nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ {s}steps: [{{ get: / }}] }}, b: {{ {b}steps: [{{ get: / }}] }} }}\n\
             workload: {{ {mix}, background: {{ b: {{ {behind} }} }} }}"
        )
    };
    let (open, closed) = ("open: { rate: 1/s }", "closed: { vus: 1 }");
    for (paced, mix, behind, fits) in [
        ("s", closed, open, true),
        ("b", open, closed, true),
        ("s", open, closed, false),
        ("b", closed, open, false),
    ] {
        let found = rendered(&text(paced, mix, behind), &options());
        assert_eq!(found.is_empty(), fits, "{paced}, {mix}, {behind}: {found}");
    }
}

#[test]
fn rows_are_not_read_twice() {
    let text = |data: &str, behind: &str| {
        format!(
            "nmax: 1\ntarget: http://a\ndata: {{ people: {{ csv: people.csv, {data} }} }}\nscenarios: {{ s: {{ steps: [{{ get: \
             '/${{people.name}}' }}] }}, b: {{ steps: [{{ post: /, form: {{ a: '{behind}' }} }}] }} }}\nworkload: {{ open: {{ \
             rate: 1/s }}, background: {{ b: {{ closed: {{ vus: 1 }} }} }} }}"
        )
    };
    check(
        &text("pick: unique", "${people.email}"),
        &[
            "plan.yaml:5:48: `b` and `s` both read `people`, whose rows are read once: each counts its iterations from 0, so \
             rows would repeat",
            "  help: give `b` data of its own",
        ],
    );
    assert!(rendered(&text("at_end: stop", "${people.email}"), &options()).contains("rows would repeat"));
    check(&text("pick: unique", "x"), &[]);
    check(&text("pick: random", "${people.email}"), &[]);
}

#[test]
fn wrong_locations() {
    let cases: [(&str, &[&str]); 5] = [
        (
            "locations: { adsl: { down: 256, up: 0kbit/s, lag: 1s } }",
            &[
                "plan.yaml:5:28: `256` has no `bit/s`",
                "  help: write a number and a unit, such as `256kbit/s`, `100Mbit/s` or `32kB/s`",
                "plan.yaml:5:37: `0kbit/s` lets nothing through",
                "  help: write a rate above zero, or leave the key out for a line without limit",
                "plan.yaml:5:46: a location has no key `lag`",
                "  help: known keys are: down, up, round_trip, jitter, weight",
            ],
        ),
        (
            "locations: { a/b: {} }",
            &[
                "plan.yaml:5:14: `a/b` cannot be the name of a location",
                "  help: use 1 to 64 characters, without `/`",
            ],
        ),
        (
            "locations: { a: { weight: 0 }, b: { weight: 0 } }",
            &[
                "plan.yaml:5:12: all locations have weight 0, so the users of `s` are nowhere",
                "  help: give one a weight above 0, or write `location: NAME` into `s`",
            ],
        ),
        (
            "availability: 101%",
            &[
                "plan.yaml:5:15: an availability is above 0% and at most 100%",
                "  help: write it as `99.99%`",
            ],
        ),
        (
            "compressed: 0.5",
            &[
                "plan.yaml:5:13: `0.5` is not how many times shorter lengths are",
                "  help: write a number from 1 up, such as `60`: an hour becomes a minute",
            ],
        ),
    ];
    for (lines, want) in cases {
        check(&around(&format!("{OPEN}{lines}")), want);
    }
    let many: String = (0..51).map(|number| format!("l{number}: {{}}, ")).collect();
    check(
        &around(&format!("{OPEN}locations: {{ {many} }}")),
        &["plan.yaml:5:12: more than 50 locations", "  help: join some of them"],
    );
}

#[test]
fn tags_and_locations_share_their_names() {
    let text = "nmax: 1\ntarget: http://a\nscenarios: { s: { steps: [{ get: /, tags: [static, adsl] }] } }\nworkload: { open: { \
                rate: 1/s } }\nlocations: { adsl: {} }";
    check(
        text,
        &[
            "plan.yaml:5:14: `adsl` is the name of a location and a tag of a request",
            "  help: choose another name for one of them: `for tag NAME` means either",
        ],
    );
}

#[test]
fn wrong_timelines() {
    let cases: [(&str, &[&str]); 12] = [
        (
            "{ command: x }",
            &[
                "plan.yaml:5:12: it is not said when this is done",
                "  help: add `at: 10m` or `when: steady`",
            ],
        ),
        (
            "{ at: 1s, when: steady, command: x }",
            &[
                "plan.yaml:5:22: `at` and `when` both say when it is done",
                "  help: keep one of them",
            ],
        ),
        (
            "{ at: 30s, command: x }",
            &[
                "plan.yaml:5:18: this is to be done after 30s, but the run ends after 30s",
                "  help: write an earlier time; `--set timeline=null` leaves the timeline out",
            ],
        ),
        (
            "{ at: 1s }",
            &[
                "plan.yaml:5:12: an item of `timeline` does nothing",
                "  help: add `command: ./backup.sh`, `http: { post: /path }` or `signal: { process: nginx, send: STOP }`",
            ],
        ),
        (
            "{ at: 1s, command: x, http: { get: / } }",
            &[
                "plan.yaml:5:34: an item of `timeline` does one thing, `http` is the second",
                "  help: write an item of its own for it",
            ],
        ),
        (
            "{ at: 1s, command: x, for: 1s }",
            &[
                "plan.yaml:5:34: `for` says when it is undone, but nothing undoes it",
                "  help: add `undo: { ... }`, or remove `for`",
            ],
        ),
        (
            "{ at: 1s, signal: { process: nginx, send: STOPP } }",
            &[
                "plan.yaml:5:54: `STOPP` is not a choice here",
                "  help: did you mean `STOP`?",
            ],
        ),
        (
            "{ at: 1s, signal: { process: 12, send: STOP } }",
            &[
                "plan.yaml:5:41: `12` is not the name of a process",
                "  help: write `{ pid: 12 }` for a number, or the name of the program",
            ],
        ),
        (
            "{ at: 1s, signal: { process: /bin/x, send: STOP }, undo: {} }",
            &[
                "plan.yaml:5:41: `/bin/x` is not the name of a process",
                "  help: write the name of the program without its folder, such as `nginx`",
                "plan.yaml:5:69: `undo` does nothing",
                "  help: add `command: ./backup.sh`, `http: { post: /path }` or `signal: { process: nginx, send: STOP }`",
            ],
        ),
        (
            "{ at: 1s, http: { get: flush, post: / } }",
            &[
                "plan.yaml:5:42: a call has one method, `post` is the second",
                "  help: keep one of them",
            ],
        ),
        (
            "{ at: 1s, http: { body: x } }",
            &[
                "plan.yaml:5:28: the call has no method",
                "  help: write one, such as `post: /admin/flush`",
            ],
        ),
        (
            "{ name: x, at: 1s, http: { get: flush } }, { name: x, at: 1s, http: { get: 'http://ann:pw@b/' } }, { name: '', \
             at: 1s, command: '' }",
            &[
                "plan.yaml:5:44: `flush` is neither a path nor a URL",
                "  help: begin it with `/`, `http://` or `https://`",
                "plan.yaml:5:63: two items of `timeline` are named `x`",
                "  help: give one of them another name",
                "plan.yaml:5:87: `http://REDACTED@b` has a user name before the host: send it as a header instead, such as \
                 `authorization: Basic ...`",
                "  help: write it as `http://host:port/path`",
                "plan.yaml:5:119: `` cannot be a name in the results",
                "  help: write a `name` of 1 to 64 characters",
                "plan.yaml:5:140: this is not a command line",
                "  help: write a command line such as `./backup.sh`",
            ],
        ),
    ];
    for (items, want) in cases {
        check(&around(&format!("{OPEN}timeline: [{items}]")), want);
    }
}

#[test]
fn wrong_observations() {
    let cases: [(&str, &[&str]); 4] = [
        (
            "[{ process: nginx }, { process: { pid: 1 }, name: nginx }]",
            &[
                "plan.yaml:5:60: `nginx` is observed twice",
                "  help: give one of them another `name`",
            ],
        ),
        (
            "[{ process: { pid: 0 } }, { process: { pid: 1, pid_file: x } }, { process: {} }]",
            &[
                "plan.yaml:5:29: `0` is not a whole number from 1 to 4294967295",
                "  help: write the digits only",
                "plan.yaml:5:57: a process has `pid` or `pid_file`, not both",
                "  help: keep one of them",
                "plan.yaml:5:85: it is not said which process",
                "  help: write its name, `{ pid: 123 }` or `{ pid_file: /run/nginx.pid }`",
            ],
        ),
        (
            "[{ host: local }]",
            &[
                "plan.yaml:5:11: an item of `observe` has no `process`",
                "  help: add `process: ...`. Name of the processes; or `{ pid: 123 }`, or `{ pid_file: /run/x.pid }`.",
                "plan.yaml:5:13: `host` in an item of `observe` is not supported yet by this version",
                "  help: name the processes to watch: `- process: nginx`",
            ],
        ),
        (
            "[{ process: '' }]",
            &[
                "plan.yaml:5:22: `` is not the name of a process",
                "  help: write the name of the program without its folder, such as `nginx`",
            ],
        ),
    ];
    for (items, want) in cases {
        check(&around(&format!("{OPEN}observe: {items}")), want);
    }
}

/// Line 3 has a page, a tagged request and a transaction; the conditions are line 6.
#[test]
fn wrong_conditions() {
    let text = |conditions: &str| {
        format!(
            "nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ steps: [{{ get: /, name: home, resources: [/a.css] }}, {{ transaction: \
             pay, steps: [{{ get: /x, tags: [static] }}] }}] }} }}\nworkload: {{ open: {{ rate: 1/s }} }}\nlocations: {{ adsl: \
             {{}} }}\nthresholds: [{conditions}]"
        )
    };
    let valid = "page_time p95 < 1s, page_time p95 < 1s for request home, errors < 5 for request home image, errors < 5 for \
                 request GET /a.css, errors < 5 for tag static, transaction_time p95 < 1s for transaction pay, iterations > 5 \
                 for tag adsl, page_time p95 < 1s for tag adsl, transaction_time p95 < 1s";
    check(&text(valid), &[]);
    let cases: [(&str, &[&str]); 6] = [
        (
            "page_time p95 < 1s for request GET /x",
            &[
                "plan.yaml:6:14: the plan has no page `GET /x`",
                "  help: its pages are: home",
            ],
        ),
        (
            "errors < 5 for tag statik",
            &[
                "plan.yaml:6:14: the plan has no tag or location `statik`",
                "  help: did you mean `static`?",
            ],
        ),
        (
            "errors < 5 for tag zzzzzzzz",
            &[
                "plan.yaml:6:14: the plan has no tag or location `zzzzzzzz`",
                "  help: its tags and locations are: adsl, static",
            ],
        ),
        (
            "bytes < 5MB for tag adsl",
            &[
                "plan.yaml:6:14: `bytes` is not measured for locations",
                "  help: write one of `response_time`, `failure_rate`, `page_time`, `iteration_time`, `iterations`",
            ],
        ),
        (
            "iterations > 5 for tag static",
            &[
                "plan.yaml:6:14: `iterations` belongs to scenarios and locations, not to tags of requests",
                "  help: write `for scenario NAME`, or the name of a location",
            ],
        ),
        (
            "{ condition: fast, abort: x }, { abort: 1s }",
            &[
                "plan.yaml:6:27: `fast` compares nothing",
                "  help: write a condition such as `response_time p95 < 400ms`, `failure_rate < 1%` or `rate >= 99%`",
                "plan.yaml:6:40: `x` is not a duration",
                "  help: write a number and a unit, such as `250ms`, `1.5s`, `2m` or `1h30m`",
                "plan.yaml:6:45: a condition has no `condition`",
                "  help: add `condition: ...`. The condition on the result.",
            ],
        ),
    ];
    for (conditions, want) in cases {
        check(&text(conditions), want);
    }
    check(
        &around(&format!("{OPEN}thresholds: [page_time p95 < 1s, errors < 1 for tag x]")),
        &[
            "plan.yaml:5:14: the plan has no page",
            "  help: write `page: true` into the request of a page",
            "plan.yaml:5:34: the plan has no tag or location `x`",
            "  help: write `tags: [...]` into requests, or name a location",
        ],
    );
}
