//! The course of a run: what each stretch of its time came to, for everything that asks how numbers change.
//!
//! [`CourseBuilder`] makes it of windows as they come, in bounded memory.

use nmax_metrics::Nanos;

mod builder;
mod grid;
mod spread;

pub use builder::CourseBuilder;
pub(crate) use builder::latency;
pub(crate) use spread::Pool;
pub use spread::Spread;

/// One stretch of a run, merged over all its windows: quantiles are of the merged histograms, never of quantiles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// Its beginning, seconds since the run's origin.
    pub start_s: f64,
    /// Its length, seconds.
    pub width_s: f64,
    /// Whether all of it lies in the statistics interval.
    pub held: bool,
    /// Mean planned level: iterations per second or VUs.
    pub level: f64,
    /// Iterations started.
    pub started: u64,
    /// Due iterations that never started or had to wait for a slot.
    pub held_up: u64,
    /// Iterations completed.
    pub iterations: u64,
    /// Exchanges that ended.
    pub exchanges: u64,
    /// Of those, failed or in error.
    pub failed: u64,
    /// Mean number of iterations in flight.
    pub in_flight: f64,
    /// Response times of all exchanges, ms; absent without any.
    pub response: Option<Latency>,
    /// What the injector's workers used in it.
    pub used: Use,
    /// How they are spread; kept of runs with a timeline and of the profiles `ladder` and `stress`, which pool stretches.
    pub spread: Spread,
}

impl Point {
    /// Its end, seconds since the run's origin.
    pub fn end_s(&self) -> f64 {
        self.start_s + self.width_s
    }

    /// Failed or in error, of all exchanges that ended; `None` without any.
    pub fn failure_rate(&self) -> Option<f64> {
        (self.exchanges > 0).then(|| self.failed as f64 / self.exchanges as f64)
    }

    /// 95th percentile of the response times, ms.
    pub fn p95_ms(&self) -> Option<f64> {
        self.response.map(|response| response.p95_ms)
    }
}

/// What the injector's workers used of a stretch, summed over them, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Use {
    /// Time that they existed.
    pub worker_s: f64,
    /// CPU time.
    pub cpu_s: f64,
    /// Time that they were ready to run and waited for a processor.
    pub run_wait_s: f64,
    /// Time that they stood still.
    pub stalled_s: f64,
}

impl Use {
    /// Both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            worker_s: self.worker_s + other.worker_s,
            cpu_s: self.cpu_s + other.cpu_s,
            run_wait_s: self.run_wait_s + other.run_wait_s,
            stalled_s: self.stalled_s + other.stalled_s,
        }
    }
}

/// Figures of a distribution of times, ms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Latency {
    /// Arithmetic mean.
    pub mean_ms: f64,
    /// Median.
    pub p50_ms: f64,
    /// 95th percentile.
    pub p95_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
}

/// The whole course.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// In order of time, without overlap.
    pub points: Vec<Point>,
    /// By request name, in coarser stretches: what broke first is found here. Of iterations these points know nothing.
    pub requests: Vec<(String, Vec<Point>)>,
}

/// A figure of an observed process over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// The name of what is observed.
    pub name: String,
    /// What is measured, such as `memory_bytes`.
    pub metric: String,
    /// Instants and values, in order of time.
    pub values: Vec<(Nanos, f64)>,
}

#[cfg(test)]
mod tests;
