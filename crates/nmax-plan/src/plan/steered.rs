//! A plan whose load was changed while it ran: stages are cut at an instant, and others take their place.
//!
//! A [`Change`] is recorded, so the steered plan is a plan as any other: written as a document and read back, it starts the same
//! iterations at the same instants. Only the mix is steered; what runs beside it goes on as planned.

use std::time::Duration;

use super::{Arrivals, Pick, Plan, Workload};
use crate::schedule::{self, Closed, Open, Stage, StageError, StageKind, cut, level_at, nanos, phases};
use crate::units::{RATE_PER_S_MAX, format_duration, format_rate};

/// Most changes of one plan.
pub const CHANGES_MAX: usize = 1_000;
/// Most VUs of a plan.
pub const VUS_MAX: f64 = 1e6;

/// How the load of a plan was changed while it ran.
#[derive(Clone, Debug, PartialEq)]
pub struct Steered {
    /// The stages without any change; [`Plan::stages`] are those with all of them.
    pub planned: Vec<Stage>,
    /// The changes, in the order of their instants.
    pub changes: Vec<Change>,
}

/// A change of the load, from an instant to the planned end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// From when on, since the start of the run.
    pub at: Duration,
    /// The level: iterations per second or VUs. `None` keeps that of the instant.
    pub to: Option<f64>,
    /// How long the linear way there takes; zero for at once.
    pub ramp: Duration,
}

/// Why a load cannot be changed so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SteerError {
    /// The level is no number, negative or above what a plan may have.
    #[error("{found} is not a level from 0 to {max}{unit}")]
    NotALevel {
        /// The level.
        found: f64,
        /// The highest one.
        max: f64,
        /// Its unit.
        unit: &'static str,
    },
    /// Virtual users are whole.
    #[error("{0} is not a whole number of virtual users")]
    NotWhole(f64),
    /// The load has ended by then.
    #[error("the load ends at {}, and cannot be changed from {} on", format_duration(*.end), format_duration(*.at))]
    Ended {
        /// Planned end of the load.
        end: Duration,
        /// Instant of the change.
        at: Duration,
    },
    /// The ramp does not end before the load does.
    #[error("a ramp of {} does not fit: the load ends {} after its beginning", format_duration(*.ramp), format_duration(*.left))]
    RampTooLong {
        /// Its length.
        ramp: Duration,
        /// What is left of the load.
        left: Duration,
    },
    /// A change before the last one.
    #[error("the change at {} comes before that at {}", format_duration(*.at), format_duration(*.last))]
    Earlier {
        /// Its instant.
        at: Duration,
        /// That of the last one.
        last: Duration,
    },
    /// The starts are those of a list.
    #[error("the starts of a replay are those of its log, and cannot be steered")]
    Listed,
    /// Rows are dealt to the users of the plan.
    #[error("the rows of data `{data}` are dealt to the {vus} users of the plan, so there cannot be more of them")]
    Dealt {
        /// Name of the data.
        data: String,
        /// Users of the plan.
        vus: u64,
    },
    /// The plan has [`CHANGES_MAX`] changes.
    #[error("the load was changed {CHANGES_MAX} times, and cannot be changed more often")]
    Full,
    /// The stages make no schedule.
    #[error("{0}")]
    Stages(#[from] StageError),
}

impl Plan {
    /// The plan with a change of its load: the stages are cut at its instant, and a ramp and a hold until the planned end take
    /// their place. What was due before that instant stays due, at the same instants.
    ///
    /// Warm-up stays warm-up until its planned end. A plan without a hold gets none: its statistics stay those of the whole.
    ///
    /// # Errors
    /// Why it cannot be changed so.
    pub fn steer(&self, change: Change) -> Result<Self, SteerError> {
        let added = self.added(&self.stages, change)?;
        let mut steered = self
            .steered
            .clone()
            .unwrap_or_else(|| Box::new(Steered { planned: self.stages.clone(), changes: Vec::new() }));
        if let Some(last) = steered.changes.last().filter(|last| last.at > change.at) {
            return Err(SteerError::Earlier { at: change.at, last: last.at });
        }
        if steered.changes.len() >= CHANGES_MAX {
            return Err(SteerError::Full);
        }
        steered.changes.push(change);
        let mut stages = cut(&self.stages, nanos(change.at));
        stages.extend(added);
        let plan = Self { stages, steered: Some(steered), ..self.clone() };
        match plan.workload {
            Workload::Open { .. } => drop(plan.open_schedule(schedule::Arrivals::Even)?),
            Workload::Closed { .. } => plan.check_rows()?,
        }
        Ok(plan)
    }

    /// Stages of the mix without any change while it ran.
    pub fn planned_stages(&self) -> &[Stage] {
        self.steered.as_ref().map_or(&self.stages, |steered| &steered.planned)
    }

