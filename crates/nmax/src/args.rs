//! The command line, as typed. What it means is decided in [`crate::commands`].

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::safety::SafetyArgs;

const EXAMPLES: &str = "\
Examples:
  nmax run http://127.0.0.1:8080/ -c 64 -d 10s     64 users, one after the other, for 10 s
  nmax run http://127.0.0.1:8080/ -r 2000/s        2,000 requests per second, whatever the replies do
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
    /// Say what a plan will send, without sending it; `--once` sends one iteration of each scenario
    Check(Box<CheckArgs>),
    /// Write a commented plan to start from
    Init(InitArgs),
    /// Show the result of a run
    Show(ShowArgs),
    /// List runs
    Runs(RunsArgs),
    /// Write the report of a run again, in any format
    Report(ReportArgs),
    /// Serve the calibrated target: a real server whose true behaviour is known
    Target(Box<TargetArgs>),
    /// Print the JSON Schema of plans, for editors, or of a result file
    Schema {
        /// Which schema
        #[arg(value_enum, default_value_t = SchemaKind::Plan)]
        of: SchemaKind,
    },
    /// Say what this host allows: open files, ports, memory, cores, clock; with a plan, what it will run into
    Doctor(Box<DoctorArgs>),
    /// Print a completion script: `source <(nmax completions bash)`
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SchemaKind {
    /// The plan document
    Plan,
    /// summary.json and `--json`
    Summary,
}

const RUN_EXAMPLES: &str = "\
Examples:
  nmax run shop.yaml --target http://127.0.0.1:8080 --duration 1m
  nmax run shop.yaml --set workload.open.rate=50/s -e TOKEN=abc --note 'before the patch'
  nmax run http://127.0.0.1:8080/ -n 100 -c 10
  nmax run http://127.0.0.1:8080/api -X POST -H 'content-type: application/json' -b '{\"a\":1}' -r 200/s -d 30s

Safety: loopback addresses are free. Private addresses need --allow-target, public ones proof of control or
--i-am-authorized-to-test HOST. See docs/how-to/allow-a-target.md.

Exit codes: 0 pass, 2 usage or plan, 3 threshold failed, 4 INVALID, 5 target unreachable or run cut off by a limit,
130 interrupted.";

