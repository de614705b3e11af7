//! Development commands: `cargo xtask ci [--quick]` and `cargo xtask tidy`.

mod ci;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci [--quick]   format, lints, tests; --quick leaves out the tests of the shells
  tidy           print what breaks the rules of the architecture";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["ci"] => ci::run(ci::Extent::Full),
        ["ci", "--quick"] => ci::run(ci::Extent::Quick),
        ["tidy"] => tidy(),
        [] | ["help" | "--help" | "-h"] => {
            say(USAGE);
            return ExitCode::SUCCESS;
        }
        _ => {
            complain(&format!("unknown command `{}`\n{USAGE}", arguments.join(" ")));
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            complain(&text);
            ExitCode::FAILURE
        }
    }
}

fn tidy() -> Result<(), String> {
    let findings = tidy::findings().map_err(|error| format!("the repository cannot be read: {error}"))?;
    for finding in &findings {
        say(&finding.to_string());
    }
    if findings.is_empty() { Ok(()) } else { Err(format!("{} findings", findings.len())) }
}

/// Prints a result.
#[expect(clippy::print_stdout, reason = "this is a program")]
fn say(text: &str) {
    println!("{text}");
}

/// Prints progress or an error.
#[expect(clippy::print_stderr, reason = "this is a program")]
fn complain(text: &str) {
    eprintln!("{text}");
}
