//! Words and columns where several laws stand side by side.

use nmax_usl::{Analysis, Estimate};

use super::{interval, plain, with_unit};
use crate::scalability::{ScaleView, Version};

/// A heading with what it is about, such as `Meaning, size=small`; plain without.
pub(crate) fn heading(heading: &str, of: &str) -> String {
    if of.is_empty() { heading.to_owned() } else { format!("{heading}, {of}") }
}

/// The meaning of a law, with the setting it is about before the first sentence.
pub(crate) fn meaning(analysis: &Analysis, of: &str) -> Vec<String> {
    let sentences = analysis.meaning.iter().filter(|sentence| !sentence.is_empty());
    let named = |(index, sentence): (usize, &String)| match (index, of) {
        (1.., _) | (_, "") => sentence.clone(),
        (0, of) => format!("{of}: {sentence}"),
    };
    sentences.enumerate().map(named).collect()
}

/// What is largest over all values of a second axis; `None` without one, or when nothing was measured.
pub(crate) fn all_settings(view: &ScaleView) -> Option<String> {
    let best = |version: &Version| Some((version.name.clone(), version.analysis.best?));
    let all = view.versions.iter().filter_map(best);
    let (name, (n, x)) = all.max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
    let axis = view.fit.n_label();
    Some(format!(
        "Of all settings the largest throughput measured is {}, at {axis} = {} with {name}. Each value of the second axis \
         has a law of its own.",
        with_unit(&plain(x), view.fit.x_unit()),
        plain(n)
    ))
}

/// A column of the tables of versions.
pub(crate) struct Coefficient {
    /// Its name with its letter.
    pub name: &'static str,
    /// The same for the head of a column.
    pub short: &'static str,
    /// Its name in CSV files.
    pub key: &'static str,
    /// Whether it is a throughput.
    pub per_s: bool,
    /// Its estimate.
    pub of: fn(&Analysis) -> Option<Estimate>,
}

/// What is told of every version.
pub(crate) const COEFFICIENTS: [Coefficient; 6] = [
    Coefficient {
        name: "contention α",
        short: "α",
        key: "alpha",
        per_s: false,
        of: |analysis| analysis.fit.as_ref().map(|fit| fit.contention),
    },
    Coefficient {
        name: "coherency β",
        short: "β",
        key: "beta",
        per_s: false,
        of: |analysis| analysis.fit.as_ref().map(|fit| fit.coherency),
    },
    Coefficient {
        name: "unit throughput γ",
        short: "γ",
        key: "gamma",
        per_s: true,
        of: |analysis| analysis.fit.as_ref().map(|fit| fit.unit_throughput),
    },
    Coefficient {
        name: "largest throughput measured",
        short: "largest X",
        key: BEST,
        per_s: true,
        of: |analysis| analysis.best.map(|(_, x)| Estimate { estimate: x, low: None, high: None, at_bound: false }),
    },
    Coefficient {
        name: "N at the peak of the law",
        short: "N at peak",
        key: "n_peak",
        per_s: false,
        of: |analysis| analysis.peak.as_ref().map(|peak| peak.concurrency),
    },
    Coefficient {
        name: "throughput at the peak of the law",
        short: "X at peak",
        key: "x_peak",
        per_s: true,
        of: |analysis| analysis.peak.as_ref().map(|peak| peak.throughput),
    },
];

/// What stands beside a figure of a version: its interval, or where it was measured.
pub(crate) fn beside(coefficient: &Coefficient, analysis: &Analysis, of: &Estimate) -> String {
    match analysis.best {
        Some((n, _)) if coefficient.key == BEST => format!("at N = {}", plain(n)),
        _ => interval(of),
    }
}

/// Key of the largest throughput measured.
const BEST: &str = "x_best";

/// Why a version lacks a figure.
pub(crate) fn missing(analysis: &Analysis) -> &'static str {
    if analysis.fit.is_none() { "no fit" } else { "refused" }
}
