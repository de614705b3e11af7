//! One line of `windows.jsonl`: everything of a window but the buckets of its histograms, which are in `latency.hlog`.
//!
//! Entries without any count are left out, as merging leaves them out.

use nmax_metrics::histogram::Exact;
use nmax_metrics::{Aggregate, Histogram, Nanos, Section, Window};
use serde::{Deserialize, Serialize};

use crate::tag::{self, Limits};

mod counts;
mod groups;
mod section;

use section::SectionLine;

pub(crate) const FILE: &str = "windows.jsonl";

#[derive(Serialize, Deserialize)]
pub(crate) struct WindowLine {
    index: u64,
    start_ns: u64,
    width_ns: u64,
    scenario_count: usize,
    check_count: usize,
    /// Like everything with a default, absent in directories of earlier versions.
    #[serde(default)]
    transaction_count: usize,
    #[serde(default)]
    page_count: usize,
    #[serde(default)]
    transition_count: usize,
    #[serde(default)]
    location_count: usize,
    hold: SectionLine,
    outside: SectionLine,
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
        transaction_count: aggregate.transaction_count(),
        page_count: aggregate.page_count(),
        transition_count: aggregate.transition_count(),
        location_count: aggregate.location_count(),
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
    let requests =
        Section::ALL.iter().flat_map(|section| aggregate.requests(*section).map(|(name, _)| name.0 as usize));
    let beyond = |count: usize, limit: usize| (count > limit).then_some(limit);
    (requests.max().and_then(|id| beyond(id + 1, limits.requests)).map(|id| ("request", id)))
        .or_else(|| beyond(aggregate.scenario_count(), limits.scenarios).map(|id| ("scenario", id)))
        .or_else(|| beyond(aggregate.check_count(), limits.checks).map(|id| ("check", id)))
        .or_else(|| beyond(aggregate.transaction_count(), limits.transactions).map(|id| ("transaction", id)))
        .or_else(|| beyond(aggregate.page_count(), limits.pages).map(|id| ("page", id)))
        .or_else(|| beyond(aggregate.transition_count(), limits.transitions).map(|id| ("transition", id)))
        .or_else(|| beyond(aggregate.location_count(), limits.locations).map(|id| ("location", id)))
}

impl WindowLine {
    /// How many lines of `latency.hlog` belong to this window.
    pub(crate) fn histogram_count(&self) -> usize {
        self.histograms.len()
    }

    /// The window, given its histograms in the order of the log.
    pub(crate) fn decode(self, histograms: Vec<(String, Histogram)>, limits: Limits) -> Result<Window, String> {
        if self.width_ns == 0 || self.index.checked_add(1).and_then(|end| end.checked_mul(self.width_ns)).is_none() {
            return Err(format!("window {} of {} ns is not a span of time", self.index, self.width_ns));
        }
        let is_named = self.scenario_count <= limits.scenarios
            && self.check_count <= limits.checks
            && self.transaction_count <= limits.transactions
            && self.page_count <= limits.pages
            && self.transition_count <= limits.transitions
            && self.location_count <= limits.locations;
        if !is_named {
            return Err(
                "more scenarios, checks, transactions, pages, transitions or locations than names.json has names"
                    .to_owned(),
            );
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
        if let Some(last) = self.transaction_count.checked_sub(1) {
            aggregate.transaction_mut(Section::Hold, last);
        }
        if let Some(last) = self.page_count.checked_sub(1) {
            aggregate.page_mut(Section::Hold, last);
        }
        if let Some(last) = self.transition_count.checked_sub(1) {
            aggregate.transition_mut(Section::Hold, last);
        }
        if let Some(last) = self.location_count.checked_sub(1) {
            aggregate.location_mut(Section::Hold, last);
        }
        self.hold.restore(&mut aggregate, Section::Hold, limits)?;
        self.outside.restore(&mut aggregate, Section::Outside, limits)?;
        Ok(Window { index: self.index, width: Nanos(self.width_ns), aggregate })
    }
}

impl HistogramLine {
    fn of(tag: &str, histogram: &Histogram) -> Self {
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
