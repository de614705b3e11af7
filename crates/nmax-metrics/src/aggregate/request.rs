//! Counts and distributions of the exchanges of one request name.

use super::declare::{Counter, Declared, Statistic, statistics};
use crate::{Code, ErrorKind, Histogram, Nanos, Network, Outcome, Sample};

statistics! {
    /// Statistics of one request name.
    pub struct RequestStats {
        plain {
            /// Latencies by outcome: ok, failed, error. `None` until the first one.
            outcomes: [Option<Box<LatencySet>>; 3],
            /// Replies by status code, in order of first occurrence.
            status: Vec<(Code, u64)>,
            /// Response times of valid replies by status code, ascending; not of [`Self::USUAL_STATUS`], of which they are
            /// what is left, so that the usual exchange pays nothing. See [`Self::tells_status_times`].
            status_times: Vec<(Code, Histogram)>,
            /// Errors by [`ErrorKind::index`].
            errors: [u64; ErrorKind::ALL.len()],
            /// Spans that were not zero; `None` until the first one.
            phases: Option<Box<Phases>>,
        }
        counters {
            /// Bytes received on the wire, heads included.
            bytes_received: Bytes,
            /// Bytes sent on the wire, heads included.
            bytes_sent: Bytes,
            /// Bytes of bodies received, content codings undone.
            bytes_decoded: Bytes,
            /// Exchanges that ended within the hold, whenever they were due: what throughput is made of.
            ended_within: Count [|stats| stats.count().into()],
            /// Bytes of the largest body, content codings undone; 0 without a body.
            body_bytes_max: Heaviest,
            /// Bytes of the smallest body that was not empty, content codings undone; 0 without one.
            body_bytes_min: Lightest,
        }
    }
}

/// Statuses of a name whose times are told apart.
const STATUS_TIMES_MAX: usize = 32;
/// Injector lag up to this part of an exchange's response time is not told apart from it.
const LATE_PART: u64 = 64;

impl RequestStats {
    /// The status whose response times are not kept apart.
    pub const USUAL_STATUS: Code = Code::new(200);

