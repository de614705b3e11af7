//! Tables of fits and campaigns.

use nmax_usl::{Analysis, Effect};

use super::super::{Page, mark};
use super::heading;
use crate::markup::Escaped;
use crate::number::{self, UNKNOWN};
use crate::scalability::{ScaleView, Version, WhatIfView, words};

/// Most rows of a table; the CSV and the JSON have the others.
const ROWS_MAX: usize = 500;

fn begin(page: &mut Page, heads: &[&str]) {
    page.text("<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>");
    for (index, head) in heads.iter().enumerate() {
        page.add(format_args!("<th{}>{}</th>", left(index), Escaped(head)));
    }
    page.text("</tr></thead><tbody>\n");
}

fn end(page: &mut Page, count: usize) {
    page.text("</tbody></table></div>\n");
    if count > ROWS_MAX {
        let more = number::count((count - ROWS_MAX) as u64);
        page.add(format_args!("<p class=\"note\">{more} more rows in the CSV and the JSON.</p>\n"));
    }
}

fn row<'a>(page: &mut Page, cells: impl IntoIterator<Item = &'a str>) {
    page.text("<tr>");
    for (index, cell) in cells.into_iter().enumerate() {
        page.add(format_args!("<td{}>{}</td>", left(index), Escaped(cell)));
    }
    page.text("</tr>\n");
}

/// The first column names the row.
fn left(index: usize) -> &'static str {
    if index == 0 { " class=\"l\"" } else { "" }
}

fn milliseconds(ms: Option<f64>) -> String {
    ms.map_or_else(|| UNKNOWN.to_owned(), |ms| number::time(ms * 1e6))
}

pub(super) fn points(page: &mut Page, analysis: &Analysis, unit: &str) {
    let (x, law) = (format!("X, {unit}"), format!("law, {unit}"));
    begin(page, &["row", "N", &x, "R", "capacity", "efficiency", &law, "95 % band", "off by", "zone"]);
    for point in analysis.points.iter().take(ROWS_MAX) {
        let band = point.band.map_or_else(
            || UNKNOWN.to_owned(),
            |(low, high)| format!("{} to {}", words::plain(low), words::plain(high)),
        );
        let cells = [
            point.row.to_string(),
            words::plain(point.n),
            words::plain(point.x),
            milliseconds(point.r_s.map(|s| s * 1e3)),
            words::plain_or_unknown(point.capacity),
            number::share_or_unknown(point.efficiency.or(point.efficiency_of_law)),
            words::plain_or_unknown(point.fitted),
            band,
            words::distance(point.x, point.fitted),
            point.zone.map_or(UNKNOWN, words::zone).to_owned(),
        ];
        row(page, cells.iter().map(String::as_str));
    }
    end(page, analysis.points.len());
    page.text(
        "<p class=\"note\">Zones: A above the Amdahl bound, B on it, C below it. Efficiency by X(1) when it was \
         measured, else by γ.</p>\n",
    );
    if let Some(text) = words::response_times(analysis) {
        page.add(format_args!("<p class=\"note\">{}.</p>\n", Escaped(text)));
    }
}

pub(super) fn findings(page: &mut Page, analysis: &Analysis, of: &str) {
    if analysis.findings.is_empty() {
        return;
    }
    heading(page, "Findings", of);
    for finding in &analysis.findings {
        let (class, word) = match finding.effect {
            Effect::Block => ("fail", "✗ blocks"),
            Effect::Warn => ("invalid", "! warning"),
            Effect::Note => ("note", "note"),
        };
        page.add(format_args!(
            "<div class=\"problem\"><h3><span class=\"{class}\">{word}</span> {} <small>{}</small></h3><p>{}</p></div>\n",
            finding.code.name(),
            Escaped(&words::rows(&finding.rows)),
            Escaped(&finding.text)
        ));
    }
    page.text("<p class=\"note\"><code>nmax explain CODE</code> says what a code means.</p>\n");
}

pub(super) fn gate(page: &mut Page, analysis: &Analysis, of: &str) {
    if analysis.gate.is_empty() {
        return;
    }
    heading(page, "Conditions for a peak of the law", of);
    page.text("<div class=\"scroll\" tabindex=\"0\"><table><tbody>\n");
    for hold in &analysis.gate {
        page.add(format_args!(
            "<tr><th scope=\"row\" class=\"l\">{}</th><td class=\"l\">{}</td><td class=\"l w\">{}</td></tr>\n",
            Escaped(hold.name),
            mark(hold.holds),
            Escaped(&hold.text)
        ));
    }
    page.text("</tbody></table></div>\n");
}

pub(super) fn ladder(page: &mut Page, analysis: &Analysis, of: &str) {
    if analysis.ladder.iter().all(|rung| !rung.aicc.is_finite()) {
        return;
    }
    heading(page, "Models", of);
    begin(page, &["model", "k", "AICc", "behind", "coefficients"]);
    let figure = |value: f64| {
        if value.is_finite() { words::fixed(value, 1) } else { UNKNOWN.to_owned() }
    };
    for rung in &analysis.ladder {
        let coefficients = words::coefficients(&rung.curve).into_iter();
        let coefficients: Vec<_> =
            coefficients.map(|(name, value)| format!("{name} {}", words::plain(value))).collect();
        let leads = words::winner(analysis.winner) == rung.model.name();
        let name = format!("{}{}", rung.model.name(), if leads { " (leads)" } else { "" });
        let cells = [name, rung.k.to_string(), figure(rung.aicc), figure(rung.delta), coefficients.join(", ")];
        row(page, cells.iter().map(String::as_str));
    }
    end(page, 0);
    page.text("<p class=\"note\">AICc of relative errors. A lead of more than 4 decides.</p>\n");
}

