//! Fits, campaigns, predictions, comparisons and assumptions as text. The answer first, then the law, then what it rests on.

use nmax_usl::{Analysis, Effect, Finding, Headline};

use super::text::{self, Ink, Painted, left, shorten};
use super::{LIST_MAX, Lines, Style, more};
use crate::number;
use crate::scalability::{FitView, Level, ScaleView, wording};
use crate::tables::scalability as tables;

mod canvas;
mod chart;
mod prediction;
mod versions;

pub use chart::{Glyphs, LiveScale, live_curve};
pub use prediction::predict;
pub use versions::{compare, what_if};

/// Most rows of a table; files and pages have the others.
const ROWS_MAX: usize = 40;
/// Column at which the text of an entry begins.
const COLUMN: usize = 16;

/// A fit. No line is wider than `style.width`.
pub fn fit(view: &FitView, style: Style, glyphs: Glyphs) -> Painted {
    let mut page = Lines::new(style);
    title(&mut page, &view.title, &view.subtitle);
    headline(&mut page, &view.analysis.headline, None);
    answer(&mut page, view, "", glyphs);
    law(&mut page, view, "");
    models(&mut page, &view.analysis, "");
    points(&mut page, view, "");
    glyphs.plain(&page.text)
}

/// A campaign. No line is wider than `style.width`.
pub fn scale(view: &ScaleView, style: Style, glyphs: Glyphs) -> Painted {
    let mut page = Lines::new(style);
    title(&mut page, &view.fit.title, &view.fit.subtitle);
    if view.versions.is_empty() && view.knobs.is_empty() {
        headline(&mut page, &view.fit.analysis.headline, wording::full(view));
        page.line("");
    }
    let info = &view.info;
    for (word, value) in [("run", &info.id), ("target", &info.target), ("stopped", &view.stopped)] {
        if !value.is_empty() {
            page.entry_at(COLUMN, word, value);
        }
    }
    for note in view.notes.iter().take(LIST_MAX) {
        page.item("!", Ink::Warning, note);
    }
    more(&mut page, view.notes.len(), LIST_MAX, "notes");
    if let Some(found) = &view.find {
        let heading = shorten(&format!("Objective {}", found.objective), page.width);
        page.heading(&heading);
        page.item("»", Ink::Accent, &found.text);
    }
    if let Some(sentence) = wording::all_settings(view) {
        page.heading("All settings");
        page.item("»", Ink::Accent, &sentence);
    }
    if view.versions.is_empty() {
        answer(&mut page, &view.fit, "", glyphs);
        law(&mut page, &view.fit, "");
        knobs(&mut page, view);
        models(&mut page, &view.fit.analysis, "");
        points(&mut page, &view.fit, "");
    } else {
        knobs(&mut page, view);
        versions::coefficients(&mut page, &view.versions, view.fit.x_unit());
        for (name, fit) in view.laws() {
            answer(&mut page, &fit, name, glyphs);
            law(&mut page, &fit, name);
            models(&mut page, &fit.analysis, name);
            points(&mut page, &fit, name);
        }
    }
    levels(&mut page, view);
    glyphs.plain(&page.text)
}

fn title(page: &mut Lines, title: &str, subtitle: &str) {
    let line = page.paint(&shorten(title, page.width), Ink::Bold);
    page.line(line);
    for line in text::wrap(subtitle, page.width) {
        let line = page.paint(&line, Ink::Dim);
        page.line(line);
    }
}

/// A heading, cut to the width; `of` is the setting that it is about, or empty.
fn heading(page: &mut Lines, text: &str, of: &str) {
    let text = shorten(&wording::heading(text, of), page.width);
    page.heading(&text);
}

/// What was found, the resource that was full, the load to run at.
fn headline(page: &mut Lines, headline: &Headline, full: Option<String>) {
    page.line("");
    for line in text::wrap(&headline.text, page.width) {
        let line = page.paint(&line, Ink::Bold);
        page.line(line);
    }
    for sentence in full.iter().chain([&headline.advice]) {
        page.item("»", Ink::Accent, sentence);
    }
}

/// Curve, three sentences, findings.
fn answer(page: &mut Lines, view: &FitView, of: &str, glyphs: Glyphs) {
    if of.is_empty() {
        page.line("");
    } else {
        heading(page, "Curve", of);
    }
    page.drawing(chart::of_fit(view, page.width, page.color, glyphs));
    heading(page, "Meaning", of);
    for sentence in wording::meaning(&view.analysis, of) {
        page.item("»", Ink::Accent, &sentence);
    }
    findings(page, &view.analysis, of);
}

fn findings(page: &mut Lines, analysis: &Analysis, of: &str) {
    let findings: Vec<&Finding> = analysis.findings_of_winner().collect();
    if findings.is_empty() {
        return;
    }
    heading(page, "Findings", of);
    for finding in findings.iter().take(LIST_MAX) {
        let (symbol, ink) = match finding.effect {
            Effect::Block => ("✗", Ink::Bad),
            Effect::Warn => ("!", Ink::Warning),
            Effect::Note => ("·", Ink::Dim),
        };
        let rows = wording::rows(&finding.rows);
        let at = if rows.is_empty() { rows } else { format!(" ({rows})") };
        page.item(symbol, ink, &format!("{}{at}: {}", finding.code.name(), finding.text));
    }
    more(page, findings.len(), LIST_MAX, "findings");
    page.entry("explain", "`nmax explain CODE` says what a code means");
}

