//! Steps that are done once for a whole run: its setup before the workers start, its teardown after they have ended.
//!
//! One user does them over the same network as the workers do; nothing is measured, failed exchanges are kept for study.

use std::convert::identity;
use std::pin::pin;
use std::rc::Rc;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nmax_metrics::{Clock as _, FailureExample, Fence, Nanos};
use nmax_plan::plan::{Plan, Scenario, Workload};
use nmax_plan::schedule::{Stage as Level, StageKind};

use crate::error::StartError;
use crate::iteration::{Assignment, IterationEnd, VuSlot};
use crate::measure::meter::{MeterSettings, Report, WorkerEnd};
use crate::program::catalog;
use crate::protocol::Protocol;
use crate::run::carrier::{self, carrier};
use crate::run::settings::{KeepSamples, Settings};
use crate::runtime::Runtime;
use crate::runtime::real::{RealClock, RealRuntime, block_on};
use crate::user::vu::Vu;
use crate::user::walk_state::Stage;

/// The user of these steps is none of the run's, so its choices are its own.
const USER: u64 = u64::MAX - 1;
/// Longer than any setup: everything falls into one window.
const WINDOW: Duration = Duration::from_secs(366 * 24 * 3600);

/// Which steps they are; the two make different choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixtureStage {
    /// Before the run.
    Setup,
    /// After it.
    Teardown,
}

/// What the steps came to.
#[derive(Debug)]
pub struct StepsResult {
    /// Whether all of them went as planned.
    pub is_ok: bool,
    /// The values that they left, by slot.
    pub values: Vec<String>,
    /// What was not ok.
    pub failures: Vec<FailureExample>,
}

/// Does the steps of a scenario once, on this thread.
///
/// They see the values of the run's setup in their slots and as `${setup.NAME}`. What is under way is cut off when `cut` is
/// ready, and the steps have failed.
pub fn run_steps(
    settings: &Settings,
    stage: FixtureStage,
    scenario: &Scenario,
    cut: impl Future<Output = ()>,
) -> Result<StepsResult, StartError> {
    let plan = Arc::new(only(&settings.plan, scenario));
    let worker_error = |error| StartError::Worker { worker: 0, error };
    let names = catalog(&plan, settings.names_max);
    let clock = RealClock::starting_now();
    let carried = carrier(settings, &plan, &names, (&clock, Fence::default()), identity)?;
    let (reports_in, reports) = sync_channel(4);
    let (end, values) = block_on(async move {
        let runtime = RealRuntime::start(clock).map_err(worker_error)?;
        let meter = MeterSettings {
            width: Nanos::from(WINDOW),
            hold: (Nanos::ZERO, Nanos::MAX),
            keep: KeepSamples::None,
            seed: plan.seed,
        };
        let context = carrier::only_worker(runtime, carried, meter, reports_in, Arc::new(Mutex::new(names)))?;
        let slot = Rc::new(VuSlot::default());
        context.state.vus.borrow_mut().push(Rc::clone(&slot));
        let mut user = pin!(live(Vu::new(Rc::clone(&context), slot), stage, &settings.values));
        let mut cut = pin!(cut);
        let done = tokio::select! {
            done = &mut user => done,
            () = &mut cut => {
                context.cut_off();
                user.await
            }
        };
        let (now, time) = (context.runtime.now(), context.runtime.thread_time());
        context.finish(now, time, WorkerEnd::default());
        Ok::<_, StartError>(done)
    })
    .map_err(worker_error)??;
    let mut failures = Vec::new();
    for report in reports {
        if let Report::Window { failures: failed, .. } = report {
            failures.extend(failed);
        }
    }
    Ok(StepsResult { is_ok: end == IterationEnd::Ok, values, failures })
}

/// The plan with nothing but these steps.
fn only(plan: &Plan, scenario: &Scenario) -> Plan {
    let scenario = Scenario { weight: 1.0, pacing: None, location: None, ..scenario.clone() };
    Plan {
        scenarios: vec![scenario],
        locations: Vec::new(),
        background: Vec::new(),
        workload: Workload::Closed { vus: 1 },
        written: None,
        stages: vec![Level { from: 1.0, to: 1.0, length_ns: None, kind: StageKind::Hold }],
        iterations: Some(1),
        ..plan.clone()
    }
}

/// Does the steps of the only scenario once, given the values of its slots; returns how they ended, and the values that
/// they left.
async fn live<R: Runtime, P: Protocol>(
    mut vu: Vu<R, P>,
    stage: FixtureStage,
    values: &[String],
) -> (IterationEnd, Vec<String>) {
    vu.arrive().await;
    let context = Rc::clone(&vu.context);
    let now = context.runtime.now();
    let assignment = Assignment {
        number: 0,
        choice: (USER, stage as u64),
        scenario: 0,
        location: None,
        intended: now,
        begun: now,
        slot_wait: Nanos::ZERO,
    };
    vu.prepare(&context, &assignment);
    for (slot, value) in vu.actor.values.slots.iter_mut().zip(values) {
        slot.clone_from(value);
    }
    let (_, end) = vu.walk(&context, &assignment, Stage::Steps).await;
    (end, std::mem::take(&mut vu.actor.values.slots))
}