pub(super) fn versions(page: &mut Page, versions: &[Version], unit: &str) {
    let heads: Vec<String> = words::COEFFICIENTS
        .iter()
        .map(|of| if of.per_s { format!("{}, {unit}", of.short) } else { of.short.to_owned() })
        .collect();
    let mut all = vec!["version"];
    all.extend(heads.iter().map(String::as_str));
    begin(page, &all);
    for version in versions.iter().take(ROWS_MAX) {
        page.add(format_args!("<tr><th scope=\"row\" class=\"l\">{}</th>", Escaped(&version.name)));
        for coefficient in &words::COEFFICIENTS {
            let (value, below) = (coefficient.of)(&version.analysis).map_or_else(
                || (UNKNOWN.to_owned(), words::missing(&version.analysis).to_owned()),
                |of| (words::value(&of), words::beside(coefficient, &version.analysis, &of)),
            );
            page.add(format_args!("<td>{}<small>{}</small></td>", Escaped(&value), Escaped(&below)));
        }
        page.text("</tr>\n");
    }
    end(page, versions.len());
}

pub(super) fn laws(page: &mut Page, view: &WhatIfView) {
    let gamma = format!("γ, {}", view.x_unit());
    begin(page, &["law", "α", "β", &gamma]);
    for (name, law) in view.laws() {
        let numbers = [law.contention, law.coherency, law.unit_throughput].map(words::plain);
        row(page, std::iter::once(name.as_str()).chain(numbers.iter().map(String::as_str)));
    }
    end(page, 0);
}

pub(super) fn assumed(page: &mut Page, view: &WhatIfView) {
    let names: Vec<String> = view.laws().into_iter().map(|(name, _)| name).collect();
    let heads =
        |first: &'static str| -> Vec<&str> { std::iter::once(first).chain(names.iter().map(String::as_str)).collect() };
    let line = |page: &mut Page, first: String, x: &[Option<f64>]| {
        let numbers: Vec<_> = x.iter().map(|x| words::plain_or_unknown(*x)).collect();
        row(page, std::iter::once(first.as_str()).chain(numbers.iter().map(String::as_str)));
    };
    begin(page, &heads("N"));
    let curves = view.curves();
    for (n, x) in &curves {
        line(page, words::plain(*n), x);
    }
    end(page, curves.len());
    if view.weeks.is_empty() {
        return;
    }
    page.text("<h2>Growth</h2>\n");
    begin(page, &heads("load"));
    for week in view.weeks.iter().take(ROWS_MAX) {
        line(page, format!("week {}: {}", week.week, words::plain(week.n)), &week.x);
    }
    end(page, view.weeks.len());
}

pub(super) fn knobs(page: &mut Page, view: &ScaleView) {
    if view.knobs.is_empty() {
        return;
    }
    page.text("<h2>Settings, each at its best load</h2>\n");
    let x = format!("X, {}", view.fit.x_unit());
    begin(page, &["setting", "load", &x, "R", "runs", "price per hour", "cost per million ok", "note"]);
    for knob in view.knobs.iter().take(ROWS_MAX) {
        let cells = [
            words::setting(&knob.values),
            words::plain_or_unknown(knob.load),
            words::plain_or_unknown(knob.x),
            milliseconds(knob.r_ms),
            knob.runs.to_string(),
            words::plain_or_unknown(knob.price_per_h),
            words::plain_or_unknown(knob.price_per_million),
            knob.why.clone(),
        ];
        row(page, cells.iter().map(String::as_str));
    }
    end(page, view.knobs.len());
}

pub(super) fn levels(page: &mut Page, view: &ScaleView) {
    if view.levels.is_empty() {
        return;
    }
    page.text("<h2>Levels in the order of their runs</h2>\n");
    let x = format!("X, {}", view.fit.x_unit());
    begin(page, &["#", "purpose", "setting", "level", "N", &x, "R", "verdict", "fitted", "note", "run"]);
    for level in view.levels.iter().take(ROWS_MAX) {
        let cells = [
            level.number.to_string(),
            level.purpose.clone(),
            level.setting.clone(),
            words::plain(level.level),
            words::plain_or_unknown(level.n),
            words::plain_or_unknown(level.x),
            milliseconds(level.r_ms),
            level.verdict.clone(),
            if level.used { "yes".to_owned() } else { "no".to_owned() },
            level.why.clone(),
            level.run.clone(),
        ];
        row(page, cells.iter().map(String::as_str));
    }
    end(page, view.levels.len());
}

pub(super) fn origin(page: &mut Page, view: &ScaleView) {
    let info = &view.info;
    page.text("<h2>Origin</h2>\n<div class=\"scroll\" tabindex=\"0\"><table class=\"facts\"><tbody>\n");
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
    for (name, value) in facts.into_iter().chain(machine).filter(|(_, value)| !value.is_empty()) {
        page.add(format_args!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", Escaped(name), Escaped(&value)));
    }
    page.text("</tbody></table></div>\n");
}
