//! The rows of the client's side.

use std::collections::BTreeMap;

use nmax_metrics::{Aggregate, Code, Histogram, NameId, RequestStats, Section};

use super::floor::{Floor, of_lines};
use super::stretches::{LineSubject, Stretches};
use super::traits::{Traits, traits};
use super::{Bandwidth, Breakdown, Dimension, Row, operations};
use crate::Evidence;
use crate::course::latency;

/// Most rows of a dimension; the rest is left out, and said.
const ROWS_MAX: usize = 100;
/// Most rows of a dimension that are told over time.
const LINES_MAX: usize = 20;
/// Of exchanges that got no valid reply.
const NO_REPLY: &str = "no reply";

/// A run's response times, taken apart. `stretches` took every window of the run. O(names · buckets).
pub fn breakdown(evidence: &Evidence, stretches: &Stretches) -> Breakdown {
    let whole = evidence.totals.whole();
    let length_s = if evidence.hold_s() > 0.0 { evidence.hold_s() } else { evidence.end.as_secs_f64() };
    let counted = if evidence.hold_s() > 0.0 { evidence.totals } else { &whole };
    let bandwidth = of_lines(evidence.plan, counted).or_else(|| stretches.bandwidth());
    let mut maker =
        Maker { counted, stretches, length_s, bandwidth: bandwidth.as_ref(), rows: Vec::new(), notes: Vec::new() };
    let traits = traits(evidence.plan, evidence.catalog);
    maker.names(evidence, &traits);
    maker.statuses();
    maker.tags(&traits);
    maker.locations(evidence);
    let (rows, notes) = (maker.rows, maker.notes);
    Breakdown {
        rows,
        notes,
        bandwidth,
        operations: operations::operations(evidence, counted, stretches),
        sides: evidence.sides.cloned(),
    }
}

/// Makes rows.
struct Maker<'a> {
    counted: &'a Aggregate,
    stretches: &'a Stretches,
    length_s: f64,
    bandwidth: Option<&'a Bandwidth>,
    rows: Vec<Row>,
    notes: Vec<String>,
}

