//! The command line, as typed. What it means is decided in [`crate::commands`].

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use nmax_agent::AgentArgs;
use nmax_plan::plan::Profile;
use nmax_run::load::{Changes, is_url};

use crate::complete::candidates;

mod capacity;
mod compare;
mod data;
mod export;
mod fleet;
mod import;
mod log;
mod planless;
mod record;
mod replay;
mod report;
mod safety;
mod scale;
mod serve;
mod slice;
mod steer;
mod target;
mod usl;
mod values;
pub use capacity::{CapacityArgs, CapacityVerb, QuestionArgs};
pub use compare::{BeforeAfterArgs, RunsArgs, TrendArgs};
pub use data::{DataArgs, DataFormat, DataVerb, GenerateArgs, HASHES, MaskArgs, SkewArgs};
pub use export::ExportArgs;
#[cfg(feature = "nats")]
pub use fleet::{
    AbortArgs, AccessArgs, BrokerArgs, DrainArgs, FleetReportArgs, FleetRunArgs, FleetVerb, JoinArgs, KeyArgs, Policy,
};
pub use fleet::{FleetArgs, WatchArgs};
pub use import::{CurlArgs, HarArgs, ImportArgs, ImportVerb, MadeArgs, with_curl_apart};
pub use log::{LogArgs, ReadLogArgs};
pub use planless::PlanlessArgs;
pub use record::RecordArgs;
pub use replay::{FidelityArgs, ReplayArgs};
pub use report::{Format, ReportArgs};
pub use safety::SafetyArgs;
pub use scale::{InjectorsArgs, ScaleArgs};
pub use serve::ServeArgs;
pub use slice::SliceArgs;
pub use steer::{Level, SteerArgs};
pub use target::TargetArgs;
pub use usl::{CompareArgs, FigureArgs, FitArgs, LawArgs, PredictArgs, ReadArgs, UslArgs, UslVerb, WhatIfArgs};
use values::{duration, factor, named, observe_help, observed, pair, resolve, slack};

/// Options whose values may be secrets, whatever is wrong with them.
const SECRETIVE: [&str; 11] = [
    "--header", "--env", "--body", "--proxy", "--set", "--otlp", "--otlp-header", "--remote-write",
    "--remote-write-header", "--webhook", "--webhook-header",
];

/// Options of other tools: as they are typed there, and what nmax has.
const ELSEWHERE: [(&str, &str); 14] = [
    ("-t", "threads of wrk are `--workers`, the time of ab is `-d`"),
    ("-z", "the time of hey and oha is `-d`, as in `-d 10s`"),
    ("-q", "the rate of hey and oha is `-r`, as in `-r 200/s`"),
    ("-R", "the rate of wrk2 is `-r`, as in `-r 2000/s`"),
    ("-m", "the method is `-X`, as in `-X POST`"),
    ("-k", "connections are kept by default; `--close` opens one per request, `--insecure` accepts any certificate"),
    ("-u", "users are `-c`, as in `-c 100`"),
    ("-s", "nmax has no scripts: `nmax init` writes a plan, `nmax record` makes one"),
    ("--threads", "threads of nmax are `--workers`, users are `-c`, as in `-c 100`"),
    ("--users", "users are `-c`, as in `-c 100`"),
    ("--concurrency", "users are `-c`, as in `-c 100`"),
    ("--iterations", "a number of requests is `-n`, as in `-n 1000`"),
    ("--run-time", "the time is `-d`, as in `-d 10s`"),
    ("--rps", "a rate is `-r`, as in `-r 200/s`"),
];

/// What is wrong with a command line, and what to type instead.
pub fn complaint(error: &clap::Error) -> String {
    let said = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(said)) => Some(said.as_str()),
        _ => None,
    };
    let help = match error.kind() {
        ErrorKind::InvalidSubcommand => said(ContextKind::InvalidSubcommand).and_then(|word| {
            let is_run = is_url(word) || [".yaml", ".yml"].iter().any(|end| word.ends_with(end));
            is_run.then(|| format!("to put load on it, write `nmax run {word}`"))
        }),
        ErrorKind::UnknownArgument => said(ContextKind::InvalidArg)
            .and_then(|flag| ELSEWHERE.iter().find(|(known, _)| *known == flag).map(|(_, help)| (*help).to_owned())),
        _ => None,
    };
    match help {
        Some(help) => {
            let first = without_value(error);
            format!("{}\n  help: {help}", first.lines().next().unwrap_or_default())
        }
        None => without_value(error),
    }
}

