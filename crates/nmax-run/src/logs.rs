//! Access logs from files: opened, unpacked, split into lines, parsed on a thread of their own.
//!
//! # Layout
//! - this file: the files, their formats and order
//! - `input`: one file, plain or gzip, from its beginning
//! - `pipe`: bytes become records on one thread while another uses them
//! - `batch`: records on their way between the two
//! - `choose`: the period that words name

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use nmax_log::counts::Counts;
use nmax_log::format::Reader;
use nmax_log::record::{Line, Record};
use nmax_log::traffic::Period;

mod batch;
mod choose;
mod input;
mod pipe;

pub use choose::instant;
use input::Input;

/// Hosts that are remembered where another one was chosen.
const OTHER_HOSTS_MAX: usize = 8;

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
