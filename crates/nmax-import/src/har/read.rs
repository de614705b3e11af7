//! HAR to recording.

use std::time::Duration;

use nmax_text::shown;
use serde_json::Value;

use super::error::{HarError, Kind};
use super::json::{list, some_text, text};
use super::notes::{Note, Notes};
use super::scan::{Layout, scan};
use super::text::{decode, line_and_column};
use super::{body, entry, pauses, repair, sanitized, stamp};
use crate::recording::{Entry, Mark, Recording, Skipped, Timings};

/// Most reasons for entries that are not JSON; what is wrong with a file shows in fewer.
const DAMAGED_MAX: usize = 100;

/// What was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// The exchanges, by instant of sending.
    pub recording: Recording,
    /// Entries that are no exchanges with a server, or cannot be used, with reasons.
    pub skipped: Vec<Skipped>,
    /// What the person should know about the file, in sentences.
    pub warnings: Vec<String>,
}

/// Reads a HAR file; `name` is the recording's, and stands in errors.
///
/// What is whole in a damaged file is used. Exchanges that got no reply stay, with `response: None` and the reason in
/// `comment`. Memory: the file, the recording, and one entry as JSON. O(length).
pub fn read(bytes: &[u8], name: &str) -> Result<Read, HarError> {
    let error = |(line, column): (usize, usize), kind| HarError { name: name.to_owned(), line, column, kind };
    let decoded = decode(bytes).map_err(|kind| error((1, 1), kind))?;
    let text = decoded.text.as_ref();
    let start = text.len() - text.trim_start().len();
    if !text[start..].starts_with(['{', '[']) {
        let found = describe(&text[start..]);
        return Err(error(line_and_column(text, start), Kind::NotJson { found }));
    }
    let mut entries = Entries::default();
    let layout = scan(text, &mut |text, _| entries.add(text));
    if layout.lists == 0 || (entries.count == 0 && layout.cut.is_none() && !layout.damaged.is_empty()) {
        let (at, kind) = match layout.cut {
            Some(at) if at >= text.len() => (at, Kind::Broken { what: "ends" }),
            Some(at) => (at, Kind::Broken { what: "stops being JSON" }),
            None => (start, Kind::NoEntries { found: found(&layout) }),
        };
        return Err(error(line_and_column(text, at), kind));
    }
    if decoded.is_damaged {
        entries.warnings.push("some bytes are not UTF-8; � stands in their place".to_owned());
    }
    Ok(entries.finish(text, name, &layout))
}

/// What a text begins with, in words.
fn describe(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let line: String = line.chars().take(30).collect();
    let shown = shown(&line);
    if shown.is_empty() || text.starts_with('\0') {
        return "binary data".to_owned();
    }
    format!("`{shown}`")
}

