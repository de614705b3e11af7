//! A plan made ready to run: extractors compiled, constant requests rendered once, names and checks numbered.
//!
//! Each worker builds its own from the shared plan; nothing in it is shared between threads.

use std::collections::HashMap;
use std::sync::Arc;

use nmax_extract::Extractor;
use nmax_http::{KeepBody, Origin, Url};
use nmax_metrics::{Catalog, NameId, Names};
use nmax_plan::choice::Choice;
use nmax_plan::mix::Mix;
use nmax_plan::plan::{
    AtEnd, Body, Connection, Expect, FormPart, PartContent, Pick, Plan, Request, Scenario, Step, Test,
};
use nmax_plan::template::{Part, Template};

use crate::render;
use crate::settings::{BodyFile, Files};

/// Largest reply body that is kept for checks and extractors, bytes.
pub const KEPT_BODY_MAX: usize = 4 << 20;

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
fn transaction_name(plan: &Plan, scenario: &Scenario, request: &Request) -> String {
    request.name.display(&scenario.slots, &plan.feeders)
}

fn requests(scenario: &Scenario) -> impl Iterator<Item = &Request> {
    scenario.steps.iter().filter_map(|step| match step {
        Step::Request(request) => Some(request.as_ref()),
        Step::Think(_) => None,
    })
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
            !matches!(request.url.parts.first(), Some(Part::Text(text)) if text.starts_with('/') || text.contains("://"))
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

/// What requests are made ready with.
struct Maker<'a> {
    plan: &'a Plan,
    base: &'a Url,
    files: &'a Files,
    catalog: &'a Catalog,
    /// Numbers of checks by name.
    checks: HashMap<&'a str, usize>,
}

impl Maker<'_> {
    fn prepare(
        &self,
        (number, scenario): (usize, &Scenario),
        step: usize,
        request: &Request,
    ) -> Result<Prepared, ProgramError> {
        let (plan, base) = (self.plan, self.base);
        let source_error = |reason: String| ProgramError::Source {
            request: named(request),
            reason,
        };
        let mut extractors = Vec::with_capacity(request.extract.len());
        for extract in &request.extract {
            extractors.push(Extractor::new(&extract.source).map_err(source_error)?);
        }
        let probes = probes(&request.expect, &self.checks).map_err(source_error)?;
        let url = match request.url.as_constant() {
            Some(text) => Some(base.join(text).map_err(|error| ProgramError::Url {
                url: text.to_owned(),
                reason: error.to_string(),
            })?),
            None => None,
        };
        let origin = url.as_ref().map_or(&base.origin, |url| &url.origin).clone();
        let redirects_max = redirects_max(plan, request);
        let transaction = (redirects_max > 0).then(|| transaction_name(plan, scenario, request));
        let mut prepared = Prepared {
            step,
            name: request
                .name
                .as_constant()
                .and_then(|name| self.catalog.requests.find(name)),
            fixed: None,
            authority: origin.authority(),
            origin,
            keep_body: if reads_body(request, &extractors, &probes) {
                KeepBody::UpTo(KEPT_BODY_MAX)
            } else {
                KeepBody::Discard
            },
            checks: probes,
            extractors,
            files: self.body_files(request)?,
            boundary: match &request.body {
                Body::Multipart(_) => boundary(plan.seed, number, step),
                _ => String::new(),
            },
            redirects_max,
            transaction: transaction.and_then(|name| self.catalog.transactions.iter().position(|known| *known == name)),
        };
        if let Some(url) = url.filter(|_| is_constant(plan, request)) {
            prepared.fixed = Some(render::fixed(plan, request, &prepared, &url));
        }
        Ok(prepared)
    }

    /// The files of a body, in order.
    fn body_files(&self, request: &Request) -> Result<Vec<Arc<BodyFile>>, ProgramError> {
        let open = |name: &str| {
            self.files.get(name).map(Arc::clone).ok_or_else(|| ProgramError::File {
                request: named(request),
                file: name.to_owned(),
            })
        };
        files_of(request).into_iter().map(open).collect()
    }
}

fn named(request: &Request) -> String {
    request.name.as_constant().unwrap_or("with a computed name").to_owned()
}

/// The names of the files of a body, in order.
fn files_of(request: &Request) -> Vec<&str> {
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

/// What separates the parts of a step's body: 128 bits of its own, so that no content holds it by chance, and always
/// the same, so that a constant body stays constant.
fn boundary(seed: u64, scenario: usize, step: usize) -> String {
    let bits = Choice::new(seed, u64::MAX, scenario as u64, step as u64);
    format!("nmax-{:016x}{:016x}", bits.u64(0), bits.u64(1))
}

/// Whether a check or an extractor looks at the body.
fn reads_body(request: &Request, extractors: &[Extractor], probes: &[(usize, Probe)]) -> bool {
    extractors.iter().any(Extractor::reads_body)
        || probes.iter().any(|(_, probe)| match probe {
            Probe::Text(index) => !matches!(request.expect.checks[*index].test, Test::HeaderContains(..)),
            Probe::Finds(extractor) => extractor.reads_body(),
        })
}

fn probes(expect: &Expect, numbers: &HashMap<&str, usize>) -> Result<Vec<(usize, Probe)>, String> {
    let mut probes = Vec::with_capacity(expect.checks.len());
    for (index, check) in expect.checks.iter().enumerate() {
        let number = numbers.get(check.name.as_str()).copied().unwrap_or_default();
        probes.push((
            number,
            match &check.test {
                Test::Finds(source) => Probe::Finds(Box::new(Extractor::new(source)?)),
                Test::BodyContains(_) | Test::BodyLacks(_) | Test::HeaderContains(..) => Probe::Text(index),
            },
        ));
    }
    Ok(probes)
}

/// Every template of a request, defaults included.
fn templates<'a>(plan: &'a Plan, request: &'a Request) -> impl Iterator<Item = &'a Template> {
    let pairs = |pairs: &'a [(Template, Template)]| pairs.iter().flat_map(|(name, value)| [name, value]);
    let body: Vec<&Template> = match &request.body {
        Body::Empty => Vec::new(),
        Body::Text(text) | Body::Json(text) => vec![text],
        Body::Form(fields) => pairs(fields).collect(),
        Body::Multipart(parts) => parts.iter().flat_map(part_templates).collect(),
        Body::File(_) => Vec::new(),
    };
    let headers = plan
        .defaults
        .headers
        .iter()
        .chain(&request.headers)
        .map(|(_, value)| value);
    std::iter::once(&request.url)
        .chain(pairs(&request.query))
        .chain(headers)
        .chain(body)
}

fn part_templates(part: &FormPart) -> impl Iterator<Item = &Template> {
    let text = match &part.content {
        PartContent::Text(text) => Some(text),
        PartContent::File(_) => None,
    };
    std::iter::once(&part.name).chain(&part.file_name).chain(text)
}

fn is_constant(plan: &Plan, request: &Request) -> bool {
    templates(plan, request).all(|template| template.as_constant().is_some())
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
        .map(|feeder| (feeder.rows() as u64, feeder.at_end))
        .min_by_key(|(rows, _)| *rows)
}

/// Whether the request line says that the connection stays open.
pub fn keeps_alive(plan: &Plan) -> bool {
    plan.defaults.connection != Connection::PerRequest
}
