//! The plan that makes the traffic again: scenarios, mix, rate.
//!
//! Each scenario of a [`Profile`] becomes a Markov chain in the language of plans: a value `state`, a loop over it, and after
//! each request a choice of the next state with its pause. Which target a request of a type has is drawn by popularity from
//! a data file. What cannot be sent, or was not asked for, is taken out of the chain so that the visits of the rest stay
//! (`chain`). The text is a document that [`nmax_plan::document::parse`] reads.

mod chain;
mod items;
mod text;

use crate::traffic::{Cluster, OTHER, Profile};
use chain::Chain;
use items::Items;

/// States of a scenario.
const STATES_MAX: usize = 30;
/// Share of the visits that the states of a scenario cover, where they are not too many.
const COVER: f64 = 0.995;
/// Links below such a chance are left out, the first that changes the mix by no more than [`PRUNE_DISTANCE_MAX`].
const PRUNE: [f64; 5] = [0.02, 0.01, 0.005, 0.002, 0.0];
/// Largest total variation between the mix of visits before and after.
const PRUNE_DISTANCE_MAX: f64 = 0.005;
/// Share of the static content from which on it is said that it is not fetched.
const RESOURCES_LEFT_OUT_MIN: f64 = 0.05;
/// Methods that change nothing (RFC 9110, §9.2.1), as far as plans have them.
const SAFE: [&str; 3] = ["GET", "HEAD", "OPTIONS"];
/// The others that plans have.
const WRITES: [&str; 4] = ["POST", "PUT", "PATCH", "DELETE"];

/// What a caller decides.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// Name of the plan, and beginning of the names of its files.
    pub name: String,
    /// Base URL; that of the log's host by default.
    pub target: Option<String>,
    /// Requests that change something are sent too, without the bodies that the log does not have.
    pub with_writes: bool,
    /// Where the lines came from, for the first comment: `access.log, combined`.
    pub log: String,
}

/// A file beside the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, without folders.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A plan, what belongs to it, and what it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The document.
    pub plan: String,
    /// Data files, and the profile that runs are compared with (`NAME.traffic.json`).
    pub files: Vec<File>,
    /// What a reader should know.
    pub warnings: Vec<String>,
    /// Sessions per s.
    pub sessions_per_s: f64,
    /// Requests per s that follow, resources included.
    pub requests_per_s: f64,
    /// Share of the log's steps that the plan sends.
    pub covered: f64,
    /// Scenarios.
    pub scenarios: usize,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Nobody came.
    #[error(
        "no session begins in the chosen time\n  help: choose another time, or count robots and load tests as visitors: --with-robots"
    )]
    NoSessions,
    /// Nothing of what they asked for can be sent.
    #[error("none of the requests can be sent again\n  help: `--include-writes` takes those that change something")]
    NothingToSend,
}

/// A scenario on its way into the plan.
#[derive(Debug)]
pub(crate) struct Scenario<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) chain: Chain,
    /// Mean visits of each state in a session.
    pub(crate) visits: Vec<f64>,
    /// Share of the log's sessions.
    pub(crate) share: f64,
}

/// Makes the plan of a profile. O(states³) for each scenario.
pub fn write(profile: &Profile, options: &PlanOptions) -> Result<Made, PlanError> {
    if profile.sessions.count == 0 || profile.scenarios.is_empty() {
        return Err(PlanError::NoSessions);
    }
    let mut items = Items::new(profile, &options.name);
    let mut before = vec![0.0; profile.types.len()];
    let mut scenarios = Vec::new();
    for cluster in &profile.scenarios {
        let whole = Chain::from_cluster(cluster);
        let visits = whole.visits().unwrap_or_else(|| vec![0.0; whole.states.len()]);
        for (kind, visits) in whole.states.iter().zip(&visits) {
            before[*kind] += cluster.sessions_share * visits;
        }
        scenarios.extend(scenario(profile, cluster, whole, options));
    }
    if scenarios.is_empty() {
        return Err(PlanError::NothingToSend);
    }
    let kept = scenarios.iter().map(|scenario| scenario.share * scenario.visits.iter().sum::<f64>());
    let steps: f64 = kept.sum();
    let share: f64 = scenarios.iter().map(|scenario| scenario.share).sum();
    let total: f64 = before.iter().sum();
    let sessions_per_s = profile.arrivals.sessions_per_s * share;
    let mut profile_of_plan = profile.clone();
    profile_of_plan.left_out = left_out(profile, &scenarios);
    let resources: f64 = scenarios
        .iter()
        .flat_map(|scenario| {
            scenario.chain.states.iter().zip(&scenario.visits).map(move |(kind, visits)| (scenario, kind, visits))
        })
        .map(|(scenario, kind, visits)| scenario.share * visits * items.resource_count(*kind) as f64)
        .sum();
    let mut made = Made {
        plan: String::new(),
        files: Vec::new(),
        warnings: warnings(profile, &before, &scenarios, options),
        sessions_per_s,
        requests_per_s: profile.arrivals.sessions_per_s * (steps + resources),
        covered: if total > 0.0 { (steps / total).min(1.0) } else { 0.0 },
        scenarios: scenarios.len(),
    };
    made.warnings.extend(resources_left_out(profile, resources));
    made.plan = text::document(profile, options, &scenarios, &mut items, &made);
    made.warnings.extend(items.take_warnings());
    made.files = items.into_files();
    made.files.push(File {
        name: format!("{}.traffic.json", options.name),
        text: serde_json::to_string(&profile_of_plan).unwrap_or_default(),
    });
    Ok(made)
}