/// What is wrong with a command line; of the value of an option that may be a secret only the first word.
fn without_value(error: &clap::Error) -> String {
    let text = error.to_string();
    let said = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(said)) => Some(said.as_str()),
        _ => None,
    };
    let of = said(ContextKind::InvalidArg).filter(|of| SECRETIVE.iter().any(|known| of.starts_with(known)));
    let rest = of.and(said(ContextKind::InvalidValue)).and_then(|value| {
        let end = value.find([' ', ':', '='])? + 1;
        Some(&value[end..]).filter(|rest| !rest.trim().is_empty())
    });
    rest.map_or_else(|| text.clone(), |rest| text.replace(rest, nmax_secrets::MASK))
}

const EXAMPLES: &str = "\
Examples:
  nmax run http://127.0.0.1:8080/ -c 64 -d 10s     64 users, one after the other, for 10 s
  nmax run http://127.0.0.1:8080/ -r 2000/s        2,000 requests per second, whether replies come or not
  nmax init shop.yaml && nmax check shop.yaml      write a plan, see what it will send
  nmax run shop.yaml                               run it; the report is in runs/
  nmax show last                                   the result again";

/// The load-testing instrument whose numbers can be believed.
#[derive(Debug, Parser)]
#[command(name = "nmax", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Put load on a server: a plan, or just a URL
    Run(Box<RunArgs>),
    /// Change the load of a run that goes on, hold it, or stop it
    Steer(SteerArgs),
    /// Find the load with the highest throughput: runs at several levels, and the scalability law behind them
    Scale(Box<ScaleArgs>),
    /// Show what a plan will send, without sending it; `--once` sends one iteration of each scenario
    Check(Box<CheckArgs>),
    /// Write a commented plan to start from
    Init(InitArgs),
    /// Record what you click in a browser, or what any client sends, and make a plan of it
    Record(Box<RecordArgs>),
    /// Make a plan of what users really did: a HAR file, a curl command, access logs
    Import(Box<ImportArgs>),
    /// Replay an access log, at its own times or faster
    Replay(Box<ReplayArgs>),
    /// Compare the traffic of a run with the traffic that it was made from
    Fidelity(FidelityArgs),
    /// Show the result of a run
    Show(ShowArgs),
    /// List runs
    Runs(RunsArgs),
    /// Compare runs before and after a change, or an access log with a run
    Compare(Box<BeforeAfterArgs>),
    /// Plot a metric across runs, and detect lasting changes
    Trend(Box<TrendArgs>),
    /// Group and filter the requests of a run or access log
    Slice(Box<SliceArgs>),
    /// Write the report of a run again, or of several together, in any format
    Report(ReportArgs),
    /// Plan capacity: what to buy, when, with what headroom, and what a bad day does
    Capacity(CapacityArgs),
    /// Show runs in the browser, live and past: watch, compare, steer, start
    Serve(Box<ServeArgs>),
    /// Share the load of a run among machines that join over NATS
    Fleet(Box<FleetArgs>),
    /// Report CPU, memory, disks, network and processes of this host to runs on other hosts
    Agent(AgentArgs),
    /// Start a test server whose true service time is known
    Target(Box<TargetArgs>),
    /// Generate test data, mask real data, measure skew
    Data(Box<DataArgs>),
    /// Fit the Universal Scalability Law to measurements: contention, coherency and peak, with confidence intervals
    Usl(Box<UslArgs>),
    /// Print the JSON Schema of plans, for editors, or of a result file
    Schema {
        /// Which schema
        #[arg(value_enum, default_value_t = SchemaKind::Plan)]
        of: SchemaKind,
    },
    /// Check the limits of this host: open files, ports, memory, cores, clock; with a plan, whether it fits
    Doctor(Box<DoctorArgs>),
    /// Explain a code or word of a result, as in `nmax explain G3_INJECTOR_LAG` or `nmax explain steal`; without one,
    /// list all codes
    Explain(ExplainArgs),
    /// Print a completion script: `source <(nmax completions bash)`
    Completions {
        /// Which shell
        #[arg(value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
        shell: String,
    },
    /// Write the manual pages of all commands
    #[command(hide = true)]
    Man {
        /// Folder to write to; made if it does not exist
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SchemaKind {
    /// The plan document
    Plan,
    /// The capacity document
    Capacity,
    /// What `nmax capacity plan --json` prints
    CapacityPlan,
    /// What `nmax capacity day --json` prints
    CapacityDay,
    /// summary.json and `--json`
    Summary,
    /// What `nmax usl fit --json` prints
    Usl,
    /// What `nmax usl predict --json` prints
    UslPredict,
    /// What `nmax usl compare --json` prints
    UslCompare,
    /// What `nmax usl what-if --json` prints
    UslWhatIf,
    /// scale.json and `nmax scale --json`
    Scale,
    /// What `nmax import har --json` prints
    ImportHar,
    /// What `nmax import log --json` prints
    ImportLog,
    /// What `nmax check --json` prints
    Check,
    /// What `nmax check --once --json` prints
    Once,
    /// What `nmax check --prove --json` prints
    Prove,
    /// What `nmax slice --json` prints
    Slice,
    /// What `nmax slice --list --json` prints
    Slices,
    /// What `nmax compare --json` prints
    Compare,
    /// What `nmax trend --json` prints
    Trend,
    /// What `nmax report --campaign TAG --format json` prints
    Series,
    /// What `nmax runs --json` prints
    Runs,
    /// What `nmax fidelity --json` prints
    Fidelity,
    /// What `nmax data check --json` prints
    DataCheck,
    /// What `nmax doctor --json` prints
    Doctor,
    /// What `nmax explain --json` prints
    Explain,
    /// What `nmax run --webhook` sends
    Webhook,
    /// The OpenAPI document of `nmax serve`
    Openapi,
}

const RUN_EXAMPLES: &str = "\
Examples:
  nmax run shop.yaml --target http://127.0.0.1:8080 --duration 1m
  nmax run shop.yaml --set workload.open.rate=50/s -e TOKEN=abc --note 'before the patch'
  nmax run shop.yaml --profile stress --compress 60    eight hours of rising load in eight minutes
  nmax run runs/20260131T120000Z-shop-k2x9    what that run did, changes of its load included
  nmax run http://127.0.0.1:8080/ -n 100 -c 10
  nmax run http://127.0.0.1:8080/api -X POST -H 'content-type: application/json' -b '{\"a\":1}' -r 200/s -d 30s

Safety: loopback addresses need no permission. Private addresses need --allow-target, public ones proof of control or \
--i-am-authorized-to-test HOST. See docs/how-to/allow-a-target.md.

Exit codes: 0 pass, 2 usage or plan, 3 threshold failed, 4 INVALID, 5 target unreachable, run cut off by a limit, \
or results that cannot be written, 130 interrupted.";

#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES, mut_args(|arg| match arg.get_id().as_str() {
    "junit" | "csv" | "baseline" => arg.conflicts_with("wire"),
    _ => arg,
}))]
pub struct RunArgs {
    /// A plan file, a URL, or the directory of a run, which is repeated
    #[arg(value_name = "PLAN|URL|DIR", add = candidates::plans())]
    pub what: String,
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub safety: SafetyArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Skip the smoke test (one iteration of every scenario) that precedes peak, stress, soak and flood
    #[arg(long)]
    pub no_smoke: bool,
    /// Serve a page that shows this run live, and all others of the same folder, as `nmax serve` does; it stays open on a
    /// terminal until Ctrl-C
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = "127.0.0.1:7171",
        value_parser = serve::address)]
    pub ui: Option<std::net::SocketAddr>,
    /// Allow the plan's timeline to run commands and send signals on this host
    #[arg(long)]
    pub allow_exec: bool,
    #[command(flatten)]
    pub keep: KeepArgs,
    #[command(flatten)]
    pub export: ExportArgs,
    #[command(flatten)]
    pub wire: WireArgs,
    /// With --wire: show passwords, tokens and cookies
    #[arg(long, requires = "wire", help_heading = "Bytes")]
    pub show_secrets: bool,
    /// Id of the run, from `nmax serve` that starts it
    #[arg(long, hide = true)]
    pub run_id: Option<String>,
    // Last, because its heading would go on over what follows.
    #[command(flatten)]
    pub planless: PlanlessArgs,
}

