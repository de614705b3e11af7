//! One request of a plan made ready: extractors compiled, files found, rendered once when nothing in it varies.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use nmax_extract::Extractor;
use nmax_http::{KeepBody, Url};
use nmax_metrics::Catalog;
use nmax_plan::choice::Choice;
use nmax_plan::plan::{
    Body, Call, Condition, Discover, Expect, FormPart, LoopEnd, Page, PartContent, Per, Plan, Scenario, Step, Test,
};
use nmax_plan::template::{Part, Template};

use crate::error::ProgramError;
use crate::http::render;
use crate::program::{KEPT_BODY_MAX, Prepared, Probe, chain_name, files_of, redirects_max, request_name};
use crate::run::settings::{BodyFile, Files};

/// What requests are made ready with.
pub(crate) struct Maker<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) base: &'a Url,
    pub(crate) files: &'a Files,
    pub(crate) catalog: &'a Catalog,
    /// Names of transactions that the plan gives.
    pub(crate) groups: HashSet<&'a str>,
    /// Numbers of checks by name.
    pub(crate) checks: HashMap<&'a str, usize>,
}

impl Maker<'_> {
    /// A step of a scenario, given their places in the plan.
    pub(crate) fn prepare(
        &self,
        (number, scenario): (usize, &Scenario),
        step: usize,
        request: &Arc<Call>,
    ) -> Result<Prepared, ProgramError> {
        let (plan, base) = (self.plan, self.base);
        let source_error = |reason: String| ProgramError::Source { request: named(request), reason };
        let mut extractors = Vec::with_capacity(request.extract.len());
        for extract in &request.extract {
            extractors.push(Extractor::new(&extract.source).map_err(source_error)?);
        }
        let probes = probes(&request.expect, &self.checks).map_err(source_error)?;
        let url = match request.http().url.as_constant() {
            Some(text) => Some(
                base.join(text)
                    .map_err(|error| ProgramError::Url { url: text.to_owned(), reason: error.to_string() })?,
            ),
            None => None,
        };
        let origin = url.as_ref().map_or(&base.origin, |url| &url.origin).clone();
        let redirects_max = redirects_max(plan, request);
        let transaction = (redirects_max > 0).then(|| chain_name(plan, scenario, request, &self.groups));
        let page = request.http().page.as_ref().map(|_| request_name(plan, scenario, request));
        let number_in = |list: &[String], name: String| list.iter().position(|known| *known == name);
        let mut prepared = Prepared {
            request: Arc::clone(request),
            step,
            page: page.and_then(|name| number_in(&self.catalog.pages, name)),
            calls: depends_on_place(plan, request),
            name: request.name.as_constant().and_then(|name| self.catalog.requests.find(name)),
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
            boundary: match &request.http().body {
                Body::Multipart(_) => boundary(plan.seed, number, step),
                _ => String::new(),
            },
            redirects_max,
            transaction: transaction.and_then(|name| number_in(&self.catalog.transactions, name)),
        };
        if let Some(url) = url.filter(|_| is_constant(plan, request)) {
            prepared.fixed = Some(render::fixed(plan, request.http(), &prepared, &url));
        }
        Ok(prepared)
    }

    /// The files of a body, in order.
    fn body_files(&self, request: &Call) -> Result<Vec<Arc<BodyFile>>, ProgramError> {
        let open = |name: &str| {
            self.files
                .get(name)
                .map(Arc::clone)
                .ok_or_else(|| ProgramError::File { request: named(request), file: name.to_owned() })
        };
        files_of(request).into_iter().map(open).collect()
    }
}

fn named(request: &Call) -> String {
    request.name.as_constant().unwrap_or("with a computed name").to_owned()
}

/// What separates the parts of a step's body: 128 bits of its own, so that no content holds it by chance, and always
/// the same, so that a constant body stays constant.
fn boundary(seed: u64, scenario: usize, step: usize) -> String {
    let bits = Choice::new(seed, u64::MAX, scenario as u64, step as u64);
    format!("nmax-{:016x}{:016x}", bits.u64(0), bits.u64(1))
}

