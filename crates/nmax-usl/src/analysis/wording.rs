//! Numbers and lists in sentences.

use nmax_text::number::{count, decimals_of, trimmed};

use crate::fit::Estimate;
use crate::observation::Dimension;

/// Rows that a sentence lists before it counts the rest.
const LISTED_MAX: usize = 12;

/// Four significant digits; thousands with commas and without fractions.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    if size >= 1e15 {
        return format!("{value:.3e}");
    }
    if size >= 1000.0 {
        return format!("{}{}", if value < 0.0 { "-" } else { "" }, count(size.round() as u64));
    }
    if size < 1e-6 {
        return if value == 0.0 { "0".to_owned() } else { format!("{value:.2e}") };
    }
    trimmed(value, decimals_of(size, 4))
}

/// Three significant digits, for what is known to no more than a percent; 1000 and more as [`number`].
pub(crate) fn rough(value: f64) -> String {
    let size = value.abs();
    if !(1e-3..1000.0).contains(&size) {
        return number(value);
    }
    trimmed(value, decimals_of(size, 3))
}

/// A share in percent, such as `2.5 %`.
pub(crate) fn percent(share: f64) -> String {
    let value = share * 100.0;
    match value.abs() {
        size if size >= 10.0 => format!("{} %", number(value.round())),
        size if size >= 1.0 => format!("{value:.1} %"),
        _ => format!("{value:.2} %"),
    }
}

/// `(95 %: 1.2 to 1.4)`, or nothing without an interval.
pub(crate) fn interval(estimate: &Estimate) -> String {
    match (estimate.low, estimate.high) {
        // A value that was given, and not measured.
        (Some(low), Some(high)) if low == high => String::new(),
        (Some(low), Some(high)) => format!(" (95 %: {} to {})", number(low), number(high)),
        (Some(low), None) => format!(" (95 %: at least {})", number(low)),
        _ => String::new(),
    }
}

/// As [`interval`], with three digits.
pub(crate) fn rough_interval(estimate: &Estimate) -> String {
    match (estimate.low, estimate.high) {
        (Some(low), Some(high)) => format!(" (95 %: {} to {})", rough(low), rough(high)),
        _ => interval(estimate),
    }
}

/// Rows or other whole numbers as `1, 2 and 5`.
pub(crate) fn list(values: impl IntoIterator<Item = String>) -> String {
    let all: Vec<String> = values.into_iter().collect();
    match all.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if all.len() <= LISTED_MAX => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} more", all[..LISTED_MAX].join(", "), all.len() - LISTED_MAX),
    }
}

/// `row 3` or `rows 3, 4 and 9`.
pub(crate) fn rows(rows: &[usize]) -> String {
    let name = if rows.len() == 1 { "row" } else { "rows" };
    format!("{name} {}", list(rows.iter().map(ToString::to_string)))
}

/// What N counts: one of them, and many.
const fn counted(dimension: Dimension) -> (&'static str, &'static str) {
    match dimension {
        Dimension::Vus => ("virtual user", "virtual users"),
        Dimension::InFlight => ("request in flight", "requests in flight"),
        Dimension::Rate => ("arrival per second", "arrivals per second"),
        Dimension::Workers => ("worker", "workers"),
        Dimension::Injectors => ("injector", "injectors"),
        Dimension::Nodes => ("node", "nodes"),
        Dimension::Threads => ("thread", "threads"),
        Dimension::Other => ("unit of load", "units of load"),
    }
}

/// What N counts, many of them.
pub(crate) const fn units(dimension: Dimension) -> &'static str {
    counted(dimension).1
}

/// What N counts, one of them.
pub(crate) const fn unit(dimension: Dimension) -> &'static str {
    counted(dimension).0
}
