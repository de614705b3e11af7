//! A plan made ready to run: extractors compiled, constant requests rendered once, names and checks numbered.
//!
//! Each worker builds its own from the shared plan; nothing in it is shared between threads.

use std::collections::HashMap;
use std::sync::Arc;

use nmax_extract::Extractor;
use nmax_http::{KeepBody, Origin, Url};
use nmax_metrics::{Catalog, NameId, Names};
use nmax_plan::addresses::is_absolute;
use nmax_plan::mix::Mix;
use nmax_plan::plan::{AtEnd, Body, Connection, FormPart, PartContent, Pick, Plan, Request, Scenario, Step};
use nmax_plan::template::Part;

use crate::prepare::{Maker, templates};
use crate::settings::{BodyFile, Files};

/// Largest reply body that is kept for checks and extractors, bytes.
pub(crate) const KEPT_BODY_MAX: usize = 16 << 20;

/// A plan that cannot be made ready. The document decoder finds these earlier, with their place.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The target is no URL.
    #[error("`{url}` is not a URL: {reason}")]
    Url {
        /// As written.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// An extractor does not compile.
    #[error("request `{request}`: {reason}")]
    Source {
        /// Request name.
        request: String,
        /// What is wrong.
        reason: String,
    },
    /// A body is made of a file that was not opened.
    #[error("request `{request}`: the file `{file}` was not opened")]
    File {
        /// Request name.
        request: String,
        /// As the plan names it.
        file: String,
    },
    /// No scenario can be picked.
    #[error("the mix of scenarios cannot be used: {0}")]
    Mix(String),
    /// The stages are no schedule.
    #[error("the stages cannot be used: {0}")]
    Stages(String),
}

/// A plan made ready to run.
#[derive(Debug)]
pub struct Program {
    /// The plan it was made from.
    pub plan: Arc<Plan>,
    /// Which scenario an iteration runs.
    pub mix: Mix,
    /// Base of relative URLs.
    pub base: Url,
    /// Scenarios, in the order of the plan.
    pub scenarios: Vec<Vec<Action>>,
    /// Whether some URL may be relative to the page before.
    pub has_references: bool,
    /// Scenarios that read a feeder which ends the run or the iteration: most rows they may ask for.
    pub rows_max: Vec<Option<(u64, AtEnd)>>,
}

/// A step made ready.
#[derive(Debug)]
pub enum Action {
    /// Position of a `think` in its scenario's steps.
    Think(usize),
    /// A request.
    Request(Box<Prepared>),
}

/// A request made ready.
#[derive(Debug)]
pub struct Prepared {
    /// Position in its scenario's steps.
    pub step: usize,
    /// Name's id; `None` when the name has holes.
    pub name: Option<NameId>,
    /// Rendered once; `None` when something in it varies.
    pub fixed: Option<Fixed>,
    /// Where it goes when its URL is relative or constant.
    pub origin: Origin,
    /// `host` header of that origin.
    pub authority: String,
    /// Whether and how much of the body is needed.
    pub keep_body: KeepBody,
    /// Checks: number in the catalog, and what they test.
    pub checks: Vec<(usize, Probe)>,
    /// Extractors, in the order of the step's `extract`.
    pub extractors: Vec<Extractor>,
    /// Files of the body, in order.
    pub files: Vec<Arc<BodyFile>>,
    /// What separates the parts of a `multipart/form-data` body; empty without one.
    pub boundary: String,
    /// Most redirects that are followed.
    pub redirects_max: u32,
    /// The transaction that this step and the redirects it follows are; `None` when it follows none.
    pub transaction: Option<usize>,
}

impl Prepared {
    /// Whether an extractor looks at the reply.
    pub fn parses(&self) -> bool {
        !self.extractors.is_empty() || self.checks.iter().any(|(_, probe)| matches!(probe, Probe::Finds(_)))
    }
}

/// A request rendered once.
#[derive(Debug)]
pub struct Fixed {
    /// Head and body.
    pub bytes: Vec<u8>,
    /// Where a `cookie` header line is inserted: just before the empty line.
    pub cookies_at: usize,
    /// Where the body begins in `bytes`.
    pub body_at: usize,
    /// Path and query, for cookies and relative references.
    pub target: String,
    /// The body once more when it has files: what is between them is sent from here.
    pub body: Vec<u8>,
    /// Where the files belong in `body`.
    pub marks: Vec<usize>,
}

/// A check made ready.
#[derive(Debug)]
pub enum Probe {
    /// Position in [`Expect::checks`] of a text test.
    Text(usize),
    /// An extractor that must find something.
    Finds(Box<Extractor>),
}

