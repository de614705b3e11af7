//! Logs that are followed during a run: access logs as requests, errors by status and times; logs of applications as lines
//! by level and kinds of errors.
//!
//! Figures stand under the source `log NAME` and are those of the time since the reading before. What an access log says of
//! single requests goes into a [`Tap`], for whoever holds it beside the client's side.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use nmax_log::format::Reader;
use nmax_log::format::lines::{Cut, Lines};
use nmax_log::record::Line;
use nmax_metrics::Nanos;
use nmax_sources::Unit;
use nmax_sources::kinds::{ACCESS, APPLICATION};

use crate::follow::{Change, Follow, FollowError};
use crate::source::{Reading, Source, Trouble};

mod access;
mod application;
mod tap;

use access::Access;
use application::Application;
pub use tap::{Batch, Tap};

/// Lines that wait until the format is known.
const WAITING_MAX: usize = 1_000;
/// Bytes of them.
const WAITING_BYTES_MAX: usize = 4 << 20;
/// Lines that must not fit the format before that is said.
const MISFITS_MIN: u64 = 20;

/// What is written in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogKind {
    /// A line for each request.
    Access,
    /// What an application says of itself.
    Application,
}

impl LogKind {
    /// The kind of this word.
    pub fn named(word: &str) -> Option<Self> {
        [(ACCESS, Self::Access), (APPLICATION, Self::Application)]
            .into_iter()
            .find(|(name, _)| *name == word)
            .map(|(_, kind)| kind)
    }
}

/// A log that is followed. What an access log says of single requests goes into the tap.
pub fn source(name: &str, file: &str, format: Option<&str>, kind: Option<LogKind>, tap: &Tap) -> Box<dyn Source> {
    let follower = Follower::new(name, file, format, kind);
    let follower = Arc::new(Mutex::new(follower));
    tap.join(&follower);
    Box::new(Shared(follower))
}

/// A follower whose last lines the tap may ask for, when the run has ended.
struct Shared(Arc<Mutex<Follower>>);

impl Source for Shared {
    fn read(&mut self, now: Nanos) -> Result<Vec<Reading>, Trouble> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).read(now)
    }

    fn about(&self) -> Option<String> {
        let follower = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        follower.has_begun.then(|| follower.content.about().to_owned())
    }

    fn notes(&mut self) -> Vec<String> {
        let mut follower = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut follower.notes)
    }
}

/// What lines are, once that is known.
enum Content {
    Unknown,
    Access(Box<Access>),
    Application(Box<Application>),
}

impl Content {
    /// What it is a log of.
    const fn about(&self) -> &'static str {
        match self {
            Self::Unknown => "a log without lines, whose format the first ones will tell",
            Self::Access(_) => "an access log",
            Self::Application(_) => "a log of an application",
        }
    }
}

/// Follows one log.
struct Follower {
    source: String,
    file: String,
    format: Option<String>,
    kind: Option<LogKind>,
    follow: Follow,
    has_begun: bool,
    content: Content,
    /// Lines that came before it was known what they are.
    waiting: Vec<Vec<u8>>,
    waiting_bytes: usize,
    notes: Vec<String>,
    last: Option<Nanos>,
    /// Lines per second between the last two readings.
    pace_per_s: Option<f64>,
    has_told_misfits: bool,
    tap: Tap,
    /// Its number in the tap.
    number: u16,
}

impl Follower {
    fn new(name: &str, file: &str, format: Option<&str>, kind: Option<LogKind>) -> Self {
        Self {
            source: format!("log {name}"),
            file: file.to_owned(),
            format: format.map(str::to_owned),
            kind,
            follow: Follow::new(Path::new(file)),
            has_begun: false,
            content: Content::Unknown,
            waiting: Vec::new(),
            waiting_bytes: 0,
            notes: Vec::new(),
            last: None,
            pace_per_s: None,
            has_told_misfits: false,
            tap: Tap::default(),
            number: 0,
        }
    }

    fn read(&mut self, now: Nanos) -> Result<Vec<Reading>, Trouble> {
        if !self.has_begun {
            self.begin(now)?;
        }
        let mut batch = self.tap.batch(self.number, now);
        let (content, waiting, waiting_bytes) = (&mut self.content, &mut self.waiting, &mut self.waiting_bytes);
        let mut lines = 0_u64;
        let changes = self.follow.turn(|cut| {
            lines += 1;
            match (&mut *content, cut) {
                (Content::Unknown, Cut::Line(line)) => {
                    if waiting.len() < WAITING_MAX && *waiting_bytes + line.len() <= WAITING_BYTES_MAX {
                        *waiting_bytes += line.len();
                        waiting.push(line.to_vec());
                    }
                }
                (Content::Unknown, Cut::TooLong { .. }) => {}
                (Content::Access(access), cut) => access.line(cut, &mut batch),
                (Content::Application(application), cut) => application.line(cut),
            }
        });
        let changes = changes.map_err(|error| self.trouble(&error))?;
        let span_s = self.last.map_or(0.0, |last| now.since(last).as_secs_f64());
        self.note_changes(&changes, span_s);
        if span_s > 0.0 {
            self.pace_per_s = Some(lines as f64 / span_s);
        }
        if matches!(self.content, Content::Unknown) && !self.waiting.is_empty() {
            let waiting = std::mem::take(&mut self.waiting);
            self.content = self.recognize(&waiting)?;
            for line in &waiting {
                match &mut self.content {
                    Content::Access(access) => access.line(Cut::Line(line), &mut batch),
                    Content::Application(application) => application.line(Cut::Line(line)),
                    Content::Unknown => {}
                }
            }
        }
        self.tap.take(batch);
        Ok(self.figures(now))
    }

