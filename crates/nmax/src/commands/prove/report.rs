//! What a proof found, as text and as JSON. No value is printed: they may be secrets.

use nmax_import::prove::{Cookie, ScenarioResult, State, Tried, Use};
use nmax_json::{Version, Word, records};
use nmax_plan::plan::Plan;
use nmax_report::doc::table::Table;
use nmax_report::doc::{Body, Document, Item, Mark, Section};
use nmax_report::number;
use nmax_run::secrets::Shown;

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
    pub(super) fn document(&self) -> Document {
        let counted = |state: State| format!("{} {}", self.count(Some(state)), state.name());
        let untried = match self.count(None) {
            0 => String::new(),
            untried => format!(", {untried} not tried"),
        };
        let states = [State::Proved, State::Harmless, State::Wrong].map(counted).join(", ");
        let mut tail = Body::default();
        tail.items(self.companions.warnings.iter().map(|warning| Item::new(Mark::Warning, warning)));
        tail.heading(format!("{states}{untried}; {} replays", number::count(self.replays)));
        if let Some(file) = &self.companions.file {
            tail.note(format!("The verdicts are in {}.", file.display()));
        }
        let sections = self.found.iter().map(|found| self.section(found)).collect();
        Document { sections, tail: tail.blocks, ..Document::default() }
    }

    fn section(&self, found: &ScenarioResult) -> Section {
        let failures = found.failures.iter().map(|failure| Item::new(Mark::Fail, self.shown.text(failure)));
        let values = Table::from_rows(&found.tried)
            .named()
            .fits()
            .word("value", |tried| &tried.site.name)
            .word("answer", |tried| tried.state.map_or("untried", State::name))
            .sentence("sent", |tried| {
                let to = places(&tried.site.to);
                format!("from {} to {}", tried.site.from, if to.is_empty() { "nowhere" } else { &to })
            })
            .below()
            .sentence("found by", |tried| tried.site.extract.source.describe())
            .below()
            .sentence("proof", |tried| self.shown.text(&tried.proof))
            .below();
        let cookies = found.jar.iter().map(|(name, cookie)| {
            let set_by = cookie.set_by.and_then(|request| found.requests.get(request));
            let by = set_by.map_or_else(String::new, |name| format!("set by {name}, "));
            format!("{name} ({by}sent {})", number::times(cookie.sent))
        });
        let cookies = cookies.collect::<Vec<_>>().join(", ");
        Section::new(&found.scenario, &format!("scenario {}", found.scenario)).with(|body| {
            body.items(failures);
            if !found.failures.is_empty() {
                let file = self.file;
                body.note(format!(
                    "help: the plan has to work before its values can be tried; see each request and reply with `nmax check {file} --once`"
                ));
            }
            if found.tried.is_empty() {
                body.note("no value is taken from a reply");
            }
            body.table(values);
            if !cookies.is_empty() {
                body.note(format!("cookies, which the jar carries: {cookies}"));
            }
            let kept = self.companions.evidence.as_recorded(&found.scenario);
            body.items(
                kept.into_iter().map(|kept| Item::plain(format!("sent as recorded, looks like an id: {kept}"))),
            );
            body.items(found.notes.iter().map(|note| Item::new(Mark::Warning, note)));
        })
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
