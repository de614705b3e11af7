//! What a log says of a kind of requests, and which of its lines are of the phase.
//!
//! A line is of the phase when its request began in it. Its stamp says that only to its resolution, which is a whole second
//! with many servers. Lines near the ends of the phase are therefore kept aside until it is known how many exchanges the
//! run began before the phase and after it: of what is unsure at an end, that many are not of the phase.

use std::ops::Range;

use nmax_metrics::Histogram;

use super::result::are_same;

/// How far beginnings on the two sides may be apart besides the resolution, µs: the way to the server, rounded times.
const SLACK_US: i64 = 100_000;
/// The same where the clock of the log is another one, and only known by when a line was read.
const OTHER_CLOCK_SLACK_US: i64 = 2_000_000;

/// Where a request began, by its stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhasePosition {
    /// Surely outside the phase, at this end: 0 before it, 1 after it.
    Outside(usize),
    /// Surely in the phase.
    Within,
    /// Perhaps in the phase, near this end; of a phase that is shorter than the doubt, near its begin.
    Unsure(usize),
}

impl PhasePosition {
    /// That of a request whose stamp has its middle at `at_us` and is `resolution_us` long; all µs since the run's origin.
    pub(super) fn classify(phase_us: &Range<i64>, at_us: i64, resolution_us: u32, is_own_clock: bool) -> Self {
        let slack_us = if is_own_clock { SLACK_US } else { OTHER_CLOCK_SLACK_US };
        let half_us = i64::from(resolution_us / 2) + slack_us;
        let (from_us, until_us) = (at_us.saturating_sub(half_us), at_us.saturating_add(half_us));
        match () {
            () if until_us <= phase_us.start => Self::Outside(0),
            () if from_us >= phase_us.end => Self::Outside(1),
            () if from_us < phase_us.start => Self::Unsure(0),
            () if until_us > phase_us.end => Self::Unsure(1),
            () => Self::Within,
        }
    }
}

/// What is kept of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    /// How long the server took, µs.
    pub(super) duration_us: Option<u64>,
    /// How long the server behind it took, µs.
    pub(super) upstream_us: Option<u64>,
    /// Whether the middle of its stamp is in the phase.
    pub(super) is_within: bool,
}

/// What one log says of a kind of requests.
#[derive(Clone, Debug, Default)]
pub(super) struct Server {
    /// Requests in the phase.
    pub(super) count: u64,
    pub(super) time: Histogram,
    pub(super) upstream: Histogram,
    /// Stamps of all requests: how many, and their sum, µs since the run's origin.
    pub(super) all: (u64, i128),
    /// Requests surely before the phase, and after it.
    outside: [u64; 2],
    /// Lines near the ends of the phase, in the order of the log.
    pub(super) unsure: [Vec<Line>; 2],
}

impl Server {
    /// Takes a line.
    pub(super) fn add(&mut self, place: PhasePosition, line: Line) {
        match place {
            PhasePosition::Outside(end) => self.outside[end] += 1,
            PhasePosition::Within => self.record(line),
            PhasePosition::Unsure(end) => self.unsure[end].push(line),
        }
    }

    fn record(&mut self, line: Line) {
        self.count += 1;
        for (us, times) in [(line.duration_us, &mut self.time), (line.upstream_us, &mut self.upstream)] {
            if let Some(us) = us {
                times.record(us.saturating_mul(1_000));
            }
        }
    }

    /// Adds what another log says.
    pub(super) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.time.merge(&other.time);
        self.upstream.merge(&other.upstream);
        self.all = (self.all.0 + other.all.0, self.all.1 + other.all.1);
        for end in [0, 1] {
            self.outside[end] += other.outside[end];
            self.unsure[end] = interleaved(&self.unsure[end], &other.unsure[end]);
        }
    }

    /// Decides of the unsure lines. The run sent `sent` of these requests, and of them `outside` before the phase and after
    /// it; `has_others`: whether it sent any of whatever kind there.
    pub(super) fn assign_unsure(&mut self, sent: u64, outside: [u64; 2], has_others: [bool; 2]) {
        let is_same = are_same(sent, self.all.0);
        for end in [0, 1] {
            let lines = std::mem::take(&mut self.unsure[end]);
            let known = outside[end].saturating_sub(self.outside[end]);
            let count = lines.len();
            for (index, line) in lines.into_iter().enumerate() {
                let beyond = if end == 0 { index } else { count - 1 - index };
                let is_outside = match is_same {
                    true => (beyond as u64) < known,
                    // Others than those that the run sent: what is behind a proxy, what it asks for itself.
                    false => !line.is_within,
                };
                if has_others[end] && is_outside {
                    self.outside[end] += 1;
                } else {
                    self.record(line);
                }
            }
        }
    }
}

/// Lines of two logs in one order: each list lies evenly over the same time.
fn interleaved(one: &[Line], other: &[Line]) -> Vec<Line> {
    let placed = |lines: &[Line]| -> Vec<(f64, Line)> {
        let count = lines.len() as f64;
        let share = |(index, line): (usize, &Line)| ((index as f64 + 0.5) / count, *line);
        lines.iter().enumerate().map(share).collect()
    };
    let mut all = placed(one);
    all.extend(placed(other));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, line)| line).collect()
}
