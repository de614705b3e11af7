//! One line of `windows.jsonl`: everything of a window but the buckets of its histograms, which are in `latency.hlog`.
//!
//! Entries without any count are left out, as merging leaves them out.

use nmax_metrics::histogram::Exact;
use nmax_metrics::{
    Aggregate, CheckStats, ErrorKind, Histogram, LoadStats, NameId, Nanos, RequestStats, ScenarioStats,
};
use nmax_metrics::{Section, Window};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::tag::{self, Limits};

pub(crate) const FILE: &str = "windows.jsonl";

#[derive(Serialize, Deserialize)]
pub(crate) struct WindowLine {
    index: u64,
    start_ns: u64,
    width_ns: u64,
    scenario_count: usize,
    check_count: usize,
    hold: SectionLine,
    outside: SectionLine,
    histograms: Vec<HistogramLine>,
}

#[derive(Serialize, Deserialize)]
struct SectionLine {
    requests: Vec<RequestLine>,
    scenarios: Vec<ScenarioLine>,
    checks: Vec<CheckLine>,
    load: LoadLine,
}

#[derive(Serialize, Deserialize)]
struct RequestLine {
    id: u32,
    ok: u64,
    failed: u64,
    errors: u64,
    status: Counts,
    error_kinds: Counts,
    bytes_received: u64,
    bytes_sent: u64,
}

#[derive(Serialize, Deserialize)]
struct ScenarioLine {
    id: usize,
    started: u64,
    completed: u64,
    failed: u64,
    interrupted: u64,
}

#[derive(Serialize, Deserialize)]
struct CheckLine {
    id: usize,
    passed: u64,
    failed: u64,
}

#[derive(Serialize, Deserialize)]
struct LoadLine {
    due: u64,
    started: u64,
    waited: u64,
    dropped_injector: u64,
    dropped_in_flight_limit: u64,
    in_flight_ns: u128,
    in_flight_max: u64,
    cpu_ns: u64,
    worker_time_ns: u64,
    connections: u64,
    retries: u64,
    informational: u64,
}

#[derive(Serialize, Deserialize)]
struct HistogramLine {
    tag: String,
    count: u64,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
    clamped: u64,
}

