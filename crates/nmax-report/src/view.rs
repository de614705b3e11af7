//! The view of a run: what was judged, whose run it is, and the words that all outputs have in common.

use nmax_analysis::summary::Stats;
use nmax_analysis::{Answer, Ending, Finding, Judged, Judgement, Summary, ThresholdResult};
use nmax_plan::plan::{Plan, Version, Visitor, Workload};

use crate::comparison::ComparisonView;
use crate::number;
use crate::run::RunInfo;

mod likeness;
pub mod since;

pub use likeness::{Likeness, LikenessMark, LikenessRow};
pub use since::Since;

/// Stands where a response time is not known for the injector's own lag.
pub const WITHHELD: &str = "?";

/// Everything that a report shows, complete from the beginning.
#[derive(Clone, Debug)]
pub struct View {
    /// Identity and origin.
    pub run: RunInfo,
    /// How far the run came.
    pub ending: Ending,
    /// Its numbers.
    pub summary: Summary,
    /// What they mean.
    pub judgement: Judgement,
    /// Choices that change what numbers mean: connection policy, visitor, version, timeout.
    pub policy: Vec<(String, String)>,
    /// How like its source its traffic was.
    pub likeness: Option<Likeness>,
    /// What changed since the run before it of the same name.
    pub since: Option<Since>,
    /// The run beside one that it is held against; it says so itself where they may not be compared.
    pub baseline: Option<ComparisonView>,
    /// Where the page is written, for the last line of the table.
    pub report_path: Option<String>,
}

/// What is known of a run besides what was judged.
#[derive(Clone, Debug, Default)]
pub struct RunContext {
    /// Identity and origin.
    pub run: RunInfo,
    /// How like its source its traffic was.
    pub likeness: Option<Likeness>,
    /// Where the page is written.
    pub report_path: Option<String>,
}

impl View {
    /// The view of a judged run of a plan.
    pub fn new(judged: &Judged, plan: &Plan, beside: RunContext) -> Self {
        let Judged { ending, summary, judgement } = judged.clone();
        let RunContext { run, likeness, report_path } = beside;
        let policy = policy(plan, summary.connections.kept);
        let (since, baseline) = (None, None);
        Self { run, ending, summary, judgement, policy, likeness, since, baseline, report_path }
    }

    /// What a verdict is read with when the run did not come to its end: `interrupted after 3 s of 60 s`.
    pub fn incomplete(&self) -> Option<String> {
        let word = match self.ending {
            Ending::Complete => return None,
            Ending::Interrupted => "interrupted",
            Ending::Aborted => "ended early by a condition",
            Ending::CutOff => "cut off",
            Ending::Running => "still running",
        };
        let planned =
            self.summary.planned_s.map_or_else(String::new, |planned_s| format!(" of {}", number::span(planned_s)));
        Some(format!("{word} after {}{planned}", number::span(self.summary.duration_s)))
    }

    /// What a verdict is read with when the run was shorter than written: `compressed 60 x`.
    pub fn compressed(&self) -> Option<String> {
        (self.summary.compress > 1.0).then(|| format!("compressed {} x", number::digits(self.summary.compress)))
    }

    /// What a verdict is read with when the load was changed while it ran: `steered`.
    pub fn steered(&self) -> Option<String> {
        (!self.summary.steered.is_empty()).then(|| "steered".to_owned())
    }

    /// Heading of the run: its name, or the target when it has none.
    pub fn title(&self) -> &str {
        if self.run.name.is_empty() { &self.run.target } else { &self.run.name }
    }
}

/// The response time at a quantile, by its index, as it is shown: what is withheld has a mark of its own.
pub fn response_text(stats: &Stats, index: usize) -> String {
    if stats.withheld[index] { WITHHELD.into() } else { number::time_or_unknown(stats.response_ns(index)) }
}

/// What a threshold was compared with.
pub(crate) fn threshold_value(result: &ThresholdResult) -> String {
    result.value.map_or_else(|| "no samples".into(), |value| number::with_unit(Some(value), result.unit))
}

/// The findings of an answer that say more than its headline.
pub fn findings(answer: &Answer) -> impl Iterator<Item = &Finding> {
    answer.findings.iter().filter(|finding| finding.text != answer.headline)
}

/// `kept`: what the connection policy comes to.
fn policy(plan: &Plan, kept: &str) -> Vec<(String, String)> {
    let defaults = &plan.defaults;
    let visitor = match defaults.visitor {
        Visitor::Returning => "returning".to_owned(),
        Visitor::New => "new".to_owned(),
        Visitor::Mixed(share) => format!("{} new", number::share(share)),
    };
    let version = match defaults.version {
        Version::Http10 => "HTTP/1.0",
        Version::Http11 => "HTTP/1.1",
    };
    let workload = match &plan.workload {
        Workload::Open { max_in_flight, .. } => format!("open, at most {max_in_flight} in flight"),
        Workload::Closed { .. } => "closed".to_owned(),
    };
    let timeout = number::span(defaults.timeout.as_secs_f64());
    let pairs = [("workload", workload.as_str()), ("connection", kept), ("visitor", visitor.as_str())];
    let rest = [("version", version), ("timeout", timeout.as_str())];
    let trust = ("tls", "any certificate accepted (--insecure): no proof of anything about trust");
    pairs
        .iter()
        .chain(&rest)
        .chain(defaults.insecure.then_some(&trust))
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}
