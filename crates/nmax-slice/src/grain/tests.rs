use std::sync::Arc;

use proptest::prelude::*;

use crate::column::{Chunk, Sums, UNKNOWN, Values};
use crate::tally::tests::{chunk, schema};
use crate::{Answer, Request, Slice, SliceError, Tally};

const MS: i64 = 1_000_000;
const WINDOWS: i64 = 400;

fn fitted(request: &Request, width_ms: i64) -> Result<(Slice, Vec<String>), Vec<SliceError>> {
    Slice::compile(request, &schema()).unwrap().on_windows(width_ms * MS)
}

/// Windows with five exchanges for each ms of their width.
fn answer(slice: Slice, width_ms: i64) -> Answer {
    let lines: Vec<_> = (0..WINDOWS).map(|n| (None, None, n * width_ms * MS, 0, 0)).collect();
    let mut windows: Chunk = chunk(&lines);
    windows.columns[3] = Some(Values::Numbers(vec![UNKNOWN; lines.len()]));
    let sums = || Sums { count: 5 * width_ms as u64, ..Sums::default() };
    windows.sums = Some(lines.iter().map(|_| sums()).collect());
    let mut tally = Tally::new(&Arc::new(slice));
    tally.add(&windows);
    tally.answer(Some((0, WINDOWS * width_ms * MS)))
}

fn request(filter: &str, every: Option<String>) -> Request {
    Request { filter: vec![filter.into()], show: vec!["rate".into()], is_over_time: true, every, ..Request::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Law: of a load that never changes every rate is that load, whatever the width of windows, points and bounds.
    #[test]
    fn a_steady_load_has_one_rate(
        width_ms in prop_oneof![Just(1_000_i64), Just(100), Just(3_000), 1..5_000_i64],
        times in proptest::option::of(1..5_i64),
        from_ms in 0..100_000_i64,
        length_ms in 1..900_000_i64,
    ) {
        let every = times.map(|times| format!("{}ms", times * width_ms));
        let filter = format!("time >= {from_ms}ms and time < {}ms", from_ms + length_ms);
        let (slice, notes) = fitted(&request(&filter, every), width_ms).unwrap();
        let is_within = from_ms % width_ms != 0 || (from_ms + length_ms) % width_ms != 0;
        prop_assert_eq!(notes.len(), usize::from(is_within), "{:?}", notes);
        let found = answer(slice, width_ms);
        let rates = found.rows.iter().flat_map(|row| row.values.iter().chain(row.series.iter().flat_map(|point| &point.1)));
        for rate in rates {
            prop_assert!((rate.unwrap() - 5_000.0).abs() < 1e-6, "{rate:?} in {found:?}");
        }
    }

    /// Law: what ends at an instant and what begins at it are the whole.
    #[test]
    fn bounds_part_the_whole(width_ms in 1..5_000_i64, at_ms in 0..900_000_i64) {
        let sides = ["<", ">="].map(|operator| {
            let (slice, _) = fitted(&request(&format!("time {operator} {at_ms}ms"), None), width_ms).unwrap();
            answer(slice, width_ms).span.map_or(0, |(from, to)| to - from)
        });
        prop_assert_eq!(sides[0] + sides[1], WINDOWS * width_ms * MS);
    }
}

#[test]
fn spans_within_windows_are_refused() {
    let cases = [
        (request("status = 200", Some("100ms".into())), "100ms wide", "take 1s,"),
        (request("status = 200", Some("1500ms".into())), "1.5s wide", "take 2s,"),
        (Request { by: vec!["time:2500ms".into()], ..Request::default() }, "time:2500ms is", "take 3s,"),
    ];
    for (request, what, remedy) in cases {
        let errors = fitted(&request, 1_000).unwrap_err();
        assert_eq!(errors.len(), 1);
        assert!(errors[0].text.contains(what) && errors[0].remedy.starts_with(remedy), "{}", errors[0]);
    }
    let spans_of_others = Request { by: vec!["response:100ms".into()], ..Request::default() };
    assert!(fitted(&spans_of_others, 1_000).is_ok());
}
