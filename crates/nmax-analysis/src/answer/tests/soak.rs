use nmax_metrics::Nanos;

use super::*;
use crate::Observation;

/// Length of the hold, s.
const LENGTH: usize = 3_600;

/// Memory of a process with a garbage collector, read every 5 s: it grows by up to 200 MB in about a minute, then falls.
fn memory(seed: u64, leak_bytes_per_min: f64) -> Observation {
    let mut random = Random::new(seed);
    let (mut garbage, mut speed) = (0.0, 3e6);
    let value = |at: usize| {
        garbage += speed * 5.0 * random.uniform();
        if garbage > 200e6 * (0.8 + 0.2 * random.uniform()) {
            garbage = 20e6 * random.uniform();
            speed = 3e6 + 2e6 * random.uniform();
        }
        let at_s = 5.0 * at as f64;
        let bytes = 300e6 + garbage + 1e6 * random.normal() + leak_bytes_per_min * at_s / 60.0;
        (Nanos::from_secs(at_s as u64), bytes)
    };
    Observation { name: "shop".into(), metric: "memory_bytes".into(), values: (0..LENGTH / 5).map(value).collect() }
}

/// A steady hold in points of 1 s for the first `length` seconds, with this p95 (ms) and failures of 20 exchanges.
fn held(seed: u64, length: usize, shape: impl Fn(usize) -> (f64, u64)) -> Run {
    let mut random = Random::new(seed);
    let noise = random.ar1(length, 0.4);
    let second = |at: usize| {
        let (ms, failed) = shape(at);
        let ms = ms * (0.05 * noise[at]).exp();
        second(&mut random, at, 20.0, 20, ms, failed)
    };
    run(Profile::Soak, &[(20.0, 20.0, LENGTH as u64)], (0..length).map(second).collect())
}

#[test]
fn a_leak_of_1_mb_per_minute_is_found_and_none_where_there_is_none() {
    let mut run = held(1, 100, |_| (20.0, 0));
    let mut leaks = |leak: f64| {
        let found = |seed: &u64| {
            run.observed = vec![memory(*seed, leak)];
            finding(&answer_of(&run), "MEMORY_SLOPE").is_trouble
        };
        (0..200).filter(found).count()
    };
    let (found, false_alarms) = (leaks(1e6), leaks(0.0));
    println!("leak found in {found} of 200, seen where there is none in {false_alarms} of 200");
    assert!(found >= 195, "{found} of 200");
    assert!(false_alarms <= 10, "{false_alarms} of 200");
}

#[test]
fn the_slope_of_a_leak_and_the_time_to_exhaustion_are_right() {
    let mut run = held(1, 100, |_| (20.0, 0));
    let limit = Observation { metric: "memory_limit_bytes".into(), values: vec![(Nanos::ZERO, 2e9)], ..memory(0, 0.0) };
    run.observed = vec![memory(5, 4e6), limit];
    let answer = answer_of(&run);
    let slope = finding(&answer, "MEMORY_SLOPE");
    let (low, high) = slope.interval.expect("an interval");
    assert!(low <= 4e6 && 4e6 <= high && (high - low) < 1.5e6, "{slope:?}");
    assert_eq!((slope.subject.as_str(), slope.unit), ("shop", "bytes/min"));
    // At the end 300 + 100 + 240 MB of 2,000 MB are taken.
    let wanted_s = (2e9 - 640e6) / 4e6 * 60.0;
    let left = finding(&answer, "MEMORY_EXHAUSTED");
    assert!((left.value.expect("a time") / wanted_s - 1.0).abs() < 0.15, "{left:?}, not {wanted_s}");
    assert!(answer.headline.contains("memory of `shop` grows and does not stop"), "{}", answer.headline);
}

/// What fills up and stops is no leak, however much it is.
#[test]
fn memory_that_fills_up_and_stops_is_no_leak() {
    let mut run = held(1, 100, |_| (20.0, 0));
    let mut filling = memory(3, 0.0);
    for (at, bytes) in &mut filling.values {
        *bytes += 500e6 * (1.0 - (-at.as_secs_f64() / 300.0).exp());
    }
    run.observed = vec![filling];
    let answer = answer_of(&run);
    assert!(!finding(&answer, "MEMORY_SLOPE").is_trouble, "{answer:#?}");
}

