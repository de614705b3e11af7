//! What the injector's own lag did to response times: at which reported quantiles it is more than a tenth of them.

use nmax_metrics::{RequestStats, Section};
use nmax_plan::threshold::{Metric, Scope, Stat, Threshold, Within};

use crate::wording::{counted, time_ms};
use crate::{Evidence, Reason};

/// Quantiles that every distribution shows: name and value.
pub const QUANTILES: [(&str, f64); 5] = [("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999)];
/// Largest share of a reported quantile that may be the injector's lag.
pub const EFFECT_MAX: f64 = 0.1;
/// Quantiles named in the warning; the others are counted.
const NAMED_MAX: usize = 3;

/// A quantile of response times that is not known, for too much of it is the injector's own lag.
#[derive(Clone, Debug, PartialEq)]
pub struct Withheld {
    /// The request name; `None` for all requests together.
    pub request: Option<String>,
    /// Name of the quantile, as in [`QUANTILES`].
    pub quantile: &'static str,
    /// As measured, lag included, ms.
    pub value_ms: f64,
    /// How much of it disappears without the lag, ms.
    pub own_ms: f64,
}

impl Withheld {
    /// `p99 not known: 1.8 ms of 2.4 ms are ours`
    pub fn text(&self) -> String {
        let name = self.quantile.replace("p999", "p99.9");
        let of = self.request.as_ref().map_or_else(String::new, |request| format!(" of `{request}`"));
        format!("{name}{of} not known: {} of {} are ours", time_ms(self.own_ms), time_ms(self.value_ms))
    }
}

/// The quantiles of the hold that lag moved by more than a tenth and that no condition tests, those of all requests
/// first. A condition that tests one has its own answer: gate G3.
pub fn withheld(evidence: &Evidence) -> Vec<Withheld> {
    let totals = evidence.totals;
    let mut all = moved(evidence, None, &totals.total(Section::Hold));
    let names: Vec<_> = totals.requests(Section::Hold).filter(|(_, stats)| !stats.is_empty()).collect();
    for (id, stats) in names {
        all.extend(moved(evidence, Some(evidence.catalog.requests.name(id)), stats));
    }
    all
}

fn moved(evidence: &Evidence, request: Option<&str>, stats: &RequestStats) -> Vec<Withheld> {
    if stats.phases.as_ref().is_none_or(|phases| phases.late.is_empty()) {
        return Vec::new();
    }
    let (with, without) = (stats.latencies().response, stats.response_without_lag());
    let quantile = |(name, q): (&'static str, f64)| {
        let value_ms = with.quantile_ns(q)? as f64 / 1e6;
        let own_ms = value_ms - without.quantile_ns(q)? as f64 / 1e6;
        let is_tested = evidence.plan.thresholds.iter().any(|threshold| tests(threshold, request, q));
        (own_ms > EFFECT_MAX * value_ms && !is_tested).then(|| Withheld {
            request: request.map(str::to_owned),
            quantile: name,
            value_ms,
            own_ms,
        })
    };
    QUANTILES.into_iter().filter_map(quantile).collect()
}

/// Whether a condition is on this quantile of the hold's response times.
fn tests(threshold: &Threshold, request: Option<&str>, q: f64) -> bool {
    let is_same = match &threshold.scope {
        Scope::Total => request.is_none(),
        Scope::Request(name) => request == Some(name.as_str()),
        _ => false,
    };
    is_same
        && threshold.metric == Metric::ResponseTime
        && threshold.within == Within::Hold
        && matches!(threshold.stat, Stat::Quantile(tested) if (tested - q).abs() < 1e-9)
}

/// What is said of the quantiles that are withheld. With one request name, its quantiles are those of all requests.
pub(crate) fn warning(evidence: &Evidence, withheld: &[Withheld]) -> Option<Reason> {
    let names = evidence.totals.requests(Section::Hold).filter(|(_, stats)| !stats.is_empty()).count();
    let told: Vec<&Withheld> = withheld.iter().filter(|one| one.request.is_none() || names > 1).collect();
    let first = told.first()?;
    let mut text: Vec<String> = told.iter().take(NAMED_MAX).map(|one| one.text()).collect();
    let rest = told.len().saturating_sub(NAMED_MAX);
    if rest > 0 {
        text.push(format!("and {} more", counted(rest as u64, "quantile")));
    }
    let text = format!("{} (nmax sent too late)", text.join("; "));
    let figures = [("value", time_ms(first.value_ms)), ("own", time_ms(first.own_ms))];
    Some(Reason::new("G3_INJECTOR_LAG", text, figures))
}

#[cfg(test)]
mod tests;
