//! Sources that could not be read for a part of the hold: what they would have said is missing.

use nmax_metrics::{Nanos, Track};

use crate::Evidence;
use crate::words::{share, time_ms};

/// The metric that says whether a source could be read: 1 or 0, at each attempt.
const UP: &str = "up";

/// A sentence on each source that was lost, and the share of the hold.
pub(super) fn lost(evidence: &Evidence) -> Vec<(String, String)> {
    let hold_s = evidence.hold_s();
    let sources = evidence.readings.iter().filter(|(figure, _)| figure.metric == UP);
    sources
        .filter_map(|(figure, track)| {
            let lost_s = lost_s(track, evidence.hold);
            let text = format!(
                "`{}` on {} could not be read for {} of the hold: what it would have said is missing",
                figure.source,
                figure.host,
                time_ms(lost_s * 1e3)
            );
            (lost_s > 0.0).then(|| (text, share(lost_s / hold_s)))
        })
        .collect()
}

/// For how long a source was lost, s: what an attempt says holds until the next one.
fn lost_s(track: &Track, hold: (Nanos, Nanos)) -> f64 {
    let mut points = track.points().peekable();
    let mut lost_s = 0.0;
    while let Some((at, up)) = points.next() {
        let until = points.peek().map_or(hold.1, |(next, _)| *next);
        let span = until.min(hold.1).since(at.max(hold.0));
        lost_s += span.as_secs_f64() * (1.0 - up);
    }
    lost_s
}

#[cfg(test)]
mod tests {
    use nmax_metrics::Resource;
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::Run;

    fn attempt(at: Nanos, up: bool) -> Resource {
        Resource {
            at,
            host: "db1".into(),
            source: "postgres shop".into(),
            metric: UP.into(),
            value: f64::from(u8::from(up)),
            unit: "ratio".into(),
        }
    }

    proptest! {
        /// Law: the time that is lost is that of the seconds of the hold in which the attempt failed.
        #[test]
        fn seconds_are_counted(ups in proptest::collection::vec(any::<bool>(), 1..200), from in 0_u64..100, length in 1_u64..100) {
            let mut readings = nmax_metrics::Readings::default();
            for (second, up) in (0..).zip(&ups) {
                readings.push(&attempt(Nanos::from_secs(second), *up));
            }
            let track = readings.get("db1", "postgres shop", UP).unwrap();
            let until = (from + length).min(ups.len() as u64);
            let want = (from..until).filter(|second| !ups[*second as usize]).count() as f64;
            // What the last attempt said holds on.
            let after = (from + length).saturating_sub(until.max(from)) as f64 * f64::from(u8::from(!ups[ups.len() - 1]));
            let hold = (Nanos::from_secs(from), Nanos::from_secs(from + length));
            prop_assert!((lost_s(track, hold) - want - after).abs() < 1e-9);
        }
    }

    /// A source that is not tried again is lost from then on; one that was always there is not mentioned.
    #[test]
    fn what_is_lost_is_said() {
        let mut run = Run::healthy();
        (0..10).for_each(|second| run.readings.push(&attempt(Nanos::from_secs(second), true)));
        assert_eq!(lost(&run.evidence()), []);
        run.readings.push(&Resource {
            host: "cache1".into(),
            ..attempt(Nanos::ZERO, false)
        });
        let lost = lost(&run.evidence());
        assert_eq!(lost.len(), 1, "{lost:?}");
        assert!(
            lost[0].0.starts_with("`postgres shop` on cache1 could not be read for"),
            "{lost:?}"
        );
        assert_eq!(lost[0].1, share(1.0));
    }
}
