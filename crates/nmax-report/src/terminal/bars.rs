//! Small charts of counts: blocks of eight heights.

use super::Glyphs;
use super::text::{Painted, left, shorten, width};

/// Widest name before bars.
const NAME_MAX: usize = 16;

/// A bar for each value, the largest as high as a line; unknown ones are empty.
pub(crate) fn bars(values: &[Option<f64>], glyphs: Glyphs) -> String {
    let most = values.iter().flatten().fold(0.0, |most: f64, value| most.max(*value));
    let heights = glyphs.heights();
    let bar = |value: &Option<f64>| match value {
        Some(value) if most > 0.0 && *value > 0.0 => {
            let height = (value / most * heights.len() as f64).ceil() as usize;
            heights[height.clamp(1, heights.len()) - 1]
        }
        _ => ' ',
    };
    values.iter().map(bar).collect()
}

/// The newest figures as bars from the least to the largest, with a mark below each that begins something new, and what
/// the bars are from and to.
pub(super) fn course(values: &[(f64, bool)], axis: &str, columns: usize, glyphs: Glyphs) -> Vec<Painted> {
    let bars = match glyphs {
        Glyphs::Unicode => glyphs.heights(),
        // The least figure is a bar too, and it stands on the line.
        Glyphs::Ascii => ['_', '.', '-', '=', '+', '*', '#', '@'],
    };
    let room = columns.saturating_sub(4);
    let newest = &values[values.len().saturating_sub(room)..];
    let all = values.iter().map(|(value, _)| *value);
    let (low, high) = (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max));
    if !(low.is_finite() && high.is_finite()) {
        return Vec::new();
    }
    let bar = |figure: f64| {
        let share = if high > low { (figure - low) / (high - low) } else { 0.0 };
        bars[((share * bars.len() as f64) as usize).min(bars.len() - 1)]
    };
    let line: String = newest.iter().map(|(value, _)| bar(*value)).collect();
    let marks: String = newest.iter().map(|(_, is_new)| if *is_new { '^' } else { ' ' }).collect();
    let marks = Some(marks).filter(|marks| marks.contains('^'));
    let lines = [Some(line), marks, Some(shorten(axis, room))].into_iter().flatten();
    lines.map(|line| Painted::from(format!("  {line}"))).collect()
}

/// A line of bars for each row, between its name and its text; longer ones are joined.
pub(super) fn rows(rows: &[(String, Vec<Option<f64>>, String)], columns: usize, glyphs: Glyphs) -> Vec<Painted> {
    let widest = rows.iter().map(|(name, ..)| width(name)).max().unwrap_or(0).min(NAME_MAX);
    let behind = rows.iter().map(|(.., text)| width(text)).max().unwrap_or(0).min(columns / 2);
    let room = columns.saturating_sub(widest + behind + 6);
    let row = |(name, values, text): &(String, Vec<Option<f64>>, String)| {
        let (name, bars) = (left(&shorten(name, widest), widest), bars(&thinned(values, room), glyphs));
        let gap = if name.is_empty() { "" } else { " " };
        Painted::from(format!("  {name}{gap}{bars}  {}", shorten(text, behind)))
    };
    rows.iter().map(row).collect()
}

/// Values joined into at most `most` means, in order.
pub(crate) fn thinned(values: &[Option<f64>], most: usize) -> Vec<Option<f64>> {
    let width = values.len().div_ceil(most.max(1)).max(1);
    let mean = |part: &[Option<f64>]| {
        let known: Vec<f64> = part.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    values.chunks(width).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_the_height_of_their_values() {
        assert_eq!(bars(&[Some(8.0), Some(4.0), Some(0.1), Some(0.0), None], Glyphs::Unicode), "█▄▁  ");
        assert_eq!(bars(&[Some(1.0)], Glyphs::Ascii), "#");
        assert_eq!(bars(&[None, Some(0.0)], Glyphs::Unicode), "  ");
    }

    #[test]
    fn thinning_keeps_the_order_and_the_mean() {
        let values: Vec<Option<f64>> = (0..10).map(|value| Some(f64::from(value))).collect();
        assert_eq!(thinned(&values, 5), [0.5, 2.5, 4.5, 6.5, 8.5].map(Some));
        assert_eq!(thinned(&values, 100), values);
        assert_eq!(thinned(&[None, None, Some(1.0)], 2), [None, Some(1.0)]);
    }
}
