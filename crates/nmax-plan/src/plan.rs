//! The plan: scenarios, workload and limits, validated and resolved. Later code never meets an invalid value.

use std::sync::Arc;
use std::time::Duration;

use nmax_secrets::Redactor;

use crate::schedule::{self, Stage};
use crate::tags::TagRule;
use crate::template::Labels;
use crate::threshold::Threshold;

mod call;
mod cells;
mod comparison;
mod course;
mod data;
mod flow;
pub(crate) mod http;
mod observed;
mod page;
mod reply;
mod scenario;
mod steered;
mod table;
mod trace;
mod walk;

pub use call::Address;
pub use cells::Cells;
pub(crate) use cells::CellsBuilder;
pub use comparison::Comparison;
pub use course::{Action, Background, Intervention, Location, Moment, ProcessRef, Profile};
pub use data::{AtEnd, Feeder, Per, Pick, Rows};
pub use flow::{Branch, Condition, If, Loop, LoopEnd, PASSES_MAX, Transaction};
pub use http::{
    BODY_LIMIT_DEFAULT, ClientCertificate, Coding, Connection, Cookies, Defaults, Dns, Family, HostOverride,
    PhaseTimeouts, REDIRECTS_DEFAULT, REDIRECTS_MAX, TIMEOUT_DEFAULT, Version, Visitor,
};
pub use nmax_sources::INJECTOR;
pub use observed::{EVERY_DEFAULT, MappedKind, MappedResource, Observed, ObservedAddress, ObservedSource, Value};
pub use page::{Discover, Page, RESOURCES_MAX};
pub use reply::{Check, Expect, Extract, MatchPick, Measure, ReplyPart, Test, Wanted};
pub use scenario::{
    Body, Call, CallKind, FormPart, HttpCall, Method, PartContent, Scenario, Step, ThinkTime, all_steps,
};
pub use steered::{CHANGES_MAX, Change, SteerError, Steered, VUS_MAX};
pub use table::{Table, TableBuilder};
pub use trace::{TRACE_ID, Trace, TraceContext};

/// Longest [`Plan::pacing_slack`].
pub const PACING_SLACK_MAX: Duration = Duration::from_millis(1);
/// Starts of one worker that are closer to each other than this share wake-ups by default: more than 5,000/s.
const APART_MIN: Duration = Duration::from_micros(200);
/// The slack that they get.
const SLACK: Duration = Duration::from_micros(100);

/// A validated plan. Built by [`crate::document::parse`] or [`Plan::for_url`].
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Short name, for directories and headings.
    pub name: String,
    /// Base URL (scheme, host, port) to which relative paths are appended.
    pub target: String,
    /// What holds for every request unless a step says otherwise.
    pub defaults: Defaults,
    /// Addresses given to host names in place of what the resolver says.
    pub hosts: Vec<HostOverride>,
    /// Data sources, in the order of the document; [`crate::template::Part::Feeder`] indexes them.
    pub feeders: Vec<Feeder>,
    /// Scenarios, in the order of the document.
    pub scenarios: Vec<Scenario>,
    /// Done once before the run by one VU; its values are `${setup.NAME}` everywhere.
    pub setup: Option<Scenario>,
    /// Done once after the run by one VU; it has the slots of the setup.
    pub teardown: Option<Scenario>,
    /// How iterations of the mix start.
    pub workload: Workload,
    /// The workload as written, where the profile has put one of its own in its place: what the run prepares for.
    pub written: Option<Workload>,
    /// The run's shape: absolute levels (iterations per second or VUs), one after the other, warm-up included.
    pub stages: Vec<Stage>,
    /// How the load was changed while it ran; `stages` are those with all changes.
    pub steered: Option<Box<Steered>>,
    /// Stop after that many iterations.
    pub iterations: Option<u64>,
    /// How long exchanges may go on after the last start, before they are censored.
    pub graceful_stop: Duration,
    /// Initial value of every choice.
    pub seed: u64,
    /// Conditions on the result, the defaults of the contract included.
    pub thresholds: Vec<Threshold>,
    /// Width of a window of measurements.
    pub window: Duration,
    /// One wake-up of a worker serves all starts that are due within this time; `None`: as the rate suggests.
    pub pacing_slack: Option<Duration>,
    /// The named shape that `stages` come from, and whose question the run answers.
    pub profile: Option<Profile>,
    /// How many times shorter than written the stages, the background's and the timeline are; 1 = as written.
    pub compress: f64,
    /// Scenarios that run beside the mix.
    pub background: Vec<Background>,
    /// Where users are.
    pub locations: Vec<Location>,
    /// What is done to the system under test during the run.
    pub timeline: Vec<Intervention>,
    /// What is watched beside the injector.
    pub observe: Vec<Observed>,
    /// Tags that requests get by expression; [`crate::tags::tag_requests`] gives them.
    pub tags: Vec<TagRule>,
    /// Share of time that the system is to be available, 0 to 1; decides how much testing it deserves.
    pub availability: Option<f64>,
    /// File with the traffic profile that the plan was made from: the run's own traffic is compared with it.
    pub source: Option<String>,
    /// When each iteration starts, ns since the start of the run, ascending; for [`Arrivals::Listed`] only.
    pub starts: Arc<[u64]>,
    /// Takes out of texts what must not be shown or stored: it knows the secrets that the plan was read with.
    pub redactor: Redactor,
}

