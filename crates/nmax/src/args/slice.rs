//! The flags of `nmax slice`.

use std::path::PathBuf;

use clap::Args;
use nmax_run::logs::Ask;
use nmax_run::slices::Wanted;
use nmax_slice::Request;

use super::values::{choice, path_template, zone};
use crate::complete::candidates;

const SLICE_EXAMPLES: &str = "\
Examples:
  nmax slice --by name,status                                   the last run, by request and status
  nmax slice 20en --by name --where 'status >= 500' --over time when each request failed
  nmax slice last --by 'images=\\.(png|jpg)$' --show count,p95,bytes
  nmax slice last --where 'response > 1s' --by scenario,worker --save slow
  nmax slice last --saved slow --csv
  nmax slice access.log access.log.1.gz --by template,class --show count,p95 --sort p95

Conditions: COLUMN = != < <= > >= ~ !~ VALUE, joined by and, or, not and brackets; `~` is a regular expression. Columns \
and measures: docs/reference/slice.md.

Exit codes: 0 shown, 2 usage or nothing that can be read.";

/// Exchanges by whatever tells them apart.
#[derive(Debug, Args)]
#[command(after_help = SLICE_EXAMPLES)]
pub struct SliceArgs {
    /// A run (`last`, an id, the beginning of one, or a directory), or access logs, plain or gzip [default: last]
    #[arg(value_name = "RUN|LOG", add = candidates::runs_or_files())]
    pub what: Vec<PathBuf>,
    /// Only requests that match, as in 'status >= 500 and name ~ ^item'; several must all match
    #[arg(short = 'w', long = "where", value_name = "CONDITION")]
    pub filter: Vec<String>,
    /// Group by these columns, as in name,status; spans as in time:10s; a tag as in 'images=\.png$'
    #[arg(short, long, value_name = "COLUMNS")]
    pub by: Vec<String>,
    /// Make a column of a regular expression: its first group, or yes and no, as in 'lang=path~^/(..)/'
    #[arg(long, value_name = "NAME=[COLUMN~]REGEX")]
    pub tag: Vec<String>,
    /// Measures of each group [default: count,failure_rate,rate,p50,p95,p99]
    #[arg(short, long, value_name = "MEASURES")]
    pub show: Vec<String>,
    /// Sort by this measure, largest first, or by `key` [default: count]
    #[arg(long, value_name = "MEASURE")]
    pub sort: Option<String>,
    /// Rows to show; the rest is one row [default: 20]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Second axis: `--over time`
    #[arg(long, value_parser = ["time"], value_name = "WHAT")]
    pub over: Option<String>,
    /// The same as --over time
    #[arg(short = 't', long)]
    pub over_time: bool,
    /// Width of a time bucket, as in 10s; implies --over time
    #[arg(long, value_name = "TIME")]
    pub every: Option<String>,
    /// Part of a run: hold, or whole with ramps and warm-up [default: hold]
    #[arg(long, value_parser = ["hold", "whole"], value_name = "PHASE")]
    pub phase: Option<String>,
    /// Data to read: requests kept one by one (samples), or sums per second (windows)
    #[arg(long, value_parser = choice(SOURCES), value_name = "SOURCE", default_value = "auto")]
    pub source: Wanted,
    /// Print as CSV
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Also write the chosen exchanges of a run to a Parquet file, for DuckDB, pandas, Polars
    #[arg(long, value_name = "FILE")]
    pub parquet: Option<PathBuf>,
    /// Save this slice under a name, in slices.toml of the runs directory
    #[arg(long, value_name = "NAME", conflicts_with = "saved")]
    pub save: Option<String>,
    /// Use the saved slice of this name; other flags override parts of it
    #[arg(long, value_name = "NAME", add = candidates::slices())]
    pub saved: Option<String>,
    /// List the saved slices
    #[arg(long, conflicts_with_all = ["save", "saved"])]
    pub list: bool,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
    /// Directory of the runs
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
    /// Format of the logs, when nmax does not detect it: a name, or what the server's configuration says
    #[arg(long, value_name = "FORMAT", help_heading = "Logs")]
    pub format: Option<String>,
    /// Time zone of times and of timestamps without one, as in +01:00
    #[arg(long, value_name = "OFFSET", value_parser = zone, default_value = "+00:00", allow_hyphen_values = true, help_heading = "Logs")]
    pub zone: i32,
    /// Only requests since this time, as in '2026-11-20 18:00'
    #[arg(long, value_name = "TIME", help_heading = "Logs")]
    pub from: Option<String>,
    /// Only requests before this time
    #[arg(long, value_name = "TIME", help_heading = "Logs")]
    pub to: Option<String>,
    /// Only requests of this host, where the log names hosts
    #[arg(long, value_name = "HOST", help_heading = "Logs")]
    pub host: Option<String>,
    /// Count paths that differ only at `*` as one request, as in '/products/*'; may be repeated
    #[arg(long, value_name = "PATH", value_parser = path_template, help_heading = "Logs")]
    pub template: Vec<String>,
}

/// What of a run is read.
const SOURCES: [(&str, Wanted, &str); 3] = [
    (
        "auto",
        Wanted::Any,
        "Every exchange where all were kept; else the sums of each second where they can tell; else what was kept",
    ),
    ("samples", Wanted::Samples, ""),
    ("windows", Wanted::Windows, ""),
];

impl SliceArgs {
    /// What is asked.
    pub fn request(&self) -> Request {
        Request {
            filter: self.filter.clone(),
            by: self.by.clone(),
            tags: self.tag.clone(),
            show: self.show.clone(),
            sort: self.sort.clone(),
            top: self.top,
            is_over_time: self.over.is_some() || self.over_time || self.every.is_some(),
            every: self.every.clone(),
        }
    }

    /// How the logs are read.
    pub fn logs(&self) -> Ask {
        Ask {
            files: self.what.clone(),
            format: self.format.clone(),
            zone_s: self.zone,
            host: self.host.clone(),
            from: self.from.clone(),
            to: self.to.clone(),
            ..Ask::default()
        }
    }
}
