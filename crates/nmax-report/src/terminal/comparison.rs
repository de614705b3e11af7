//! Before and after as a table, and a figure over many runs as a line.

use nmax_analysis::compare::{Conclusion, Metric, Origin, Row};

use super::text::{Ink, Painted, left, right, shorten};
use super::{Glyphs, Lines, Style};
use crate::comparison::{ComparisonView, HistoryView, origin, row_change, row_interval, runs, symbol, value};
use crate::number::count;

/// Widths of the columns: metric, figures, change, interval, what is said.
const METRIC: usize = 18;
const VALUE: usize = 8;
const CHANGE: usize = 9;
const INTERVAL: usize = 16;
const SAID: usize = 12;
/// Least width for one line per row: the columns, the symbol and the gaps.
const ONE_LINE: usize = 4 + METRIC + 2 * VALUE + CHANGE + INTERVAL + SAID + 5;
/// What is shown of the first request where no row decides.
const IN_SHORT: [Metric; 4] = [Metric::ResponseP95, Metric::ServiceP95, Metric::Throughput, Metric::FailureRate];
/// Runs of a side that are listed.
const ORIGINS_MAX: usize = 12;

/// The comparison: the rows that decide, and how many others there are; `style.wide` shows all. No line is wider than `style.width`.
pub fn comparison(view: &ComparisonView, style: Style) -> Painted {
    let mut page = Lines::new(style);
    let said = view.answer.conclusion();
    let weak = if view.answer.is_weak() { ", weak" } else { "" };
    let word = format!("{} {}{weak}", symbol(said), view.word().to_uppercase());
    let line = page.paint(&word, ink(said));
    page.line(line);
    page.entry("rows", &view.headline());
    side(&mut page, "before", &view.before);
    side(&mut page, "after", &view.after);
    for caveat in &view.caveats {
        page.item("!", Ink::Warning, &caveat.text);
    }
    let decides = |row: &&Row| !matches!(row.said, Conclusion::Equivalent | Conclusion::Inconclusive);
    let is_decided = view.answer.rows.iter().any(|row| decides(&row));
    let mut hidden = 0;
    for (place, rows) in view.groups().enumerate() {
        let is_shown = |row: &&Row| match (style.wide, is_decided) {
            (true, _) => true,
            (false, true) => decides(row),
            (false, false) => place == 0 && IN_SHORT.contains(&row.metric),
        };
        let shown: Vec<&Row> = rows.iter().filter(is_shown).collect();
        hidden += rows.len() - shown.len();
        if !shown.is_empty() {
            let name = shorten(&rows[0].request, page.width);
            page.heading(&name);
            shown.into_iter().for_each(|one| row(&mut page, one));
        }
    }
    page.line("");
    if hidden > 0 {
        let kinds = if is_decided { "equivalent or inconclusive " } else { "" };
        page.item("–", Ink::Dim, &format!("{} more {kinds}rows: `--wide` shows them", count(hidden as u64)));
    }
    for text in view.missing().iter().chain(&view.method()) {
        page.item("–", Ink::Dim, text);
    }
    page.text
}

fn side(page: &mut Lines, word: &str, origins: &[Origin]) {
    for (place, one) in origins.iter().take(ORIGINS_MAX).enumerate() {
        page.entry(if place == 0 { word } else { "" }, &origin(one));
    }
    if origins.len() > ORIGINS_MAX {
        page.entry("", &format!("and {} more", origins.len() - ORIGINS_MAX));
    }
}

fn row(page: &mut Lines, row: &Row) {
    let lead = Painted::from("  ") + page.paint(symbol(row.said), ink(row.said));
    let said = page.paint(row.said.name(), ink(row.said));
    let (before, after) = (value(row.metric, row.before), value(row.metric, row.after));
    let name = left(row.metric.name(), METRIC);
    if page.width >= ONE_LINE {
        let figures = [
            right(&before, VALUE),
            right(&after, VALUE),
            right(&row_change(row), CHANGE),
            right(&row_interval(row), INTERVAL),
        ];
        page.line(lead + format!(" {name} {} ", figures.join(" ")) + said);
    } else {
        page.line(lead + format!(" {name} {}  ", right(&row_change(row), CHANGE)) + said);
        page.entry_at(4, "", &format!("{before} → {after}, {}", row_interval(row)));
    }
}

const fn ink(said: Conclusion) -> Ink {
    match said {
        Conclusion::Worse => Ink::Bad,
        Conclusion::Better => Ink::Good,
        Conclusion::Changed => Ink::Accent,
        Conclusion::Equivalent => Ink::Plain,
        Conclusion::Inconclusive => Ink::Dim,
    }
}

/// The history. No line is wider than `style.width`.
pub fn history(view: &HistoryView, style: Style, glyphs: Glyphs) -> Painted {
    let mut page = Lines::new(style);
    let said = view.said();
    let first = page.paint(&format!("{} {}", symbol(said), view.headline()), ink(said));
    page.line(first);
    page.entry("runs", &view.title);
    page.entry("figure", &format!("{} of {}", view.metric.name(), view.request));
    page.line("");
    sparkline(&mut page, view, glyphs);
    page.line("");
    for (from, to, middle) in &view.history.levels {
        let count = runs(to - from);
        let (first, last) = (&view.runs[*from], &view.runs[*to - 1]);
        page.item(
            "–",
            Ink::Dim,
            &format!("{}: median of {count}, {} to {}", value(view.metric, *middle), first.id, last.id),
        );
    }
    for step in &view.history.steps {
        page.item(symbol(step.said), ink(step.said), &view.step(step));
    }
    for note in &view.notes {
        page.item("!", Ink::Warning, note);
    }
    page.text
}

/// The newest runs as a line of bars from the least to the largest figure, with a mark below each change.
fn sparkline(page: &mut Lines, view: &HistoryView, glyphs: Glyphs) {
    let bars = match glyphs {
        Glyphs::Unicode => glyphs.heights(),
        // The least figure is a bar too, and it stands on the line.
        Glyphs::Ascii => ['_', '.', '-', '=', '+', '*', '#', '@'],
    };
    let room = page.width - 4;
    let first = view.runs.len().saturating_sub(room);
    let values = || view.runs.iter().map(|run| run.value);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    if !(low.is_finite() && high.is_finite()) {
        return;
    }
    let bar = |figure: f64| {
        let share = if high > low { (figure - low) / (high - low) } else { 0.0 };
        bars[((share * bars.len() as f64) as usize).min(bars.len() - 1)]
    };
    let line: String = values().skip(first).map(bar).collect();
    page.line(format!("  {line}"));
    let marks: String = (first..view.runs.len())
        .map(|place| if view.history.steps.iter().any(|step| step.at == place) { '^' } else { ' ' })
        .collect();
    if marks.contains('^') {
        page.line(format!("  {marks}"));
    }
    let scale = format!("from {} to {}", value(view.metric, low), value(view.metric, high));
    let scale = shorten(&scale, room);
    page.line(Painted::from("  ") + page.paint(&scale, Ink::Dim));
}
