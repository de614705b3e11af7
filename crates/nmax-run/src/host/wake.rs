//! How late this host wakes a thread, and for which targets that is good enough.

use std::num::NonZeroU64;
use std::time::Duration;

use nmax_analysis::EFFECT_MAX;
use nmax_metrics::{Histogram, Nanos};
use nmax_report::number;
use rustix::thread::{ClockId, Timespec, clock_nanosleep_absolute};
use rustix::time::clock_gettime;

/// Between two wakes.
const PERIOD: Nanos = Nanos(1_000_000);

/// How late a thread woke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lateness {
    /// Wakes that were measured.
    pub wakes: u64,
    /// Median, ns.
    pub p50_ns: u64,
    /// 99th percentile, ns.
    pub p99_ns: u64,
    /// Largest, ns.
    pub max_ns: u64,
}

impl Lateness {
    /// Of all times measured; `None` without any.
    fn from_histogram(late: &Histogram) -> Option<Self> {
        let quantile = |q: f64| late.quantile_ns(q);
        Some(Self { wakes: late.count(), p50_ns: quantile(0.5)?, p99_ns: quantile(0.99)?, max_ns: late.max_ns()? })
    }

    /// Response time from which on a p99 can be told: lag at p99 is less than a tenth of it.
    pub fn target_ns(&self) -> f64 {
        self.p99_ns as f64 / EFFECT_MAX
    }

    /// What was measured: `p50 60 µs, p99 4 ms, at most 9 ms`.
    pub fn value(&self) -> String {
        let time = |ns: u64| number::time(ns as f64);
        format!("p50 {}, p99 {}, at most {}", time(self.p50_ns), time(self.p99_ns), time(self.max_ns))
    }

    /// What it means for open runs, a sentence.
    pub fn meaning(&self) -> String {
        format!(
            "this host wakes threads up to {} late (p99): the p99 of targets slower than {} can be told; of faster ones it \
             may be shown as not known",
            number::time(self.p99_ns as f64),
            number::time(self.target_ns())
        )
    }
}

/// Wakes a thread of its own every millisecond for that long, with the timers of a worker; `None` where it cannot.
pub fn measure(length: Duration) -> Option<Lateness> {
    std::thread::spawn(move || Lateness::from_histogram(&wake(length))).join().ok()?
}

fn wake(length: Duration) -> Histogram {
    // As workers do; a kernel that refuses wakes later.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    let mut late = Histogram::new();
    let end = now() + Nanos::from(length);
    let mut due = now() + PERIOD;
    while due < end {
        let at = Timespec { tv_sec: (due.0 / 1_000_000_000) as i64, tv_nsec: (due.0 % 1_000_000_000) as i64 };
        if clock_nanosleep_absolute(ClockId::Monotonic, &at).is_err() {
            continue;
        }
        let woken = now();
        late.record(woken.since(due).0);
        // What fell due meanwhile is not asked for again.
        due = Nanos(due.0.max(woken.0)) + PERIOD;
    }
    late
}

fn now() -> Nanos {
    let time = clock_gettime(rustix::time::ClockId::Monotonic);
    Nanos(time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_for_targets_follows_from_the_lateness() {
        let ms = 1_000_000;
        let late = Lateness { wakes: 1_000, p50_ns: 60_000, p99_ns: 4 * ms, max_ns: 9 * ms };
        assert_eq!(late.target_ns(), 40e6);
        assert_eq!(late.value(), "p50 60.0 µs, p99 4.00 ms, at most 9.00 ms");
        assert_eq!(
            late.meaning(),
            "this host wakes threads up to 4.00 ms late (p99): the p99 of targets slower than 40.0 ms can be told; of faster \
             ones it may be shown as not known"
        );
    }

    #[test]
    fn quantiles_are_those_of_the_wakes() {
        assert_eq!(Lateness::from_histogram(&Histogram::new()), None);
        let mut late = Histogram::new();
        (1..=100).for_each(|us| late.record(us * 1_000));
        let found = Lateness::from_histogram(&late).unwrap();
        assert_eq!((found.wakes, found.max_ns), (100, 100_000));
        assert!(found.p50_ns.abs_diff(50_000) <= 100, "three digits: {found:?}");
        assert!(found.p50_ns <= found.p99_ns && found.p99_ns <= found.max_ns);
    }

    #[test]
    fn this_host_is_measured() {
        let late = measure(Duration::from_millis(20)).unwrap();
        assert!((1..=20).contains(&late.wakes) && late.p50_ns <= late.max_ns, "{late:?}");
    }
}
