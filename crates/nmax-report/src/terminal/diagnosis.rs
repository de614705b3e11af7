//! What to look at first: suspects with their evidence, where the time goes, and what nobody watched.

use std::collections::BTreeMap;

use nmax_analysis::Verdict;
use nmax_analysis::suspect::{Budget, Cell, Coverage, Diagnosis, Label, Suspect};

use nmax_plan::plan::INJECTOR;

use super::text::Ink;
use super::{Lines, more};
use crate::number;
use crate::view::View;

/// Share of the response time below which a sum that is too large is noise.
const NOISE: f64 = 0.01;
/// Most parts of the time that are listed; the rest is added up.
const PARTS_MAX: usize = 4;
/// Most sentences of evidence of a suspect, unless everything is asked for.
const FINDINGS_MAX: usize = 2;

/// Says much only where there is something to look at: a resource that holds requests up, or a plan that observes.
pub(super) fn write(page: &mut Lines, view: &View, wide: bool) {
    let diagnosis = &view.judgement.diagnosis;
    let is_pressed = |suspect: &Suspect| matches!(suspect.label, Label::Wait | Label::Saturated);
    let is_quiet = view.judgement.verdict == Verdict::Pass && diagnosis.full().is_empty();
    let has_suspect = view.summary.watches || diagnosis.suspects.iter().any(is_pressed);
    let is_worth_it = !is_quiet && (diagnosis.slow_request.is_some() || has_suspect);
    if !wide && !is_worth_it {
        return;
    }
    page.heading("What to look at first");
    if let Some(slow) = &diagnosis.slow_request {
        page.item("»", Ink::Bad, &slow.to_string());
    }
    for why in &diagnosis.refused {
        page.item("–", Ink::Dim, why);
    }
    if !diagnosis.refused.is_empty() && !wide {
        return; // Gates say the same, further down.
    }
    if diagnosis.suspects.is_empty() && diagnosis.refused.is_empty() {
        page.item("✓", Ink::Good, "nothing that was watched holds requests up");
    }
    for (index, suspect) in diagnosis.suspects.iter().enumerate() {
        self::suspect(page, index + 1, suspect, wide);
    }
    if let Some(budget) = &diagnosis.budget {
        page.entry("time", &budget_text(budget));
    }
    if let Some(bounds) = &diagnosis.bounds {
        let text = format!(
            "each request occupies {} for {}, which limits throughput to {}",
            bounds.resource,
            number::time(bounds.demand_s * 1e9),
            number::rate(bounds.throughput_max_per_s)
        );
        page.entry("bound", &text);
    }
    coverage(page, diagnosis, wide);
    if wide {
        matrix(page, diagnosis);
        others(page, diagnosis);
    }
}

fn suspect(page: &mut Lines, place: usize, suspect: &Suspect, wide: bool) {
    let ink = match suspect.label {
        Label::Wait | Label::Saturated => Ink::Bad,
        Label::NotObserved => Ink::Warning,
        Label::FollowsLoad | Label::Symptom | Label::Exonerated => Ink::Plain,
    };
    let share =
        suspect.residence_s.map_or_else(String::new, |s| format!(", {} of each request", number::time(s * 1e9)));
    let text = format!("{} {}{share}", suspect.label.name(), suspect.resource);
    page.item(&place.to_string(), ink, &text);
    let shown = if wide { suspect.findings.len() } else { FINDINGS_MAX };
    for finding in suspect.findings.iter().take(shown) {
        let source = match finding.source {
            "" => String::new(),
            _ if !wide => String::new(),
            source => format!(" ({source})"),
        };
        page.item(" ", Ink::Plain, &format!("{}{source}", finding.text));
    }
    if !suspect.falsify.is_empty() {
        page.item(" ", Ink::Plain, &format!("to prove it wrong: {}", suspect.falsify));
    }
}

