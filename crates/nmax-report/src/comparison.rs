//! Before and after ([`ComparisonView`]), and a figure over many runs ([`HistoryView`]): what the outputs print, and the
//! words they share.

use nmax_analysis::compare::{Caveat, Comparison, Conclusion, Kind, Metric, Origin, Row, Scale, Unit};
use nmax_analysis::history::{History, RUNS_MIN, Step};

use crate::number;

/// Two sides and the answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparisonView {
    /// Version of nmax.
    pub nmax_version: String,
    /// What was before.
    pub before: Vec<Origin>,
    /// What was after.
    pub after: Vec<Origin>,
    /// What stands between them and a fair comparison.
    pub caveats: Vec<Caveat>,
    /// The answer.
    pub answer: Comparison,
}

/// A figure over many runs.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryView {
    /// Version of nmax.
    pub nmax_version: String,
    /// Which runs these are, in words.
    pub title: String,
    /// What is followed.
    pub metric: Metric,
    /// Of which request, or the total.
    pub request: String,
    /// Share, or difference of failure rates, that counts as the same.
    pub margin: f64,
    /// The runs, oldest first.
    pub runs: Vec<HistoryRun>,
    /// What changed.
    pub history: History,
    /// What a reader has to know: sentences.
    pub notes: Vec<String>,
}

/// A run of a history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryRun {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Beginning, RFC 3339 UTC.
    pub started_at: String,
    /// Why it was made.
    pub note: String,
    /// Labels.
    pub tags: Vec<String>,
    /// `pass` or `fail`.
    pub verdict: String,
    /// Base URL of the system under test.
    pub target: String,
    /// SHA-256 of the plan.
    pub plan_sha256: String,
    /// The figure.
    pub value: f64,
}

impl ComparisonView {
    /// The answer in one word; that there is none where the sides may not be compared.
    pub(crate) fn word(&self) -> &'static str {
        if self.is_refused() { "not compared" } else { self.answer.conclusion().name() }
    }

    fn is_refused(&self) -> bool {
        self.answer.rows.is_empty() && self.caveats.iter().any(|caveat| caveat.refuses)
    }

    /// The answer in a line: what was said how often.
    pub fn headline(&self) -> String {
        let order = [
            Conclusion::Worse,
            Conclusion::Better,
            Conclusion::Changed,
            Conclusion::Equivalent,
            Conclusion::Inconclusive,
        ];
        let counts = order.into_iter().filter(|said| self.answer.count(*said) > 0);
        let counts: Vec<String> = counts.map(|said| format!("{} {}", self.answer.count(said), said.name())).collect();
        if self.is_refused() {
            "this may not be compared".into()
        } else if counts.is_empty() {
            "nothing in common".into()
        } else {
            counts.join(", ")
        }
    }

    /// How it was judged: sentences.
    pub fn method(&self) -> Vec<String> {
        let answer = &self.answer;
        if self.is_refused() {
            return Vec::new();
        }
        let (n, m) = answer.runs;
        let mut lines = vec![format!(
            "Equivalent is a change of less than {} ({} points of failures). Intervals are 95 %, of their row alone; better \
             and worse are said at 5 % over all {} rows with a direction (Holm).",
            number::share(answer.margin),
            number::digits(100.0 * answer.failure_margin),
            answer.family
        )];
        if answer.is_weak() {
            let sides = match (n, m) {
                (1, 1) => "one run each".to_owned(),
                (n, m) => format!("{n} and {m} runs"),
            };
            let known = match answer.history {
                0 => "how much equal runs differ is assumed".to_owned(),
                1 => "1 other run of this plan helps to know how much equal runs differ".to_owned(),
                count => format!("{count} other runs of this plan tell how much equal runs differ"),
            };
            lines.push(format!(
                "Weak: {sides}. One run shares its luck, so {known}. From {} runs a side ranks decide.",
                answer.runs_needed
            ));
        } else if !answer.rows.is_empty() {
            lines.push(format!(
                "{n} and {m} runs: shifts by Hodges and Lehmann, probabilities by Mann and Whitney. A shift is that of all \
                 pairs of runs, and the two figures are medians of all runs with and without it."
            ));
        }
        lines
    }

    /// What is not compared, and rows that are not shown: sentences.
    pub fn missing(&self) -> Vec<String> {
        let one_sided = |names: &[String], side: &str| {
            let shown: Vec<&str> = names.iter().take(10).map(String::as_str).collect();
            let more = names.len() - shown.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            (!names.is_empty()).then(|| format!("only {side}: {}{more}", shown.join(", ")))
        };
        let left_out = (self.answer.left_out > 0)
            .then(|| format!("{} requests with fewer exchanges are left out", self.answer.left_out));
        let silent = (self.answer.silent > 0).then(|| {
            let rows = if self.answer.silent == 1 { "1 row".into() } else { format!("{} rows", self.answer.silent) };
            format!("left out: {rows} that cannot tell, as throughput at a rate that both sides kept, or bytes that did not change")
        });
        let sides = [one_sided(&self.answer.only_before, "before"), one_sided(&self.answer.only_after, "after")];
        sides.into_iter().chain([left_out, silent]).flatten().collect()
    }

    /// Rows by request, in order.
    pub fn groups(&self) -> impl Iterator<Item = &[Row]> {
        self.answer.rows.chunk_by(|a, b| a.request == b.request)
    }
}

