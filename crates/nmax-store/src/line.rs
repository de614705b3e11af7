//! One line of `windows.jsonl`: everything of a window but the buckets of its histograms, which are in `latency.hlog`.
//!
//! Entries without any count are left out, as merging leaves them out.

use nmax_json::records;
use nmax_metrics::histogram::Exact;
use nmax_metrics::{Aggregate, Group, Histogram, Nanos, Section, Window};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::files::Span;
use crate::tag::{self, Limits};

pub(crate) mod row;
mod section;

use row::{ByName, count_of};

pub(crate) const FILE: &str = "windows.jsonl";
/// More names than any group has.
const LENGTH_MAX: u64 = 10_000;

records! {
    /// The windows that a window of a rollup is the sum of.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) read Parts {
        windows: Span, "Their lines of windows.jsonl.";
        latency: Span, "Their lines of latency.hlog.";
    }
}

/// When a window is and how many names its writer had, of its line.
#[derive(Deserialize)]
pub(crate) struct WindowHead {
    pub(crate) start_ns: u64,
    pub(crate) width_ns: u64,
    #[serde(flatten)]
    others: ByName,
}

impl WindowHead {
    /// How many names a group had.
    pub(crate) fn length(&self, group: Group) -> usize {
        self.others.get(&length_of(group)).and_then(Value::as_u64).map_or(0, |length| length.min(LENGTH_MAX) as usize)
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct WindowLine {
    index: u64,
    pub(crate) start_ns: u64,
    width_ns: u64,
    /// Of a rollup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parts: Option<Parts>,
    /// As in `scenario_count`: how long each table of the writer was; absent in directories of before it was there.
    #[serde(flatten)]
    lengths: ByName,
    hold: Box<RawValue>,
    outside: Box<RawValue>,
    histograms: Vec<HistogramLine>,
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

/// The line of a window, with its line end; of a rollup with what it is the sum of.
pub(crate) fn encode(window: &Window, parts: Option<Parts>) -> Vec<u8> {
    let aggregate = &window.aggregate;
    let mut histograms = Vec::new();
    let seen: Result<(), std::convert::Infallible> = tag::visit(aggregate, |tag, histogram| {
        histograms.push(HistogramLine::new(tag, histogram));
        Ok(())
    });
    let Ok(()) = seen;
    let line = WindowLine {
        index: window.index,
        start_ns: window.start().0,
        width_ns: window.width.0,
        parts,
        lengths: lengths(aggregate).collect(),
        hold: section::written(aggregate, Section::Hold),
        outside: section::written(aggregate, Section::Outside),
        histograms,
    };
    let mut bytes = serde_json::to_vec(&line).expect("counts and names always become JSON");
    bytes.push(b'\n');
    bytes
}

/// The first id of `aggregate` that has no name: what it is of, and the id.
pub(crate) fn unnamed(aggregate: &Aggregate, limits: Limits) -> Option<(&'static str, usize)> {
    let requests =
        Section::ALL.iter().flat_map(|section| aggregate.requests(*section).map(|(name, _)| name.0 as usize));
    let beyond = |count: usize, limit: usize| (count > limit).then_some(limit);
    (requests.max().and_then(|id| beyond(id + 1, limits.requests)).map(|id| ("request", id))).or_else(|| {
        let group = |group: Group| Some((group.name(), beyond(aggregate.table(group).len(), limits.for_group(group))?));
        Group::ALL.into_iter().find_map(group)
    })
}

/// How long the tables of groups are, but of those that may be left out.
fn lengths(aggregate: &Aggregate) -> impl Iterator<Item = (String, Value)> {
    let lengths = Group::ALL.into_iter().map(|group| (group, aggregate.table(group).len() as u64));
    lengths.filter(|(group, length)| !group.is_optional() || *length > 0).map(|(group, n)| (length_of(group), n.into()))
}

/// The field that says how long the table of a group is.
pub(crate) fn length_of(group: Group) -> String {
    format!("{}_count", group.name())
}

impl WindowLine {
    /// How many lines of `latency.hlog` belong to this window.
    pub(crate) fn histogram_count(&self) -> usize {
        self.histograms.len()
    }

    /// The histogram read under `tag`, with its exact figures, if it is the one that is there in this place.
    pub(crate) fn restore(&self, place: usize, tag: &str, histogram: Histogram) -> Result<Histogram, String> {
        self.histograms[place].restore(tag, histogram)
    }

    /// The window, given its histograms in the order of the log.
    pub(crate) fn decode(self, histograms: Vec<Histogram>, limits: Limits) -> Result<Window, String> {
        if self.width_ns == 0 || self.index.checked_add(1).and_then(|end| end.checked_mul(self.width_ns)).is_none() {
            return Err(format!("window {} of {} ns is not a span of time", self.index, self.width_ns));
        }
        let mut aggregate = Aggregate::default();
        for (HistogramLine { tag, .. }, histogram) in self.histograms.iter().zip(histograms) {
            *tag::locate(&mut aggregate, tag, limits).ok_or_else(|| format!("`{tag}` has no name in names.json"))? =
                histogram;
        }
        for group in Group::ALL {
            let name = length_of(group);
            let length = self.lengths.get(&name).map_or(Ok(0), |length| count_of(&name, length))? as usize;
            if length > limits.for_group(group) {
                return Err(format!("more {} than names.json has names", group.plural()));
            }
            aggregate.table_mut(group).grow(length);
        }
        section::restore(&self.hold, &mut aggregate, Section::Hold, limits)?;
        section::restore(&self.outside, &mut aggregate, Section::Outside, limits)?;
        Ok(Window { index: self.index, width: Nanos(self.width_ns), aggregate })
    }
}

impl HistogramLine {
    fn new(tag: &str, histogram: &Histogram) -> Self {
        let Exact { sum_ns, min_ns, max_ns, clamped } = histogram.exact();
        Self { tag: tag.to_owned(), count: histogram.count(), sum_ns, min_ns, max_ns, clamped }
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

#[cfg(test)]
mod tests {
    use nmax_metrics::names::NewNames;
    use nmax_metrics::{Catalog, Frame, Group, NameId, Nanos, Network, Outcome, Sample, Section, Window};

    /// A window on its way takes less than what is written of it, and a fraction where names have few exchanges.
    #[test]
    fn a_frame_is_smaller_than_the_lines_of_its_window() {
        for (exchanges, parts) in [(200, 5), (2_000, 2), (20_000, 1)] {
            let window = window(exchanges);
            let mut lines = super::encode(&window, None);
            crate::hlog::encode(&window, &mut lines);
            let sent = Frame { injector: 0, names: NewNames::default(), window }.encode().len();
            assert!(sent * parts < lines.len(), "{exchanges}: {sent} bytes on the way, {} bytes written", lines.len());
        }
    }

    /// Directories of runs without metrics of their own are those of before there were any.
    #[test]
    fn without_metrics_nothing_speaks_of_them() {
        let scratch = crate::testing::Scratch::new();
        let said = |window: &Window, catalog: &Catalog| {
            crate::names::write(scratch.path(), catalog).unwrap();
            let names = std::fs::read_to_string(scratch.path().join(crate::names::FILE)).unwrap();
            [names, String::from_utf8(super::encode(window, None)).unwrap()].map(|text| text.contains("metric"))
        };
        let mut catalog = Catalog::default();
        assert_eq!(said(&window(2), &catalog), [false; 2]);
        let mut with = window(2);
        let number = catalog.intern(Group::Metric, "gauge depth");
        with.aggregate.metrics.get_mut(Section::Outside, number).record(Nanos(1), Some(2.5));
        assert_eq!(said(&with, &catalog), [true; 2]);
    }

    /// Exchanges of 20 names within one second, which take 2 to 32 ms.
    fn window(exchanges: u64) -> Window {
        let mut window = Window::new(0, Nanos::from_secs(1));
        for n in 0..exchanges {
            let intended = Nanos(n * 1_000_000_000 / exchanges);
            let sent = intended + Nanos(20_000 + n % 7 * 1_000);
            let done = sent + Nanos(2_000_000 + n * n % 3_001 * 10_000);
            let sample = Sample {
                name: NameId(n as u32 % 20),
                scenario: 0,
                outcome: Outcome::Ok,
                status: Some(nmax_metrics::Code::new(200)),
                intended,
                sent: Some(sent),
                first_byte: Some(done),
                done,
                network: Network::default(),
                send: Nanos::ZERO,
                slot_wait: Nanos::ZERO,
                bytes_received: 2_000,
                bytes_sent: 200,
                bytes_decoded: 1_800,
            };
            window.aggregate.record(Section::Hold, &sample);
        }
        window
    }
}
