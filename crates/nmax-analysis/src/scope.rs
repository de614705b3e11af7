//! Which figures belong to a request name, a scenario, a transaction or a tag.
//!
//! Exchanges are counted by request name, so those of a scenario or tag are known only when it shares no request
//! name with requests outside it; redirects that its steps follow are among them, what pages fetch besides is not.
//! A tag that no request has may be the name of a location. What cannot be told apart is an error in words, never a
//! guess.

use nmax_metrics::{Aggregate, CheckStats, Histogram, LocationStats, RequestStats, Section, TransactionStats};
use nmax_plan::plan::{Call, Plan};
use nmax_plan::template::Part;
use nmax_plan::threshold::Scope;

use crate::Evidence;
use crate::breakdown::traits;

/// Why a figure is not known, in words.
pub(crate) type Unknown = String;

const NOT_OF_TRANSACTIONS: &str = "transactions have a time and failures only";
pub(crate) const OF_LOCATIONS: &str =
    "users at a location have response_time, failure_rate, iteration_time, page_time and iterations only";
/// Of a location that nobody was at yet.
static NOBODY: std::sync::LazyLock<LocationStats> = std::sync::LazyLock::new(LocationStats::default);

/// Exchanges within `scope`; empty when there were none. `aggregate` holds its figures in [`Section::Hold`].
pub(crate) fn exchanges(evidence: &Evidence, aggregate: &Aggregate, scope: &Scope) -> Result<RequestStats, Unknown> {
    let named = |name: &str| aggregate.request(Section::Hold, evidence.catalog.requests.find(name)?);
    match scope {
        Scope::Total => Ok(aggregate.total(Section::Hold)),
        Scope::Request(name) => Ok(named(name).cloned().unwrap_or_default()),
        Scope::Transaction(_) => Err(NOT_OF_TRANSACTIONS.to_owned()),
        Scope::Tag(tag) => Ok(sum_of(tagged_names(evidence, tag)?.iter().filter_map(|name| named(name)))),
        Scope::Scenario(scenario) => {
            let names = own_names(evidence.plan, scenario)?;
            Ok(sum_of(names.iter().filter_map(|name| named(name))))
        }
    }
}

fn sum_of<'a>(parts: impl Iterator<Item = &'a RequestStats>) -> RequestStats {
    let mut sum = RequestStats::default();
    parts.for_each(|part| sum.merge(part));
    sum
}

/// Users at the location that a tag names; `None` when requests have the tag, or no location has the name.
pub(crate) fn location<'a>(
    evidence: &Evidence<'a>,
    aggregate: &'a Aggregate,
    scope: &Scope,
) -> Option<&'a LocationStats> {
    let Scope::Tag(tag) = scope else { return None };
    if planned_requests(evidence.plan).iter().any(|planned| planned.request.tags.contains(tag)) {
        return None;
    }
    let index = evidence.catalog.locations.iter().position(|known| known == tag)?;
    Some(aggregate.locations.get(Section::Hold, index).unwrap_or(&NOBODY))
}

/// Pages within `scope`; none when there were none. A page has the name of its request.
pub(crate) fn pages(evidence: &Evidence, aggregate: &Aggregate, scope: &Scope) -> Result<TransactionStats, Unknown> {
    let wanted = match scope {
        Scope::Total => evidence.catalog.pages.clone(),
        Scope::Request(name) => vec![name.clone()],
        Scope::Transaction(_) => return Err(NOT_OF_TRANSACTIONS.to_owned()),
        Scope::Tag(tag) => tagged_names(evidence, tag)?,
        Scope::Scenario(scenario) => own_names(evidence.plan, scenario)?,
    };
    let index = |name: &String| evidence.catalog.pages.iter().position(|known| known == name);
    let indices: Vec<usize> = wanted.iter().filter_map(index).collect();
    if indices.is_empty() {
        return Err("none of its requests is a page: write `page: true`, or `resources`, in its step".to_owned());
    }
    let mut sum = TransactionStats::default();
    for stats in indices.into_iter().filter_map(|index| aggregate.pages.get(Section::Hold, index)) {
        sum.merge(&stats.pages);
    }
    Ok(sum)
}

