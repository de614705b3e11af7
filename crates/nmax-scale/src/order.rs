//! What a campaign needs, and what it ends with.

use std::path::PathBuf;

use nmax_plan::plan::Plan;
use nmax_report::scalability::ScaleView;
use nmax_run::Exit;
use nmax_run::safety::Consent;

use crate::runner::Runner;
use crate::task::Task;

/// What a campaign needs besides what it is to do.
pub struct Order {
    /// What is run at each level.
    pub plan: Plan,
    /// What is to be found out.
    pub task: Task,
    /// Who puts on the load.
    pub runner: Box<dyn Runner>,
    /// Which targets a person opens.
    pub consent: Consent,
    /// Threads that put on the load, of each injector; `None` leaves it to the cores of its host.
    pub workers: Option<u32>,
    /// CPUs of the workers, in their order.
    pub pin: Vec<usize>,
    /// Whether one iteration of every scenario comes before the first level.
    pub is_rehearsed: bool,
    /// The campaign's directory is made in it.
    pub runs_dir: PathBuf,
    /// Its name; `None` for that of the plan.
    pub name: Option<String>,
    /// A note beside its result.
    pub note: String,
    /// What it is found by.
    pub tags: Vec<String>,
}

/// A campaign that has ended.
pub struct Finished {
    /// Everything that a report shows.
    pub view: ScaleView,
    /// What it means for the exit code.
    pub exit: Exit,
    /// Where its results are.
    pub directory: PathBuf,
}
