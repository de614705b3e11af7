//! Laws of the results by injector and region.

use nmax_metrics::{Nanos, Window, testing};
use proptest::prelude::*;

use super::*;
use crate::tests::fixture::Run;
use crate::{Fold, Judged};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const SECONDS: u64 = 6;

/// What each of some injectors measured, second by second.
fn fleets() -> impl Strategy<Value = Vec<Vec<Window>>> {
    let one = (0..SECONDS).map(testing::window).collect::<Vec<_>>();
    prop::collection::vec(one, 1..=NAMES.len())
}

/// The judgement of these, told apart or not.
fn judged(fleet: &[Vec<Window>], regions: Option<&[Option<&str>]>) -> Judged {
    let run = Run::healthy();
    let mut fold = Fold::new(&run.plan, (Nanos::ZERO, Nanos::from_secs(SECONDS)), Some(Nanos::from_secs(SECONDS)));
    if let Some(regions) = regions {
        fold = fold.of_injectors(&NAMES[..fleet.len()]);
        for (injector, region) in fold.injectors.iter_mut().zip(regions) {
            injector.facts.region = region.map(str::to_owned);
        }
    }
    for second in 0..SECONDS {
        let mut sum = Window::new(second, Nanos::from_secs(1));
        for (number, windows) in fleet.iter().enumerate() {
            let window = &windows[second as usize];
            sum.aggregate.merge(&window.aggregate);
            if regions.is_some() {
                fold.part(number, window);
            }
        }
        fold.window(&sum);
    }
    let mut catalog = run.catalog.clone();
    (2..4).for_each(|number| {
        catalog.requests.intern(&format!("GET /{number}"));
    });
    fold.judge(&run.plan, &catalog, None, None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Law: told apart or not, injectors measured the same in all; by injector and by region it adds up to that.
    #[test]
    fn parts_add_up(
        fleet in fleets(),
        regions in prop::array::uniform4(prop::option::of(prop::sample::select(vec!["eu", "us"]))),
    ) {
        let (apart, whole) = (judged(&fleet, Some(&regions)).summary, judged(&fleet, None).summary);
        prop_assert_eq!(&apart.total, &whole.total);
        prop_assert_eq!(&apart.requests, &whole.requests);
        prop_assert_eq!((apart.achieved_rate_per_s, &apart.dropped), (whole.achieved_rate_per_s, &whole.dropped));
        prop_assert!(whole.injectors.is_empty() && whole.regions.is_empty());
        let (rows, total) = (&apart.injectors, &apart.total);
        if fleet.len() == 1 {
            prop_assert!(rows.is_empty() && apart.regions.is_empty());
            return Ok(());
        }
        let told = regions[..fleet.len()].iter().any(Option::is_some);
        prop_assert_eq!((rows.len(), apart.regions.is_empty()), (fleet.len(), !told));
        let by_injector: Vec<&GroupRow> = rows.iter().map(|row| &row.exchanges).collect();
        let by_region: Vec<&GroupRow> = apart.regions.iter().collect();
        for rows in [by_injector, by_region].into_iter().filter(|rows| !rows.is_empty()) {
            let sum = |of: fn(&GroupRow) -> u64| rows.iter().map(|row| of(row)).sum::<u64>();
            prop_assert_eq!(sum(|row| row.count), total.count);
            prop_assert_eq!(sum(|row| row.failed), total.failed + total.errors);
            prop_assert_eq!(rows.iter().filter_map(|row| row.time.max_ns).max(), total.times.response.max_ns);
            let rates: f64 = rows.iter().filter_map(|row| row.rate_per_s).sum();
            prop_assert!((rates - total.rate_per_s.unwrap_or_default()).abs() < 1e-9);
        }
        let started: u64 = rows.iter().map(|row| row.started).sum();
        let shares: f64 = rows.iter().filter_map(|row| row.started_share).sum();
        prop_assert!(started == 0 || (shares - 1.0).abs() < 1e-9, "{shares}");
    }

    /// Law: the percentiles of a region are those of its exchanges, of all its injectors.
    #[test]
    fn a_region_is_one_injector(fleet in fleets()) {
        prop_assume!(fleet.len() > 1);
        let judged = judged(&fleet, Some(&[Some("eu"); NAMES.len()]));
        let all = &judged.summary.total.times.response;
        let [region] = judged.summary.regions.as_slice() else { panic!("one region") };
        prop_assert_eq!((region.time.quantiles_ns, region.time.mean_ns), (all.quantiles_ns, all.mean_ns));
    }
}