/// A JSON object of counts that keeps its order.
struct Counts(Vec<(String, u64)>);

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, count)| (key, count)))
    }
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Counts;

            fn expecting(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
                formatter.write_str("an object of counts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Counts, A::Error> {
                let mut counts = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    counts.push(entry);
                }
                Ok(Counts(counts))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// The line of a window, with its line end.
pub(crate) fn encode(window: &Window) -> Vec<u8> {
    let aggregate = &window.aggregate;
    let mut histograms = Vec::new();
    let seen: Result<(), std::convert::Infallible> = tag::visit(aggregate, |tag, histogram| {
        histograms.push(HistogramLine::of(tag, histogram));
        Ok(())
    });
    let Ok(()) = seen;
    let line = WindowLine {
        index: window.index,
        start_ns: window.start().0,
        width_ns: window.width.0,
        scenario_count: aggregate.scenario_count(),
        check_count: aggregate.check_count(),
        hold: SectionLine::of(aggregate, Section::Hold),
        outside: SectionLine::of(aggregate, Section::Outside),
        histograms,
    };
    let mut bytes = serde_json::to_vec(&line).expect("counts and names always become JSON");
    bytes.push(b'\n');
    bytes
}

/// The first id of `aggregate` that has no name: what it is of, and the id.
pub(crate) fn unnamed(aggregate: &Aggregate, limits: Limits) -> Option<(&'static str, usize)> {
    let requests = Section::ALL
        .iter()
        .flat_map(|section| aggregate.requests(*section).map(|(name, _)| name.0 as usize));
    let beyond = |count: usize, limit: usize| (count > limit).then_some(limit);
    (requests
        .max()
        .and_then(|id| beyond(id + 1, limits.requests))
        .map(|id| ("request", id)))
    .or_else(|| beyond(aggregate.scenario_count(), limits.scenarios).map(|id| ("scenario", id)))
    .or_else(|| beyond(aggregate.check_count(), limits.checks).map(|id| ("check", id)))
}

impl WindowLine {
    /// How many lines of `latency.hlog` belong to this window.
    pub(crate) fn histogram_count(&self) -> usize {
        self.histograms.len()
    }

    /// The window, given its histograms in the order of the log.
    pub(crate) fn decode(self, histograms: Vec<(String, Histogram)>, limits: Limits) -> Result<Window, String> {
        if self.width_ns == 0
            || self
                .index
                .checked_add(1)
                .and_then(|end| end.checked_mul(self.width_ns))
                .is_none()
        {
            return Err(format!(
                "window {} of {} ns is not a span of time",
                self.index, self.width_ns
            ));
        }
        if self.scenario_count > limits.scenarios || self.check_count > limits.checks {
            return Err("more scenarios or checks than names.json has names".to_owned());
        }
        let mut aggregate = Aggregate::default();
        for (line, (tag, histogram)) in self.histograms.iter().zip(histograms) {
            *tag::locate(&mut aggregate, &tag, limits).ok_or_else(|| format!("`{tag}` has no name in names.json"))? =
                line.restore(&tag, histogram)?;
        }
        if let Some(last) = self.scenario_count.checked_sub(1) {
            aggregate.scenario_mut(Section::Hold, last);
        }
        if let Some(last) = self.check_count.checked_sub(1) {
            aggregate.check_mut(Section::Hold, last);
        }
        self.hold.restore(&mut aggregate, Section::Hold, limits)?;
        self.outside.restore(&mut aggregate, Section::Outside, limits)?;
        Ok(Window {
            index: self.index,
            width: Nanos(self.width_ns),
            aggregate,
        })
    }
}

impl SectionLine {
    fn of(aggregate: &Aggregate, section: Section) -> Self {
        let scenarios = (0..aggregate.scenario_count()).filter_map(|id| Some((id, aggregate.scenario(section, id)?)));
        let checks = (0..aggregate.check_count()).filter_map(|id| Some((id, aggregate.check(section, id)?)));
        Self {
            requests: aggregate
                .requests(section)
                .filter(|(_, stats)| !stats.is_empty())
                .map(|(name, stats)| RequestLine::of(name, stats))
                .collect(),
            scenarios: scenarios
                .filter_map(|(id, stats)| ScenarioLine::of(id, stats))
                .collect(),
            checks: checks
                .filter(|(_, check)| **check != CheckStats::default())
                .map(|(id, check)| CheckLine {
                    id,
                    passed: check.passed,
                    failed: check.failed,
                })
                .collect(),
            load: LoadLine::of(aggregate.load(section)),
        }
    }

    fn restore(self, aggregate: &mut Aggregate, section: Section, limits: Limits) -> Result<(), String> {
        for line in self.requests {
            if line.id as usize >= limits.requests {
                return Err(format!("request {} has no name in names.json", line.id));
            }
            line.restore(aggregate.request_mut(section, NameId(line.id)))?;
        }
        for line in self.scenarios {
            if line.id >= limits.scenarios {
                return Err(format!("scenario {} has no name in names.json", line.id));
            }
            line.restore(aggregate.scenario_mut(section, line.id));
        }
        for line in self.checks {
            if line.id >= limits.checks {
                return Err(format!("check {} has no name in names.json", line.id));
            }
            *aggregate.check_mut(section, line.id) = CheckStats {
                passed: line.passed,
                failed: line.failed,
            };
        }
        self.load.restore(aggregate.load_mut(section));
        Ok(())
    }
}

impl RequestLine {
    fn of(name: NameId, stats: &RequestStats) -> Self {
        let kinds = ErrorKind::ALL.iter().zip(stats.errors).filter(|(_, count)| *count > 0);
        let status = stats.status.iter().filter(|(_, count)| *count > 0);
        Self {
            id: name.0,
            ok: stats.ok(),
            failed: stats.failed(),
            errors: stats.errors(),
            status: Counts(status.map(|(code, count)| (code.to_string(), *count)).collect()),
            error_kinds: Counts(kinds.map(|(kind, count)| (kind.name().to_owned(), count)).collect()),
            bytes_received: stats.bytes_received,
            bytes_sent: stats.bytes_sent,
        }
    }

    /// Completes `stats`, whose histograms are already there.
    fn restore(&self, stats: &mut RequestStats) -> Result<(), String> {
        if (stats.ok(), stats.failed(), stats.errors()) != (self.ok, self.failed, self.errors) {
            return Err(format!("counts of request {} are not those of its histograms", self.id));
        }
        for (code, count) in &self.status.0 {
            let code = code.parse().map_err(|_| format!("`{code}` is not a status code"))?;
            stats.status.push((code, *count));
        }
        for (name, count) in &self.error_kinds.0 {
            let kind = ErrorKind::ALL.into_iter().find(|kind| kind.name() == name);
            stats.errors[kind.ok_or_else(|| format!("`{name}` is not a kind of error"))?.index()] = *count;
        }
        (stats.bytes_received, stats.bytes_sent) = (self.bytes_received, self.bytes_sent);
        Ok(())
    }
}

impl ScenarioLine {
    fn of(id: usize, stats: &ScenarioStats) -> Option<Self> {
        let ScenarioStats {
            started,
            completed,
            failed,
            interrupted,
            ..
        } = *stats;
        let is_empty = (started, completed, failed, interrupted) == (0, 0, 0, 0);
        (!is_empty).then_some(Self {
            id,
            started,
            completed,
            failed,
            interrupted,
        })
    }

    fn restore(&self, stats: &mut ScenarioStats) {
        stats.started = self.started;
        stats.completed = self.completed;
        stats.failed = self.failed;
        stats.interrupted = self.interrupted;
    }
}

impl LoadLine {
    fn of(load: &LoadStats) -> Self {
        Self {
            due: load.due,
            started: load.started,
            waited: load.waited,
            dropped_injector: load.dropped.injector,
            dropped_in_flight_limit: load.dropped.in_flight_limit,
            in_flight_ns: load.in_flight_ns,
            in_flight_max: load.in_flight_max,
            cpu_ns: load.cpu.0,
            worker_time_ns: load.worker_time.0,
            connections: load.connections,
            retries: load.retries,
            informational: load.informational,
        }
    }

    /// Completes `load`, whose histograms are already there.
    fn restore(&self, load: &mut LoadStats) {
        load.due = self.due;
        load.started = self.started;
        load.waited = self.waited;
        load.dropped.injector = self.dropped_injector;
        load.dropped.in_flight_limit = self.dropped_in_flight_limit;
        load.in_flight_ns = self.in_flight_ns;
        load.in_flight_max = self.in_flight_max;
        (load.cpu, load.worker_time) = (Nanos(self.cpu_ns), Nanos(self.worker_time_ns));
        load.connections = self.connections;
        load.retries = self.retries;
        load.informational = self.informational;
    }
}

impl HistogramLine {
    fn of(tag: &str, histogram: &Histogram) -> Self {
        let Exact {
            sum_ns,
            min_ns,
            max_ns,
            clamped,
        } = histogram.exact();
        Self {
            tag: tag.to_owned(),
            count: histogram.count(),
            sum_ns,
            min_ns,
            max_ns,
            clamped,
        }
    }

    /// The histogram read under `tag`, with its exact figures, if it is the one that this line describes.
    fn restore(&self, tag: &str, mut histogram: Histogram) -> Result<Histogram, String> {
        if self.tag != tag || self.count != histogram.count() {
            return Err(format!("latency.hlog has `{tag}` where `{}` belongs", self.tag));
        }
        histogram.set_exact(Exact {
            sum_ns: self.sum_ns,
            min_ns: self.min_ns,
            max_ns: self.max_ns,
            clamped: self.clamped,
        });
        Ok(histogram)
    }
}
