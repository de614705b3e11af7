//! The world outside of this program: cargo, and the two streams that are printed to.

use std::process::Command;

/// The cargo that called this program, without what it told of it: build scripts would take that for a change and run again.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Runs a command to its end, with the streams of this program.
///
/// # Errors
///
/// It did not start, or did not succeed.
pub(crate) fn succeed(command: &mut Command, shown: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{shown}` failed: {status}")),
        Err(error) => Err(format!("`{shown}` did not start: {error}")),
    }
}

/// Prints a result.
#[expect(clippy::print_stdout, reason = "this is a program")]
pub(crate) fn say(text: &str) {
    println!("{text}");
}

/// Prints progress or an error.
#[expect(clippy::print_stderr, reason = "this is a program")]
pub(crate) fn complain(text: &str) {
    eprintln!("{text}");
}
