//! Numbers of request names: counts, rates, and distributions with their intervals.

use nmax_metrics::aggregate::Counter;
use nmax_metrics::{Code, ErrorKind, Histogram, LatencySet, RequestStats};

use super::per_s;
use crate::batches::Line;
use crate::wording::count;
use crate::{NoInterval, QUANTILES, Withheld};

/// Numbers of one request name or of all.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    /// Exchanges.
    pub count: u64,
    /// Ended ok.
    pub ok: u64,
    /// Valid replies that were not ok.
    pub failed: u64,
    /// No valid reply.
    pub errors: u64,
    /// (failed + errors) / count; `None` without exchanges.
    pub failure_rate: Option<f64>,
    /// Exchanges that ended within the phase, whenever they were due, per second; `None` when the phase has no length.
    pub rate_per_s: Option<f64>,
    /// Sums over the exchanges, and nothing else of them.
    pub sums: RequestStats,
    /// Replies by status code, ascending.
    pub status: Vec<(Code, u64)>,
    /// Errors by kind, those that occurred.
    pub error_kinds: Vec<(&'static str, u64)>,
    /// Times of all outcomes together.
    pub times: Times,
    /// Which response times at [`QUANTILES`] are not known, since the injector's own lag is too large a part of them.
    pub withheld: [bool; QUANTILES.len()],
    /// Times by outcome: ok, failed, error.
    pub by_outcome: [Times; 3],
    /// What exchanges are made of, in the order of their life; only what took time in at least one.
    pub phases: Vec<PhaseTime>,
}

/// Names of the phases of an exchange, in order.
pub const PHASES: [&str; 6] = ["dns", "connect", "tls", "send", "wait", "receive"];

/// One phase of exchanges.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseTime {
    /// One of [`PHASES`].
    pub name: &'static str,
    /// Its times in the exchanges that had it.
    pub time: Dist,
    /// Its sum over all exchanges, ended or not by a reply, divided by their number, ns.
    pub per_exchange_ns: f64,
}

impl PhaseTime {
    /// The phases of these exchanges that took time.
    fn all(stats: &RequestStats) -> Vec<Self> {
        let spans = stats.phases.as_deref().cloned().unwrap_or_default();
        let all = [&spans.dns, &spans.connect, &spans.tls, &spans.send, &stats.wait(), &spans.receive];
        let row = |(name, times): (&'static str, &Histogram)| {
            (!times.is_empty()).then(|| Self {
                name,
                time: Dist::from_histogram(times),
                per_exchange_ns: times.exact().sum_ns as f64 / stats.count() as f64,
            })
        };
        PHASES.into_iter().zip(all).filter_map(row).collect()
    }
}

/// The times of an exchange, side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// done − intended
    pub response: Dist,
    /// done − sent
    pub service: Dist,
    /// sent − intended
    pub send_lag: Dist,
    /// first byte − sent
    pub ttfb: Dist,
}

/// A distribution of times, ns. Numbers are `None` without values.
#[derive(Clone, Debug, PartialEq)]
pub struct Dist {
    /// Number of values.
    pub count: u64,
    /// Arithmetic mean.
    pub mean_ns: Option<f64>,
    /// Smallest.
    pub min_ns: Option<u64>,
    /// Largest.
    pub max_ns: Option<u64>,
    /// Values at [`QUANTILES`].
    pub quantiles_ns: [Option<u64>; QUANTILES.len()],
    /// Within-run 95 % intervals of the same, or why there is none.
    pub intervals_ns: [Result<(u64, u64), NoInterval>; QUANTILES.len()],
    /// Values above one hour, counted as one hour.
    pub clamped: u64,
}

impl Default for Dist {
    fn default() -> Self {
        Self {
            count: 0,
            mean_ns: None,
            min_ns: None,
            max_ns: None,
            quantiles_ns: [None; QUANTILES.len()],
            intervals_ns: [Err(NoInterval::FewValues); QUANTILES.len()],
            clamped: 0,
        }
    }
}

impl Dist {
    /// The numbers of a histogram, without intervals.
    pub fn from_histogram(histogram: &Histogram) -> Self {
        Self::within(histogram, None)
    }

    /// The numbers of a histogram, with intervals by the batches of the same values.
    pub fn within(histogram: &Histogram, batches: Option<&Line>) -> Self {
        if histogram.is_empty() {
            return Self::default();
        }
        let batches = batches.filter(|batches| batches.count() == histogram.count());
        let intervals =
            QUANTILES.map(|(_, q)| batches.map_or(Err(NoInterval::NotExamined), |batches| batches.ranks(q)));
        let points = QUANTILES.map(|(_, q)| histogram.rank_of(q));
        let ends = intervals.iter().flat_map(|ranks| ranks.map_or([0, 0], |(low, high)| [low, high]));
        let values = histogram.values_at_ranks_ns(&points.into_iter().chain(ends).collect::<Vec<_>>());
        let (quantiles, ends) = values.split_at(QUANTILES.len());
        Self {
            count: histogram.count(),
            mean_ns: histogram.mean_ns(),
            min_ns: histogram.min_ns(),
            max_ns: histogram.max_ns(),
            quantiles_ns: std::array::from_fn(|index| quantiles[index]),
            intervals_ns: std::array::from_fn(|index| {
                let ends = ends[2 * index].zip(ends[2 * index + 1]);
                intervals[index].and_then(|_| ends.ok_or(NoInterval::FewValues))
            }),
            clamped: histogram.exact().clamped,
        }
    }

