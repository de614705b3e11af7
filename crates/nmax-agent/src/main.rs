//! `nmax-agent`: `nmax agent` as a program of its own, for servers.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};
use nmax_agent::{AGENT_EXAMPLES, AgentArgs, Failure, run};
use nmax_text::shown_lines;

/// Report CPU, memory, disks, network and processes of this host to runs on other hosts
#[derive(Debug, Parser)]
#[command(name = "nmax-agent", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    args: AgentArgs,
}

fn main() -> ExitCode {
    // A reader that left is no defect.
    let line = |text: &dyn Display| drop(writeln!(io::stdout(), "{}", shown_lines(&text.to_string())));
    let note = |text: &str| drop(writeln!(io::stderr(), "{}", shown_lines(text)));
    let help = AGENT_EXAMPLES.replace("nmax agent", "nmax-agent");
    let matches = Cli::command().after_help(help).try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            note(error.to_string().trim_end());
            return ExitCode::from(2);
        }
        Err(help) => {
            line(&help.to_string().trim_end());
            return ExitCode::SUCCESS;
        }
    };
    let (text, code) = match run(&cli.args, line, note) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Usage(text)) => (text, 2),
        Err(Failure::Internal(text)) => (text, 1),
    };
    note(&format!("error: {text}"));
    ExitCode::from(code)
}