    /// The counters that are sums over exchanges. What ended within the hold is none: it is shown as a rate.
    pub fn sums() -> impl Iterator<Item = &'static Counter<Self>> {
        Self::COUNTERS.iter().filter(|counter| counter.is_sum && counter.whole.is_none())
    }

    /// Its counters, without all else.
    pub fn counters_only(&self) -> Self {
        let mut counters = Self::default();
        Self::COUNTERS.iter().for_each(|counter| (counter.set)(&mut counters, (counter.get)(self)));
        counters
    }

    /// Adds one exchange.
    pub fn record(&mut self, sample: &Sample) {
        self.record_with_lag(sample.injector_lag(), sample);
    }

    /// The same of one whose [`Sample::injector_lag`] is known already.
    #[inline]
    pub(super) fn record_with_lag(&mut self, lag: Option<Nanos>, sample: &Sample) {
        let class = match sample.outcome {
            Outcome::Ok => 0,
            Outcome::Failed => 1,
            Outcome::Error(kind) => {
                self.errors[kind.index()] += 1;
                2
            }
        };
        self.outcomes[class].get_or_insert_default().record(sample);
        if let Some(status) = sample.status {
            self.count_status(status, 1);
            if status != Self::USUAL_STATUS
                && class < 2
                && let Some(times) = self.times_of(status)
            {
                times.record(sample.response_time().0);
            }
        }
        self.bytes_received += sample.bytes_received;
        self.bytes_sent += sample.bytes_sent;
        self.bytes_decoded += sample.bytes_decoded;
        if sample.bytes_decoded > self.body_bytes_max {
            self.body_bytes_max = sample.bytes_decoded;
        }
        if sample.bytes_decoded > 0 && (sample.bytes_decoded < self.body_bytes_min || self.body_bytes_min == 0) {
            self.body_bytes_min = sample.bytes_decoded;
        }
        let receive = sample.receive().unwrap_or_default();
        let late = lag.filter(|lag| lag.0 > sample.response_time().0 / LATE_PART);
        // A small exchange on a kept connection that was sent in time has none of them.
        if sample.network != Network::default() || sample.send > Nanos::ZERO || receive > Nanos::ZERO || late.is_some()
        {
            let phases = self.phases.get_or_insert_default();
            phases.record(sample, receive);
            if let Some(lag) = late {
                let response = sample.response_time();
                phases.late.record(response.0);
                phases.late_without_lag.record(response.since(lag).0);
            }
        }
    }

    /// Adds `n` replies with this status.
    #[inline]
    fn count_status(&mut self, status: Code, n: u64) {
        match self.status.iter_mut().find(|(code, _)| *code == status) {
            Some((_, count)) => *count += n,
            None => self.status.push((status, n)),
        }
    }

    /// Response times of a status, to be added to; `None` when too many are told apart already.
    pub fn times_of(&mut self, status: Code) -> Option<&mut Histogram> {
        let place = match self.status_times.binary_search_by_key(&status, |(code, _)| *code) {
            Ok(place) => place,
            Err(_) if self.status_times.len() >= STATUS_TIMES_MAX => return None,
            Err(place) => {
                self.status_times.insert(place, (status, Histogram::new()));
                place
            }
        };
        self.status_times.get_mut(place).map(|(_, times)| times)
    }

    /// Whether the response times of all valid replies are known by status: too many statuses, or figures that were
    /// stored before they were kept, make them unknown.
    pub fn tells_status_times(&self) -> bool {
        let counted: u64 = self.status.iter().map(|(_, count)| count).sum();
        let times = |status: Code| self.status_times.iter().find(|(code, _)| *code == status);
        counted == self.ok() + self.failed()
            && self.status.iter().all(|(status, count)| {
                *status == Self::USUAL_STATUS || times(*status).map_or(0, |(_, times)| times.count()) == *count
            })
    }

    /// Response times of the valid replies with this status; `None` when they are not known.
    pub fn response_of(&self, status: Code) -> Option<Histogram> {
        if !self.tells_status_times() {
            return None;
        }
        if status != Self::USUAL_STATUS {
            let found = self.status_times.iter().find(|(code, _)| *code == status);
            return Some(found.map_or_else(Histogram::new, |(_, times)| times.clone()));
        }
        let mut usual = Histogram::new();
        self.outcomes[..2].iter().flatten().for_each(|set| usual.merge(&set.response));
        let mut others = Histogram::new();
        self.status_times.iter().for_each(|(_, times)| others.merge(times));
        Some(usual.without(&others))
    }

    /// Exchanges that ended ok.
    pub fn ok(&self) -> u64 {
        self.count_of(0)
    }

    /// Valid replies that were not ok.
    pub fn failed(&self) -> u64 {
        self.count_of(1)
    }

    /// Exchanges without a valid reply.
    pub fn errors(&self) -> u64 {
        self.count_of(2)
    }

    /// All exchanges.
    pub fn count(&self) -> u64 {
        self.ok() + self.failed() + self.errors()
    }

    /// (failed + errors) / count; `None` without exchanges.
    pub fn failure_rate(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| (self.failed() + self.errors()) as f64 / count as f64)
    }

    fn count_of(&self, class: usize) -> u64 {
        self.outcomes[class].as_ref().map_or(0, |set| set.response.count())
    }

    /// Whether there was no exchange.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Latencies of all outcomes together.
    pub fn latencies(&self) -> LatencySet {
        let mut all = LatencySet::default();
        self.outcomes.iter().flatten().for_each(|set| all.merge(set));
        all
    }

    /// From the last byte sent to the first byte received, of all exchanges that got one: `ttfb − send`.
    pub fn wait(&self) -> Histogram {
        let ttfb = self.latencies().ttfb;
        let Some(phases) = &self.phases else { return ttfb };
        let mut wait = ttfb.without(&phases.slow_ttfb);
        wait.merge(&phases.slow_wait);
        wait
    }

    /// Response times of all exchanges less what the injector itself added to each, to 1.6 %. Figures that were stored
    /// before it was kept know of no lag.
    pub fn response_without_lag(&self) -> Histogram {
        let response = self.latencies().response;
        let Some(phases) = &self.phases else { return response };
        let mut without = response.without(&phases.late);
        without.merge(&phases.late_without_lag);
        without
    }
}