/// What JSON of another kind holds.
fn found(layout: &Layout) -> String {
    match &layout.keys[..] {
        [] => String::new(),
        keys => format!(
            "; there is {}",
            keys[..keys.len().min(5)].iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Entries on the way from text to recording.
#[derive(Default)]
struct Entries {
    count: usize,
    entries: Vec<Entry>,
    skipped: Vec<Skipped>,
    marks: Vec<Mark>,
    notes: Notes,
    warnings: Vec<String>,
    /// Entries that say what the cache held after them, by number: in Firefox only those that came from it do.
    cached_in_firefox: Vec<usize>,
    /// Zone in which the first entry says its time, seconds east.
    zone: Option<i32>,
    /// When the last exchange ended, µs; where one without an instant is placed.
    last_us: i64,
}

impl Entries {
    /// Adds an entry; whether its text was one.
    fn add(&mut self, text: &str) -> bool {
        let (value, is_repaired) = match serde_json::from_str::<Value>(text) {
            Ok(value) => (value, false),
            Err(_) => match serde_json::from_str::<Value>(&repair::repaired(text)) {
                Ok(value) => (value, true),
                Err(_) => return false,
            },
        };
        self.count += 1;
        let number = self.count;
        if is_repaired {
            self.notes.add(Note::Repaired, number);
        }
        self.marks.extend(marks(&value));
        if value.get("cache").and_then(|cache| cache.get("afterRequest")).is_some() {
            self.cached_in_firefox.push(number);
        }
        if value.get("request").is_some_and(body::has_blanked) {
            self.notes.add(Note::Blanked, number);
        }
        let zone = value.get("startedDateTime").and_then(stamp::zone);
        if zone.is_some_and(|zone| *self.zone.get_or_insert(zone) != zone) {
            self.notes.add(Note::OtherZone, number);
        }
        match entry::read(&value, number, &mut self.notes) {
            Ok((mut entry, sent_us)) => {
                entry.sent_us = sent_us.unwrap_or(self.last_us);
                self.last_us = entry.done_us();
                self.entries.push(entry);
            }
            Err(unusable) => {
                self.skipped.push(Skipped { recording: 0, number, url: unusable.url, reason: unusable.reason })
            }
        }
        true
    }

    fn finish(mut self, text: &str, name: &str, layout: &Layout) -> Read {
        let creator = self.members(text, layout);
        self.damage(text, layout);
        if creator.starts_with("Firefox") {
            for number in std::mem::take(&mut self.cached_in_firefox) {
                let entry = self.entries.iter_mut().find(|entry| entry.number == number);
                if let Some(entry) = entry.filter(|entry| !entry.is_from_cache) {
                    entry.is_from_cache = true;
                    self.notes.add(Note::Cached, number);
                }
            }
        }
        if !creator.starts_with("nmax") {
            self.entries.iter_mut().for_each(|entry| tls_into_connect(&mut entry.timings));
        }
        self.entries.sort_by_key(|entry| entry.sent_us);
        self.marks.sort_by_key(|mark| mark.at_us);
        if self.count == 0 {
            self.warnings.push("the list of entries is empty: nothing was recorded".to_owned());
        }
        self.warnings.extend(self.notes.sentences());
        let has_zones = self.notes.has(Note::OtherZone);
        self.warnings.extend(pauses::warning(&self.entries, has_zones));
        let recording =
            Recording { name: name.to_owned(), creator, entries: self.entries, marks: self.marks, is_command: false };
        self.warnings.extend(sanitized::warning(&recording));
        self.skipped.sort_by_key(|skipped| skipped.number);
        Read { recording, skipped: self.skipped, warnings: self.warnings }
    }

    /// What stands beside the entries; gives the creator of the first log.
    fn members(&mut self, text: &str, layout: &Layout) -> String {
        let mut creator = String::new();
        for (key, range) in &layout.members {
            let value = || serde_json::from_str::<Value>(&text[range.clone()]).unwrap_or_default();
            match key.as_str() {
                "creator" if creator.is_empty() => creator = named(&value()),
                "_marks" => self.marks.extend(serde_json::from_str(&text[range.clone()]).iter().flat_map(mark_list)),
                _ => {}
            }
        }
        creator
    }

    /// Says where the file is damaged.
    fn damage(&mut self, text: &str, layout: &Layout) {
        for at in layout.damaged.iter().take(DAMAGED_MAX) {
            let (line, column) = line_and_column(text, *at);
            self.skipped.push(Skipped {
                recording: 0,
                number: 0,
                url: format!("line {line}, column {column}"),
                reason: "what is there is not an entry in JSON".to_owned(),
            });
        }
        let count = layout.damaged.len();
        if count > 0 {
            let (line, column) = line_and_column(text, layout.damaged[0]);
            let rest = if count > 1 { ", and others" } else { "" };
            self.warnings.push(format!(
                "{count} of the entries cannot be read (the first at line {line}, column {column}{rest}); the rest is used"
            ));
        }
        if let Some(at) = layout.cut {
            let (line, column) = line_and_column(text, at);
            let what = if at >= text.len() { "ends" } else { "stops being JSON" };
            self.warnings.push(format!(
                "the file {what} in the middle (line {line}, column {column}); {} whole entries are used",
                self.count
            ));
        }
        if layout.lists > 1 {
            self.warnings.push(format!("the file holds {} recordings; all of them are used", layout.lists));
        }
    }
}

/// Name and version of a program.
fn named(value: &Value) -> String {
    format!("{} {}", text(value, "name"), text(value, "version")).trim().to_owned()
}

fn marks(value: &Value) -> Vec<Mark> {
    value.get("_marks").map(mark_list).unwrap_or_default()
}

fn mark_list(value: &Value) -> Vec<Mark> {
    let mark = |mark: &Value| {
        Some(Mark {
            at_us: mark.get("startedDateTime").and_then(stamp::read)?.at_us,
            name: some_text(mark, "name")?.to_owned(),
        })
    };
    match value {
        Value::Array(all) => all.iter().filter_map(mark).collect(),
        _ => list(value, "_marks").iter().filter_map(mark).collect(),
    }
}

/// Some programs (mitmproxy) count TLS beside `connect`: then the total is their sum, and only then.
fn tls_into_connect(timings: &mut Timings) {
    const NEAR: Duration = Duration::from_micros(500);
    let (Some(tls), Some(connect), Some(total)) = (timings.tls, timings.connect, timings.total) else {
        return;
    };
    let Some(sum) = entry::sum(timings) else { return };
    if tls > NEAR && total.abs_diff(sum + tls) < NEAR {
        timings.connect = Some(connect + tls);
    }
}
