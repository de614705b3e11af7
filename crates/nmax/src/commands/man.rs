//! `nmax man`: a manual page for each command, from the same descriptions as `--help`.
//!
//! Pages are roff with the macros of `man`. They hold no date and nothing of this machine, so the same program writes the
//! same pages; letters beyond ASCII are written by their number, so the encoding of the reader does not matter.

use std::fmt::Write;

use clap::{Arg, Command, CommandFactory};

use crate::args::Cli;

/// Every page with the name of its file, such as `nmax-run.1`.
pub fn pages() -> Vec<(String, String)> {
    let mut root = Cli::command();
    root.build();
    let mut pages = Vec::new();
    add(&root, "nmax", None, &mut pages);
    pages
}

/// The page of a command, then those of the commands inside it.
fn add(command: &Command, name: &str, parent: Option<&str>, pages: &mut Vec<(String, String)>) {
    pages.push((format!("{name}.1"), page(command, name, parent)));
    for inner in listed(command) {
        add(inner, &format!("{name}-{}", inner.get_name()), Some(name), pages);
    }
}

/// The commands inside one that help lists, without `help` itself.
fn listed(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
}

fn page(command: &Command, name: &str, parent: Option<&str>) -> String {
    let version = concat!("nmax ", env!("CARGO_PKG_VERSION"));
    let mut page = format!(".TH {} 1 \"\" \"{version}\" \"nmax\"\n", escaped(&name.to_uppercase()));
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, ".SH NAME\n{} \\- {}\n", escaped(name), escaped(about.trim_end_matches('.')));
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let _ = write!(page, ".SH SYNOPSIS\n.nf\n{}\n.fi\n", lines(usage));
    let described = command.get_long_about().map(ToString::to_string).unwrap_or(about);
    let _ = write!(page, ".SH DESCRIPTION\n{}\n", lines(&described));
    commands(command, name, &mut page);
    arguments(command, &mut page);
    if let Some(text) = command.get_after_help() {
        after(&text.to_string(), &mut page);
    }
    see_also(command, name, parent, &mut page);
    page
}

fn commands(command: &Command, name: &str, page: &mut String) {
    for (place, inner) in listed(command).enumerate() {
        if place == 0 {
            page.push_str(".SH COMMANDS\n");
        }
        let about = inner.get_about().map(ToString::to_string).unwrap_or_default();
        let full = format!("{name}-{}", inner.get_name());
        let _ = write!(page, ".TP\n\\fB{}\\fR(1)\n{}\n", escaped(&full), lines(&about));
    }
}

/// Arguments and flags, under the headings of the help.
fn arguments(command: &Command, page: &mut String) {
    let shown: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_hide_set()).collect();
    let heading = |arg: &Arg| match arg.get_help_heading() {
        Some(heading) => heading.to_uppercase(),
        None if arg.is_positional() => "ARGUMENTS".to_owned(),
        None => "OPTIONS".to_owned(),
    };
    let mut headings: Vec<String> = vec!["ARGUMENTS".to_owned(), "OPTIONS".to_owned()];
    for arg in &shown {
        let heading = heading(arg);
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for title in headings {
        let of_title: Vec<&&Arg> = shown.iter().filter(|arg| heading(arg) == title).collect();
        if !of_title.is_empty() {
            let _ = writeln!(page, ".SH \"{}\"", escaped(&title));
        }
        of_title.into_iter().for_each(|arg| argument(arg, page));
    }
}

fn argument(arg: &Arg, page: &mut String) {
    let short = arg.get_short().map(|letter| format!("\\fB\\-{}\\fR", escaped(&letter.to_string())));
    let long = arg.get_long().map(|name| format!("\\fB\\-\\-{}\\fR", escaped(name)));
    let mut term = [short, long].into_iter().flatten().collect::<Vec<_>>().join(", ");
    if arg.is_positional() || arg.get_num_args().is_some_and(|count| count.takes_values()) {
        let names = arg.get_value_names().unwrap_or_default();
        let names: Vec<String> = names.iter().map(|name| format!("\\fI{}\\fR", escaped(name))).collect();
        let space = if term.is_empty() { "" } else { " " };
        let _ = write!(term, "{space}{}", names.join(" "));
    }
    let help = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let _ = write!(page, ".TP\n{term}\n{}\n", lines(&help));
    values(arg, page);
}

