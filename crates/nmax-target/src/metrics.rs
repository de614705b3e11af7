//! What `GET /metrics` says, in the text format of Prometheus.

use std::fmt::Write;

use crate::station::Figure;
use crate::truth::Totals;

/// Type of the reply's body.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The whole reply. Names of figures consist of letters, digits, `_`, `-` and `.`, so nothing needs escaping.
pub(crate) fn text(totals: &Totals, figures: &[Figure<'_>]) -> String {
    let mut text = String::new();
    let mut family = |name: &str, kind: &str, help: &str, samples: &[(String, String)]| {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (suffix, value) in samples {
            let _ = writeln!(text, "{name}{suffix} {value}");
        }
    };
    let single = |value: u64| [(String::new(), value.to_string())];
    family("nmax_target_requests_total", "counter", "Requests that arrived.", &single(totals.requests));
    family(
        "nmax_target_errors_total",
        "counter",
        "Requests answered with an error on purpose, or refused by a bottleneck.",
        &single(totals.errors),
    );
    family("nmax_target_in_flight", "gauge", "Requests inside at this moment.", &single(totals.in_flight));
    family(
        "nmax_target_service_time_seconds",
        "summary",
        "Time inside of each request that was answered.",
        &[
            ("_sum".to_owned(), format!("{:.9}", totals.sum_ns as f64 / 1e9)),
            ("_count".to_owned(), totals.answered.to_string()),
        ],
    );
    let mut names: Vec<_> = figures.iter().map(|figure| (figure.label, figure.what)).collect();
    names.sort_unstable();
    names.dedup();
    for (label, what) in names {
        let kind = if what.ends_with("_total") { "counter" } else { "gauge" };
        let samples: Vec<_> = figures
            .iter()
            .filter(|figure| (figure.label, figure.what) == (label, what))
            .map(|figure| (format!("{{{label}=\"{}\"}}", figure.name), figure.value.to_string()))
            .collect();
        let help = format!("{} of a {label}.", what.trim_end_matches("_total").replace('_', " "));
        family(&format!("nmax_target_{label}_{what}"), kind, &help, &samples);
    }
    text
}
