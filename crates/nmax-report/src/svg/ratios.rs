//! Changes of one request as points with their intervals, and a figure over runs.

use nmax_analysis::compare::{Conclusion, Row, Scale};

use super::drawing::Drawing;
use crate::comparison::{HistoryView, day, value};

/// Width of the names beside the picture, and of a label below it.
const NAMES: f64 = 132.0;
const LABEL: f64 = 44.0;
const ROW: f64 = 26.0;
const BELOW: f64 = 26.0;
/// Ratios shown at most to both sides.
const RATIO_MAX: f64 = 1_000.0;
/// Height of the history.
const HEIGHT: f64 = 260.0;
/// Room for its labels.
const LABELS: f64 = 74.0;

/// Ratios of these rows on a logarithmic axis, with the margin shaded, `width` units wide; `None` when none of them has a
/// ratio.
pub(crate) fn ratios(rows: &[Row], margin: f64, width: f64) -> Option<Drawing> {
    let shown: Vec<(&Row, f64, f64, f64)> = rows
        .iter()
        .filter(|row| row.metric.scale() == Scale::Ratio)
        .filter_map(|row| {
            let change = row.change?;
            let (low, high) = row.interval.unwrap_or((change, change));
            let near = |ratio: f64| ratio.clamp(1.0 / RATIO_MAX, RATIO_MAX).ln();
            Some((row, near(change), near(low), near(high)))
        })
        .collect();
    if shown.is_empty() {
        return None;
    }
    let least = 2.0 * margin.ln_1p().max(0.02);
    let reach = shown.iter().flat_map(|(_, _, low, high)| [low.abs(), high.abs()]).fold(least, f64::max) * 1.05;
    let x = |log: f64| NAMES + (width - NAMES - 10.0) * (log + reach) / (2.0 * reach);
    let bottom = ROW * shown.len() as f64 + 8.0;
    let mut drawing = Drawing::known_by((width, bottom + BELOW), "Ratios, after against before, with 95 % intervals");
    let band = margin.ln_1p();
    drawing.rect("out", (x(-band), 0.0), (x(band) - x(-band), bottom));
    let mut free = NAMES - LABEL;
    for tick in ticks(reach) {
        let at = x(tick.ln());
        drawing.path("grid", format_args!("M{at:.1} 0V{bottom:.1}"));
        if at + LABEL / 2.0 <= width && at - LABEL / 2.0 >= free {
            free = at + LABEL / 2.0;
            drawing.word("x", (at, bottom + 17.0), &format!("×{tick}"));
        }
    }
    drawing.path("axis", format_args!("M{:.1} 0V{bottom:.1}", x(0.0)));
    for (place, (row, change, low, high)) in shown.iter().enumerate() {
        let y = ROW * (place as f64 + 0.5) + 4.0;
        let class = class(row.said);
        drawing.word("", (0.0, y + 4.0), row.metric.name());
        drawing.group(class, row.said.name(), |drawing| {
            drawing.path(format_args!("line {class}"), format_args!("M{:.1} {y:.1}H{:.1}", x(*low), x(*high)));
            drawing.circle("", (x(*change), y), 4.0, "");
        });
    }
    Some(drawing)
}

/// Ratios to label on an axis that reaches so far, on the logarithmic scale.
fn ticks(reach: f64) -> Vec<f64> {
    let steps: &[f64] = match reach {
        _ if reach < 0.12 => &[1.02, 1.05, 1.1],
        _ if reach < 0.5 => &[1.1, 1.2, 1.5],
        _ if reach < 1.2 => &[1.5, 2.0, 3.0],
        _ if reach < 3.0 => &[2.0, 5.0, 10.0],
        _ => &[10.0, 100.0, 1_000.0],
    };
    let below = steps.iter().rev().map(|step| (1_000.0 / step).round() / 1_000.0);
    let all = below.chain([1.0]).chain(steps.iter().copied());
    all.filter(|tick| tick.ln().abs() <= reach).collect()
}

const fn class(said: Conclusion) -> &'static str {
    match said {
        Conclusion::Worse => "c2",
        Conclusion::Better => "c3",
        Conclusion::Changed => "c4",
        Conclusion::Equivalent => "c1",
        Conclusion::Inconclusive => "c5",
    }
}

/// The figure of every run in order, the level between changes, and the changes, `width` units wide.
pub(crate) fn history(view: &HistoryView, width: f64) -> Drawing {
    let count = view.runs.len().max(2) as f64;
    let values = || view.runs.iter().map(|run| run.value);
    let high = values().fold(0.0, f64::max) * 1.05;
    let high = if high > 0.0 { high } else { 1.0 };
    let x = |place: f64| LABELS + (width - LABELS - 14.0) * place / (count - 1.0);
    let y = |figure: f64| 12.0 + (HEIGHT - 40.0) * (1.0 - figure / high);
    let about = format!("{} of {} over {} runs", view.metric.name(), view.request, view.runs.len());
    let mut drawing = Drawing::known_by((width, HEIGHT), &about);
    for share in [0.0, 0.5, 1.0] {
        let figure = share * high;
        drawing.path("grid", format_args!("M{LABELS} {:.1}H{width}", y(figure)));
        drawing.word("y", (LABELS - 7.0, y(figure) + 4.0), &value(view.metric, figure));
    }
    for (from, to, level) in &view.history.levels {
        let place = |place: f64| x(place.clamp(0.0, count - 1.0));
        let (start, end) = (place(*from as f64 - 0.3), place(*to as f64 - 0.7));
        drawing.path("line c5", format_args!("M{start:.1} {:.1}H{end:.1}", y(*level)));
    }
    for step in &view.history.steps {
        let at = x(step.at as f64 - 0.5);
        drawing.group("", &view.step(step), |drawing| {
            let line = format_args!("M{at:.1} 12V{:.1}", HEIGHT - 28.0).to_string();
            drawing.path(format_args!("line dash {}", class(step.said)), line);
        });
    }
    for (place, run) in view.runs.iter().enumerate() {
        let title = format!("{}: {}", run.id, value(view.metric, run.value));
        drawing.circle("c1", (x(place as f64), y(run.value)), 3.0, &title);
    }
    if let (Some(first), Some(last)) = (view.runs.first(), view.runs.last()) {
        drawing.word("", (LABELS, HEIGHT - 8.0), &day(&first.started_at));
        drawing.word("y", (width, HEIGHT - 8.0), &day(&last.started_at));
    }
    drawing
}
