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
//! - `named`: formats by name; `detect`: the format of a sample of lines.

mod error;
pub mod lines;

pub use error::{DetectError, FormatError};

use crate::record::{Line, Rejection};

/// Longest line that is read, in bytes.
pub const LINE_BYTES_MAX: usize = 1 << 20;

/// Reads the lines of one file, or of several of the same format.
///
/// It is cheap to clone, so each thread may have its own. It remembers only what the format makes it remember: the last
/// `#Fields` and `#Date`, and the last stamp.
#[derive(Clone, Debug)]
pub struct Reader {
    name: String,
    why: String,
    notes: Vec<String>,
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
        Err(DetectError::of(sample, Vec::new()))
    }

    /// The reader of a format that a person names, by name (`combined`, `iis`, `haproxy`, `alb`, `cloudfront`, `caddy`,
    /// `json`) or as what the server's configuration says: an Apache `LogFormat`, an nginx `log_format`, a `#Fields` line.
    ///
    /// # Errors
    ///
    /// All that is wrong with it, at once, with the column.
    pub fn compile(spec: &str) -> Result<Self, FormatError> {
        Err(FormatError::unknown(spec))
    }

    /// What the format is called: `combined`, `nginx log_format`, `iis`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why this format: `chosen by name`, or how many lines of the sample fit it.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// What a person should know about how the format is read: guessed units, stamps without a time zone.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Time zone of stamps that name none, in seconds east of Greenwich; UTC until this is called.
    pub fn set_zone(&mut self, _offset_s: i32) {}

    /// What `line` is. `line` has no line end.
    pub fn line<'a>(&'a mut self, line: &'a [u8]) -> Line<'a> {
        if line.trim_ascii().is_empty() {
            return Line::Blank;
        }
        Line::Rejected(Rejection {
            reason: "no format".to_owned(),
            at: 0,
        })
    }
}
