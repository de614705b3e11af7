//! A run as it is offered to a fleet, and what its plan asks of those who take part.

use nmax_engine::times;
use nmax_fleet::Warrant;
use nmax_fleet::records::{PROTOCOL, Policy, Spec};
use nmax_metrics::Nanos;
use nmax_plan::plan::{Plan, Workload};
use nmax_plan::schedule::Stage;

use super::bundle;
use super::keys::{self, OwnerKeys};
use crate::preflight;
use crate::session::Order;

/// Least time from the decision to start to the origin: each injector has to make its workers ready.
const LEAD: Nanos = Nanos::from_secs(5);
/// Largest uncertainty of a clock.
pub const SKEW_MAX: Nanos = Nanos::from_millis(50);
/// Length of a lease: the longest gap after the death of a leader of three was 7.4 s.
pub const LEASE: Nanos = Nanos::from_secs(15);
/// A run without a planned end is stopped after this time.
const UNPLANNED: Nanos = Nanos::from_secs(24 * 3_600);
/// From the planned end, with the time that requests under way have, to the hard stop.
const SLACK: Nanos = Nanos::from_secs(5);
/// How long a run may take to begin.
const BEGIN: Nanos = Nanos::from_secs(300);

/// What a plan asks of those who put on its load.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// Hosts and ports, as `host:port`.
    pub targets: Vec<String>,
    /// Most iterations per second; `None` where users decide.
    pub rate_per_s: Option<f64>,
    /// Most virtual users.
    pub users: u64,
}

/// What a plan asks.
///
/// # Errors
/// Which target cannot be read.
pub fn demand(plan: &Plan) -> Result<Demand, String> {
    let targets = preflight::origins(plan)?.iter().map(|origin| format!("{}:{}", origin.host, origin.port)).collect();
    let most = |stages: &[Stage]| stages.iter().map(|stage| stage.from.max(stage.to)).fold(0.0, f64::max);
    let beside = plan.background.iter().map(|own| (&own.workload, &own.stages[..]));
    let (mut rate, mut users) = (None, 0);
    for (workload, stages) in std::iter::once((&plan.workload, &plan.stages[..])).chain(beside) {
        match workload {
            Workload::Open { max_in_flight, .. } => {
                rate = Some(rate.unwrap_or(0.0) + most(stages));
                users += u64::from(*max_in_flight);
            }
            Workload::Closed { .. } => users += most(stages).ceil() as u64,
        }
    }
    Ok(Demand { targets, rate_per_s: rate, users })
}

/// How a run is offered.
pub struct Offered {
    /// Region of each shard.
    pub shards: Vec<Option<String>>,
    /// What happens to the part of an injector that is lost.
    pub policy: Policy,
    /// Id of the run.
    pub run: String,
    /// Now, ns since 1970.
    pub now: Nanos,
}

/// The run as it is offered; its plan is sealed and handed to `put`, which says where it is.
///
/// # Errors
/// Why it cannot be offered.
pub fn offer(
    order: &Order,
    keys: &OwnerKeys,
    offered: Offered,
    put: &mut dyn FnMut(&[u8]) -> Result<String, String>,
) -> Result<Spec, String> {
    let plan = &order.plan;
    let Offered { shards, policy, run, now } = offered;
    if !plan.timeline.is_empty() {
        let help = "leave it out with `--set timeline=null`, or run it beside";
        return Err(format!("a fleet does not act on the system under test: the plan has a timeline\n  help: {help}"));
    }
    let packed = bundle::pack(plan)?;
    let hash = bundle::hash(&packed);
    let sealed = keys::seal(&keys.seal, &purpose(&run), &packed)?;
    let end = times(plan).end;
    let hard_stop = end.map_or(UNPLANNED, |end| end + Nanos::from(plan.graceful_stop) + SLACK);
    let Demand { targets, rate_per_s, users } = demand(plan)?;
    let mut regions: Vec<String> = shards.iter().flatten().cloned().collect();
    regions.dedup();
    let second = |at: Nanos| at.0 / 1_000_000_000;
    let warrant = Warrant {
        run: run.clone(),
        plan: hash.clone(),
        targets,
        rate_per_s,
        users,
        regions: if shards.iter().all(Option::is_some) { regions } else { Vec::new() },
        not_before_s: second(now).saturating_sub(60),
        expires_s: second(now + BEGIN + hard_stop),
    };
    Ok(Spec {
        protocol: PROTOCOL,
        version: env!("CARGO_PKG_VERSION").into(),
        run,
        plan: hash,
        bundle: Some(put(&sealed)?),
        shards,
        workers: (order.workers > 0).then_some(order.workers),
        policy,
        window_ns: Nanos::from(plan.window).0,
        end_ns: end.unwrap_or(hard_stop).0,
        hard_stop_ns: hard_stop.0,
        lead_ns: LEAD.0,
        skew_max_ns: SKEW_MAX.0,
        warrant: Some(warrant.sign(&keys.signing)),
    })
}

/// What a sealed plan is for.
pub fn purpose(run: &str) -> String {
    format!("plan of run {run}")
}