/// Coefficients, peaks and limits.
fn law(page: &mut Lines, view: &FitView, of: &str) {
    let (analysis, unit) = (&view.analysis, view.x_unit());
    heading(page, "Law: X(N) = γN / (1 + α(N−1) + βN(N−1))", of);
    if let Some(fit) = &analysis.fit {
        let header = format!("{}{}{}reading", left("", 20), left("estimate", 14), left("95 % interval", 25));
        let header = page.paint(shorten(&header, page.width).trim_end(), Ink::Dim);
        page.line(header);
        let rows = [
            ("contention α", &fit.contention, wording::sign(analysis.contention_sign).to_owned()),
            ("coherency β", &fit.coherency, wording::sign(analysis.coherency_sign).to_owned()),
            ("throughput γ", &fit.unit_throughput, unit.to_owned()),
        ];
        for (name, of, reading) in rows {
            let room = page.width.saturating_sub(60);
            // A name that would be cut says less than none: what is counted stands beside the chart.
            let reading = if text::width(&reading) > room { "per second" } else { &reading };
            let reading = shorten(reading, room);
            let numbers = left(&wording::value(of), 14) + &left(&wording::interval(of), 25);
            page.line(format!("  {}{numbers} {reading}", left(name, 18)));
        }
        let method = format!("{}, {} points", wording::method(fit), number::count(fit.n as u64));
        page.entry_at(COLUMN, "fitted by", &method);
        let r_squared = format!("{} (shown, decides nothing)", wording::plain(fit.r_squared));
        page.entry_at(COLUMN, "R²", &r_squared);
    } else {
        page.item("✗", Ink::Bad, "no fit: the findings say why");
    }
    page.entry_at(COLUMN, "observed peak", &wording::observed(analysis, unit));
    peak(page, analysis, unit);
    if let Some(roof) = &analysis.roof {
        let roof = wording::with_unit(&wording::both(roof), unit);
        let text = format!("{roof}: γ/α, the most without coherency");
        page.entry_at(COLUMN, "roof", &text);
    }
    if let Some(optimum) = &analysis.optimum {
        let text = format!("N = {}: 1/α, where the straight line meets the roof", wording::both(optimum));
        page.entry_at(COLUMN, "optimum", &text);
    }
    if let Some(ceiling) = &analysis.ceiling {
        page.entry_at(COLUMN, "ceiling", &ceiling.text);
    }
    page.entry_at(COLUMN, "class", &wording::class_text(analysis));
}

fn peak(page: &mut Lines, analysis: &Analysis, unit: &str) {
    if let Some(peak) = &analysis.peak {
        page.entry_at(COLUMN, "peak of the law", &wording::peak(peak, unit));
        return;
    }
    if analysis.fit.is_none() {
        // What cannot be judged is no condition that failed.
        page.entry_at(COLUMN, "peak of the law", "refused, since there is no fit");
        return;
    }
    page.entry_at(COLUMN, "peak of the law", "refused");
    for reason in wording::refusals(analysis) {
        page.item("✗", Ink::Warning, &reason);
    }
}

fn models(page: &mut Lines, analysis: &Analysis, of: &str) {
    let Some(table) = tables::ladder(analysis) else { return };
    heading(page, "Models by AICc (a lead of more than 4 decides)", of);
    page.table(&table, 0, |_, _| ());
    if wording::winner(analysis.winner) == "not_distinguishable" {
        page.line("  not distinguishable: no model leads");
    }
}

fn points(page: &mut Lines, view: &FitView, of: &str) {
    if view.analysis.points.is_empty() {
        return;
    }
    let unit = shorten(view.x_unit(), 20);
    heading(page, &format!("Points (X in {unit}; zones by the Amdahl bound)"), of);
    let table =
        tables::points(&view.analysis, &unit).at_most(ROWS_MAX, "points in the CSV file, the JSON and the page");
    page.table(&table, 0, |_, _| ());
    page.line(page.paint("zones: A above the bound, B on it, C below it", Ink::Dim));
    if let Some(text) = wording::response_times(&view.analysis) {
        page.line(page.paint(&shorten(text, page.width), Ink::Dim));
    }
}

fn knobs(page: &mut Lines, view: &ScaleView) {
    if view.knobs.is_empty() {
        return;
    }
    page.heading("Settings, each at its best load");
    let table = tables::knobs(view).at_most(ROWS_MAX, "settings in the JSON and the page");
    page.table(&table, usize::MAX, |page, row| {
        let why = &view.knobs[row].why;
        if !why.is_empty() {
            page.item("!", Ink::Warning, why);
        }
    });
}

/// Levels as they were run; those that were not used say why.
fn levels(page: &mut Lines, view: &ScaleView) {
    if view.levels.is_empty() {
        return;
    }
    let used = view.levels.iter().filter(|level| level.used).count();
    page.heading(&format!("Levels in the order of their runs ({used} of {} fitted)", view.levels.len()));
    let table = tables::levels(view).at_most(ROWS_MAX, "levels in the JSON and the page");
    page.table(&table, usize::MAX, |page, row| match &view.levels[row] {
        Level { used: true, why, .. } if why.is_empty() => {}
        Level { used: true, why, .. } => page.item("·", Ink::Dim, why),
        Level { why, .. } if why.is_empty() => page.item("!", Ink::Warning, "not fitted: not used"),
        Level { why, .. } => page.item("!", Ink::Warning, &format!("not fitted: {why}")),
    });
}
