//! The flags of `nmax replay`.

use std::path::PathBuf;

use clap::Args;
use nmax_log::replay::Rewrite;

use super::safety::SafetyArgs;
use super::values::{header, observed, pair, resolve, share, speed};
use super::{OutputArgs, PlanArgs, PlanlessArgs, ReadLogArgs, RunArgs, Samples, WireArgs};
use crate::complete::candidates;

const REPLAY_EXAMPLES: &str = "\
Examples:
  nmax replay access.log --target http://127.0.0.1:8080            every request at its own time
  nmax replay access.log --target http://127.0.0.1:8080 --peak-hour --speed 2
  nmax replay access.log.gz --target http://staging:8080 --copies 3 --allow-target staging
  nmax replay access.log --target http://127.0.0.1:8080 --rewrite '^/v1/=>/v2/' --set-param token=abc

--speed passes time faster, --copies lays copies over each other, --thin leaves requests out: three different tests,
named so in the result. A log has neither bodies nor sessions, so only GET, HEAD and OPTIONS are sent, unless --methods
or --all-methods says otherwise. Whatever is left out is counted. A reply is ok when its status is no worse than the
log's.

Exit codes: 0 pass, 2 usage or no log that can be read, 3 threshold failed, 4 INVALID, 5 target unreachable,
130 interrupted.";

/// A log, sent again.
#[derive(Debug, Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub read: ReadLogArgs,
    /// Pass time K times faster: rates rise, bursts and pauses become shorter
    #[arg(long, value_name = "K", value_parser = speed, conflicts_with_all = ["copies", "thin"], help_heading = PACE)]
    pub speed: Option<f64>,
    /// Lay K copies over each other, each shifted by less than a minute: rates rise, the time axis stays
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000), conflicts_with = "thin",
          help_heading = PACE)]
    pub copies: Option<u32>,
    /// Send only this share of the requests, drawn at random, as in 10%
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = PACE)]
    pub thin: Option<f64>,
    /// Send requests of these methods, as in GET,DELETE; bodies are not in a log, so requests go without
    #[arg(long, value_name = "METHOD,..", value_delimiter = ',', conflicts_with = "all_methods", help_heading = CHANGE)]
    pub methods: Vec<String>,
    /// Send requests of every method, also those that change data
    #[arg(long, help_heading = CHANGE)]
    pub all_methods: bool,
    /// Send the target's name as `host`, in place of the log's
    #[arg(long, help_heading = CHANGE)]
    pub rewrite_host: bool,
    /// Change path and query: what matches becomes the text, in which $1 is the first group; may be repeated
    #[arg(long, value_name = "REGEX=>TEXT", value_parser = rewrite, help_heading = CHANGE)]
    pub rewrite: Vec<Rewrite>,
    /// Give every request this query parameter, in place of its own of that name; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair, help_heading = CHANGE)]
    pub set_param: Vec<(String, String)>,
    /// Header of every request, may be repeated
    #[arg(short = 'H', long = "header", value_name = "'NAME: VALUE'", value_parser = header, help_heading = CHANGE)]
    pub headers: Vec<(String, String)>,
    /// Base URL that everything goes to [default: the one that the log names, if it does]
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,
    /// Replace a value of the plan that the log becomes, as in defaults.timeout=5s or thresholds=null
    #[arg(long, value_name = "PATH=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
    /// Initial value of every random choice: instants within a second, shifts of copies
    #[arg(long)]
    pub seed: Option<u64>,
    /// Watch this besides, as in process=nginx, agent=http://db1:9797, prometheus=URL, postgres=URL, redis=HOST:PORT,
    /// memcached=HOST:PORT, nginx=URL, log=FILE; may be repeated
    #[arg(long, value_name = "KIND=WHERE", value_parser = observed)]
    pub observe: Vec<(String, String)>,
    /// Accept any TLS certificate
    #[arg(long)]
    pub insecure: bool,
    /// PEM file with an issuer to trust, may be repeated
    #[arg(long, value_name = "FILE")]
    pub ca: Vec<String>,
    /// Go through this HTTP proxy, as in http://user:password@10.0.0.9:3128
    #[arg(long, value_name = "URL")]
    pub proxy: Option<String>,
    /// Local addresses that connections leave from, in turn
    #[arg(long, value_name = "ADDRESS,..", value_delimiter = ',')]
    pub source: Vec<std::net::IpAddr>,
    /// Where a name leads, in place of asking, as in shop.test:443:10.0.0.7; may be repeated
    #[arg(long, value_name = "HOST[:PORT]:ADDRESS[:PORT],..", value_parser = resolve)]
    pub resolve: Vec<nmax_plan::plan::HostOverride>,
    #[command(flatten)]
    pub safety: SafetyArgs,
    /// Worker threads [default: one per core, one less when the target is on this host]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub workers: Option<u32>,
    /// Pin worker i to the i-th of these CPUs, as in 0,2,4
    #[arg(long, value_name = "CPUS", value_delimiter = ',')]
    pub pin: Vec<usize>,
    /// Exchanges kept one by one in samples-NNNN.parquet
    #[arg(long, value_enum, default_value_t = Samples::Some)]
    pub samples: Samples,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
    /// Name of the run [default: the log and its pace]
    #[arg(long)]
    pub name: Option<String>,
    /// Why this run is made, in your words
    #[arg(long, default_value = "", hide_default_value = true)]
    pub note: String,
    /// Label, may be repeated
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Also write a JUnit file; `-` is standard output, in place of the table
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Also write a CSV file with a row per request; `-` is standard output, in place of the table
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// End with 0 even when a threshold failed (3), the run is INVALID (4) or the target unreachable (5)
    #[arg(long)]
    pub exit_zero: bool,
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
                observe: self.observe.clone(),
                insecure: self.insecure,
                ca: self.ca.clone(),
                proxy: self.proxy.clone(),
                source: self.source.clone(),
                resolve: self.resolve.clone(),
                ..PlanArgs::default()
            },
            safety: self.safety.clone(),
            output: self.output.clone(),
            no_smoke: true,
            allow_exec: false,
            workers: self.workers,
            pin: self.pin.clone(),
            samples: self.samples,
            runs_dir: self.runs_dir.clone(),
            name: self.name.clone(),
            note: self.note.clone(),
            tag: self.tag.clone(),
            junit: self.junit.clone(),
            csv: self.csv.clone(),
            exit_zero: self.exit_zero,
            wire: WireArgs::default(),
            show_secrets: false,
            planless: PlanlessArgs::default(),
        }
    }
}

const FIDELITY_EXAMPLES: &str = "\
Examples:
  nmax fidelity last                               the comparison of the last run again
  nmax fidelity last --source shop.traffic.json    the same run beside another traffic profile

A run is compared with its source when its plan names one (`source: NAME.traffic.json`, which `nmax import log` writes)
and when a log is replayed.";

/// A run beside its source.
#[derive(Debug, Args)]
#[command(after_help = FIDELITY_EXAMPLES)]
pub struct FidelityArgs {
    /// A run: `last`, an id, the beginning of one, or a directory
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// Traffic profile to compare with, in place of the run's own source
    #[arg(long, value_name = "FILE")]
    pub source: Option<PathBuf>,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
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