/// Static content of the log that no page of the plan brings along, when it is much; `per_session` is what pages bring.
fn resources_left_out(profile: &Profile, per_session: f64) -> Option<String> {
    let in_log = profile.apart.resources as f64 / profile.sessions.count.max(1) as f64;
    let left_out = 1.0 - per_session / in_log.max(1e-12);
    (in_log > 0.0 && left_out >= RESOURCES_LEFT_OUT_MIN).then(|| {
        format!(
            "{:.0} % of the static content that pages of the log bring along is not fetched by the plan, since fewer than \
             half of their views do (caches), or since their pages are left out: bytes are fewer by that",
            100.0 * left_out
        )
    })
}

/// The chain of a cluster with the states that are sent; `None` when none is.
fn scenario<'a>(profile: &Profile, cluster: &'a Cluster, whole: Chain, options: &PlanOptions) -> Option<Scenario<'a>> {
    let mut chain = whole;
    let mut visits = chain.visits()?;
    let mut at = 0;
    while at < chain.states.len() {
        if is_sent(profile, chain.states[at], options) {
            at += 1;
        } else {
            chain = chain.without(at);
        }
    }
    visits = if chain.states.len() == visits.len() { visits } else { chain.visits()? };
    for state in rare(&visits) {
        chain = chain.without(state);
    }
    let empty = chain.drop_empty();
    if chain.states.is_empty() || empty > 1.0 - 1e-9 {
        return None;
    }
    let exact = chain.visits()?;
    let (chain, visits) = PRUNE.into_iter().find_map(|least| {
        let pruned = chain.pruned(least);
        let visits = pruned.visits()?;
        (distance(&exact, &visits) <= PRUNE_DISTANCE_MAX).then_some((pruned, visits))
    })?;
    Some(Scenario { cluster, chain, visits, share: cluster.sessions_share * (1.0 - empty) })
}

/// Whether requests of a type can be sent again, and are to be.
fn is_sent(profile: &Profile, kind: usize, options: &PlanOptions) -> bool {
    let Some(kind) = profile.types.get(kind) else {
        return false;
    };
    let method = kind.method.as_str();
    let is_wanted = SAFE.contains(&method) || (options.with_writes && WRITES.contains(&method));
    is_wanted && kind.template != OTHER && kind.popularity.top.iter().any(|item| items::is_sendable(&item.text))
}

/// States that are too rare to be told apart, the last first.
fn rare(visits: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..visits.len()).collect();
    order.sort_by(|a, b| visits[*b].total_cmp(&visits[*a]));
    let total: f64 = visits.iter().sum();
    let mut covered = 0.0;
    let mut rare: Vec<usize> = order
        .into_iter()
        .enumerate()
        .filter(|(rank, state)| {
            let is_rare = *rank >= STATES_MAX || covered >= COVER * total;
            covered += visits[*state];
            is_rare
        })
        .map(|(_, state)| state)
        .collect();
    rare.sort_unstable_by(|a, b| b.cmp(a));
    rare
}

/// Distance of two vectors of visits: half the sum of differences, over the visits of the first.
fn distance(one: &[f64], two: &[f64]) -> f64 {
    let total: f64 = one.iter().sum();
    let apart: f64 = one.iter().zip(two).map(|(one, two)| (one - two).abs()).sum();
    if total > 0.0 { apart / total } else { 0.0 }
}

/// Names of the types with steps that no scenario sends.
fn left_out(profile: &Profile, scenarios: &[Scenario]) -> Vec<String> {
    let is_sent = |kind: usize| scenarios.iter().any(|scenario| scenario.chain.states.contains(&kind));
    let types = profile.types.iter().enumerate();
    types.filter(|(at, kind)| kind.steps > 0 && !is_sent(*at)).map(|(_, kind)| kind.name.clone()).collect()
}

/// What the plan leaves out, and what it cannot know.
fn warnings(profile: &Profile, before: &[f64], scenarios: &[Scenario], options: &PlanOptions) -> Vec<String> {
    let total: f64 = before.iter().sum::<f64>().max(1e-12);
    let share = |pick: &dyn Fn(&str) -> bool| -> f64 {
        let types = profile.types.iter().zip(before);
        types.filter(|(kind, _)| pick(&kind.method)).map(|(_, visits)| visits).sum::<f64>() / total
    };
    let writes = share(&|method| WRITES.contains(&method));
    let mut warnings = Vec::new();
    if writes > 0.0 && options.with_writes {
        warnings.push(format!(
            "{:.1} % of the steps change something; the log has no bodies, so they are sent without: fill them in",
            100.0 * writes
        ));
    } else if writes > 0.0 {
        warnings.push(format!(
            "{:.1} % of the steps change something (POST, PUT, PATCH, DELETE) and are left out; `--include-writes` takes them",
            100.0 * writes
        ));
    }
    let strange = share(&|method| !WRITES.contains(&method) && !SAFE.contains(&method) && !method.is_empty());
    if strange > 0.0 {
        warnings.push(format!("{:.1} % of the steps have methods that plans do not have", 100.0 * strange));
    }
    let statuses: u64 = profile.by_status.range(500..).map(|(_, count)| count).sum();
    if statuses > 0 {
        warnings.push(format!(
            "{:.2} % of the log's replies have a status of 500 and above; in a run they are failures",
            100.0 * statuses as f64 / profile.requests.max(1) as f64
        ));
    }
    let steps: f64 = scenarios.iter().map(|scenario| scenario.share * scenario.visits.iter().sum::<f64>()).sum();
    let explained = if options.with_writes { strange } else { strange + writes };
    if steps / total < 0.9 - explained {
        warnings.push(format!("the plan sends {:.0} % of the steps of the log", 100.0 * steps / total));
    }
    warnings
}
