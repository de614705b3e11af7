use nmax_metrics::{Catalog, Names, Nanos, Network, Outcome, Sample, Section, Window};
use nmax_plan::schedule::{Stage, StageKind};
use proptest::prelude::*;

use super::builder::{POINTS_MAX, REQUEST_POINTS_MAX, REQUESTS_MAX};
use super::grid::Grid;
use super::*;
use crate::tests::fixture::Run;
use crate::tests::simulate::Random;

const SECOND: Nanos = Nanos::from_secs(1);

fn catalog(names: usize) -> Catalog {
    let mut requests = Names::default();
    (0..names).for_each(|name| {
        requests.intern(&format!("r{name}"));
    });
    Catalog { requests, ..Catalog::default() }
}

/// A window with these exchanges: number of the name, response time in ms, whether it is ok.
fn window(index: u64, exchanges: &[(u32, f64, bool)]) -> Window {
    let mut window = Window::new(index, SECOND);
    for (name, ms, is_ok) in exchanges {
        let sample = Sample {
            name: nmax_metrics::NameId(*name),
            scenario: 0,
            outcome: if *is_ok { Outcome::Ok } else { Outcome::Failed },
            status: None,
            intended: Nanos::ZERO,
            sent: Some(Nanos::ZERO),
            first_byte: None,
            done: Nanos((ms * 1e6) as u64),
            network: Network::default(),
            send: Nanos::ZERO,
            slot_wait: Nanos::ZERO,
            bytes_received: 0,
            bytes_sent: 0,
            bytes_decoded: 0,
        };
        window.aggregate.record(Section::Hold, &sample);
    }
    let load = window.aggregate.load_mut(Section::Outside);
    load.started = exchanges.len() as u64;
    load.in_flight_ns = 3_000_000_000;
    window.aggregate.scenarios.get_mut(Section::Hold, 0).completed = 2;
    window
}

fn builder(length_s: Option<u64>) -> CourseBuilder {
    CourseBuilder::new(&Run::healthy().plan, length_s.map(Nanos::from_secs))
}

const ALWAYS: (Nanos, Nanos) = (Nanos::ZERO, Nanos::MAX);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Oracle: a point has the counts and quantiles of its own exchanges, sorted by hand; nothing is lost.
    #[test]
    fn points_are_those_of_their_exchanges(seed in any::<u64>(), windows in 1..40_u64, length_s in 1..50_000_u64) {
        let mut random = Random::new(seed);
        let mut course = builder(Some(length_s));
        let mut all = Vec::new();
        for index in 0..windows {
            let n = (random.uniform() * 8.0) as usize;
            let exchange = |_| ((random.uniform() * 2.99) as u32, 1.0 + 99.0 * random.uniform(), random.uniform() < 0.9);
            let exchanges: Vec<_> = (0..n).map(exchange).collect();
            course.push(&window(index, &exchanges));
            all.push(exchanges);
        }
        let course = course.finish(&catalog(3), ALWAYS);
        let per_point = length_s.div_ceil(POINTS_MAX) as usize;
        let per_request = length_s.div_ceil(REQUEST_POINTS_MAX) as usize;
        prop_assert_eq!(course.points.len(), all.len().div_ceil(per_point));
        for (point, part) in course.points.iter().zip(all.chunks(per_point)) {
            prop_assert_eq!(point.width_s, part.len() as f64);
            prop_assert_eq!(point.iterations, 2 * part.len() as u64);
            prop_assert_eq!(point.started, point.exchanges);
            prop_assert_eq!(point.in_flight, 3.0);
            check(point, part.iter().flatten());
        }
        for (name, points) in &course.requests {
            let of_name = |exchange: &&(u32, f64, bool)| format!("r{}", exchange.0) == *name;
            let mut seen = 0;
            for point in points {
                let from = point.start_s as usize;
                let part = &all[from..from + point.width_s as usize];
                prop_assert!(from / per_request == (from + part.len() - 1) / per_request);
                check(point, part.iter().flatten().filter(of_name));
                seen += point.exchanges as usize;
            }
            prop_assert_eq!(seen, all.iter().flatten().filter(of_name).count());
        }
    }

    /// Law: stretches follow each other without gap or overlap, become wider and stay few.
    #[test]
    fn stretches_cover_every_window(windows in prop::option::of(1..100_000_u64), stretches_max in 2..500_u64, index in 0..10_000_u64) {
        let grid = Grid::new(windows, stretches_max);
        let (mut at, mut count, mut last) = (0, 0, 0);
        while at <= index {
            let stretch = grid.stretch(at);
            prop_assert_eq!(stretch.start, at);
            prop_assert!((stretch.start..stretch.end).all(|inside| grid.stretch(inside) == stretch));
            prop_assert!(stretch.end - at >= last);
            (at, last, count) = (stretch.end, stretch.end - at, count + 1);
        }
        let bound = match windows {
            Some(windows) if index < windows => stretches_max,
            Some(_) => u64::MAX,
            // Each width is used half of that often, and there are as many widths as doublings.
            None => stretches_max.div_ceil(2) * (u64::BITS - index.leading_zeros()).max(1) as u64,
        };
        prop_assert!(count <= bound, "{} stretches", count);
    }
}

