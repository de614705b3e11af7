//! Figures that cannot be: they are taken as absent, and said once.
//!
//! A page of metrics may tell a pool of −5 or of 10³⁰⁸ connections. Taken as it is, one such figure spoils each mean, sum and
//! suspect that it is in.

use std::collections::HashSet;

use nmax_sources::figures;

use crate::Reading;

/// Largest figure of a resource, in its unit. 10¹⁸ bytes are an exabyte; −1 as an unsigned number is larger.
const FIGURE_MAX: f64 = 1e18;
/// Largest value of a series that has only its own name: sums of its square are still numbers.
const SERIES_MAX: f64 = 1e100;
/// What rounding leaves of differences and sums; no figure of a resource is so small.
const ROUNDING: f64 = 1e-12;
/// Most figures of a source that are mentioned.
const SAID_MAX: usize = 20;
/// Larger numbers are shown by their power of ten.
const PLAIN_MAX: f64 = 1e12;

/// The figures of a source that were mentioned.
#[derive(Debug, Default)]
pub(crate) struct Odd {
    said: HashSet<(String, String)>,
}

impl Odd {
    /// Takes out what cannot be; a sentence on each figure of which that is new.
    pub(crate) fn sift(&mut self, readings: &mut Vec<Reading>) -> Vec<String> {
        let mut notes = Vec::new();
        readings.retain_mut(|reading| {
            let is_figure = !is_series(reading);
            if reading.value == 0.0 || is_figure && reading.value.abs() < ROUNDING {
                // Also −0.
                reading.value = 0.0;
            }
            let is_possible = is_possible(reading);
            if !is_possible && !is_unlimited(reading) {
                notes.extend(self.note(reading));
            }
            is_possible
        });
        notes
    }

    fn note(&mut self, reading: &Reading) -> Option<String> {
        let figure = (reading.source.clone(), reading.metric.clone());
        if self.said.len() >= SAID_MAX || !self.said.insert(figure) {
            return None;
        }
        let value = reading.value;
        let value = match value.abs() {
            size if size > PLAIN_MAX => format!("{value:e}"),
            _ => value.to_string(),
        };
        Some(format!(
            "{} of `{}` is {value}, which cannot be; such values are left out",
            nmax_text::shown(&reading.metric),
            nmax_text::shown(&reading.source)
        ))
    }
}

/// Whether it is a series of a page under its own name: nothing is known of its meaning.
fn is_series(reading: &Reading) -> bool {
    reading.source.split(' ').next() == Some("prometheus")
}

fn is_possible(reading: &Reading) -> bool {
    let (value, size) = (reading.value, reading.value.abs());
    match figures::named(&reading.metric) {
        // No number passes a comparison with what is none.
        _ if is_series(reading) => size <= SERIES_MAX,
        // The only figure that has a direction.
        Some(figures::CLOCK_OFFSET_S) => size <= FIGURE_MAX,
        _ => (0.0..=FIGURE_MAX).contains(&value),
    }
}

/// Whether it is absent rather than wrong: no number, or a limit that stands for none.
fn is_unlimited(reading: &Reading) -> bool {
    reading.value.is_nan() || reading.metric.contains("limit_")
}

#[cfg(test)]
mod tests;