/// All names and checks of a plan, as every worker numbers them.
pub fn catalog(plan: &Plan, names_max: usize) -> Catalog {
    let mut catalog = Catalog {
        requests: Names::new(names_max),
        scenarios: plan.scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
        checks: Vec::new(),
        transactions: Vec::new(),
        pages: Vec::new(),
        transitions: Vec::new(),
        locations: plan.locations.iter().map(|location| location.name.clone()).collect(),
    };
    for (scenario, request) in plan.scenarios.iter().flat_map(|s| requests(s).map(move |r| (s, r))) {
        if let Some(name) = request.name.as_constant() {
            catalog.requests.intern(name);
        }
        if redirects_max(plan, request) > 0 {
            let name = transaction_name(plan, scenario, request);
            if !catalog.transactions.contains(&name) {
                catalog.transactions.push(name);
            }
        }
        for check in &request.expect.checks {
            if !catalog.checks.contains(&check.name) {
                catalog.checks.push(check.name.clone());
            }
        }
    }
    catalog
}

/// Most redirects that a request follows.
pub fn redirects_max(plan: &Plan, request: &Request) -> u32 {
    request.redirects_max.unwrap_or(plan.defaults.redirects_max)
}

/// A transaction is named like its request, with the holes as they are written.
pub(crate) fn transaction_name(plan: &Plan, scenario: &Scenario, request: &Request) -> String {
    request.name.display(plan.labels(scenario))
}

fn requests(scenario: &Scenario) -> impl Iterator<Item = &Request> {
    scenario.requests().map(Arc::as_ref)
}

impl Program {
    /// Makes a plan ready, with the numbers of `catalog` and the files that its bodies are made of.
    pub fn new(plan: Arc<Plan>, catalog: &Catalog, files: &Files) -> Result<Self, ProgramError> {
        let base = parse_url(&plan.target)?;
        let weights: Vec<f64> = plan.scenarios.iter().map(|scenario| scenario.weight).collect();
        let mix = Mix::new(&weights).map_err(|error| ProgramError::Mix(error.to_string()))?;
        let checks: HashMap<&str, usize> = catalog
            .checks
            .iter()
            .enumerate()
            .map(|(index, name)| (name.as_str(), index))
            .collect();
        let maker = Maker {
            plan: &plan,
            base: &base,
            files,
            catalog,
            checks,
        };
        let mut scenarios = Vec::with_capacity(plan.scenarios.len());
        for (number, scenario) in plan.scenarios.iter().enumerate() {
            let mut actions = Vec::with_capacity(scenario.steps.len());
            for (index, step) in scenario.steps.iter().enumerate() {
                actions.push(match step {
                    Step::Think(_) => Action::Think(index),
                    Step::Request(request) => {
                        let prepared = maker.prepare((number, scenario), index, request)?;
                        Action::Request(Box::new(prepared))
                    }
                    _ => continue,
                });
            }
            scenarios.push(actions);
        }
        let rows_max = plan
            .scenarios
            .iter()
            .map(|scenario| rows_max(&plan, scenario))
            .collect();
        let has_references = plan.scenarios.iter().flat_map(requests).any(|request| {
            !matches!(request.url.parts.first(), Some(Part::Text(text)) if text.starts_with('/') || is_absolute(text))
        });
        Ok(Self {
            mix,
            base,
            scenarios,
            has_references,
            rows_max,
            plan,
        })
    }
}

fn parse_url(url: &str) -> Result<Url, ProgramError> {
    Url::parse(url).map_err(|error| ProgramError::Url {
        url: url.to_owned(),
        reason: error.to_string(),
    })
}

/// The names of the files of a body, in order.
pub(crate) fn files_of(request: &Request) -> Vec<&str> {
    match &request.body {
        Body::File(name) => vec![name],
        Body::Multipart(parts) => parts.iter().filter_map(file_of).collect(),
        _ => Vec::new(),
    }
}

fn file_of(part: &FormPart) -> Option<&str> {
    match &part.content {
        PartContent::File(name) => Some(name),
        PartContent::Text(_) => None,
    }
}

/// The names of all files that bodies of a plan are made of, as the plan writes them; sorted, each once.
pub fn body_files(plan: &Plan) -> Vec<&str> {
    let mut names: Vec<&str> = plan.scenarios.iter().flat_map(requests).flat_map(files_of).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The fewest rows of the feeders that a scenario reads and that do not start again.
fn rows_max(plan: &Plan, scenario: &Scenario) -> Option<(u64, AtEnd)> {
    requests(scenario)
        .flat_map(|request| templates(plan, request).chain(std::iter::once(&request.name)))
        .flat_map(|template| &template.parts)
        .filter_map(|part| match part {
            Part::Feeder { feeder, .. } => plan.feeders.get(*feeder),
            _ => None,
        })
        .filter(|feeder| matches!(feeder.pick, Pick::Sequential | Pick::Unique) && feeder.at_end != AtEnd::Wrap)
        .map(|feeder| (feeder.row_count(), feeder.at_end))
        .min_by_key(|(rows, _)| *rows)
}

/// Whether the request line says that the connection stays open.
pub(crate) fn keeps_alive(plan: &Plan) -> bool {
    plan.defaults.connection != Connection::PerRequest
}
