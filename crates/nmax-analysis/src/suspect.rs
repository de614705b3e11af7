//! What to look at first when a system is slow: resources ranked by the time that requests spend in them, with evidence,
//! and what nobody watched.
//!
//! The order of the pipeline is that of confidence: validity of the run, coverage, physics (Little's law, the utilization
//! law), rules of saturation with sources, and statistics only where these leave a tie. See docs/methods/suspects.md.
//!
//! # Layout
//! - this file: the types of a diagnosis
//! - `diagnose`: the pipeline; `judge`: labels and evidence; `rank`: the order; `falsify`: the next run that would prove a suspect wrong
//! - `span_readings`: what was read in the phase; `system`: whose hosts these are, and the load on them
//! - `measured`: what is known of one resource, made by `cpu`, `memory`, `disk`, `network` and `service`
//! - `coverage`: what nobody watched
//! - `slow`: the request that takes most of all time; `beside`: other programs that use the processors
//! - `charge`: whose time it is where resources contain each other; `demand`: service demands and bounds
//! - `statistics`: correlation given throughput and order of onset, for ties
//! - `rules`: every threshold, with its source

use std::fmt;

use nmax_plan::plan::INJECTOR;

use crate::wording::{digits, share, time_ms};

mod beside;
mod charge;
mod coverage;
mod cpu;
mod demand;
mod diagnose;
mod disk;
mod falsify;
mod judge;
mod measured;
mod memory;
mod network;
mod rank;
mod rules;
mod service;
mod slow;
mod span_readings;
mod statistics;
mod system;

pub(crate) use diagnose::diagnose;

nmax_text::named! {
    /// What a kind of resource is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        /// Processors of a host.
        Cpu = "cpu",
        /// Memory of a host or control group.
        Memory = "memory",
        /// A disk.
        Disk = "disk",
        /// An interface, or the way between injector and target.
        Network = "network",
        /// A limited set of things that are lent: connections, threads, slots.
        Pool = "pool",
        /// A lock that waits for another's work.
        Lock = "lock",
        /// A service that the system itself asks.
        Dependency = "dependency",
        /// A database's own waits.
        Database = "database",
        /// Garbage collection.
        Gc = "gc",
    }
    /// As a person reads it, and as files have it.
    name
}

/// Which resource.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resource {
    /// Its host, as readings have it; `injector` is this host.
    pub host: String,
    /// What it is.
    pub kind: Kind,
    /// Which of its kind, where a host has several: `sda`, `orders`. Else empty.
    pub name: String,
}

/// Whether one side of a resource was looked at.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Readings cover the phase. The figure that says most, as text: `87 %`, `0.2 waiting`.
    Observed(String),
    /// It should have been there and was not for a part of the phase, or at all; why.
    Gap(String),
    /// Nobody looked.
    NotObserved,
    /// This resource has no such side.
    None,
}

/// A row of the coverage matrix: utilization, saturation and errors of one resource (Gregg, USE method).
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// Which resource; one that nobody watched has an empty name.
    pub resource: Resource,
    /// Share of its capacity that is used.
    pub utilization: Cell,
    /// Who waits for it.
    pub saturation: Cell,
    /// What went wrong in it.
    pub errors: Cell,
    /// How to watch what is not observed: a line of the plan; empty when all is.
    pub remedy: String,
}

nmax_text::named! {
    /// What is said of a resource.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Label {
        /// Requests spend their time in it, by measured queue and throughput.
        Wait = "WAIT",
        /// A rule of saturation holds.
        Saturated = "SATURATED",
        /// It was not watched, and part of the time is unexplained.
        NotObserved = "NOT OBSERVED",
        /// It rises with the load and holds nobody up.
        FollowsLoad = "FOLLOWS LOAD",
        /// It is what waiting elsewhere looks like.
        Symptom = "SYMPTOM",
        /// It was watched and has room.
        Exonerated = "EXONERATED",
    }
    /// As a person reads it, and as files have it.
    name
}

/// One reason to suspect a resource, or not to.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What kind of evidence: `residence`, `demand`, `rule`, `statistics`, `order`, `processes`.
    pub kind: &'static str,
    /// One sentence with figures and their units.
    pub text: String,
    /// Where the rule comes from; empty for what was computed.
    pub source: &'static str,
}

