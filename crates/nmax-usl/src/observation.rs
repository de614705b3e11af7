//! What was measured: throughput at a concurrency, once per run.

/// One run. Replicates are observations of their own; they are never averaged.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Concurrency or size N, dimensionless; fractions are kept.
    pub n: f64,
    /// Throughput X, per second.
    pub x: f64,
    /// Mean response time R, seconds, if it was measured.
    pub r_s: Option<f64>,
    /// Weight of the run, relative to the others; 1 unless variances are known.
    pub weight: f64,
    /// Row of the data that it comes from, from 1.
    pub row: usize,
    /// Completions behind X, where they were counted: X is never taken to be surer than 1/√count of itself.
    pub count: Option<u64>,
}

nmax_text::named! {
    /// What N counts.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Dimension {
        /// Virtual users.
        Vus = "vus",
        /// Exchanges in flight, a time average.
        InFlight = "in_flight",
        /// Arrivals per second.
        Rate = "rate",
        /// Worker threads or processes.
        Workers = "workers",
        /// Injectors of a fleet.
        Injectors = "injectors",
        /// Machines.
        Nodes = "nodes",
        /// Threads of the system under test.
        Threads = "threads",
        /// Anything else.
        #[default]
        Other = "other",
    }
    /// Its name in JSON.
    name
}

impl Dimension {
    /// Whether N counts what is in the system at a time, so that Little's law N = X·(R + Z) holds. Machines, workers
    /// and rates are sizes: each of them may hold any number of requests.
    pub const fn counts_concurrency(self) -> bool {
        !matches!(self, Self::Nodes | Self::Workers | Self::Injectors | Self::Rate)
    }
}