/// Who puts on the load of a run, what is kept of it, and what comes of its verdict.
#[derive(Clone, Debug, Args)]
pub struct KeepArgs {
    #[command(flatten)]
    pub work: WorkArgs,
    /// Which single requests to keep, in samples-NNNN.parquet
    #[arg(long, value_enum, default_value_t = Samples::Some)]
    pub samples: Samples,
    #[command(flatten)]
    pub entry: EntryArgs,
    /// Also write a JUnit file; `-` writes it to standard output instead of the table
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Also write a CSV file with a row per request; `-` writes it to standard output instead of the table
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Compare the run with this one in its report: `last`, an id, the beginning of one, a directory, `tag:LABEL` or
    /// `name:NAME`
    #[arg(long, value_name = "RUN", add = candidates::sides())]
    pub baseline: Option<String>,
    /// Exit with 0 even when a threshold failed (3), the run is INVALID (4) or the target is unreachable (5)
    #[arg(long)]
    pub exit_zero: bool,
}

/// Who puts on the load.
#[derive(Clone, Debug, Args)]
pub struct WorkArgs {
    /// Worker threads [default: one per core, one less when the target is on this host]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub workers: Option<u32>,
    /// Pin worker i to the i-th of these CPUs, as in 0,2,4
    #[arg(long, value_name = "CPUS", value_delimiter = ',')]
    pub pin: Vec<usize>,
}

