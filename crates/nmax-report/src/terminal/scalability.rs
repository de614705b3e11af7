//! Fits, campaigns, predictions, comparisons and assumptions as text. The answer first, then the law, then what it rests on.

use nmax_usl::{Analysis, Effect};

use super::text::{self, Ink, Painted, left, right, shorten};
use super::{LIST_MAX, Page, Style, more};
use crate::number::{self, UNKNOWN};
use crate::scalability::{FitView, Level, ScaleView, words};

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
    let mut page = Page::new(style);
    title(&mut page, &view.title, &view.subtitle);
    answer(&mut page, view, "", glyphs);
    law(&mut page, view, "");
    models(&mut page, &view.analysis, "");
    points(&mut page, view, "");
    glyphs.plain(&page.text)
}

/// A campaign. No line is wider than `style.width`.
pub fn scale(view: &ScaleView, style: Style, glyphs: Glyphs) -> Painted {
    let mut page = Page::new(style);
    title(&mut page, &view.fit.title, &view.fit.subtitle);
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
    if let Some(sentence) = words::all_settings(view) {
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

fn title(page: &mut Page, title: &str, subtitle: &str) {
    let line = page.paint(&shorten(title, page.width), Ink::Bold);
    page.line(line);
    for line in text::wrap(subtitle, page.width) {
        let line = page.paint(&line, Ink::Dim);
        page.line(line);
    }
}

/// A heading, cut to the width; `of` is the setting that it is about, or empty.
fn heading(page: &mut Page, text: &str, of: &str) {
    let text = shorten(&words::heading(text, of), page.width);
    page.heading(&text);
}

/// Curve, three sentences, findings.
fn answer(page: &mut Page, view: &FitView, of: &str, glyphs: Glyphs) {
    if of.is_empty() {
        page.line("");
    } else {
        heading(page, "Curve", of);
    }
    page.drawing(chart::of_fit(view, page.width, page.color, glyphs));
    heading(page, "Meaning", of);
    for sentence in words::meaning(&view.analysis, of) {
        page.item("»", Ink::Accent, &sentence);
    }
    findings(page, &view.analysis, of);
}

fn findings(page: &mut Page, analysis: &Analysis, of: &str) {
    if analysis.findings.is_empty() {
        return;
    }
    heading(page, "Findings", of);
    for finding in analysis.findings.iter().take(LIST_MAX) {
        let (symbol, ink) = match finding.effect {
            Effect::Block => ("✗", Ink::Bad),
            Effect::Warn => ("!", Ink::Warning),
            Effect::Note => ("·", Ink::Dim),
        };
        let rows = words::rows(&finding.rows);
        let at = if rows.is_empty() { rows } else { format!(" ({rows})") };
        page.item(symbol, ink, &format!("{}{at}: {}", finding.code.name(), finding.text));
    }
    more(page, analysis.findings.len(), LIST_MAX, "findings");
    page.entry("explain", "`nmax explain CODE` says what a code means");
}

/// Coefficients, peaks and limits.
fn law(page: &mut Page, view: &FitView, of: &str) {
    let (analysis, unit) = (&view.analysis, view.x_unit());
    heading(page, "Law: X(N) = γN / (1 + α(N−1) + βN(N−1))", of);
    if let Some(fit) = &analysis.fit {
        let header = format!("{}{}{}reading", left("", 20), left("estimate", 14), left("95 % interval", 25));
        let header = page.paint(shorten(&header, page.width).trim_end(), Ink::Dim);
        page.line(header);
        let rows = [
            ("contention α", &fit.contention, words::sign(analysis.contention_sign).to_owned()),
            ("coherency β", &fit.coherency, words::sign(analysis.coherency_sign).to_owned()),
            ("throughput γ", &fit.unit_throughput, unit.to_owned()),
        ];
        for (name, of, reading) in rows {
            let room = page.width.saturating_sub(60);
            // A name that would be cut says less than none: what is counted stands beside the chart.
            let reading = if text::width(&reading) > room { "per second" } else { &reading };
            let reading = shorten(reading, room);
            let numbers = left(&words::value(of), 14) + &left(&words::interval(of), 25);
            page.line(format!("  {}{numbers} {reading}", left(name, 18)));
        }
        let method = format!("{}, {} points", words::method(fit), number::count(fit.n as u64));
        page.entry_at(COLUMN, "fitted by", &method);
        let r_squared = format!("{} (shown, decides nothing)", words::plain(fit.r_squared));
        page.entry_at(COLUMN, "R²", &r_squared);
    } else {
        page.item("✗", Ink::Bad, "no fit: the findings say why");
    }
    page.entry_at(COLUMN, "observed peak", &words::observed(analysis, unit));
    peak(page, analysis, unit);
    if let Some(roof) = &analysis.roof {
        let roof = words::with_unit(&words::both(roof), unit);
        let text = format!("{roof}: γ/α, the most without coherency");
        page.entry_at(COLUMN, "roof", &text);
    }
    if let Some(optimum) = &analysis.optimum {
        let text = format!("N = {}: 1/α, where the straight line meets the roof", words::both(optimum));
        page.entry_at(COLUMN, "optimum", &text);
    }
    if let Some(ceiling) = &analysis.ceiling {
        page.entry_at(COLUMN, "ceiling", &ceiling.text);
    }
    page.entry_at(COLUMN, "class", &words::class_text(analysis));
}

fn peak(page: &mut Page, analysis: &Analysis, unit: &str) {
    if let Some(peak) = &analysis.peak {
        page.entry_at(COLUMN, "peak of the law", &words::peak(peak, unit));
        return;
    }
    if analysis.fit.is_none() {
        // What cannot be judged is no condition that failed.
        page.entry_at(COLUMN, "peak of the law", "refused, since there is no fit");
        return;
    }
    page.entry_at(COLUMN, "peak of the law", "refused");
    for reason in words::refusals(analysis) {
        page.item("✗", Ink::Warning, &reason);
    }
}

fn models(page: &mut Page, analysis: &Analysis, of: &str) {
    if analysis.ladder.iter().all(|rung| !rung.aicc.is_finite()) {
        return;
    }
    heading(page, "Models by AICc (a lead of more than 4 decides)", of);
    let header = format!("  {}{}{}{}", left("model", 10), right("k", 3), right("AICc", 10), right("behind", 10));
    let header = page.paint(&header, Ink::Dim);
    page.line(header);
    for rung in &analysis.ladder {
        let figure = |value: f64| {
            if value.is_finite() { words::fixed(value, 1) } else { UNKNOWN.to_owned() }
        };
        let line = format!(
            "  {}{}{}{}",
            left(rung.model.name(), 10),
            right(&rung.k.to_string(), 3),
            right(&figure(rung.aicc), 10),
            right(&figure(rung.delta), 10)
        );
        let mark = if words::winner(analysis.winner) == rung.model.name() { "  leads" } else { "" };
        page.line(&(line + mark));
    }
    if words::winner(analysis.winner) == "not_distinguishable" {
        page.line("  not distinguishable: no model leads");
    }
}

/// Title, width and cell of a column.
type Column<R> = (&'static str, usize, fn(&R) -> String);

const POINTS: [Column<nmax_usl::Point>; 7] = [
    ("N", 8, |point| words::plain(point.n)),
    ("X", 10, |point| words::plain(point.x)),
    ("R", 9, |point| milliseconds(point.r_s.map(|s| s * 1e3))),
    ("eff.", 8, |point| number::share_or_unknown(point.efficiency.or(point.efficiency_of_law))),
    ("law", 10, |point| words::plain_or_unknown(point.fitted)),
    ("off by", 9, |point| words::distance(point.x, point.fitted)),
    ("zone", 6, |point| point.zone.map_or(UNKNOWN, words::zone).to_owned()),
];

const LEVELS: [Column<Level>; 6] = [
    ("#", 4, |level| level.number.to_string()),
    ("level", 9, |level| words::plain(level.level)),
    ("N", 9, |level| words::plain_or_unknown(level.n)),
    ("X", 11, |level| words::plain_or_unknown(level.x)),
    ("R", 9, |level| milliseconds(level.r_ms)),
    ("verdict", 9, |level| level.verdict.clone()),
];

fn milliseconds(ms: Option<f64>) -> String {
    ms.map_or_else(|| UNKNOWN.to_owned(), |ms| number::time(ms * 1e6))
}

fn points(page: &mut Page, view: &FitView, of: &str) {
    let points = &view.analysis.points;
    if points.is_empty() {
        return;
    }
    let unit = shorten(view.x_unit(), 20);
    heading(page, &format!("Points (X in {unit}; zones by the Amdahl bound)"), of);
    header(page, &POINTS);
    for point in points.iter().take(ROWS_MAX) {
        row(page, point, &POINTS);
    }
    more(page, points.len(), ROWS_MAX, "points in the CSV file, the JSON and the page");
    page.line(page.paint("zones: A above the bound, B on it, C below it", Ink::Dim));
    if let Some(text) = words::response_times(&view.analysis) {
        page.line(page.paint(&shorten(text, page.width), Ink::Dim));
    }
}

fn header<R>(page: &mut Page, columns: &[Column<R>]) {
    let titles: String = columns.iter().map(|(title, width, _)| right(title, *width)).collect();
    let titles = page.paint(&titles, Ink::Dim);
    page.line(titles);
}

fn row<R>(page: &mut Page, of: &R, columns: &[Column<R>]) {
    let cells = columns.iter().map(|(_, width, cell)| right(&shorten(&cell(of), *width - 1), *width));
    page.line(cells.collect::<String>());
}

fn knobs(page: &mut Page, view: &ScaleView) {
    if view.knobs.is_empty() {
        return;
    }
    let priced = view.knobs.iter().any(|knob| knob.price_per_million.is_some());
    page.heading("Settings, each at its best load");
    let numbers = if priced { 51 } else { 39 };
    let name = page.width - numbers;
    let mut titles = left("", name) + &right("load", 9) + &right("X", 12) + &right("runs", 6) + &right("R", 12);
    if priced {
        titles += &right("cost/10⁶", 12);
    }
    let titles = page.paint(&titles, Ink::Dim);
    page.line(titles);
    for knob in view.knobs.iter().take(ROWS_MAX) {
        let mut line = left(&shorten(&words::setting(&knob.values), name), name)
            + &right(&words::plain_or_unknown(knob.load), 9)
            + &right(&words::plain_or_unknown(knob.x), 12)
            + &right(&knob.runs.to_string(), 6)
            + &right(&milliseconds(knob.r_ms), 12);
        if priced {
            line += &right(&words::plain_or_unknown(knob.price_per_million), 12);
        }
        page.line(&line);
        if !knob.why.is_empty() {
            page.item("!", Ink::Warning, &knob.why);
        }
    }
    more(page, view.knobs.len(), ROWS_MAX, "settings in the JSON and the page");
}

/// Levels as they were run; those that were not used say why.
fn levels(page: &mut Page, view: &ScaleView) {
    if view.levels.is_empty() {
        return;
    }
    let used = view.levels.iter().filter(|level| level.used).count();
    let all = view.levels.len();
    page.heading(&format!("Levels in the order of their runs ({used} of {all} fitted)"));
    header(page, &LEVELS);
    for level in view.levels.iter().take(ROWS_MAX) {
        let cells = LEVELS.iter().map(|(_, width, cell)| right(&shorten(&cell(level), *width - 1), *width));
        let cells = cells.collect::<String>();
        let word = if level.setting.is_empty() { &level.purpose } else { &level.setting };
        let room = page.width.saturating_sub(text::width(&cells) + 2);
        page.line(format!("{cells}  {}", shorten(word, room)));
        if !level.used {
            let why = if level.why.is_empty() { "not used" } else { &level.why };
            page.item("!", Ink::Warning, &format!("not fitted: {why}"));
        } else if !level.why.is_empty() {
            page.item("·", Ink::Dim, &level.why);
        }
    }
    more(page, all, ROWS_MAX, "levels in the JSON and the page");
}
