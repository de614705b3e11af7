//! Horizontal bars, each of segments end to end: what a whole is made of.

use super::drawing::Drawing;
use super::{Scale, trimmed};
use crate::markup::clip;

/// Height of a bar and of what is between two, in the units of the picture.
const BAR: f64 = 18.0;
const GAP: f64 = 8.0;
/// Space for the axis below, and for the number behind a bar.
const BOTTOM: f64 = 24.0;
const NUMBER: f64 = 66.0;
/// Width of a character of a label, about.
const CHARACTER: f64 = 8.0;

/// Bars on one linear scale.
#[derive(Clone, Debug)]
pub struct Bars<'a> {
    /// Unique in the page.
    pub id: &'a str,
    /// What they show.
    pub title: &'a str,
    /// What there is to see, for people who cannot.
    pub description: &'a str,
    /// Text of a value.
    pub label: fn(f64) -> String,
    /// From top to bottom.
    pub rows: Vec<Bar>,
}

/// A bar: its name, and its segments from the left, each with the CSS class that gives its color.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What it is of.
    pub name: String,
    /// Class and size of each segment.
    pub segments: Vec<(&'static str, f64)>,
}

impl Bar {
    fn total(&self) -> f64 {
        self.segments.iter().map(|(_, size)| size).sum()
    }
}

impl Bars<'_> {
    /// The picture, `width` units wide.
    pub fn render(&self, width: f64) -> Drawing {
        let left = (0.22 * width).clamp(96.0, 240.0);
        let right = width - NUMBER;
        let bottom = GAP + self.rows.len() as f64 * (BAR + GAP);
        let scale = Scale::linear(self.rows.iter().map(Bar::total));
        let x = |value: f64| left + scale.place(value) * (right - left);
        let size = (width, bottom + BOTTOM);
        let mut drawing = Drawing::begin((self.id, ""), size, (self.title, self.description));
        let every = if width < 600.0 { 2 } else { 1 };
        for value in scale.ticks().into_iter().step_by(every) {
            let x = x(value);
            drawing.path("grid", format_args!("M{x:.1} {GAP}V{bottom:.1}"));
            drawing.word("x", (x, bottom + 15.0), &trimmed(&(self.label)(value)));
        }
        for (index, row) in self.rows.iter().enumerate() {
            let top = GAP + index as f64 * (BAR + GAP);
            let baseline = top + BAR / 2.0 + 4.0;
            let name = clip(&row.name, ((left - 8.0) / CHARACTER) as usize - 1);
            drawing.word("y", (left - 8.0, baseline), &name);
            let mut from = 0.0;
            for (class, size) in row.segments.iter().filter(|(_, size)| *size > 0.0) {
                let (start, end) = (x(from), x(from + size));
                drawing.rect(format_args!("bar {class}"), (start, top), (end - start, BAR));
                from += size;
            }
            drawing.word("", (x(from) + 6.0, baseline), &(self.label)(from));
        }
        drawing
    }
}
