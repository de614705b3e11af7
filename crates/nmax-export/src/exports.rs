//! All exports of a run: told of its windows, asked for what went wrong, finished with its verdict.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use nmax_metrics::Nanos;
use nmax_run::Finished;
use nmax_run::listener::{Listener, Progress};

use crate::endpoint::Endpoint;
use crate::otlp;
use crate::push::{Destination, Protocol, Pusher, Tally};
use crate::snapshot::{Known, Snapshot};

/// Between two states that are sent.
const PUSH_PERIOD: Nanos = Nanos::from_secs(5);
/// Longest wait for the last state to be sent, and to be scraped where somebody scrapes.
const LAST_MAX: Duration = Duration::from_secs(5);

/// Where a run is exported to.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where `/metrics` listens.
    pub prometheus: Option<SocketAddr>,
    /// Base URL of a receiver of OpenTelemetry's protocol.
    pub otlp: Option<String>,
    /// Headers sent to it.
    pub otlp_headers: Vec<(String, String)>,
    /// URL of a receiver of remote write.
    pub remote_write: Option<String>,
    /// Headers sent to it.
    pub remote_write_headers: Vec<(String, String)>,
}

/// The exports of one run.
pub struct Exports {
    endpoint: Option<Endpoint>,
    pushers: Vec<Exported>,
    latest: Option<Arc<Snapshot>>,
    next: Nanos,
}

struct Exported {
    pusher: Pusher,
    /// A failure was told already.
    is_told: bool,
}

impl Exports {
    /// Listens, and gets ready to send. Nothing is sent yet.
    ///
    /// # Errors
    /// What cannot be listened at or started, and what to do.
    pub fn start(options: &Options) -> Result<Self, String> {
        let endpoint = options.prometheus.map(|address| {
            Endpoint::start(address).map_err(|error| {
                format!("--prometheus {address}: {error}\n  help: choose a free address of this host; port 0 takes any free one")
            })
        });
        let headers = [&options.otlp_headers, &options.remote_write_headers];
        let otlp = options.otlp.as_ref().map(|url| (Protocol::Otlp, otlp::url(url), headers[0]));
        let remote = options.remote_write.as_ref().map(|url| (Protocol::RemoteWrite, url.clone(), headers[1]));
        let pushers = otlp.into_iter().chain(remote).map(|(protocol, url, headers)| {
            let pusher = Pusher::start(Destination { protocol, url, headers: headers.clone() });
            pusher.map(|pusher| Exported { pusher, is_told: false }).map_err(|error| error.to_string())
        });
        let pushers = pushers.collect::<Result<_, _>>()?;
        Ok(Self { endpoint: endpoint.transpose()?, pushers, latest: None, next: Nanos::ZERO })
    }

    /// Where Prometheus finds the run: the URL of its page.
    pub fn url(&self) -> Option<String> {
        self.endpoint.as_ref().map(Endpoint::url)
    }

    pub(crate) fn show(&self, snapshot: &Arc<Snapshot>) {
        self.endpoint.iter().for_each(|endpoint| endpoint.show(Arc::clone(snapshot)));
    }

    /// Sends the last state with the verdict, and waits for it a few seconds at most; what a person should know of it.
    pub fn finish(mut self, finished: &Finished) -> Vec<String> {
        let Some(latest) = self.latest.take() else { return Vec::new() };
        let mut last = Arc::unwrap_or_clone(latest);
        last.judge(Some(finished.view.judgement.verdict));
        last.at_ns = unix_ns();
        let last = Arc::new(last);
        self.show(&last);
        std::thread::scope(|scope| {
            let ends = self.pushers.iter().map(|exported| {
                let last = Arc::clone(&last);
                scope.spawn(move || (exported.pusher.name, exported.pusher.finish(last, LAST_MAX)))
            });
            let ends: Vec<_> = ends.collect();
            if let Some(endpoint) = &self.endpoint {
                endpoint.wait_for_scrape(LAST_MAX);
            }
            let tallies = ends.into_iter().filter_map(|end| end.join().ok());
            tallies.filter_map(|(name, tally)| said(name, &tally)).collect()
        })
    }
}

impl Listener for Exports {
    fn window(&mut self, progress: &Progress<'_>) {
        if self.endpoint.is_none() && self.pushers.is_empty() {
            return;
        }
        let Progress { manifest, plan, fold, catalog, .. } = *progress;
        let snapshot = Arc::new(Snapshot::new(&Known { manifest, plan, fold, catalog }, unix_ns()));
        self.show(&snapshot);
        let now = progress.complete.window.end();
        if now >= self.next {
            self.pushers.iter().for_each(|exported| exported.pusher.offer(Arc::clone(&snapshot)));
            self.next = now + PUSH_PERIOD;
        }
        self.latest = Some(snapshot);
    }

    fn event(&mut self, _: Nanos, _: &str, _: &str) {}

    fn events(&mut self) -> Vec<(&'static str, String)> {
        let failed = self.pushers.iter_mut().filter(|exported| !exported.is_told).filter_map(|exported| {
            let trouble = exported.pusher.tally().trouble?;
            exported.is_told = true;
            Some((
                "EXPORT_FAILED",
                format!("{}: {trouble}; the run goes on, and the next state is sent in its turn", exported.pusher.name),
            ))
        });
        failed.collect()
    }

    fn ended(&mut self) {}
}

/// What a person should know of what was sent.
fn said(name: &str, tally: &Tally) -> Option<String> {
    let Tally { sent, failed, skipped, trouble } = tally;
    let missing = failed + skipped;
    let last = trouble.as_ref().map_or_else(String::new, |trouble| format!("; the last one was not: {trouble}"));
    (missing > 0).then(|| format!("{name}: {sent} of {} states were sent{last}", sent + missing))
}

fn unix_ns() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "others place the figures by the calendar")]
    let now = SystemTime::now();
    now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}
