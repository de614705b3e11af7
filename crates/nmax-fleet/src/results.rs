//! Batches of all injectors become windows of the run, each counted once.
//!
//! Batches come at least once, in any order, and may come long after their time. The result is a function of the set of
//! batches: a batch is known for ever by its id, windows are added up by names and not by numbers, and what comes after a
//! window was shown without it is handed out to be added.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use nmax_metrics::join::Unwanted;
use nmax_metrics::merger::{Merged, Refused as NotMerged};
use nmax_metrics::{Aggregate, Catalog, Frame, Merger, Nanos, Section};

use crate::batch::{Batch, BatchId, Content, End, Item};
use crate::coverage::{Coverage, missing};
use crate::injector::FIRST_EPOCH;
use crate::records::{Grant, Spec};

/// Batches that may wait for the grant of their epoch.
const WAITING_MAX: usize = 4_096;
/// Most epochs of a shard.
const EPOCHS_MAX: u32 = 1_000;

/// Why a batch does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It was counted before.
    #[error("it was counted before")]
    Duplicate,
    /// It is of another run, or of a shard that this run does not have.
    #[error("it is not of this run")]
    Stranger,
    /// Its bytes are no frame.
    #[error("its frame is damaged: {0}")]
    Damaged(String),
    /// Its window had not begun when it came, is not the one that it says, or is not of its epoch.
    #[error("it lies about its time: {0}")]
    Lie(&'static str),
    /// It has to come again: those before it are missing, or the grant of its epoch is not known.
    #[error("it has to come again")]
    Early,
}

/// What became of a batch.
#[derive(Debug, Default, PartialEq)]
pub struct Taken {
    /// Windows that are complete with it, in order. Parts are numbered by shard.
    pub merged: Vec<Merged>,
    /// What it adds to windows that were released without it.
    pub late: Vec<Merged>,
    /// What came beside its window: shard and lines.
    pub notes: Vec<(u32, String)>,
}

impl Taken {
    /// Adds what another batch made.
    pub fn add(&mut self, other: Self) {
        self.merged.extend(other.merged);
        self.late.extend(other.late);
        self.notes.extend(other.notes);
    }
}

/// What came, and what of it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Batches that count.
    pub counted: u64,
    /// Of these, those that came after their window was released.
    pub late: u64,
    /// Batches that were counted before.
    pub duplicates: u64,
    /// Batches of other runs or shards.
    pub strangers: u64,
    /// Batches whose bytes are no frame.
    pub damaged: u64,
    /// Batches that lie about their time.
    pub lies: u64,
    /// Windows in which two epochs of a shard both started something.
    pub doubled: u64,
}

/// Windows of a shard without results.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// Number of the shard.
    pub shard: u32,
    /// Numbers of the windows.
    pub windows: Range<u64>,
    /// How long that is, s, up to the planned end.
    pub seconds: f64,
}

/// Folds batches of a run.
#[derive(Debug)]
pub struct Results {
    run: String,
    width: Nanos,
    end: Nanos,
    hard_stop: Nanos,
    skew: Nanos,
    shards: u32,
    merger: Merger,
    epochs: BTreeMap<(u32, u32), Epoch>,
    waiting: BTreeMap<BatchId, (Batch, Option<Nanos>)>,
    counts: Counts,
}

/// What is known of a shard's epoch.
#[derive(Debug, Default)]
struct Epoch {
    /// First window that is its own.
    from: u64,
    /// Sequence numbers that came.
    seen: Coverage,
    /// Windows that came.
    windows: Coverage,
    /// One more than the last window in which it started something.
    started: u64,
    end: Option<End>,
}

impl Results {
    /// Nothing yet of a run with these names by its plan.
    pub fn new(spec: &Spec, catalog: Catalog) -> Self {
        let shards = spec.shards.len() as u32;
        let epochs = (0..shards).map(|shard| ((shard, FIRST_EPOCH), Epoch::default())).collect();
        Self {
            run: spec.run.clone(),
            width: Nanos(spec.window_ns),
            end: Nanos(spec.end_ns),
            hard_stop: Nanos(spec.hard_stop_ns),
            skew: Nanos(spec.skew_max_ns),
            shards,
            merger: Merger::new(catalog, shards, Nanos(spec.window_ns)),
            epochs,
            waiting: BTreeMap::new(),
            counts: Counts::default(),
        }
    }

    /// Epochs of shards that sent something and whose grants are not known.
    pub fn ungranted(&self) -> BTreeSet<(u32, u32)> {
        self.waiting.keys().map(|id| (id.shard, id.epoch)).collect()
    }

    /// A shard was granted again.
    pub fn granted(&mut self, shard: u32, epoch: u32, grant: &Grant) -> Taken {
        if shard >= self.shards || !(FIRST_EPOCH..EPOCHS_MAX).contains(&epoch) {
            return Taken::default();
        }
        self.begin(shard, epoch, grant.from);
        let mut taken = Taken::default();
        let from = BatchId { shard, epoch, sequence: 0 };
        let mut waiting = self.waiting.split_off(&from);
        self.waiting.append(&mut waiting.split_off(&BatchId { epoch: epoch + 1, ..from }));
        for (batch, arrived) in waiting.into_values() {
            taken.add(self.take(batch, arrived).unwrap_or_default());
        }
        taken
    }