    /// A change of this plan in words, as in `the load is 200/s from 12s on`.
    pub fn said_of(&self, change: &Change) -> String {
        let level = change.to.unwrap_or_else(|| level_at(&self.stages, nanos(change.at)));
        let level = match self.workload {
            Workload::Open { .. } => format_rate(level),
            Workload::Closed { .. } => format!("{level} VUs"),
        };
        let at = format_duration(change.at);
        match (change.to, change.ramp.is_zero()) {
            (None, _) => format!("the load is held at {level} from {at} on"),
            (Some(_), true) => format!("the load is {level} from {at} on"),
            (Some(_), false) => {
                format!("the load goes to {level} from {at} on, within {}", format_duration(change.ramp))
            }
        }
    }

    /// When iterations of an open mix start, without a limit.
    ///
    /// # Errors
    /// When the stages make no schedule.
    pub fn open_schedule(&self, arrivals: schedule::Arrivals) -> Result<Open, StageError> {
        let planned = Open::new(self.planned_stages(), arrivals)?;
        self.changed(planned, |open, at_ns, stages| open.then(at_ns, stages, arrivals))
    }

    /// Which VUs of a closed mix are active.
    ///
    /// # Errors
    /// When the stages make no schedule.
    pub fn closed_schedule(&self) -> Result<Closed, StageError> {
        self.changed(Closed::new(self.planned_stages())?, Closed::then)
    }

    /// The schedule after all changes.
    fn changed<S>(
        &self,
        planned: S,
        then: impl Fn(S, u64, &[Stage]) -> Result<S, StageError>,
    ) -> Result<S, StageError> {
        let Some(steered) = &self.steered else { return Ok(planned) };
        let (mut schedule, mut stages) = (planned, steered.planned.clone());
        for change in &steered.changes {
            let (at_ns, added) = (nanos(change.at), added(&stages, *change));
            schedule = then(schedule, at_ns, &added)?;
            stages = cut(&stages, at_ns);
            stages.extend(added);
        }
        Ok(schedule)
    }

    /// The stages that a change appends, if it fits.
    fn added(&self, stages: &[Stage], change: Change) -> Result<Vec<Stage>, SteerError> {
        let (max, unit) = match self.workload {
            Workload::Open { arrivals: Arrivals::Listed, .. } => return Err(SteerError::Listed),
            Workload::Open { .. } => (RATE_PER_S_MAX, "/s"),
            Workload::Closed { .. } => (VUS_MAX, " VUs"),
        };
        if let Some(found) = change.to.filter(|to| !(0.0..=max).contains(to)) {
            return Err(SteerError::NotALevel { found, max, unit });
        }
        if let (Workload::Closed { .. }, Some(to)) = (&self.workload, change.to)
            && to.fract() != 0.0
        {
            return Err(SteerError::NotWhole(to));
        }
        if let Some(end) = phases(stages).last().and_then(|last| last.span.end_ns).map(Duration::from_nanos) {
            let at = change.at;
            let left = end.checked_sub(at).filter(|left| !left.is_zero());
            let left = left.ok_or(SteerError::Ended { end, at })?;
            if change.ramp >= left {
                return Err(SteerError::RampTooLong { ramp: change.ramp, left });
            }
        }
        Ok(added(stages, change))
    }

    /// Complains about more users than rows are dealt to.
    fn check_rows(&self) -> Result<(), SteerError> {
        let planned = Closed::new(self.planned_stages())?.vus_max();
        let is_dealt = |pick: &Pick| matches!(pick, Pick::Sequential | Pick::Unique);
        match self.feeders.iter().find(|feeder| is_dealt(&feeder.pick)) {
            Some(feeder) if self.closed_schedule()?.vus_max() > planned => {
                Err(SteerError::Dealt { data: feeder.name.clone(), vus: planned })
            }
            _ => Ok(()),
        }
    }
}

/// The stages from the instant of a change to the end of these.
fn added(stages: &[Stage], change: Change) -> Vec<Stage> {
    let (at_ns, ramp_ns) = (nanos(change.at), nanos(change.ramp));
    let from = level_at(stages, at_ns);
    let to = change.to.unwrap_or(from);
    let spans = phases(stages);
    let end_ns = spans.last().and_then(|last| last.span.end_ns);
    let has_hold = stages.iter().any(|stage| stage.kind == StageKind::Hold);
    let warm_up = spans.iter().filter(|phase| phase.kind == StageKind::WarmUp).filter_map(|phase| phase.span.end_ns);
    let held_ns = at_ns + ramp_ns;
    let warm_ns = warm_up.max().unwrap_or(0).max(held_ns);
    let constant = |kind, length_ns| Stage { from: to, to, length_ns, kind };
    let ramp = (ramp_ns > 0).then(|| Stage::ramp(from, to, change.ramp));
    let warm_up = (warm_ns > held_ns).then(|| constant(StageKind::WarmUp, Some(warm_ns - held_ns)));
    let kind = if has_hold { StageKind::Hold } else { StageKind::RampUp };
    let hold = constant(kind, end_ns.map(|end_ns| end_ns - warm_ns));
    ramp.into_iter().chain(warm_up).chain([hold]).collect()
}

#[cfg(test)]
mod tests;
