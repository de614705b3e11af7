//! Series against a plain merge of the same windows.

use nmax_metrics::{Code, NameId, Network, Outcome, Sample};
use proptest::prelude::*;

use super::*;

/// Windows of a second with up to 60 exchanges each, of any response time from 1 µs to 17 s.
fn windows() -> impl Strategy<Value = Vec<Window>> {
    let times = prop::collection::vec(1_000..1_u64 << 34, 0..60);
    prop::collection::vec(times, 5..50)
        .prop_map(|seconds| (0..).zip(seconds).map(|(index, times)| window(index, &times)).collect())
}

fn window(index: u64, times_ns: &[u64]) -> Window {
    let mut window = Window::new(index, Nanos::from_secs(1));
    for (place, ns) in times_ns.iter().enumerate() {
        let sample = Sample {
            name: NameId(place as u32 % 3),
            scenario: 0,
            outcome: if place % 7 == 0 { Outcome::Failed } else { Outcome::Ok },
            status: Some(Code::new(200)),
            intended: Nanos::ZERO,
            sent: Some(Nanos(ns / 10)),
            first_byte: Some(Nanos(ns / 2)),
            done: Nanos(*ns),
            network: Network::default(),
            send: Nanos::ZERO,
            slot_wait: Nanos::ZERO,
            bytes_received: 500,
            bytes_sent: 100,
            bytes_decoded: 0,
        };
        window.aggregate.record(Section::ALL[place % Section::ALL.len()], &sample);
    }
    window
}

/// Response times of some windows, merged directly.
fn responses(windows: &[Window]) -> Histogram {
    let mut all = LatencySet::default();
    for window in windows {
        for section in Section::ALL {
            all.merge(&window.aggregate.total(section).latencies());
        }
    }
    all.response
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Law: whatever the length, order and number of bins, a bin is the merge of its windows and nothing is lost.
    #[test]
    fn bins_are_merges(bins_max in 1..60_usize, guess_s in 0..400_u64, mut windows in windows(), reverse in any::<bool>()) {
        let mut builder = SeriesBuilder::new(Nanos::from_secs(guess_s), bins_max);
        if reverse {
            windows.reverse();
        }
        windows.iter().for_each(|window| builder.push(window));
        windows.sort_by_key(|window| window.index);
        let series = builder.finish();
        prop_assert!(series.bins.len() <= bins_max);
        let length_s: f64 = series.bins.iter().map(|bin| bin.width_s).sum();
        prop_assert!((length_s - windows.len() as f64).abs() < 1e-6);
        for bin in &series.bins {
            let from = bin.start_s.round() as usize;
            let merged = responses(&windows[from..from + bin.width_s.round() as usize]);
            prop_assert_eq!(bin.response.p50, merged.quantile_ns(0.5));
            prop_assert_eq!(bin.response.p99, merged.quantile_ns(0.99));
            prop_assert_eq!(bin.response.max, merged.max_ns());
            prop_assert_eq!(bin.heat.iter().sum::<u64>(), merged.count());
            prop_assert!((bin.completed_per_s * bin.width_s - merged.count() as f64).abs() < 1e-6);
        }
    }

    /// Law: bins that are closed as soon as they are complete are those that stay open, the drain included.
    #[test]
    fn closed_bins_say_the_same(bins_max in 1..60_usize, length_s in 5..40_u64, windows in windows()) {
        let length_s = length_s.min(windows.len() as u64);
        let width = length_s.div_ceil(bins_max as u64).max(1);
        let mut closing = SeriesBuilder::in_order(Nanos::from_secs(length_s), bins_max);
        // As wide, and enough of them that none are joined.
        let most = (windows.len() as u64).div_ceil(width);
        let mut open = SeriesBuilder::new(Nanos::from_secs(most * width), most as usize);
        for window in &windows {
            closing.push(window);
            open.push(window);
        }
        prop_assert_eq!(closing.finish(), open.finish());
    }

    /// Law: rows of the heat map tile the axis.
    #[test]
    fn heat_rows_tile(ns in 1_000..3_600_000_000_000_u64) {
        let row = heat_row(ns);
        prop_assert!(row < HEAT_ROWS);
        prop_assert!(row == 0 || heat_row_low_ns(row) <= ns as f64 * 1.000_001);
        prop_assert!(row == HEAT_ROWS - 1 || (ns as f64) <= heat_row_low_ns(row + 1) * 1.000_001);
    }
}
