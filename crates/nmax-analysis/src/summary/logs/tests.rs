use nmax_metrics::{Readings, Resource};
use nmax_plan::plan::Plan;
use nmax_plan::planless::Planless;
use proptest::prelude::*;

use super::*;

fn reading(second: u64, source: &str, metric: String, value: f64) -> Resource {
    Resource {
        // At the end of the second that it is of.
        at: Nanos::from_millis((second + 1) * 1_000 + 2),
        host: "app1".into(),
        source: source.into(),
        metric,
        value,
        unit: "count".into(),
    }
}

/// Errors of these readings in a phase.
fn told(readings: &Readings, phase: (u64, u64)) -> Vec<LogErrors> {
    let plan = Plan::for_url(&Planless::get("http://127.0.0.1:1/")).unwrap();
    let evidence = Evidence {
        plan: &plan,
        catalog: &nmax_metrics::Catalog::default(),
        totals: &nmax_metrics::Aggregate::default(),
        hold: (Nanos::ZERO, Nanos::ZERO),
        end: Nanos::from_secs(60),
        last: &[],
        injectors: &[crate::InjectorFacts::default()],
        interrupted: false,
        aborted: None,
        batches: &crate::Batches::default(),
        course: &crate::Course::default(),
        observed: &[],
        readings,
        happened: &[],
        stretches: &crate::Stretches::default(),
        sides: None,
    };
    errors(&evidence, (Nanos::from_secs(phase.0), Nanos::from_secs(phase.1)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: the number of each kind is that of its lines in the phase, whenever the first of them came; and no kind has
    /// more than all.
    #[test]
    fn kinds_add_up_to_all(
        lines in proptest::collection::vec((0..40_u64, 0..9_usize), 0..60),
        phase in (0..20_u64, 20..41_u64),
    ) {
        const KINDS: [&str; 9] = ["(no kind)", "(other)", "panic", "a.AError", "b.BError", "CError", "DError", "EError", "FError"];
        let mut readings = Readings::default();
        let mut seen = [false; 9];
        for second in 0..40 {
            readings.push(&reading(second, "log app", "lines_per_s".into(), 7.0));
            for (number, kind) in KINDS.iter().enumerate() {
                let count = lines.iter().filter(|line| **line == (second, number)).count();
                seen[number] |= count > 0;
                // A kind is read from its first error on.
                if seen[number] {
                    readings.push(&reading(second, "log app", format!("errors_count{{kind=\"{kind}\"}}"), count as f64));
                }
            }
        }
        let found = told(&readings, phase);
        let [log] = &found[..] else { panic!("{found:?}") };
        let in_phase = |number: Option<usize>| {
            let of = |(second, own): &&(u64, usize)| (phase.0..phase.1).contains(second) && number.is_none_or(|number| number == *own);
            lines.iter().filter(of).count() as u64
        };
        prop_assert_eq!(log.total, in_phase(None));
        for (kind, count) in &log.kinds {
            let number = KINDS.iter().position(|known| known == kind).unwrap();
            prop_assert!(number >= 2, "{kind} names nothing");
            prop_assert_eq!(*count, in_phase(Some(number)));
        }
        prop_assert!(log.kinds.is_sorted_by(|a, b| a.1 >= b.1));
        prop_assert!(log.kinds.len() <= KINDS_MAX);
    }

    /// Law: the mean of a log's times is that over its requests, however they lie in seconds.
    #[test]
    fn the_mean_time_is_over_requests(requests in proptest::collection::vec((0..30_u64, 1.0..500.0_f64), 1..60)) {
        let mut readings = Readings::default();
        for second in 0..30 {
            let own: Vec<f64> = requests.iter().filter(|(at, _)| *at == second).map(|(_, ms)| *ms).collect();
            readings.push(&reading(second, "log access", "requests_per_s".into(), own.len() as f64));
            if !own.is_empty() {
                let mean_ms = own.iter().sum::<f64>() / own.len() as f64;
                readings.push(&reading(second, "log access", "duration_ms".into(), mean_ms));
            }
        }
        let all: Vec<(&TrackKey, &Track)> = readings.iter().collect();
        let find = |metric: &str| *all.iter().find(|(figure, _)| figure.metric == metric).unwrap();
        let phase = (Nanos::ZERO, Nanos::from_secs(60));
        let want_ms = requests.iter().map(|(_, ms)| ms).sum::<f64>() / requests.len() as f64;
        let found_ms = mean_time(&all, find("duration_ms"), phase).unwrap();
        prop_assert!((found_ms - want_ms).abs() < 1e-9 * want_ms, "{found_ms} for {want_ms}");
        prop_assert_eq!(mean_time(&all, find("requests_per_s"), phase), None);
    }
}

/// A phase that begins with the run has all that was read since, however early; one that begins later has not.
#[test]
fn errors_of_the_first_moment_count() {
    let mut readings = Readings::default();
    for (at_ms, count) in [(4, 3.0), (1_004, 2.0), (2_004, 0.0)] {
        readings.push(&Resource {
            at: Nanos::from_millis(at_ms),
            ..reading(0, "log app", "errors_count{kind=\"panic\"}".into(), count)
        });
    }
    assert_eq!(told(&readings, (0, 2))[0].total, 5);
    assert_eq!(told(&readings, (1, 2))[0].total, 0);
}

#[test]
fn what_a_log_had_in_words() {
    let log = |total, kinds: &[(&str, u64)]| LogErrors {
        host: "app1".into(),
        source: "log app".into(),
        total,
        kinds: kinds.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect(),
    };
    let cases = [
        (log(10, &[("panic", 4), ("java.io.IOException", 3)]), "10 errors: 4 panic, 3 java.io.IOException, 3 other"),
        (log(4, &[("panic", 4)]), "4 errors: 4 panic"),
        (log(3, &[]), "3 errors"),
        (log(1, &[]), "1 error"),
        (log(0, &[]), "0 errors"),
    ];
    for (log, want) in cases {
        assert_eq!(log.text(), want);
    }
}

#[test]
fn a_log_without_errors_has_none_and_an_access_log_is_none() {
    let mut readings = Readings::default();
    readings.push(&reading(1, "log access", "requests_per_s".into(), 3.0));
    readings.push(&reading(1, "log access", "errors_per_s".into(), 3.0));
    readings.push(&reading(1, "log app", "lines_per_s".into(), 3.0));
    let found = told(&readings, (0, 10));
    assert_eq!(found.iter().map(|log| (log.source.as_str(), log.total)).collect::<Vec<_>>(), [("log app", 0)]);
}
