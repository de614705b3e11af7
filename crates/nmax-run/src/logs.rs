//! Access logs from files: opened, unpacked, split into lines, parsed on a thread of their own.
//!
//! # Layout
//! - this file: the files, their formats and order; what was read of them
//! - `input`: one file, plain or gzip, from its beginning
//! - `pipe`: bytes become records on one thread while another uses them
//! - `batch`: records on their way between the two
//! - `choose`: the period that words name

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use nmax_log::format::Reader;
use nmax_log::record::{Line, Record};
use nmax_log::traffic::Period;
use nmax_secrets::Redactor;
use nmax_text::shown;

mod batch;
mod choose;
mod input;
mod pipe;

pub use choose::instant;
use input::Input;

/// Share of rejected lines above which the reading is called into question.
const REJECTED_SHARE_MAX: f64 = 0.01;
/// Reasons for rejections that are told apart.
const REASONS_MAX: usize = 50;
/// Hosts that are remembered where another one was chosen.
const OTHER_HOSTS_MAX: usize = 8;
/// Examples of each.
const EXAMPLES_MAX: usize = 3;
/// A stamp is looked at twice when it is further than this from the one before, µs: those that are far from all others are
/// at least so far from the lines around them.
const JUMP_US: u64 = 3_600_000_000;
/// Such stamps that are remembered.
const JUMPS_MAX: usize = 1_000;
/// Characters of an example that are kept.
const EXAMPLE_CHARS_MAX: usize = 120;

/// Why no log can be read: what, and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LogError(String);

/// Which logs are read, how, and what of them.
#[derive(Clone, Debug, Default)]
pub struct Ask {
    /// Their files, plain or gzip, in any order; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// Name of their format, or what the server's configuration says.
    pub format: Option<String>,
    /// Seconds that hours, days and stamps that name no zone lie east of Greenwich.
    pub zone_s: i32,
    /// Only requests of this host, where logs name hosts.
    pub host: Option<String>,
    /// Only from this time on.
    pub from: Option<String>,
    /// Only up to this time.
    pub to: Option<String>,
    /// Only this day; `busiest` for the one with most requests.
    pub day: Option<String>,
    /// Only the hour with most requests.
    pub peak_hour: bool,
}

/// Somebody who is told how far the reading of logs is.
pub trait Listener {
    /// So many more bytes, unpacked, and lines of them.
    fn read(&mut self, bytes: u64, lines: u64);

    /// Everything was read.
    fn ended(&mut self);
}

/// Access logs that can be read.
pub struct Logs {
    inputs: Vec<Input>,
    /// What a person should know before anything is read.
    pub notes: Vec<String>,
    host: Option<String>,
    /// Hosts of requests that were passed over for [`Self::host`]; a bounded number.
    other_hosts: BTreeSet<String>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Lines, all of them.
    pub lines: u64,
    /// Requests.
    pub parsed: u64,
    /// Lines that are none.
    pub rejected: u64,
    /// Comments and directives.
    pub comments: u64,
    /// Empty ones.
    pub blank: u64,
    /// Bytes, unpacked.
    pub bytes: u64,
    /// Why lines were rejected.
    pub rejections: BTreeMap<String, Rejected>,
    /// Files that could not be read to their end, and why.
    pub broken: Vec<String>,
    /// Requests stamped more than [`JUMP_US`] from the one before: `FILE:LINE` and the arrival, µs; a bounded number.
    jumps: Vec<(String, i64)>,
    /// Arrival of the last request.
    last_us: Option<i64>,
}

/// Lines that were rejected for the same reason.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rejected {
    /// How many.
    pub count: u64,
    /// The first ones: `FILE:LINE` and how the line begins.
    pub examples: Vec<(String, String)>,
}

impl Counts {
    /// Whether so many lines were rejected that the result is in doubt.
    pub fn is_doubtful(&self) -> bool {
        self.rejected as f64 > REJECTED_SHARE_MAX * (self.parsed + self.rejected) as f64
    }

