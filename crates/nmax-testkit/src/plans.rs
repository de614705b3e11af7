//! Plans from text, with data files in memory. Tests fail with every error of the document.

use std::sync::Arc;

use nmax_plan::document::{Options, parse};
use nmax_plan::plan::Plan;

/// The plan of this document.
///
/// # Panics
/// When the document has errors.
pub fn plan(yaml: &str) -> Arc<Plan> {
    with_files(yaml, &[])
}

/// The plan of this document, whose data files have these names and texts.
///
/// # Panics
/// When the document has errors.
pub fn with_files(yaml: &str, files: &[(&str, &str)]) -> Arc<Plan> {
    let read = |name: &str| {
        let found = files.iter().find(|(file, _)| *file == name);
        found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| "no such file".to_owned())
    };
    let options = Options { read: &read, exists: &|_| Ok(0), ..Options::standalone("plan.yaml") };
    match parse(yaml, &options) {
        Ok(plan) => Arc::new(plan),
        Err(errors) => {
            let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("the plan of a test has errors:\n{}", list.join("\n"));
        }
    }
}

/// A plan that requests `/` of a host that does not exist, with these further keys.
///
/// # Panics
/// When the document has errors.
pub fn home_page(keys: &str) -> Arc<Plan> {
    requests("http://server.test", "[{ get: / }]", keys)
}

/// A plan of one scenario with these steps, with these further keys.
///
/// # Panics
/// When the document has errors.
pub fn requests(target: &str, steps: &str, keys: &str) -> Arc<Plan> {
    plan(&format!("nmax: 1\ntarget: {target}\nscenarios: {{ home: {{ steps: {steps} }} }}\n{keys}\n"))
}
