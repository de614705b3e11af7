//! What was asked, how and from where.

use super::Part;
use crate::doc::{Media, Section};
use crate::number;
use crate::view::View;

pub(super) const SECTIONS: &[Part] = &[asked];

fn asked(view: &View) -> Option<Section> {
    let (run, summary) = (&view.run, &view.summary);
    let stages: Vec<String> = summary
        .stages
        .iter()
        .filter(|stage| stage.end_s > stage.start_s)
        .map(|stage| format!("{} {}", stage.name, number::span(stage.end_s - stage.start_s)))
        .collect();
    let load = match (summary.intended_rate_per_s, summary.intended_vus) {
        (Some(rate), _) => format!("{} iterations on average", number::rate(rate)),
        (_, Some(vus)) => format!("{} virtual users", number::digits(vus)),
        _ => "as fast as users come back".into(),
    };
    let hash: String = run.plan_sha256.chars().take(12).collect();
    let facts = [
        ("load", format!("{load}: {}", stages.join(", "))),
        ("scenarios", summary.scenarios.iter().map(|row| row.name.clone()).collect::<Vec<_>>().join(", ")),
        ("beside", summary.background.join(", ")),
        ("seed", run.seed.to_string()),
        ("plan", if hash.is_empty() { String::new() } else { format!("SHA-256 {hash}") }),
        ("nmax", run.nmax_version.clone()),
    ];
    let policy = view.policy.iter().map(|(name, value)| (name.clone(), value.clone()));
    let machine = run.machine.iter().map(|(name, value)| match (name.strip_suffix("_bytes"), value.parse::<f64>()) {
        (Some(name), Ok(bytes)) => (format!("injector: {name}"), number::bytes(bytes)),
        _ => (format!("injector: {name}"), value.clone()),
    });
    let facts = facts.map(|(name, value)| (name.to_owned(), value)).into_iter().chain(policy).chain(machine);
    Section::new("asked", "What was asked")
        .with(|body| {
            body.on(Media::PAPER).facts(facts);
        })
        .said()
}
