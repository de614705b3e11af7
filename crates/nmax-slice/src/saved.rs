//! Slices kept under a name: a file that people edit, in TOML.
//!
//! A slice is a table `[NAME]`; its values are texts, lists of texts, whole numbers, `true` and `false`, and comments may
//! stand anywhere. Names have letters, digits, `-` and `_`, so they need no quotes. What nmax has no use for (nested tables,
//! dates) is an error with its line.

use std::borrow::Cow;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::SliceError;
use crate::slice::Request;

/// Slices of a file, at most.
const SLICES_MAX: usize = 1_000;
/// Length of a name, at most.
const NAME_BYTES_MAX: usize = 64;
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

/// A slice in a file, and where it stands there, in bytes.
struct StoredSlice {
    name: String,
    saved: Saved,
    header: Range<usize>,
    values: Vec<Range<usize>>,
}

/// The slices of a file, in its order.
///
/// # Errors
///
/// Everything that is wrong with it, by line.
pub fn read(text: &str) -> Result<Vec<(String, Saved)>, Vec<SliceError>> {
    Ok(kept(text)?.into_iter().map(|kept| (kept.name, kept.saved)).collect())
}

fn kept(text: &str) -> Result<Vec<StoredSlice>, Vec<SliceError>> {
    let wrong = |at: usize, message: String, remedy: &str| {
        let line = text[..at].matches('\n').count() + 1;
        (at, SliceError::new(&format!("{FILE}, line {line}"), message, remedy))
    };
    let (root, syntax) = DeTable::parse_recoverable(text);
    let of_syntax = |error: &toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        wrong(at, error.message().to_owned(), "write it as TOML has it, as in by = [\"name\"]")
    };
    let mut errors: Vec<(usize, SliceError)> = syntax.iter().map(of_syntax).collect();
    let mut slices: Vec<StoredSlice> = Vec::new();
    for (name, value) in root.get_ref() {
        let (at, header, name) = (name.span().start, value.span(), name.get_ref());
        let table = match value.get_ref() {
            DeValue::Table(table) if is_name(name) && text[header.clone()].starts_with('[') => table,
            _ => {
                let remedy = "write [NAME] above its keys; a name has letters, digits, `-` and `_`";
                errors.push(wrong(at, format!("`{name}` begins no slice"), remedy));
                continue;
            }
        };
        let mut saved = Saved::default();
        for (key, value) in table {
            if let Err((message, remedy)) = set(&mut saved, key.get_ref(), value.get_ref()) {
                errors.push(wrong(key.span().start, message, &remedy));
            }
        }
        let values = table.values().map(Spanned::span).collect();
        slices.push(StoredSlice { name: name.to_string(), saved, header, values });
    }
    slices.sort_by_key(|kept| kept.header.start);
    if let Some(more) = slices.get(SLICES_MAX) {
        errors.push(wrong(more.header.start, format!("more than {SLICES_MAX} slices"), "remove some"));
    }
    errors.sort_by_key(|(at, _)| *at);
    if errors.is_empty() { Ok(slices) } else { Err(errors.into_iter().map(|(_, error)| error).collect()) }
}

/// Whether it can be the name of a slice.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_plain)
}

/// Takes over what a key says; else what is wrong, and what to do.
fn set(saved: &mut Saved, key: &str, value: &DeValue<'_>) -> Result<(), (String, String)> {
    let expected = |what: &str| {
        (format!("`{key}` should be {what}"), "see docs/reference/slice.md, or write it anew by --save".to_owned())
    };
    let text = || value.as_str().map(str::to_owned).ok_or_else(|| expected("a text"));
    let texts = || {
        let list = match value.as_array() {
            Some(list) => list.iter().map(|item| item.get_ref().as_str().map(str::to_owned)).collect(),
            None => value.as_str().map(|text| vec![text.to_owned()]),
        };
        list.ok_or_else(|| expected("a text, or a list of texts"))
    };
    let request = &mut saved.request;
    match key {
        "where" => request.filter = texts()?,
        "by" => request.by = texts()?,
        "tag" => request.tags = texts()?,
        "show" => request.show = texts()?,
        "sort" => request.sort = Some(text()?),
        "every" => request.every = Some(text()?),
        "phase" => match text()? {
            phase if phase == "hold" || phase == "whole" => saved.phase = Some(phase),
            _ => return Err(expected("hold or whole")),
        },
        "top" => match value.as_integer() {
            Some(number) => {
                request.top = Some(usize::from_str_radix(number.as_str(), number.radix()).unwrap_or(usize::MAX));
            }
            None => return Err(expected("a whole number")),
        },
        "over_time" => request.is_over_time = value.as_bool().ok_or_else(|| expected("true or false"))?,
        _ => return Err((format!("unknown key `{key}`"), crate::error::instead_of(key, &KEYS))),
    }
    Ok(())
}

/// The file with this slice in it, in place of one of the same name. The rest of it stays as it is, comments too.
///
/// # Errors
///
/// When the file cannot be read, or the name cannot be one.
pub fn with(text: &str, name: &str, saved: &Saved) -> Result<String, Vec<SliceError>> {
    if !is_name(name) {
        let remedy = "use letters, digits, `-` and `_`, at most 64";
        return Err(vec![SliceError::new("--save", format!("`{name}` cannot be the name of a slice"), remedy)]);
    }
    let known = kept(text)?;
    let table = table(name, saved);
    if text.trim().is_empty() {
        return Ok(format!("{HEADER}\n{table}"));
    }
    let Some(place) = known.iter().position(|kept| kept.name == name) else {
        let gap = if text.ends_with('\n') { "\n" } else { "\n\n" };
        return Ok(format!("{text}{gap}{table}"));
    };
    let line_of = |kept: &StoredSlice| text[..kept.header.start].rfind('\n').map_or(0, |at| at + 1);
    let (start, end) = (line_of(&known[place]), known.get(place + 1).map_or(text.len(), line_of));
    let mut made = text[..start].to_owned() + &table;
    let mut at = start;
    for line in text[start..end].split_inclusive('\n') {
        // What stands before the next table belongs to that.
        let is_between = line.trim().is_empty() || line.trim_start().starts_with('#');
        if is_between && !known[place].values.iter().any(|value| value.contains(&at)) {
            made.push_str(line);
        }
        at += line.len();
    }
    Ok(made + &text[end..])
}

/// A slice as a table.
fn table(name: &str, saved: &Saved) -> String {
    let request = &saved.request;
    let mut lines = vec![format!("[{name}]")];
    let mut put = |key: &str, value: toml::Value| lines.push(format!("{key} = {value}"));
    let lists = [("where", &request.filter), ("by", &request.by), ("tag", &request.tags), ("show", &request.show)];
    for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        put(key, list.clone().into());
    }
    for (key, text) in [("sort", &request.sort), ("every", &request.every), ("phase", &saved.phase)] {
        text.iter().for_each(|text| put(key, text.clone().into()));
    }
    lines.extend(request.top.map(|top| format!("top = {top}")));
    if request.is_over_time {
        lines.push("over_time = true".to_owned());
    }
    lines.join("\n") + "\n"
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