    /// Median, ns.
    pub fn p50(&self) -> Option<u64> {
        self.quantiles_ns[0]
    }

    /// 90th percentile, ns.
    pub fn p90(&self) -> Option<u64> {
        self.quantiles_ns[1]
    }

    /// 95th percentile, ns.
    pub fn p95(&self) -> Option<u64> {
        self.quantiles_ns[2]
    }

    /// 99th percentile, ns.
    pub fn p99(&self) -> Option<u64> {
        self.quantiles_ns[3]
    }

    /// 99.9th percentile, ns.
    pub fn p999(&self) -> Option<u64> {
        self.quantiles_ns[4]
    }
}

impl Stats {
    /// `batches` are those of its response times.
    pub(super) fn from_stats(stats: &RequestStats, length_s: f64, batches: Option<&Line>) -> Self {
        let mut status: Vec<_> = stats.status.iter().copied().filter(|(_, count)| *count > 0).collect();
        status.sort_unstable();
        let kinds = ErrorKind::ALL.iter().map(|kind| (kind.name(), stats.errors[kind.index()]));
        let times = Times::from_set(&stats.latencies(), batches);
        let by_outcome = stats.outcomes.each_ref().map(|set| match set.as_deref() {
            Some(set) if set.response.count() == stats.count() => times.clone(),
            Some(set) => Times::from_set(set, None),
            None => Times::default(),
        });
        Self {
            count: stats.count(),
            ok: stats.ok(),
            failed: stats.failed(),
            errors: stats.errors(),
            failure_rate: stats.failure_rate(),
            rate_per_s: per_s(stats.ended_within, length_s),
            sums: stats.counters_only(),
            status,
            error_kinds: kinds.filter(|(_, count)| *count > 0).collect(),
            times,
            withheld: [false; QUANTILES.len()],
            by_outcome,
            phases: PhaseTime::all(stats),
        }
    }
}

impl Stats {
    /// The sums over the exchanges, by name.
    pub fn sums(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let value = |counter: &Counter<RequestStats>| u64::try_from((counter.get)(&self.sums)).unwrap_or(u64::MAX);
        RequestStats::sums().map(move |counter| (counter.name, value(counter)))
    }

    /// The response time at [`QUANTILES`]`[index]`, if it is known.
    pub fn response_ns(&self, index: usize) -> Option<u64> {
        self.times.response.quantiles_ns[index].filter(|_| !self.withheld[index])
    }

    pub(super) fn withhold<'a>(&mut self, withheld: impl Iterator<Item = &'a Withheld>) {
        for one in withheld {
            self.withheld[QUANTILES.iter().position(|(name, _)| *name == one.quantile).unwrap_or_default()] = true;
        }
    }

    /// Replies by status, and exchanges without a reply: `200 9,812 · 404 3 · no reply 1`. Empty without exchanges.
    pub fn by_status(&self) -> String {
        let of_status = self.status.iter().map(|(status, replies)| format!("{status} {}", count(*replies)));
        let none = (self.errors > 0).then(|| format!("no reply {}", count(self.errors)));
        of_status.chain(none).collect::<Vec<_>>().join(" · ")
    }

    /// The status of most replies.
    fn usual_status(&self) -> Option<Code> {
        self.status.iter().max_by_key(|(_, replies)| *replies).map(|(status, _)| *status)
    }
}

/// Replies by status of all requests, then of those, by name, that had others than the usual one; nothing without a
/// reply. With one request name, what is said of all is said of it.
pub(super) fn by_status<'a>(total: &Stats, requests: &'a [(String, Stats)]) -> Vec<(Option<&'a str>, String)> {
    let usual = total.usual_status();
    let all = Some((None, total.by_status())).filter(|(_, text)| !text.is_empty());
    let differs = |stats: &Stats| stats.errors > 0 || stats.status.iter().any(|(status, _)| Some(*status) != usual);
    let others = requests.iter().filter(|(_, stats)| requests.len() > 1 && differs(stats));
    all.into_iter().chain(others.map(|(name, stats)| (Some(name.as_str()), stats.by_status()))).collect()
}

impl Times {
    fn from_set(set: &LatencySet, batches: Option<&Line>) -> Self {
        Self {
            response: Dist::within(&set.response, batches),
            service: Dist::from_histogram(&set.service),
            send_lag: Dist::from_histogram(&set.send_lag),
            ttfb: Dist::from_histogram(&set.ttfb),
        }
    }
}
