//! Exchanges of a window that are kept whole: all, or some in bounded memory.

use nmax_metrics::{KeepReason, Outcome, RawSample, Sample};
use nmax_plan::choice::Choice;

use super::MeterSettings;
use crate::run::settings::KeepSamples;

/// Exchanges kept per window and worker: drawn uniformly, slowest, and not ok.
const KEPT_RANDOM: usize = 100;
const KEPT_SLOW: usize = 20;
const KEPT_ERRORS: usize = 100;
/// Exchanges kept per window and worker when all are wanted; of more a uniform draw.
const KEPT_ALL_MAX: usize = 1_000_000;

/// Exchanges of the open window that are kept whole, in bounded memory.
#[derive(Debug)]
pub(super) struct RetainedSamples {
    mode: KeepSamples,
    worker: u32,
    errors: Vec<RawSample>,
    slow: Vec<RawSample>,
    random: Reservoir,
}

impl RetainedSamples {
    pub(super) fn new(settings: &MeterSettings, worker: u32) -> Self {
        Self::limited(settings, worker, KEPT_ALL_MAX)
    }

    /// The same, which keeps at most `all_max` of a window when all are wanted.
    pub(super) fn limited(settings: &MeterSettings, worker: u32, all_max: usize) -> Self {
        let room = |most| if settings.keep == KeepSamples::Some { most } else { 0 };
        let drawn = if settings.keep == KeepSamples::All { all_max } else { room(KEPT_RANDOM) };
        Self {
            mode: settings.keep,
            worker,
            errors: Vec::with_capacity(room(KEPT_ERRORS)),
            slow: Vec::with_capacity(room(KEPT_SLOW)),
            random: Reservoir::new(settings.seed, worker, drawn),
        }
    }

    #[inline]
    pub(super) fn consider(&mut self, sample: &Sample, vu: u32, iteration: u64) {
        if self.mode != KeepSamples::None {
            self.keep(sample, vu, iteration);
        }
    }

    fn keep(&mut self, sample: &Sample, vu: u32, iteration: u64) {
        let worker = self.worker;
        let raw = |why| RawSample { sample: *sample, worker, vu, iteration, why };
        match self.mode {
            KeepSamples::None => {}
            KeepSamples::All => {
                if self.random.wants() {
                    self.random.put(raw(KeepReason::All));
                }
            }
            KeepSamples::Some => {
                if sample.outcome != Outcome::Ok && self.errors.len() < KEPT_ERRORS {
                    self.errors.push(raw(KeepReason::Error));
                }
                if self.random.wants() {
                    self.random.put(raw(KeepReason::Random));
                }
                if self.slow.len() < KEPT_SLOW || sample.response_time() > self.slow[0].sample.response_time() {
                    self.keep_slow(raw(KeepReason::Slow));
                }
            }
        }
    }

    /// Keeps the slowest in ascending order; the first is the one to beat.
    fn keep_slow(&mut self, candidate: RawSample) {
        if self.slow.len() == KEPT_SLOW {
            self.slow.remove(0);
        }
        let time = candidate.sample.response_time();
        let place = self.slow.partition_point(|kept| kept.sample.response_time() < time);
        self.slow.insert(place, candidate);
    }

    /// What was kept, each exchange once, in order of its end; and how many are missing where all were wanted.
    pub(super) fn take(&mut self) -> (Vec<RawSample>, u64) {
        let is_all = self.mode == KeepSamples::All;
        let left_out = if is_all { self.random.seen - self.random.items.len() as u64 } else { 0 };
        let mut kept = if is_all { std::mem::take(&mut self.random.items) } else { Vec::new() };
        for list in [&mut self.errors, &mut self.slow, self.random.restart()] {
            kept.append(list);
        }
        let key = |raw: &RawSample| (raw.sample.done, raw.vu, raw.iteration, raw.sample.intended);
        kept.sort_by_key(key);
        if !is_all {
            // One exchange may be in several lists. Two of one page may be alike, so where all are kept none is dropped.
            kept.dedup_by(|b, a| key(a) == key(b) && a.sample.name == b.sample.name);
        }
        (kept, left_out)
    }
}

/// A uniform draw of `size` out of a stream of unknown length, with few random numbers.
///
/// After the first `size`, the number of items passed over before the next replacement is drawn at once.
/// Source: K.-H. Li, *Reservoir-sampling algorithms of time complexity O(n(1+log(N/n)))*, TOMS 20 (1994), algorithm L.
#[derive(Debug)]
pub(super) struct Reservoir {
    items: Vec<RawSample>,
    size: usize,
    seed: (u64, u64),
    /// Random numbers drawn in the run.
    draws: u64,
    /// Items seen in this window.
    seen: u64,
    /// The item that is kept next, once there are `size`.
    next: u64,
    /// Largest of `size` uniform keys, as the algorithm sees it.
    weight: f64,
}

impl Reservoir {
    pub(super) fn new(seed: u64, worker: u32, size: usize) -> Self {
        let items = Vec::with_capacity(size.min(KEPT_RANDOM));
        Self { items, size, seed: (seed, u64::from(worker)), draws: 0, seen: 0, next: 0, weight: 1.0 }
    }

    /// Counts an item; whether it is kept.
    #[inline]
    pub(super) fn wants(&mut self) -> bool {
        self.seen += 1;
        self.items.len() < self.size || self.seen == self.next
    }

    pub(super) fn put(&mut self, item: RawSample) {
        if self.items.len() < self.size {
            self.items.push(item);
            if self.items.len() < self.size {
                return;
            }
        } else {
            let place = (self.unit() * self.size as f64) as usize;
            self.items[place.min(self.size - 1)] = item;
        }
        self.weight *= (self.unit().ln() / self.size as f64).exp();
        let skipped = (self.unit().ln() / (1.0 - self.weight).ln()).floor();
        self.next = self.seen.saturating_add(skipped as u64).saturating_add(1);
    }

    /// Uniform in (0, 1].
    fn unit(&mut self) -> f64 {
        self.draws += 1;
        1.0 - Choice::new(self.seed.0, self.seed.1, self.draws, 0).unit(0)
    }

    /// Begins a new window; the items of the old one are the caller's to take.
    pub(super) fn restart(&mut self) -> &mut Vec<RawSample> {
        (self.seen, self.next, self.weight) = (0, 0, 1.0);
        &mut self.items
    }
}