#[derive(Debug, Args)]
#[command(after_help = RUN_EXAMPLES)]
pub struct RunArgs {
    /// A plan file, or a URL
    #[arg(value_name = "PLAN|URL")]
    pub what: String,
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub safety: SafetyArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Worker threads [default: one per core]
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
    /// Name of the run [default: the plan's]
    #[arg(long)]
    pub name: Option<String>,
    /// Why this run is made, in your words
    #[arg(long, default_value = "", hide_default_value = true)]
    pub note: String,
    /// Label, may be repeated
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Also write a JUnit file; `-` is standard output, in place of the table
    #[arg(long, value_name = "FILE", conflicts_with = "wire")]
    pub junit: Option<PathBuf>,
    /// Also write a CSV file with a row per request; `-` is standard output, in place of the table
    #[arg(long, value_name = "FILE", conflicts_with = "wire")]
    pub csv: Option<PathBuf>,
    /// End with 0 even when a threshold failed (3), the run is INVALID (4) or the target unreachable (5)
    #[arg(long)]
    pub exit_zero: bool,
    #[command(flatten)]
    pub wire: WireArgs,
    // Last, because its heading would go on over what follows.
    #[command(flatten)]
    pub planless: PlanlessArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Samples {
    /// Every one
    All,
    /// Those not ok, the slowest, and a uniform draw, per second
    Some,
    /// None
    None,
}

/// What changes a plan from outside.
#[derive(Debug, Args)]
#[group(requires = "what")]
pub struct PlanArgs {
    /// Base URL in place of the plan's
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,
    /// Value of ${env.NAME}, before the environment's
    #[arg(short = 'e', long = "env", value_name = "NAME=VALUE", value_parser = pair)]
    pub env: Vec<(String, String)>,
    /// Replace a value of the plan, as in workload.open.rate=50/s
    #[arg(long, value_name = "PATH=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
    /// How long the load holds, as in 30s or 5m; with stages, the length of their only hold
    #[arg(short = 'd', long, value_name = "TIME", value_parser = duration)]
    pub duration: Option<std::time::Duration>,
    /// Initial value of every random choice
    #[arg(long)]
    pub seed: Option<u64>,
    /// Accept any TLS certificate
    #[arg(long)]
    pub insecure: bool,
    /// PEM file with an issuer to trust, may be repeated
    #[arg(long, value_name = "FILE")]
    pub ca: Vec<String>,
    /// PEM file with the certificate that clients show, and those between it and its issuer
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<String>,
    /// PEM file with the private key of --cert
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<String>,
    /// Go through this HTTP proxy, as in http://user:password@10.0.0.9:3128
    #[arg(long, value_name = "URL", value_parser = proxy)]
    pub proxy: Option<String>,
    /// Local addresses that connections leave from, in turn
    #[arg(long, value_name = "ADDRESS,..", value_delimiter = ',')]
    pub source: Vec<std::net::IpAddr>,
    /// Where a name leads, in place of asking, as in shop.test:443:10.0.0.7; may be repeated
    #[arg(long, value_name = "HOST[:PORT]:ADDRESS,..", value_parser = resolve)]
    pub resolve: Vec<nmax_plan::plan::HostOverride>,
}

/// What stands in the place of a plan when a URL is given.
#[derive(Debug, Args)]
#[command(next_help_heading = "With a URL")]
#[group(requires = "what")]
pub struct PlanlessArgs {
    /// Virtual users, each waiting for its reply [default: 10]; with -r, most requests in flight
    #[arg(short = 'c', long = "vus", value_name = "VUS", value_parser = clap::value_parser!(u32).range(1..))]
    pub vus: Option<u32>,
    /// Requests per second, whatever the replies do, as in 2000/s
    #[arg(short = 'r', long, value_name = "RATE", value_parser = rate)]
    pub rate: Option<f64>,
    /// Poisson arrivals in place of evenly spaced ones
    #[arg(long, requires = "rate")]
    pub poisson: bool,
    /// Stop after that many requests
    #[arg(short = 'n', long, value_name = "REQUESTS", value_parser = clap::value_parser!(u64).range(1..))]
    pub requests: Option<u64>,
    /// Header, may be repeated
    #[arg(short = 'H', long = "header", value_name = "'NAME: VALUE'", value_parser = header)]
    pub headers: Vec<(String, String)>,
    /// Method [default: GET, or POST with a body]
    #[arg(short = 'X', long, value_name = "METHOD", value_parser = method)]
    pub method: Option<nmax_plan::plan::Method>,
    /// Body; `@FILE` sends a file as it is
    #[arg(short = 'b', long, value_name = "TEXT|@FILE")]
    pub body: Option<String>,
    /// Speak HTTP/1.0
    #[arg(long = "http1.0")]
    pub http10: bool,
    /// When connections are closed [default: keep-alive]
    #[arg(long, value_enum, value_name = "POLICY", conflicts_with = "close")]
    pub connection: Option<ConnectionPolicy>,
    /// A connection for each request, and say so: --connection per-request
    #[arg(long)]
    pub close: bool,
    /// A new visitor for each request: no connection, no TLS session, no cookie of the one before
    #[arg(long)]
    pub new_visitors: bool,
    /// Follow redirects, at most 10 in a row
    #[arg(long)]
    pub follow: bool,
    /// Accept gzip, deflate, br and zstd, and decode replies in them
    #[arg(long)]
    pub compressed: bool,
    /// Longest wait for a complete reply [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<std::time::Duration>,
}

impl PlanlessArgs {
    /// The first flag that needs a URL, if one was given.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            (self.vus.is_some(), "-c"),
            (self.rate.is_some(), "-r"),
            (self.requests.is_some(), "-n"),
            (!self.headers.is_empty(), "-H"),
            (self.method.is_some(), "-X"),
            (self.body.is_some(), "-b"),
            (self.http10, "--http1.0"),
            (self.connection.is_some(), "--connection"),
            (self.close, "--close"),
            (self.new_visitors, "--new-visitors"),
            (self.follow, "--follow"),
            (self.compressed, "--compressed"),
            (self.poisson, "--poisson"),
            (self.timeout.is_some(), "--timeout"),
        ];
        flags.into_iter().find(|(is_given, _)| *is_given).map(|(_, flag)| flag)
    }
}