impl Maker<'_> {
    fn names(&mut self, evidence: &Evidence, traits: &[Traits]) {
        let names = self.ids().map(|id| (evidence.catalog.requests.name(id).to_owned(), id));
        let by_name = gathered(names);
        self.add(Dimension::Name, by_name);
        let of = |trait_of: fn(&Traits) -> &String| {
            let named = self.ids().filter_map(|id| Some((trait_of(traits.get(id.0 as usize)?).clone(), id)));
            gathered(named)
        };
        let (methods, templates) = (of(|traits| &traits.method), of(|traits| &traits.template));
        self.add(Dimension::Method, methods);
        self.add(Dimension::Template, templates);
    }

    fn tags(&mut self, traits: &[Traits]) {
        let of = |id: NameId| traits.get(id.0 as usize);
        let tagged = self.ids().flat_map(|id| {
            let tags = of(id).map_or(&[][..], |traits| &traits.tags);
            tags.iter().map(move |tag| (tag.clone(), id))
        });
        let by_tag = gathered(tagged);
        let mut torn: Vec<&String> = self.ids().filter_map(of).flat_map(|traits| &traits.torn).collect();
        torn.sort_unstable();
        torn.dedup();
        for tag in torn {
            self.notes.push(format!(
                "requests with and without the tag `{tag}` share a name, and are left out of it: give them names of their own"
            ));
        }
        self.add(Dimension::Tag, by_tag);
    }

    /// Request names with exchanges in the phase.
    fn ids(&self) -> impl Iterator<Item = NameId> {
        let named = self.counted.requests(Section::Hold);
        named.filter(|(_, stats)| !stats.is_empty()).map(|(id, _)| id)
    }

    /// Adds a row for each value of a dimension that follows from request names.
    fn add(&mut self, dimension: Dimension, by_value: BTreeMap<String, Vec<NameId>>) {
        let mut rows: Vec<(Row, Vec<NameId>)> = by_value
            .into_iter()
            .map(|(value, ids)| {
                let mut sum = RequestStats::default();
                let parts = ids.iter().filter_map(|id| self.counted.request(Section::Hold, *id));
                parts.for_each(|part| sum.merge(part));
                (self.row(dimension, value, &sum), ids)
            })
            .collect();
        rows.sort_by(|(a, _), (b, _)| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
        for (row, ids) in rows.iter_mut().take(LINES_MAX) {
            row.points = self.stretches.points(ids.iter().map(|id| LineSubject::Name(*id)));
        }
        self.keep(dimension, rows.into_iter().map(|(row, _)| row).collect());
    }

    fn keep(&mut self, dimension: Dimension, mut rows: Vec<Row>) {
        if rows.len() > ROWS_MAX {
            let left_out = rows.len() - ROWS_MAX;
            let name = dimension.name();
            self.notes.push(format!("{left_out} rows by {name} with the fewest exchanges are left out"));
            rows.truncate(ROWS_MAX);
        }
        self.rows.extend(rows);
    }

    fn row(&self, dimension: Dimension, value: String, stats: &RequestStats) -> Row {
        let count = stats.count();
        let latencies = stats.latencies();
        let per_exchange_ms = |sum_ns: u128| sum_ns as f64 / count as f64 / 1e6;
        let sum_ns = |times: &Histogram| times.exact().sum_ns;
        let phases = stats.phases.as_deref();
        let connect_ns = phases.map_or(0, |phases| sum_ns(&phases.dns) + sum_ns(&phases.connect) + sum_ns(&phases.tls));
        let response = latency(&latencies.response);
        let floor = self
            .bandwidth
            .filter(|_| dimension == Dimension::Name)
            .zip(response)
            .and_then(|(bandwidth, response)| Floor::from_stats(stats, response.mean_ms, bandwidth));
        Row {
            dimension,
            value,
            count,
            rate_per_s: self.per_s(stats.ended_within as f64),
            failed: Some(stats.failed() + stats.errors()),
            response,
            connect_ms: Some(per_exchange_ms(connect_ns)),
            ttfb_ms: latencies.ttfb.mean_ns().map(|ns| ns / 1e6),
            receive_ms: Some(per_exchange_ms(phases.map_or(0, |phases| sum_ns(&phases.receive)))),
            bytes: Some(stats.bytes_received as f64 / count as f64),
            floor,
            points: Vec::new(),
        }
    }

    /// A row of which only number and response times are known, with its throughput.
    fn times_row(
        &self,
        dimension: Dimension,
        value: String,
        (count, failed): (u64, Option<u64>),
        ended_within: f64,
    ) -> Row {
        Row {
            dimension,
            value,
            count,
            rate_per_s: self.per_s(ended_within),
            failed,
            response: None,
            connect_ms: None,
            ttfb_ms: None,
            receive_ms: None,
            bytes: None,
            floor: None,
            points: Vec::new(),
        }
    }

    fn per_s(&self, ended_within: f64) -> Option<f64> {
        (self.length_s > 0.0).then(|| ended_within / self.length_s)
    }

    fn statuses(&mut self) {
        let total = self.counted.total(Section::Hold);
        let mut statuses: Vec<(Code, u64)> = total.status.iter().copied().filter(|(_, count)| *count > 0).collect();
        statuses.sort_unstable_by_key(|(status, count)| (u64::MAX - count, *status));
        if !total.tells_status_times() && !statuses.is_empty() {
            let why =
                "response times by status are not known: too many statuses, or the run was made by an older version";
            self.notes.push(why.to_owned());
        }
        // Whether an exchange ended within the phase is not counted by status: each has its share.
        let ended_within = |count: u64| count as f64 * total.ended_within as f64 / total.count().max(1) as f64;
        let mut rows = Vec::new();
        for (status, count) in statuses {
            let mut row = self.times_row(Dimension::Status, status.to_string(), (count, None), ended_within(count));
            row.response = total.response_of(status).as_ref().and_then(latency);
            row.points = self.stretches.points([LineSubject::Status(status)].into_iter());
            rows.push(row);
        }
        if total.errors() > 0 {
            let counts = (total.errors(), Some(total.errors()));
            let mut row = self.times_row(Dimension::Status, NO_REPLY.to_owned(), counts, ended_within(counts.0));
            row.response = total.outcomes[2].as_ref().and_then(|set| latency(&set.response));
            row.points = self.stretches.points([LineSubject::NoReply].into_iter());
            rows.push(row);
        }
        self.keep(Dimension::Status, rows);
    }

    fn locations(&mut self, evidence: &Evidence) {
        let mut rows = Vec::new();
        let named = self.counted.locations.named(Section::Hold, &evidence.catalog.locations).enumerate();
        for (index, (name, stats)) in named.filter(|(_, (_, stats))| stats.exchanges.count > 0) {
            let exchanges = &stats.exchanges;
            let counts = (exchanges.count, Some(exchanges.failed));
            let ended_within = exchanges.ended_within as f64;
            let mut row = self.times_row(Dimension::Location, name.to_owned(), counts, ended_within);
            row.response = latency(&exchanges.time);
            row.points = self.stretches.points([LineSubject::Location(index)].into_iter());
            rows.push(row);
        }
        self.keep(Dimension::Location, rows);
    }
}

/// Ids by what they have in common.
fn gathered(pairs: impl Iterator<Item = (String, NameId)>) -> BTreeMap<String, Vec<NameId>> {
    let mut gathered: BTreeMap<String, Vec<NameId>> = BTreeMap::new();
    for (value, id) in pairs {
        gathered.entry(value).or_default().push(id);
    }
    gathered
}
