//! `nmax init`, `nmax schema`, `nmax completions`, `nmax man`

use std::io::Write;
use std::path::Path;

use nmax_plan::{document, example};
use nmax_run::{Exit, Trouble};

use super::Ended;
use crate::args::SchemaKind;
use crate::complete;
use crate::say;

/// Writes a commented plan; never over an existing file.
pub fn init(file: &Path) -> Ended {
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(file);
    let written = made.and_then(|mut file| file.write_all(example::PLAN.as_bytes()));
    let file = file.display();
    written.map_err(|error| {
        let help = "choose a new name; an existing file is never overwritten";
        Trouble::usage(format_args!("{file}: cannot write the plan: {error}"), help)
    })?;
    say::line(format_args!("{file} is written. Next: `nmax check {file}`, then `nmax check {file} --once`."));
    Ok(Exit::Pass)
}

/// Prints a JSON Schema.
pub fn schema(of: SchemaKind) -> Exit {
    let schema = match of {
        SchemaKind::Plan => document::schema(),
        SchemaKind::Capacity => nmax_capacity::schema(),
        SchemaKind::CapacityPlan => nmax_report::json::capacity_plan_schema(),
        SchemaKind::CapacityDay => nmax_report::json::capacity_day_schema(),
        SchemaKind::Summary => nmax_report::json::schema(),
        SchemaKind::Usl => nmax_report::json::usl_schema(),
        SchemaKind::UslPredict => nmax_report::json::usl_predict_schema(),
        SchemaKind::UslCompare => nmax_report::json::usl_compare_schema(),
        SchemaKind::UslWhatIf => nmax_report::json::usl_what_if_schema(),
        SchemaKind::Scale => nmax_report::json::scale_schema(),
        SchemaKind::ImportHar => nmax_record::schema(),
        SchemaKind::ImportLog => nmax_report::traffic::schema(),
        SchemaKind::Check => nmax_run::check::schema(),
        SchemaKind::Once => nmax_run::rehearsal::schema(),
        SchemaKind::Prove => nmax_json::schema::<super::prove::Proof>("nmax check --prove", ""),
        SchemaKind::Slice => nmax_report::slices::schema(),
        SchemaKind::Slices => nmax_report::slices::list_schema(),
        SchemaKind::Compare => nmax_report::json::comparison_schema(),
        SchemaKind::Trend => nmax_report::json::history_schema(),
        SchemaKind::Series => nmax_report::json::series_schema(),
        SchemaKind::Runs => nmax_json::schema::<super::results::Runs>("nmax runs", ""),
        SchemaKind::Fidelity => nmax_run::fidelity::schema(),
        SchemaKind::DataCheck => nmax_json::schema::<super::data::Checked>("nmax data check", ""),
        SchemaKind::Doctor => nmax_json::schema::<super::doctor::Checks>("nmax doctor", ""),
        SchemaKind::Openapi => nmax_server::openapi(),
        SchemaKind::Explain => nmax_json::schema::<super::explain::Codes>("nmax explain", ""),
        SchemaKind::Webhook => nmax_export::webhook::schema(),
    };
    say::line(format_args!("{schema:#}"));
    Exit::Pass
}

/// Prints the script that connects a shell with this program.
pub fn completions(shell: &str) -> Exit {
    let completer = complete::completer(std::env::args_os().next(), std::env::current_dir().ok().as_deref());
    say::text(complete::script(shell, &completer));
    Exit::Pass
}

/// Writes a manual page for each command.
pub fn man(folder: &Path) -> Ended {
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        super::man::pages().into_iter().try_for_each(|(name, page)| std::fs::write(folder.join(name), page))
    });
    written.map_err(|error| {
        let text = format!("{}: cannot write manual pages: {error}", folder.display());
        Trouble::usage(text, "choose a folder that can be written")
    })?;
    Ok(Exit::Pass)
}
