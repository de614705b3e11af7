//! What to look at first: suspects, where the time goes, and the matrix of what was watched.

use std::collections::BTreeMap;

use nmax_analysis::Verdict;
use nmax_analysis::suspect::{self, Budget, Coverage, Diagnosis, Label, Suspect};
use nmax_plan::plan::INJECTOR;

use super::Part;
use crate::doc::table::{Cell, Emphasis, Table};
use crate::doc::{Body, Item, Mark, Media, Section};
use crate::number;
use crate::view::View;

pub(super) const SECTIONS: &[Part] = &[look, watched];

/// Share of the response time below which a sum that is too large is noise.
const NOISE: f64 = 0.01;
/// Most parts of the time in a line; the rest is added up.
const PARTS_MAX: usize = 4;
/// Most sentences of evidence of a suspect where there is little room.
const FINDINGS_MAX: usize = 2;
/// The same on the page, which has the others folded.
const FINDINGS_PAGE: usize = 3;
/// Most rows of a table.
const ROWS_MAX: usize = 200;
/// Most gaps in the terminal.
const GAPS_MAX: usize = 12;

/// One line for the beginning of a report: the slow request, or the first resource that holds requests up.
pub(super) fn first(view: &View) -> Option<Item> {
    let diagnosis = &view.judgement.diagnosis;
    let is_pressed = |suspect: &&Suspect| matches!(suspect.label, Label::Wait | Label::Saturated);
    let pressed = diagnosis.suspects.iter().find(is_pressed).map(in_short);
    if view.judgement.verdict == Verdict::Pass && diagnosis.full().is_empty() {
        return None;
    }
    let text = diagnosis.slow_request.as_ref().map(ToString::to_string).or(pressed)?;
    Some(Item::new(Mark::Trouble, text).title("Look first:"))
}

fn in_short(suspect: &Suspect) -> String {
    let share =
        suspect.residence_s.map_or_else(String::new, |s| format!(", {} of each request", number::time(s * 1e9)));
    format!("{} {}{share}", suspect.label.name(), suspect.resource)
}

/// The terminal says much only where there is something to look at: a resource that holds requests up, or a plan that
/// observes.
fn look(view: &View) -> Option<Section> {
    let diagnosis = &view.judgement.diagnosis;
    if diagnosis.coverage.is_empty() && diagnosis.suspects.is_empty() {
        return None;
    }
    let is_pressed = |suspect: &Suspect| matches!(suspect.label, Label::Wait | Label::Saturated);
    let is_quiet = view.judgement.verdict == Verdict::Pass && diagnosis.full().is_empty();
    let has_suspect = view.summary.watches || diagnosis.suspects.iter().any(is_pressed);
    let is_worth_it = !is_quiet && (diagnosis.slow_request.is_some() || has_suspect);
    // Gates say the same, further down.
    let is_refused = !diagnosis.refused.is_empty();
    let brief = if is_worth_it { Media::BRIEF } else { Media::WIDE };
    let section = Section::new("suspects", "What to look at first").with(|body| {
        body.on(Media::ALL.without(Media::BRIEF).and(brief));
        body.items(diagnosis.slow_request.iter().map(|slow| Item::new(Mark::Trouble, slow.to_string())));
        body.items(diagnosis.refused.iter().map(|why| Item::new(Mark::Neutral, why)));
        let brief = if is_refused { Media::WIDE } else { brief };
        if diagnosis.suspects.is_empty() && diagnosis.slow_request.is_none() && !is_refused {
            body.items([Item::new(Mark::Pass, "Nothing that was watched holds requests up.")]);
        }
        let all = |most: usize, with_source: bool| {
            let suspects = diagnosis.suspects.iter().enumerate();
            suspects.map(move |(place, one)| suspect(place + 1, one, most, with_source)).collect::<Vec<_>>()
        };
        body.on(Media::PDF.and(Media::MARKDOWN).and(brief).without(Media::WIDE)).items(all(FINDINGS_MAX, false));
        body.on(Media::PAGE).items(all(FINDINGS_PAGE, false));
        let more = diagnosis.suspects.iter().filter(|suspect| suspect.findings.len() > FINDINGS_PAGE).map(|suspect| {
            let rest = suspect.findings.iter().skip(FINDINGS_PAGE).map(|finding| Item::plain(&finding.text));
            Item::plain(in_short(suspect)).below(rest.collect())
        });
        body.fold("More evidence", |body| _ = body.items(more));
        body.on(Media::WIDE).items(all(usize::MAX, true));
        let facts = diagnosis.budget.iter().map(|budget| ("time", in_line(budget)));
        let bound = bound(view).map(|text| ("bound", text));
        body.on(Media::WIDE.and(brief)).facts(facts.chain(bound.clone()));
        body.on(Media::PAPER).items(bound.map(|(_, text)| Item::new(Mark::Point, text)));
        unwatched(body, diagnosis, brief);
        if let Some(budget) = &diagnosis.budget {
            body.on(Media::PICTURES);
            self::budget(body, budget);
        }
        let others = diagnosis.others.iter().take(ROWS_MAX).map(|suspect| {
            let why = suspect.findings.first().map_or("", |finding| finding.text.as_str());
            Item::new(Mark::Neutral, format!("{}: {why}", suspect.resource)).title(suspect.label.name())
        });
        body.on(Media::DETAILED).fold("What else was judged", |body| {
            body.items(others);
        });
    });
    section.said()
}

