//! Where results go: standard output takes one of them, files the others.

use std::io::IsTerminal;
use std::path::Path;

use nmax_report::terminal::{Glyphs, Style};
use nmax_text::Painted;

use super::Trouble;
use crate::args::FigureArgs;
use crate::commands::run::{is_stdout, one_output, write};
use crate::{live, say};

/// Results in every form; each is made only if it is asked for.
pub(super) struct Forms<'a> {
    pub(super) text: &'a dyn Fn(Style, Glyphs) -> Painted,
    pub(super) json: &'a dyn Fn() -> serde_json::Value,
    pub(super) svg: &'a dyn Fn() -> String,
    pub(super) html: &'a dyn Fn() -> String,
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
    let files: [(&Option<std::path::PathBuf>, &dyn Fn() -> String); 3] =
        [(&args.svg, forms.svg), (&args.html, forms.html), (&args.csv, forms.csv)];
    let mut is_taken = args.json;
    for (file, form) in files {
        let Some(file) = file else { continue };
        is_taken |= file == Path::new("-");
        write(file, &form())?;
    }
    if args.json {
        say_json(&(forms.json)());
    } else if !is_taken {
        let (style, glyphs) = style();
        say::text((forms.text)(style, glyphs));
    }
    Ok(())
}

/// Prints JSON in one piece: a million points have many lines, and standard output would write each by itself.
pub(super) fn say_json(value: &serde_json::Value) {
    say::line(serde_json::to_string_pretty(value).unwrap_or_default());
}

/// As fits standard output.
fn style() -> (Style, Glyphs) {
    let is_terminal = std::io::stdout().is_terminal();
    let style = Style { color: is_terminal && live::use_color(), width: live::output_width(80), wide: false };
    (style, live::glyphs(is_terminal))
}
