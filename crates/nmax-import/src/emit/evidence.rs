//! Where each value of a plan comes from and goes to, for `nmax check --prove` and for people.

use serde_json::{Value, json};

use super::scenario::{Scenario, Sent};
use super::{AnalysedRecording, Shared};
use crate::parameters::place_in_words;
use crate::parts::Use;

/// The evidence as JSON. No secret is in it: placeholders stand in their places.
pub(super) fn evidence(
    analysed: &[AnalysedRecording<'_>],
    scenarios: &[Scenario],
    recordings: &[String],
    (plan, shared): (&str, &Shared<'_>),
) -> String {
    let hide = |text: &str| shared.secrets.hide(text);
    let [mut steps, mut correlations, mut jar, mut generated, mut as_recorded, mut denied] =
        <[Vec<Value>; 6]>::default();
    for (analysed, scenario) in analysed.iter().zip(scenarios) {
        let goes_to = |uses: &[(Use, String)]| -> Vec<Value> {
            uses.iter().map(|(at, template)| to(scenario, at, template)).collect()
        };
        steps.extend(scenario.requests.iter().map(|sent| {
            json!({
                "scenario": scenario.name,
                "name": sent.name,
                "recording": analysed.number,
                "entry": analysed.recording.entries[sent.last()].number,
            })
        }));
        correlations.extend(analysed.correlations.values.iter().map(|value| {
            json!({
                "name": value.name,
                "scenario": scenario.name,
                "from": from(scenario, value.from),
                "source": value.source.describe(),
                "to": goes_to(&value.uses),
                "recorded": shared.secrets.placeholder(&value.value).unwrap_or_else(|| hide(&value.value)),
                "state": value.state.name(),
                "evidence": hide(&value.evidence),
            })
        }));
        jar.extend(analysed.correlations.jar.iter().map(|cookie| {
            json!({
                "name": cookie.name,
                "scenario": scenario.name,
                "set_by": cookie.set_by.map(|entry| from(scenario, entry)),
                "sent": cookie.sent,
            })
        }));
        generated.extend(analysed.correlations.generated.iter().map(|made| {
            json!({
                "what": made.what,
                "scenario": scenario.name,
                "name": made.set.as_ref().map(|(name, _)| name),
                "to": goes_to(&made.uses),
            })
        }));
        as_recorded.extend(as_recorded_of(analysed, scenario));
        let left_alone = analysed.correlations.denied.iter();
        denied.extend(left_alone.map(|denied| json!({ "what": hide(&denied.what), "reason": hide(&denied.reason) })));
    }
    let parameters: Vec<String> =
        analysed.iter().flat_map(|analysed| &analysed.parameters.notes).map(|note| hide(note)).collect();
    let evidence = json!({
        "schema_version": 1,
        "plan": plan,
        "recordings": recordings,
        "steps": steps,
        "correlations": correlations,
        "jar": jar,
        "generated": generated,
        "as_recorded": as_recorded,
        "denied": denied,
        "parameters": parameters,
    });
    let text = serde_json::to_string_pretty(&evidence).unwrap_or_default();
    format!("{text}\n")
}

/// What looks like an id and is sent as it was recorded: what differs from user to user is not.
fn as_recorded_of(analysed: &AnalysedRecording<'_>, scenario: &Scenario) -> Vec<Value> {
    let replacements = &analysed.parameters.replacements;
    let is_kept = |at: &&Use| {
        !replacements.iter().any(|replacement| replacement.at.entry == at.entry && replacement.at.place == at.place)
    };
    let kept = analysed.correlations.as_recorded.iter().filter(is_kept);
    let sent = kept.filter_map(|at| Some((step_of(scenario, at.entry)?, at)));
    let told = |((step, sent), at): ((usize, &Sent), &Use)| {
        json!({
            "scenario": scenario.name,
            "step": step,
            "request": sent.name,
            "place": place_in_words(&at.place),
        })
    };
    sent.map(told).collect()
}

/// Correlations in words: `csrf: from GET /login to POST /login (form field csrf)`.
pub(super) fn in_words(analysed: &[AnalysedRecording<'_>], scenarios: &[Scenario]) -> Vec<String> {
    let mut lines = Vec::new();
    for (analysed, scenario) in analysed.iter().zip(scenarios) {
        for value in &analysed.correlations.values {
            let from = request_of(scenario, value.from);
            let to = value
                .uses
                .iter()
                .map(|(at, _)| format!("{} ({})", request_of(scenario, at.entry), place_in_words(&at.place)));
            let mut places: Vec<String> = to.collect();
            places.dedup();
            lines.push(format!("{}: from {from} ({}) to {}", value.name, value.source.describe(), places.join(", ")));
        }
    }
    lines
}

/// The step whose reply or request an entry is, by position from 1 and name.
fn step_of(scenario: &Scenario, entry: usize) -> Option<(usize, &Sent)> {
    let mut sent = scenario.requests.iter().enumerate();
    let found = sent.find(|(_, sent)| sent.hops.contains(&entry));
    found.map(|(at, sent)| (at + 1, sent))
}

fn request_of(scenario: &Scenario, entry: usize) -> &str {
    step_of(scenario, entry).map_or("a request", |(_, sent)| sent.name.as_str())
}

fn from(scenario: &Scenario, entry: usize) -> Value {
    match step_of(scenario, entry) {
        Some((step, sent)) => json!({ "step": step, "request": sent.name }),
        None => Value::Null,
    }
}

fn to(scenario: &Scenario, at: &Use, template: &str) -> Value {
    let found = step_of(scenario, at.entry);
    json!({
        "step": found.as_ref().map(|(step, _)| step),
        "request": found.map(|(_, sent)| &sent.name),
        "place": place_in_words(&at.place),
        "template": template,
    })
}
