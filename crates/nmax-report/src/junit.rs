//! JUnit XML for build servers: a test case for the verdict, for each threshold, request name and transaction, and for a run
//! that was not complete.
//!
//! A cause counts once. An INVALID run is one `<error>`, that of the verdict, and its thresholds are skipped: they judge
//! nothing. A threshold that does not hold is a `<failure>`, and the verdict one only for what no threshold says. Gates are
//! in the output of the verdict.

use std::fmt::Write;

use nmax_analysis::compare::Metric;
use nmax_analysis::{Ending, Gate, ThresholdResult, Verdict};

use crate::markup::{Escaped, clip};
use crate::number;
use crate::series::{SeriesRun, SeriesView};
use crate::view::{View, response_text, threshold_value};
use nmax_analysis::summary::{GroupRow, Stats};

/// Most characters of a name or message.
const TEXT_MAX: usize = 1000;

/// A case, already judged.
struct Case {
    class: &'static str,
    name: String,
    /// What it took, s: that of the run for what is about all of it.
    seconds: f64,
    /// Why it did not pass.
    not: Option<Not>,
    /// Figures for the log.
    output: String,
}

/// The element of a case that did not pass, its type and its message.
struct Not(&'static str, &'static str, String);

const FAILURE: &str = "failure";
const ERROR: &str = "error";
const SKIPPED: &str = "skipped";

/// The test suite of a run. Never empty: the verdict itself is a case.
pub fn xml(view: &View) -> String {
    let mut cases = vec![verdict(view)];
    cases.extend(incomplete(view));
    cases.extend(view.judgement.thresholds.iter().map(|result| threshold(result, view.judgement.verdict)));
    cases.extend(view.summary.requests.iter().map(|(name, stats)| request(name, stats)));
    cases.extend(view.summary.transactions.iter().map(transaction));
    suite((view.title(), &view.run.started_at, &view.run.id), view.summary.duration_s, &cases)
}

/// The test suite of several runs: a case for each.
pub fn series(view: &SeriesView) -> String {
    let cases: Vec<Case> = view.runs.iter().map(one_run).collect();
    let started_at = view.runs.first().map_or("", |run| &run.figures.origin.started_at);
    suite((&view.title, started_at, &view.title), 0.0, &cases)
}

fn one_run(run: &SeriesRun) -> Case {
    let reasons = run.reasons.iter().chain(&run.figures.incomplete);
    let message = reasons.map(String::as_str).collect::<Vec<_>>().join("; ");
    let not = match run.verdict() {
        Some(Verdict::Fail) => Some(Not(FAILURE, "FAIL", message)),
        Some(Verdict::Pass) if run.figures.incomplete.is_none() => None,
        Some(Verdict::Invalid) => Some(Not(ERROR, "INVALID", message)),
        Some(Verdict::Pass) | None => Some(Not(ERROR, "INCOMPLETE", message)),
    };
    let figures = [Metric::ResponseP50, Metric::ResponseP95, Metric::ResponseP99, Metric::FailureRate];
    let told = figures.map(|metric| format!("{} {}", metric.name(), run.figure(metric)));
    let output = format!("load {}, {}", run.intended(), told.join(", "));
    Case { class: "run", name: format!("{} ({})", run.name(), run.figures.origin.label), seconds: 0.0, not, output }
}

