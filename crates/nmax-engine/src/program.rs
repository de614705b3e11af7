//! A plan made ready to run: extractors compiled, constant requests rendered once, names and checks numbered.
//!
//! Each worker builds its own from the shared plan; nothing in it is shared between threads.

use crate::error::ProgramError;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::Arc;

use nmax_extract::{Extractor, Tagger};
use nmax_http::{KeepBody, Origin, RequestText, Url};
use nmax_metrics::{Catalog, NameId, Names};
use nmax_plan::addresses::is_absolute;
use nmax_plan::plan::{
    AtEnd, Body, Call, Connection, Discover, FormPart, Page, PartContent, Pick, Plan, Scenario, Step,
};
use nmax_plan::template::{Labels, Part, Template};

use crate::program::flow::Flow;
use crate::program::prepare::{Maker, templates_of};
use crate::run::settings::{BodyFile, Files, Known};

pub mod flow;
pub(crate) mod prepare;

/// Most transitions between pages that are told apart.
const TRANSITIONS_MAX: usize = 2_000;
/// Largest reply body that is kept for checks and extractors, bytes.
pub(crate) const KEPT_BODY_MAX: usize = 16 << 20;

/// A plan made ready to run.
#[derive(Debug)]
pub struct Program {
    /// The plan it was made from.
    pub plan: Arc<Plan>,
    /// Base of relative URLs.
    pub base: Url,
    /// Scenarios, in the order of the plan.
    pub scenarios: Vec<Flow<Box<Prepared>>>,
    /// Whether some scenario has a setup or a teardown of its own.
    pub has_setups: bool,
    /// Numbers of the transitions between pages, by the numbers of the two.
    pub transitions: HashMap<(usize, usize), usize>,
    /// Values that the run's setup defined.
    pub shared: Arc<Vec<String>>,
    /// Which records of its feeders an iteration reads.
    pub records: Records,
    /// Number of the first iteration of each VU: 0, but for rehearsals that are not to repeat each other.
    pub first_iteration: u64,
    /// Whether some URL may be relative to the page before.
    pub has_references: bool,
    /// Gives resources of pages their tags; `None` in a plan without tags by expression.
    pub tagger: Option<Tagger>,
    /// Scenarios that read a feeder which ends the run or the iteration: most rows they may ask for.
    pub rows_max: Vec<Option<(u64, AtEnd)>>,
    /// Who wants to know the secrets among the values of each exchange, before it is sent.
    pub known: Option<Known>,
}

/// Which records of its feeders an iteration reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Records {
    /// Counted from the first one, as in any run.
    #[default]
    First,
    /// Counted back from the last one, so that what is tried before a run takes nothing away from it.
    Last,
}

/// A request made ready.
#[derive(Debug)]
pub struct Prepared {
    /// As the plan says it.
    pub request: Arc<Call>,
    /// Number of its action.
    pub step: usize,
    /// Number of the page that it is.
    pub page: Option<usize>,
    /// Whether something in it calls a function, or reads a row that the request picks.
    pub calls: bool,
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
    /// Whether what its document names is fetched too.
    pub fn discovers(&self) -> bool {
        let page = self.request.http().page.as_ref();
        page.is_some_and(|page| page.discover != Discover::Nothing)
    }

    /// Whether an extractor looks at the reply.
    pub fn parses(&self) -> bool {
        !self.extractors.is_empty() || self.checks.iter().any(|(_, probe)| matches!(probe, Probe::Finds(_)))
    }
}

/// A request rendered once.
#[derive(Debug)]
pub struct Fixed {
    /// Head and body, up to its first file.
    pub text: RequestText,
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
    let groups = group_names(plan);
    for (scenario, step) in plan.scenarios.iter().flat_map(|s| s.all_steps().map(move |step| (s, step))) {
        match step {
            Step::Transaction(group) => add(&mut catalog.transactions, group.name.clone()),
            Step::Call(request) => name_request(plan, scenario, request, &groups, &mut catalog),
            _ => {}
        }
    }
    let pairs = transitions(plan, &catalog.pages);
    let named = |(from, to): (usize, usize)| format!("{} -> {}", catalog.pages[from], catalog.pages[to]);
    catalog.transitions = pairs.into_iter().map(named).collect();
    catalog
}

fn name_request(plan: &Plan, scenario: &Scenario, request: &Call, groups: &HashSet<&str>, catalog: &mut Catalog) {
    if let Some(name) = request.name.as_constant() {
        catalog.requests.intern(name);
    }
    if redirects_max(plan, request) > 0 {
        add(&mut catalog.transactions, chain_name(plan, scenario, request, groups));
    }
    if request.http().page.is_some() {
        add(&mut catalog.pages, request_name(plan, scenario, request));
    }
    for check in &request.expect.checks {
        add(&mut catalog.checks, check.name.clone());
    }
}

fn add(list: &mut Vec<String>, name: String) {
    if !list.contains(&name) {
        list.push(name);
    }
}

/// Most redirects that a request follows.
pub fn redirects_max(plan: &Plan, request: &Call) -> u32 {
    request.http().redirects_max.unwrap_or(plan.defaults.redirects_max)
}

/// A request's name with the holes as they are written: what its page and its redirects are called.
pub(crate) fn request_name(plan: &Plan, scenario: &Scenario, request: &Call) -> String {
    request.name.display(Labels {
        slots: &scenario.slots,
        feeders: &plan.feeders,
        shared: plan.setup.as_ref().map_or(&[], |setup| setup.slots.as_slice()),
    })
}