/// When connections are closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConnectionPolicy {
    /// Kept by their virtual user
    KeepAlive,
    /// Closed at the end of each iteration
    PerIteration,
    /// Closed after each request, and said so
    PerRequest,
}

/// Bytes in place of numbers.
#[derive(Debug, Args)]
pub struct WireArgs {
    /// Send one request, show every byte of the conversation, and keep no run
    #[arg(long, help_heading = "Bytes", conflicts_with = "json")]
    pub wire: bool,
    /// With --wire: the request of this name, after the steps before it [default: the first]
    #[arg(long, value_name = "NAME", requires = "wire", help_heading = "Bytes")]
    pub request: Option<String>,
    /// With --wire: passwords, tokens and cookies as they are
    #[arg(long, requires = "wire", help_heading = "Bytes")]
    pub show_secrets: bool,
}

/// How results are printed.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Print the result as JSON (the shape of summary.json)
    #[arg(long)]
    pub json: bool,
    /// Every column of the table
    #[arg(long)]
    pub wide: bool,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  nmax check shop.yaml                 the plan as resolved, and how much it will send
  nmax check shop.yaml --once          one iteration of each scenario, with every request and reply
  nmax check shop.yaml --wire          the first request of the first scenario, byte by byte
  nmax check http://127.0.0.1:8080/ --wire -H 'accept: text/html'

Exit codes: 0 fine, 2 usage or plan, 3 a request of --once or --wire was not ok, 5 target unreachable, 130 interrupted.";

#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct CheckArgs {
    /// A plan file, or a URL
    #[arg(value_name = "PLAN|URL")]
    pub what: String,
    #[command(flatten)]
    pub plan: PlanArgs,
    #[command(flatten)]
    pub safety: SafetyArgs,
    /// Send one iteration of each scenario and show every request and reply
    #[arg(long, conflicts_with = "wire")]
    pub once: bool,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
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

It sends nothing. It ends with 2 when something surely keeps a run from working, else with 0, also with warnings.";

#[derive(Debug, Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub struct DoctorArgs {
    /// A plan file, or a URL, to hold against this host
    #[arg(value_name = "PLAN|URL")]
    pub what: Option<String>,
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Worker threads of the run [default: one per core]
    #[arg(long, value_name = "N", requires = "what", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub workers: Option<u32>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    // Last, because its heading would go on over what follows.
    #[command(flatten)]
    pub planless: PlanlessArgs,
}

