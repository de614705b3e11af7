//! What a run is made of beside its scenarios: profile, background, locations, timeline, what is observed, conditions.

use std::time::Duration;

mod errors;
mod observed;

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
    shapes.map(|shape| around(&format!("workload: {{ closed: {{ vus: 50 }} }}\nprofile: {{ {shape} }}"))).collect()
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

fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

fn stage(from: f64, to: f64, length: Duration, kind: StageKind) -> Stage {
    Stage { from, to, length_ns: Some(length.as_nanos() as u64), kind }
}

#[test]
fn every_part_has_its_meaning() {
    let plan = plan(RUN_KEYS, &options());
    assert_eq!((plan.profile, plan.compress, plan.availability), (Some(Profile::Peak), 2.0, Some(0.9999)));
    assert_eq!(plan.source.as_deref(), Some("shop.traffic.json"));
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
            stages: vec![stage(0.0, 0.0, minutes(5), StageKind::Hold), stage(2.0, 2.0, minutes(10), StageKind::Hold)],
        }
    );
    assert_eq!(plan.background[1].stages, [stage(3.0, 3.0, minutes(71), StageKind::Hold)], "to the end of the run");
    let adsl = &plan.locations[0];
    assert_eq!((adsl.down_bits_per_s, adsl.up_bits_per_s, adsl.weight), (Some(256e3), Some(64e3), 20.0));
    assert_eq!((adsl.round_trip, adsl.jitter), (Duration::from_millis(60), Duration::from_millis(10)));
    let office = &plan.locations[1];
    assert_eq!((office.down_bits_per_s, office.weight), (None, 1.0));
    let backup = &plan.timeline[0];
    assert_eq!(
        (backup.name.as_str(), backup.at, backup.limit, &backup.undo),
        ("backup", Moment::At(minutes(10)), minutes(5), &None)
    );
    assert_eq!(backup.action, Action::Command("./backup.sh keys".into()));
    let signal = |signal: &str| Action::Signal { signal: signal.into(), process: ProcessRef::Name("nginx".into()) };
    let down = &plan.timeline[1];
    assert_eq!(
        (down.name.as_str(), down.at, down.lasts, down.limit),
        ("STOP nginx", Moment::Steady, Some(minutes(1) / 2), minutes(1) / 2)
    );
    assert_eq!((&down.action, down.undo.as_ref()), (&signal("STOP"), Some(&signal("CONT"))));
    let names: Vec<&str> = plan.timeline[2..].iter().map(|item| item.name.as_str()).collect();
    let want =
        ["POST /admin/flush", "GET /", "HEAD /", "PUT /", "PATCH /", "DELETE /", "OPTIONS /", "TERM pid 123", "TERM x"];
    assert_eq!(names, want);
    let process = |name: &str, process| Observed::Process { name: name.into(), process };
    let observed = [
        process("postgres", ProcessRef::Name("postgres".into())),
        process("init", ProcessRef::Pid(1)),
        process("nginx", ProcessRef::PidFile("/run/nginx.pid".into())),
    ];
    assert_eq!(plan.observe[..3], observed);
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
    let names: Vec<String> = plan(&around(&lines), &options()).timeline.into_iter().map(|item| item.name).collect();
    assert_eq!(names, ["x", "x 2", "x 3"]);
}

#[test]
fn arguments_choose_a_profile() {
    let with = |profile, duration: Option<Duration>, compress| Options { profile, duration, compress, ..options() };
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
        [stage(0.0, 10.0, minutes(15), StageKind::RampUp), stage(10.0, 10.0, minutes(2), StageKind::Hold)],
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
        error(&format!("{OPEN}stages: [{{ hold: x }}]"), &with(Some(Profile::Peak), None, None)),
        "plan.yaml:5:18: `x` is not a duration\n  help: write a number and a unit, such as `250ms`, `1.5s`, `2m` or \
         `1h30m`\n",
        "what is overridden is still checked"
    );
}

