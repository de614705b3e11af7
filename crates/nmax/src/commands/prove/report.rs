//! What a proof found, as text and as JSON. No value is printed: they may be secrets.

use std::fmt::Write as _;

use nmax_import::prove::{Cookie, ScenarioResult, State, Tried, Use};
use nmax_json::{Version, Word, records};
use nmax_plan::plan::Plan;
use nmax_report::number;
use nmax_run::secrets::Shown;
use nmax_text::shown as clean;

use super::companions::PlanCompanions;

/// What a proof found.
pub(super) struct ProofReport<'a> {
    pub(super) plan: &'a Plan,
    /// The plan's file.
    pub(super) file: &'a str,
    pub(super) found: &'a [ScenarioResult],
    pub(super) companions: &'a PlanCompanions,
    pub(super) replays: u64,
    pub(super) shown: &'a Shown,
}

impl ProofReport<'_> {
    fn count(&self, state: Option<State>) -> usize {
        let tried = self.found.iter().flat_map(|found| &found.tried);
        tried.filter(|tried| tried.state == state).count()
    }

    fn is_ok(&self) -> bool {
        self.found.iter().all(ScenarioResult::is_ok)
    }

    /// The answer for a person.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for found in self.found {
            self.scenario_text(found, &mut out);
        }
        for warning in &self.companions.warnings {
            let _ = writeln!(out, "note: {}", clean(warning));
        }
        let counted = |state: State| format!("{} {}", self.count(Some(state)), state.name());
        let _ = write!(out, "{}, {}, {}", counted(State::Proved), counted(State::Harmless), counted(State::Wrong));
        match self.count(None) {
            0 => {}
            untried => {
                let _ = write!(out, ", {untried} not tried");
            }
        }
        let _ = writeln!(out, "; {} replays", number::count(self.replays));
        if let Some(file) = &self.companions.file {
            let _ = writeln!(out, "The verdicts are in {}.", file.display());
        }
        out
    }

    fn scenario_text(&self, found: &ScenarioResult, out: &mut String) {
        let _ = writeln!(out, "scenario {}", clean(&found.scenario));
        for failure in &found.failures {
            let _ = writeln!(out, "  ✗ {}", clean(&self.shown.text(failure)));
        }
        if !found.failures.is_empty() {
            let _ = writeln!(
                out,
                "  help: the plan has to work before its values can be tried; see each request and reply with `nmax check {} \
                 --once`",
                self.file
            );
        }
        if found.tried.is_empty() {
            let _ = writeln!(out, "  no value is taken from a reply");
        }
        let width = found.tried.iter().map(|tried| tried.site.name.chars().count()).max();
        for tried in &found.tried {
            self.tried(tried, width.unwrap_or_default(), out);
        }
        if !found.jar.is_empty() {
            let cookies: Vec<String> = found
                .jar
                .iter()
                .map(|(name, cookie)| {
                    let set_by = cookie.set_by.and_then(|request| found.requests.get(request));
                    let by = set_by.map_or_else(String::new, |name| format!("set by {}, ", clean(name)));
                    format!("{} ({by}sent {})", clean(name), number::times(cookie.sent))
                })
                .collect();
            let _ = writeln!(out, "  cookies, which the jar carries: {}", cookies.join(", "));
        }
        for kept in self.companions.evidence.as_recorded(&found.scenario) {
            let _ = writeln!(out, "  sent as recorded, looks like an id: {}", clean(&kept));
        }
        for note in &found.notes {
            let _ = writeln!(out, "  note: {}", clean(note));
        }
        out.push('\n');
    }

    fn tried(&self, tried: &Tried, width: usize, out: &mut String) {
        let site = &tried.site;
        let state = tried.state.map_or("untried", State::name);
        let to = match places(&site.to) {
            to if to.is_empty() => "nowhere".to_owned(),
            to => to,
        };
        let indent = " ".repeat(width + 12);
        let _ =
            writeln!(out, "  {state:<8}  {:<width$}  from {} to {}", clean(&site.name), clean(&site.from), clean(&to));
        let _ = writeln!(out, "  {indent}{}", clean(&site.extract.source.describe()));
        let _ = writeln!(out, "  {indent}{}", clean(&self.shown.text(&tried.proof)));
    }
}

