//! Where results go: standard output takes one of them, files the others.

use std::path::Path;

use nmax_report::doc::Document;
use nmax_report::html;

use super::Trouble;
use crate::args::FigureArgs;
use crate::commands::run::{is_stdout, one_output, write};
use crate::say;

/// Results in every form; each is made only if it is asked for.
pub(super) struct Forms<'a> {
    pub(super) document: Document,
    pub(super) json: &'a dyn Fn() -> serde_json::Value,
    pub(super) svg: &'a dyn Fn() -> String,
    pub(super) csv: &'a dyn Fn() -> String,
}

/// Refuses flags that contradict each other, before anything is read.
pub(super) fn check(args: &FigureArgs) -> Result<(), Trouble> {
    let on_stdout = |file: &Option<std::path::PathBuf>| file.as_deref().is_some_and(is_stdout);
    one_output(&[
        (args.json, "--json"),
        (on_stdout(&args.svg), "--svg -"),
        (on_stdout(&args.html), "--html -"),
        (on_stdout(&args.csv), "--csv -"),
    ])
}

/// Writes what is asked for; the table goes to standard output unless something else does.
pub(super) fn print(args: &FigureArgs, forms: &Forms<'_>) -> Result<(), Trouble> {
    let page = || html::write(&forms.document);
    let files: [(&Option<std::path::PathBuf>, &dyn Fn() -> String); 3] =
        [(&args.svg, forms.svg), (&args.html, &page), (&args.csv, forms.csv)];
    let mut is_taken = args.json;
    for (file, form) in files {
        let Some(file) = file else { continue };
        is_taken |= file == Path::new("-");
        write(file, &form())?;
    }
    if args.json {
        say_json(&(forms.json)());
    } else if !is_taken {
        say::document(&forms.document, false);
    }
    Ok(())
}

/// Prints JSON in one piece: a million points have many lines, and standard output would write each by itself.
pub(super) fn say_json(value: &serde_json::Value) {
    say::line(serde_json::to_string_pretty(value).unwrap_or_default());
}
