//! The flags of `nmax target`.

use std::path::PathBuf;

use clap::Args;

use super::values::duration;

const TARGET_EXAMPLES: &str = "\
Examples:
  nmax target --shop                                      the shop on a free port, which is printed
  nmax target --listen 8080 --service fixed:5ms           every reply after 5 ms
  nmax target --listen 8080 --service usl:alpha=0.02,beta=0.0005,gamma=1000
  nmax target --listen 8080 --bottleneck pool:size=4,held=20ms,name=orders   and what it says at /metrics
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
    /// A real bottleneck, `[/path=]KIND`, may be repeated: cpu:work=10ms, lock:held=10ms,
    /// disk:bytes=64kB,writes=10,dir=/var/tmp, pool:size=4,held=20ms, memory:bytes=300MB,touch=4MB,
    /// network:bytes_per_s=2MB, dependency:url=http://127.0.0.1:9000/. Requests pass them in this order
    #[arg(long, value_name = "KIND")]
    pub bottleneck: Vec<nmax_target::Bottleneck>,
    /// Stall every request at a time, as in at=10s,for=1s,every=30s; may be repeated
    #[arg(long, value_name = "WHEN")]
    pub stall: Vec<nmax_target::Stall>,
    /// Slow down over time, as in 1ms/s
    #[arg(long, value_name = "TIME/TIME")]
    pub drift: Option<nmax_target::Drift>,
    /// Leak memory, as in 1MB/min; at most 1 GiB
    #[arg(long, value_name = "SIZE/TIME")]
    pub leak: Option<nmax_target::Leak>,
    /// Share of requests answered with an error, as in 1% or 1%:503
    #[arg(long, value_name = "SHARE")]
    pub errors: Option<nmax_target::ErrorRate>,
    /// Share of connections that are reset instead of answered
    #[arg(long, value_name = "SHARE")]
    pub resets: Option<nmax_target::Share>,
    /// Bytes of the default reply
    #[arg(long, value_name = "BYTES")]
    pub reply_bytes: Option<u64>,
    /// Worker threads
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub workers: usize,
    /// Seed of every random choice
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// File to write the CA certificate of this target to, for `--ca`
    #[arg(long, value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Stop after this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub for_time: Option<std::time::Duration>,
}