/// The transaction that a request and its redirects are is named like the request. When the plan gives that name to a
/// transaction of its own, the two are counted apart.
pub(crate) fn chain_name(plan: &Plan, scenario: &Scenario, request: &Call, groups: &HashSet<&str>) -> String {
    let name = request_name(plan, scenario, request);
    if groups.contains(name.as_str()) {
        return format!("{name} (redirects)");
    }
    name
}

/// The names that the plan gives to transactions.
pub(crate) fn group_names(plan: &Plan) -> HashSet<&str> {
    let steps = plan.scenarios.iter().flat_map(Scenario::all_steps);
    let names = steps.filter_map(|step| match step {
        Step::Transaction(group) => Some(group.name.as_str()),
        _ => None,
    });
    names.collect()
}

/// Pairs of pages, as numbers in the catalog, that an iteration can come to one right after the other.
fn transitions(plan: &Plan, pages: &[String]) -> Vec<(usize, usize)> {
    let (mut pairs, mut known) = (Vec::new(), HashSet::new());
    if pages.is_empty() {
        return pairs;
    }
    for scenario in &plan.scenarios {
        let page = |request: &Call| {
            request.http().page.as_ref()?;
            let name = request_name(plan, scenario, request);
            pages.iter().position(|page| *page == name)
        };
        let compiled = flow::compile(scenario, |_, request| Ok::<_, Infallible>(page(request)), |_| 0);
        let Ok(flow) = compiled;
        let found = flow.transitions(|page| *page, TRANSITIONS_MAX);
        pairs.extend(found.into_iter().filter(|pair| known.insert(*pair)));
    }
    pairs.truncate(TRANSITIONS_MAX);
    pairs
}

fn requests(scenario: &Scenario) -> impl Iterator<Item = &Call> {
    scenario.calls().map(Arc::as_ref)
}

impl Program {
    /// Makes a plan ready, with the numbers of `catalog` and the files that its bodies are made of.
    pub fn new(plan: Arc<Plan>, catalog: &Catalog, files: &Files) -> Result<Self, ProgramError> {
        let base = parse_url(&plan.target)?;
        let checks: HashMap<&str, usize> =
            catalog.checks.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
        let maker = Maker { plan: &plan, base: &base, files, catalog, groups: group_names(&plan), checks };
        let number_of = |name: &str| catalog.transactions.iter().position(|known| known == name);
        let mut scenarios = Vec::with_capacity(plan.scenarios.len());
        for (number, scenario) in plan.scenarios.iter().enumerate() {
            let prepare = |action, request| maker.prepare((number, scenario), action, request).map(Box::new);
            scenarios.push(flow::compile(scenario, prepare, |name| number_of(name).unwrap_or_default())?);
        }
        let has_setups =
            plan.scenarios.iter().any(|scenario| !scenario.setup.is_empty() || !scenario.teardown.is_empty());
        let pairs = transitions(&plan, &catalog.pages);
        let transitions = pairs.into_iter().enumerate().map(|(number, pair)| (pair, number));
        let rows_max = plan.scenarios.iter().map(|scenario| rows_max(&plan, scenario)).collect();
        let has_references = plan.scenarios.iter().flat_map(requests).any(|request| {
            let has_resources = |page: &Page| !page.listed.is_empty() || page.discover != Discover::Nothing;
            !matches!(request.http().url.parts.first(), Some(Part::Text(text)) if text.starts_with('/') || is_absolute(text))
                || request.http().page.as_ref().is_some_and(has_resources)
        });
        let tagger = (!plan.tags.is_empty()).then(|| Tagger::new(&plan.tags)).transpose();
        let tagger = tagger.map_err(|reason| ProgramError::Source { request: "tags".into(), reason })?;
        Ok(Self {
            base,
            scenarios,
            has_setups,
            transitions: transitions.collect(),
            shared: Arc::default(),
            records: Records::First,
            known: None,
            first_iteration: 0,
            has_references,
            tagger,
            rows_max,
            plan,
        })
    }
}

fn parse_url(url: &str) -> Result<Url, ProgramError> {
    Url::parse(url).map_err(|error| ProgramError::Url { url: url.to_owned(), reason: error.to_string() })
}

/// The names of the files of a body, in order.
pub(crate) fn files_of(request: &Call) -> Vec<&str> {
    match &request.http().body {
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
pub fn rows_max(plan: &Plan, scenario: &Scenario) -> Option<(u64, AtEnd)> {
    let mut read = Vec::new();
    for template in templates_of(plan, scenario) {
        feeders_of(template, &mut read);
    }
    read.into_iter()
        .filter_map(|feeder| plan.feeders.get(feeder))
        .filter(|feeder| matches!(feeder.pick, Pick::Sequential | Pick::Unique) && feeder.at_end != AtEnd::Wrap)
        .map(|feeder| (feeder.row_count(), feeder.at_end))
        .min_by_key(|(rows, _)| *rows)
}

/// The feeders that a template reads.
fn feeders_of(template: &Template, found: &mut Vec<usize>) {
    for part in &template.parts {
        match part {
            Part::Feeder { feeder, .. } => found.push(*feeder),
            Part::Call(call) => call.arguments.iter().for_each(|argument| feeders_of(argument, found)),
            _ => {}
        }
    }
}

/// Whether the request line says that the connection stays open.
pub(crate) fn keeps_alive(plan: &Plan) -> bool {
    plan.defaults.connection != Connection::PerRequest
}
