//! Small charts of counts: blocks of eight heights.

use super::Glyphs;

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
