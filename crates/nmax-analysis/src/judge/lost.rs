//! Sources that could not be read for a part of the hold: what they would have said is missing.

use nmax_metrics::{Nanos, Readings, Track, TrackKey};
use nmax_sources::figures::{COST_CORES, UP};

use crate::Evidence;
use crate::wording::{share, time_ms};

/// A sentence on each source that was lost, and the share of the hold.
pub(super) fn lost(evidence: &Evidence) -> Vec<(String, String)> {
    let hold_s = evidence.hold_s();
    let sources = evidence.readings.iter().filter(|(figure, _)| figure.metric == UP);
    sources
        .filter_map(|(figure, track)| {
            let later = told_later(evidence.readings, figure);
            let lost_s = lost_s(track, later, evidence.hold);
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

/// What an agent said of the time in which it could not be asked: it keeps its lines, and gives them later. It reads itself
/// each time that it reads its host. Other sources say nothing afterwards.
fn told_later<'a>(readings: &'a Readings, up: &TrackKey) -> Option<&'a Track> {
    let is_agent = up.source.starts_with("agent ");
    readings.get(&up.host, &up.source, COST_CORES.name).filter(|_| is_agent)
}

/// For how long a source was lost, s: what an attempt says holds until the next one, but for seconds of which something was
/// told later.
fn lost_s(track: &Track, later: Option<&Track>, hold: (Nanos, Nanos)) -> f64 {
    let mut points = track.points().peekable();
    let mut lost_s = 0.0;
    while let Some((at, up)) = points.next() {
        if up >= 1.0 {
            continue;
        }
        let until = points.peek().map_or(hold.1, |(next, _)| *next);
        let span = (at.max(hold.0), until.min(hold.1));
        let told_s = later.map_or(0.0, |later| told_s(later, span));
        lost_s += (span.1.since(span.0).as_secs_f64() - told_s) * (1.0 - up);
    }
    lost_s
}

/// Of how much of a span a track tells, s. Each reading is of its own bin and the one before: readings that are a bin apart
/// may leave one out.
fn told_s(track: &Track, (from, until): (Nanos, Nanos)) -> f64 {
    if from >= until {
        return 0.0;
    }
    let width = track.width.0;
    let bins = from.0 / width..until.0.div_ceil(width).min(track.bins.len() as u64);
    let told = bins.filter_map(|bin| {
        let (begin, end) = (Nanos(bin * width), Nanos((bin + 1) * width));
        let is_told = track.within((begin, Nanos(end.0 + width))).count > 0;
        is_told.then(|| end.min(until).since(begin.max(from)).as_secs_f64())
    });
    told.sum()
}

#[cfg(test)]
mod tests {
    use nmax_metrics::Resource;
    use nmax_sources::Figure;
    use proptest::prelude::*;

    use super::*;
    use crate::tests::fixture::Run;

    fn attempt(at: Nanos, up: bool) -> Resource {
        Resource {
            at,
            host: "db1".into(),
            source: "postgres shop".into(),
            metric: UP.name.into(),
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
            let track = readings.get("db1", "postgres shop", UP.name).unwrap();
            let until = (from + length).min(ups.len() as u64);
            let want = (from..until).filter(|second| !ups[*second as usize]).count() as f64;
            // What the last attempt said holds on.
            let after = (from + length).saturating_sub(until.max(from)) as f64 * f64::from(u8::from(!ups[ups.len() - 1]));
            let hold = (Nanos::from_secs(from), Nanos::from_secs(from + length));
            prop_assert!((lost_s(track, None, hold) - want - after).abs() < 1e-9);
        }

        /// Law: of the time in which an agent could not be asked, that is missing of which it has no lines, to a second on
        /// either side.
        #[test]
        fn what_came_later_is_not_missing(
            (cut, length) in (1_u64..20, 3_u64..20),
            away in prop::option::of((1_u64..40, 3_u64..20)),
            phase_ms in 0_u64..1_000,
        ) {
            let mut readings = Readings::default();
            let agent = |at: Nanos, figure: Figure, value| Resource {
                at,
                source: "agent db1".into(),
                metric: figure.name.into(),
                value,
                ..attempt(at, true)
            };
            for second in 0..60 {
                let at = Nanos::from_millis(second * 1_000 + phase_ms);
                let is_cut = (cut..cut + length).contains(&second);
                // While it cannot be asked, an attempt takes some seconds.
                if !is_cut || (second - cut).is_multiple_of(3) {
                    readings.push(&agent(at, UP, f64::from(u8::from(!is_cut))));
                }
                if !away.is_some_and(|(from, length)| (from..from + length).contains(&second)) {
                    // Its seconds are a little longer than those of the run.
                    let read = at.0 + second * 700_000;
                    readings.push(&agent(Nanos(read), COST_CORES, 0.01));
                }
            }
            let up = readings.get("db1", "agent db1", UP.name).unwrap();
            let later = readings.get("db1", "agent db1", COST_CORES.name);
            let missing = away.map_or(0, |(from, away)| {
                (from + away).min(cut + length).saturating_sub(from.max(cut))
            });
            let found = lost_s(up, later, (Nanos::ZERO, Nanos::from_secs(60)));
            let apart = found - missing as f64;
            prop_assert!((-2.0..=1.0).contains(&apart), "{found} s of {missing} s");
            prop_assert!(missing > 0 || found == 0.0, "nothing is missing, and {found} s are told");
        }
    }

    /// A source that is not tried again is lost from then on; one that was always there is not mentioned.
    #[test]
    fn what_is_lost_is_said() {
        let mut run = Run::healthy();
        (0..10).for_each(|second| run.readings.push(&attempt(Nanos::from_secs(second), true)));
        assert_eq!(lost(&run.evidence()), []);
        run.readings.push(&Resource { host: "cache1".into(), ..attempt(Nanos::ZERO, false) });
        let lost = lost(&run.evidence());
        assert_eq!(lost.len(), 1, "{lost:?}");
        assert!(lost[0].0.starts_with("`postgres shop` on cache1 could not be read for"), "{lost:?}");
        assert_eq!(lost[0].1, share(1.0));
    }
}