impl Statistic for RequestStats {
    fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.outcomes.iter_mut().zip(&other.outcomes) {
            if let Some(theirs) = theirs.as_ref().filter(|set| !set.response.is_empty()) {
                mine.get_or_insert_default().merge(theirs);
            }
        }
        for (status, count) in &other.status {
            if *count > 0 {
                self.count_status(*status, *count);
            }
        }
        for (status, theirs) in other.status_times.iter().filter(|(_, times)| !times.is_empty()) {
            if let Some(times) = self.times_of(*status) {
                times.merge(theirs);
            }
        }
        for (mine, theirs) in self.errors.iter_mut().zip(other.errors) {
            *mine += theirs;
        }
        self.merge_declared(other);
        if let Some(phases) = other.phases.as_ref().filter(|phases| !phases.is_empty()) {
            self.phases.get_or_insert_default().merge(phases);
        }
    }

    fn reset(&mut self) {
        if !self.is_blank() {
            self.outcomes.iter_mut().flatten().for_each(|set| set.reset());
            self.status.iter_mut().for_each(|(_, count)| *count = 0);
            self.status_times.iter_mut().for_each(|(_, times)| times.reset());
            self.errors = Default::default();
            self.reset_declared();
            if let Some(phases) = &mut self.phases {
                phases.reset();
            }
        }
    }

    fn is_blank(&self) -> bool {
        self.is_empty() && self.ended_within == 0 && self.bytes_sent == 0 && self.errors.iter().all(|count| *count == 0)
    }
}

statistics! {
    /// Spans of exchanges in which they were not zero.
    ///
    /// The kernel takes most requests at once, and then `ttfb` is the wait for the server. The others are told apart, so
    /// that [`RequestStats::wait`] is exact and an ordinary exchange pays nothing for it. Nor does one that was sent in time
    /// for [`RequestStats::response_without_lag`].
    pub struct Phases {
        times {
            /// Name resolution.
            dns "dns",
            /// TCP connect, a proxy's tunnel included.
            connect "connect",
            /// TLS handshake.
            tls "tls",
            /// Sending, where the kernel did not take all at once.
            send "send",
            /// done − first byte, where the reply came in more than one piece.
            receive "receive",
            /// first byte − sent of exchanges whose sending took time.
            slow_ttfb "slow_ttfb",
            /// The same without the sending.
            slow_wait "slow_wait",
            /// Response times of exchanges of which more than 1/64 was the injector's lag.
            late "late",
            /// The same without the injector's lag.
            late_without_lag "late_without_lag",
        }
    }
}

impl Statistic for Phases {}

impl Phases {
    fn record(&mut self, sample: &Sample, receive: Nanos) {
        let Network { dns, connect, tls } = sample.network;
        let spans = [
            (&mut self.dns, dns),
            (&mut self.connect, connect),
            (&mut self.tls, tls),
            (&mut self.send, sample.send),
            (&mut self.receive, receive),
        ];
        for (histogram, span) in spans {
            if span > Nanos::ZERO {
                histogram.record(span.0);
            }
        }
        if let Some(ttfb) = sample.ttfb().filter(|_| sample.send > Nanos::ZERO) {
            self.slow_ttfb.record(ttfb.0);
            self.slow_wait.record(ttfb.since(sample.send).0);
        }
    }

    fn is_empty(&self) -> bool {
        Self::TIMES.iter().all(|time| (time.get)(self).is_empty())
    }
}

statistics! {
    /// The distributions of one outcome, side by side.
    pub struct LatencySet {
        times {
            /// done − intended
            response "resp",
            /// done − sent, of exchanges that were sent
            service "serv",
            /// sent − intended, of exchanges that were sent
            send_lag "lag",
            /// first byte − sent, of exchanges that got a byte
            ttfb "ttfb",
        }
    }
}

impl Statistic for LatencySet {}

impl LatencySet {
    #[inline]
    fn record(&mut self, sample: &Sample) {
        self.response.record(sample.response_time().0);
        if let Some(sent) = sample.sent {
            self.service.record(sample.done.since(sent).0);
            self.send_lag.record(sent.since(sample.intended).0);
            if let Some(first_byte) = sample.first_byte {
                self.ttfb.record(first_byte.since(sent).0);
            }
        }
    }
}
