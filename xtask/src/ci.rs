//! What must hold before a merge: format, lints, tests; it stops at the first failure.

use crate::shell::{cargo, complain};
use crate::{test, tidy};

/// The cargo commands before the tests.
const STEPS: [&[&str]; 3] = [
    &["fmt", "--all", "--check"],
    &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
    // What `make demo` builds.
    &["clippy", "--package", "nmax", "--no-default-features", "--", "-D", "warnings"],
];

/// Runs the checks; quick ones leave out the tests of the command as a whole and of real servers.
///
/// # Errors
/// Names the command that failed.
pub(crate) fn run(is_quick: bool) -> Result<(), String> {
    for step in STEPS {
        complain(&format!("== cargo {}", step.join(" ")));
        let status = cargo().args(step).current_dir(tidy::root()).status();
        match status {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("`cargo {}` failed: {status}", step.join(" "))),
            Err(error) => return Err(format!("`cargo {}` did not start: {error}", step.join(" "))),
        }
    }
    complain("== cargo xtask test");
    test::run(&test::Options { is_quick, ..test::Options::parse(&[])? })
}
