//! Versions side by side, and assumptions beside what is known.

use super::chart::{self, Glyphs};
use super::{ROWS_MAX, title};
use crate::scalability::{CompareView, Overlay, PER_S, Version, WhatIfView, wording};
use crate::terminal::text::{Ink, Painted, left, right, shorten, width};
use crate::terminal::{LIST_MAX, Lines, Style, more};

/// Versions side by side. No line is wider than `style.width`.
pub fn compare(view: &CompareView, style: Style, glyphs: Glyphs) -> Painted {
    let mut page = Lines::new(style);
    title(&mut page, &view.title, "");
    if let Some(overlay) = Overlay::of_versions(&view.versions) {
        page.line("");
        let labels = (view.n_label(), PER_S);
        page.drawing(chart::of_overlay(&overlay, labels, page.width, page.color, glyphs));
    }
    if !view.differences.is_empty() {
        page.heading("What changed");
        for difference in &view.differences {
            page.item("»", Ink::Accent, &difference.text);
        }
    }
    coefficients(&mut page, &view.versions, PER_S);
    for version in &view.versions {
        let findings = version.analysis.findings.iter().take(LIST_MAX);
        for (index, finding) in findings.enumerate() {
            if index == 0 {
                page.heading(&format!("Findings in {}", shorten(&version.name, 40)));
            }
            page.item("!", Ink::Warning, &format!("{}: {}", finding.code.name(), finding.text));
        }
    }
    glyphs.plain(&page.text)
}

/// A table per coefficient, a row per version.
pub(super) fn coefficients(page: &mut Lines, versions: &[Version], unit: &str) {
    if versions.is_empty() {
        return;
    }
    let name = versions.iter().map(|version| width(&version.name)).max().unwrap_or(0).clamp(8, 24);
    for (index, coefficient) in wording::COEFFICIENTS.iter().enumerate() {
        let unit = if coefficient.per_s { format!(", {unit}") } else { String::new() };
        let heading = shorten(&format!("{}{unit}", coefficient.name), page.width);
        page.heading(&heading);
        for version in versions.iter().take(ROWS_MAX) {
            let (value, interval) = coefficient.told(&version.analysis);
            let line = format!("  {}  {}  {interval}", left(&shorten(&version.name, name), name), left(&value, 12));
            page.line(shorten(&line, page.width));
        }
        if index == 0 {
            more(page, versions.len(), ROWS_MAX, "versions in the JSON");
        }
    }
}

/// Assumptions beside what is known. No line is wider than `style.width`.
pub fn what_if(view: &WhatIfView, style: Style, glyphs: Glyphs) -> Painted {
    let mut page = Lines::new(style);
    title(&mut page, &view.title, "What if: curves marked `assumed` use coefficients that were not measured.");
    let overlay = Overlay::of_assumptions(view);
    page.line("");
    page.drawing(chart::of_overlay(&overlay, (view.n_label(), PER_S), page.width, page.color, glyphs));
    page.heading("Coefficients");
    for (name, law) in view.laws() {
        let text = format!(
            "α {}  β {}  γ {} {}",
            wording::plain(law.contention),
            wording::plain(law.coherency),
            wording::plain(law.unit_throughput),
            PER_S
        );
        page.entry_at(27, &format!("  {}", shorten(&name, 24)), &text);
    }
    page.heading(&format!("Throughput, {}", PER_S));
    let names: Vec<String> = view.laws().into_iter().map(|(name, _)| name).collect();
    let curves = view.curves();
    let last = curves.len().saturating_sub(1);
    let every = curves.iter().enumerate().filter(|(index, _)| index % 5 == 0 || *index == last);
    let rows = every.map(|(_, (n, x))| (wording::plain(*n), x.clone()));
    table(&mut page, "N", &names, rows);
    if !view.weeks.is_empty() {
        page.heading("Growth: throughput at the load of each week");
        let all: Vec<_> = view.weeks.iter().collect();
        let step = all.len().div_ceil(ROWS_MAX).max(1);
        let rows = all.into_iter().step_by(step);
        let rows = rows.map(|week| (week.load(), week.x.clone()));
        table(&mut page, "load N", &names, rows);
    }
    if !view.notes.is_empty() {
        page.heading("To be kept in mind");
        for note in &view.notes {
            page.item("·", Ink::Dim, note);
        }
    }
    glyphs.plain(&page.text)
}

/// A column for the load, then one per law as far as there is room.
fn table(page: &mut Lines, first: &str, names: &[String], rows: impl Iterator<Item = (String, Vec<Option<f64>>)>) {
    const FIRST: usize = 18;
    const EACH: usize = 14;
    const ASSUMED: &str = " (assumed)";
    let shown = names.len().min((page.width - FIRST) / EACH);
    let cell = |text: &str| right(&shorten(text, EACH - 1), EACH);
    let names_only = names.iter().take(shown).map(|name| cell(name.strip_suffix(ASSUMED).unwrap_or(name)));
    let titles = right(first, FIRST) + &names_only.collect::<String>();
    let kinds = names.iter().take(shown).map(|name| cell(if name.ends_with(ASSUMED) { "assumed" } else { "" }));
    let kinds = right("", FIRST) + &kinds.collect::<String>();
    for line in [titles, kinds].into_iter().filter(|line| !line.trim().is_empty()) {
        let line = page.paint(&line, Ink::Dim);
        page.line(line);
    }
    for (name, values) in rows {
        let cells = values.iter().take(shown).map(|x| cell(&wording::plain_or_unknown(*x)));
        let line = right(&shorten(&name, FIRST - 1), FIRST) + &cells.collect::<String>();
        page.line(&line);
    }
    more(page, names.len(), shown, "laws in the JSON");
}