/// The values that an argument may have, its default and its variable.
fn values(arg: &Arg, page: &mut String) {
    if !arg.is_positional() && !arg.get_num_args().is_some_and(|count| count.takes_values()) {
        return;
    }
    let possible: Vec<_> = arg.get_possible_values().into_iter().filter(|value| !value.is_hide_set()).collect();
    let mut notes = Vec::new();
    if possible.iter().any(|value| value.get_help().is_some()) {
        page.push_str(".RS\n");
        for value in &possible {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            let _ = write!(page, ".TP\n\\fB{}\\fR\n{}\n", escaped(value.get_name()), lines(&help));
        }
        page.push_str(".RE\n");
    } else if !possible.is_empty() && !arg.is_hide_possible_values_set() {
        let names: Vec<&str> = possible.iter().map(clap::builder::PossibleValue::get_name).collect();
        notes.push(format!("[possible values: {}]", names.join(", ")));
    }
    let defaults = arg.get_default_values();
    if !defaults.is_empty() && !arg.is_hide_default_value_set() {
        let defaults: Vec<_> = defaults.iter().map(|value| value.to_string_lossy()).collect();
        notes.push(format!("[default: {}]", defaults.join(" ")));
    }
    if let Some(variable) = arg.get_env() {
        notes.push(format!("[env: {}]", variable.to_string_lossy()));
    }
    for note in notes {
        let _ = write!(page, ".br\n{}\n", escaped(&note));
    }
}

/// What help prints last: examples as they are, exit codes and other text in paragraphs.
fn after(text: &str, page: &mut String) {
    let mut notes = String::new();
    for block in text.split("\n\n").map(|block| block.trim_matches('\n')).filter(|block| !block.is_empty()) {
        let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
        match first.strip_suffix(':') {
            Some(title) if rest.lines().all(|line| line.starts_with(' ')) && !rest.is_empty() => {
                let _ = write!(page, ".SH \"{}\"\n.nf\n", escaped(&title.to_uppercase()));
                rest.lines().for_each(|line| {
                    let _ = writeln!(page, "{}", escaped(line.strip_prefix("  ").unwrap_or(line)));
                });
                page.push_str(".fi\n");
            }
            _ => match block.strip_prefix("Exit codes:") {
                Some(codes) => {
                    let _ = write!(page, ".SH \"EXIT STATUS\"\n{}\n", lines(codes));
                }
                None => {
                    let _ = write!(notes, ".PP\n{}\n", lines(block));
                }
            },
        }
    }
    if let Some(notes) = notes.strip_prefix(".PP\n") {
        let _ = write!(page, ".SH NOTES\n{notes}");
    }
}

fn see_also(command: &Command, name: &str, parent: Option<&str>, page: &mut String) {
    let inner = listed(command).map(|inner| format!("{name}-{}", inner.get_name()));
    let pages: Vec<String> = parent.map(str::to_owned).into_iter().chain(inner).collect();
    if pages.is_empty() {
        return;
    }
    let pages: Vec<String> = pages.iter().map(|page| format!("\\fB{}\\fR(1)", escaped(page))).collect();
    let _ = write!(page, ".SH \"SEE ALSO\"\n{}\n", pages.join(",\n"));
}

/// Text of several lines, without blank ones: these are no part of a paragraph.
fn lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(escaped).collect();
    lines.join("\n")
}

/// A line that roff prints as it is.
fn escaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len() + 8);
    // A point or an apostrophe at the beginning would be a request.
    if line.starts_with(['.', '\'']) {
        text.push_str("\\&");
    }
    for letter in line.chars() {
        match letter {
            '\\' => text.push_str("\\e"),
            '-' => text.push_str("\\-"),
            '\'' => text.push_str("\\(aq"),
            '"' => text.push_str("\\(dq"),
            '`' => text.push_str("\\(ga"),
            '^' => text.push_str("\\(ha"),
            '~' => text.push_str("\\(ti"),
            letter if letter.is_ascii() => text.push(letter),
            letter => {
                let _ = write!(text, "\\[u{:04X}]", u32::from(letter));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests;
