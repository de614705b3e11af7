//! The flags of `nmax import log`.

use std::path::PathBuf;

use clap::Args;

/// Access logs as a plan.
#[derive(Debug, Args)]
pub struct LogArgs {
    /// Access logs, plain or gzip; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Print what was found as JSON
    #[arg(long)]
    pub json: bool,
}
