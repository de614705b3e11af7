//! The manager of a run: it offers the run, gives up what does not begin, and tells [`Results`] of grants. Nothing of a run that
//! has begun depends on it, and any number of them may look at the same run.

use nmax_metrics::Nanos;

use crate::coordinator::{Coordinator, Key, not_ready};
use crate::injector::READY_PATIENCE;
use crate::records::{self, Grant, RecordError, Spec, Start, decode};
use crate::results::{Results, Taken};

/// How long the manager waits for a run to begin: the holder of the first shard decides before.
const START_PATIENCE: Nanos = Nanos(READY_PATIENCE.0 * 3 / 2);

/// The manager of one run.
#[derive(Clone, Debug)]
pub struct Manager {
    spec: Vec<u8>,
    shards: u32,
    since: Option<Nanos>,
    start: Option<Start>,
    grants: Vec<(u32, Grant)>,
}

impl Manager {
    /// That of this run.
    pub fn new(spec: &Spec) -> Self {
        let shards = spec.shards.len() as u32;
        Self { spec: records::encode(spec), shards, since: None, start: None, grants: Vec::new() }
    }

    /// How the run begins, once that is known.
    pub fn start(&self) -> Option<&Start> {
        self.start.as_ref()
    }

    /// Parts that were taken over since the last call, and by whom.
    pub fn take_grants(&mut self) -> Vec<(u32, Grant)> {
        std::mem::take(&mut self.grants)
    }

    /// Does what is to be done at `now`; what batches that waited for their grant add.
    ///
    /// # Errors
    /// When another run has its id, or a record cannot be read.
    pub fn step(
        &mut self,
        coordinator: &mut impl Coordinator,
        results: &mut Results,
        now: Nanos,
    ) -> Result<Taken, RecordError> {
        let since = *self.since.get_or_insert(now);
        let Some(offered) = coordinator.once(Key::Spec, Some(&self.spec)) else { return Ok(Taken::default()) };
        if offered != self.spec {
            return Err(RecordError { key: Key::Spec.to_string(), reason: "another run has this id".into() });
        }
        if self.start.is_none() {
            let is_over = now.since(since) > START_PATIENCE;
            let refusal = is_over.then(|| {
                let reasons = not_ready(coordinator, self.shards);
                let dead = vec!["the injector of part 0 did not begin the run".into()];
                records::encode(&Start::Refused(if reasons.is_empty() { dead } else { reasons }))
            });
            let start = coordinator.once(Key::Start, refusal.as_deref());
            self.start = start.map(|start| decode(&Key::Start.to_string(), &start)).transpose()?;
        }
        let mut taken = Taken::default();
        // An epoch may be leased and never granted, so they are not asked for in turn.
        for (shard, epoch) in results.ungranted() {
            let key = Key::Grant(shard, epoch);
            if let Some(grant) = coordinator.once(key, None) {
                let grant = decode(&key.to_string(), &grant)?;
                taken.add(results.granted(shard, epoch, &grant));
                self.grants.push((shard, grant));
            }
        }
        Ok(taken)
    }
}
