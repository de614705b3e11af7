//! JUnit XML for build servers: a test case per threshold, gate, request name and transaction, and one for a run that
//! was not complete.

use std::fmt::Write;

use nmax_analysis::{Gate, ThresholdResult, Verdict};

use crate::markup::{Escaped, clip};
use crate::number;
use crate::view::{View, response_text, threshold_value};
use nmax_analysis::summary::{GroupRow, Stats};

/// Most characters of a name or message.
const TEXT_MAX: usize = 1000;

/// A case, already judged.
struct Case {
    class: &'static str,
    name: String,
    /// Type and message of the failure.
    failure: Option<(String, String)>,
    /// Figures for the log.
    output: String,
}

/// The test suite of a run. Never empty: the verdict itself is a case.
pub fn xml(view: &View) -> String {
    let mut cases = vec![verdict(view)];
    cases.extend(view.incomplete().map(incomplete));
    cases.extend(view.judgement.thresholds.iter().map(threshold));
    cases.extend(view.judgement.gates.iter().map(gate));
    cases.extend(view.summary.requests.iter().map(|(name, stats)| request(name, stats)));
    cases.extend(view.summary.transactions.iter().map(transaction));
    let failures = cases.iter().filter(|case| case.failure.is_some()).count();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\"", cases.len());
    let time = format!("time=\"{:.3}\"", view.summary.duration_s);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text.push_str(&format!("<testsuites {counts} {time}>\n"));
    text.push_str(&format!(
        "  <testsuite name=\"{}\" {counts} {time} timestamp=\"{}\" id=\"{}\">\n",
        Escaped(&clip(view.title(), TEXT_MAX)),
        Escaped(&view.run.started_at),
        Escaped(&view.run.id),
    ));
    for case in &cases {
        write_case(&mut text, case, view.summary.duration_s);
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn write_case(text: &mut String, case: &Case, seconds: f64) {
    let Case { class, name, failure, output } = case;
    let name = clip(name, TEXT_MAX);
    let mut add = |part: std::fmt::Arguments<'_>| text.write_fmt(part).expect("a string takes all text");
    add(format_args!("    <testcase classname=\"nmax.{class}\" name=\"{}\" time=\"{seconds:.3}\">\n", Escaped(&name)));
    if let Some((kind, message)) = failure {
        let message = clip(message, TEXT_MAX);
        let (kind, message) = (Escaped(kind), Escaped(&message));
        add(format_args!("      <failure type=\"{kind}\" message=\"{message}\">{message}</failure>\n"));
    }
    add(format_args!("      <system-out>{}</system-out>\n    </testcase>\n", Escaped(output)));
}

fn verdict(view: &View) -> Case {
    let reasons: Vec<_> =
        view.judgement.reasons.iter().filter(|reason| reason.decides).map(|reason| &*reason.text).collect();
    let failure = (view.judgement.verdict != Verdict::Pass)
        .then(|| (view.judgement.verdict.name().to_uppercase(), reasons.join("; ")));
    Case { class: "verdict", name: "verdict".into(), failure, output: view.judgement.verdict.name().into() }
}

/// A run that did not come to its end is no success, whatever its numbers.
fn incomplete(text: String) -> Case {
    Case { class: "run", name: "run complete".into(), failure: Some(("incomplete".into(), text.clone())), output: text }
}

fn threshold(result: &ThresholdResult) -> Case {
    let value = threshold_value(result);
    let limit = number::with_unit(Some(result.limit), result.unit);
    let output = format!("value {value}, limit {limit}, margin {}", number::margin(result.margin));
    let failure = (!result.holds).then(|| ("threshold".into(), format!("{}: {output}", result.condition)));
    Case { class: "threshold", name: result.condition.clone(), failure, output }
}

fn gate(gate: &Gate) -> Case {
    let (value, limit) = (number::with_unit(gate.value, gate.unit), number::with_unit(gate.limit, gate.unit));
    let output = format!("value {value}, limit {limit}");
    let failure = (!gate.holds).then(|| ("invalid".into(), format!("{} ({output})", gate.text)));
    Case { class: "gate", name: format!("{} {}", gate.code, gate.name), failure, output }
}

/// A request never fails by itself: what may not happen is a threshold.
fn request(name: &str, stats: &Stats) -> Case {
    let times = &stats.times;
    let output = format!(
        "count {}, failures {}, rate {}, response p50 {} p95 {} p99 {}, service p95 {}, lag p99 {}, ttfb p95 {}",
        stats.count,
        number::share_or_unknown(stats.failure_rate),
        number::rate_or_unknown(stats.rate_per_s),
        response_text(stats, 0),
        response_text(stats, 2),
        response_text(stats, 3),
        number::time_or_unknown(times.service.p95()),
        number::time_or_unknown(times.send_lag.p99()),
        number::time_or_unknown(times.ttfb.p95()),
    );
    Case { class: "request", name: name.to_owned(), failure: None, output }
}

/// Like a request, it never fails by itself.
fn transaction(row: &GroupRow) -> Case {
    let output = format!(
        "count {}, failures {}, rate {}, time p50 {} p95 {} p99 {}",
        row.count,
        number::share_or_unknown(row.failure_rate),
        number::rate_or_unknown(row.rate_per_s),
        number::time_or_unknown(row.time.p50()),
        number::time_or_unknown(row.time.p95()),
        number::time_or_unknown(row.time.p99()),
    );
    Case { class: "transaction", name: row.name.clone(), failure: None, output }
}