/// Whether a check or an extractor looks at the body.
fn reads_body(request: &Call, extractors: &[Extractor], probes: &[(usize, Probe)]) -> bool {
    let discovers = |page: &Page| page.discover != Discover::Nothing;
    request.http().page.as_ref().is_some_and(discovers)
        || extractors.iter().any(Extractor::reads_body)
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

/// Whether something that is rendered for a request calls a function, or reads a row that the request picks.
fn depends_on_place(plan: &Plan, request: &Call) -> bool {
    let picks = |feeder: usize| plan.feeders.get(feeder).is_some_and(|feeder| feeder.per == Per::Request);
    let depends = |part: &Part| match part {
        Part::Call(_) => true,
        Part::Feeder { feeder, .. } => picks(*feeder),
        _ => false,
    };
    all_templates(plan, request).any(|template| template.parts.iter().any(depends))
}

/// Every template of a request, defaults, name, checks and resources included.
fn all_templates<'a>(plan: &'a Plan, request: &'a Call) -> impl Iterator<Item = &'a Template> {
    let checks = request.expect.checks.iter().filter_map(|check| match &check.test {
        Test::BodyContains(text) | Test::BodyLacks(text) | Test::HeaderContains(_, text) => Some(text),
        Test::Finds(_) => None,
    });
    let resources = request.http().page.iter().flat_map(|page| &page.listed);
    templates(plan, request).chain([&request.name]).chain(checks).chain(resources)
}

/// Every template of a scenario.
pub(crate) fn templates_of<'a>(plan: &'a Plan, scenario: &'a Scenario) -> Vec<&'a Template> {
    let mut found = Vec::new();
    for step in scenario.all_steps() {
        match step {
            Step::Call(request) => found.extend(all_templates(plan, request)),
            Step::Set(values) => found.extend(values.iter().map(|(_, value)| value)),
            Step::If(step) => conditions(&step.condition, &mut found),
            Step::Loop(step) => match &step.until {
                LoopEnd::Times(times) => found.push(times),
                LoopEnd::While { condition, .. } => conditions(condition, &mut found),
            },
            Step::End(reason) => found.extend(reason),
            Step::Think(_) | Step::Transaction(_) | Step::Choose(_) => {}
        }
    }
    found
}

fn conditions<'a>(condition: &'a Condition, found: &mut Vec<&'a Template>) {
    match condition {
        Condition::Compare { left, right, .. } => found.extend([left, right]),
        Condition::All(inner) | Condition::Any(inner) => inner.iter().for_each(|inner| conditions(inner, found)),
        Condition::Not(inner) => conditions(inner, found),
    }
}

/// Every template of what is sent, defaults included.
fn templates<'a>(plan: &'a Plan, request: &'a Call) -> impl Iterator<Item = &'a Template> {
    let pairs = |pairs: &'a [(Template, Template)]| pairs.iter().flat_map(|(name, value)| [name, value]);
    let body: Vec<&Template> = match &request.http().body {
        Body::Empty => Vec::new(),
        Body::Text(text) | Body::Json(text) => vec![text],
        Body::Form(fields) => pairs(fields).collect(),
        Body::Multipart(parts) => parts.iter().flat_map(part_templates).collect(),
        Body::File(_) => Vec::new(),
    };
    let headers = plan.defaults.headers.iter().chain(&request.http().headers).map(|(_, value)| value);
    std::iter::once(&request.http().url).chain(pairs(&request.http().query)).chain(headers).chain(body)
}

fn part_templates(part: &FormPart) -> impl Iterator<Item = &Template> {
    let text = match &part.content {
        PartContent::Text(text) => Some(text),
        PartContent::File(_) => None,
    };
    std::iter::once(&part.name).chain(&part.file_name).chain(text)
}

fn is_constant(plan: &Plan, request: &Call) -> bool {
    templates(plan, request).all(|template| template.as_constant().is_some())
}
