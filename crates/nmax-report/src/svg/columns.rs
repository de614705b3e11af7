//! A histogram: upright bars on a logarithmic axis, which share their edges.

use super::drawing::Drawing;
use super::{BOTTOM, LEFT, RIGHT, Scale, TOP, trimmed};
use crate::number;

/// Height of the picture, and least distance of two labels below it.
const HEIGHT: f64 = 200.0;
const APART: f64 = 46.0;

/// Counts between edges, ascending.
#[derive(Clone, Debug)]
pub struct Columns<'a> {
    /// Unique in the page.
    pub id: &'a str,
    /// What they show.
    pub title: &'a str,
    /// What there is to see, for people who cannot.
    pub description: String,
    /// Text of an edge.
    pub label: fn(f64) -> String,
    /// From left to right, each next to the one before.
    pub columns: Vec<Column>,
}

/// A bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// Its left edge.
    pub from: f64,
    /// Its right edge.
    pub to: f64,
    /// Its height.
    pub count: u64,
}

impl Columns<'_> {
    /// The picture, `width` units wide.
    pub fn render(&self, width: f64) -> Drawing {
        let (right, bottom) = (width - RIGHT, HEIGHT - BOTTOM);
        let mut drawing = Drawing::begin((self.id, ""), (width, HEIGHT), (self.title, &self.description));
        let high = Scale::linear(self.columns.iter().map(|column| column.count as f64));
        for value in high.ticks() {
            let y = bottom - high.place(value) * (bottom - TOP);
            drawing.path("grid", format_args!("M{LEFT} {y:.1}H{right:.1}"));
            drawing.word("y", (LEFT - 7.0, y + 3.5), &number::short_count(value as u64));
        }
        let step = (right - LEFT) / self.columns.len().max(1) as f64;
        let mut free = LEFT;
        for (place, column) in self.columns.iter().enumerate() {
            let x = LEFT + place as f64 * step;
            let height = high.place(column.count as f64) * (bottom - TOP);
            if column.count > 0 {
                // What is there is seen, however little it is.
                let height = height.max(1.0);
                drawing.rect("bar c1", (x, bottom - height), (step, height));
            }
            let round = round(column.from);
            if x >= free && (round / column.from - 1.0).abs() < 0.01 {
                free = x + APART;
                drawing.path("tick", format_args!("M{x:.1} {bottom:.1}v4"));
                drawing.word("x", (x, bottom + 16.0), &trimmed(&(self.label)(round)));
            }
        }
        drawing.path("axis", format_args!("M{LEFT} {bottom:.1}H{right:.1}"));
        drawing
    }
}

/// The nearest of 1, 2 and 5 times a power of ten: edges of logarithmic bars are near to them.
fn round(edge: f64) -> f64 {
    let power = 10_f64.powf(edge.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0].into_iter().min_by(|a, b| {
        let far = |digit: &f64| (edge / power / digit).ln().abs();
        far(a).total_cmp(&far(b))
    });
    digit.unwrap_or(1.0) * power
}