/// A target of 10 MB as it was seen within five minutes: tables that are not touched all at once. A leak of 1 MB/min is
/// found in it all the same.
#[test]
fn a_small_process_that_touches_its_tables_does_not_leak() {
    let mut run = held(1, 300, |_| (20.0, 0));
    for (leak_bytes_per_min, leaks) in [(0.0, false), (1e6, true)] {
        let value = |at: u64| {
            let touched = (at / 12) as f64 * 8_192.0;
            (Nanos::from_secs(at), 10.4e6 + touched + leak_bytes_per_min * at as f64 / 60.0)
        };
        run.observed = vec![Observation {
            name: "target".into(),
            metric: "memory_bytes".into(),
            values: (0..300).map(value).collect(),
        }];
        let answer = answer_of(&run);
        assert_eq!(finding(&answer, "MEMORY_SLOPE").is_trouble, leaks, "{answer:#?}");
    }
}

#[test]
fn growing_latency_and_failures_are_trouble_and_steady_ones_are_not() {
    let steady = answer_of(&held(2, 900, |_| (20.0, 0)));
    assert!(steady.findings.iter().all(|finding| !finding.is_trouble), "{steady:#?}");
    assert!(steady.headline.starts_with("nothing grows"), "{}", steady.headline);

    // 20 ms and 60 % of failures more per hour; the fraction of a failure by chance.
    let chance = |at: usize| (at * 7_919 % 100) as f64 / 100.0;
    let failed = |at: usize| (20.0 * 0.6 * at as f64 / 3_600.0 + chance(at)) as u64;
    let grows = answer_of(&held(2, 900, |at| (20.0 + 20.0 * at as f64 / 3_600.0, failed(at))));
    for (code, unit, wanted) in [("LATENCY_SLOPE", "ms/h", 20.0), ("FAILURE_SLOPE", "%/h", 0.6)] {
        let found = finding(&grows, code);
        let value = found.value.expect("a slope");
        assert!(found.is_trouble && found.unit == unit, "{found:?}");
        assert!((value / wanted - 1.0).abs() < 0.15, "{found:?}, not {wanted}");
    }
}

#[test]
fn a_disturbance_that_recurs_is_told_with_period_length_and_factor() {
    let disturbed = |at: usize| (at + 20) % 60 < 8;
    let answer = answer_of(&held(3, 1_200, |at| (if disturbed(at) { 60.0 } else { 20.0 }, 0)));
    let found = finding(&answer, "CYCLE");
    assert!((found.value.expect("a period") - 60.0).abs() < 0.5, "{found:?}");
    assert!(found.is_trouble && found.subject == "p95", "{found:?}");
    assert!(found.text.starts_with("every 60 s, for about 8 s, p95 is "), "{}", found.text);
    let factor: f64 =
        found.text.split(" is ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).expect("a factor");
    assert!((factor - 3.0).abs() < 0.3, "{factor}");

    let failing = answer_of(&held(3, 1_200, |at| (20.0, if disturbed(at) { 4 } else { 0 })));
    let found = finding(&failing, "CYCLE");
    assert_eq!(found.subject, "failure rate");
    assert!(found.text.contains("20 % fail, otherwise 0 %"), "{}", found.text);
}

/// A target that stands still for a second every 30 s, seen for 3.5 minutes.
#[test]
fn a_stall_of_one_second_that_recurs_is_told() {
    let answer = answer_of(&held(4, 210, |at| (if at % 30 == 15 { 955.0 } else { 25.0 }, 0)));
    let found = finding(&answer, "CYCLE");
    assert!((found.value.expect("a period") - 30.0).abs() < 0.5, "{found:?}");
    assert!(found.is_trouble && found.subject == "p95", "{found:?}");
    assert!(found.text.starts_with("every 30 s, for 1 s or less, p95 is 3"), "{}", found.text);
}

#[test]
fn chance_makes_no_trouble_of_a_steady_hold() {
    let troubled = |seed: &u64| {
        let answer = answer_of(&held(*seed, 300, |_| (20.0, 0)));
        answer.findings.iter().any(|finding| finding.is_trouble)
    };
    let alarms = (100..160).filter(troubled).count();
    assert!(alarms <= 4, "{alarms} of 60");
}
