//! What requests, the redirects that they follow and their pages are called.

use std::collections::HashSet;
use std::convert::Infallible;

use nmax_metrics::Catalog;
use nmax_plan::plan::{Call, Plan, Scenario};

use crate::program::flow;
use crate::program::prepare::call_name;

/// Most transitions between pages that are told apart.
const TRANSITIONS_MAX: usize = 2_000;

/// Names what belongs to a request beside its exchanges: the transaction of its redirects, its page.
pub(crate) fn add_names(
    plan: &Plan,
    scenario: &Scenario,
    call: &Call,
    is_group: &dyn Fn(&str) -> bool,
    catalog: &mut Catalog,
) {
    if call.redirects_max(&plan.defaults) > 0 {
        add(&mut catalog.transactions, chain_name(plan, scenario, call, is_group));
    }
    if call.page().is_some() {
        add(&mut catalog.pages, call_name(plan, scenario, call));
    }
}

/// The transaction that a request and its redirects are is named like the request. When the plan gives that name to a
/// transaction of its own, the two are counted apart.
pub(crate) fn chain_name(plan: &Plan, scenario: &Scenario, call: &Call, is_group: &dyn Fn(&str) -> bool) -> String {
    let name = call_name(plan, scenario, call);
    if is_group(&name) {
        return format!("{name} (redirects)");
    }
    name
}

/// Pairs of pages, as numbers in the catalog, that an iteration can come to one right after the other.
pub(crate) fn transitions(plan: &Plan, pages: &[String]) -> Vec<(usize, usize)> {
    let (mut pairs, mut known) = (Vec::new(), HashSet::new());
    if pages.is_empty() {
        return pairs;
    }
    for scenario in &plan.scenarios {
        let page = |call: &Call| {
            call.page()?;
            let name = call_name(plan, scenario, call);
            pages.iter().position(|page| *page == name)
        };
        let compiled = flow::compile(scenario, |_, call| Ok::<_, Infallible>(page(call)), |_| 0);
        let Ok(flow) = compiled;
        let found = flow.transitions(|page| *page, TRANSITIONS_MAX);
        pairs.extend(found.into_iter().filter(|pair| known.insert(*pair)));
    }
    pairs.truncate(TRANSITIONS_MAX);
    pairs
}

/// Adds a name that is not there yet.
pub(crate) fn add(list: &mut Vec<String>, name: String) {
    if !list.contains(&name) {
        list.push(name);
    }
}
