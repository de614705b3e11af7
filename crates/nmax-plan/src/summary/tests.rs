use super::*;
use crate::document::{self, tests::options};

fn of(shape: &str) -> Forecast {
    let text = format!(
        "nmax: 1\ntarget: http://a\nscenarios:\n  one: {{ weight: 3, steps: [{{ get: / }}, {{ think: 1s }}, {{ get: /b }}] }}\n  two: {{ weight: 1, steps: [{{ get: / }}] }}\n{shape}"
    );
    forecast(&document::parse(&text, &options()).unwrap())
}

/// Ramp 0 to 40/s over 10 s (200), hold 20 s (800), ramp down over 10 s (200): 1,200 iterations; three quarters have two requests.
#[test]
fn open_plans_are_known_exactly() {
    let forecast = of(
        "workload: { open: { rate: 40/s } }\nstages: [{ ramp: 10s, to: 100% }, { hold: 20s }, { ramp: 10s, to: 0 }]",
    );
    assert_eq!(forecast.iterations, Some(1_200));
    let counts: Vec<_> = forecast
        .scenarios
        .iter()
        .map(|scenario| (scenario.share, scenario.iterations, scenario.requests))
        .collect();
    assert_eq!(counts, [(0.75, Some(900), Some(1_800)), (0.25, Some(300), Some(300))]);
    assert_eq!(forecast.requests, Some(2_100));
    assert_eq!(forecast.duration, Some(Duration::from_secs(40)));
    assert_eq!(forecast.peak, Peak::RatePerS(40.0));
    assert_eq!(forecast.peak_requests_per_s, Some(70.0));
}

#[test]
fn what_ends_the_run_decides() {
    let closed = of("workload: { closed: { vus: 7 } }");
    assert_eq!(
        (closed.iterations, closed.requests, closed.peak),
        (None, None, Peak::Vus(7.0))
    );
    assert_eq!(closed.peak_requests_per_s, None);
    let limited = of("workload: { closed: { vus: 7 }, iterations: 100 }");
    assert_eq!((limited.iterations, limited.duration), (Some(100), None));
    let open = of("workload: { open: { rate: 10/s }, iterations: 100 }");
    assert_eq!((open.iterations, open.duration), (Some(100), None));
    let both = of("workload: { open: { rate: 10/s }, iterations: 100 }\nduration: 3s\nwarm_up: 2s");
    assert_eq!(
        (both.iterations, both.duration),
        (Some(50), Some(Duration::from_secs(5)))
    );
}
