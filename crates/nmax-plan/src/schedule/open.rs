//! The schedule of an open workload: which iteration is due when.
//!
//! Iteration n = 0, 1, 2, … is due when the integral Λ of the planned rate reaches n, counted from the
//! start of the run across all stages. An iteration belongs to the stage in which Λ goes on from n, so a
//! stage of rate zero starts nothing, and a stage whose Λ ends exactly at n leaves n to its successor.
//! The schedule has as many iterations as there are integers n with 0 ≤ n < Λ(end).
//!
//! [`Open::offset_ns`] and [`Open::count_at`] are a Galois pair, exactly: both ask one function of whole
//! nanoseconds, Λ(t), which never falls. Several iterations may be due at the same instant.

use std::sync::Arc;

use super::curve::Curve;
use super::poisson::{Leaf, Uniforms};
use super::{Stage, StageError, check, least, snap};
use crate::choice::{derive, mix64};

/// Most iterations a schedule plans, 2⁵³: up to there integers are exact in `f64`. It then ends.
pub const STARTS_MAX: u64 = 1 << 53;

/// Arrivals per block of an unbounded Poisson stage; each block has exactly as many.
const BLOCK: u64 = 1 << 16;

/// Law of the arrivals within a stage. The count of each stage is the same in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Evenly spaced in Λ.
    Even,
    /// A Poisson process given its count in each bounded stage, and in each 65,536 arrivals of an unbounded one.
    Poisson {
        /// Initial value of all arrivals.
        seed: u64,
    },
}

/// How many iterations a schedule has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    /// Exactly so many.
    Finite(u64),
    /// The last stage goes on until something else ends it.
    Unbounded,
}

/// A schedule of iteration starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    segments: Vec<Segment>,
    limit: u64,
    /// The starts of [`Shape::Listed`], ns since the start of the run, ascending.
    starts: Arc<[u64]>,
}

/// A stage with what came before it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Segment {
    /// Beginning, ns since the start of the run.
    start_ns: u64,
    shape: Shape,
    /// Λ at its beginning.
    lambda_start: f64,
    /// Λ at its end; infinite when it is unbounded with a rate.
    lambda_end: f64,
    /// Its first iteration.
    first: u64,
    /// One after its last iteration, as planned: the law of its arrivals depends on it.
    end: u64,
    /// One after its last iteration that is due before other stages take its place: `end`, where none do.
    kept: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    /// By the rate, evenly spaced.
    Even(Curve),
    /// By the rate, at random places of this seed.
    Poisson(Curve, u64),
    /// At the instants of a list; the curve is of rate 0 and as long as the schedule.
    Listed(Curve),
}

impl Open {
    /// The schedule of these stages, one after the other.
    ///
    /// # Errors
    /// When a level is out of range, an unbounded stage is not last or not constant, or the end exceeds `u64`.
    pub fn new(stages: &[Stage], arrivals: Arrivals) -> Result<Self, StageError> {
        let nothing = Self { segments: Vec::with_capacity(stages.len()), limit: STARTS_MAX, starts: Arc::default() };
        nothing.append((0, 0.0, 0), stages, arrivals)
    }

    /// The same schedule up to `at_ns`, then these stages: each iteration that was due before `at_ns` keeps its number and
    /// its instant, and all others are due by the stages.
    ///
    /// Even arrivals go on where Λ was at that instant, Poisson ones begin anew. `at_ns` is before the end of the schedule,
    /// which has no list and no limit. O(stages).
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn then(mut self, at_ns: u64, stages: &[Stage], arrivals: Arrivals) -> Result<Self, StageError> {
        let kept = at_ns.checked_sub(1).map_or(0, |last_ns| self.count_at(last_ns));
        self.segments.retain(|segment| segment.start_ns < at_ns);
        for segment in &mut self.segments {
            segment.kept = segment.kept.min(kept);
        }
        let lambda = match (arrivals, self.segments.last()) {
            (Arrivals::Even, Some(last)) => last.lambda(&last.curve(), at_ns - last.start_ns),
            _ => kept as f64,
        };
        self.append((at_ns, lambda, kept), stages, arrivals)
    }

    /// Appends stages from an instant on, at which Λ is `lambda` and iteration `first` is the next.
    fn append(
        mut self,
        (mut start_ns, mut lambda, first): (u64, f64, u64),
        stages: &[Stage],
        arrivals: Arrivals,
    ) -> Result<Self, StageError> {
        for (place, stage) in stages.iter().enumerate() {
            let end_ns = check(place, stage, place + 1 == stages.len(), start_ns)?.unwrap_or(u64::MAX);
            let curve = Curve { from_per_s: stage.from, to_per_s: stage.to, length_ns: stage.length_ns };
            let shape = match arrivals {
                Arrivals::Even => Shape::Even(curve),
                Arrivals::Poisson { seed } => Shape::Poisson(curve, derive(mix64(seed), self.segments.len() as u64)),
            };
            let area = match stage.length_ns {
                Some(length_ns) => curve.area(length_ns),
                None if stage.from > 0.0 => f64::INFINITY,
                None => 0.0,
            };
            let lambda_end = if area.is_infinite() { area } else { snap(lambda + area).min(STARTS_MAX as f64) };
            let first = if place == 0 { first } else { integers_below(lambda) };
            let end = integers_below(lambda_end).max(first);
            let segment = Segment { start_ns, shape, lambda_start: lambda, lambda_end, first, end, kept: end };
            self.segments.push(segment);
            (start_ns, lambda) = (end_ns, lambda_end);
        }
        Ok(self)
    }

