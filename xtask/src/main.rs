//! Development commands: `cargo xtask ci`, `cargo xtask test`, `cargo xtask dist`, `cargo xtask tidy`.

mod ci;
mod dist;
mod shell;
mod test;
mod tidy;

use std::process::ExitCode;

use shell::{complain, say};

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci [--quick]   format, lints, tests
  tidy           print what breaks the rules of the architecture
  dist           build and pack what users download: target/package
  test [--quick] [--slowest] [NAME..]
                 run the tests, or those whose path has NAME; --quick leaves out the command as a whole and real
                 servers; --slowest, or SLOWEST=1, prints the 20 slowest";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["ci"] => ci::run(false),
        ["ci", "--quick"] => ci::run(true),
        ["tidy"] => tidy(),
        ["test", ref words @ ..] => test::Options::parse(words).and_then(|options| test::run(&options)),
        ["dist"] => dist::run(),
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
