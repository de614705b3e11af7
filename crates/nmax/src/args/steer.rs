//! `nmax steer`, as typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use nmax_plan::units::parse_rate;

use super::values::duration;
use crate::complete::candidates;

const STEER_EXAMPLES: &str = "\
Examples:
  nmax steer last --load 200/s               200 iterations per second, from the next second on
  nmax steer last --load 50 --ramp 10s       50 virtual users, ten seconds from now
  nmax steer last --hold                     keep the load as it is now, until the planned end
  nmax steer last --stop                     end the load; requests under way may end

The change is recorded: the run is marked as steered, its gates and statistics use the changed stages, and `nmax run \
runs/DIR` runs the same stages again.

Exit codes: 0 the run does it, 2 it does not, 5 it did not answer.";

/// Another load for a running run.
#[derive(Debug, Args)]
#[command(after_help = STEER_EXAMPLES)]
pub struct SteerArgs {
    /// A run that goes on: `last`, an id, the beginning of one, or a directory
    #[arg(value_name = "RUN", add = candidates::runs())]
    pub run: String,
    #[command(flatten)]
    pub wish: WishArgs,
    /// Length of the linear way to the new load [default: at once]
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "load")]
    pub ramp: Option<Duration>,
    /// Directory of the runs
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
}

/// One of these.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct WishArgs {
    /// The load from now on: a rate such as 200/s, or a number of virtual users of a closed workload
    #[arg(long, value_name = "LEVEL", value_parser = level, allow_hyphen_values = true)]
    pub load: Option<Level>,
    /// Keep the load as it is now
    #[arg(long)]
    pub hold: bool,
    /// End the load
    #[arg(long)]
    pub stop: bool,
}

/// How much load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// Iterations per second.
    PerSecond(f64),
    /// Virtual users.
    Vus(f64),
}

fn level(text: &str) -> Result<Level, String> {
    if text.contains('/') {
        return parse_rate(text).map(Level::PerSecond).map_err(|error| error.to_string());
    }
    let vus = text.parse::<f64>().map_err(|_| "write a rate such as 200/s, or a number of virtual users".to_owned())?;
    Ok(Level::Vus(vus))
}
