//! Pages, tags and locations, and conditions that end a run.

use std::sync::Arc;

use nmax_plan::plan::Step;

use super::*;

fn tagged(tag: &str) -> Scope {
    Scope::Tag(tag.into())
}

/// `home` is a page with the tag `static`; 300 users of `adsl` see replies in 500 ms, 3 of them failures.
fn placed() -> Run {
    let mut run = Run::healthy();
    if let Step::Call(request) = &mut run.plan.scenarios[0].steps[0] {
        Arc::make_mut(request).tags.push("static".into());
    }
    run.catalog.pages = vec!["home".into()];
    run.catalog.locations = vec!["fibre".into(), "adsl".into()];
    let page = &mut run.totals.pages.get_mut(Section::Hold, 0).pages;
    (0..900).for_each(|_| page.record(true, 700_000_000));
    let adsl = run.totals.locations.get_mut(Section::Hold, 1);
    (0..300).for_each(|n| adsl.exchanges.record(n >= 3, 500_000_000));
    adsl.exchanges.ended_within = 300;
    (0..100).for_each(|_| adsl.pages.record(true, 900_000_000));
    run
}

#[test]
fn pages_tags_and_locations_by_hand() {
    use Metric::{FailureRate, PageTime, ResponseTime, Throughput};
    let p95 = Stat::Quantile(0.95);
    let cases = [
        (PageTime, p95, ms(0.0), Scope::Total, 700.0),
        (PageTime, p95, ms(0.0), Scope::Request("home".into()), 700.0),
        (PageTime, p95, ms(0.0), Scope::Scenario("browse".into()), 700.0),
        (PageTime, p95, ms(0.0), tagged("static"), 700.0),
        (PageTime, p95, ms(0.0), tagged("adsl"), 900.0),
        (ResponseTime, p95, ms(0.0), tagged("static"), 20.0),
        (ResponseTime, Stat::Count, NONE, tagged("static"), 900.0),
        (ResponseTime, p95, ms(0.0), tagged("adsl"), 500.0),
        (FailureRate, Stat::Value, Limit::Ratio(0.5), tagged("adsl"), 0.01),
        (Throughput, Stat::Value, Limit::PerSecond(1.0), tagged("adsl"), 30.0),
    ];
    let run = placed();
    for (metric, stat, limit, scope, want) in cases {
        let condition = Threshold { scope, ..threshold(metric, stat, Below, limit) };
        let result = one(&run, condition.clone());
        let value = result.value.unwrap_or_else(|| panic!("{condition:?}"));
        assert!((value - want).abs() <= 1e-3 * want, "{condition:?}: {value}");
    }
}

#[test]
fn what_cannot_be_told_apart_says_why() {
    let mut run = placed();
    let condition = |metric, scope| Threshold { scope, ..threshold(metric, Stat::Mean, Below, ms(1e6)) };
    for (metric, scope, text) in [
        (Metric::ResponseTime, tagged("nobody"), "nothing has the tag `nobody`"),
        (Metric::ServiceTime, tagged("adsl"), "users at a location have"),
        (Metric::ResponseTime, tagged("fibre"), NO_SAMPLES),
        (Metric::PageTime, Scope::Request("form".into()), "none of its requests is a page"),
    ] {
        run.plan.locations = vec![location("adsl"), location("fibre")];
        let found = why(&run, condition(metric, scope));
        assert!(found.contains(text), "{found}");
    }
    // The same request without the tag: its exchanges are among those of the tag, and cannot be taken out.
    let mut other = run.plan.scenarios[0].clone();
    other.name = "again".into();
    if let Step::Call(request) = &mut other.steps[0] {
        Arc::make_mut(request).tags.clear();
    }
    run.plan.scenarios.push(other);
    let found = why(&run, condition(Metric::ResponseTime, tagged("static")));
    assert!(found.contains("a request without the tag also sends `home`"), "{found}");
}

fn location(name: &str) -> nmax_plan::plan::Location {
    nmax_plan::plan::Location {
        name: name.into(),
        down_bits_per_s: None,
        up_bits_per_s: None,
        round_trip: Duration::ZERO,
        jitter: Duration::ZERO,
        weight: 1.0,
    }
}

/// Only conditions with `abort`, only what is known, and nothing that time alone may mend.
#[test]
fn violated_conditions_end_a_run() {
    let mut run = mixed();
    let ending = |condition: Threshold| Threshold { abort: Some(Duration::from_secs(3)), ..condition };
    let p95 = Stat::Quantile(0.95);
    run.plan.thresholds = vec![
        threshold(Metric::ResponseTime, p95, Below, ms(1.0)),
        ending(threshold(Metric::ResponseTime, p95, Below, ms(1.0))),
        ending(threshold(Metric::ResponseTime, p95, Below, ms(1_000.0))),
        ending(threshold(Metric::PageTime, p95, Below, ms(1.0))),
        ending(threshold(Metric::Iterations, Stat::Count, AtLeast, Limit::Number(1e9))),
        ending(threshold(Metric::FailureRate, Stat::Value, AtMost, Limit::Ratio(0.049))),
        ending(threshold(Metric::Errors, Stat::Count, Below, Limit::Number(20.0))),
    ];
    assert_eq!(violated(&run.evidence()), [1, 5, 6]);
    run.totals = Run::empty().totals;
    assert_eq!(violated(&run.evidence()), [0_usize; 0], "nothing has happened yet");
}

/// What was cut off may have been of any location.
#[test]
fn cut_off_exchanges_count_against_locations() {
    let mut run = placed();
    let at = |limit| Threshold {
        scope: tagged("adsl"),
        ..threshold(Metric::FailureRate, Stat::Value, Below, Limit::Ratio(limit))
    };
    assert!(one(&run, at(0.02)).holds);
    run.totals.load_mut(Section::Hold).censored.record_n(1_000_000, 30);
    assert!(!one(&run, at(0.02)).holds);
    assert!(one(&run, at(33.1 / 330.0)).holds);
}

/// A script may send requests of any name: sums over those of steps would leave its part out.
#[test]
fn what_scripts_send_is_of_no_scenario_or_tag() {
    let mut run = placed();
    run.plan.scenarios.push(nmax_plan::plan::Scenario::with_steps("script", vec![Step::Script]));
    for (metric, scope) in [
        (Metric::ResponseTime, tagged("static")),
        (Metric::ResponseTime, Scope::Scenario("browse".into())),
        (Metric::Checks, Scope::Request("home".into())),
    ] {
        let condition = Threshold { scope, ..threshold(metric, Stat::Mean, Below, ms(1e6)) };
        let found = why(&run, condition);
        assert!(found.contains("scenario `script` is a script, so which requests are whose is unknown"), "{found}");
    }
    let condition = Threshold {
        scope: Scope::Request("home".into()),
        ..threshold(Metric::ResponseTime, Stat::Mean, Below, ms(1e6))
    };
    assert!(one(&run, condition).value.is_some(), "a name is enough");
}
