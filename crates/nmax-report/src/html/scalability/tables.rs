//! Tables of fits and campaigns.

use nmax_usl::{Analysis, Effect};

use super::heading;
use crate::html::mark;
use crate::html::page::Html;
use crate::markup::Escaped;
use crate::number;
use crate::scalability::{PER_S, ScaleView, Version, Week, WhatIfView, wording};
use crate::tables::{Cell, Table, scalability as shared};

/// Most rows of a table.
const ROWS_MAX: usize = 500;
/// Where the others are.
const REST: &str = "rows in the CSV and the JSON";

pub(super) fn points(page: &mut Html, analysis: &Analysis, unit: &str) {
    page.table(&shared::points(analysis, unit).at_most(ROWS_MAX, REST));
    page.note(
        "Zones: A above the Amdahl bound, B on it, C below it. Efficiency by X(1) when it was measured, else by γ.",
    );
    if let Some(text) = wording::response_times(analysis) {
        page.note(&format!("{text}."));
    }
}

pub(super) fn findings(page: &mut Html, analysis: &Analysis, of: &str) {
    let findings: Vec<_> = analysis.findings_of_winner().collect();
    if findings.is_empty() {
        return;
    }
    heading(page, "Findings", of);
    for finding in findings {
        let (class, word) = match finding.effect {
            Effect::Block => ("fail", "✗ blocks"),
            Effect::Warn => ("invalid", "! warning"),
            Effect::Note => ("note", "note"),
        };
        page.add(format_args!(
            "<div class=\"problem\"><h3><span class=\"{class}\">{word}</span> {} <small>{}</small></h3><p>{}</p></div>\n",
            finding.code.name(),
            Escaped(&wording::rows(&finding.rows)),
            Escaped(&finding.text)
        ));
    }
    page.text(crate::html::EXPLAIN);
}

pub(super) fn gate(page: &mut Html, analysis: &Analysis, of: &str) {
    if analysis.gate.is_empty() {
        return;
    }
    heading(page, "Conditions for a peak of the law", of);
    let table = Table::from_rows(&analysis.gate)
        .word("condition", |hold| hold.name)
        .word("", |hold| mark(hold.holds))
        .sentence("meaning", |hold| &hold.text);
    page.table(&table);
}

pub(super) fn ladder(page: &mut Html, analysis: &Analysis, of: &str) {
    let Some(table) = shared::ladder(analysis) else { return };
    heading(page, "Models", of);
    page.table(&table);
    page.note("AICc of relative errors. A lead of more than 4 decides.");
}

pub(super) fn versions(page: &mut Html, versions: &[Version], unit: &str) {
    let mut table = Table::from_rows(versions).at_most(ROWS_MAX, REST).word("version", |version| &version.name);
    for coefficient in &wording::COEFFICIENTS {
        let unit = if coefficient.per_s { format!(", {unit}") } else { String::new() };
        table = table.number(format!("{}{unit}", coefficient.short), |version| {
            let (value, beside) = coefficient.told(&version.analysis);
            Cell::from(value).small(beside)
        });
    }
    page.table(&table);
}

pub(super) fn laws(page: &mut Html, view: &WhatIfView) {
    let laws = view.laws();
    let table = Table::from_rows(&laws)
        .word("law", |(name, _)| name)
        .number("α", |(_, law)| wording::plain(law.contention))
        .number("β", |(_, law)| wording::plain(law.coherency))
        .number(format!("γ, {PER_S}"), |(_, law)| wording::plain(law.unit_throughput));
    page.table(&table);
}

pub(super) fn assumed(page: &mut Html, view: &WhatIfView) {
    let of_laws = |page: &mut Html, first: &str, rows: &[(String, Vec<Option<f64>>)]| {
        let mut table = Table::from_rows(rows).at_most(ROWS_MAX, REST).word(first, |(load, _)| load);
        for (law, (name, _)) in view.laws().into_iter().enumerate() {
            table = table.number(name, |(_, x)| wording::plain_or_unknown(x[law]));
        }
        page.table(&table);
    };
    let curves: Vec<_> = view.curves().into_iter().map(|(n, x)| (wording::plain(n), x)).collect();
    of_laws(page, "N", &curves);
    if !view.weeks.is_empty() {
        page.heading(2, "Growth");
        let week = |week: &Week| (week.load(), week.x.clone());
        of_laws(page, "load", &view.weeks.iter().map(week).collect::<Vec<_>>());
    }
}

pub(super) fn knobs(page: &mut Html, view: &ScaleView) {
    if !view.knobs.is_empty() {
        page.heading(2, "Settings, each at its best load");
        page.table(&shared::knobs(view).at_most(ROWS_MAX, REST));
    }
}

pub(super) fn levels(page: &mut Html, view: &ScaleView) {
    if !view.levels.is_empty() {
        page.heading(2, "Levels in the order of their runs");
        page.table(&shared::levels(view).at_most(ROWS_MAX, REST));
    }
}

pub(super) fn origin(page: &mut Html, view: &ScaleView) {
    let info = &view.info;
    page.heading(2, "Origin");
    let span = |seconds: Option<f64>| seconds.map_or_else(String::new, number::span);
    let facts = [
        ("Plan", info.name.clone()),
        ("SHA-256 of the plan", info.plan_sha256.clone()),
        ("Axes", info.axes.join(", ")),
        ("X counts", info.count.clone()),
        ("Seed", info.seed.to_string()),
        ("Measured part of a level", span(info.level_s)),
        ("Time given", span(info.budget_s)),
        ("Time taken", span(info.elapsed_s)),
        ("Ended by a person", if info.interrupted { "yes".to_owned() } else { "no".to_owned() }),
    ];
    let machine = info.machine.iter().map(|(name, value)| (name.as_str(), value.clone()));
    page.facts(facts.into_iter().chain(machine).filter(|(_, value)| !value.is_empty()));
}
