//! Where a plan takes values from replies, and where it sends them.

use std::collections::BTreeSet;

use nmax_plan::plan::{Body, Call, CallKind, Extract, PartContent, Plan, Scenario, Step};
use nmax_plan::template::{Part, Template};

/// What separates the number that a request has in a proof from its name.
const MARK: char = '\u{1f}';

/// A place where a value is taken from a reply.
#[derive(Clone, Debug)]
pub struct Site {
    /// Index of the scenario.
    pub scenario: usize,
    /// Number of the request in its scenario, from 0, in the order of the document.
    pub request: usize,
    /// What is taken, and into which slot.
    pub extract: Extract,
    /// Name of the value.
    pub name: String,
    /// Name of the request.
    pub from: String,
    /// Where it is sent.
    pub to: Vec<Use>,
}

/// A place where a value is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Number of the request.
    pub request: usize,
    /// Its name.
    pub name: String,
    /// Where in it, such as `form field csrf`.
    pub place: String,
}

/// Every place of a plan where its scenarios take a value from a reply, in the order of the document.
pub fn sites(plan: &Plan) -> Vec<Site> {
    let mut sites = Vec::new();
    for (number, scenario) in plan.scenarios.iter().enumerate() {
        for (request, step) in scenario.calls().enumerate() {
            for extract in &step.extract {
                sites.push(Site {
                    scenario: number,
                    request,
                    extract: extract.clone(),
                    name: scenario.slots.get(extract.slot).cloned().unwrap_or_default(),
                    from: name_of(plan, scenario, step),
                    to: uses(plan, scenario, request, extract.slot),
                });
            }
        }
    }
    sites
}

/// The name of a request with its holes as they are written.
pub(super) fn name_of(plan: &Plan, scenario: &Scenario, request: &Call) -> String {
    request.name.display(plan.labels(scenario))
}

/// Where a slot that request `from` fills is sent, itself or in a value made of it, until it is filled again.
fn uses(plan: &Plan, scenario: &Scenario, from: usize, slot: usize) -> Vec<Use> {
    let (mut carriers, mut found, mut number) = (BTreeSet::from([slot]), Vec::new(), 0);
    for step in scenario.all_steps() {
        match step {
            Step::Set(values) if number > from => {
                for (target, value) in values {
                    if reads(value, &carriers) {
                        carriers.insert(*target);
                    } else {
                        carriers.remove(target);
                    }
                }
            }
            Step::Call(request) => {
                if number > from {
                    let name = name_of(plan, scenario, request);
                    found.extend(places(request, &carriers).into_iter().map(|place| Use {
                        request: number,
                        name: name.clone(),
                        place,
                    }));
                    for extract in &request.extract {
                        carriers.remove(&extract.slot);
                    }
                }
                number += 1;
            }
            _ => {}
        }
    }
    found
}

fn reads(template: &Template, slots: &BTreeSet<usize>) -> bool {
    let mut is_read = false;
    template.each_part(&mut |part| is_read |= matches!(part, Part::Slot(slot) if slots.contains(slot)));
    is_read
}

/// Where in a request slots are sent, in words.
fn places(request: &Call, slots: &BTreeSet<usize>) -> Vec<String> {
    let mut found = Vec::new();
    let mut note = |template: &Template, place: String| {
        if reads(template, slots) && !found.contains(&place) {
            found.push(place);
        }
    };
    let named = |template: &Template| template.as_constant().unwrap_or("..").to_owned();
    let CallKind::Http(request) = &request.what;
    note(&request.url, "path".into());
    for (name, value) in &request.query {
        note(value, format!("query {}", named(name)));
    }
    for (name, value) in &request.headers {
        note(value, format!("header {name}"));
    }
    match &request.body {
        Body::Empty | Body::File(_) => {}
        Body::Text(body) => note(body, "body".into()),
        Body::Json(body) => note(body, "JSON body".into()),
        Body::Form(fields) => {
            for (name, value) in fields {
                note(value, format!("form field {}", named(name)));
            }
        }
        Body::Multipart(parts) => {
            for part in parts {
                if let PartContent::Text(text) = &part.content {
                    note(text, format!("form field {}", named(&part.name)));
                }
            }
        }
    }
    for resource in request.page.iter().flat_map(|page| &page.listed) {
        note(resource, "resource".into());
    }
    found
}

/// The plan with requests that are named by their numbers, so that each reply tells whose it is.
pub fn numbered(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    for scenario in &mut plan.scenarios {
        let mut number = 0;
        scenario.change_calls(&mut |request| {
            request.name = Template::text(format!("{number}{MARK}"));
            number += 1;
        });
    }
    plan
}

/// Whose reply an exchange of a numbered plan is, by its name: the number of the request, and the redirects before it; `None`
/// for a resource of a page.
pub(super) fn whose(name: &str) -> Option<(usize, usize)> {
    let (request, rest) = name.split_once(MARK)?;
    let hop = match rest {
        "" => 0,
        rest => rest.strip_prefix(" +")?.parse().ok()?,
    };
    Some((request.parse().ok()?, hop))
}

/// The plan with a value that is not fresh at a site: what its reply gives is replaced by `value` right after it came.
pub(super) fn pinned(plan: &Plan, site: &Site, value: &str) -> Plan {
    let mut plan = plan.clone();
    let pin = Step::Set(vec![(site.extract.slot, Template::text(value))]);
    if let Some(scenario) = plan.scenarios.get_mut(site.scenario) {
        let mut left = site.request;
        let lists = [&mut scenario.setup, &mut scenario.steps, &mut scenario.teardown];
        let _ = lists.into_iter().any(|steps| insert_after(steps, &mut left, &pin));
    }
    plan
}

/// Puts a step behind the request after which `left` is none; whether it is in this list.
fn insert_after(steps: &mut Vec<Step>, left: &mut usize, pin: &Step) -> bool {
    for at in 0..steps.len() {
        if matches!(steps[at], Step::Call(_)) {
            if *left == 0 {
                steps.insert(at + 1, pin.clone());
                return true;
            }
            *left -= 1;
        } else if steps[at].parts_mut().into_iter().any(|inner| insert_after(inner, left, pin)) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