/// A resource and what is said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Suspect {
    /// Which.
    pub resource: Resource,
    /// What is said.
    pub label: Label,
    /// Seconds of each request that are spent in it, where its queue is known.
    pub residence_s: Option<f64>,
    /// Seconds of service that each request asks of it (D = U / X), where its utilization is known.
    pub demand_s: Option<f64>,
    /// Mean utilization in the phase, 0 to 1 or above.
    pub utilization: Option<f64>,
    /// Why, strongest first.
    pub findings: Vec<Finding>,
    /// The next run that would prove it wrong.
    pub falsify: String,
}

/// Where the time of a request goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Mean response time, s.
    pub response_s: f64,
    /// Completed requests per second.
    pub throughput_per_s: f64,
    /// Seconds in each resource, largest first.
    pub parts: Vec<Part>,
    /// What is left: response time without the parts. Negative when resources were busy for others too.
    pub unexplained_s: f64,
}

/// Seconds of a request in one resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Which.
    pub resource: Resource,
    /// Being served in it, s.
    pub service_s: f64,
    /// Waiting for it, s; what waits for a pool or a lock whose holders are in this resource is in it too.
    pub waiting_s: f64,
}

impl Part {
    /// Both, s.
    pub fn residence_s(&self) -> f64 {
        self.service_s + self.waiting_s
    }
}

/// Bounds that service demands imply (operational analysis; Denning and Buzen 1978).
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The resource with the largest demand.
    pub resource: Resource,
    /// Its demand, s.
    pub demand_s: f64,
    /// Throughput that it cannot exceed: 1 / D_max, per second.
    pub throughput_max_per_s: f64,
    /// Where the asymptotes of throughput cross, users or exchanges in flight: (D + Z) / D_max.
    pub knee: Option<f64>,
}

/// A request that takes most of the time of all requests, and is slow rather than frequent.
#[derive(Clone, Debug, PartialEq)]
pub struct SlowRequest {
    /// Its name.
    pub name: String,
    /// How many are done per second.
    pub rate_per_s: f64,
    /// Mean service time (done − sent), s.
    pub mean_s: f64,
    /// Of the sum of all service times, its share, 0 to 1.
    pub share: f64,
}

/// `GET /report: 7/s of 600 ms are 86 % of all time`
impl fmt::Display for SlowRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mean, part) = (time_ms(self.mean_s * 1e3), share(self.share));
        write!(f, "{}: {}/s of {mean} are {part} of all time", self.name, digits(self.rate_per_s))
    }
}

/// The answer to "what should be looked at first?".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// Why nothing is said of the system: the run is not valid, or nothing was watched. Empty when something is.
    pub refused: Vec<String>,
    /// What was watched.
    pub coverage: Vec<Coverage>,
    /// Where the time goes.
    pub budget: Option<Budget>,
    /// Bounds by demand.
    pub bounds: Option<Bounds>,
    /// The request that takes most of all time, where one does.
    pub slow_request: Option<SlowRequest>,
    /// At most three, the first to look at first.
    pub suspects: Vec<Suspect>,
    /// All other resources that were judged.
    pub others: Vec<Suspect>,
}

impl Diagnosis {
    /// The resources that requests wait for or that are full, with how full: `pool db on this host (99 % in use)`; without
    /// processors that other programs use.
    pub fn full(&self) -> Vec<String> {
        let all = self.suspects.iter().chain(&self.others);
        let is_others = |one: &Suspect| one.findings.iter().any(|finding| finding.kind == beside::KIND);
        let full = all.filter(|one| matches!(one.label, Label::Wait | Label::Saturated) && !is_others(one));
        full.map(|one| match one.utilization {
            Some(used) => format!("{} ({} in use)", one.resource, share(used)),
            None => one.resource.to_string(),
        })
        .collect()
    }
}

impl Resource {
    /// `disk sda`, without its host.
    pub fn named(&self) -> String {
        let space = if self.name.is_empty() { "" } else { " " };
        format!("{}{space}{}", self.kind.name(), self.name)
    }
}

/// `disk sda on db1`; the host that nmax runs on is `this host`.
impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = if self.host == INJECTOR { "this host" } else { &self.host };
        write!(f, "{} on {host}", self.named())
    }
}

#[cfg(test)]
mod tests;