/// A suite by its name, its start and its id, with what it took.
fn suite((name, started_at, id): (&str, &str, &str), seconds: f64, cases: &[Case]) -> String {
    let count = |wanted: &str| {
        cases.iter().filter(|case| case.not.as_ref().is_some_and(|Not(element, ..)| *element == wanted)).count()
    };
    let [failures, errors, skipped] = [FAILURE, ERROR, SKIPPED].map(count);
    let tests = cases.len();
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"");
    let time = format!("time=\"{seconds:.3}\"");
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text.push_str(&format!("<testsuites {counts} {time}>\n"));
    text.push_str(&format!(
        "  <testsuite name=\"{}\" {counts} {time} timestamp=\"{}\" id=\"{}\">\n",
        Escaped(&clip(name, TEXT_MAX)),
        Escaped(started_at),
        Escaped(id),
    ));
    for case in cases {
        write_case(&mut text, case);
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn write_case(text: &mut String, case: &Case) {
    let Case { class, name, seconds, not, output } = case;
    let name = clip(name, TEXT_MAX);
    let mut add = |part: std::fmt::Arguments<'_>| text.write_fmt(part).expect("a string takes all text");
    add(format_args!("    <testcase classname=\"nmax.{class}\" name=\"{}\" time=\"{seconds:.3}\">\n", Escaped(&name)));
    if let Some(Not(element, kind, message)) = not {
        let message = clip(message, TEXT_MAX);
        let kind = if *element == SKIPPED { String::new() } else { format!("type=\"{kind}\" ") };
        let message = Escaped(&message);
        add(format_args!("      <{element} {kind}message=\"{message}\">{message}</{element}>\n"));
    }
    add(format_args!("      <system-out>{}</system-out>\n    </testcase>\n", Escaped(output)));
}

fn verdict(view: &View) -> Case {
    let judgement = &view.judgement;
    let has_failed = judgement.thresholds.iter().any(|result| !result.holds);
    // What the case of a threshold says already. A condition that ended the run may hold again at its end.
    let is_told = |code: &str| has_failed && matches!(code, "THRESHOLD" | "THRESHOLD_ABORT");
    let mut reasons: Vec<_> = judgement.reasons.iter().filter(|reason| reason.decides).collect();
    if judgement.verdict == Verdict::Fail {
        reasons.retain(|reason| !is_told(reason.code));
    }
    let message = reasons.iter().map(|reason| &*reason.text).collect::<Vec<_>>().join("; ");
    let not = match judgement.verdict {
        Verdict::Pass => None,
        Verdict::Invalid => Some(Not(ERROR, "INVALID", message)),
        Verdict::Fail if reasons.is_empty() => {
            Some(Not(SKIPPED, "", "FAIL: the failures are the thresholds that do not hold".into()))
        }
        Verdict::Fail => Some(Not(FAILURE, "FAIL", message)),
    };
    let told = [Some(judgement.verdict.name().to_uppercase()), view.incomplete()];
    let lines: Vec<String> = told.into_iter().flatten().chain(judgement.gates.iter().map(gate)).collect();
    let seconds = view.summary.duration_s;
    Case { class: "verdict", name: "verdict".into(), seconds, not, output: lines.join("\n") }
}

fn gate(gate: &Gate) -> String {
    let (value, limit) = (number::with_unit(gate.value, gate.unit), number::with_unit(gate.limit, gate.unit));
    let mark = if gate.holds { "ok" } else { "closed" };
    format!("{} {}: {mark}, value {value}, limit {limit}; {}", gate.code, gate.name, gate.text)
}

/// A run that did not come to its end is not a success, whatever its numbers say; a verdict that says so is enough.
fn incomplete(view: &View) -> Option<Case> {
    let text = view.incomplete()?;
    let is_told = match view.judgement.verdict {
        Verdict::Invalid => true,
        Verdict::Fail => view.ending == Ending::Aborted,
        Verdict::Pass => false,
    };
    let not = Some(Not(ERROR, "INCOMPLETE", text.clone()));
    (!is_told).then(|| Case { class: "run", name: "run complete".into(), seconds: 0.0, not, output: text })
}

fn threshold(result: &ThresholdResult, verdict: Verdict) -> Case {
    let value = threshold_value(result);
    let limit = number::with_unit(Some(result.limit), result.unit);
    let output = format!("value {value}, limit {limit}, margin {}", number::margin(result.margin));
    let not = match (verdict, result.holds) {
        (Verdict::Invalid, _) => {
            Some(Not(SKIPPED, "", format!("the run is INVALID, so this judges nothing: {output}")))
        }
        (_, true) => None,
        (_, false) => Some(Not(FAILURE, "threshold", format!("{}: {output}", result.condition))),
    };
    Case { class: "threshold", name: result.condition.clone(), seconds: 0.0, not, output }
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
    Case { class: "request", name: name.to_owned(), seconds: 0.0, not: None, output }
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
    Case { class: "transaction", name: row.name.clone(), seconds: 0.0, not: None, output }
}
