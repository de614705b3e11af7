//! One call of a plan made ready, whatever its protocol: checks numbered, extractors compiled.

use std::sync::Arc;

use nmax_extract::Extractor;
use nmax_metrics::{Group, Metric, NameId};
use nmax_plan::plan::{Call, Expect, Measure, Per, Plan, Scenario, Test};
use nmax_plan::template::{Labels, Part, Template};

use crate::error::ProgramError;
use crate::run::settings::Files;

/// Largest reply body that is kept for checks and extractors, bytes.
pub(crate) const KEPT_BODY_MAX: usize = 16 << 20;

/// A call made ready.
#[derive(Debug)]
pub struct Prepared {
    /// As the plan says it.
    pub call: Arc<Call>,
    /// Number of its action.
    pub step: usize,
    /// Whether something in it calls a function, or reads a row that the call picks.
    pub calls: bool,
    /// Name's id; `None` when the name has holes.
    pub name: Option<NameId>,
    /// Checks: number in the catalog, and what they test.
    pub checks: Vec<(usize, Probe)>,
    /// Extractors, in the order of the step's `extract`.
    pub extractors: Vec<Extractor>,
    /// The same of the step's `metric`, and the names that each number is counted under.
    pub metrics: Vec<(Extractor, Vec<String>)>,
    /// Whether a check or an extractor looks at the reply.
    pub is_read: bool,
    /// Whether a script looks at the reply.
    pub is_seen: bool,
}

/// A call made ready, and what its protocol made of it.
#[derive(Debug)]
pub struct Ready<Q> {
    /// Whatever the protocol.
    pub call: Prepared,
    /// For the protocol.
    pub what: Q,
}

/// A check made ready.
#[derive(Debug)]
pub enum Probe {
    /// Position in [`Expect::checks`] of a text test.
    Text(usize),
    /// An extractor that must find something.
    Finds(Box<Extractor>),
    /// An extractor, and the position in [`Expect::checks`] of what its values must be.
    Value(Box<Extractor>, usize),
}

impl Prepared {
    /// Whether an extractor looks at the reply.
    pub fn parses(&self) -> bool {
        !self.extractors.is_empty()
            || !self.metrics.is_empty()
            || self.checks.iter().any(|(_, probe)| matches!(probe, Probe::Finds(_) | Probe::Value(..)))
    }

    /// Whether a check or an extractor looks at the body.
    pub fn reads_body(&self) -> bool {
        let metrics = self.metrics.iter().map(|(extractor, _)| extractor);
        self.is_seen
            || self.extractors.iter().chain(metrics).any(Extractor::reads_body)
            || self.checks.iter().any(|(_, probe)| match probe {
                Probe::Text(index) => {
                    !matches!(self.call.expect.checks[*index].test, Test::HeaderContains(..) | Test::MaxTime(_))
                }
                Probe::Finds(extractor) | Probe::Value(extractor, _) => extractor.reads_body(),
            })
    }
}

/// What makes the calls of a plan ready for their protocol.
pub trait Prepare {
    /// What it makes of a call.
    type Prepared;

    /// Makes a call of a scenario, given its number, ready.
    fn prepare(
        &self,
        maker: &Maker<'_>,
        scenario: (usize, &Scenario),
        call: &Prepared,
    ) -> Result<Self::Prepared, ProgramError>;
}

/// What calls are made ready with.
pub struct Maker<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) files: &'a Files,
    /// Whether a transaction of steps has this name.
    pub(crate) is_group: &'a dyn Fn(&str) -> bool,
    /// The number of a name of a group, if it has one.
    pub(crate) number: &'a dyn Fn(Group, &str) -> Option<usize>,
    /// The id of the name of requests, if it has one.
    pub(crate) request: &'a dyn Fn(&str) -> Option<NameId>,
}

impl Maker<'_> {
    /// A call, given the number of its action.
    pub(crate) fn prepare(&self, step: usize, call: &Arc<Call>) -> Result<Prepared, ProgramError> {
        let source_error = |reason: String| ProgramError::Source { request: named(call), reason };
        let mut extractors = Vec::with_capacity(call.extract.len());
        for extract in &call.extract {
            extractors.push(Extractor::new(&extract.source).map_err(source_error)?);
        }
        let mut metrics = Vec::with_capacity(call.metrics.len());
        for Measure { metric, source, .. } in &call.metrics {
            let of = |tag: Option<&String>| Metric { tag: tag.cloned(), ..metric.clone() }.to_string();
            let names = std::iter::once(None).chain(call.tags.iter().map(Some)).map(of).collect();
            metrics.push((Extractor::new(source).map_err(source_error)?, names));
        }
        let checks = probes(&call.expect, self.number).map_err(source_error)?;
        Ok(Prepared {
            step,
            calls: depends_on_place(self.plan, call),
            name: call.name.as_constant().and_then(self.request),
            is_read: !(checks.is_empty() && extractors.is_empty() && metrics.is_empty()),
            checks,
            extractors,
            metrics,
            is_seen: false,
            call: Arc::clone(call),
        })
    }

    /// A call that a script makes, given the number of its action.
    pub(crate) fn of_script(&self, step: usize, call: Call) -> Result<Prepared, ProgramError> {
        let mut is_constant = call.extract.is_empty();
        call.each_template(&mut |template| is_constant &= template.as_constant().is_some());
        if !is_constant {
            let reason = "a script fills in its texts, and reads replies, itself".into();
            return Err(ProgramError::Source { request: named(&call), reason });
        }
        Ok(Prepared { is_seen: true, ..self.prepare(step, &Arc::new(call))? })
    }
}

/// What errors call it.
pub(crate) fn named(call: &Call) -> String {
    call.name.as_constant().unwrap_or("with a computed name").to_owned()
}

/// A call's name with the holes as they are written.
pub(crate) fn call_name(plan: &Plan, scenario: &Scenario, call: &Call) -> String {
    call.name.display(Labels {
        slots: &scenario.slots,
        feeders: &plan.feeders,
        shared: plan.setup.as_ref().map_or(&[], |setup| setup.slots.as_slice()),
    })
}

fn probes(expect: &Expect, number: &dyn Fn(Group, &str) -> Option<usize>) -> Result<Vec<(usize, Probe)>, String> {
    let mut probes = Vec::with_capacity(expect.checks.len());
    for (index, check) in expect.checks.iter().enumerate() {
        let number = number(Group::Check, &check.name).unwrap_or_default();
        probes.push((
            number,
            match &check.test {
                Test::Finds(source) => Probe::Finds(Box::new(Extractor::new(source)?)),
                Test::Value(source, _) => Probe::Value(Box::new(Extractor::new(source)?), index),
                Test::BodyContains(_) | Test::BodyLacks(_) | Test::HeaderContains(..) | Test::MaxTime(_) => {
                    Probe::Text(index)
                }
            },
        ));
    }
    Ok(probes)
}

/// Whether something that is rendered for a call, defaults included, calls a function, or reads a row that it picks.
fn depends_on_place(plan: &Plan, call: &Call) -> bool {
    let picks = |feeder: usize| plan.feeders.get(feeder).is_some_and(|feeder| feeder.per == Per::Request);
    let depends = |part: &Part| match part {
        Part::Call(_) => true,
        Part::Feeder { feeder, .. } => picks(*feeder),
        _ => false,
    };
    let mut found = false;
    let mut look = |template: &Template| found |= template.parts.iter().any(depends);
    plan.defaults.headers.iter().for_each(|(_, value)| look(value));
    call.each_template(&mut look);
    found
}
