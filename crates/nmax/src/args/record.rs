//! The flags of `nmax record`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::MadeArgs;
use super::values::duration;

const RECORD_EXAMPLES: &str = "\
Examples:
  nmax record http://127.0.0.1:8080/               opens a browser; click through, close it, get a plan
  nmax record https://shop.test/ -o buy --host cdn.example.com
  nmax record https://shop.test/ --no-browser      for curl, a service, a browser of your own
  nmax record https://shop.test/ --listen 0.0.0.0:8888 --no-browser    for a phone in the same network

While it records: Enter asks for the name of what you do next (\"log in\"), an empty name takes that \
back; q and Enter ends the recording, as do Ctrl-C, closing the browser and --duration.

nmax decrypts and records the domain of the URL and each --host. Other hosts pass through undecrypted and are \
listed. The CA is made for this recording, is valid for these hosts only, and lasts a day; its key is \
never stored. The trust stores of the system are not changed.

Written: NAME.yaml (the plan), NAME.har (the recording without its secrets, readable by browsers' tools), \
NAME.secrets.json (its secrets, for your eyes only, never in version control), NAME.evidence.json and data files.

Exit codes: 0 recorded, 2 usage, 5 nothing was recorded.";

/// What a person does, as a plan.
#[derive(Debug, Args)]
#[command(after_help = RECORD_EXAMPLES)]
pub struct RecordArgs {
    /// First page
    #[arg(value_name = "URL")]
    pub url: String,
    #[command(flatten)]
    pub plan: MadeArgs,
    /// Port of the proxy on this machine [default: a free one]
    #[arg(long, value_name = "PORT", conflicts_with = "listen")]
    pub port: Option<u16>,
    /// Let other machines use the proxy: everyone who reaches this address can
    #[arg(long, value_name = "ADDRESS[:PORT]", value_parser = listen)]
    pub listen: Option<SocketAddr>,
    /// Open no browser; print how to point a client at the proxy
    #[arg(long, conflicts_with_all = ["headless", "browser", "browser_arg"])]
    pub no_browser: bool,
    /// Open the browser without a window
    #[arg(long)]
    pub headless: bool,
    /// Path of the browser, when nmax does not find it, with --allow-exec: Chromium, Chrome, Edge or another of this
    /// family
    #[arg(long, value_name = "PATH")]
    pub browser: Option<PathBuf>,
    /// Allow --browser to be started
    #[arg(long)]
    pub allow_exec: bool,
    /// A flag for the browser, may be repeated, as in --browser-arg=--accept-lang=de
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub browser_arg: Vec<String>,
    /// PEM file with a CA to trust for the site, or with its certificate; may be repeated
    #[arg(long, value_name = "FILE")]
    pub upstream_ca: Vec<PathBuf>,
    /// Accept any certificate of the site
    #[arg(long)]
    pub insecure: bool,
    /// Stop after this time
    #[arg(short = 'd', long, value_name = "TIME", value_parser = duration)]
    pub duration: Option<Duration>,
    /// Say what happens as lines of JSON on standard output, for programs; lines of standard input such as
    /// `@1767225600000000 log in` name what came from that instant (us since 1970) on
    #[arg(long, conflicts_with = "quiet")]
    pub events: bool,
    /// Don't show requests as they happen
    #[arg(short, long)]
    pub quiet: bool,
}

/// An address with or without a port.
fn listen(text: &str) -> Result<SocketAddr, String> {
    let address = text.parse::<SocketAddr>().ok();
    let alone = || text.trim_matches(['[', ']']).parse::<IpAddr>().ok();
    address
        .or_else(|| alone().map(|ip| SocketAddr::new(ip, 0)))
        .ok_or_else(|| "write an address of this machine, as in 0.0.0.0:8888 or 192.168.1.5".into())
}