fn suspect(place: usize, suspect: &Suspect, most: usize, with_source: bool) -> Item {
    let mark = match suspect.label {
        Label::Wait | Label::Saturated => Mark::Number(place),
        Label::NotObserved => Mark::Unknown,
        Label::FollowsLoad | Label::Symptom | Label::Exonerated => Mark::Neutral,
    };
    let findings = suspect.findings.iter().take(most).map(|finding| match finding.source {
        source if with_source && !source.is_empty() => Item::plain(format!("{} ({source})", finding.text)),
        _ => Item::plain(&finding.text),
    });
    let falsify = (!suspect.falsify.is_empty()).then(|| format!("to prove it wrong: {}", suspect.falsify));
    Item::new(mark, in_short(suspect)).below(findings.chain(falsify.map(Item::plain)).collect())
}

/// `12 ms on average at 40 /s: disk sda 9 ms, cpu 2 ms, unexplained 1 ms`.
fn in_line(budget: &Budget) -> String {
    let time = |s: f64| number::time(s * 1e9);
    let parts = budget.parts.iter().take(PARTS_MAX);
    let mut parts: Vec<String> = parts.map(|part| format!("{} {}", part.resource, time(part.residence_s()))).collect();
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

/// Seconds of a request in each resource.
fn budget(body: &mut Body, budget: &Budget) {
    let ns = |s: f64| s * 1e9;
    let (word, rest) = match budget.unexplained_s {
        rest if rest >= 0.0 => ("unexplained", rest),
        rest => ("more than the whole: resources worked for others too", -rest),
    };
    let together = |part: Option<&suspect::Part>| part.map_or(rest, |part| part.residence_s());
    let table = Table::from_rows(budget.parts.iter().take(ROWS_MAX).map(Some).chain([None]))
        .total(true)
        .word("resource", |part| part.map_or_else(|| word.to_owned(), |part| part.resource.to_string()))
        .time("being served", |part| part.map(|part| ns(part.service_s)))
        .time("waiting", |part| part.map(|part| ns(part.waiting_s)))
        .time("together", |part| ns(together(part)))
        .share("of the response time", |part| (budget.response_s > 0.0).then(|| together(part) / budget.response_s));
    body.heading("Where the time goes").table(table).note(format!(
        "Mean response time {} at {}, split by Little's law: time in a resource = queue length / throughput.",
        number::time(ns(budget.response_s)),
        number::rate(budget.throughput_per_s)
    ));
}

/// The most that the busiest resource allows.
fn bound(view: &View) -> Option<String> {
    let bounds = view.judgement.diagnosis.bounds.as_ref()?;
    let what = if view.summary.open { "requests in flight" } else { "users" };
    let knee = bounds.knee.map_or_else(String::new, |knee| format!(", which {} {what} reach", number::digits(knee)));
    Some(format!(
        "each request occupies {} for {}, which limits throughput to {}{knee}",
        bounds.resource,
        number::time(bounds.demand_s * 1e9),
        number::rate(bounds.throughput_max_per_s)
    ))
}

/// What was not watched, by host, and lines that would watch it.
fn unwatched(body: &mut Body, diagnosis: &Diagnosis, brief: Media) {
    let is_unwatched = |row: &&Coverage| [&row.utilization, &row.saturation].contains(&&suspect::Cell::NotObserved);
    let mut hosts: BTreeMap<&str, Vec<&Coverage>> = BTreeMap::new();
    for row in diagnosis.coverage.iter().filter(is_unwatched) {
        hosts.entry(&row.resource.host).or_default().push(row);
    }
    for (host, rows) in &hosts {
        let names: Vec<String> = rows.iter().map(|row| row.resource.named()).collect();
        let host = if *host == INJECTOR { "this host" } else { host };
        let mut remedies: Vec<&str> = rows.iter().map(|row| row.remedy.as_str()).collect();
        remedies.retain(|remedy| !remedy.is_empty());
        remedies.dedup();
        let item = |most: usize| {
            let shown = remedies.iter().take(most).map(|remedy| Item::plain(format!("to watch it: {remedy}")));
            let more = remedies.len().saturating_sub(most);
            let more = (more > 0).then(|| Item::plain(format!("… {more} more ways to watch (`--wide`)")));
            let text = format!("NOT OBSERVED on {host}: {}", names.join(", "));
            Item::new(Mark::Unknown, text).below(shown.chain(more).collect())
        };
        body.on(brief.without(Media::WIDE)).items([item(1)]);
        body.on(Media::WIDE).items([item(usize::MAX)]);
        let text = format!("NOT OBSERVED on {host}: {}", names.join(", "));
        body.on(Media::PAPER).items([Item::new(Mark::Unknown, text)]);
    }
    let gaps = diagnosis.coverage.iter().flat_map(|row| {
        let cells = [&row.utilization, &row.saturation, &row.errors];
        cells.into_iter().filter_map(move |cell| match cell {
            suspect::Cell::Gap(why) => Some(format!("{}: {why}", row.resource)),
            suspect::Cell::Observed(_) | suspect::Cell::NotObserved | suspect::Cell::None => None,
        })
    });
    let mut gaps: Vec<String> = gaps.collect();
    gaps.dedup();
    let gaps = gaps.into_iter().map(|gap| Item::new(Mark::Warning, gap));
    body.on(Media::WIDE.and(brief)).some_items(gaps, GAPS_MAX, "gaps");
}

/// Every resource with what is known of it.
fn watched(view: &View) -> Option<Section> {
    let rows = &view.judgement.diagnosis.coverage;
    let cell = |cell: &suspect::Cell| match cell {
        suspect::Cell::Observed(text) => text.into(),
        suspect::Cell::Gap(why) => Cell::word(Emphasis::Class("fail"), "gap").text(why),
        suspect::Cell::NotObserved => Cell::word(Emphasis::Class("invalid"), "NOT OBSERVED"),
        suspect::Cell::None => number::UNKNOWN.into(),
    };
    let table = Table::from_rows(rows.iter().take(ROWS_MAX))
        .word("resource", |row| row.resource.to_string())
        .sentence("utilization", |row| cell(&row.utilization))
        .sentence("saturation", |row| cell(&row.saturation))
        .sentence("errors", |row| cell(&row.errors))
        .sentence("to watch it", |row| &row.remedy);
    let line = |row: &Coverage| {
        let cells = [&row.utilization, &row.saturation, &row.errors].map(|one| cell(one).in_terminal().to_owned());
        Item::new(Mark::Neutral, format!("{}: {}", row.resource, cells.join("; ")))
    };
    Section::new("watched", "What was watched")
        .aside("utilization, saturation, errors")
        .appendix()
        .with(|body| {
            body.on(Media::WIDE).items(rows.iter().map(line));
            body.on(Media::PAGE).table(table);
        })
        .said()
}
