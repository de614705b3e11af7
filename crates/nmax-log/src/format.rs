//! Formats of access logs, each compiled to a reader of bytes.
//!
//! In: lines, without their line end. Out: [`Line`]s whose texts are borrowed. A line is exactly one of record, comment,
//! blank and rejected; no bytes make a reader panic, and none make it allocate, except for the reason of a rejection and a
//! buffer for unescaped texts that is used again for every line.
//!
//! # Layout
//!
//! - [`lines`]: chunks of bytes become lines.
//! - `field`: what a value means; `draft`: the values of one line on their way to a record.
//! - `stamp`, `pattern`, `number`, `unescape`: the values themselves.
//! - `template`: text between fixed separators; `apache` and `nginx` compile their format strings to it.
//! - `w3c`, `haproxy`, `json`: the formats that are no templates.
//! - `wrapped`: what runtimes of containers write around lines.
//! - `named`: formats by name; `detect`: the format of a sample of lines.

mod apache;
mod detect;
mod draft;
mod error;
mod field;
mod haproxy;
mod json;
pub mod lines;
mod named;
mod nginx;
mod number;
mod pattern;
mod stamp;
mod template;
mod unescape;
mod w3c;
mod wrapped;

pub use error::{DetectError, FormatError, Problem};

use self::draft::Draft;
use self::field::{Field, Moment};
use self::json::Json;
use self::template::Template;
use self::w3c::W3c;
use crate::record::{Line, Rejection};

/// Longest line that is read, in bytes.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Reads the lines of one file, or of several of the same format.
///
/// It is cheap to clone, so each thread may have its own. It remembers only what the format makes it remember: the last
/// `#Fields` and `#Date`, and the last stamp.
#[derive(Clone, Debug)]
pub struct Reader {
    formats: Vec<Format>,
    name: String,
    why: String,
    /// A line that was escaped as a whole.
    unescaped: Vec<u8>,
}

impl Reader {
    /// The reader of the format that `sample` is in: the first lines of a file, without their line ends.
    ///
    /// A hundred lines are enough, a thousand are better where formats are mixed.
    ///
    /// # Errors
    ///
    /// When no format reads a fifth of the lines. The error shows the first lines, what was tried, and how to name a format.
    pub fn detect(sample: &[&[u8]]) -> Result<Self, DetectError> {
        let found = detect::detect(sample)?;
        Ok(Self::with_formats(found.formats, found.why))
    }

    /// The reader of a format that a person names, by name (`combined`, `iis`, `haproxy`, `alb`, `cloudfront`, `caddy`,
    /// `json`) or as what the server's configuration says: an Apache `LogFormat`, an nginx `log_format`, a `#Fields` line.
    ///
    /// # Errors
    ///
    /// All that is wrong with it, at once, with the column.
    pub fn compile(spec: &str) -> Result<Self, FormatError> {
        Ok(Self::with_formats(vec![named::compile(spec)?], "named".to_owned()))
    }

    fn with_formats(formats: Vec<Format>, why: String) -> Self {
        let mut names: Vec<&str> = formats.iter().map(|format| format.name.as_str()).collect();
        names.dedup();
        Self { name: names.join(" and "), formats, why, unescaped: Vec::new() }
    }

    /// What the format is called: `combined`, `nginx log_format`, `iis`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why this format: `named`, or how many lines of the sample fit it.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// What a person should know about how the format is read: guessed units, stamps without a time zone.
    pub fn notes(&self) -> Vec<String> {
        self.formats.iter().flat_map(Format::notes).collect()
    }

    /// Time zone of stamps that name none, in seconds east of Greenwich; UTC until this is called.
    pub fn set_zone(&mut self, offset_s: i32) {
        for format in &mut self.formats {
            format.draft = Draft::in_zone(offset_s);
        }
    }

    /// What `line` is. `line` has no line end.
    pub fn line<'a>(&'a mut self, line: &'a [u8]) -> Line<'a> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Line::Blank;
        }
        if line.len() > LINE_BYTES_MAX {
            let reason = format!("the line has {} bytes; the longest that is read has {LINE_BYTES_MAX}", line.len());
            return Line::Rejected(Rejection { reason, at: LINE_BYTES_MAX });
        }
        let (line, lead) = wrapped::unwrapped(line, &mut self.unescaped);
        if line.starts_with(b"#Fields:") && !self.formats.iter().any(Format::is_w3c) {
            // A file of another format goes on with one that says what it is.
            self.formats.push(Format::w3c(W3c::usual(w3c::IIS)));
        }
        let mut first = None;
        let is_header = line.starts_with(b"#Fields:");
        for format in self.formats.iter_mut().filter(|format| !is_header || format.is_w3c()) {
            match format.line(line) {
                Line::Rejected(rejection) => {
                    first.get_or_insert(rejection);
                }
                other => return other,
            }
        }
        match first {
            Some(Rejection { reason, at }) if !line.starts_with(b"#") || is_header => {
                Line::Rejected(Rejection { reason, at: lead + at })
            }
            _ => Line::Comment,
        }
    }
}

