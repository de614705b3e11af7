use super::*;
use crate::document::{Options, parse};

const HEAD: &str = "nmax: 1\nname: p\ntarget: http://a\nscenarios: { s: { steps: [{ get: / }] } }\n";

fn plan(rest: &str) -> Plan {
    parse(&format!("{HEAD}{rest}"), &Options::standalone("test")).unwrap()
}

fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn change(at: u64, to: Option<f64>, ramp: u64) -> Change {
    Change { at: s(at), to, ramp: s(ramp) }
}

/// Stages as kind, level at the beginning and the end, and length, s.
fn shape(plan: &Plan) -> Vec<(StageKind, f64, f64, Option<u64>)> {
    let length = |stage: &Stage| stage.length_ns.map(|ns| ns / 1_000_000_000);
    plan.stages.iter().map(|stage| (stage.kind, stage.from, stage.to, length(stage))).collect()
}

const OPEN: &str = "workload: { open: { rate: 100/s } }\n";
const TRAPEZIUM: &str = "stages: [{ ramp: 10s, to: 100% }, { hold: 60s }, { ramp: 10s, to: 0 }]\n";

#[test]
fn stages_after_a_change() {
    use StageKind::{Hold, RampDown, RampUp, WarmUp};
    let trapezium = format!("{OPEN}{TRAPEZIUM}");
    let warm = format!("{OPEN}duration: 60s\nwarm_up: 10s\n");
    let stress = format!("{OPEN}stages: [{{ ramp: 40s, to: 200% }}]\n");
    let cases = [
        (
            &trapezium,
            change(30, Some(200.0), 5),
            vec![
                (RampUp, 0.0, 100.0, Some(10)),
                (Hold, 100.0, 100.0, Some(20)),
                (RampUp, 100.0, 200.0, Some(5)),
                (Hold, 200.0, 200.0, Some(45)),
            ],
            "up by a ramp, to the planned end",
        ),
        (
            &trapezium,
            change(75, None, 0),
            vec![
                (RampUp, 0.0, 100.0, Some(10)),
                (Hold, 100.0, 100.0, Some(60)),
                (RampDown, 100.0, 50.0, Some(5)),
                (Hold, 50.0, 50.0, Some(5)),
            ],
            "held on the way down",
        ),
        (&trapezium, change(0, Some(7.0), 0), vec![(Hold, 7.0, 7.0, Some(80))], "nothing is left of what was planned"),
        (
            &warm,
            change(4, Some(50.0), 1),
            vec![
                (WarmUp, 100.0, 100.0, Some(4)),
                (RampDown, 100.0, 50.0, Some(1)),
                (WarmUp, 50.0, 50.0, Some(5)),
                (Hold, 50.0, 50.0, Some(60)),
            ],
            "warm-up stays warm-up",
        ),
        (
            &stress,
            change(10, None, 0),
            vec![(RampUp, 0.0, 50.0, Some(10)), (RampUp, 50.0, 50.0, Some(30))],
            "without a hold the whole is the phase, and stays it",
        ),
    ];
    for (rest, change, want, why) in cases {
        let planned = plan(rest);
        let steered = planned.steer(change).unwrap();
        assert_eq!(shape(&steered), want, "{why}");
        assert_eq!(steered.planned_stages(), planned.stages, "{why}");
    }
    let endless =
        plan("workload: { open: { rate: 100/s }, iterations: 1000 }\n").steer(change(3, Some(1.0), 2)).unwrap();
    assert_eq!(endless.stages.last().unwrap().length_ns, None);
}

#[test]
fn changes_that_do_not_fit_are_refused() {
    let open = plan(&format!("{OPEN}{TRAPEZIUM}"));
    let closed = plan("workload: { closed: { vus: 5 } }\nduration: 60s\n");
    let cases = [
        (&open, change(1, Some(-1.0), 0), "-1 is not a level from 0 to 1000000000/s"),
        (&open, change(1, Some(f64::NAN), 0), "NaN is not a level from 0 to 1000000000/s"),
        (&open, change(1, Some(1e10), 0), "10000000000 is not a level from 0 to 1000000000/s"),
        (&closed, change(1, Some(2e6), 0), "2000000 is not a level from 0 to 1000000 VUs"),
        (&closed, change(1, Some(2.5), 0), "2.5 is not a whole number of virtual users"),
        (&open, change(80, Some(1.0), 0), "the load ends at 1m20s, and cannot be changed from 1m20s on"),
        (&open, change(70, Some(1.0), 10), "a ramp of 10s does not fit: the load ends 10s after its beginning"),
    ];
    for (plan, change, want) in cases {
        assert_eq!(plan.steer(change).unwrap_err().to_string(), want);
    }
    let once = open.steer(change(20, Some(1.0), 0)).unwrap();
    assert_eq!(once.steer(change(19, None, 0)).unwrap_err().to_string(), "the change at 19s comes before that at 20s");
    assert_eq!(shape(&once.steer(change(20, Some(2.0), 0)).unwrap()).last().unwrap().2, 2.0, "the later of two");
}

#[test]
fn rows_are_dealt_to_the_users_of_the_plan() {
    let read = |_: &str| Ok("column\na\n".to_owned());
    let options = Options { read: &read, ..Options::standalone("test") };
    let text = "nmax: 1\ntarget: http://a\ndata: { people: { csv: p.csv, pick: sequential } }\nscenarios: { s: { steps: [{ get: \
                '/${people.column}' }] } }\nworkload: { closed: { vus: 5 } }\nduration: 60s\n";
    let plan = parse(text, &options).unwrap();
    assert!(plan.steer(change(1, Some(5.0), 0)).is_ok());
    let error = plan.steer(change(1, Some(6.0), 0)).unwrap_err().to_string();
    assert_eq!(
        error,
        "the rows of data `people` are dealt to the 5 users of the plan, so there cannot be more of them"
    );
}