/// Number and durations of completed iterations within `scope`.
pub(crate) fn iterations(
    evidence: &Evidence,
    aggregate: &Aggregate,
    scope: &Scope,
) -> Result<(u64, Histogram), Unknown> {
    let wanted = match scope {
        Scope::Total => 0..aggregate.scenarios.len(),
        Scope::Request(_) | Scope::Tag(_) => return Err("iterations belong to scenarios, not to requests".into()),
        Scope::Transaction(_) => return Err(NOT_OF_TRANSACTIONS.to_owned()),
        Scope::Scenario(scenario) => {
            let index = scenario_index(evidence.plan, scenario)?;
            index..index + 1
        }
    };
    let (mut completed, mut times) = (0, Histogram::new());
    for stats in wanted.filter_map(|index| aggregate.scenarios.get(Section::Hold, index)) {
        completed += stats.completed;
        times.merge(&stats.iteration_time);
    }
    Ok((completed, times))
}

/// Transactions within `scope`; none when there were none.
pub(crate) fn transactions(
    evidence: &Evidence,
    aggregate: &Aggregate,
    scope: &Scope,
) -> Result<TransactionStats, Unknown> {
    let wanted = match scope {
        Scope::Total => 0..aggregate.transactions.len(),
        Scope::Transaction(name) => {
            let found = evidence.catalog.transactions.iter().position(|known| known == name);
            let index = found.ok_or_else(|| format!("the plan has no transaction `{name}`"))?;
            index..index + 1
        }
        Scope::Request(_) | Scope::Scenario(_) | Scope::Tag(_) => {
            return Err("a transaction belongs to no request or scenario: write `for transaction`".into());
        }
    };
    let mut sum = TransactionStats::default();
    for stats in wanted.filter_map(|index| aggregate.transactions.get(Section::Hold, index)) {
        sum.merge(stats);
    }
    Ok(sum)
}

/// Checks that held and that did not within `scope`. They are counted by name, so a name that a request outside the
/// scope uses too cannot be told apart.
pub(crate) fn checks(evidence: &Evidence, aggregate: &Aggregate, scope: &Scope) -> Result<CheckStats, Unknown> {
    let planned = planned_requests(evidence.plan);
    let (wanted, others): (Vec<_>, Vec<_>) = match scope {
        Scope::Total => return Ok(sum(aggregate, 0..aggregate.checks.len())),
        Scope::Request(name) => planned.iter().partition(|planned| planned.name.as_deref() == Some(name.as_str())),
        Scope::Transaction(_) => return Err(NOT_OF_TRANSACTIONS.to_owned()),
        Scope::Tag(tag) => planned.iter().partition(|planned| planned.request.tags.contains(tag)),
        Scope::Scenario(scenario) => {
            let index = scenario_index(evidence.plan, scenario)?;
            planned.iter().partition(|planned| planned.scenario == index)
        }
    };
    all_declared(evidence.plan)?;
    let mut numbers = Vec::new();
    for name in wanted.into_iter().flat_map(check_names) {
        if others.iter().copied().flat_map(check_names).any(|other| other == name) {
            return Err(format!("another request has a check `{name}` too: give the checks names of their own"));
        }
        let number = evidence.catalog.checks.iter().position(|known| known == name);
        let number = number.ok_or_else(|| format!("the check `{name}` was not counted"))?;
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    Ok(sum(aggregate, numbers))
}

fn check_names<'a>(planned: &PlannedRequest<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    planned.request.expect.checks.iter().map(|check| check.name.as_str())
}

fn sum(aggregate: &Aggregate, numbers: impl IntoIterator<Item = usize>) -> CheckStats {
    let mut sum = CheckStats::default();
    for stats in numbers.into_iter().filter_map(|number| aggregate.checks.get(Section::Hold, number)) {
        sum.passed += stats.passed;
        sum.failed += stats.failed;
    }
    sum
}

/// An error when requests are not those of declared steps alone.
fn all_declared(plan: &Plan) -> Result<(), Unknown> {
    let script = plan.scenarios.iter().find(|scenario| !scenario.is_declared());
    script.map_or(Ok(()), |script| {
        Err(format!("scenario `{}` is a script, so which requests are whose is unknown", script.name))
    })
}

/// A request step of the plan.
struct PlannedRequest<'a> {
    scenario: usize,
    /// `None` when it differs between exchanges.
    name: Option<String>,
    request: &'a Call,
}

