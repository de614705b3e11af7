//! How a run is executed, beside what its plan says.

use std::net::IpAddr;
use std::sync::Arc;

use nmax_plan::plan::Plan;
use nmax_plan::share::Share;

/// Whether an address may be loaded; the error says why not.
pub type Allow = Arc<dyn Fn(&str, IpAddr) -> Result<(), String> + Send + Sync>;

/// How a run is executed.
#[derive(Clone)]
pub struct Settings {
    /// What to run.
    pub plan: Arc<Plan>,
    /// Worker threads; fewer are used when there is less to do.
    pub workers: u32,
    /// CPU that each worker is pinned to, when wanted.
    pub pin: Vec<usize>,
    /// Part of the run that this process takes.
    pub share: Share,
    /// Most request names told apart.
    pub names_max: usize,
    /// Which exchanges are kept whole.
    pub keep: KeepSamples,
    /// Certificates of additional issuers, PEM.
    pub ca_pem: Vec<Vec<u8>>,
    /// Which addresses may be loaded.
    pub allow: Allow,
}

/// Which exchanges are kept whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepSamples {
    /// Every one, up to a million per second and worker.
    All,
    /// Those not ok, the slowest, and a uniform draw, per second.
    Some,
    /// None.
    None,
}
