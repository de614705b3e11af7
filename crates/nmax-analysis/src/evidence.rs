//! What a run measured, as handed to the judgement and to reports.

use std::ops::Range;
use std::time::Duration;

use nmax_metrics::{Aggregate, Catalog, Nanos, Readings, Section};

use nmax_plan::plan::Plan;
use nmax_plan::schedule::held;

use crate::batches::Batches;
use crate::breakdown::{Sides, Stretches};
use crate::course::{Course, Observation};
use crate::culprits::Culprits;

/// All that a judgement may look at.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The plan as resolved.
    pub plan: &'a Plan,
    /// Names behind the numbers.
    pub catalog: &'a Catalog,
    /// Sums over the whole run; section `Hold` is what statistics are made of.
    pub totals: &'a Aggregate,
    /// Statistics interval as it was: planned hold, cut at the real end of the run.
    pub hold: (Nanos, Nanos),
    /// End of the run, drain included.
    pub end: Nanos,
    /// Sums over the last part of the hold, for thresholds that ask for it.
    pub last: &'a [Tail],
    /// What is known of each injector; at least one.
    pub injectors: &'a [InjectorFacts],
    /// The run was stopped by a person or a limit before its planned end.
    pub interrupted: bool,
    /// A condition with `abort` ended the run; which one, in a sentence.
    pub aborted: Option<&'a str>,
    /// How much the response times of the hold depend on each other.
    pub batches: &'a Batches,
    /// How the numbers changed.
    pub course: &'a Course,
    /// What observed processes used.
    pub observed: &'a [Observation],
    /// Everything that was read of hosts and services, over the whole run.
    pub readings: &'a Readings,
    /// What was done to the system under test.
    pub happened: &'a [InterventionRecord],
    /// What response times are taken apart from.
    pub stretches: &'a Stretches,
    /// The client's side beside a server's log; `None` where none was followed.
    pub sides: Option<&'a Sides>,
}

impl<'a> Evidence<'a> {
    /// The same of one injector: what it measured, where that is told apart.
    pub(crate) fn for_injector(&self, injector: &'a InjectorFacts) -> Self {
        let (totals, course) =
            injector.own.as_deref().map_or((self.totals, self.course), |own| (&own.totals, &own.course));
        Self { totals, course, injectors: std::slice::from_ref(injector), ..*self }
    }

    /// Length of the statistics interval, s: of its holds, without what lies between them.
    pub fn hold_s(&self) -> f64 {
        held_ns(self.plan, self.hold) as f64 / 1e9
    }
}

/// Mean CPU utilization over workers within the hold, 0 to 1.
pub(crate) fn busy(totals: &Aggregate) -> Option<f64> {
    let load = totals.load(Section::Hold);
    (load.worker_time > Nanos::ZERO).then(|| load.cpu.0 as f64 / load.worker_time.0 as f64)
}

/// Length of the holds within this part of the statistics interval, ns.
pub fn held_ns(plan: &Plan, (from, to): (Nanos, Nanos)) -> u64 {
    held(&plan.stages, from.0, to.0).iter().map(|part| part.end - part.start).sum()
}

/// Sums over the last part of the hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Tail {
    /// The length that was asked for.
    pub asked: Duration,
    /// The length that the sums are of: `asked` up to a whole window, less only where the hold is shorter.
    pub length: Duration,
    /// The sums, in [`nmax_metrics::Section::Hold`].
    pub aggregate: Aggregate,
}

/// What one of several injectors measured, with the names of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    /// Sums over the whole run.
    pub totals: Aggregate,
    /// How the numbers changed.
    pub course: Course,
}

/// What is known of an injector besides what exchanges show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InjectorFacts {
    /// What its host is called in readings.
    pub name: String,
    /// Where it is, in the words of the user; `None` where that was not said.
    pub region: Option<String>,
    /// Which part of the load it had, from 0.
    pub shard: u32,
    /// What it measured; `None` for the only injector of a run, which measured all of it.
    pub own: Option<Box<Own>>,
    /// Worker threads.
    pub workers: u32,
    /// CPU utilization of the busiest worker within the hold, 0 to 1.
    pub cpu_utilization_max: Option<f64>,
    /// Processors that the workers may run on.
    pub cpus: Option<u32>,
    /// Time that the worst worker stood still within the hold, s.
    pub stalled_max_s: Option<f64>,
    /// Most open descriptors at once.
    pub open_files_max: Option<u64>,
    /// Soft limit of descriptors.
    pub open_files_limit: Option<u64>,
    /// Most local ports in use at once, from one address to one destination.
    pub ports_used_max: Option<u64>,
    /// Local ports that the system gives out.
    pub ports_limit: Option<u64>,
    /// Most connections of the host in TIME_WAIT.
    pub time_wait_max: Option<u64>,
    /// Least share of the memory that was available, 0 to 1.
    pub memory_available_min: Option<f64>,
    /// Memory of the injector that was swapped out during the run, bytes.
    pub swapped_bytes: Option<u64>,
    /// Windows without a report of some worker (a gap in the data), besides those of `gaps`.
    pub windows_missing: u64,
    /// Numbers of the windows that it should have sent and that never came.
    pub gaps: Vec<Range<u64>>,
    /// Largest uncertainty of its clock against the others, from the start to the end, s.
    pub clock_error_s: Option<f64>,
    /// Largest jump of its clock during the run, s.
    pub clock_jump_s: Option<f64>,
    /// The workers may only run on some of the host's processors, which are meant to be theirs.
    pub confined: bool,
    /// What used the processors of its host during the hold.
    pub culprits: Option<Culprits>,
}

impl InjectorFacts {
    /// Windows of which its report is missing.
    pub fn windows_lost(&self) -> u64 {
        self.gaps.iter().fold(self.windows_missing, |sum, gap| sum + (gap.end - gap.start))
    }
}

/// An intervention as it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct InterventionRecord {
    /// Its name.
    pub name: String,
    /// When its action began, seconds since the run's origin.
    pub start_s: f64,
    /// When it was undone, or was over; `None` when it never was.
    pub end_s: Option<f64>,
    /// Why its action or its undo failed, if one did.
    pub error: Option<String>,
}
