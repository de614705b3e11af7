//! The `nmax` command: arguments, wiring, exit codes. Results go to standard output, progress to standard error.
//!
//! # Layout
//! - `args`: the command line as typed; `complete`: what a shell offers for it; `commands`: what each verb does
//! - `load`: from a file or URL and flags to a plan; `clearance`: whether it may be run
//! - `live`: the progress of a run, `keys`: those pressed meanwhile; `say`: what is printed
//!
//! A run itself, from its order to its verdict, is in `nmax-run`.

#![cfg_attr(test, allow(clippy::unwrap_used))]
#![allow(unreachable_pub, reason = "a program has no outside; `pub` is for its other modules")]

mod args;
mod clearance;
mod commands;
mod complete;
mod keys;
mod live;
mod load;
mod logs;
mod say;

use std::io::IsTerminal;
use std::process::ExitCode;

use args::{Cli, Verb};
use clap::Parser;
use nmax_run::{Exit, signals};
use nmax_text::Painted;

fn main() -> ExitCode {
    say::panics();
    if let Some(exit) = complete::answer() {
        return exit.into();
    }
    let cli = match Cli::try_parse_from(args::with_curl_apart(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            if !error.use_stderr() {
                let has_color = std::io::stdout().is_terminal() && live::use_color();
                let help = error.render();
                say::text(if has_color { Painted::help(&help.ansi().to_string()) } else { help.to_string().into() });
                return say::finish(Exit::Pass).into();
            }
            // What was typed is quoted, and may hold a password.
            say::note(nmax_secrets::Redactor::default().text(&args::complaint(&error)).trim_end());
            return Exit::Usage.into();
        }
    };
    // These two have handlers of their own from the beginning.
    if !matches!(cli.verb, Verb::Agent(_) | Verb::Serve(_) | Verb::Target(_)) {
        signals::end_in_container();
    }
    let ended = match &cli.verb {
        Verb::Run(args) => commands::run::run(args),
        Verb::Steer(args) => commands::steer::steer(args),
        Verb::Scale(args) => commands::scale::scale(args),
        Verb::Check(args) => commands::check::check(args),
        Verb::Init(args) => commands::small::init(&args.file),
        Verb::Record(args) => commands::record::record(args),
        Verb::Import(args) => commands::import::import(args),
        Verb::Show(args) => commands::results::show(args),
        Verb::Replay(args) => commands::replay::replay(args),
        Verb::Fidelity(args) => commands::fidelity::fidelity(args),
        Verb::Runs(args) => commands::results::runs(args),
        Verb::Compare(args) => commands::compare::before_after(args),
        Verb::Trend(args) => commands::trend::trend(args),
        Verb::Capacity(args) => commands::capacity::capacity(args),
        Verb::Slice(args) => commands::slice::slice(args),
        Verb::Report(args) => commands::report::report(args),
        Verb::Serve(args) => commands::serve::serve(args),
        Verb::Fleet(args) => commands::fleet::fleet(args),
        Verb::Agent(args) => commands::agent::agent(args),
        Verb::Target(args) => commands::target::target(args),
        Verb::Data(args) => commands::data::data(args),
        Verb::Usl(args) => commands::usl::usl(args),
        Verb::Schema { of } => Ok(commands::small::schema(*of)),
        Verb::Doctor(args) => commands::doctor::doctor(args),
        Verb::Explain(args) => commands::explain::explain(args),
        Verb::Completions { shell } => Ok(commands::small::completions(shell)),
        Verb::Man { folder } => commands::small::man(folder),
    };
    say::finish(ended.unwrap_or_else(commands::complain)).into()
}
