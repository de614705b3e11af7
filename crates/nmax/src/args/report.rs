//! The flags of `nmax report`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::complete::candidates;

const REPORT_EXAMPLES: &str = "\
Examples:
  nmax report last                                 writes report.html into the run's directory
  nmax report last -o load.pdf -o comment.md -o results.xml
  nmax report 3f2a --baseline 2b1c -o load.html    with a comparison
  nmax report 3f2a 2b1c last -o week.pdf           three runs in one summary
  nmax report --campaign release-7 -o summary.html the runs with this label, from smoke to flood

Exit codes: 0; 2 usage, or a run that cannot be read, after all others were written; a summary of several runs ends with \
its verdict: 3 a run fails, 4 a run is INVALID or did not come to its end; 5 a file cannot be written.";

/// What is written, of which runs.
#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub struct ReportArgs {
    /// Runs: `last`, an id, the beginning of one, or a directory. Several with -o or --format are one summary, several
    /// without have their report.html written again [default: last]
    #[arg(value_name = "RUN", add = candidates::runs())]
    pub runs: Vec<String>,
    /// One summary of all runs with this label, oldest first: a row for each, what changed between them, one verdict
    #[arg(long, value_name = "TAG", conflicts_with = "runs", add = candidates::tags())]
    pub campaign: Option<String>,
    /// Compare the run with this one in its report, or with all runs of `tag:LABEL` or `name:NAME`
    #[arg(long, value_name = "RUN", conflicts_with = "campaign", add = candidates::sides())]
    pub baseline: Option<String>,
    /// Format [default: that of the file's extension, else html]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
    /// File to write: .html, .pdf, .md, .csv, .json, .xml (JUnit) or .txt; may be repeated; `-` is standard output
    /// [default: report.html in the run's directory, or standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Exit with 0 even when the summary of several runs is FAIL (3) or INVALID (4)
    #[arg(long)]
    pub exit_zero: bool,
    /// Directory of the runs
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One page with everything
    Html,
    /// A few pages, to be sent
    Pdf,
    /// Markdown, for a comment on a pull request
    Md,
    /// A row per request, level or run
    Csv,
    /// summary.json
    Json,
    /// A test suite for CI
    #[value(alias = "xml")]
    Junit,
    /// The table of the terminal
    #[value(alias = "txt")]
    Text,
}

impl Format {
    /// The format that a file's extension names; HTML without one.
    ///
    /// # Errors
    /// No format has this extension; the text says which there are.
    pub fn named_by(file: &Path) -> Result<Self, String> {
        let extension = file.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        Ok(match extension.as_deref() {
            None | Some("html" | "htm") => Self::Html,
            Some("pdf") => Self::Pdf,
            Some("md") => Self::Md,
            Some("csv") => Self::Csv,
            Some("json") => Self::Json,
            Some("xml") => Self::Junit,
            Some("txt") => Self::Text,
            Some(_) => {
                return Err(format!(
                    "{}: no format has this extension\n  help: use .html, .pdf, .md, .csv, .json, .xml or .txt, or name the \
                     format with --format",
                    file.display()
                ));
            }
        })
    }
}
