//! The flags of `nmax compare`, `nmax trend` and `nmax runs`.

use std::path::PathBuf;

use clap::Args;
use nmax_analysis::compare::Metric;
use nmax_run::trend::RunFilter;

use super::values::{share, zone};
use crate::complete::candidates;

const COMPARE_EXAMPLES: &str = "\
Examples:
  nmax compare 3f2a last                           the run 3f2a and the newest one
  nmax compare --before a1 a2 a3 a4 --after b1 b2 b3 b4
  nmax compare tag:before tag:after                all runs with these labels
  nmax compare access.log last                     production and a run
  nmax compare tag:main last -o compare.html -o compare.md

One run per side shows large changes only, and the result is called weak. Several runs per side, \
best alternating, show small ones. Each row says worse, better, equivalent or inconclusive against --margin.

Exit codes: 0 no row is worse, 2 usage, 3 a row is worse, 4 the sides may not be compared (INVALID, another load, cut \
off; see --force), or with --strict a row is inconclusive.";

/// Before and after.
#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXAMPLES)]
pub struct BeforeAfterArgs {
    /// The two sides, before and after: a run (`last`, an id, the beginning of one, a directory), `tag:LABEL`,
    /// `name:NAME`, or an access log
    #[arg(value_name = "RUN", num_args = 0..=2, conflicts_with_all = ["before", "after"], add = candidates::sides())]
    pub sides: Vec<String>,
    /// Runs before the change
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "after", add = candidates::sides())]
    pub before: Vec<String>,
    /// Runs after it
    #[arg(long, value_name = "RUN", num_args = 1.., requires = "before", add = candidates::sides())]
    pub after: Vec<String>,
    /// Smallest change that matters, as a ratio
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "5%")]
    pub margin: f64,
    /// Smallest difference of failure rates that matters
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0.5%")]
    pub failure_margin: f64,
    /// Only this metric, as in 'response_time p95'; may be repeated. With fewer rows, smaller changes are detected
    #[arg(long, value_name = "METRIC", value_parser = metric, add = candidates::metrics())]
    pub metric: Vec<Metric>,
    /// Only this request, or `total`; may be repeated
    #[arg(long, value_name = "NAME")]
    pub request: Vec<String>,
    /// Don't use other runs to learn how much equal runs differ
    #[arg(long)]
    pub no_history: bool,
    /// Compare even runs that should not be compared
    #[arg(long)]
    pub force: bool,
    /// Exit with 4 when a row is inconclusive
    #[arg(long)]
    pub strict: bool,
    /// Exit with 0 even when a row is worse (3) or the sides should not be compared (4)
    #[arg(long)]
    pub exit_zero: bool,
    /// Format of access logs, as for `nmax import log`
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Time zone of access-log timestamps without one, as in +01:00
    #[arg(long, value_name = "OFFSET", value_parser = zone, default_value = "+00:00", allow_hyphen_values = true)]
    pub zone: i32,
    /// Show every row, also those that are equivalent or inconclusive
    #[arg(long)]
    pub wide: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Also write a file: .html, .md or .json; may be repeated
    #[arg(short, long, value_name = "FILE", value_parser = page)]
    pub output: Vec<PathBuf>,
    /// Directory of the runs
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
}

const TREND_EXAMPLES: &str = "\
Examples:
  nmax trend shop                                  p95 of all runs with this name, and its lasting changes
  nmax trend --tag nightly --metric throughput
  nmax trend shop --request checkout --gate        for CI: 3 when the last change was for the worse

Exit codes: 0, 2 usage or no such run, and with --gate 3 the last change is for the worse, 4 fewer than six runs.";

/// A figure over many runs.
#[derive(Debug, Args)]
#[command(after_help = TREND_EXAMPLES)]
pub struct TrendArgs {
    /// Name of the runs [default: any]
    #[arg(value_name = "NAME", add = candidates::names())]
    pub name: Option<String>,
    #[command(flatten)]
    pub of: OfRuns,
    /// The metric
    #[arg(long, value_name = "METRIC", value_parser = metric, default_value = "response_time p95", add = candidates::metrics())]
    pub metric: Metric,
    /// The request
    #[arg(long, value_name = "NAME", default_value = "total")]
    pub request: String,
    /// Smallest change that matters; of a failure rate, the difference [default: 5%, of a failure rate 0.5%]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub margin: Option<f64>,
    /// Exit with 3 when the last change is for the worse
    #[arg(long)]
    pub gate: bool,
    /// Exit with 0 where --gate would give 3 or 4
    #[arg(long)]
    pub exit_zero: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Also write a file: .html or .json; may be repeated
    #[arg(short, long, value_name = "FILE", value_parser = page)]
    pub output: Vec<PathBuf>,
    /// Directory of the runs
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
}

#[derive(Debug, Args)]
pub struct RunsArgs {
    /// Directory of the runs
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
    /// Only runs of this name
    #[arg(long, value_name = "NAME", add = candidates::names())]
    pub name: Option<String>,
    #[command(flatten)]
    pub of: OfRuns,
    /// Only runs with this verdict
    #[arg(long, value_parser = ["pass", "fail", "invalid"])]
    pub verdict: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

/// Which runs.
#[derive(Clone, Debug, Default, Args)]
pub struct OfRuns {
    /// Only runs with this label; may be repeated, and a run must have all
    #[arg(long, value_name = "TAG", add = candidates::tags())]
    pub tag: Vec<String>,
    /// Only runs on this base URL, or on one that begins so
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,
    /// Only the newest N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub last: Option<u32>,
}

impl OfRuns {
    /// Which runs are meant.
    pub fn which(&self) -> RunFilter {
        RunFilter { tag: self.tag.clone(), target: self.target.clone(), last: self.last }
    }
}

/// A metric by its name.
fn metric(text: &str) -> Result<Metric, String> {
    Metric::named(text).ok_or_else(|| {
        let names: Vec<String> = Metric::ALL.map(|metric| format!("'{}'", metric.name())).into();
        format!("write one of {}", names.join(", "))
    })
}

/// A file whose ending says what is written.
fn page(text: &str) -> Result<PathBuf, String> {
    let file = PathBuf::from(text);
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending {
        "html" | "htm" | "md" | "json" => Ok(file),
        _ => Err("the file extension is not supported: use .html, .md or .json".into()),
    }
}