records! {
    pub(in crate::commands) struct Proof(report: &ProofReport<'_>) {
        schema_version: Version = Version;
        plan: String = report.file;
        target: String = &report.plan.target;
        evidence: Option<String> = report.companions.file.as_ref().map(|file| file.display().to_string()),
            "The file beside the plan into which the verdicts were written.";
        ok: bool = report.is_ok(), "Every scenario is.";
        replays: u64, "Iterations that were sent.";
        proved: u64 = report.count(Some(State::Proved));
        harmless: u64 = report.count(Some(State::Harmless));
        wrong: u64 = report.count(Some(State::Wrong));
        not_tried: u64 = report.count(None);
        scenarios: Vec<OfScenario> = report.found.iter().map(|found| (report, found)).collect::<Vec<_>>();
        warnings: Vec<String> = &report.companions.warnings;
    }
    pub(in crate::commands) struct OfScenario(of: (&ProofReport<'_>, &ScenarioResult)) {
        name: String = &of.1.scenario;
        ok: bool = of.1.is_ok(), "It goes as the plan says, and none of its values is wrong.";
        failures: Vec<String> = of.1.failures.iter().map(|failure| of.0.shown.text(failure)).collect::<Vec<_>>(),
            "Why it does not go as the plan says.";
        correlations: Vec<Value> = of.1.tried.iter().map(|tried| (of.0, tried)).collect::<Vec<_>>();
        jar: Vec<Jar> = of.1.jar.iter().map(|(name, cookie)| (of.1, name, cookie)).collect::<Vec<_>>(),
            "Cookies, which the jar carries.";
        as_recorded: Vec<String> = of.0.companions.evidence.as_recorded(&of.1.scenario),
            "Where what looks like an id is sent as it was recorded.";
        notes: Vec<String> = &of.1.notes;
    }
    pub(in crate::commands) struct Value(of: (&ProofReport<'_>, &Tried)) {
        name: String = &of.1.site.name, "Name of the value in the plan.";
        from: From = of.1;
        source: String = of.1.site.extract.source.describe(), "What finds it in the reply.";
        to: Vec<To> = &of.1.site.to;
        state: Option<Word> = of.1.state.map(State::name), in ["proved", "harmless", "wrong"],
            "Whether it must be fresh; null: it could not be tried.";
        proof: String = of.0.shown.text(&of.1.proof), "What the replays showed.";
        evidence: Option<String> = of.0.companions.evidence.recorded_evidence(of.0.plan, &of.1.site),
            "Why it was taken for a correlation when it was recorded.";
    }
    pub(in crate::commands) struct From(tried: &Tried) {
        step: u64 = tried.site.request + 1, "Number of the request in its scenario, from 1.";
        request: String = &tried.site.from, "Name of the request.";
    }
    pub(in crate::commands) struct To(to: &Use) {
        step: u64 = to.request + 1, "Number of the request in its scenario, from 1.";
        request: String = &to.name, "Name of the request.";
        place: String, "Where in it, such as `form field csrf`.";
    }
    pub(in crate::commands) struct Jar(of: (&ScenarioResult, &String, &Cookie)) {
        name: String = of.1;
        set_by: Option<String> = of.2.set_by.and_then(|request| of.0.requests.get(request)),
            "Name of the request whose reply set it first.";
        sent: u64 = of.2.sent, "Requests of one replay that carried it.";
    }
}

/// Requests to which a value is sent.
fn places(to: &[Use]) -> String {
    let mut names: Vec<&str> = to.iter().map(|to| to.name.as_str()).collect();
    names.dedup();
    let more = names.len().saturating_sub(4);
    let first = names.into_iter().take(4).collect::<Vec<_>>().join(", ");
    match more {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
