//! What must hold before a merge, as a few cargo commands that stop at the first failure.

use std::process::Command;

use crate::tidy::layers::{Layer, TABLE};
use crate::{complain, tidy};

/// How much to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Everything.
    Full,
    /// Without the tests of shells and programs, except tidy.
    Quick,
}

/// Runs the checks.
///
/// # Errors
/// Names the command that failed.
pub(crate) fn run(extent: Extent) -> Result<(), String> {
    for step in steps(extent) {
        complain(&format!("== cargo {}", step.join(" ")));
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo).args(&step).current_dir(tidy::root()).status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("`cargo {}` failed: {status}", step.join(" "))),
            Err(error) => return Err(format!("`cargo {}` did not start: {error}", step.join(" "))),
        }
    }
    Ok(())
}

/// The arguments of each cargo command.
fn steps(extent: Extent) -> Vec<Vec<&'static str>> {
    let mut test = vec!["test", "--no-fail-fast"];
    match extent {
        Extent::Full => test.push("--workspace"),
        Extent::Quick => {
            let quick = TABLE.iter().filter(|row| row.layer == Layer::Pure || row.name == "xtask");
            test.extend(quick.flat_map(|row| ["-p", row.name]));
        }
    }
    test.extend(["--", "--quiet"]);
    vec![vec!["fmt", "--all", "--check"], vec!["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], test]
}
