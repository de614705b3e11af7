//! What the sessions that ended add up to.

use super::pauses::Pauses;
use super::{NONE, PAIRS_MAX, Visitor};
use crate::traffic::arrivals::Burstiness;
use crate::traffic::distribution::Dist;
use crate::traffic::hash::{IdMap, pair};
use crate::traffic::paths::TypeId;
use crate::traffic::sample::{Sample, Stride};

/// One kind of step after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) from: Option<TypeId>,
    pub(crate) to: Option<TypeId>,
    pub(crate) count: u64,
    pub(crate) pauses: Pauses,
}

/// What the sessions that ended add up to.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) sessions: u64,
    /// Sessions by break: the fixed ones, then the chosen one.
    pub(crate) at: [u64; 4],
    pub(crate) steps: Dist,
    pub(crate) requests: Dist,
    pub(crate) duration_ms: Dist,
    pub(crate) pauses_ms: Dist,
    pub(crate) pauses: Pauses,
    pub(crate) step_counts: Vec<u64>,
    pub(crate) pairs: IdMap<Pair>,
    /// Page and resource, and how often.
    pub(crate) attached: IdMap<(TypeId, TypeId, u64)>,
    pub(crate) resources: u64,
    pub(crate) robots: u64,
    pub(crate) late: u64,
    pub(crate) restarts: u64,
    pub(crate) cuts: u64,
    pub(crate) left_early: u64,
    pub(crate) pairs_left_out: u64,
    pub(crate) sample: Sample,
    pub(crate) request_bursts: Burstiness,
    pub(crate) session_bursts: Burstiness,
}

impl Totals {
    pub(super) fn new(seed: u64) -> Self {
        Self { sample: Sample::new(seed), ..Self::default() }
    }

    /// Adds the session of a visitor.
    pub(super) fn add(&mut self, visitor: &Visitor, steps: &[Stride], breaks_us: [i64; 4]) {
        self.sessions += 1;
        self.steps.add(steps.len() as u64);
        self.requests.add(visitor.requests);
        self.duration_ms.add(((visitor.last_us - visitor.first_us) / 1_000).max(0) as u64);
        for ((count, within), break_us) in self.at.iter_mut().zip(visitor.breaks).zip(breaks_us) {
            let is_new = visitor.break_us.is_none_or(|before| before > break_us);
            *count += u64::from(is_new) + u64::from(within);
        }
        let mut before = None;
        for (kind, pause_ms) in steps {
            let pause = before.map(|_| *pause_ms);
            if let Some(pause_ms) = pause {
                self.pauses_ms.add(u64::from(pause_ms));
                self.pauses.add(pause_ms);
            }
            self.pair(before, Some(*kind), pause);
            if *kind as usize >= self.step_counts.len() {
                self.step_counts.resize(*kind as usize + 1, 0);
            }
            self.step_counts[*kind as usize] += 1;
            before = Some(*kind);
        }
        self.pair(before, None, None);
        self.sample.add(steps);
    }

    fn pair(&mut self, from: Option<TypeId>, to: Option<TypeId>, pause_ms: Option<u32>) {
        let key = pair(from.unwrap_or(NONE), to.unwrap_or(NONE));
        let is_full = self.pairs.len() >= PAIRS_MAX;
        if is_full && !self.pairs.contains_key(&key) {
            self.pairs_left_out += 1;
            return;
        }
        let sum = self.pairs.entry(key).or_insert(Pair { from, to, count: 0, pauses: Pauses::default() });
        sum.count += 1;
        if let Some(pause_ms) = pause_ms {
            sum.pauses.add(pause_ms);
        }
    }
}