    /// The schedule that starts iteration n at the n-th of these instants, ns since the start of the run, and ends at
    /// `end_ns` or with the last of them, whichever is later. The instants ascend.
    pub fn listed(starts: Arc<[u64]>, end_ns: u64) -> Self {
        debug_assert!(starts.is_sorted(), "starts ascend");
        let end = (starts.len() as u64).min(STARTS_MAX);
        let curve =
            Curve { from_per_s: 0.0, to_per_s: 0.0, length_ns: Some(end_ns.max(starts.last().copied().unwrap_or(0))) };
        let segment = Segment {
            start_ns: 0,
            shape: Shape::Listed(curve),
            lambda_start: 0.0,
            lambda_end: end as f64,
            first: 0,
            end,
            kept: end,
        };
        Self { segments: vec![segment], limit: STARTS_MAX, starts }
    }

    /// The same schedule, ending after its first `starts` iterations.
    #[must_use]
    pub fn limit(self, starts: u64) -> Self {
        Self { limit: self.limit.min(starts), ..self }
    }

    /// When iteration `n`, from 0, is due: ns since the start of the run; `None` when the schedule has no such iteration.
    ///
    /// O(log stages) for even arrivals, O(log iterations) for Poisson ones.
    pub fn offset_ns(&self, n: u64) -> Option<u64> {
        self.cursor().offset_ns(n)
    }

    /// How many iterations are due up to and including `t_ns`.
    pub fn count_at(&self, t_ns: u64) -> u64 {
        let begun = self.segments.partition_point(|segment| segment.start_ns <= t_ns);
        let count = match begun.checked_sub(1).and_then(|last| self.segments.get(last)) {
            Some(segment) => segment.count_at(t_ns - segment.start_ns, &self.starts),
            None => 0,
        };
        count.min(self.limit)
    }

    /// How many iterations the schedule has.
    pub fn total(&self) -> Total {
        let (end, unbounded) =
            self.segments.last().map_or((0, false), |segment| (segment.end, segment.lambda_end.is_infinite()));
        if unbounded && self.limit == STARTS_MAX { Total::Unbounded } else { Total::Finite(end.min(self.limit)) }
    }

    /// Planned rate at `t_ns`, iterations per second, by the stages alone: listed starts and the limit do not show. 0 after the end.
    pub fn rate_at(&self, t_ns: u64) -> f64 {
        let begun = self.segments.partition_point(|segment| segment.start_ns <= t_ns);
        let covering = self.segments[..begun].iter().rev().find_map(|segment| {
            let curve = segment.curve();
            let t_ns = t_ns - segment.start_ns;
            curve.length_ns.is_none_or(|length_ns| t_ns < length_ns).then(|| curve.rate_at(t_ns))
        });
        covering.unwrap_or(0.0)
    }

    /// When the schedule ends, ns since the start of the run; `None` when it does not.
    ///
    /// The end of the last stage; or the last start, when [`Self::limit`] leaves out later ones.
    pub fn end_ns(&self) -> Option<u64> {
        let Some(last) = self.segments.last() else {
            return Some(0);
        };
        if self.limit < last.end {
            return self.limit.checked_sub(1).map_or(Some(0), |n| self.offset_ns(n));
        }
        Some(last.start_ns + last.curve().length_ns?)
    }

    /// A reader that is fast for numbers that come in order.
    pub fn cursor(&self) -> Cursor<'_> {
        Cursor { open: self, segment: 0, leaf: None }
    }
}

/// Reads a schedule, and remembers where it read last.
///
/// Gives what [`Open::offset_ns`] gives. For numbers that rise, also by strides, a Poisson start costs O(1) on average.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    open: &'a Open,
    segment: usize,
    /// Poisson arrivals near the last read: segment, block, leaf.
    leaf: Option<(usize, u64, Leaf)>,
}

