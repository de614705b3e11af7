//! What must hold before a merge: format, lints, tests; it stops at the first failure.

use crate::shell::{cargo, complain, succeed};
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
        let shown = format!("cargo {}", step.join(" "));
        complain(&format!("== {shown}"));
        succeed(cargo().args(step).current_dir(tidy::root()), &shown)?;
    }
    complain("== cargo xtask test");
    test::run(&test::Options { is_quick, ..test::Options::parse(&[])? })
}