    /// Adds what was read of another file.
    fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.parsed += other.parsed;
        self.rejected += other.rejected;
        self.comments += other.comments;
        self.blank += other.blank;
        self.bytes += other.bytes;
        self.broken.extend(other.broken);
        self.jumps.extend(other.jumps);
        self.jumps.truncate(JUMPS_MAX);
        for (reason, rejected) in other.rejections {
            let known = self.rejections.entry(reason).or_default();
            known.count += rejected.count;
            known.examples.extend(rejected.examples);
            known.examples.truncate(EXAMPLES_MAX);
        }
    }

    /// Notes where the time of the log jumps.
    fn arrived(&mut self, at_us: i64, place: impl FnOnce() -> String) {
        let is_jump = self.last_us.is_none_or(|last| at_us.abs_diff(last) > JUMP_US);
        self.last_us = Some(at_us);
        if is_jump && self.jumps.len() < JUMPS_MAX {
            self.jumps.push((place(), at_us));
        }
    }

    /// Where the first lines are that lie outside of the time of all others; `None` when there is none.
    pub fn strays(&self, others: Period) -> Option<String> {
        let outside = self.jumps.iter().filter(|(_, at_us)| !others.contains(*at_us));
        let places: Vec<String> = outside
            .map(|(place, at_us)| {
                format!("{place} ({:.0})", jiff::Timestamp::from_microsecond(*at_us).unwrap_or_default())
            })
            .collect();
        let more = if places.len() > EXAMPLES_MAX { ", ..." } else { "" };
        let first = places.iter().take(EXAMPLES_MAX).map(String::as_str).collect::<Vec<_>>();
        (!places.is_empty()).then(|| format!("stamped far from all others: {}{more}", first.join(", ")))
    }

    fn reject(&mut self, reason: String, place: impl FnOnce() -> String, line: &[u8]) {
        self.rejected += 1;
        let is_new = !self.rejections.contains_key(&reason);
        let reason =
            if is_new && self.rejections.len() >= REASONS_MAX { "for other reasons".to_owned() } else { reason };
        let known = self.rejections.entry(reason).or_default();
        known.count += 1;
        if known.examples.len() < EXAMPLES_MAX {
            let start = &line[..line.len().min(4 * EXAMPLE_CHARS_MAX)];
            let text = String::from_utf8_lossy(start);
            let text: String = Redactor::default().data(&text).chars().take(EXAMPLE_CHARS_MAX).collect();
            known.examples.push((place(), shown(&text).into_owned()));
        }
    }

    /// What a person must see before the result: sentences.
    pub fn warnings(&self) -> Vec<String> {
        let mut said = self.broken.clone();
        if self.is_doubtful() {
            let share = self.rejected as f64 / (self.parsed + self.rejected).max(1) as f64;
            said.push(format!(
                "{} of {} lines ({}) could not be read: what follows may be about another part of the traffic than you \
                 think; see the reasons, and name the format with --format",
                self.rejected,
                self.parsed + self.rejected,
                nmax_report::number::share(share)
            ));
        }
        said
    }
}