impl Cursor<'_> {
    /// When iteration `n` is due, as [`Open::offset_ns`].
    pub fn offset_ns(&mut self, n: u64) -> Option<u64> {
        if n >= self.open.limit {
            return None;
        }
        let segments = &self.open.segments;
        if !segments.get(self.segment).is_some_and(|segment| segment.owns(n)) {
            self.segment = segments.partition_point(|segment| segment.kept <= n);
        }
        let segment = segments.get(self.segment)?;
        let offset_ns = match segment.shape {
            Shape::Even(curve) => segment.reaches(&curve, n as f64),
            Shape::Poisson(curve, key) => {
                let (block, rank) = segment.block_of(n);
                let value = self.uniform(segment, key, block, rank)?;
                segment.reaches(&curve, segment.lambda_of(block, value))
            }
            Shape::Listed(_) => usize::try_from(n).ok().and_then(|n| self.open.starts.get(n)).copied(),
        };
        segment.start_ns.checked_add(offset_ns?)
    }

    /// The value of `rank` in a block of the current segment.
    fn uniform(&mut self, segment: &Segment, key: u64, block: u64, rank: u64) -> Option<f64> {
        let here = self.leaf.as_ref().filter(|leaf| (leaf.0, leaf.1) == (self.segment, block));
        if let Some(value) = here.and_then(|(_, _, leaf)| leaf.get(rank)) {
            return Some(value);
        }
        let leaf = segment.uniforms(key, block).leaf(rank);
        let value = leaf.get(rank);
        self.leaf = Some((self.segment, block, leaf));
        value
    }
}

impl Segment {
    const fn owns(&self, n: u64) -> bool {
        self.first <= n && n < self.kept
    }

    fn curve(&self) -> Curve {
        let (Shape::Even(curve) | Shape::Poisson(curve, _) | Shape::Listed(curve)) = self.shape;
        curve
    }

    /// Λ at `t_ns` from the beginning of this segment. Never falls with time.
    fn lambda(&self, curve: &Curve, t_ns: u64) -> f64 {
        if curve.length_ns.is_some_and(|length_ns| t_ns >= length_ns) {
            return self.lambda_end;
        }
        snap(self.lambda_start + curve.area(t_ns)).min(self.lambda_end)
    }

    /// The least instant, ns from the beginning, at which Λ is at least `lambda`.
    fn reaches(&self, curve: &Curve, lambda: f64) -> Option<u64> {
        let guess = curve.instant(lambda - self.lambda_start);
        let max = curve.length_ns.unwrap_or(u64::MAX - self.start_ns);
        least(guess, max, |t_ns| self.lambda(curve, t_ns) >= lambda)
    }

    /// How many iterations of the schedule are due when `t_ns` have passed in this segment; `starts` are those of a list.
    fn count_at(&self, t_ns: u64, starts: &[u64]) -> u64 {
        match self.shape {
            Shape::Listed(_) => starts.partition_point(|start| *start <= t_ns) as u64,
            Shape::Even(curve) => (self.lambda(&curve, t_ns) as u64).saturating_add(1).clamp(self.first, self.end),
            Shape::Poisson(curve, key) => {
                let lambda = self.lambda(&curve, t_ns);
                if lambda >= self.lambda_end {
                    return self.end;
                }
                let block = self.block_at(lambda);
                let reached = self.uniforms(key, block).count_reached(|value| self.lambda_of(block, value) <= lambda);
                self.first.saturating_add(block.saturating_mul(BLOCK)).saturating_add(reached).min(self.end)
            }
        }
    }

    /// Poisson arrivals: the block of iteration `n` and its rank there. A bounded segment is one block.
    fn block_of(&self, n: u64) -> (u64, u64) {
        let rank = n - self.first;
        if self.lambda_end.is_finite() { (0, rank) } else { (rank / BLOCK, rank % BLOCK) }
    }

    /// The last block that begins at or below `lambda`.
    fn block_at(&self, lambda: f64) -> u64 {
        if self.lambda_end.is_finite() {
            return 0;
        }
        let guess = ((lambda - self.lambda_start) / BLOCK as f64) as u64;
        // The guess is rounded; the boundary itself decides, so that no arrival changes sides.
        let begun = |block: u64| self.lambda_of(block, 0.0) <= lambda;
        if begun(guess + 1) {
            guess + 1
        } else if begun(guess) {
            guess
        } else {
            guess.saturating_sub(1)
        }
    }

    fn uniforms(&self, key: u64, block: u64) -> Uniforms {
        let count = if self.lambda_end.is_finite() { self.end - self.first } else { BLOCK };
        Uniforms { key: derive(key, block), count }
    }

    /// Λ of an arrival at `value` in [0, 1] of a block. Rises with both.
    fn lambda_of(&self, block: u64, value: f64) -> f64 {
        let lambda = if self.lambda_end.is_finite() {
            self.lambda_start + value * (self.lambda_end - self.lambda_start)
        } else {
            self.lambda_start + (block as f64 + value) * BLOCK as f64
        };
        lambda.min(self.lambda_end)
    }
}

/// How many integers from 0 up are below `lambda`, at most [`STARTS_MAX`].
fn integers_below(lambda: f64) -> u64 {
    (lambda.ceil() as u64).min(STARTS_MAX)
}
