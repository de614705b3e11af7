//! `nmax init`, `nmax schema`, `nmax completions`

use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use nmax_plan::{document, example};

use super::run::complain;
use crate::args::{Cli, SchemaKind};
use crate::exit::Exit;
use crate::say;

/// Writes a commented plan; never over an existing file.
pub fn init(file: &Path) -> Exit {
    let written = std::fs::OpenOptions::new().write(true).create_new(true).open(file);
    match written.and_then(|mut file| file.write_all(example::PLAN.as_bytes())) {
        Ok(()) => {
            let file = file.display();
            say::line(format_args!("{file} is written. Next: `nmax check {file}`, then `nmax check {file} --once`."));
            Exit::Pass
        }
        Err(error) => {
            let help = "choose a new name; an existing file is never overwritten";
            complain(&format!("{}: cannot write the plan: {error}\n  help: {help}", file.display()), Exit::Usage)
        }
    }
}

/// Prints a JSON Schema.
pub fn schema(of: SchemaKind) -> Exit {
    let schema = match of {
        SchemaKind::Plan => document::schema(),
        SchemaKind::Summary => nmax_report::json::schema(),
        SchemaKind::Usl => nmax_report::json::usl_schema(),
        SchemaKind::UslPredict => super::usl::schema::predict(),
        SchemaKind::UslCompare => super::usl::schema::compare(),
        SchemaKind::UslWhatIf => super::usl::schema::what_if(),
        SchemaKind::Scale => nmax_report::json::scale_schema(),
        SchemaKind::ImportHar => super::import::schema(),
        SchemaKind::ImportLog => super::import_log::schema::schema(),
        SchemaKind::Check => super::check::schema::check(),
        SchemaKind::Once => super::check::schema::once(),
        SchemaKind::Prove => super::prove::schema(),
        SchemaKind::Slice => super::slice::schema(),
        SchemaKind::Slices => super::slice::list_schema(),
        SchemaKind::Compare => nmax_report::json::comparison_schema(),
        SchemaKind::Trend => nmax_report::json::history_schema(),
        SchemaKind::Runs => super::results::schema::schema(),
        SchemaKind::Fidelity => super::fidelity::schema::schema(),
        SchemaKind::DataCheck => super::data::schema::schema(),
        SchemaKind::Doctor => super::doctor::schema::schema(),
        SchemaKind::Explain => super::explain::schema::schema(),
    };
    say::line(format_args!("{schema:#}"));
    Exit::Pass
}

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "nmax", &mut script);
    say::text(String::from_utf8_lossy(&script));
    Exit::Pass
}
