//! The flags of `nmax serve`, and of `nmax run --ui`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{SafetyArgs, WatchArgs};

/// The port when nothing else is asked for.
const PORT: u16 = 7171;

const SERVE_EXAMPLES: &str = "\
Examples:
  nmax serve                                   all runs of ./runs, the plans of this folder
  nmax serve --plans plans --allow-target 10.0.0.0/8
  nmax serve --read-only                       for a screen on the wall
  NMAX_SERVE_TOKEN=$(openssl rand -hex 24) nmax serve --listen 0.0.0.0:7171 --host loadgen.lan
  nmax serve --nats nats://broker:4222         the fleet, and its runs in ./runs, with fleet.key beside it

Everyone who reaches the address may read, as long as it is of this machine alone. To change something (start, steer, \
note, save) a browser has to come by the printed address, which works once; then a new one is printed. Programs send \
`Authorization: Bearer TOKEN` with the token of NMAX_SERVE_TOKEN. /api/openapi.json describes the API.

Beyond loopback reading needs the token or a printed address as well. nmax speaks no TLS: put a proxy with TLS in front \
of it, or use `ssh -L 7171:127.0.0.1:7171 HOST`.";

#[derive(Debug, Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub struct ServeArgs {
    /// Directory of the runs
    #[arg(long, value_name = "DIR", default_value = "runs", env = "NMAX_RUNS_DIR")]
    pub runs_dir: PathBuf,
    /// Folder of the plans that may be read, changed and started
    #[arg(long, value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub plans: PathBuf,
    #[command(flatten)]
    pub listen: ListenArgs,
    /// Change nothing: no starts, no plans, no recordings, no notes
    #[arg(long)]
    pub read_only: bool,
    /// Allow plans that are started here to run commands and send signals on this host
    #[arg(long, conflicts_with = "read_only")]
    pub allow_exec: bool,
    #[command(flatten)]
    pub safety: SafetyArgs,
    #[command(flatten)]
    pub fleet: WatchArgs,
}

/// Where a page is served.
#[derive(Clone, Debug, Args)]
pub struct ListenArgs {
    /// Port, address or both; when the port is in use, the next free one is taken
    #[arg(long, value_name = "ADDRESS", value_parser = address, default_value = "127.0.0.1:7171")]
    pub listen: SocketAddr,
    /// A name that browsers reach this server by; may be repeated. Requests to other names are refused
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
}

/// `8080`, `127.0.0.1`, `0.0.0.0:8080`.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let whole = || text.parse::<SocketAddr>().ok();
    let port = || Some(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), text.parse().ok()?));
    let alone = || Some(SocketAddr::new(text.trim_matches(['[', ']']).parse::<IpAddr>().ok()?, PORT));
    whole().or_else(port).or_else(alone).ok_or_else(|| "write a port, an address of this machine, or both".into())
}
