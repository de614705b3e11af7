//! What a reading of the clock costs: each exchange takes a few.

use std::hint::black_box;
use std::time::Instant;

/// Readings of one trial.
const READINGS: u32 = 2_000;
/// Trials; the quickest counts, because others were interrupted.
const TRIALS: usize = 9;

/// The cost of one reading, ns; measured in about a millisecond.
#[expect(clippy::disallowed_methods, reason = "it is the clock that is measured")]
pub(super) fn reading_ns() -> f64 {
    let trial = || {
        let begin = Instant::now();
        (0..READINGS).for_each(|_| {
            black_box(Instant::now());
        });
        begin.elapsed().as_nanos() as f64 / f64::from(READINGS)
    };
    (0..TRIALS).map(|_| trial()).fold(f64::INFINITY, f64::min)
}
