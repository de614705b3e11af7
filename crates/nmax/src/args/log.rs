//! The flags of whatever reads access logs, and of `nmax import log`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use nmax_run::logs::{Ask, instant};

use super::values::{duration, path_template, zone};

const LOG_EXAMPLES: &str = "\
Examples:
  nmax import log access.log                            writes access.yaml: the few scenarios behind the traffic
  nmax import log access.log.*.gz --peak-hour -o shop   the mix and rate of the busiest hour
  nmax import log access.log --from '2026-11-20 18:00' --to '2026-11-20 20:00' --zone +01:00
  nmax import log access.log --format '$remote_addr - $remote_user [$time_local] \"$request\" $status $request_time'

Formats are found by themselves: common, combined, IIS and other W3C, HAProxy, AWS ALB, S3 and CloudFront, Caddy, JSON \
lines, and all of them as containers write them; others are named by --format, as the server's configuration says it. Lines that cannot be read are counted and shown.

Written beside each other: NAME.yaml (the plan), NAME.traffic.json (the traffic profile that runs are compared with), \
and data files. Nothing is sent.

Exit codes: 0 written, 2 usage or no log that can be read.";

/// Breaks that end a session.
fn session_timeout(text: &str) -> Result<Duration, String> {
    const LONGEST: Duration = Duration::from_secs(7 * 86_400);
    let time = duration(text)?;
    if (Duration::from_secs(1)..=LONGEST).contains(&time) {
        Ok(time)
    } else {
        Err("a visit ends after a break of 1s to 168h, such as 30m".into())
    }
}

/// Access logs as a plan.
#[derive(Debug, Args)]
#[command(after_help = LOG_EXAMPLES)]
pub struct LogArgs {
    #[command(flatten)]
    pub read: ReadLogArgs,
    /// Idle time after which a visitor starts a new session
    #[arg(long, value_name = "TIME", value_parser = session_timeout, default_value = "30m")]
    pub session_timeout: Duration,
    /// Count paths that differ only at `*` as one request, as in '/products/*'; may be repeated
    #[arg(long, value_name = "PATH", value_parser = path_template)]
    pub template: Vec<String>,
    /// Keep robots and load tests by nmax
    #[arg(long)]
    pub with_robots: bool,
    /// Also plan requests that may change data; a log has no bodies, so they have none
    #[arg(long)]
    pub include_writes: bool,
    /// Base URL of the plan [default: the host that the log names]
    #[arg(long, value_name = "URL")]
    pub target: Option<String>,
    /// Name of the plan and of the files beside it, as in shop or plans/shop [default: the first file's]
    #[arg(short, long, value_name = "NAME")]
    pub output: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
    /// Print what was found as JSON
    #[arg(long)]
    pub json: bool,
}

/// Which logs are read, how, and what of them.
#[derive(Clone, Debug, Args)]
pub struct ReadLogArgs {
    /// Access logs, plain or gzip, in any order; `-` is standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Format: common, combined, iis, haproxy, alb, s3, cloudfront, caddy, json, or what the server's configuration says
    /// (Apache LogFormat, nginx log_format, #Fields)
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Time zone of --from, --day and of timestamps without one, as in +01:00
    #[arg(long, value_name = "OFFSET", value_parser = zone, default_value = "+00:00", allow_hyphen_values = true)]
    pub zone: i32,
    /// Only requests since this time, as in '2026-11-20 18:00' or 2026-11-20T17:00:00Z
    #[arg(long, value_name = "TIME", conflicts_with_all = ["day", "peak_hour"])]
    pub from: Option<String>,
    /// Only requests before this time
    #[arg(long, value_name = "TIME", conflicts_with_all = ["day", "peak_hour"])]
    pub to: Option<String>,
    /// Only this day, as in 2026-11-20; without a value, the day with most requests
    #[arg(long, value_name = "DATE", num_args = 0..=1, default_missing_value = "busiest", conflicts_with = "peak_hour")]
    pub day: Option<String>,
    /// Only the hour with most requests
    #[arg(long)]
    pub peak_hour: bool,
    /// Only requests of this host, where the log names hosts
    #[arg(long, value_name = "HOST")]
    pub host: Option<String>,
}

impl ReadLogArgs {
    /// What is asked for. `--day access.log` means the busiest day of that file. What looks like a date is one, be it wrong, unless there is such
    /// a file.
    pub fn ask(&self) -> Ask {
        let mut ask = Ask {
            files: self.files.clone(),
            format: self.format.clone(),
            zone_s: self.zone,
            host: self.host.clone(),
            from: self.from.clone(),
            to: self.to.clone(),
            day: self.day.clone(),
            peak_hour: self.peak_hour,
        };
        let looks_like_one = |day: &str| {
            let is_of_dates = |byte: u8| byte.is_ascii_digit() || b"-./: ".contains(&byte);
            day.starts_with(|first: char| first.is_ascii_digit()) && day.bytes().all(is_of_dates)
        };
        let is_date =
            |day: &str| day == "busiest" || instant(day, 0).is_ok() || looks_like_one(day) && !Path::new(day).exists();
        if let Some(day) = ask.day.take_if(|day| !is_date(day)) {
            ask.files.insert(0, PathBuf::from(day));
            ask.day = Some("busiest".into());
        }
        ask
    }
}
