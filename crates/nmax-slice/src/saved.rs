//! Slices kept under a name: a file that people edit, in a part of TOML.
//!
//! A slice is a table `[NAME]`; its values are texts, lists of texts, whole numbers, `true` and `false`, and comments may
//! stand anywhere. Names have letters, digits, `-` and `_`, so they need no quotes. Everything of TOML that nmax has no use
//! for (nested tables, dates, texts over several lines) is an error with its line.

use std::borrow::Cow;

use crate::SliceError;
use crate::slice::Request;

mod toml;
use toml::{Entry, Value};

/// Slices of a file, at most.
const SLICES_MAX: usize = 1_000;
/// How a new file begins.
const HEADER: &str =
    "# Slices by name. Use one by `nmax slice RUN --saved NAME`, add one by `--save NAME`, or edit them here.\n";
/// Name of the file.
pub const FILE: &str = "slices.toml";

/// A slice and what of the run it is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// What is asked.
    pub request: Request,
    /// `hold` or `whole`, where it was said.
    pub phase: Option<String>,
}

impl Saved {
    /// Puts what was given in the place of its own.
    pub fn replace(&mut self, given: Self) {
        let (own, given, phase) = (&mut self.request, given.request, given.phase);
        for (own, given) in [
            (&mut own.filter, given.filter),
            (&mut own.by, given.by),
            (&mut own.tags, given.tags),
            (&mut own.show, given.show),
        ] {
            if !given.is_empty() {
                *own = given;
            }
        }
        own.sort = given.sort.or(own.sort.take());
        own.top = given.top.or(own.top);
        own.every = given.every.or(own.every.take());
        own.is_over_time |= given.is_over_time;
        self.phase = phase.or(self.phase.take());
    }

    /// As the flags that ask for it; `shown` makes a text safe to show.
    pub fn flags(&self, shown: fn(&str) -> Cow<'_, str>) -> String {
        let request = &self.request;
        let quoted = |text: &str| quoted(text, shown);
        let mut flags = Vec::new();
        let lists =
            [("--by", &request.by), ("--where", &request.filter), ("--tag", &request.tags), ("--show", &request.show)];
        for (flag, list) in lists {
            flags.extend(list.iter().map(|text| format!("{flag} {}", quoted(text))));
        }
        for (flag, text) in [("--sort", &request.sort), ("--every", &request.every), ("--phase", &self.phase)] {
            flags.extend(text.iter().map(|text| format!("{flag} {}", quoted(text))));
        }
        flags.extend(request.top.map(|top| format!("--top {top}")));
        if request.is_over_time && request.every.is_none() {
            flags.push("--over time".to_owned());
        }
        flags.join(" ")
    }
}

/// Keys of a table.
const KEYS: [&str; 9] = ["where", "by", "tag", "show", "sort", "top", "over_time", "every", "phase"];

/// The slices of a file, in its order.
///
/// # Errors
///
/// Everything that is wrong with it, by line.
pub fn read(text: &str) -> Result<Vec<(String, Saved)>, Vec<SliceError>> {
    let (tables, mut errors) = toml::tables(text);
    let mut slices: Vec<(String, Saved)> = Vec::new();
    for table in tables {
        if slices.iter().any(|(name, _)| *name == table.name) {
            errors.push(wrong(
                table.line,
                format!("the slice `{}` is there twice", table.name),
                "rename or remove one",
            ));
            continue;
        }
        if slices.len() == SLICES_MAX {
            errors.push(wrong(table.line, format!("more than {SLICES_MAX} slices"), "remove some"));
            break;
        }
        let mut saved = Saved::default();
        for entry in table.entries {
            if let Err(error) = set(&mut saved, &entry) {
                errors.push(error);
            }
        }
        slices.push((table.name, saved));
    }
    if errors.is_empty() { Ok(slices) } else { Err(errors) }
}

