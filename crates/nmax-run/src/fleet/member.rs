//! A run on many injectors, from the side of one of them: it looks whether it may take part, and then goes through the run as
//! it would through one of its own; what it measures goes into its spool as well.

use std::path::Path;
use std::sync::Arc;

use nmax_engine::KeepSamples;
use nmax_engine::runtime::real::monotonic;
use nmax_fleet::batch::{BatchId, Content, Item};
use nmax_fleet::records::{Command, Spec};
use nmax_fleet::seal::SealKey;
use nmax_fleet::spool::{Disk, Publisher, Spool};
use nmax_fleet::{self as fleet, Coordinator, Identity, Injector, Load, Measured, ResultSink, Step, Warrant};
use nmax_metrics::Nanos;
use nmax_plan::plan::Plan;

use super::bundle;
use super::keys::TrustKeys;
use super::offer::{Demand, demand, purpose};
use crate::listener::Listener;
use crate::preflight;
use crate::safety::Consent;
use crate::session::{self, Finished, Order, SessionError};
use crate::signals::Interrupts;

/// Letters, digits and hyphens of a name, for ids.
pub fn token(name: &str) -> String {
    let kept = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    name.chars().map(kept).take(32).collect()
}

/// Looks whether an injector may take part in a run: the warrant is signed by a key that it trusts, the plan is the one that
/// the warrant is for and asks for no more, and its own rules allow the targets.
///
/// - `me`: id of the injector
/// - `folder`: for files of the plan
/// - `get`: a sealed plan by its name
///
/// # Errors
/// Why it takes no part.
pub fn admit(
    spec: &Spec,
    me: &str,
    trust: &TrustKeys,
    folder: &Path,
    consent: &Consent,
    workers: u32,
    get: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Order, String> {
    let text = spec.warrant.as_deref().ok_or("the run has no warrant")?;
    let warrant = Warrant::verify(text, &trust.signers).map_err(|error| error.to_string())?;
    let plan = Arc::new(plan(spec, &trust.seal, folder, get)?);
    let Demand { targets, rate_per_s, users } = demand(&plan)?;
    let covered = warrant.covers(targets.iter().map(String::as_str), rate_per_s, users);
    covered.map_err(|error| error.to_string())?;
    // A run may ask for fewer threads than there are.
    let workers = spec.workers.map_or(workers, |asked| asked.clamp(1, workers));
    order(spec, me, plan, consent, workers)
}

/// The plan of a run, as its hash says that it should be. The warrant's is compared with the run's where it is looked at.
///
/// # Errors
/// Why it cannot be had.
pub fn plan(
    spec: &Spec,
    seal: &SealKey,
    folder: &Path,
    get: &dyn Fn(&str) -> Result<Vec<u8>, String>,
) -> Result<Plan, String> {
    let name = spec.bundle.as_deref().ok_or("the run does not say where its plan is")?;
    let sealed = get(name).map_err(|error| format!("the plan of the run cannot be fetched: {error}"))?;
    let packed = seal.open(&purpose(&spec.run), &sealed).map_err(|error| format!("the plan of the run: {error}"))?;
    let hash = bundle::hash(&packed);
    if hash != spec.plan {
        return Err(format!("the plan of the run has the hash {hash}, and should have {}", spec.plan));
    }
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    bundle::unpack(&packed, folder)
}

fn order(spec: &Spec, me: &str, plan: Arc<Plan>, consent: &Consent, workers: u32) -> Result<Order, String> {
    let origins = preflight::origins(&plan)?;
    let cleared = preflight::clear(consent, &plan, &origins).map_err(|trouble| trouble.text)?;
    Ok(Order {
        name: plan.name.clone(),
        plan,
        allow: cleared.allow,
        authorization: cleared.authorization,
        workers,
        pin: Vec::new(),
        keep: if nmax_store::KEEPS_SAMPLES { KeepSamples::Some } else { KeepSamples::None },
        // The run's own id is that of the directory of the one who ordered it.
        id: Some(format!("{me}{}", spec.run).chars().filter(char::is_ascii_alphanumeric).take(64).collect()),
        runs_dir: "runs".into(),
        note: String::new(),
        tags: vec![format!("fleet:{}", spec.run)],
        warnings: Vec::new(),
        source: None,
    })
}

/// Takes part in a run, to its end and until everything is acknowledged; `None` when the run has injectors enough.
///
/// # Errors
/// Why nothing was sent.
pub fn take_part<C: Coordinator, D: Disk, P: Publisher>(
    order: Order,
    me: &Identity,
    agreed: (C, Spool<D, P>),
    interrupts: &Interrupts,
    listeners: &mut [&mut dyn Listener],
) -> Result<Option<Finished>, SessionError> {
    match session::take_part(&order, me, agreed, interrupts, listeners) {
        Ok(finished) => Ok(Some(finished)),
        Err(SessionError::NotNeeded) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Says to the others why this injector takes no part, so that they do not wait for it.
pub fn refuse(me: Identity, coordinator: impl Coordinator, why: &str, interrupts: &Interrupts) {
    let mut injector = Injector::new(me, coordinator, Refusing(why.to_owned()), Nowhere);
    loop {
        match injector.step(monotonic()) {
            Step::Refused(_) | Step::Done | Step::Running => break,
            Step::Waiting(_) if interrupts.count() > 0 => break,
            Step::Waiting(_) => session::pause(),
        }
    }
}

/// Where the results of an injector go that measures nothing.
struct Nowhere;

impl ResultSink<Content> for Nowhere {
    fn append(&mut self, _: BatchId, _: Item<Content>) -> Result<(), String> {
        Ok(())
    }

    fn advance(&mut self, _: Nanos) -> usize {
        0
    }
}

/// What puts on no load, and says why.
struct Refusing(String);

impl Load for Refusing {
    type Window = Content;

    fn admit(&mut self, _: &Spec, _: Option<&Warrant>) -> Result<(), String> {
        Err(self.0.clone())
    }

    fn set_up(&mut self) -> Option<Result<Vec<String>, String>> {
        Some(Err(self.0.clone()))
    }

    fn begin(&mut self, _: fleet::Part) -> Result<Nanos, String> {
        Err(self.0.clone())
    }

    fn fence(&mut self, _: Nanos) {}

    fn command(&mut self, _: Command) {}

    fn next(&mut self) -> Measured<Content> {
        Measured::Ended { windows: 0, why: Some(self.0.clone()) }
    }

    fn tear_down(&mut self) -> bool {
        true
    }
}