fn check<'a>(point: &Point, exchanges: impl Iterator<Item = &'a (u32, f64, bool)>) {
    let exchanges: Vec<_> = exchanges.collect();
    assert_eq!(point.exchanges, exchanges.len() as u64);
    assert_eq!(point.failed, exchanges.iter().filter(|exchange| !exchange.2).count() as u64);
    let mut times: Vec<f64> = exchanges.iter().map(|exchange| exchange.1).collect();
    times.sort_by(f64::total_cmp);
    let Some(response) = point.response else {
        return assert!(times.is_empty());
    };
    let quantile = |q: f64| times[(q * times.len() as f64).ceil() as usize - 1];
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let pairs = [
        (response.p50_ms, quantile(0.5)),
        (response.p95_ms, quantile(0.95)),
        (response.p99_ms, quantile(0.99)),
        (response.mean_ms, mean),
    ];
    for (found, want) in pairs {
        assert!((found - want).abs() <= 0.001 * want + 0.001, "{found}, not {want}");
    }
}

#[test]
fn a_long_run_takes_few_points_and_so_does_a_run_without_end() {
    for length_s in [Some(21_600), None] {
        let mut course = builder(length_s);
        for index in 0..21_630 {
            course.push(&window(index, &[(0, 20.0, true)]));
        }
        let course = course.finish(&catalog(1), ALWAYS);
        let seconds: f64 = course.points.iter().map(|point| point.width_s).sum();
        assert_eq!(seconds, 21_630.0);
        assert!(course.points.len() < 15_000, "{}", course.points.len());
        assert!(course.requests[0].1.len() < 1_000, "{}", course.requests[0].1.len());
        if length_s.is_some() {
            assert_eq!(course.points[0].width_s, 3.0);
            assert!(course.points.len() <= POINTS_MAX as usize + 10);
            assert!(course.requests[0].1.len() <= REQUEST_POINTS_MAX as usize + 1);
        }
    }
}

#[test]
fn the_most_frequent_requests_have_a_course() {
    let names = 60;
    let mut course = builder(Some(2_000));
    for index in 0..1_000 {
        // The rare ones come first, and the last ones are the most frequent.
        let exchanges: Vec<_> =
            (0..names).filter(|name| index % u64::from(names - name) == 0).map(|name| (name, 5.0, true)).collect();
        course.push(&window(index, &exchanges));
    }
    let course = course.finish(&catalog(names as usize), ALWAYS);
    assert_eq!(course.requests.len(), REQUESTS_MAX);
    assert_eq!(course.requests[0].0, "r59");
    let found: Vec<&str> = course.requests.iter().map(|(name, _)| name.as_str()).collect();
    for name in ["r58", "r57", "r56", "r55", "r54"] {
        assert!(found.contains(&name), "{name} is not among {found:?}");
    }
}

#[test]
fn points_know_their_level_and_whether_they_are_held() {
    let mut plan = Run::healthy().plan;
    let stage = |from, to, kind| Stage { from, to, length_ns: Some(10_000_000_000), kind };
    plan.stages = vec![stage(0.0, 100.0, StageKind::RampUp), stage(100.0, 100.0, StageKind::Hold)];
    let mut course = CourseBuilder::new(&plan, Some(Nanos::from_secs(20)));
    (0..25).for_each(|index| course.push(&window(index, &[])));
    let course = course.finish(&catalog(0), (Nanos::from_secs(10), Nanos::from_secs(20)));
    let levels: Vec<f64> = course.points.iter().map(|point| point.level).collect();
    assert_eq!(levels[0], 5.0);
    assert_eq!(levels[9], 95.0);
    assert_eq!(levels[10..20], [100.0; 10]);
    assert_eq!(levels[20..], [0.0; 5], "what comes after the load is its drain");
    let held: Vec<usize> = (0..25).filter(|at| course.points[*at].held).collect();
    assert_eq!(held, (10..20).collect::<Vec<_>>());
}

#[test]
fn missing_windows_and_other_widths_are_left_out() {
    let mut course = builder(Some(14_400));
    for index in [0, 2, 3] {
        course.push(&window(index, &[(0, 1.0, true)]));
    }
    let mut other = window(4, &[(0, 1.0, true)]);
    other.width = Nanos::from_millis(100);
    course.push(&other);
    let points = course.finish(&catalog(1), ALWAYS).points;
    let widths: Vec<(f64, f64, u64)> =
        points.iter().map(|point| (point.start_s, point.width_s, point.exchanges)).collect();
    assert_eq!(widths, [(0.0, 1.0, 1), (2.0, 2.0, 2)]);
    assert_eq!(builder(None).finish(&catalog(0), ALWAYS), Course::default());
}
