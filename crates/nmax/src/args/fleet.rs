//! The flags of `nmax fleet`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::{EntryArgs, PlanArgs, SafetyArgs};
use crate::complete::candidates;

const EXAMPLES: &str = "\
Three machines, and a NATS server (2.12 or later) on one of them that the others reach as `broker`:
  nmax fleet key --broker broker                         once: makes fleet.key, fleet.trust, and fleet.conf for the server
  nats-server -c fleet.conf                              on the broker
  nmax fleet join tls://broker:4222                      on each injector, with fleet.trust beside it
  nmax fleet run plan.yaml --nats tls://broker:4222 --injectors 2
                                                         anywhere, with fleet.key beside it

Injectors connect outwards only and open no port. A run goes on when the one who ordered it is gone; `nmax fleet abort` \
ends it from anywhere.";

/// Runs on many injectors.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct FleetArgs {
    #[command(subcommand)]
    pub verb: FleetVerb,
}

#[derive(Debug, Subcommand)]
pub enum FleetVerb {
    /// Make this machine an injector: it takes part in runs that holders of the key order
    Join(Box<JoinArgs>),
    /// Run a plan on injectors that have joined
    Run(Box<FleetRunArgs>),
    /// Write the report of a run from its first result on, when the one who ordered it is gone or results came late
    Report(FleetReportArgs),
    /// Show the injectors that have joined
    Status(BrokerArgs),
    /// List runs of the fleet that are offered, go on, or have ended
    Ls(BrokerArgs),
    /// End a run, also when the one who ordered it is gone
    Abort(AbortArgs),
    /// Let injectors end what they do and take no further run
    Drain(DrainArgs),
    /// Check the server: version, JetStream, permissions, limits, clock, how safely it stores
    Check(BrokerArgs),
    /// Make the keys of a fleet: one signs runs, the other lets injectors verify and read them; and its server's configuration
    Key(KeyArgs),
}

/// Which NATS server, and as whom.
#[derive(Clone, Debug, Args)]
pub struct BrokerArgs {
    /// NATS servers, as nats://HOST:PORT or tls://HOST:PORT; several of a cluster separated by commas
    #[arg(
        long = "nats",
        value_name = "URL",
        default_value = "nats://127.0.0.1:4222",
        env = "NMAX_NATS",
        value_delimiter = ','
    )]
    pub nats: Vec<String>,
    /// File of `nmax fleet key` of those who order runs: it signs them, and says as which user to connect
    #[arg(long = "fleet-key", value_name = "FILE", default_value = "fleet.key", value_hint = ValueHint::FilePath, env = "NMAX_FLEET_KEY")]
    pub fleet_key: PathBuf,
    #[command(flatten)]
    pub access: AccessArgs,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// The fleet that a server shows.
#[derive(Clone, Debug, Args)]
pub struct WatchArgs {
    /// Show a fleet and follow its runs: NATS servers, as nats://HOST:PORT or tls://HOST:PORT; several of a cluster separated by commas
    #[arg(long = "nats", value_name = "URL", env = "NMAX_NATS", value_delimiter = ',', help_heading = "NATS")]
    pub nats: Vec<String>,
    /// File of `nmax fleet key` that opens the plans of runs [default: fleet.key, if it is there]; with fleet.trust, runs
    /// are followed and not ended
    #[arg(
        long = "fleet-key",
        value_name = "FILE",
        value_hint = ValueHint::FilePath,
        env = "NMAX_FLEET_KEY",
        help_heading = "NATS"
    )]
    pub fleet_key: Option<PathBuf>,
    #[command(flatten)]
    pub access: AccessArgs,
}

/// As whom to connect, and how the connection is protected.
#[derive(Clone, Debug, Default, Args)]
pub struct AccessArgs {
    /// Credentials file of a NATS user (JWT and seed) [default: the user in the fleet's key file]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, env = "NMAX_NATS_CREDS", help_heading = "NATS")]
    pub creds: Option<PathBuf>,
    /// PEM file with the issuers of the server's certificate
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "NATS")]
    pub tls_ca: Option<PathBuf>,
    /// PEM file with the certificate that this client shows
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_key", help_heading = "NATS")]
    pub tls_cert: Option<PathBuf>,
    /// PEM file with its key
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_cert", help_heading = "NATS")]
    pub tls_key: Option<PathBuf>,
    /// Connect beyond this machine without TLS or without credentials
    #[arg(long, help_heading = "NATS")]
    pub unprotected: bool,
}

const JOIN_EXAMPLES: &str = "\
Examples:
  nmax fleet join tls://broker:4222
  nmax fleet join tls://broker:4222 --region eu --allow-target 10.0.0.0/8

What others order meets the rules of this machine: private targets need --allow-target, and its own loopback too. \
Results are kept in the spool until the server has them, also over a restart.";