fn set(saved: &mut Saved, entry: &Entry) -> Result<(), SliceError> {
    let Entry { key, value, line } = entry;
    let expected = |what: &str| {
        let text = format!("`{key}` should be {what}");
        wrong(*line, text, "see docs/reference/slice.md, or write it anew by --save")
    };
    let texts = || match value {
        Value::Text(text) => Ok(vec![text.clone()]),
        Value::List(list) => Ok(list.clone()),
        _ => Err(expected("a text, or a list of texts")),
    };
    let text = || match value {
        Value::Text(text) => Ok(Some(text.clone())),
        _ => Err(expected("a text")),
    };
    let request = &mut saved.request;
    match key.as_str() {
        "where" => request.filter = texts()?,
        "by" => request.by = texts()?,
        "tag" => request.tags = texts()?,
        "show" => request.show = texts()?,
        "sort" => request.sort = text()?,
        "every" => request.every = text()?,
        "phase" => match text()? {
            Some(phase) if phase == "hold" || phase == "whole" => saved.phase = Some(phase),
            _ => return Err(expected("hold or whole")),
        },
        "top" => match value {
            Value::Number(number) => request.top = Some(usize::try_from(*number).unwrap_or(usize::MAX)),
            _ => return Err(expected("a whole number")),
        },
        "over_time" => match value {
            Value::Truth(truth) => request.is_over_time = *truth,
            _ => return Err(expected("true or false")),
        },
        _ => {
            let remedy = crate::error::instead_of(key, &KEYS);
            return Err(wrong(*line, format!("unknown key `{key}`"), &remedy));
        }
    }
    Ok(())
}

/// The file with this slice in it, in place of one of the same name. The rest of it stays as it is, comments too.
///
/// # Errors
///
/// When the file cannot be read, or the name cannot be one.
pub fn with(text: &str, name: &str, saved: &Saved) -> Result<String, Vec<SliceError>> {
    if !toml::is_name(name) {
        let remedy = "use letters, digits, `-` and `_`, at most 64";
        return Err(vec![SliceError::new("--save", format!("`{name}` cannot be the name of a slice"), remedy)]);
    }
    let known = read(text)?;
    let table = table(name, saved);
    if text.trim().is_empty() {
        return Ok(format!("{HEADER}\n{table}"));
    }
    if !known.iter().any(|(other, _)| other == name) {
        let gap = if text.ends_with('\n') { "\n" } else { "\n\n" };
        return Ok(format!("{text}{gap}{table}"));
    }
    let (mut made, mut is_inside) = (String::new(), false);
    for line in text.split_inclusive('\n') {
        if let Some(found) = toml::header(line) {
            is_inside = found == name;
            if is_inside {
                made.push_str(&table);
            }
        } else if is_inside && toml::is_between(line) {
            // What stands before the next table belongs to that.
            made.push_str(line);
        }
        if !is_inside {
            made.push_str(line);
        }
    }
    Ok(made)
}

/// A slice as a table.
fn table(name: &str, saved: &Saved) -> String {
    let request = &saved.request;
    let mut lines = vec![format!("[{name}]")];
    let lists = [("where", &request.filter), ("by", &request.by), ("tag", &request.tags), ("show", &request.show)];
    for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        let texts: Vec<String> = list.iter().map(|text| toml::quoted(text)).collect();
        lines.push(format!("{key} = [{}]", texts.join(", ")));
    }
    for (key, text) in [("sort", &request.sort), ("every", &request.every), ("phase", &saved.phase)] {
        lines.extend(text.as_ref().map(|text| format!("{key} = {}", toml::quoted(text))));
    }
    lines.extend(request.top.map(|top| format!("top = {top}")));
    if request.is_over_time {
        lines.push("over_time = true".to_owned());
    }
    lines.join("\n") + "\n"
}

fn wrong(line: usize, text: String, remedy: &str) -> SliceError {
    SliceError::new(&format!("{FILE}, line {line}"), text, remedy)
}

/// A text for a shell.
fn quoted(text: &str, shown: fn(&str) -> Cow<'_, str>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.,:/%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", shown(text).replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests;
