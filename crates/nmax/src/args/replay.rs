//! The flags of `nmax replay`.

use std::path::PathBuf;

use clap::Args;
use nmax_log::replay::Rewrite;

use super::safety::SafetyArgs;
use super::values::{header, pair, share, speed};
use super::{ExportArgs, KeepArgs, OutputArgs, PlanArgs, PlanlessArgs, ReachArgs, ReadLogArgs, RunArgs, WireArgs};
use crate::complete::candidates;

const REPLAY_EXAMPLES: &str = "\
Examples:
  nmax replay access.log --target http://127.0.0.1:8080            every request at its own time
  nmax replay access.log --target http://127.0.0.1:8080 --peak-hour --speed 2
  nmax replay access.log.gz --target http://staging:8080 --copies 3 --allow-target staging
  nmax replay access.log --target http://127.0.0.1:8080 --rewrite '^/v1/=>/v2/' --set-param token=abc

--speed replays faster, --copies sends copies at once, --thin leaves requests out: three different tests, and the result \
names them. A log has no bodies and no sessions, so only GET, HEAD and OPTIONS are sent, unless --methods or --all-methods \
says otherwise. Requests left out are counted. A reply is ok when its status is of the log's class or a better one: 2xx \
before 3xx before 4xx before 5xx.

Exit codes: 0 pass, 2 usage or no log that can be read, 3 threshold failed, 4 INVALID, 5 target unreachable, \
130 interrupted.";

/// A log, sent again.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
#[command(mut_arg("name", |arg| arg.help("Name of the run [default: the log and its pace]")))]
pub struct ReplayArgs {
    #[command(flatten)]
    pub read: ReadLogArgs,
    /// Replay K times faster: rates rise, bursts and pauses become shorter
    #[arg(long, value_name = "K", value_parser = speed, conflicts_with_all = ["copies", "thin"], help_heading = PACE)]
    pub speed: Option<f64>,
    /// Send K copies at once, each shifted by less than a minute: rates rise, the length stays
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "thin",
          help_heading = PACE)]
    pub copies: Option<u32>,
    /// Send only this share of the requests, drawn at random, as in 10%
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = PACE)]
    pub thin: Option<f64>,
    /// Only requests with these methods, as in GET,DELETE; a log has no bodies, so requests have none
    #[arg(long, value_name = "METHOD,..", value_delimiter = ',', conflicts_with = "all_methods", help_heading = CHANGE)]
    pub methods: Vec<String>,
    /// Send requests with every method, also those that change data
    #[arg(long, help_heading = CHANGE)]
    pub all_methods: bool,
    /// Send the target's name as `host`, instead of the log's
    #[arg(long, help_heading = CHANGE)]
    pub rewrite_host: bool,
    /// Change path and query: what matches becomes the text, in which $1 is the first group; may be repeated
    #[arg(long, value_name = "REGEX=>TEXT", value_parser = rewrite, help_heading = CHANGE)]
    pub rewrite: Vec<Rewrite>,
    /// Set this query parameter in every request; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, help_heading = CHANGE)]
    pub set_param: Vec<(String, String)>,
    /// Header of every request, may be repeated
    #[arg(short = 'H', long = "header", value_name = "'NAME: VALUE'", value_parser = header, help_heading = CHANGE)]
    pub headers: Vec<(String, String)>,
    /// Base URL of all requests [default: the one in the log, if any]
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,
    /// Replace a value of the plan that is made of the log, as in defaults.timeout=5s or thresholds=null
    #[arg(long, value_name = "PATH=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
    /// Seed of every random choice: instants within a second, shifts of copies
    #[arg(long)]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub reach: ReachArgs,
    #[command(flatten)]
    pub safety: SafetyArgs,
    #[command(flatten)]
    pub keep: KeepArgs,
    #[command(flatten)]
    pub export: ExportArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

impl ReplayArgs {
    /// The flags of a run of the plan that the log becomes.
    pub fn run(&self) -> RunArgs {
        RunArgs {
            what: String::new(),
            plan: PlanArgs {
                target: self.target.clone(),
                set: self.set.clone(),
                seed: self.seed,
                reach: self.reach.clone(),
                ..PlanArgs::default()
            },
            safety: self.safety.clone(),
            output: self.output.clone(),
            ui: None,
            no_smoke: true,
            allow_exec: false,
            keep: self.keep.clone(),
            export: self.export.clone(),
            wire: WireArgs::default(),
            show_secrets: false,
            run_id: None,
            planless: PlanlessArgs::default(),
        }
    }
}

const FIDELITY_EXAMPLES: &str = "\
Examples:
  nmax fidelity last                               the comparison of the last run again
  nmax fidelity last --source shop.traffic.json    the same run beside another traffic profile

A run is compared with its source when its plan names one (`source: NAME.traffic.json`, which `nmax import log` writes) \
and when a log is replayed.";

/// A run beside its source.
#[derive(Debug, Args)]
#[command(after_help = FIDELITY_EXAMPLES)]
pub struct FidelityArgs {
    /// A run: `last`, an id, the beginning of one, or a directory
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// Traffic profile to compare with, instead of the run's own source
    #[arg(long, value_name = "FILE")]
    pub source: Option<PathBuf>,
    /// Directory of the runs
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
    /// Also show what is alike
    #[arg(long)]
    pub wide: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

/// Where the flags stand in the help.
const PACE: &str = "Pace";
const CHANGE: &str = "What is sent";

fn rewrite(text: &str) -> Result<Rewrite, String> {
    Rewrite::parse(text).map_err(|error| format!("{error}: write 'REGEX=>TEXT', such as '^/v1/=>/v2/'"))
}