/// `of 12 ms: disk sda 9 ms, cpu 2 ms, unexplained 1 ms`.
fn budget_text(budget: &Budget) -> String {
    let time = |s: f64| number::time(s * 1e9);
    let mut parts: Vec<String> = budget
        .parts
        .iter()
        .take(PARTS_MAX)
        .map(|part| format!("{} {}", part.resource, time(part.residence_s())))
        .collect();
    let rest: f64 = budget.parts.iter().skip(PARTS_MAX).map(|part| part.residence_s()).sum();
    if rest > 0.0 {
        parts.push(format!("others {}", time(rest)));
    }
    // A sum that is too large by less than a hundredth is noise.
    if budget.unexplained_s >= 0.0 {
        parts.push(format!("unexplained {}", time(budget.unexplained_s)));
    } else if -budget.unexplained_s >= NOISE * budget.response_s {
        let more = time(-budget.unexplained_s);
        parts.push(format!("{more} more than the whole: resources worked for others too"));
    }
    format!("{} on average at {}: {}", time(budget.response_s), number::rate(budget.throughput_per_s), parts.join(", "))
}

/// What nobody watched, by host, and lines that would watch it; every cell when asked for.
fn coverage(page: &mut Lines, diagnosis: &Diagnosis, wide: bool) {
    let is_unwatched = |row: &&Coverage| [&row.utilization, &row.saturation].contains(&&Cell::NotObserved);
    let mut hosts: BTreeMap<&str, Vec<&Coverage>> = BTreeMap::new();
    for row in diagnosis.coverage.iter().filter(is_unwatched) {
        hosts.entry(&row.resource.host).or_default().push(row);
    }
    for (host, rows) in &hosts {
        let names: Vec<String> = rows.iter().map(|row| row.resource.named()).collect();
        let host = if *host == INJECTOR { "this host" } else { host };
        page.item("?", Ink::Warning, &format!("NOT OBSERVED on {host}: {}", names.join(", ")));
        let mut remedies: Vec<&str> = rows.iter().map(|row| row.remedy.as_str()).collect();
        remedies.retain(|remedy| !remedy.is_empty());
        remedies.dedup();
        let shown = if wide { remedies.len() } else { 1 };
        for remedy in remedies.iter().take(shown) {
            page.item(" ", Ink::Plain, &format!("to watch it: {remedy}"));
        }
        more(page, remedies.len(), shown, "ways to watch (`--wide`)");
    }
    let gaps = diagnosis.coverage.iter().flat_map(|row| {
        let cells = [&row.utilization, &row.saturation, &row.errors];
        cells.into_iter().filter_map(move |cell| match cell {
            Cell::Gap(why) => Some(format!("{}: {why}", row.resource)),
            Cell::Observed(_) | Cell::NotObserved | Cell::None => None,
        })
    });
    let mut gaps: Vec<String> = gaps.collect();
    gaps.dedup();
    for gap in gaps.iter().take(super::LIST_MAX) {
        page.item("!", Ink::Warning, gap);
    }
    more(page, gaps.len(), super::LIST_MAX, "gaps");
}

/// Every resource with what is known of it.
fn matrix(page: &mut Lines, diagnosis: &Diagnosis) {
    page.line("");
    let head = page.paint("What was watched: utilization, saturation, errors", Ink::Bold);
    page.line(head);
    for row in &diagnosis.coverage {
        let cells = [&row.utilization, &row.saturation, &row.errors].map(|cell| match cell {
            Cell::Observed(figure) => figure.clone(),
            Cell::Gap(_) => "gap".to_owned(),
            Cell::NotObserved => "NOT OBSERVED".to_owned(),
            Cell::None => number::UNKNOWN.to_owned(),
        });
        page.item("–", Ink::Dim, &format!("{}: {}", row.resource, cells.join("; ")));
    }
}

fn others(page: &mut Lines, diagnosis: &Diagnosis) {
    for suspect in &diagnosis.others {
        let why = suspect.findings.first().map_or("", |finding| finding.text.as_str());
        let text = format!("{} {}: {why}", suspect.label.name(), suspect.resource);
        page.item("–", Ink::Dim, &text);
    }
}
