//! What a run says beyond its numbers: the answer of its profile, steadiness, effects of interventions.

use nmax_analysis::{Effect, Figures};

use super::text::Ink;
use super::{LIST_MAX, Lines, more};
use crate::number;
use crate::view::{View, findings};

/// Writes what else ran, steadiness and the answer of the profile.
pub(super) fn write(page: &mut Lines, view: &View) {
    if !view.summary.background.is_empty() {
        page.entry("beside", &view.summary.background.join(", "));
    }
    if let Some(steadiness) = &view.judgement.steadiness {
        page.entry("steady", &steadiness.text);
    }
    let Some(answer) = &view.judgement.answer else { return };
    page.heading(&format!("Profile {}", answer.profile.name()));
    page.item("»", Ink::Accent, &answer.headline);
    let findings: Vec<_> = findings(answer).collect();
    for finding in findings.iter().take(LIST_MAX) {
        let (symbol, ink) = match finding.is_trouble {
            true => ("!", Ink::Warning),
            false => ("·", Ink::Dim),
        };
        page.item(symbol, ink, &finding.text);
    }
    more(page, findings.len(), LIST_MAX, "findings");
    for row in &view.summary.observed {
        let text = format!(
            "{} {}: {} at first, {} at last, {} at most",
            row.name,
            number::metric_name(&row.metric),
            number::metric(row.first, &row.metric),
            number::metric(row.last, &row.metric),
            number::metric(row.max, &row.metric)
        );
        page.item("·", Ink::Dim, &text);
    }
}

/// Writes what interventions did.
pub(super) fn timeline(page: &mut Lines, view: &View) {
    if view.judgement.effects.is_empty() {
        return;
    }
    page.heading("Timeline");
    for effect in view.judgement.effects.iter().take(LIST_MAX) {
        let (symbol, ink) = match (&effect.happened.error, effect.recovery.seconds()) {
            (None, Some(_)) => ("·", Ink::Accent),
            _ => ("!", Ink::Warning),
        };
        page.item(symbol, ink, &effect.text);
        for (name, figures) in ["before", "during", "after"].iter().zip(&effect.phases) {
            if let Some(figures) = figures {
                page.entry_at(13, &format!("    {name}"), &figures_text(figures));
            }
        }
        page.entry_at(13, "    recovery", &recovery(effect));
    }
    more(page, view.judgement.effects.len(), LIST_MAX, "interventions");
}

/// Throughput, failures and times of a stretch.
fn figures_text(figures: &Figures) -> String {
    format!(
        "{} over {}, {} failed, p50 {}, p95 {}",
        number::rate(figures.throughput_per_s),
        number::span(figures.length_s),
        number::share(figures.failure_rate),
        number::milliseconds(figures.p50_ms),
        number::milliseconds(figures.p95_ms)
    )
}

fn recovery(effect: &Effect) -> String {
    let words = number::recovery(effect.recovery);
    match effect.worst_p95_ms {
        Some(worst_ms) => format!("{words}; p95 {} at worst until then", number::time(worst_ms * 1e6)),
        None => words,
    }
}
