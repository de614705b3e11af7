//! What must not be shown or stored of a plan that was read: values of variables with secret names, and cells of secret
//! data. They leave the names of the plan at once, which stand in every result.

use nmax_secrets::{MASK, Redactor, Variables, is_secret_name};

use super::tree::{Node, Problem, Value};
use crate::plan::{Plan, Rows, Step};
use crate::template::{Part, Template};
use crate::threshold::Scope;

/// What the names of files end in whose cells are secrets, as imports write them.
const SECRETS_FILE: &str = ".secrets.csv";
/// What a source of data is called whose cells are secrets, as imports call it.
const SECRETS_SOURCE: &str = "secrets";
/// Cells that are remembered; what an exchange sends is looked for beside them when it is kept.
const CELLS_MAX: usize = 1_000;

/// Keys whose texts are shown and not sent: a mask in them is as good as the secret.
const SHOWN: [&str; 5] = ["name", "tags", "thresholds", "transaction", "check"];

/// Reports each mask of a secret below this path of a stored document: the user must give that secret again.
pub(super) fn find_masks(node: &Node, path: &str, problems: &mut Vec<Problem>) {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match &node.value {
        Value::Scalar(scalar) if node.at.flag.is_none() && scalar.text.contains(MASK) => problems.push(Problem {
            at: node.at,
            message: format!("`{path}` holds a secret, which the run did not store"),
            remedy: format!("give it again, as in --set '{path}=...'"),
        }),
        Value::Map(entries) => {
            for entry in entries.iter().filter(|entry| !SHOWN.contains(&entry.key.as_str())) {
                find_masks(&entry.value, &below(&entry.key), problems);
            }
        }
        Value::List(items) => {
            for (place, item) in items.iter().enumerate() {
                find_masks(item, &below(&place.to_string()), problems);
            }
        }
        Value::Scalar(_) | Value::Null => {}
    }
}

/// Gives the plan what knows its secrets, and takes them out of its names.
pub(super) fn hide_secrets(plan: &mut Plan, variables: &Variables) {
    let cells = plan.feeders.iter().filter_map(|feeder| match &feeder.rows {
        Rows::File { file, cells } if feeder.name == SECRETS_SOURCE || file.ends_with(SECRETS_FILE) => Some(cells),
        _ => None,
    });
    let cells = cells.flat_map(|cells| cells.iter()).take(CELLS_MAX).map(|cell| ("secret", cell));
    plan.redactor = Redactor::new(variables).knowing(cells);
    name_without_secrets(plan);
    for intervention in &mut plan.timeline {
        // A command is named after itself.
        intervention.name = plan.redactor.data(&intervention.name);
    }
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
        scenario.change_calls(&mut |request| {
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
    plan.locations.iter_mut().for_each(|location| hide(&mut location.name));
}

/// Puts a mask in the place of holes of request names that values with secret names would fill.
fn name_without_secrets(plan: &mut Plan) {
    let shared = plan.shared_names().to_vec();
    let columns: Vec<Vec<String>> = plan.feeders.iter().map(|feeder| feeder.columns.clone()).collect();
    for scenario in plan.all_scenarios_mut() {
        let slots = scenario.slots.clone();
        scenario.change_calls(&mut |request| hide_holes(&mut request.name, (&slots, &shared), &columns));
    }
}

fn hide_holes(template: &mut Template, (slots, shared): (&[String], &[String]), columns: &[Vec<String>]) {
    for part in &mut template.parts {
        let name = match part {
            Part::Slot(slot) => slots.get(*slot),
            Part::Shared(slot) => shared.get(*slot),
            Part::Feeder { feeder, column } => columns.get(*feeder).and_then(|columns| columns.get(*column)),
            Part::Call(call) => {
                call.arguments.iter_mut().for_each(|argument| hide_holes(argument, (slots, shared), columns));
                None
            }
            Part::Text(_) | Part::Iteration | Part::Vu => None,
        };
        if name.is_some_and(|name| is_secret_name(name)) {
            *part = Part::Text(MASK.to_owned());
        }
    }
}
