//! The report in the summary of a CI job: Markdown, appended to the file that the job names.
//!
//! GitHub refuses the whole summary of a step above 1 MiB, that of other programs included. So the file is looked at first, and what is
//! appended leaves it far below.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

use nmax_report::{View, markdown, report};

/// Size up to which reports are appended, bytes: three of them at their longest, and room for what others write.
pub const BYTES_MAX: u64 = 200_000;
/// Size up to which a line that says so is.
const LINE_BYTES_MAX: u64 = 900_000;

/// What became of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It is there.
    Whole,
    /// Its verdict is: the file was too long for the rest.
    Line,
    /// Nothing is: the file was too long.
    Nothing,
}

/// Appends the report of a run.
///
/// # Errors
/// When the file cannot be written.
pub fn append(file: &Path, view: &View) -> io::Result<Appended> {
    let document = report::run(view);
    let page = format!("{}\n", markdown::write(&document));
    let mut open = OpenOptions::new().append(true).create(true).open(file)?;
    let size = open.metadata()?.len();
    let line = || {
        let first = page.lines().next().unwrap_or_default();
        format!("{first}\n\nThe report is left out: this summary has {size} bytes already.\n\n")
    };
    let (text, appended) = match size {
        _ if size + page.len() as u64 <= BYTES_MAX => (page.clone(), Appended::Whole),
        _ if size < LINE_BYTES_MAX => (line(), Appended::Line),
        _ => (String::new(), Appended::Nothing),
    };
    // One write: others may append to it at the same time.
    open.write_all(text.as_bytes())?;
    Ok(appended)
}
