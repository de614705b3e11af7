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
//! - `charge`: whose time it is where resources contain each other; `demand`: service demands and bounds
//! - `statistics`: correlation given throughput and order of onset, for ties
//! - `rules`: every threshold, with its source

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
    /// What kind of evidence: `residence`, `demand`, `rule`, `statistics`, `order`.
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
    /// At most three, the first to look at first.
    pub suspects: Vec<Suspect>,
    /// All other resources that were judged.
    pub others: Vec<Suspect>,
}

#[cfg(test)]
mod tests;
