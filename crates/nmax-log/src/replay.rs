//! The log itself as an exact schedule.
//!
//! In: records, in any order. Out: a [`Schedule`]: which request is sent when, as the document of a plan and what goes into
//! it. A stamp of whole seconds says nothing about the instant within the second: such requests are spread over it, in
//! their order and by a seed, because all of them at its beginning would be bursts that nobody ever sent.
//!
//! A log has neither bodies nor what users are known by, so only requests without either are sent unless somebody asks
//! for more; whatever is left out is counted with its reason.
//!
//! # Layout
//!
//! - this file: records become rows
//! - `pace`: rows become starts, at the pace of the log or another
//! - `rewrite`: what is sent in place of what the log has
//! - `document`: the plan

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use nmax_text::shown;

use crate::record::Record;
use crate::traffic::Period;

mod document;
mod pace;
mod rewrite;

pub use document::FEEDER;
pub use pace::{Pace, STRAYS, Schedule};
pub use rewrite::{Rewrite, RewriteError};

/// Most requests that are replayed at once; each takes about a hundred bytes.
pub const REQUESTS_MAX: usize = 20_000_000;

/// Servers of absolute URLs that are told apart.
const ORIGINS_MAX: usize = 100;

/// Methods that change nothing (RFC 9110, 9.2.1), of those that nmax speaks.
const SAFE: [&str; 3] = ["GET", "HEAD", "OPTIONS"];
/// Methods that nmax speaks.
const SPOKEN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Which requests are sent, by method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Methods {
    /// Those that change nothing: GET, HEAD and OPTIONS.
    #[default]
    Safe,
    /// These.
    Only(Vec<String>),
    /// All that nmax speaks. Bodies are not in a log, so requests that need one are sent without.
    All,
}

/// How a log is replayed.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What is replayed of the log; all of it by default.
    pub period: Option<Period>,
    /// Which methods are sent.
    pub methods: Methods,
    /// The pace.
    pub pace: Pace,
    /// What is sent in place of what the log has, one after the other.
    pub rewrites: Vec<Rewrite>,
    /// Query parameters that every request gets, in place of its own of that name.
    pub parameters: Vec<(String, String)>,
    /// The `host` header is that of the target and not that of the log.
    pub own_host: bool,
    /// Initial value of every choice: instants within a second, shifts of copies, which requests are left out.
    pub seed: u64,
}

/// Texts that occur often, each kept once.
#[derive(Debug, Default)]
struct Texts {
    known: HashMap<Arc<str>, u32>,
    all: Vec<Arc<str>>,
}

impl Texts {
    fn number_of(&mut self, text: &str) -> u32 {
        if let Some(number) = self.known.get(text) {
            return *number;
        }
        let (text, number) = (Arc::<str>::from(text), self.all.len() as u32);
        self.all.push(Arc::clone(&text));
        self.known.insert(text, number);
        number
    }

    /// Whether one of them is not empty.
    fn has_any(&self) -> bool {
        self.all.iter().any(|text| !text.is_empty())
    }

    fn get(&self, number: u32) -> &str {
        self.all.get(number as usize).map_or("", |text| text)
    }
}

/// A request of the log that is sent.
#[derive(Clone, Copy, Debug)]
struct Row {
    arrival_us: i64,
    resolution_us: u32,
    target: u32,
    host: u32,
    agent: u32,
    /// Who sent it: `s` and a session or user, or `c` and an address.
    visitor: u32,
    /// [`u32::MAX`] = unknown.
    bytes: u32,
    /// [`u32::MAX`] = unknown.
    duration_us: u32,
    status: u16,
    /// Index into [`SPOKEN`].
    method: u8,
}

/// Collects what a log says of requests.
#[derive(Debug, Default)]
pub struct Replay {
    options: Options,
    rows: Vec<Row>,
    targets: Texts,
    hosts: Texts,
    agents: Texts,
    visitors: Texts,
    /// Servers that absolute URLs name, and how often; a bounded number.
    origins: BTreeMap<String, u64>,
    left_out: BTreeMap<String, u64>,
    by_status: BTreeMap<u16, u64>,
    target: Vec<u8>,
}

