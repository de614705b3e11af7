//! The flags of `nmax scale`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};

use super::fleet::AccessArgs;
use super::safety::SafetyArgs;
use super::values::duration;
use super::{EntryArgs, OutputArgs, PlanArgs, PlanlessArgs, WorkArgs};
use crate::complete::candidates;

const SCALE_EXAMPLES: &str = "\
Examples:
  nmax scale shop.yaml                                       users: 1, 2, 4, .. until throughput falls, then around the peak
  nmax scale http://127.0.0.1:8080/ --budget 3m --max 200
  nmax scale shop.yaml --axis vus=1,2,4,8,16,32 --replicates 3
  nmax scale shop.yaml --axis rate --count transaction:checkout
  nmax scale shop.yaml --find 'p95 < 200ms'                  also the highest load that meets it
  nmax scale shop.yaml --axis injectors --nats nats://broker:4222   how far a fleet scales
  nmax scale shop.yaml --axis injectors=1,2,4 --axis workers=1,2,4  N injectors, N threads
  nmax scale shop.yaml --axis nodes=1,2,4,8 --apply './set-nodes {nodes}' \\
    --allow-exec --price 0.34/h
  nmax scale shop.yaml --axis nodes=1,2,4 --axis size=small,large --apply './set {nodes} {size}' \\
    --allow-exec --price small=0.10/h,large=0.40/h

Axes: vus (users of a closed workload), rate (iterations per second of an open one, at random where the plan does not \
say; N is what is in flight), workers (threads of the injector, each with the plan's users), injectors (of the fleet at --nats, each with the plan's \
users or rate; with workers beside it, injectors of one thread are compared with threads of one injector), or a name of yours with \
values, set by --apply. At each value of such a knob the load is raised until the throughput is best.

A level that its gates call INVALID is repeated, then left out; it is never fitted. Everything is in a folder below \
--runs-dir, which `nmax usl fit FOLDER` reads again.

Exit codes: 0 fitted, or every setting of a knob has its best load; 2 usage or plan, also rows or a --level-time that do \
not last for the first level; 3 no load holds the objective, or a condition ended the first level; 4 there is no law that \
may be believed, or some setting has no best load; 5 target unreachable or the results cannot be written, 130 interrupted.";

/// Load at several levels, and the law behind them.
#[derive(Debug, Args)]
#[command(after_help = SCALE_EXAMPLES)]
#[command(mut_arg("name", |arg| arg.help("Name [default: the plan's]")))]
#[command(mut_arg("note", |arg| arg.help("Why this is measured, in your words")))]
pub struct ScaleArgs {
    /// A plan file, or a URL
    #[arg(value_name = "PLAN|URL", add = candidates::plans())]
    pub what: String,
    /// What to vary: vus, rate, workers or injectors, optionally with levels, or NAME=V,V,.. for a setting of the system
    /// under test; may be repeated [default: vus]
    #[arg(long, value_name = "AXIS[=LEVEL,..]", help_heading = "Levels")]
    pub axis: Vec<String>,
    /// Shell command that applies a setting, with --allow-exec: {NAME} is the value of the setting of that name, and n
    /// in braces
    /// that of the first
    #[arg(long, value_name = "COMMAND", help_heading = "Levels")]
    pub apply: Option<String>,
    /// Allow --apply to run its command on this host
    #[arg(long, help_heading = "Levels")]
    pub allow_exec: bool,
    /// Time limit of one --apply
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60s", help_heading = "Levels")]
    pub apply_time: Duration,
    /// What throughput counts: requests, iterations or transaction:NAME that are ok
    #[arg(long, value_name = "WHAT", default_value = "requests", help_heading = "Levels")]
    pub count: String,
    /// Lowest load [default: 1 user, worker or injector, 10/s]
    #[arg(long, value_name = "N", help_heading = "Levels")]
    pub min: Option<f64>,
    /// Highest load [default: 1000 users, 100000/s, as many workers as cores, as many
    /// injectors as are free]
    #[arg(long, value_name = "N", help_heading = "Levels")]
    pub max: Option<f64>,
    /// Measured part of a level [default: a fortieth of the budget, 2s to 30s]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Levels")]
    pub level_time: Option<Duration>,
    /// Warm-up before each level, not measured [default: a fifth of --level-time, at least 500ms]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Levels")]
    pub warm_up: Option<Duration>,
    /// Runs of each level that decides the answer
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Levels")]
    pub replicates: u32,
    /// Time limit of all levels; a level starts only when it fits
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10m", help_heading = "Levels")]
    pub budget: Duration,
    /// Limit of the number of levels, repeats included
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "Levels")]
    pub runs_max: u32,
    /// Stop when the peak's throughput is known this precisely (half width of its interval), and its concurrency half
    /// as precisely
    #[arg(long, value_name = "SHARE", default_value = "5%", help_heading = "Levels")]
    pub precision: String,
    /// Also find the highest load that holds this, as in 'p95 < 200ms' or 'failure_rate < 1%'
    #[arg(long, value_name = "CONDITION", help_heading = "Questions")]
    pub find: Option<String>,
    /// Price of the system: of one unit of the first setting as in 0.34/h, or of each value as in
    /// small=0.10/h,large=0.40/h
    #[arg(long, value_name = "PRICE", help_heading = "Questions")]
    pub price: Option<String>,
    /// Known demand of one request on a resource, as in disk=2ms, compared with the law
    #[arg(long, value_name = "NAME=TIME", help_heading = "Questions")]
    pub demand: Option<String>,
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub safety: SafetyArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Skip the smoke test (one iteration of every scenario) before the first level
    #[arg(long)]
    pub no_smoke: bool,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub injectors: InjectorsArgs,
    #[command(flatten)]
    pub entry: EntryArgs,
    /// Also write the table of levels as CSV; `-` writes it to standard output instead of the result
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also write the curve as a picture
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Exit with 0 even when no level meets the objective (3), no law fits (4) or the target is
    /// unreachable (5)
    #[arg(long)]
    pub exit_zero: bool,
    // Last, because its heading would go on over what follows.
    #[command(flatten)]
    pub planless: PlanlessArgs,
}

/// Where the injectors of `--axis injectors` are.
#[derive(Clone, Debug, Args)]
pub struct InjectorsArgs {
    /// NATS servers of the fleet for --axis injectors, separated by commas
    #[arg(
        long,
        value_name = "URL",
        default_value = "nats://127.0.0.1:4222",
        env = "NMAX_NATS",
        value_delimiter = ',',
        help_heading = "NATS"
    )]
    pub nats: Vec<String>,
    /// File of `nmax fleet key` that signs the runs
    #[arg(
        long,
        value_name = "FILE",
        default_value = "fleet.key",
        value_hint = ValueHint::FilePath,
        env = "NMAX_FLEET_KEY",
        help_heading = "NATS"
    )]
    pub fleet_key: PathBuf,
    #[command(flatten)]
    pub access: AccessArgs,
}