#[derive(Debug, Args)]
pub struct InitArgs {
    /// File to write; an existing one is left alone
    #[arg(value_name = "FILE", default_value = "plan.yaml")]
    pub file: PathBuf,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// A run: `last`, an id, the beginning of one, or a directory
    #[arg(value_name = "RUN", default_value = "last")]
    pub run: String,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct RunsArgs {
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
    /// Only runs with this label
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

const REPORT_EXAMPLES: &str = "\
Examples:
  nmax report last                        writes report.html into the run's directory
  nmax report last --format junit -o junit.xml";

#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub struct ReportArgs {
    /// A run: `last`, an id, the beginning of one, or a directory
    #[arg(value_name = "RUN", default_value = "last")]
    pub run: String,
    /// Format
    #[arg(long, value_enum, default_value_t = Format::Html)]
    pub format: Format,
    /// File to write; `-` is standard output [default: report.html in the run's directory, or standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where runs are kept
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One page with everything
    Html,
    /// summary.json
    Json,
    /// A test suite for CI
    Junit,
    /// A row per request
    Csv,
    /// The table of the terminal
    Text,
}

const TARGET_EXAMPLES: &str = "\
Examples:
  nmax target --shop                                      the shop on a free port, which is printed
  nmax target --listen 8080 --service fixed:5ms           every reply after 5 ms
  nmax target --listen 8080 --service usl:alpha=0.02,beta=0.0005,gamma=1000
  nmax target --listen 8080 --listen https://127.0.0.1:8443 --stall at=10s,for=1s --errors 1%";

#[derive(Debug, Args)]
#[command(after_help = TARGET_EXAMPLES)]
pub struct TargetArgs {
    /// Port or address, `https://` for TLS, may be repeated [default: a free loopback port]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Vec<nmax_target::Listen>,
    /// Serve the small shop
    #[arg(long)]
    pub shop: bool,
    /// Service time, `[/path=]MODEL`, may be repeated: fixed:5ms, uniform:1ms..5ms, exponential:5ms,
    /// lognormal:median=5ms,p95=20ms, usl:alpha=..,beta=..,gamma=.., mm1:rate=1000, mmc:servers=4,rate=250,
    /// cpu:2ms, lock:1ms
    #[arg(long, value_name = "MODEL")]
    pub service: Vec<nmax_target::Rule>,
    /// Stall every request at a time, as in at=10s,for=1s,every=30s; may be repeated
    #[arg(long, value_name = "WHEN")]
    pub stall: Vec<nmax_target::Stall>,
    /// Share of requests answered with an error, as in 1% or 1%:503
    #[arg(long, value_name = "SHARE")]
    pub errors: Option<nmax_target::ErrorRate>,
    /// Share of connections reset in place of a reply
    #[arg(long, value_name = "SHARE")]
    pub resets: Option<nmax_target::Share>,
    /// Size of the default reply, bytes
    #[arg(long, value_name = "BYTES")]
    pub reply_bytes: Option<u64>,
    /// Worker threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub workers: usize,
    /// Initial value of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Where to write the certificate of the target's own issuer, for `--ca`
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// End by itself after this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub for_time: Option<std::time::Duration>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    if name.is_empty() {
        return Err("the name before `=` is missing".into());
    }
    Ok((name.to_owned(), value.to_owned()))
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write 'Name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn method(text: &str) -> Result<nmax_plan::plan::Method, String> {
    let known = nmax_plan::plan::Method::ALL;
    known
        .into_iter()
        .find(|method| method.token().eq_ignore_ascii_case(text))
        .ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|method| method.token()).collect();
            format!("write one of {}", names.join(", "))
        })
}

fn duration(text: &str) -> Result<std::time::Duration, String> {
    nmax_plan::units::parse_duration(text).map_err(|error| error.to_string())
}

fn proxy(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("http://");
    let rest = rest.ok_or("write it as http://host:port; https:// servers behind it are fine")?;
    // A user name and password may hold anything.
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let url = nmax_http::Url::parse(&format!("http://{host}"));
    url.map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// curl's form. A number before a colon is a port, so `host:1::2` is port 1 only if `:2` were an address.
fn resolve(text: &str) -> Result<nmax_plan::plan::HostOverride, String> {
    let (host, rest) = text.split_once(':').ok_or("write HOST:ADDRESS or HOST:PORT:ADDRESS")?;
    if host.is_empty() || host.contains(['[', ']', '/']) {
        return Err("the host name is missing: write HOST:PORT:ADDRESS".into());
    }
    let with_port = rest.split_once(':').and_then(|(port, list)| {
        let port: u16 = port.parse().ok()?;
        Some((Some(port), addresses(list).ok()?))
    });
    let (port, addresses) = match with_port {
        Some(both) => both,
        None => (None, addresses(rest)?),
    };
    Ok(nmax_plan::plan::HostOverride {
        host: host.to_ascii_lowercase(),
        port,
        addresses: addresses.into_iter().map(|address| (address, None)).collect(),
    })
}

/// Addresses with commas between, IPv6 ones in brackets or not.
fn addresses(list: &str) -> Result<Vec<std::net::IpAddr>, String> {
    let address = |text: &str| {
        let bare = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
            .unwrap_or(text);
        let parsed = bare.parse().map_err(|_| format!("`{text}` is no IP address"));
        parsed as Result<std::net::IpAddr, String>
    };
    list.split(',').map(address).collect()
}

fn rate(text: &str) -> Result<f64, String> {
    // People who come from other tools write a bare number.
    let text = if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        format!("{text}/s")
    } else {
        text.to_owned()
    };
    nmax_plan::units::parse_rate(&text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