/// Stages, background and timeline are divided; thinking, limits, windows and the rest are as written.
#[test]
fn compressing_divides_the_course_only() {
    let compressed = Options { compress: Some(4.0), ..options() };
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
    let pairs = [(&whole.stages, &short.stages)]
        .into_iter()
        .chain(whole.background.iter().zip(&short.background).map(|(whole, short)| (&whole.stages, &short.stages)));
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

#[test]
fn a_level_of_the_command_keeps_the_mix_and_no_shape() {
    let closed = Workload::Closed { vus: 7 };
    let with = |level, duration| Options { level, duration, ..options() };
    let staged =
        format!("{OPEN}stages: [{{ ramp: 1m, to: 100% }}, {{ hold: 5m }}]\nthresholds: [rate >= 99%, dropped < 1%]");
    let seven = plan(&around(&staged), &with(Some(&closed), None));
    assert_eq!(seven.workload, closed);
    assert_eq!(seven.stages, [stage(7.0, 7.0, minutes(6), StageKind::Hold)], "as long as the stages together");
    assert_eq!((&seven.written, seven.profile), (&None, None));
    let weights = |plan: &Plan| plan.scenarios.iter().map(|scenario| scenario.weight).collect::<Vec<_>>();
    assert_eq!(weights(&seven), weights(&plan(&around(&staged), &options())));
    assert!(
        !seven.thresholds.iter().any(|threshold| threshold.metric == crate::threshold::Metric::Rate),
        "no rate, no share"
    );
    let short = plan(&around(&format!("{OPEN}profile: ladder")), &with(Some(&closed), Some(minutes(2))));
    assert_eq!((short.profile, short.stages), (None, vec![stage(7.0, 7.0, minutes(2), StageKind::Hold)]));
    let asked = Options { profile: Some(Profile::Flood), ..with(Some(&closed), Some(minutes(2))) };
    let asked = plan(&around(&staged), &asked);
    assert_eq!((asked.profile, asked.workload), (Some(Profile::Flood), closed), "a profile of the command stays");
}

#[test]
fn a_length_of_the_command_leaves_no_several_holds() {
    let with = Options { duration: Some(minutes(1)), ..options() };
    let hold = [stage(10.0, 10.0, minutes(1), StageKind::Hold)];
    for shape in
        ["stages: [{ hold: 5s }, { hold: 9s, to: 50% }]", "stages: [{ ramp: 5s, to: 100% }]", "profile: ladder"]
    {
        let plan = plan(&around(&format!("{OPEN}{shape}")), &with);
        assert_eq!((plan.profile, &plan.stages[..]), (None, &hold[..]), "{shape}");
    }
    let peak = plan(&around(&format!("{OPEN}profile: peak")), &with);
    assert_eq!((peak.profile, peak.stages.len()), (Some(Profile::Peak), 3), "its only hold lasts that long");
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
    assert!(
        matches!(plan.written, Some(Workload::Open { rate_per_s: 10.0, .. })),
        "what the run prepares for is kept: {:?}",
        plan.written
    );
    let kept: Vec<Metric> = plan.thresholds.iter().map(|threshold| threshold.metric).collect();
    let want = [Metric::Throughput, Metric::ResponseTime, Metric::FailureRate, Metric::Dropped];
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
    assert_eq!(plan.scenarios[0].weight, 1.0, "without a mix, those not in the background");
}

#[test]
fn the_background_ends_with_the_run() {
    let lines = "workload: { closed: { vus: 1 }, background: { b: { closed: { vus: 1 }, start: 20s, duration: 1h } } }";
    let background = &plan(&around(lines), &options()).background[0];
    let lengths: Vec<_> = background.stages.iter().map(|stage| stage.length_ns).collect();
    assert_eq!(lengths, [Some(20_000_000_000), Some(10_000_000_000)]);
}