fn planned_requests(plan: &Plan) -> Vec<PlannedRequest<'_>> {
    let scenarios = plan.scenarios.iter().enumerate();
    let planned = scenarios.flat_map(|(scenario, behaviour)| {
        behaviour.calls().map(move |request| PlannedRequest { scenario, name: constant_name(request), request })
    });
    planned.collect()
}

/// Steps that send requests of this name: those that are called so, else those whose name varies between exchanges.
///
/// A redirect that is followed and what comes with a page are of no step.
pub(crate) fn steps_of<'a>(plan: &'a Plan, name: &str) -> Vec<&'a Call> {
    let planned = planned_requests(plan);
    let of = |wanted: Option<&str>| -> Vec<&'a Call> {
        planned.iter().filter(|step| step.name.as_deref() == wanted).map(|step| step.request).collect()
    };
    let called = of(Some(name));
    let may_vary = called.is_empty() && !name.contains(" +") && all_declared(plan).is_ok();
    if may_vary { of(None) } else { called }
}

fn constant_name(request: &Call) -> Option<String> {
    let texts = request.name.parts.iter().map(|part| match part {
        Part::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn scenario_index(plan: &Plan, name: &str) -> Result<usize, Unknown> {
    let found = plan.scenarios.iter().position(|scenario| scenario.name == name);
    found.ok_or_else(|| format!("the plan has no scenario `{name}`"))
}

/// Request names of a scenario that no other scenario uses.
pub(crate) fn own_names(plan: &Plan, scenario: &str) -> Result<Vec<String>, Unknown> {
    let index = scenario_index(plan, scenario)?;
    all_declared(plan)?;
    let (own, others) = planned_requests(plan).into_iter().partition(|planned| planned.scenario == index);
    names_apart(plan, own, &others, &format!("`{scenario}`"), "another scenario")
}

/// Request names of a tag that no request without it uses.
fn tagged_names(evidence: &Evidence, tag: &String) -> Result<Vec<String>, Unknown> {
    let plan = evidence.plan;
    all_declared(plan)?;
    let resources = tagged_resources(evidence, tag);
    let (own, others): (Vec<_>, Vec<_>) =
        planned_requests(plan).into_iter().partition(|planned| planned.request.tags.contains(tag));
    if own.is_empty() && !resources.is_empty() {
        return Ok(resources);
    }
    if own.is_empty() {
        return Err(match plan.locations.iter().any(|location| location.name == *tag) {
            true => OF_LOCATIONS.to_owned(),
            false => format!("nothing has the tag `{tag}`"),
        });
    }
    let mut names = names_apart(plan, own, &others, &format!("the tag `{tag}`"), "a request without the tag")?;
    names.extend(resources);
    Ok(names)
}

/// Names of what pages brought along that have a tag by expression.
fn tagged_resources(evidence: &Evidence, tag: &String) -> Vec<String> {
    let (plan, catalog) = (evidence.plan, evidence.catalog);
    if !plan.tags.iter().any(|rule| rule.name == *tag || rule.inverse() == *tag) {
        return Vec::new();
    }
    let traits = traits(plan, catalog);
    let named = catalog.requests.list().iter().zip(traits);
    named.filter(|(_, traits)| traits.is_resource && traits.tags.contains(tag)).map(|(name, _)| name.clone()).collect()
}

/// The names of `own` requests and of the redirects that they follow; an error when `others` share one.
fn names_apart(
    plan: &Plan,
    own: Vec<PlannedRequest>,
    others: &[PlannedRequest],
    what: &str,
    other: &str,
) -> Result<Vec<String>, Unknown> {
    let mut names = Vec::new();
    for planned in own {
        let Some(name) = planned.name else {
            return Err(format!("a request name of {what} varies between exchanges: give the request a fixed `name`"));
        };
        if others.iter().any(|other| other.name.as_ref() == Some(&name)) {
            return Err(format!("{other} also sends `{name}`: give the requests names of their own"));
        }
        if names.contains(&name) {
            continue;
        }
        // A redirect that a step follows is named after it.
        names.extend((1..=planned.request.redirects_max(&plan.defaults)).map(|hop| format!("{name} +{hop}")));
        names.push(name);
    }
    Ok(names)
}