impl Replay {
    /// Nothing yet.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Takes a record, or counts it among those that are left out.
    pub fn add(&mut self, record: &Record<'_>) {
        if let Err(reason) = self.take(record) {
            *self.left_out.entry(reason).or_default() += 1;
        }
    }

    fn take(&mut self, record: &Record<'_>) -> Result<(), String> {
        if record.method.is_empty() || record.target.is_empty() {
            return Err("no request in the line".into());
        }
        if self.options.period.is_some_and(|period| !period.contains(record.arrival_us)) {
            return Err("outside of the chosen time".into());
        }
        let method = self.method(record.method)?;
        if record.status == 101 {
            return Err("another protocol after it (101)".into());
        }
        let (origin, path) = rewrite::split(record.target);
        let host = origin.map_or(record.host, |(_, host)| host);
        if path.first() != Some(&b'/') {
            return Err("its target is not a path".into());
        }
        if self.rows.len() == REQUESTS_MAX {
            return Err(format!("beyond the first {REQUESTS_MAX} requests"));
        }
        if let Some((scheme, host)) = origin {
            self.count_origin(scheme, host);
        }
        self.target.clear();
        rewrite::target(path, &self.options.rewrites, &self.options.parameters, &mut self.target);
        let target = String::from_utf8_lossy(&self.target);
        let host = if self.options.own_host { "".into() } else { rewrite::header(host) };
        let agent = rewrite::header(record.agent);
        let row = Row {
            arrival_us: record.arrival_us,
            resolution_us: record.resolution_us.max(1),
            target: self.targets.number_of(&target),
            host: self.hosts.number_of(&host),
            agent: self.agents.number_of(&agent),
            visitor: self.visitors.number_of(&visitor(record)),
            bytes: narrowed(record.bytes),
            duration_us: narrowed(record.duration_us),
            status: record.status,
            method,
        };
        *self.by_status.entry(record.status).or_default() += 1;
        self.rows.push(row);
        Ok(())
    }

    fn count_origin(&mut self, scheme: &str, host: &[u8]) {
        let origin = format!("{scheme}{}", String::from_utf8_lossy(host));
        if self.origins.len() < ORIGINS_MAX || self.origins.contains_key(&origin) {
            *self.origins.entry(origin).or_default() += 1;
        }
    }

    /// The number of a method that is sent.
    fn method(&self, method: &[u8]) -> Result<u8, String> {
        let written = String::from_utf8_lossy(method);
        let shown = shown(&written.chars().take(20).collect::<String>()).into_owned();
        let Some(number) = SPOKEN.iter().position(|spoken| *spoken == written) else {
            return Err(format!("method {shown}, which nmax does not speak"));
        };
        let is_sent = match &self.options.methods {
            Methods::Safe => SAFE.contains(&&*written),
            Methods::Only(methods) => methods.iter().any(|one| one.eq_ignore_ascii_case(&written)),
            Methods::All => true,
        };
        match (is_sent, SAFE.contains(&&*written)) {
            (true, _) => Ok(number as u8),
            (false, true) => Err(format!("method {shown}, not chosen")),
            (false, false) => Err(format!("method {shown}, which may change data")),
        }
    }

    /// How many requests are to be sent so far.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nothing is to be sent so far.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The schedule of everything that was taken. O(n log n).
    pub fn finish(self) -> Schedule {
        Schedule::new(self)
    }
}

/// Who sent it, as one text.
fn visitor(record: &Record<'_>) -> String {
    let (kind, name) = match (record.session, record.user) {
        ([], []) => ('c', record.client),
        ([], user) => ('s', user),
        (session, _) => ('s', session),
    };
    format!("{kind}{}", String::from_utf8_lossy(name))
}

/// A number that fits, or [`u32::MAX`] for none; a larger one is cut.
fn narrowed(value: Option<u64>) -> u32 {
    value.map_or(u32::MAX, |value| value.min(u64::from(u32::MAX - 1)) as u32)
}

fn widened(value: u32) -> Option<u64> {
    (value != u32::MAX).then_some(u64::from(value))
}

#[cfg(test)]
mod tests;