    /// An epoch of a shard begins with this window.
    fn begin(&mut self, shard: u32, epoch: u32, from: u64) {
        self.merger.grow((epoch - FIRST_EPOCH + 1) * self.shards);
        self.merger.begin(self.part(shard, epoch), from);
        self.epochs.entry((shard, epoch)).or_insert_with(|| Epoch { from, ..Epoch::default() });
    }

    /// Knows all grants that an earlier fold of the run learned of, so that nothing of theirs is late.
    pub fn know_grants_of(&mut self, earlier: &Self) {
        for ((shard, epoch), known) in &earlier.epochs {
            if *epoch > FIRST_EPOCH {
                self.begin(*shard, *epoch, known.from);
            }
        }
    }

    /// Takes a batch that arrived at this instant of the run, where that is known.
    ///
    /// # Errors
    /// Why it does not count. Only [`Refused::Early`] is worth another try.
    pub fn take(&mut self, batch: Batch, arrived: Option<Nanos>) -> Result<Taken, Refused> {
        let taken = self.counted(batch, arrived);
        let count = match &taken {
            Ok(_) => &mut self.counts.counted,
            Err(Refused::Duplicate) => &mut self.counts.duplicates,
            Err(Refused::Stranger) => &mut self.counts.strangers,
            Err(Refused::Damaged(_)) => &mut self.counts.damaged,
            Err(Refused::Lie(_)) => &mut self.counts.lies,
            Err(Refused::Early) => return taken,
        };
        *count += 1;
        taken
    }

    fn counted(&mut self, batch: Batch, arrived: Option<Nanos>) -> Result<Taken, Refused> {
        let BatchId { shard, epoch, sequence } = batch.id;
        if batch.run != self.run || shard >= self.shards || !(FIRST_EPOCH..EPOCHS_MAX).contains(&epoch) {
            return Err(Refused::Stranger);
        }
        let Some(known) = self.epochs.get(&(shard, epoch)) else {
            return self.wait(batch, arrived);
        };
        if known.seen.contains(sequence) {
            return Err(Refused::Duplicate);
        }
        match batch.item {
            Item::Window { index, window } => self.window(batch.id, index, window, arrived),
            Item::End(end) => Ok(self.end(batch.id, end)),
        }
    }

    /// Keeps a batch until the grant of its epoch is known.
    fn wait(&mut self, batch: Batch, arrived: Option<Nanos>) -> Result<Taken, Refused> {
        if self.waiting.len() >= WAITING_MAX {
            return Err(Refused::Early);
        }
        match self.waiting.insert(batch.id, (batch, arrived)) {
            // It will count with the others.
            None => Err(Refused::Early),
            Some(_) => Err(Refused::Duplicate),
        }
    }

    fn window(&mut self, id: BatchId, index: u64, content: Content, arrived: Option<Nanos>) -> Result<Taken, Refused> {
        let BatchId { shard, epoch, sequence } = id;
        // The last window of an injector that was stopped ends before its time.
        if arrived.is_some_and(|arrived| self.begins(index) > arrived + self.skew + self.skew) {
            return Err(Refused::Lie("its window had not begun when it came"));
        }
        let mut frame = Frame::decode(&content.frame).map_err(|error| Refused::Damaged(error.to_string()))?;
        if frame.injector != shard || frame.window.index != index || frame.window.width != self.width {
            return Err(Refused::Lie("its frame is of another window"));
        }
        let has_started = started(&frame.window.aggregate) > 0;
        let Some(known) = self.epochs.get(&(shard, epoch)) else { return Err(Refused::Early) };
        if index < known.from || has_started && self.begins(index) >= self.hard_stop {
            return Err(Refused::Lie("its window is not of its epoch"));
        }
        let part = self.part(shard, epoch);
        if sequence == 0 {
            self.merger.begin(part, index);
        }
        frame.injector = part;
        let is_late = index < self.merger.taken();
        let mut taken = Taken { notes: vec![(shard, content.notes)], ..Taken::default() };
        if is_late {
            taken.late.push(self.merger.late(frame));
        } else {
            taken.merged = self.merger.add(frame).map_err(|error| match error {
                NotMerged::Early => Refused::Early,
                NotMerged::Width | NotMerged::Unwanted(Unwanted::Unknown | Unwanted::Late) => {
                    Refused::Lie("its window came under another number, or after the end")
                }
            })?;
        }
        self.counts.late += u64::from(is_late);
        self.known(id, |known| {
            known.windows.insert(index);
            known.started = known.started.max(if has_started { index + 1 } else { 0 });
        });
        Ok(self.by_shard(taken))
    }

    fn end(&mut self, id: BatchId, end: End) -> Taken {
        let part = self.part(id.shard, id.epoch);
        let merged = self.merger.end(part, end.windows);
        self.known(id, |known| known.end = Some(end));
        self.by_shard(Taken { merged, ..Taken::default() })
    }

