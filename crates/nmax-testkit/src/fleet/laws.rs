//! What has to hold at the end of a simulated world, whatever happened in it.

use std::collections::{BTreeMap, BTreeSet};

use nmax_fleet::records::{Policy, Readiness, Start, decode};
use nmax_fleet::{Batch, BatchId, Key};
use nmax_metrics::Nanos;

use super::chance::Chance;
use super::fold::{Folded, arrivals, canonical, grants, start};
use super::matrix::{Fault, World};
use super::model::{Received, alone};
use super::world::{Ended, RUN, Sim, plan, spec};

/// What clocks may drift apart, ns per ns, rounded up.
const DRIFT: f64 = 1.1e-3;

/// What became of a world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Whether the run began.
    pub has_begun: bool,
    /// Iterations that targets got.
    pub received: u64,
    /// Iterations in the fold.
    pub folded: u64,
    /// Windows of shards that are named as lost.
    pub lost: u64,
    /// Whether all that was planned is in the fold.
    pub is_whole: bool,
    /// Epochs beyond the first.
    pub taken_over: u64,
    /// Batches that came twice.
    pub duplicates: u64,
    /// Batches that lie about their time.
    pub lies: u64,
    /// Why it did not begin.
    pub refused: Vec<String>,
}

/// Runs the world and holds it against the laws; which are broken.
///
/// # Errors
/// Each law that is broken, with what was found.
pub fn check(world: &World) -> Result<Summary, Vec<String>> {
    judge(world, Sim::new(world.clone()).run())
}

/// Holds the end of a world against the laws.
///
/// # Errors
/// Each law that is broken, with what was found.
pub fn judge(world: &World, ended: Ended) -> Result<Summary, Vec<String>> {
    let mut broken = Vec::new();
    let mut judge = Judge { world, ended: &ended, broken: &mut broken };
    judge.everything_ends();
    let summary = match start(&ended.broker) {
        Some(Start::Go { origin_ns, .. }) => judge.begun(origin_ns),
        start => {
            let count = ended.outside.received.len();
            judge.law("nothing_is_loaded_before_all_agree", count == 0, || format!("{count} slices"));
            let Some(Start::Refused(refused)) = start else { return end(broken, Summary::default()) };
            judge.law("a_refusal_names_its_reasons", !refused.is_empty(), String::new);
            Summary { refused, ..Summary::default() }
        }
    };
    end(broken, summary)
}

fn end(broken: Vec<String>, summary: Summary) -> Result<Summary, Vec<String>> {
    if broken.is_empty() { Ok(summary) } else { Err(broken) }
}

struct Judge<'a> {
    world: &'a World,
    ended: &'a Ended,
    broken: &'a mut Vec<String>,
}