impl Logs {
    /// Opens the files and finds their formats. Files are read in the order of their first stamps.
    ///
    /// # Errors
    /// Why none can be read.
    pub fn open(ask: &Ask) -> Result<Self, LogError> {
        if ask.files.is_empty() {
            let help = "name one or more access logs, or `-` for standard input";
            return Err(LogError(format!("no log is given\n  help: {help}")));
        }
        let named = ask.format.as_deref().map(Reader::compile).transpose();
        let named = named.map_err(|error| LogError(format!("--format: {error}")))?;
        let (mut inputs, mut notes, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        let mut given = BTreeSet::new();
        for file in &ask.files {
            if let Ok(whole) = file.canonicalize()
                && !given.insert(whole)
            {
                notes.push(format!("{}: is given twice; it is read once", file.display()));
                continue;
            }
            match Input::open(file, named.as_ref(), ask.zone_s) {
                Ok(Some(input)) => inputs.push(input),
                Ok(None) => notes.push(format!("{}: the file is empty", file.display())),
                Err(error) => problems.push(error.0),
            }
        }
        if !problems.is_empty() {
            return Err(LogError(problems.join("\nerror: ")));
        }
        if inputs.is_empty() {
            let help = "name a log with requests in it; rotated logs are often named access.log.1 or access.log.2.gz";
            return Err(LogError(format!("there is nothing to read: {}\n  help: {help}", notes.join("; "))));
        }
        if !inputs.is_sorted_by_key(|input| input.first_us) {
            inputs.sort_by_key(|input| input.first_us);
            let names: Vec<String> = inputs.iter().map(|input| input.name.clone()).collect();
            notes.push(format!("read in the order of their first stamps: {}", names.join(", ")));
        }
        let mut logs = Self { inputs, notes, host: ask.host.clone(), other_hosts: BTreeSet::new() };
        let reader_notes: Vec<String> = logs.inputs.iter().flat_map(|input| input.reader.notes().to_vec()).collect();
        for note in reader_notes {
            if !logs.notes.contains(&note) {
                logs.notes.push(note);
            }
        }
        Ok(logs)
    }

    /// What the formats are called: one, or several with commas between.
    pub fn format(&self) -> String {
        let mut names: Vec<&str> = self.inputs.iter().map(|input| input.reader.name()).collect();
        names.dedup();
        names.join(", ")
    }

    /// Why they were chosen.
    pub fn why(&self) -> String {
        let mut reasons: Vec<&str> = self.inputs.iter().map(|input| input.reader.why()).collect();
        reasons.dedup();
        reasons.first().copied().unwrap_or_default().to_owned()
    }

    /// Names of the files, in the order in which they are read.
    pub fn names(&self) -> Vec<String> {
        self.inputs.iter().map(|input| input.name.clone()).collect()
    }

    /// What plans and files are called by default: the first file without its folder and endings.
    pub fn stem(&self) -> String {
        let first = self.inputs.first().and_then(|input| input.path.as_deref());
        let name = first.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_else(|| "log".into());
        let is_ending =
            |part: &str| matches!(part, "log" | "gz" | "txt" | "json" | "csv") || part.parse::<u64>().is_ok();
        let mut parts: Vec<&str> = name.split('.').collect();
        while parts.len() > 1 && parts.last().is_some_and(|part| is_ending(part)) {
            parts.pop();
        }
        parts.join(".")
    }

    /// Whether it can be read again: standard input cannot.
    fn is_seekable(&self) -> bool {
        self.inputs.iter().all(|input| input.path.is_some())
    }

    /// Gives each request to `each`, and tells the listener how far it is.
    pub fn read(&mut self, listener: &mut dyn Listener, mut each: impl FnMut(&Record<'_>)) -> Counts {
        let host = self.host.clone();
        let is_chosen = |record: &Record<'_>| match &host {
            Some(host) => record.host.is_empty() || record.host.eq_ignore_ascii_case(host.as_bytes()),
            None => true,
        };
        let mut counts = Counts::default();
        for input in &mut self.inputs {
            pipe::read(input, &mut counts, listener, &mut |record| {
                if is_chosen(record) {
                    each(record);
                } else if self.other_hosts.len() < OTHER_HOSTS_MAX {
                    self.other_hosts.insert(String::from_utf8_lossy(record.host).into_owned());
                }
            });
        }
        listener.ended();
        counts
    }

    /// Hosts of requests that were passed over, since another one was chosen.
    pub fn other_hosts(&self) -> Vec<String> {
        self.other_hosts.iter().cloned().collect()
    }

    /// The period that was asked for; `None` is all. Reads the logs once when that depends on what is in them.
    ///
    /// # Errors
    /// Why there is no such time.
    pub fn period(&mut self, ask: &Ask, listener: &mut dyn Listener) -> Result<Option<Period>, LogError> {
        choose::period(self, ask, listener)
    }
}

/// Requests by whose stamps files are put in order.
const FIRST: usize = 9;

/// The stamp of the first requests among lines: the middle one, since one may be wrong.
fn first_stamp(reader: &mut Reader, lines: &[&[u8]]) -> Option<i64> {
    let stamps = lines.iter().filter_map(|line| match reader.line(line) {
        Line::Record(record) => Some(record.arrival_us),
        _ => None,
    });
    let mut stamps: Vec<i64> = stamps.take(FIRST).collect();
    stamps.sort_unstable();
    stamps.get(stamps.len() / 2).copied()
}

#[cfg(test)]
mod tests;