/// One format, and what it remembers from line to line.
#[derive(Clone, Debug)]
struct Format {
    name: String,
    kind: Kind,
    notes: Vec<String>,
    /// Apache and nginx write it alike, and mean different ends of the exchange.
    is_ambiguous: bool,
    draft: Draft,
}

/// How lines are taken apart.
#[derive(Clone, Debug)]
enum Kind {
    Template(Template),
    W3c(W3c),
    Haproxy,
    Json(Json),
    /// JSON of which the first line with a request will tell what its members mean.
    AnyJson,
}

impl Format {
    fn new(name: &str, kind: Kind) -> Self {
        Self { name: name.to_owned(), kind, notes: Vec::new(), is_ambiguous: false, draft: Draft::default() }
    }

    fn template(name: &str, template: Template) -> Self {
        Self::new(name, Kind::Template(template))
    }

    fn w3c(w3c: W3c) -> Self {
        Self::new(w3c.name(), Kind::W3c(w3c))
    }

    fn haproxy() -> Self {
        Self::new("haproxy", Kind::Haproxy)
    }

    fn json(name: &str, json: Json) -> Self {
        Self::new(name, Kind::Json(json))
    }

    fn any_json() -> Self {
        Self::new("json", Kind::AnyJson)
    }

    fn is_w3c(&self) -> bool {
        matches!(self.kind, Kind::W3c(_))
    }

    /// What its values mean.
    fn fields(&self) -> Vec<&Field> {
        match &self.kind {
            Kind::Template(template) => template.fields().collect(),
            Kind::W3c(w3c) => w3c.fields().collect(),
            Kind::Json(json) => json.fields().into_iter().map(|(field, _)| field).collect(),
            Kind::Haproxy | Kind::AnyJson => Vec::new(),
        }
    }

    /// What a person should know.
    fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        match &self.kind {
            Kind::W3c(w3c) => notes.extend(w3c.notes()),
            Kind::Json(json) => notes.extend_from_slice(json.notes()),
            Kind::Haproxy => notes.push(haproxy::NOTE.to_owned()),
            Kind::Template(_) | Kind::AnyJson => {}
        }
        let fields = self.fields();
        if fields.iter().any(|field| field.may_lack_zone()) {
            notes.push("stamps name no time zone".to_owned());
        }
        let is_begin = |field: &&Field| field.moment() == Some(Moment::Begin);
        let is_end = |field: &&Field| field.is_stamp() && !is_begin(field);
        let has_durations = fields.iter().any(|field| field.is_duration())
            || matches!(&self.kind, Kind::W3c(w3c) if w3c.has_durations_in_part());
        if fields.iter().any(is_end) && !fields.iter().any(is_begin) && !has_durations {
            notes.push(
                "the log tells when requests ended and not how long they took, so arrivals are taken too late by that time"
                    .to_owned(),
            );
        }
        notes
    }

    /// What `line`, which is not blank, is.
    fn line<'a>(&'a mut self, line: &'a [u8]) -> Line<'a> {
        self.draft.clear();
        if let Err(rejection) = self.values(line) {
            return match rejection {
                Some(rejection) => Line::Rejected(rejection),
                None => Line::Comment,
            };
        }
        match self.draft.finish(line) {
            Ok(record) => Line::Record(record),
            Err(expected) => Line::Rejected(Rejection { reason: format!("the line should have {expected}"), at: 0 }),
        }
    }

    /// Reads the values of `line`; `None` is the error of a comment.
    fn values(&mut self, line: &[u8]) -> Result<(), Option<Rejection>> {
        if matches!(self.kind, Kind::AnyJson)
            && let Ok(json) = json::guess(&[line])
        {
            self.kind = Kind::Json(json);
        }
        let read = match &mut self.kind {
            Kind::Template(template) => template.read(line, &mut self.draft),
            Kind::W3c(w3c) if line.starts_with(b"#") => {
                w3c.directive(line, &mut self.draft).map_err(Some)?;
                w3c.name().clone_into(&mut self.name);
                return Err(None);
            }
            Kind::W3c(w3c) => w3c.read(line, &mut self.draft),
            Kind::Haproxy => haproxy::read(line, &mut self.draft),
            Kind::Json(json) => json.read(line, &mut self.draft),
            Kind::AnyJson => {
                let reason = json::guess(&[line]).err().unwrap_or_default();
                Err(Rejection { reason, at: 0 })
            }
        };
        read.map_err(Some)
    }
}
