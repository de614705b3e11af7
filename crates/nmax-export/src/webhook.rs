//! One request with the verdict, when a run has ended.

use std::time::Duration;

use nmax_analysis::QUANTILES;
use nmax_analysis::summary::{Phase, Stats};
use nmax_analysis::{Ending, Reason};
use nmax_json::{Micro, Ms, Version, Word, records};
use nmax_observe::Fetcher;
use nmax_report::{RunInfo, View};
use nmax_secrets::origin_only;
use serde_json::Value;

use crate::push::answered;

/// Longest time of an attempt; there are two.
const ATTEMPT_MAX: Duration = Duration::from_millis(2_500);
/// Most reasons that are sent.
const REASONS_MAX: usize = 20;
/// Most characters of a text.
const TEXT_MAX: usize = 500;

/// Where the verdict is sent.
#[derive(Clone, Debug, Default)]
pub struct Webhook {
    /// URL; all behind its host may be a secret.
    pub url: String,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// Where people find the report: `{run_id}` becomes the run's.
    pub link: Option<String>,
}

/// A run that has ended, for its webhook.
struct RunEnd<'a> {
    view: &'a View,
    exit_code: u8,
    directory: &'a str,
    link: Option<String>,
}

impl RunEnd<'_> {
    /// One line, as chats show it.
    fn line(&self) -> String {
        let view = self.view;
        let why = view.judgement.reasons.iter().find(|reason| reason.decides);
        let why = why.map_or_else(String::new, |reason| format!(": {}", reason.text));
        let link = self.link.as_ref().map_or_else(String::new, |link| format!(" {link}"));
        format!("{} {}{}{link}", view.title(), view.judgement.verdict.name().to_uppercase(), clipped(&why))
    }
}

records! {
    struct Ended(ended: &RunEnd<'_>) {
        schema_version: Version = Version;
        event: Word = "run_ended", in ["run_ended"];
        text: String = ended.line(), "One line for people; chats show it.";
        verdict: Word = ended.view.judgement.verdict.name(), in ["pass", "fail", "invalid"];
        ending: Word = ending(ended.view.ending), in ["complete", "interrupted", "aborted", "cut_off", "running"];
        exit_code: u64 = u64::from(ended.exit_code), "Of `nmax run`.";
        run: Run = &ended.view.run;
        phase: PhaseRow = &ended.view.summary.phase;
        figures: Figures = ended.view;
        reasons: Vec<ReasonRow> = reasons(ended.view), "The first 20, those that decide first.";
        report: Report = ended;
    }
    struct Run(run: &RunInfo) {
        id: String;
        name: String;
        note: String = clipped(&run.note);
        tags: Vec<String>;
        started_at: String, "RFC 3339, UTC.";
        target: String;
    }
    struct PhaseRow(phase: &Phase) {
        name: Word, in ["hold", "whole"];
        start_s: Micro;
        end_s: Micro;
    }
    struct Figures(view: &View) {
        duration_s: Micro = view.summary.duration_s, "Of the whole run; all other figures are of the phase.";
        intended_rate_per_s: Option<Micro> = view.summary.intended_rate_per_s, "Iterations; null for closed workloads.";
        achieved_rate_per_s: Option<Micro> = view.summary.achieved_rate_per_s, "Iterations started.";
        dropped: u64 = view.summary.dropped.total(), "Due iterations that never started.";
        requests: u64 = view.summary.total.count;
        requests_per_s: Option<Micro> = view.summary.total.rate_per_s;
        failed: u64 = view.summary.total.failed, "Valid replies that were not ok.";
        errors: u64 = view.summary.total.errors, "Requests without a valid reply.";
        failure_rate: Option<Micro> = view.summary.total.failure_rate, "(failed + errors) / requests.";
        response_time_ms: Times = &view.summary.total;
    }
    struct Times(stats: &Stats) {
        p50: Option<Ms> = quantile(stats, "p50"), "Null where too large a part of it is nmax's own lag.";
        p95: Option<Ms> = quantile(stats, "p95");
        p99: Option<Ms> = quantile(stats, "p99");
        max: Option<Ms> = stats.times.response.max_ns;
    }
    struct ReasonRow(reason: &Reason) {
        code: Word;
        text: String = clipped(&reason.text);
        decides: bool, "False for a warning that does not change the verdict.";
    }
    struct Report(ended: &RunEnd<'_>) {
        directory: String = ended.directory, "The run's directory, with report.html and summary.json.";
        url: Option<String> = ended.link.as_ref(), "As given by `--webhook-link`.";
    }
}

const fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Complete => "complete",
        Ending::Interrupted => "interrupted",
        Ending::Aborted => "aborted",
        Ending::CutOff => "cut_off",
        Ending::Running => "running",
    }
}

fn quantile(stats: &Stats, name: &str) -> Option<u64> {
    let place = QUANTILES.iter().position(|(known, _)| *known == name)?;
    stats.times.response.quantiles_ns[place].filter(|_| !stats.withheld[place])
}

fn reasons(view: &View) -> Vec<&Reason> {
    let (decides, warns): (Vec<_>, Vec<_>) = view.judgement.reasons.iter().partition(|reason| reason.decides);
    decides.into_iter().chain(warns).take(REASONS_MAX).collect()
}

fn clipped(text: &str) -> String {
    let is_long = text.chars().nth(TEXT_MAX).is_some();
    let begin: String = text.chars().take(TEXT_MAX - usize::from(is_long)).collect();
    if is_long { begin + "…" } else { begin }
}

/// The schema of what is sent. Every key is there; what is unknown is null.
pub fn schema() -> Value {
    nmax_json::schema::<Ended>(
        "what nmax run --webhook sends",
        "Times are milliseconds, rates per second. Unknown is null.",
    )
}

impl Webhook {
    /// Sends what became of a run; a second time when the first is not taken. Takes 5 s at most.
    ///
    /// # Errors
    /// Why it was not taken.
    pub fn send(&self, view: &View, exit_code: u8, directory: &str) -> Result<(), String> {
        let link = self.link.as_ref().map(|link| link.replace("{run_id}", &view.run.id));
        let ended = RunEnd { view, exit_code, directory, link };
        let body = nmax_json::value::<Ended, _>(&ended).to_string();
        let fetcher = Fetcher::patient(&self.url, "*/*", None, ATTEMPT_MAX).shown_as(origin_only(&self.url));
        let given = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let headers: Vec<_> = [("content-type", "application/json")].into_iter().chain(given).collect();
        let attempt = || {
            let (status, reply) = fetcher.post(&headers, body.as_bytes()).map_err(|trouble| trouble.text)?;
            if (200..300).contains(&status) { Ok(()) } else { Err(answered(fetcher.shown(), status, &reply)) }
        };
        attempt().or_else(|_| attempt())
    }
}
