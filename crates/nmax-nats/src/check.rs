//! Whether a fleet can use a server, and what to change.

use std::time::Duration;

use async_nats::HeaderMap;
use nmax_metrics::Nanos;
use nmax_metrics::clock::{OtherClock, Stamps};
use serde::Deserialize;

use crate::access::Access;
use crate::broker::{Broker, Link, SharedClock, after, version};
use crate::coordinator::stamp;
use crate::error::NatsError;
use crate::streams::{CONTROL, FILES, RESULTS, Sizes, WORKERS, prepare};

/// Exchanges with the broker's clock.
const STAMPS: usize = 8;
/// Clocks that are farther apart are worth a word, s: nmax corrects what is constant.
const OFFSET_MAX_S: f64 = 1.0;
/// A clock that is less certain cannot begin a run at the same time as others, s.
const UNCERTAIN_MAX_S: f64 = 0.05;
/// The least `max_payload`, bytes: a window of 50 names is some 40 KB.
const PAYLOAD_MIN: usize = 1 << 20;
/// How long a server has to tell its settings.
const TELLS_MAX: Duration = Duration::from_secs(2);
/// Releases of 2.12 before this one have known holes.
const PATCH_MIN: u32 = 6;
/// The number of a message that is not there.
const NEVER: u64 = u64::MAX >> 1;

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Good,
    /// It works, and something may get lost or be late.
    Warning,
    /// A fleet cannot use it.
    Failure,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub level: Level,
    /// What it is.
    pub what: String,
    /// What to change.
    pub help: Option<String>,
}

impl Finding {
    fn good(what: String) -> Self {
        Self { level: Level::Good, what, help: None }
    }

    fn warning(what: impl Into<String>, help: &str) -> Self {
        Self { level: Level::Warning, what: what.into(), help: Some(help.into()) }
    }

    fn failure(error: &NatsError) -> Self {
        let text = error.to_string();
        let (what, help) = text.split_once("\n  help: ").unwrap_or((&text, ""));
        Self { level: Level::Failure, what: what.into(), help: (!help.is_empty()).then(|| help.into()) }
    }
}

/// What a server tells of itself to users of the system account.
#[derive(Deserialize)]
struct Varz {
    data: Settings,
}

#[derive(Deserialize)]
struct Settings {
    jetstream: Stored,
}

#[derive(Deserialize)]
struct Stored {
    config: Option<Syncs>,
}

#[derive(Deserialize)]
struct Syncs {
    #[serde(default)]
    sync_always: bool,
}

/// Tries a server, and makes the streams that are missing. The worst comes last.
///
/// - `calendar`: ns since 1970
pub fn check(access: &Access, calendar: SharedClock, sizes: Sizes) -> Vec<Finding> {
    let broker = match Broker::connect(access, calendar) {
        Ok(broker) => broker,
        Err(error) => return vec![Finding::failure(&error)],
    };
    let mut findings = vec![server(&broker)];
    let prepared = prepare(&broker, sizes);
    findings.extend(broker.wait_for(async {
        let link = &broker.link;
        let mut findings = protection(link);
        findings.push(account(link).await);
        match &prepared {
            Ok(()) => findings.push(replicas(link).await),
            Err(error) => findings.push(Finding::failure(error)),
        }
        if prepared.is_ok() {
            findings.extend(permissions(link).await);
            findings.push(clock(link).await);
        }
        findings.push(syncs(link).await);
        findings
    }));
    findings.sort_by_key(|finding| finding.level);
    findings
}

fn server(broker: &Broker) -> Finding {
    let version_text = broker.version();
    let patch: u32 = version_text.split('.').nth(2).and_then(|patch| patch.parse().ok()).unwrap_or(0);
    if version(&version_text) == Some((2, 12)) && patch < PATCH_MIN {
        return Finding::warning(
            format!("the server has version {version_text}, with known holes"),
            "update nats-server to the newest release",
        );
    }
    Finding::good(format!("the server has version {version_text}"))
}

fn protection(link: &Link) -> Vec<Finding> {
    let info = link.client.server_info();
    let mut findings = Vec::new();
    if !info.auth_required {
        let help = "start the server with the fleet.conf that `nmax fleet key` writes: it has users";
        findings.push(Finding::warning("every client may use the server", help));
    }
    if !info.tls_required {
        let help = "configure TLS before other machines connect";
        findings.push(Finding::warning("the server takes connections without TLS", help));
    }
    if info.max_payload < PAYLOAD_MIN {
        let what = format!("the server takes messages of at most {} bytes", info.max_payload);
        findings.push(Finding::warning(what, "raise max_payload to 1MB: a window of many names is larger"));
    }
    findings
}