impl Judge<'_> {
    fn law(&mut self, name: &str, holds: bool, found: impl FnOnce() -> String) {
        if !holds {
            self.broken.push(format!("{name}: {}", found()));
        }
    }

    fn has(&self, is_it: impl Fn(&Fault) -> bool) -> bool {
        self.world.faults.iter().any(|(_, fault)| is_it(fault))
    }

    /// Every process that lives has come to its end, and everything of it is acknowledged.
    fn everything_ends(&mut self) {
        let left = |step: &&Option<(nmax_fleet::Step, bool)>| step.as_ref().is_some_and(|(_, is_done)| !is_done);
        let waiting: Vec<_> = self.ended.steps.iter().filter(left).collect();
        self.law("everything_ends_once_the_world_is_whole", waiting.is_empty(), || format!("{waiting:?}"));
    }

    fn begun(&mut self, origin: u64) -> Summary {
        self.clocks_are_known();
        let zero = self.true_origin(origin);
        self.within_time(zero);
        self.commands_are_obeyed();
        self.once_around();
        self.fold(origin)
    }

    /// A run begins with clocks that are certain enough.
    fn clocks_are_known(&mut self) {
        let max = spec(self.world).skew_max_ns;
        for shard in 0..self.world.injectors as u32 {
            let ready = self.ended.broker.record(Key::Ready(shard)).map(|bytes| decode::<Readiness>("ready", bytes));
            let is_known = matches!(&ready, Some(Ok(ready)) if ready.clock_error_ns <= max && ready.refusal.is_none());
            self.law("an_uncertain_clock_is_refused", is_known, || format!("shard {shard}: {ready:?}"));
        }
    }

    /// No iteration is started twice, and a shard is loaded by one process at a time.
    ///
    /// A broker whose calendar is set while a part is taken over misleads the one who takes it; the fold says so then.
    fn one_at_a_time(&mut self, is_named: bool) {
        let is_named = is_named && self.world.sets_calendar();
        let mut of: BTreeMap<u32, Vec<&Received>> = BTreeMap::new();
        self.ended.outside.received.iter().for_each(|received| of.entry(received.shard).or_default().push(received));
        for (shard, mut received) in of {
            let later = received.windows(2).find(|pair| {
                pair[0].epoch > pair[1].epoch || pair[0].process > pair[1].process && pair[0].epoch == pair[1].epoch
            });
            self.law("a_shard_is_loaded_by_one_at_a_time", later.is_none() || is_named, || {
                format!("shard {shard}: {later:?}")
            });
            received.sort_by_key(|received| received.ranks.start);
            let twice = received.windows(2).find(|pair| pair[0].ranks.end > pair[1].ranks.start);
            self.law("no_iteration_is_started_twice", twice.is_none() || is_named, || {
                format!("shard {shard}: {twice:?}")
            });
        }
    }

    /// The true instant of the origin, ns; `None` when the broker's calendar was set.
    fn true_origin(&self, origin: u64) -> Option<u64> {
        let broker = &self.ended.broker;
        let at = |truly: u64| broker.calendar_at(truly);
        (!self.world.sets_calendar()).then(|| {
            let run = origin.saturating_sub(at(0)) as f64;
            (run / (1.0 + broker.clock.ppm as f64 * 1e-6)) as u64
        })
    }

    /// Nothing starts at or after the hard stop, and injectors agree when that is.
    fn within_time(&mut self, zero: Option<u64>) {
        let spec = spec(self.world);
        let late = self.ended.outside.received.iter().find(|received| received.at >= spec.hard_stop_ns);
        self.law("nothing_starts_after_the_hard_stop", late.is_none(), || format!("{late:?}"));
        let Some(zero) = zero else { return };
        let off = |truly: u64, at: u64| (truly as f64 - zero as f64 - at as f64).abs();
        let allowed = |truly: u64| spec.skew_max_ns as f64 * 1.1 + truly as f64 * DRIFT;
        let off = self.ended.outside.received.iter().find(|one| off(one.truly, one.at) > allowed(one.truly));
        self.law("all_begin_at_one_instant", off.is_none(), || format!("origin {zero}: {off:?}"));
        let last = |truly: u64| zero as f64 + spec.hard_stop_ns as f64 + allowed(truly) + 2.0 * self.world.beat as f64;
        if !self.has(|fault| matches!(fault, Fault::Pause(..))) {
            // Who learned of the start after the run has nothing to end.
            let has_loaded = |process| self.ended.outside.received.iter().any(|one| one.process == process);
            let mut ends = self.ended.outside.ended.iter();
            let late = ends.find(|(process, truly)| *truly as f64 > last(*truly) && has_loaded(*process));
            self.law("all_loads_end_by_the_hard_stop", late.is_none(), || format!("{late:?}"));
        }
    }

    /// A command is obeyed by everybody who can hear it.
    fn commands_are_obeyed(&mut self) {
        let is_deaf = self.has(|fault| matches!(fault, Fault::Cut(..) | Fault::Pause(..) | Fault::BrokerDown(_)))
            || self.world.lines.iter().any(|line| line.loss > 0.0);
        if let (Some(at), false) = (self.ended.commanded_at, is_deaf) {
            let last = self.ended.outside.received.iter().map(|received| received.truly).max().unwrap_or(0);
            self.law("a_command_ends_the_load_everywhere", last <= at + 5_000_000_000, || {
                format!("commanded at {at}, loaded until {last}")
            });
        }
    }

    /// Setup and teardown happen once.
    fn once_around(&mut self) {
        if self.ended.processes == self.world.all()
            && !self.has(|fault| matches!(fault, Fault::Kill(..) | Fault::PowerLoss(..)))
        {
            let (up, down) = (self.ended.outside.set_up, self.ended.outside.torn_down);
            self.law("setup_and_teardown_happen_once", (up, down) == (1, 1), || format!("{up} and {down} times"));
        }
    }

    fn fold(&mut self, origin: u64) -> Summary {
        let (world, ended) = (self.world, self.ended);
        let (spec, plan) = (spec(world), plan(world));
        let arrived = arrivals(origin, &ended.broker);
        let grants = grants(&ended.broker);
        let mut folded = Folded::new(&spec, origin);
        grants.iter().for_each(|(shard, epoch, grant)| folded.granted(*shard, *epoch, grant));
        arrived.iter().for_each(|(bytes, at)| folded.take(bytes, *at));
        folded.close();
        let kept = self.kept(&arrived);
        let counts = folded.results.counts();
        if !world.sets_calendar() {
            // Grants may be known after batches: those are taken again.
            let honest = kept.len() as u64;
            self.law("what_is_acknowledged_is_counted_once", counts.counted == honest, || {
                format!("{honest} batches, {counts:?}")
            });
        }
        self.law("no_window_is_started_by_two_epochs", counts.doubled == 0 || world.sets_calendar(), || {
            format!("{counts:?}")
        });
        self.one_at_a_time(counts.doubled > 0);
        self.lies_are_named(&folded, &arrived);
        let lost = self.lost(&folded);
        self.folds_are_equal(&folded, &spec, origin, &arrived, &grants);
        let received: u64 =
            ended.outside.received.iter().map(|received| received.ranks.end - received.ranks.start).sum();
        let sum: u64 = folded.started.values().sum();
        let is_whole = received == plan.due_before(plan.end) && sum == received;
        if is_whole && world.is_each {
            let (catalog, whole) = alone(&plan);
            let is_equal = canonical(&whole, &catalog) == folded.canonical();
            self.law("a_fleet_measures_what_one_injector_does", is_equal, String::new);
        }
        let is_lossy = world.lines.iter().any(|line| line.loss > 0.0);
        if world.policy == Policy::Continue && ended.commanded_at.is_none() && !is_lossy && self.nobody_dies() {
            self.law("a_world_that_heals_loses_nothing", lost == 0 && folded.results.is_complete(), || {
                format!("{:?}", folded.results.lost())
            });
        }
        Summary {
            has_begun: true,
            received,
            folded: sum,
            lost,
            is_whole,
            taken_over: grants.len() as u64,
            duplicates: counts.duplicates,
            lies: counts.lies,
            refused: Vec::new(),
        }
    }

    /// No injector ends, is full, learns late of the start, or is held up over the hard stop.
    fn nobody_dies(&self) -> bool {
        !self.world.sets_calendar()
            && !self.has(|fault| {
                matches!(fault, Fault::Kill(..) | Fault::PowerLoss(..) | Fault::FullDisk(..) | Fault::Pause(..))
            })
            && !self
                .world
                .faults
                .iter()
                .any(|(at, fault)| matches!(fault, Fault::Cut(..) | Fault::BrokerDown(_)) && *at < 20_000_000_000)
    }

    /// Batches of injectors that the broker has on its disk.
    fn kept(&mut self, arrived: &[(std::rc::Rc<[u8]>, Option<Nanos>)]) -> BTreeSet<BatchId> {
        let decoded = arrived.iter().filter_map(|(bytes, _)| Batch::decode(bytes).ok());
        let honest = decoded.filter(|batch| batch.run == RUN && batch.id.sequence < 1_000_000);
        let kept: BTreeSet<BatchId> = honest.map(|batch| batch.id).collect();
        let missing: Vec<_> = self.ended.acknowledged.difference(&kept).collect();
        self.law("nothing_acknowledged_is_lost", missing.is_empty(), || format!("{missing:?}"));
        kept
    }

    /// What lies about its time, is damaged or is of another run is counted as that.
    fn lies_are_named(&mut self, folded: &Folded, arrived: &[(std::rc::Rc<[u8]>, Option<Nanos>)]) {
        let decoded = arrived.iter().filter_map(|(bytes, _)| Batch::decode(bytes).ok());
        let liars = decoded.filter(|batch| batch.id.sequence >= 1_000_000).count() as u64;
        let counts = folded.results.counts();
        let named = counts.lies + counts.strangers + counts.damaged;
        self.law("a_batch_that_lies_is_named", named == liars || self.world.sets_calendar(), || {
            format!("{liars} liars, {counts:?}")
        });
    }

    /// Each window of each shard is in the fold with what targets got in it, or named as lost. Returns how many are lost.
    fn lost(&mut self, folded: &Folded) -> u64 {
        let mut got: BTreeMap<(u32, u64), u64> = BTreeMap::new();
        for one in &self.ended.outside.received {
            *got.entry((one.shard, one.window)).or_default() += one.ranks.end - one.ranks.start;
        }
        let lost: BTreeSet<(u32, u64)> = folded
            .results
            .lost()
            .into_iter()
            .flat_map(|lost| lost.windows.map(move |window| (lost.shard, window)))
            .collect();
        for (place, count) in &got {
            let counted = folded.started.get(place).copied();
            let holds = match counted {
                Some(counted) => counted == *count && !lost.contains(place),
                None => lost.contains(place),
            };
            self.law("what_is_sent_is_folded_or_named_as_lost", holds || self.world.sets_calendar(), || {
                format!(
                    "shard and window {place:?}: targets got {count}, counted {counted:?}, lost: {}",
                    lost.contains(place)
                )
            });
        }
        for (place, counted) in &folded.started {
            self.law("nothing_is_folded_that_was_not_sent", got.get(place).copied().unwrap_or(0) >= *counted, || {
                format!("shard and window {place:?}: {counted}")
            });
            self.law("what_is_folded_is_not_lost", !lost.contains(place), || format!("{place:?}"));
        }
        lost.len() as u64
    }

    /// Whoever folds, and in whatever order batches come, gets the same.
    fn folds_are_equal(
        &mut self,
        folded: &Folded,
        spec: &nmax_fleet::records::Spec,
        origin: u64,
        arrived: &[(std::rc::Rc<[u8]>, Option<Nanos>)],
        grants: &[(u32, u32, nmax_fleet::records::Grant)],
    ) {
        let want = folded.canonical();
        let names = ["a_shuffled_fold_is_equal", "managers_fold_the_same"];
        let mut others: Vec<(&str, Folded)> = Vec::new();
        if self.world.seed.is_multiple_of(3) {
            let mut shuffled: Vec<_> = arrived.iter().collect();
            let mut chance = Chance::new(self.world.seed, 3);
            (1..shuffled.len()).rev().for_each(|last| shuffled.swap(last, chance.below(last as u64 + 1) as usize));
            let mut other = Folded::new(spec, origin);
            let middle = shuffled.len() / 2;
            for (number, (bytes, at)) in shuffled.into_iter().enumerate() {
                if number == middle {
                    grants.iter().for_each(|(shard, epoch, grant)| other.granted(*shard, *epoch, grant));
                    other.release(chance.below(self.world.end / self.world.window));
                }
                other.take(bytes, *at);
            }
            other.close();
            others.push((names[0], other));
        }
        for other in
            others.iter().map(|(name, other)| (*name, other)).chain(self.ended.folds.iter().map(|of| (names[1], of)))
        {
            let (name, other) = other;
            let is_equal = other.canonical() == want && other.results.lost() == folded.results.lost();
            self.law(name, is_equal, || format!("{:?} and {:?}", folded.results.counts(), other.results.counts()));
        }
    }
}
