//! What to look at first: suspects, where the time goes, and the matrix of what was watched.

use nmax_analysis::suspect::{self, Budget, Coverage, Diagnosis, Label, Suspect};

use super::page::Html;
use crate::markup::Escaped;
use crate::number;
use crate::tables::{Cell, Emphasis, Table};
use crate::view::View;

/// Most rows of a table.
const ROWS_MAX: usize = 200;

pub(super) fn write(page: &mut Html, view: &View) {
    let diagnosis = &view.judgement.diagnosis;
    if diagnosis.coverage.is_empty() && diagnosis.suspects.is_empty() {
        return;
    }
    page.heading(2, "What to look at first");
    if let Some(slow) = &diagnosis.slow_request {
        page.sentence(&slow.to_string());
    }
    diagnosis.refused.iter().for_each(|why| page.note(why));
    if diagnosis.slow_request.is_none() && diagnosis.suspects.is_empty() && diagnosis.refused.is_empty() {
        page.sentence("Nothing that was watched holds requests up.");
    }
    if !diagnosis.suspects.is_empty() {
        page.text("<ol class=\"suspects\">");
        diagnosis.suspects.iter().for_each(|one| suspect(page, one));
        page.text("</ol>\n");
    }
    if let Some(budget) = &diagnosis.budget {
        self::budget(page, budget);
    }
    bounds(page, diagnosis, if view.summary.open { "requests in flight" } else { "users" });
    matrix(page, &diagnosis.coverage);
    others(page, diagnosis);
}

fn suspect(page: &mut Html, suspect: &Suspect) {
    let class = match suspect.label {
        Label::Wait | Label::Saturated => "fail",
        Label::NotObserved => "invalid",
        Label::FollowsLoad | Label::Symptom | Label::Exonerated => "",
    };
    let share =
        suspect.residence_s.map_or_else(String::new, |s| format!(": {} of each request", number::time(s * 1e9)));
    page.add(format_args!(
        "<li><strong class=\"{class}\">{}</strong> <strong>{}</strong>{share}",
        suspect.label.name(),
        Escaped(&suspect.resource.to_string())
    ));
    let findings = suspect.findings.iter().map(|finding| Cell::from(&finding.text).small(finding.source));
    let falsify = (!suspect.falsify.is_empty()).then(|| format!("To prove it wrong: {}", suspect.falsify).into());
    page.list(findings.chain(falsify));
    page.text("</li>");
}

/// Seconds of a request in each resource; bars are shares of the response time.
fn budget(page: &mut Html, budget: &Budget) {
    let time = |s: f64| number::time(s * 1e9);
    page.heading(3, "Where the time goes");
    page.note(&format!(
        "Mean response time {} at {}, split by Little's law: time in a resource = queue length / throughput.",
        time(budget.response_s),
        number::rate(budget.throughput_per_s)
    ));
    let (word, rest) = match budget.unexplained_s {
        rest if rest >= 0.0 => ("unexplained", rest),
        rest => ("more than the whole: resources worked for others too", -rest),
    };
    let together = |part: Option<&suspect::Part>| part.map_or(rest, |part| part.residence_s());
    let table = Table::from_rows(budget.parts.iter().take(ROWS_MAX).map(Some).chain([None]))
        .total(true)
        .word("resource", |part| part.map_or_else(|| word.to_owned(), |part| part.resource.to_string()))
        .number("being served", |part| part.map_or_else(String::new, |part| time(part.service_s)))
        .number("waiting", |part| part.map_or_else(String::new, |part| time(part.waiting_s)))
        .number("together", |part| time(together(part)))
        .number("of the response time", |part| {
            let share = together(part) / budget.response_s;
            if budget.response_s > 0.0 { number::share(share) } else { number::UNKNOWN.to_owned() }
        });
    page.table(&table);
}

/// `who` reach the bound: requests in flight, or users with their think times.
fn bounds(page: &mut Html, diagnosis: &Diagnosis, who: &str) {
    let Some(bounds) = &diagnosis.bounds else { return };
    let knee = bounds.knee.map_or_else(String::new, |knee| format!(", which {} {who} reach", number::digits(knee)));
    page.sentence(&format!(
        "Each request occupies {} for {}, which limits throughput to {}{knee}.",
        bounds.resource,
        number::time(bounds.demand_s * 1e9),
        number::rate(bounds.throughput_max_per_s)
    ));
}

fn matrix(page: &mut Html, rows: &[Coverage]) {
    if rows.is_empty() {
        return;
    }
    let cell = |cell: &suspect::Cell| match cell {
        suspect::Cell::Observed(text) => text.into(),
        suspect::Cell::Gap(why) => Cell::word(Emphasis::Class("fail"), "gap").text(why),
        suspect::Cell::NotObserved => Cell::word(Emphasis::Class("invalid"), "NOT OBSERVED"),
        suspect::Cell::None => number::UNKNOWN.into(),
    };
    page.heading(3, "What was watched");
    let table = Table::from_rows(rows.iter().take(ROWS_MAX))
        .word("resource", |row| row.resource.to_string())
        .sentence("utilization", |row| cell(&row.utilization))
        .sentence("saturation", |row| cell(&row.saturation))
        .sentence("errors", |row| cell(&row.errors))
        .sentence("to watch it", |row| Cell::word(Emphasis::Code, row.remedy.trim_matches('`')));
    page.table(&table);
}

fn others(page: &mut Html, diagnosis: &Diagnosis) {
    if diagnosis.others.is_empty() {
        return;
    }
    let others = diagnosis.others.iter().take(ROWS_MAX).map(|suspect| {
        let why = suspect.findings.first().map_or("", |finding| finding.text.as_str());
        Cell::word(Emphasis::Strong, suspect.label.name()).text(format!("{}: {why}", suspect.resource))
    });
    page.details("What else was judged", |page| page.list(others));
}