    /// Number of the injector that an epoch of a shard is to the merger: it does not depend on what arrives first.
    fn part(&self, shard: u32, epoch: u32) -> u32 {
        (epoch - FIRST_EPOCH) * self.shards + shard
    }

    /// Notes that a batch counts, and what it says of its epoch.
    fn known(&mut self, id: BatchId, note: impl FnOnce(&mut Epoch)) {
        if let Some(known) = self.epochs.get_mut(&(id.shard, id.epoch)) {
            known.seen.insert(id.sequence);
            note(known);
        }
    }

    /// What epochs of a shard measured, as what the shard measured.
    fn by_shard(&self, mut taken: Taken) -> Taken {
        for merged in taken.merged.iter_mut().chain(&mut taken.late) {
            for (part, window) in std::mem::take(&mut merged.parts) {
                match merged.parts.entry(part % self.shards) {
                    Entry::Vacant(entry) => drop(entry.insert(window)),
                    Entry::Occupied(mut entry) => entry.get_mut().aggregate.merge(&window.aggregate),
                }
            }
        }
        taken
    }

    fn begins(&self, window: u64) -> Nanos {
        Nanos(self.width.0.saturating_mul(window))
    }

    /// The windows below this number, without what has not come: the live view does not wait for a broken link.
    pub fn release(&mut self, below: u64) -> Taken {
        let merged = self.merger.release(below);
        self.by_shard(Taken { merged, ..Taken::default() })
    }

    /// Nothing more is waited for: the windows that are left.
    pub fn close(&mut self) -> Taken {
        let parts: Vec<u32> = self.epochs.keys().map(|(shard, epoch)| self.part(*shard, *epoch)).collect();
        let merged = parts.into_iter().flat_map(|part| self.merger.lose(part)).collect();
        self.by_shard(Taken { merged, ..Taken::default() })
    }

    /// Whether every shard is there to its end.
    pub fn is_complete(&self) -> bool {
        self.lost().is_empty() && (0..self.shards).all(|shard| self.ends(shard).any(|end| end.why.is_none()))
    }

    /// The ends of a shard's epochs.
    pub fn ends(&self, shard: u32) -> impl Iterator<Item = &End> {
        self.epochs.range((shard, 0)..(shard + 1, 0)).filter_map(|(_, epoch)| epoch.end.as_ref())
    }

    /// What never came, as far as the run went: to its planned end, or to where each shard was
    /// stopped; one that was not, to where the last of the others was.
    pub fn lost(&self) -> Vec<Lost> {
        let planned = self.end.0.div_ceil(self.width.0.max(1));
        let ended = (0..self.shards).flat_map(|shard| self.ends(shard)).filter(|end| end.why.is_none());
        let last = ended.map(|end| end.windows).max().map_or(planned, |windows| windows.min(planned));
        let lost = (0..self.shards).flat_map(|shard| {
            let own = self.ends(shard).filter(|end| end.why.is_none()).map(|end| end.windows).max();
            let end = own.map_or(last, |windows| windows.min(planned));
            missing(self.loaded(shard), end).into_iter().map(move |windows| (shard, windows))
        });
        // What came and cannot be read, since the names before it never came, is lost as well.
        let unread = self.merger.unread().iter().map(|(gap, _)| (gap.part as u32 % self.shards, gap.windows.clone()));
        let lost = lost.chain(unread.filter(|(_, windows)| windows.end <= planned));
        lost.map(|(shard, windows)| {
            let until = self.begins(windows.end).min(self.end);
            Lost { shard, seconds: until.since(self.begins(windows.start)).as_secs_f64(), windows }
        })
        .collect()
    }

    /// Windows that came of a shard, of each epoch those with load.
    fn loaded(&self, shard: u32) -> impl Iterator<Item = Range<u64>> {
        let epochs = self.epochs.range((shard, 0)..(shard + 1, 0)).map(|(_, epoch)| epoch);
        epochs.flat_map(|epoch| epoch.windows.below(epoch.end.as_ref().map_or(u64::MAX, |end| end.loaded)))
    }

    /// What came, and what of it counts.
    pub fn counts(&self) -> Counts {
        let of_shard = |(before, after): (_, _)| {
            let ((shard, _), before): (&(u32, u32), &Epoch) = before;
            let ((of, _), after): (&(u32, u32), &Epoch) = after;
            if shard == of { before.started.saturating_sub(after.from) } else { 0 }
        };
        let doubled = self.epochs.iter().zip(self.epochs.iter().skip(1)).map(of_shard).sum();
        Counts { doubled, ..self.counts }
    }

    /// Names as known so far.
    pub fn catalog(&self) -> &Catalog {
        self.merger.catalog()
    }
}

/// Iterations that were started.
fn started(aggregate: &Aggregate) -> u64 {
    Section::ALL.iter().map(|section| aggregate.load(*section).started).sum()
}

#[cfg(test)]
mod tests;
