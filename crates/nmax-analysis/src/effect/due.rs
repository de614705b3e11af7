//! Exchanges by when they were due, of a course that counts them by when they ended.

use crate::course::{Point, Pool};

/// From and to, seconds since the run's origin.
pub(super) type Span = (f64, f64);

/// The exchanges that were due in one of the spans; `intervention` is the time of the intervention that they are looked
/// at for.
///
/// An exchange that ended at `t` after a response time of `r` was due at `t − r`. Of those in a cell of a point, `t` is
/// taken as uniform over the point, so the share of them that was due in a span is that of the overlap. Where a server
/// goes on, all who waited are served at once and not evenly, so what took longer than a point, and may have been due
/// during the intervention, belongs to it as a whole. The end of the intervention is blurred by at most a point.
/// O(points · cells).
pub(super) fn due(points: &[Point], spans: &[Span], intervention: Span) -> Pool {
    let mut pool = Pool::default();
    let first_s = spans.iter().map(|span| span.0).fold(f64::INFINITY, f64::min);
    let last_s = spans.iter().map(|span| span.1).fold(f64::NEG_INFINITY, f64::max);
    let is_own = spans == [intervention];
    for point in points.iter().filter(|point| point.end_s() > first_s) {
        if point.start_s - point.spread.longest_ms() / 1e3 >= last_s {
            continue;
        }
        for (ms, exchanges, failed) in point.spread.cells() {
            let waited_s = ms / 1e3;
            let due = (point.start_s - waited_s, point.end_s() - waited_s);
            let share = match waited_s > point.width_s && overlap_s(due, intervention) > 0.0 {
                true => f64::from(u8::from(is_own)),
                false => spans.iter().map(|span| overlap_s(due, *span)).sum::<f64>() / point.width_s,
            };
            if share > 0.0 {
                pool.add(ms, exchanges * share, failed * share);
            }
        }
    }
    pool
}

fn overlap_s(one: Span, other: Span) -> f64 {
    (one.1.min(other.1) - one.0.max(other.0)).max(0.0)
}
