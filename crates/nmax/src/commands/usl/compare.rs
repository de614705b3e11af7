//! `nmax usl compare`: did contention or coherency change from one version to the next?

use std::path::Path;

use nmax_report::scalability::{CompareView, Version};
use nmax_report::{csv, json, svg};
use nmax_run::Exit;

use super::output::{self, Forms};
use super::{Trouble, analysed};
use crate::args::CompareArgs;
use crate::say;

/// Compares versions with the first.
pub(super) fn compare(args: &CompareArgs) -> Result<Exit, Trouble> {
    output::check(&args.output)?;
    if args.files.len() < 2 {
        let text = match args.files.as_slice() {
            [] => "no measurements are given".to_owned(),
            _ => "one file alone has nothing to be compared with".to_owned(),
        };
        let help = "give two or more, as in `nmax usl compare before.csv after.csv`";
        return Err(Trouble::usage(text, help));
    }
    let files: Vec<(Option<&str>, &str)> = args.files.iter().map(|text| named(text)).collect();
    if files.iter().filter(|(_, file)| *file == "-").count() > 1 {
        return Err(Trouble::usage("standard input can be read only once", "give files for the others"));
    }
    let mut versions: Vec<Version> = Vec::new();
    let mut problems: Vec<Trouble> = Vec::new();
    for (name, file) in &files {
        match analysed(Some(Path::new(file)), "compare", "", &args.read, &args.law) {
            Ok((_, analysis)) => {
                let wanted = name.map_or_else(|| own_name(file), str::to_owned);
                let name = unlike(&wanted, file, &versions);
                versions.push(Version { name, analysis });
            }
            Err(trouble) => problems.push(trouble),
        }
    }
    if !problems.is_empty() {
        let texts: Vec<String> = problems.into_iter().map(|trouble| trouble.text).collect();
        return Err(texts.join("\nerror: ").into());
    }
    let view = CompareView::new(versions, env!("CARGO_PKG_VERSION").into());
    let mut exit = Exit::Pass;
    for version in &view.versions {
        if let Some(why) = version.analysis.blocked() {
            say::note(format_args!("warning: {}: nothing can be concluded from its law: {why}", version.name));
            exit = Exit::Invalid;
        }
    }
    for caveat in &view.caveats {
        say::note(format_args!("note: {caveat}"));
    }
    let forms = Forms {
        document: nmax_report::report::scalability::compare(&view),
        json: &|| json::compare(&view),
        svg: &|| svg::compare(&view),
        csv: &|| csv::coefficients(&view),
    };
    output::print(&args.output, &forms)?;
    Ok(exit.forgiven(args.output.exit_zero))
}

/// `NAME=FILE`, or a file; a file that exists under the whole text is that file.
fn named(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() && !Path::new(text).exists() => (Some(name), file),
        _ => (None, text),
    }
}

/// The file's name without its ending.
fn own_name(file: &str) -> String {
    if file == "-" {
        return "standard input".into();
    }
    let path = Path::new(file);
    let name = if path.is_dir() { path.file_name() } else { path.file_stem() };
    name.map_or_else(|| file.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// A name that no earlier version has: else the whole path, else with a number.
fn unlike(wanted: &str, file: &str, earlier: &[Version]) -> String {
    let is_free = |name: &str| earlier.iter().all(|version| version.name != name);
    if is_free(wanted) {
        return wanted.to_owned();
    }
    if is_free(file) {
        return file.to_owned();
    }
    let numbered = (2..).map(|number| format!("{wanted} ({number})"));
    numbered.into_iter().find(|name| is_free(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