#[derive(Debug, Args)]
#[command(after_help = JOIN_EXAMPLES)]
pub struct JoinArgs {
    /// NATS servers, as nats://HOST:PORT or tls://HOST:PORT; several of a cluster separated by commas
    #[arg(value_name = "URL", default_value = "nats://127.0.0.1:4222", env = "NMAX_NATS", value_delimiter = ',')]
    pub nats: Vec<String>,
    #[command(flatten)]
    pub access: AccessArgs,
    /// File of `nmax fleet key`: who may order runs, and the key that opens their plans
    #[arg(long, value_name = "FILE", default_value = "fleet.trust", value_hint = ValueHint::FilePath, env = "NMAX_FLEET_TRUST")]
    pub trust: PathBuf,
    /// Where this injector is, in your words: results are told apart by it
    #[arg(long, value_name = "NAME")]
    pub region: Option<String>,
    /// Requests per second that this injector can send [default: measured for two seconds]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub capacity: Option<u32>,
    /// Threads that put on the load [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub workers: Option<u32>,
    /// Folder of results that the server does not have so far
    #[arg(long, value_name = "DIR", default_value = "spool", value_hint = ValueHint::DirPath)]
    pub spool: PathBuf,
    /// Leave after one run
    #[arg(long)]
    pub once: bool,
    #[command(flatten)]
    pub safety: SafetyArgs,
}

const RUN_EXAMPLES: &str = "\
Examples:
  nmax fleet run shop.yaml --injectors 4
  nmax fleet run shop.yaml --region eu=2,us=2
  nmax fleet run shop.yaml --injectors 4 --policy takeover      a fifth injector takes over what one loses

Ctrl-C asks all injectors to end, once more cuts off what is under way, a third time leaves the run to itself.";

#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub struct FleetRunArgs {
    /// A plan file, or the directory of a run, which is repeated
    #[arg(value_name = "PLAN|DIR", add = candidates::plans())]
    pub what: String,
    #[command(flatten)]
    pub broker: BrokerArgs,
    /// How many injectors share the load
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub injectors: u32,
    /// How many injectors of which region share the load: `eu=2,us=2`
    #[arg(long, value_name = "NAME=N", conflicts_with = "injectors", value_delimiter = ',', value_parser = region)]
    pub region: Vec<(String, u32)>,
    /// What happens to the part of an injector that is lost
    #[arg(long, value_enum, default_value_t = Policy::Continue)]
    pub policy: Policy,
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub entry: EntryArgs,
    /// Show the table with all columns
    #[arg(long)]
    pub wide: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
    /// Exit with 0 even when a threshold failed (3), the run is INVALID (4) or the target is unreachable (5)
    #[arg(long)]
    pub exit_zero: bool,
}

/// What happens to the part of an injector that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Policy {
    /// It stays lost and is named; injectors go on when everything else is dead
    Continue,
    /// Another injector takes it over; injectors stop when they cannot reach the server for 15 s
    Takeover,
}

#[derive(Debug, Args)]
pub struct AbortArgs {
    /// Id of the run, as `nmax fleet ls` lists it
    #[arg(value_name = "RUN")]
    pub run: String,
    /// Cut off what is under way
    #[arg(long)]
    pub cut: bool,
    #[command(flatten)]
    pub broker: BrokerArgs,
}

#[derive(Debug, Args)]
pub struct FleetReportArgs {
    /// Id of the run, as `nmax fleet ls` lists it
    #[arg(value_name = "RUN")]
    pub run: String,
    #[command(flatten)]
    pub broker: BrokerArgs,
    /// Directory of the runs; what is in it of this run is replaced
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
    /// Exit with 0 even when a threshold failed (3), the run is INVALID (4) or the target is unreachable (5)
    #[arg(long)]
    pub exit_zero: bool,
}

#[derive(Debug, Args)]
pub struct DrainArgs {
    /// Ids of injectors, as `nmax fleet status` lists them [default: all]
    #[arg(value_name = "INJECTOR")]
    pub injectors: Vec<String>,
    #[command(flatten)]
    pub broker: BrokerArgs,
}

#[derive(Debug, Args)]
pub struct KeyArgs {
    /// Folder of the files
    #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Names or addresses by which other machines reach the NATS server, separated by commas: a certificate for them is
    /// made too, which the keys have with them
    #[arg(long, value_name = "HOST", value_delimiter = ',')]
    pub broker: Vec<String>,
}

/// `eu=2`.
fn region(text: &str) -> Result<(String, u32), String> {
    let help = "write a name and how many injectors, as in eu=2";
    let (name, count) = text.split_once('=').ok_or(help)?;
    match count.parse() {
        Ok(count) if count > 0 && !name.is_empty() => Ok((name.to_owned(), count)),
        _ => Err(help.into()),
    }
}