/// Where a result is kept, and what it is found by.
#[derive(Clone, Debug, Args)]
pub struct EntryArgs {
    /// Directory of the runs
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
    /// Name of the run [default: the plan's]
    #[arg(long)]
    pub name: Option<String>,
    /// Why you make this run, in your words. On a terminal, `nmax run` asks for it when the plan was run before; --note ''
    /// or --quiet skips the question
    #[arg(long)]
    pub note: Option<String>,
    /// Label, may be repeated
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Samples {
    /// Every one, up to a million per window and worker; the report says how many are missing
    All,
    /// Those not ok, the slowest, and a uniform draw, per second
    Some,
    /// None
    None,
}

/// What changes a plan from outside.
#[derive(Debug, Default, Args)]
pub struct PlanArgs {
    /// Base URL, instead of the plan's
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,
    /// Set ${env.NAME} in the plan; overrides the environment
    #[arg(short = 'e', long = "env", value_name = "NAME=VALUE", value_parser = pair)]
    pub env: Vec<(String, String)>,
    /// Replace a value of the plan, as in workload.open.rate=50/s
    #[arg(long, value_name = "PATH=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
    /// Length of the load, as in 30s or 5m (like wrk -d, hey -z, k6 --duration); with one hold in `stages`, the length
    /// of that hold
    #[arg(short = 'd', long, value_name = "TIME", value_parser = duration)]
    pub duration: Option<std::time::Duration>,
    /// Shape of the run, instead of the plan's: smoke (one user), ladder (1, 10, 100, ..), peak (ramp, hold, down),
    /// stress (up to 200%), soak (24 h), flood (all at once)
    #[arg(long, value_name = "NAME", value_parser = named(Profile::ALL, Profile::name))]
    pub profile: Option<Profile>,
    /// Make stages, background and timeline K times shorter, as in 60: an hour becomes a minute
    #[arg(long, value_name = "K", value_parser = factor)]
    pub compress: Option<f64>,
    /// Seed of every random choice
    #[arg(long)]
    pub seed: Option<u64>,
    /// Start all iterations that are due within this time in one wake-up, up to 1ms [default: 100us above 5000/s per
    /// worker, else 0]
    #[arg(long, value_name = "TIME", value_parser = slack)]
    pub pacing_slack: Option<std::time::Duration>,
    /// PEM file with the client certificate and its intermediate certificates (like curl --cert)
    #[arg(long, value_name = "FILE", requires = "key", value_hint = ValueHint::FilePath)]
    pub cert: Option<String>,
    /// PEM file with the private key of --cert (like curl --key)
    #[arg(long, value_name = "FILE", requires = "cert", value_hint = ValueHint::FilePath)]
    pub key: Option<String>,
    #[command(flatten)]
    pub reach: ReachArgs,
}

/// How servers are reached, and what is watched besides.
#[derive(Clone, Debug, Default, Args)]
pub struct ReachArgs {
    #[arg(long, value_name = "KIND=WHERE", value_parser = observed, help = observe_help())]
    pub observe: Vec<(String, String)>,
    /// Accept any TLS certificate (like curl --insecure)
    #[arg(long)]
    pub insecure: bool,
    /// PEM file with a CA to trust (like curl --cacert); may be repeated
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub ca: Vec<String>,
    /// Use this HTTP proxy, as in http://user:password@10.0.0.9:3128 (like curl --proxy)
    #[arg(long, value_name = "URL")]
    pub proxy: Option<String>,
    /// Local addresses to connect from, in turn (like curl --interface)
    #[arg(long, value_name = "ADDRESS,..", value_delimiter = ',')]
    pub source: Vec<std::net::IpAddr>,
    /// Resolve HOST:PORT to ADDRESS instead of using DNS, as in shop.test:443:10.0.0.7 (like curl --resolve); may be
    /// repeated
    #[arg(long, value_name = "HOST[:PORT]:ADDRESS[:PORT],..", value_parser = resolve)]
    pub resolve: Vec<nmax_plan::plan::HostOverride>,
}

impl PlanArgs {
    /// What they change of a plan.
    pub fn changes(&self) -> Changes {
        let reach = self.reach.clone();
        Changes {
            target: self.target.clone(),
            env: self.env.clone(),
            set: self.set.clone(),
            level: None,
            duration: self.duration,
            profile: self.profile,
            compress: self.compress,
            seed: self.seed,
            pacing_slack: self.pacing_slack,
            cert: self.cert.clone(),
            key: self.key.clone(),
            observe: reach.observe,
            insecure: reach.insecure,
            ca: reach.ca,
            proxy: reach.proxy,
            source: reach.source,
            resolve: reach.resolve,
        }
    }
}

/// Bytes in place of numbers.
#[derive(Debug, Default, Args)]
pub struct WireArgs {
    /// Send one request and show every byte of the conversation (like curl --trace); no run is kept
    #[arg(long, help_heading = "Bytes", conflicts_with = "json")]
    pub wire: bool,
    /// With --wire: the request of this name, after the steps before it [default: the first]
    #[arg(long, value_name = "NAME", requires = "wire", help_heading = "Bytes")]
    pub request: Option<String>,
}

/// How results are printed.
#[derive(Clone, Debug, Args)]
pub struct OutputArgs {
    /// Print the result as JSON (the shape of summary.json)
    #[arg(long)]
    pub json: bool,
    /// Show every column of the table
    #[arg(long)]
    pub wide: bool,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  nmax check shop.yaml                 the plan as resolved, what it sends, its sources tried
  nmax check shop.yaml --once          one iteration of each scenario, with every request and reply
  nmax check visit.yaml --prove        which correlations of a recorded plan are needed, by trying each
  nmax check shop.yaml --wire          the first request of the first scenario, byte by byte
  nmax check http://127.0.0.1:8080/ --wire -H 'accept: text/html'

Exit codes: 0 fine, 2 usage or plan, 3 a request of --once or --wire was not ok, --prove found something wrong or a source of `observe` cannot be read, 5 target unreachable, 130 interrupted.";

#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    /// A plan file, or a URL
    #[arg(value_name = "PLAN|URL", add = candidates::plans())]
    pub what: String,
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub safety: SafetyArgs,
    /// Send one iteration of each scenario and show every request and reply
    #[arg(long, conflicts_with = "wire")]
    pub once: bool,
    /// Replay each scenario, then once more for each value that it takes from a reply with that value left as it was
    /// before: says which must be fresh (proved), which need not (harmless) and which do not work (wrong)
    #[arg(long, conflicts_with_all = ["once", "wire"])]
    pub prove: bool,
    /// Skip what takes seconds: measuring this machine, and trying each source of `observe`
    #[arg(long)]
    pub quick: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Show passwords, tokens and cookies
    #[arg(long)]
    pub show_secrets: bool,
    #[command(flatten)]
    pub wire: WireArgs,
    // Last, because its heading would go on over what follows.
    #[command(flatten)]
    pub planless: PlanlessArgs,
}

const DOCTOR_EXAMPLES: &str = "\
Examples:
  nmax doctor                          what this host allows, and how to allow more
  nmax doctor shop.yaml                also whether the plan fits
  nmax doctor http://127.0.0.1:8080/ -r 2000/s --close

It sends nothing. Exit codes: 0 fine or warnings only, 2 the run cannot work.";

#[derive(Debug, Args)]
#[command(after_help = DOCTOR_EXAMPLES, mut_args(|arg| match arg.get_id().as_str() {
    "what" | "json" => arg,
    _ => arg.requires("what"),
}))]
pub struct DoctorArgs {
    /// A plan file, or a URL, to check against this host
    #[arg(value_name = "PLAN|URL", add = candidates::plans())]
    pub what: Option<String>,
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Worker threads of the run [default: one per core, one less when the target is on this host]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub workers: Option<u32>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    // Last, because its heading would go on over what follows.
    #[command(flatten)]
    pub planless: PlanlessArgs,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A code, the beginning of several, such as G4, or a word, such as steal
    #[arg(value_name = "CODE", add = candidates::codes())]
    pub code: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct InitArgs {
    /// File to write; an existing file is not changed
    #[arg(value_name = "FILE", default_value = "plan.yaml")]
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A run: `last`, an id, the beginning of one, or a directory
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// Directory of the runs
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[cfg(test)]
mod tests;
