//! What a proof found, as text and as JSON. No value is printed: they may be secrets.

use std::fmt::Write as _;

use nmax_import::prove::{Found, State, Tried, Use, words};
use nmax_plan::plan::Plan;
use nmax_report::number;
use nmax_run::secrets::Shown;
use nmax_text::shown as clean;
use serde_json::{Value, json};

use super::beside::Beside;

/// What a proof found.
pub(super) struct Told<'a> {
    pub(super) plan: &'a Plan,
    /// The plan's file.
    pub(super) file: &'a str,
    pub(super) found: &'a [Found],
    pub(super) beside: &'a Beside,
    pub(super) replays: u64,
    pub(super) shown: &'a Shown,
}

impl Told<'_> {
    fn count(&self, state: Option<State>) -> usize {
        let tried = self.found.iter().flat_map(|found| &found.tried);
        tried.filter(|tried| tried.state == state).count()
    }

    fn is_ok(&self) -> bool {
        self.found.iter().all(Found::is_ok)
    }

    /// The answer as JSON.
    pub(super) fn json(&self) -> Value {
        let scenarios: Vec<Value> = self.found.iter().map(|found| self.scenario(found)).collect();
        json!({
            "schema_version": 1,
            "plan": self.file,
            "target": self.plan.target,
            "evidence": self.beside.file.as_ref().map(|file| file.display().to_string()),
            "ok": self.is_ok(),
            "replays": self.replays,
            "proved": self.count(Some(State::Proved)),
            "harmless": self.count(Some(State::Harmless)),
            "wrong": self.count(Some(State::Wrong)),
            "not_tried": self.count(None),
            "scenarios": scenarios,
            "warnings": self.beside.warnings,
        })
    }

    fn scenario(&self, found: &Found) -> Value {
        let correlations: Vec<Value> = found
            .tried
            .iter()
            .map(|tried| {
                let site = &tried.site;
                let to: Vec<Value> = site
                    .to
                    .iter()
                    .map(|to| json!({ "step": to.request + 1, "request": to.name, "place": to.place }))
                    .collect();
                json!({
                    "name": site.name,
                    "from": { "step": site.request + 1, "request": site.from },
                    "source": words(&site.extract.source),
                    "to": to,
                    "state": tried.state.map(State::name),
                    "proof": self.shown.text(&tried.proof),
                    "evidence": self.beside.evidence.words(self.plan, site),
                })
            })
            .collect();
        let jar: Vec<Value> = found
            .jar
            .iter()
            .map(|(name, cookie)| {
                let set_by = cookie.set_by.and_then(|request| found.requests.get(request));
                json!({ "name": name, "set_by": set_by, "sent": cookie.sent })
            })
            .collect();
        json!({
            "name": found.scenario,
            "ok": found.is_ok(),
            "failures": found.failures.iter().map(|failure| self.shown.text(failure)).collect::<Vec<_>>(),
            "correlations": correlations,
            "jar": jar,
            "notes": found.notes,
        })
    }

    /// The answer for a person.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        for found in self.found {
            self.scenario_text(found, &mut out);
        }
        for warning in &self.beside.warnings {
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
        if let Some(file) = &self.beside.file {
            let _ = writeln!(out, "The verdicts are in {}.", file.display());
        }
        out
    }

    fn scenario_text(&self, found: &Found, out: &mut String) {
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
        let _ = writeln!(out, "  {indent}{}", clean(&words(&site.extract.source)));
        let _ = writeln!(out, "  {indent}{}", clean(&self.shown.text(&tried.proof)));
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