impl HistoryView {
    /// The answer in a line.
    pub fn headline(&self) -> String {
        let runs = runs(self.runs.len());
        match self.history.steps.as_slice() {
            _ if self.is_too_short() => format!("too few runs to tell: {runs}"),
            [] => format!("no change in {runs}"),
            [_] => format!("one change in {runs}"),
            steps => format!("{} changes in {runs}", steps.len()),
        }
    }

    /// Whether there are too few runs for any change to be seen.
    pub fn is_too_short(&self) -> bool {
        self.runs.len() < 2 * RUNS_MIN
    }

    /// A change as a sentence.
    pub fn step(&self, step: &Step) -> String {
        let run = &self.runs[step.at];
        let note = if run.note.is_empty() { String::new() } else { format!(": {}", run.note) };
        let (low, high) = step.interval;
        format!(
            "{} from run {} ({}) on{note}: {} {}",
            step.said.name(),
            run.id,
            day(&run.started_at),
            change(self.metric, step.change),
            interval(self.metric, low, high)
        )
    }

    /// What the last change beyond the margin was for; that nothing changed, or that this cannot be told.
    pub(crate) fn said(&self) -> Conclusion {
        let unchanged = if self.is_too_short() { Conclusion::Inconclusive } else { Conclusion::Equivalent };
        self.last().unwrap_or(unchanged)
    }

    /// What the last change beyond the margin was for, if there was one: what a gate looks at.
    pub fn last(&self) -> Option<Conclusion> {
        self.history.last()
    }
}

/// `1 run`, `2 runs`.
pub fn runs(count: usize) -> String {
    match count {
        1 => "1 run".into(),
        _ => format!("{count} runs"),
    }
}

/// A figure of a metric, with its unit.
pub fn value(metric: Metric, value: f64) -> String {
    match metric.unit() {
        Unit::Ms => number::time(value * 1e6),
        Unit::PerS => number::rate(value),
        Unit::Share => number::share(value),
        Unit::Bytes => number::bytes(value),
    }
}

/// Name of a unit in JSON.
pub(crate) const fn unit(metric: Metric) -> &'static str {
    match metric.unit() {
        Unit::Ms => "ms",
        Unit::PerS => "/s",
        Unit::Share => "ratio",
        Unit::Bytes => "bytes",
    }
}

/// A change: `×1.05`, or `+0.40 points` of a share.
pub fn change(metric: Metric, change: f64) -> String {
    match metric.scale() {
        Scale::Ratio => format!("×{}", factor(change)),
        Scale::Difference => format!("{} pt", points(change)),
    }
}

/// Its interval: `[1.02, 1.08]`.
pub fn interval(metric: Metric, low: f64, high: f64) -> String {
    match metric.scale() {
        Scale::Ratio => format!("[{}, {}]", factor(low), factor(high)),
        Scale::Difference => format!("[{}, {}]", points(low), points(high)),
    }
}

/// A row's change, or what stands for none.
pub(crate) fn row_change(row: &Row) -> String {
    row.change.map_or_else(|| number::UNKNOWN.to_owned(), |value| change(row.metric, value))
}

/// A row's interval, or what stands for none.
pub(crate) fn row_interval(row: &Row) -> String {
    row.interval.map_or_else(|| number::UNKNOWN.to_owned(), |(low, high)| interval(row.metric, low, high))
}

fn factor(ratio: f64) -> String {
    match ratio {
        _ if !ratio.is_finite() => number::UNKNOWN.into(),
        _ if ratio < 0.01 => "≤0.01".into(),
        _ if ratio < 0.0995 => format!("{ratio:.3}"),
        _ if ratio < 9.995 => format!("{ratio:.2}"),
        _ if ratio < 999.5 => number::digits(ratio),
        _ => "≥999".into(),
    }
}

/// Percentage points with a sign.
fn points(share: f64) -> String {
    let points = 100.0 * share;
    let sign = if points < 0.0 { "−" } else { "+" };
    match points.abs() {
        0.0 => "0".into(),
        size if size < 0.005 => format!("{sign}0.00"),
        size if size < 9.995 => format!("{sign}{size:.2}"),
        size => format!("{sign}{size:.1}"),
    }
}

/// What a side is made of, in a line for each run or log.
pub(crate) fn origin(origin: &Origin) -> String {
    let mut parts = vec![origin.label.clone()];
    match origin.kind {
        Kind::Run => parts.extend([origin.name.clone(), day(&origin.started_at), origin.verdict.to_uppercase()]),
        Kind::Log => parts.push("an access log".into()),
    }
    parts.push(origin.target.clone());
    if !origin.note.is_empty() {
        parts.push(format!("“{}”", origin.note));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// An instant to the minute.
pub(crate) fn day(instant: &str) -> String {
    instant.get(..16).unwrap_or(instant).replace('T', " ")
}