async fn account(link: &Link) -> Finding {
    let account = match link.context.query_account().await {
        Ok(account) => account,
        Err(error) => return Finding::failure(&NatsError::NoJetStream { reason: error.to_string() }),
    };
    let storage = account.limits.max_storage.filter(|most| *most >= 0);
    let most = storage.map_or_else(|| "all that the server has".into(), |most| format!("{most} bytes"));
    Finding::good(format!("JetStream stores {} bytes of the account, and may store {most}", account.storage))
}

async fn replicas(link: &Link) -> Finding {
    let copies = match link.context.get_stream(CONTROL).await {
        Ok(stream) => stream.cached_info().config.num_replicas,
        Err(error) => return Finding::failure(&link.lost(CONTROL, &error.to_string())),
    };
    match copies {
        1 => Finding::warning(
            "the streams are on one server: while it is down, no run begins or takes over",
            "run a cluster of three, and make the streams there",
        ),
        copies => Finding::good(format!("the streams are on {copies} servers")),
    }
}

/// What a user may write, tried without writing: each message is refused for its number, or for a permission.
async fn permissions(link: &Link) -> Vec<Finding> {
    let subjects = [
        "nmax.ctl.check.ready.0".to_owned(),
        "nmax.lease.check.0".into(),
        "nmax.stamp.check.check".into(),
        "nmax.res.check.0.1".into(),
        format!("$KV.{WORKERS}.check"),
        format!("$O.{FILES}.M.check"),
    ];
    let mut findings = Vec::new();
    for subject in subjects {
        match link.publish(&subject, after(NEVER), Vec::new()).await {
            Ok(_) | Err(NatsError::Raced { .. }) => {}
            Err(error) => findings.push(Finding::failure(&error)),
        }
    }
    if findings.is_empty() {
        findings.push(Finding::good(format!("the user may write to {CONTROL}, {RESULTS}, {WORKERS} and {FILES}")));
    }
    findings
}

async fn clock(link: &Link) -> Finding {
    let mut clock = OtherClock::default();
    let mut fastest = Nanos::MAX;
    for _ in 0..STAMPS {
        if let Some(stamps) = stamp(link, "nmax.stamp.check.clock").await {
            let Stamps { sent, received, .. } = stamps;
            fastest = fastest.min(received.since(sent));
            clock.exchanged(&stamps);
        }
    }
    let Some(known) = clock.offset(link.clock.now()) else {
        let help = "try again; if it stays so, look at the load of the server";
        return Finding::warning("the clock of the server could not be read", help);
    };
    let (offset, error) = (known.offset_s * 1e3, known.error_s * 1e3);
    let what = format!(
        "the server's clock is {offset:.1} ms ahead of this machine's, ±{error:.1} ms; a record takes {:.1} ms",
        fastest.as_secs_f64() * 1e3
    );
    if known.error_s > UNCERTAIN_MAX_S {
        return Finding::warning(what, "use a server that is nearer: a run begins with ±50 ms or less");
    }
    if known.offset_s.abs() > OFFSET_MAX_S {
        return Finding::warning(what, "synchronize the clocks of both; nmax corrects what is constant");
    }
    Finding::good(what)
}

/// Whether what is acknowledged is on the disk, as far as the server tells.
async fn syncs(link: &Link) -> Finding {
    let help = "set `jetstream { sync_interval: always }` on each server: \
                its default loses up to two minutes of acknowledged results when power fails";
    let asked = link.client.send_request(
        "$SYS.REQ.SERVER.PING.VARZ",
        async_nats::Request::new().timeout(Some(TELLS_MAX)).headers(HeaderMap::new()),
    );
    let told = asked.await.ok().and_then(|answer| serde_json::from_slice::<Varz>(&answer.payload).ok());
    match told.and_then(|told| told.data.jetstream.config) {
        Some(Syncs { sync_always: true }) => Finding::good("the server syncs each message to its disk".into()),
        Some(_) => Finding::warning("the server acknowledges what is not on its disk", help),
        None => Finding::warning("the server does not tell this user whether it syncs each message", help),
    }
}
