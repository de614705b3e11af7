//! The least time that bytes need, before a server is blamed for it.
//!
//! ```text
//! floor = bytes per exchange / bandwidth
//! ```
//!
//! The bandwidth of the way is at least the largest rate at which bytes came: of one reply while it came, or of all
//! exchanges of a window. Where users are at lines of the plan, it is that of the lines.

use nmax_metrics::{Aggregate, RequestStats, Section, Window};
use nmax_plan::plan::Plan;

/// Share of the mean response time from which on a floor is told.
pub(super) const SHARE_MIN: f64 = 0.2;
/// Least sum of times of receiving from which a rate is measured, ns: shorter ones are the pace of the reader.
const RECEIVE_NS_MIN: u128 = 1_000_000;

/// How fast bytes came, at the best.
#[derive(Clone, Debug, PartialEq)]
pub struct Bandwidth {
    /// Bytes per second.
    pub bytes_per_s: f64,
    /// Where it is from: `the fastest second of the run`, `the lines of the locations`.
    pub of: String,
}

/// The least time that the bytes of an exchange need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Bytes per exchange divided by the bandwidth, ms.
    pub floor_ms: f64,
    /// Of the mean response time, 0 to 1.
    pub share: f64,
}

impl Floor {
    /// The floor of exchanges, where it explains much of their response time.
    pub(super) fn from_stats(stats: &RequestStats, mean_ms: f64, bandwidth: &Bandwidth) -> Option<Self> {
        let bytes = stats.bytes_received as f64 / stats.count() as f64;
        let floor_ms = bytes / bandwidth.bytes_per_s * 1e3;
        let share = floor_ms / mean_ms;
        // More than all of it: the bandwidth was higher than anything that was seen of it.
        (share.is_finite() && share >= SHARE_MIN)
            .then(|| Self { floor_ms: floor_ms.min(mean_ms), share: share.min(1.0) })
    }
}

/// The largest rates of a run, as its windows come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fastest {
    /// Of all exchanges of a window, bytes per second.
    window_per_s: f64,
    /// Of single replies while they came, mean of a request name in a window, bytes per second.
    reply_per_s: f64,
}

impl Fastest {
    pub(super) fn push(&mut self, window: &Window) {
        let mut bytes = 0;
        for section in Section::ALL {
            for (_, stats) in window.aggregate.requests(section) {
                bytes += stats.bytes_received;
                let Some(phases) = &stats.phases else { continue };
                let receive_ns = phases.receive.exact().sum_ns;
                if receive_ns >= RECEIVE_NS_MIN {
                    let rate = stats.bytes_received as f64 / (receive_ns as f64 / 1e9);
                    self.reply_per_s = self.reply_per_s.max(rate);
                }
            }
        }
        let width_s = window.width.as_secs_f64();
        if width_s > 0.0 {
            self.window_per_s = self.window_per_s.max(bytes as f64 / width_s);
        }
    }

    /// The bandwidth; `None` when no reply took time to come, so nothing was seen of it.
    pub(super) fn bandwidth(&self) -> Option<Bandwidth> {
        if self.reply_per_s <= 0.0 {
            return None;
        }
        let (bytes_per_s, of) = if self.window_per_s > self.reply_per_s {
            (self.window_per_s, "the fastest window of the run")
        } else {
            (self.reply_per_s, "the fastest replies of the run")
        };
        Some(Bandwidth { bytes_per_s, of: of.to_owned() })
    }
}

/// The bandwidth of the lines of the plan's locations, where all users have one: the harmonic mean, weighted by the
/// exchanges of each, since times add up.
pub(super) fn of_lines(plan: &Plan, totals: &Aggregate) -> Option<Bandwidth> {
    let (mut exchanges, mut time) = (0.0, 0.0);
    for (location, stats) in plan.locations.iter().zip(totals.locations.in_section(Section::Hold)) {
        let count = stats.exchanges.count as f64;
        if count > 0.0 {
            exchanges += count;
            time += count / (location.down_bits_per_s? / 8.0);
        }
    }
    (time > 0.0).then(|| Bandwidth { bytes_per_s: exchanges / time, of: "the lines of the locations".to_owned() })
}
