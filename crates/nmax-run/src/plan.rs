//! The plan that a stored run holds.

use std::collections::BTreeSet;
use std::path::Path;

use nmax_metrics::Nanos;
use nmax_plan::document::{self, Options};
use nmax_plan::plan::Plan;
use nmax_store::Manifest;

/// The plan of a run's manifest. Data files that are gone are stood in for: reports do not need their rows.
///
/// # Errors
/// What is wrong with the document, all at once: another version of nmax wrote it.
pub fn plan_of_manifest(yaml: &str) -> Result<Plan, String> {
    let columns = columns_used(yaml);
    let read = |_: &str| Ok(format!("{}\n{}\n", columns.join(","), vec!["-"; columns.len()].join(",")));
    let options = Options { read: &read, exists: &|_| Ok(0), ..Options::standalone("manifest.json: plan") };
    let mut plan = document::parse(yaml, &options).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        errors.join("\nerror: ")
    })?;
    nmax_extract::tag(&mut plan);
    Ok(plan)
}

/// The plan of a run in its directory, as it was run.
///
/// # Errors
/// Its manifest cannot be read, or another version of nmax wrote its plan.
pub fn plan_of_run(directory: &Path) -> Result<Plan, String> {
    let manifest = Manifest::read(directory).map_err(|error| error.to_string())?;
    plan_of_manifest(&manifest.plan)
}

/// The names of the requests of a plan, in its order.
pub fn request_names(plan: &Plan) -> Vec<String> {
    nmax_engine::program::catalog(plan, usize::MAX).requests.list().to_vec()
}

/// Statistics interval and planned end of a run of a plan.
pub fn times(plan: &Plan) -> ((Nanos, Nanos), Option<Nanos>) {
    let times = nmax_engine::times(plan);
    (times.hold, times.end)
}

/// Every `column` of a `${feeder.column}` in a document.
fn columns_used(yaml: &str) -> Vec<String> {
    let holes = yaml.split("${").skip(1).filter_map(|rest| rest.split_once('}'));
    let columns: BTreeSet<String> =
        holes.filter_map(|(hole, _)| hole.split_once('.')).map(|(_, column)| column.trim().to_owned()).collect();
    if columns.is_empty() { vec!["column".to_owned()] } else { columns.into_iter().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_in_holes() {
        assert_eq!(columns_used("a ${people.email} b ${x} ${people.name}"), ["email", "name"]);
        assert_eq!(columns_used("nothing"), ["column"]);
    }
}