impl Plan {
    /// The plan in which one user sends nothing to `target` for a second: what others say only their own beside.
    pub fn minimal(target: impl Into<String>) -> Self {
        Self {
            name: "minimal".into(),
            target: target.into(),
            defaults: Defaults::default(),
            hosts: Vec::new(),
            feeders: Vec::new(),
            scenarios: Vec::new(),
            setup: None,
            teardown: None,
            workload: Workload::Closed { vus: 1 },
            written: None,
            stages: vec![Stage::hold(1.0, Some(Duration::from_secs(1)))],
            steered: None,
            iterations: None,
            graceful_stop: Duration::from_secs(30),
            seed: 1,
            thresholds: Vec::new(),
            window: Duration::from_secs(1),
            pacing_slack: None,
            profile: None,
            compress: 1.0,
            background: Vec::new(),
            locations: Vec::new(),
            timeline: Vec::new(),
            observe: Vec::new(),
            availability: None,
            tags: Vec::new(),
            source: None,
            starts: Arc::default(),
            redactor: Redactor::default(),
        }
    }

    /// Every scenario: those of the mix and the background, then setup and teardown of the run.
    pub fn all_scenarios(&self) -> impl Iterator<Item = &Scenario> {
        self.scenarios.iter().chain(&self.setup).chain(&self.teardown)
    }

    /// Every scenario, to be changed.
    pub fn all_scenarios_mut(&mut self) -> impl Iterator<Item = &mut Scenario> {
        self.scenarios.iter_mut().chain(&mut self.setup).chain(&mut self.teardown)
    }

    /// The names behind the indices of a scenario's templates.
    pub fn labels<'a>(&'a self, scenario: &'a Scenario) -> Labels<'a> {
        Labels { slots: &scenario.slots, feeders: &self.feeders, shared: self.shared_names() }
    }

    /// Names of the values that the run's setup defines: `${setup.NAME}`.
    pub fn shared_names(&self) -> &[String] {
        self.setup.as_ref().map_or(&[], |setup| &setup.slots)
    }

    /// Lets `change` change the name of every file that is read after the plan is known: issuers, client certificate and
    /// key, bodies, the source, logs, issuers of databases and caches, files with the numbers of processes.
    ///
    /// The names are as written in the plan; whoever reads the files resolves them against the plan's folder.
    pub fn change_files(&mut self, change: &mut dyn FnMut(&mut String)) {
        self.defaults.ca_files.iter_mut().for_each(&mut *change);
        self.source.iter_mut().for_each(&mut *change);
        if let Some(client) = &mut self.defaults.client_certificate {
            change(&mut client.certificate_file);
            change(&mut client.key_file);
        }
        for scenario in self.all_scenarios_mut() {
            scenario.change_calls(&mut |call| call.change_files(change));
        }
        for observed in &mut self.observe {
            if let Observed::Source(source) = observed {
                source.change_files(change);
            }
        }
        for process in self.processes_mut() {
            if let ProcessRef::PidFile(file) = process {
                change(file);
            }
        }
    }

    /// Time between two starts of a `share` of the run, above 0 and at most 1, at the highest rate of a workload.
    pub fn starts_apart(&self, workload: &Workload, stages: &[Stage], share: f64) -> Duration {
        let rate_per_s = match workload {
            Workload::Open { arrivals: Arrivals::Listed, .. } => {
                let last = schedule::phases(stages).last().and_then(|phase| phase.span.end_ns).unwrap_or(0);
                self.starts.len() as f64 * 1e9 / last.max(1) as f64
            }
            _ => stages.iter().map(|stage| stage.from.max(stage.to)).fold(0.0, f64::max),
        };
        Duration::from_nanos((1e9 / share / rate_per_s) as u64)
    }

    /// The slack of starts that are so far apart: that of the plan, or by default 100 µs above 5,000/s, and none below.
    pub fn slack(&self, apart: Duration) -> Duration {
        let by_default = if apart < APART_MIN { SLACK } else { Duration::ZERO };
        self.pacing_slack.unwrap_or(by_default)
    }

    /// The slack of the mix with so many workers; `None` in closed workloads, which have no schedule.
    pub fn slack_of_mix(&self, workers: u32) -> Option<Duration> {
        let is_open = matches!(self.workload, Workload::Open { .. });
        is_open.then(|| self.slack(self.starts_apart(&self.workload, &self.stages, 1.0 / f64::from(workers.max(1)))))
    }

    /// Every process that is observed or gets a signal.
    fn processes_mut(&mut self) -> impl Iterator<Item = &mut ProcessRef> {
        let observed = self.observe.iter_mut().filter_map(|observed| match observed {
            Observed::Process { process, .. } => Some(process),
            Observed::Source(_) => None,
        });
        let actions = self.timeline.iter_mut().flat_map(|item| {
            let undo = item.undo.as_mut();
            std::iter::once(&mut item.action).chain(undo)
        });
        let signalled = actions.filter_map(|action| match action {
            Action::Signal { process, .. } => Some(process),
            Action::Command(_) | Action::Http { .. } => None,
        });
        observed.chain(signalled)
    }
}

/// How iterations start. Levels are in [`Plan::stages`].
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// By schedule, replies or not.
    Open {
        /// Iterations per second at 100 %.
        rate_per_s: f64,
        /// Law of the arrivals.
        arrivals: Arrivals,
        /// Iterations at once; due ones wait beyond it.
        max_in_flight: u32,
    },
    /// A fixed number of VUs, each starting its next iteration when the last is done.
    Closed {
        /// VUs at 100 %.
        vus: u32,
    },
}

/// Law of open arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Evenly spaced.
    Even,
    /// A Poisson process given its total count per stage.
    Poisson,
    /// At the instants of [`Plan::starts`]. The stages say what rate that is.
    Listed,
}
