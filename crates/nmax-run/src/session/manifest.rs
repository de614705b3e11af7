//! What is known of a run before it starts, as its manifest and its report hold it.

use std::time::SystemTime;

use nmax_metrics::Nanos;
use nmax_plan::plan::Plan;
use nmax_report::RunInfo;
use nmax_secrets::Redactor;
use nmax_store::{Hold, Manifest, Steered};
use sha2::{Digest, Sha256};

use super::Order;
use crate::secrets::{mask_words, plan_yaml};

/// Flag of `nmax run` that gives a run its id, so that who starts it knows its directory.
pub const ID_FLAG: &str = "--run-id=";

/// An id, and the instant that it was made of: the beginning of what it names.
pub fn new_id() -> (String, jiff::Timestamp) {
    #[expect(clippy::disallowed_methods, reason = "the label of a campaign")]
    let now = SystemTime::now();
    (run_id(now), jiff::Timestamp::try_from(now).unwrap_or_default())
}

/// A plan as it is stored, without its secrets, and its SHA-256.
pub fn plan_text(plan: &Plan) -> (String, String) {
    let yaml = plan_yaml(plan);
    let sha256 = Sha256::digest(yaml.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    (yaml, sha256)
}

/// What takes the place of what a manifest says, once the load of its run was changed to this plan.
pub(super) fn steered(plan: &Plan) -> Steered {
    let (plan_yaml, plan_sha256) = plan_text(plan);
    Steered { plan: plan_yaml, plan_sha256, hold: hold(plan) }
}

/// Phase hold as planned.
fn hold(plan: &Plan) -> Hold {
    let (start, end) = nmax_engine::times(plan).hold;
    Hold { start_ns: start.0, end_ns: (end != Nanos::MAX).then_some(end.0) }
}

pub(crate) fn manifest(order: &Order) -> Manifest {
    let plan = &order.plan;
    let (yaml, sha256) = plan_text(plan);
    #[expect(clippy::disallowed_methods, reason = "the label of the run")]
    let now = SystemTime::now();
    let catalog = nmax_engine::program::catalog(plan, usize::MAX);
    Manifest {
        schema_version: nmax_store::SCHEMA_VERSION,
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        id: order.id.clone().unwrap_or_else(|| run_id(now)),
        name: plan.redactor.text(&order.name),
        note: plan.redactor.text(&order.note),
        tags: order.tags.iter().map(|tag| plan.redactor.text(tag)).collect(),
        started_at: jiff::Timestamp::try_from(now).unwrap_or_default().to_string(),
        seed: plan.seed,
        plan: yaml,
        plan_sha256: sha256,
        target: plan.redactor.url(&plan.target),
        machine: nmax_store::host::machine(),
        command: command(&plan.redactor),
        workers: u64::from(order.workers),
        window_ns: Nanos::from(plan.window).0,
        hold: hold(plan),
        authorization: order.authorization.clone(),
        scenarios: catalog.scenarios,
        checks: catalog.checks,
    }
}

/// Short, and different for two runs of one machine: time in base 36 and the process.
fn run_id(now: SystemTime) -> String {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut number = (since.as_millis() << 12) | u128::from(std::process::id() & 0xfff);
    let mut digits = Vec::new();
    while number > 0 {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(number % 36) as usize]);
        number /= 36;
    }
    digits.reverse();
    String::from_utf8_lossy(&digits).into_owned()
}

/// The command line, quoted for a shell.
fn command(redactor: &Redactor) -> String {
    let quoted = |arg: String| {
        let is_plain =
            !arg.is_empty() && arg.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(&byte));
        if is_plain { arg } else { format!("'{}'", arg.replace('\'', "'\\''")) }
    };
    let mut words = vec!["nmax".to_owned()];
    let args = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned());
    // A repeated run gets its own id.
    let args = args.filter(|arg| !arg.starts_with(ID_FLAG));
    words.extend(mask_words(args, redactor).into_iter().map(quoted));
    words.join(" ")
}

pub(crate) fn info(manifest: &Manifest) -> RunInfo {
    RunInfo {
        id: manifest.id.clone(),
        name: manifest.name.clone(),
        note: manifest.note.clone(),
        tags: manifest.tags.clone(),
        started_at: manifest.started_at.clone(),
        seed: manifest.seed,
        plan_sha256: manifest.plan_sha256.clone(),
        plan_yaml: manifest.plan.clone(),
        target: manifest.target.clone(),
        machine: manifest.machine.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        command: manifest.command.clone(),
        nmax_version: manifest.nmax_version.clone(),
    }
}