    /// Goes to the end of the file, and looks at what is there to know its format.
    fn begin(&mut self, now: Nanos) -> Result<(), Trouble> {
        let begun = self.follow.begin(self.tap.marked(&self.file));
        // Whatever comes from here on came during the run, also into a file that is not there yet.
        self.has_begun = true;
        self.last = Some(now);
        let sample = begun.map_err(|error| self.trouble(&error))?;
        let mut lines = Vec::new();
        let mut cutter = Lines::new();
        cutter.feed(&sample, |cut| {
            if let Cut::Line(line) = cut {
                lines.push(line.to_vec());
            }
        });
        if !lines.is_empty() {
            self.content = self.recognize(&lines)?;
        }
        Ok(())
    }

    /// What lines are, by the plan, else by themselves: a log that is no access log is an application's.
    fn recognize(&mut self, sample: &[Vec<u8>]) -> Result<Content, Trouble> {
        if self.kind == Some(LogKind::Application) {
            return Ok(Content::Application(Box::default()));
        }
        let lines: Vec<&[u8]> = sample.iter().map(Vec::as_slice).collect();
        if let Some(format) = &self.format {
            let reader = Reader::compile(format).map_err(|error| {
                Trouble::lasting(format!("`format` is none of an access log: {}", one_line(&error.to_string())))
            })?;
            if !is_access(&reader, &lines) {
                self.notes.push(
                    "most of its last lines do not fit the `format` of the plan; name the one that they have".into(),
                );
            }
            return Ok(self.access(reader));
        }
        match Reader::detect(&lines) {
            Ok(reader) if self.kind == Some(LogKind::Access) || is_access(&reader, &lines) => Ok(self.access(reader)),
            Err(error) if self.kind == Some(LogKind::Access) => Err(Trouble::lasting(format!(
                "{}: {}; name the `format` of its lines, or `kind: application`",
                self.file,
                error.to_string().lines().next().unwrap_or_default()
            ))),
            Ok(_) | Err(_) => Ok(Content::Application(Box::default())),
        }
    }

    fn access(&mut self, reader: Reader) -> Content {
        let because = match reader.why() {
            "named" => String::new(),
            why => format!(" ({why})"),
        };
        self.notes.push(format!("read as an access log in the format {}{because}", reader.name()));
        let notes = reader.notes();
        self.notes.extend(notes);
        Content::Access(Box::new(Access::new(reader)))
    }

    /// What happened to the file since the reading before, which was `span_s` ago.
    fn note_changes(&mut self, changes: &[Change], span_s: f64) {
        for change in changes {
            let text = match change {
                Change::Appeared => "the file is there now".to_owned(),
                Change::Rotated => "the log was rotated; reading goes on with the new file".to_owned(),
                Change::Truncated => truncated(span_s, self.pace_per_s),
                Change::Skipped(bytes) => {
                    let mib = bytes >> 20;
                    format!("lines come faster than they can be read: {mib} MiB were passed over")
                }
            };
            self.notes.push(text);
        }
    }

    fn trouble(&self, error: &FollowError) -> Trouble {
        let file = &self.file;
        match error {
            FollowError::Missing => {
                Trouble::passing(format!("{file}: there is no such file; it is read once it is there"))
            }
            FollowError::NoFile | FollowError::Packed => {
                Trouble::lasting(format!("{file}: {error}; name the file that the server writes"))
            }
            FollowError::Io(_) => Trouble::passing(format!("{file}: {error}; let the user who runs nmax read it")),
        }
    }

    /// What came since the reading before.
    fn figures(&mut self, now: Nanos) -> Vec<Reading> {
        let before = self.last.replace(now);
        let span_s = before.map_or(0.0, |before| now.since(before).as_secs_f64());
        let figures = match &mut self.content {
            Content::Unknown => return Vec::new(),
            Content::Access(access) => {
                let (lines, misfits) = access.fit();
                if !self.has_told_misfits && misfits >= MISFITS_MIN && misfits * 2 > lines {
                    self.has_told_misfits = true;
                    let why = access.why();
                    self.notes.push(format!("{misfits} of {lines} lines do not fit its format: {why}"));
                }
                access.figures(span_s)
            }
            Content::Application(application) => {
                let figures = application.figures(span_s);
                self.notes.append(&mut application.notes());
                figures
            }
        };
        let reading = |(metric, value, unit): (String, f64, Unit)| Reading::named(&self.source, &metric, value, unit);
        figures.into_iter().map(reading).collect()
    }
}

/// What a truncation may have cost: what came between the reading before and the truncation was never read. How much that
/// is only the pace tells that lines had before.
fn truncated(span_s: f64, pace_per_s: Option<f64>) -> String {
    let lost = match pace_per_s {
        Some(pace_per_s) => format!("about {:.0}, by the pace of those before", pace_per_s * span_s),
        None => "how many is not known".to_owned(),
    };
    format!(
        "the log was truncated; reading goes on at its beginning. Lines of the {span_s:.1} s before may be lost: {lost}"
    )
}

/// Whether what was found by itself is an access log: half of its lines are requests. A log of an application may hold a few.
fn is_access(reader: &Reader, lines: &[&[u8]]) -> bool {
    let mut reader = reader.clone();
    let (mut fit, mut all) = (0, 0);
    for line in lines {
        match reader.line(line) {
            Line::Record(_) => (fit, all) = (fit + 1, all + 1),
            Line::Rejected(_) => all += 1,
            Line::Comment | Line::Blank => {}
        }
    }
    fit * 2 >= all
}

/// A text of several lines in one.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
