//! How a run is executed, beside what its plan says.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use nmax_http::{ClientCertificate, SocketBudget, WireLog};
use nmax_metrics::names::NAMES_MAX;
use nmax_metrics::{Fence, Nanos};
use nmax_plan::plan::Plan;
use nmax_plan::share::Share;
use nmax_secrets::Redactor;

use crate::script::Scripts;

/// Whether an address may be loaded; the error says why not.
pub type Allow = Arc<dyn Fn(&str, IpAddr) -> Result<(), String> + Send + Sync>;

/// Body files by their name in the plan, opened once and read by position by everyone.
pub type Files = Arc<BTreeMap<String, Arc<BodyFile>>>;

/// A file that is sent, or part of what is sent.
#[derive(Debug)]
pub struct BodyFile {
    /// What messages call it.
    pub name: String,
    /// The file.
    pub file: File,
    /// Bytes of it that are sent: its length when it was opened.
    pub length: u64,
}

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
    /// From when on this process takes it, on the run's clock: another had it before. What was due earlier is not due here,
    /// and windows begin with that of this instant. Users of closed workloads start afresh: their iterations, rows and
    /// choices are those of the run's origin, and a limit of iterations is whole again.
    pub from: Nanos,
    /// The instant, on the run's clock, from which on workers start and send nothing.
    pub fence: Fence,
    /// Values of the run's setup, by slot. The coordinator of the run did the setup ([`crate::Fixture`]).
    pub values: Arc<Vec<String>>,
    /// Most request names told apart.
    pub names_max: usize,
    /// Which exchanges are kept whole.
    pub keep: KeepSamples,
    /// Whether every exchange is reported with its target ([`crate::Complete::exchange_events`]), which costs memory and time.
    pub reports_exchanges: bool,
    /// Certificates of additional issuers, PEM.
    pub ca_pem: Vec<Vec<u8>>,
    /// What clients show when a server asks who they are.
    pub identity: Option<ClientCertificate>,
    /// Every file that bodies of the plan are made of.
    pub files: Files,
    /// Which addresses may be loaded.
    pub allow: Allow,
    /// Sockets that all workers together may have open; `None` leaves it to the system.
    pub sockets: Option<Arc<SocketBudget>>,
    /// Who watches what goes over connections.
    pub wire: Option<WireLog>,
    /// Who shows what [`crate::once()`] and its like exchange, and must know its secrets before.
    pub known: Option<Known>,
    /// What does the iterations of scenarios that are not declared.
    pub scripts: Scripts,
}

/// Takes the secrets of a plan out of what is shown, those too that come up on the way: values of replies and of data by
/// their names.
pub type Known = Arc<Mutex<Redactor>>;

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("plan", &self.plan.name)
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}

impl Settings {
    /// The whole plan on one worker, some exchanges kept, no certificates and no files.
    pub fn new(plan: Arc<Plan>, allow: Allow) -> Self {
        Self {
            plan,
            workers: 1,
            pin: Vec::new(),
            share: Share::whole(),
            from: Nanos::ZERO,
            fence: Fence::default(),
            values: Arc::default(),
            names_max: NAMES_MAX,
            keep: KeepSamples::Some,
            reports_exchanges: false,
            ca_pem: Vec::new(),
            identity: None,
            files: Files::default(),
            allow,
            sockets: None,
            wire: None,
            known: None,
            scripts: Scripts::default(),
        }
    }
}

/// Which exchanges are kept whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeepSamples {
    /// Every one, up to a million per window and worker; of more a uniform draw, and what is left out is counted.
    All,
    /// Those not ok, the slowest, and a uniform draw, per second.
    Some,
    /// None.
    None,
}
