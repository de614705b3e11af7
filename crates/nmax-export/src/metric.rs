//! What is exported, declared once: names and units are those of OpenTelemetry where it has a convention, and `nmax.` ones else.
//!
//! Source: OpenTelemetry semantic conventions 1.27, HTTP metrics and metric units (UCUM); *Prometheus and OpenMetrics
//! Compatibility*, metric metadata, for [`Metric::prometheus_name`].

/// How a figure changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Counts of values up to each of [`crate::buckets::BOUNDS_S`].
    Histogram,
}

impl Kind {
    /// The word of Prometheus.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

/// A figure that is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name, with dots.
    pub name: &'static str,
    /// Its unit (UCUM); empty where there is none.
    pub unit: &'static str,
    /// How it changes.
    pub kind: Kind,
    /// Attributes that tell its points apart, with dots.
    pub attributes: &'static [&'static str],
    /// One sentence.
    pub about: &'static str,
}

impl Metric {
    /// The name in Prometheus: with the unit in words, and `_total` for what only grows.
    pub fn prometheus_name(&self) -> String {
        let unit = match self.unit {
            "s" => "_seconds",
            "By" => "_bytes",
            unit if unit.ends_with("/s") => "_per_second",
            _ => "",
        };
        let total = if self.kind == Kind::Counter { "_total" } else { "" };
        format!("{}{unit}{total}", label(self.name))
    }
}

/// A name of an attribute as a label of Prometheus.
pub fn label(attribute: &str) -> String {
    attribute.replace('.', "_")
}

macro_rules! metrics {
    ($($id:ident $kind:ident $name:literal $unit:literal [$($attribute:literal)*] $about:literal;)+) => {
        $(pub(crate) static $id: Metric = Metric {
            name: $name, unit: $unit, kind: Kind::$kind, attributes: &[$($attribute),*], about: $about,
        };)+
        /// Every metric, in the order in which they are written.
        pub static ALL: &[&Metric] = &[$(&$id),+];
    };
}

metrics! {
    DURATION Histogram "http.client.request.duration" "s"
        ["nmax.request" "nmax.phase" "http.request.method" "server.address" "server.port" "http.response.status_code"
        "error.type"]
        "Response time: from the instant at which the request was due to the last byte of its reply, or to the error.";
    SERVICE Histogram "nmax.request.service.duration" "s" ["nmax.request" "nmax.phase"]
        "Service time: from the first byte sent to the last byte received, of requests that were sent.";
    REQUESTS Counter "nmax.requests" "{request}" ["nmax.request" "nmax.phase" "nmax.outcome"]
        "Requests that ended: ok, failed (a reply that is not as expected) or error (no valid reply).";
    ERRORS Counter "nmax.request.errors" "{request}" ["nmax.request" "nmax.phase" "error.type"]
        "Requests without a valid reply, by kind of error.";
    SENT Counter "nmax.request.sent" "By" ["nmax.request" "nmax.phase"] "Bytes sent on the wire, heads included.";
    RECEIVED Counter "nmax.request.received" "By" ["nmax.request" "nmax.phase"]
        "Bytes received on the wire, heads included.";
    FAILURES Counter "nmax.failures" "{failure}" ["nmax.failure"] "Failures and errors, by kind.";
    DUE Counter "nmax.iterations.due" "{iteration}" ["nmax.phase"]
        "Iterations whose intended start passed (open workloads).";
    STARTED Counter "nmax.iterations.started" "{iteration}" ["nmax.phase"] "Iterations started.";
    WAITED Counter "nmax.iterations.waited" "{iteration}" ["nmax.phase"]
        "Iterations started after they had waited for an in-flight slot.";
    DROPPED Counter "nmax.iterations.dropped" "{iteration}" ["nmax.phase" "nmax.reason"]
        "Due iterations that never started: `injector` was late, or `in_flight_limit` was reached.";
    IN_FLIGHT Counter "nmax.iterations.in_flight" "s" ["nmax.phase"]
        "Iterations in flight, summed over time: the rate is their mean number.";
    ITERATIONS Counter "nmax.scenario.iterations" "{iteration}" ["nmax.scenario" "nmax.phase" "nmax.outcome"]
        "Iterations that reached their end, ok or failed.";
    TRANSACTION Histogram "nmax.transaction.duration" "s" ["nmax.transaction" "nmax.phase"]
        "From the intended start of the first request to the end of the last.";
    CHECKS Counter "nmax.checks" "{check}" ["nmax.check" "nmax.phase" "nmax.outcome"] "Checks: passed or failed.";
    CONNECTIONS Counter "nmax.connections" "{connection}" ["nmax.phase"] "Connections opened.";
    LAG Histogram "nmax.injector.lag" "s" ["nmax.phase"] "What the injector itself added to response times.";
    CPU Counter "nmax.injector.cpu" "s" ["nmax.phase"] "Processor time of the worker threads.";
    WORKER Counter "nmax.injector.worker" "s" ["nmax.phase"]
        "Time that the worker threads existed: the whole that their processor time is a part of.";
    RATE Gauge "nmax.rate.intended" "{iteration}/s" [] "Planned iterations per second now (open workloads).";
    VUS Gauge "nmax.vus.intended" "{vu}" [] "Planned virtual users now (closed workloads).";
    ELAPSED Gauge "nmax.run.elapsed" "s" [] "Time since the beginning of the run.";
    PLANNED Gauge "nmax.run.planned" "s" [] "Planned length of the load; absent when nothing ends it by time.";
    GATE Gauge "nmax.gate.holds" "" ["nmax.gate"]
        "1 where a gate of validity holds as the run stands, 0 where it makes the run INVALID.";
    CONDITION Gauge "nmax.condition.holds" "" ["nmax.condition"]
        "1 where a condition of the plan holds as the run stands, 0 where not.";
    VERDICT Gauge "nmax.run.verdict" "" ["nmax.verdict"] "1 for what the run is: running, pass, fail or invalid.";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law: names are those of both worlds, each once, and nothing says its unit twice.
    #[test]
    fn names_are_names() {
        let mut names: Vec<String> = ALL.iter().map(|metric| metric.prometheus_name()).collect();
        assert_eq!(names[0], "http_client_request_duration_seconds");
        assert!(names.contains(&"nmax_request_received_bytes_total".into()), "{names:?}");
        assert!(names.contains(&"nmax_rate_intended_per_second".into()), "{names:?}");
        let is_word = |name: &String| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        assert!(names.iter().all(is_word), "{names:?}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }
}
