//! What must not be shown or stored of a plan that was read: values of variables with secret names, and cells of secret
//! data. They leave the names of the plan at once, which stand in every result.

use nmax_secrets::{Redactor, Variables};

use crate::plan::{Plan, Rows, Step};
use crate::threshold::Scope;

/// What the names of files end in whose cells are secrets, as imports write them.
const SECRETS_FILE: &str = ".secrets.csv";
/// What a source of data is called whose cells are secrets, as imports call it.
const SECRETS_SOURCE: &str = "secrets";
/// Cells that are remembered; what an exchange sends is looked for beside them when it is kept.
const CELLS_MAX: usize = 1_000;

/// Gives the plan what knows its secrets, and takes them out of its names.
pub(super) fn settle(plan: &mut Plan, variables: &Variables) {
    let cells = plan.feeders.iter().filter_map(|feeder| match &feeder.rows {
        Rows::File { file, cells } if feeder.name == SECRETS_SOURCE || file.ends_with(SECRETS_FILE) => Some(cells),
        _ => None,
    });
    let cells = cells.flatten().take(CELLS_MAX).map(|cell| ("secret", cell.as_str()));
    plan.redactor = Redactor::new(variables).knowing(cells);
    if plan.redactor.knows_nothing() {
        return;
    }
    let redactor = plan.redactor.clone();
    let hide = &|text: &mut String| *text = redactor.values(text);
    hide(&mut plan.name);
    for scenario in plan.all_scenarios_mut() {
        scenario.change_steps(&mut |step| {
            if let Step::Transaction(transaction) = step {
                hide(&mut transaction.name);
            }
        });
        scenario.change_requests(&mut |request| {
            request.name.change_texts(hide);
            request.tags.iter_mut().for_each(hide);
            request.expect.checks.iter_mut().for_each(|check| hide(&mut check.name));
        });
    }
    for threshold in &mut plan.thresholds {
        hide(&mut threshold.text);
        match &mut threshold.scope {
            Scope::Request(name) | Scope::Scenario(name) | Scope::Transaction(name) | Scope::Tag(name) => hide(name),
            Scope::Total => {}
        }
    }
    plan.timeline.iter_mut().for_each(|intervention| hide(&mut intervention.name));
    plan.locations.iter_mut().for_each(|location| hide(&mut location.name));
}
