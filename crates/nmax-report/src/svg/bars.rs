//! Horizontal bars, each of segments end to end: what a whole is made of.

use std::fmt::Write;

use super::{Scale, trimmed};
use crate::markup::{Escaped, clip};

/// Height of a bar and of what is between two, in the units of the picture.
const BAR: f64 = 18.0;
const GAP: f64 = 8.0;
/// Space for the axis below, and for the number behind a bar.
const BOTTOM: f64 = 24.0;
const NUMBER: f64 = 66.0;
/// Width of a character of a label, about.
const CHARACTER: f64 = 6.4;

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
    pub fn render(&self, width: f64) -> String {
        let left = (0.22 * width).clamp(96.0, 240.0);
        let right = width - NUMBER;
        let bottom = GAP + self.rows.len() as f64 * (BAR + GAP);
        let scale = Scale::linear(self.rows.iter().map(Bar::total));
        let x = |value: f64| left + scale.place(value) * (right - left);
        let (id, height) = (format!("{}-{width:.0}", self.id), bottom + BOTTOM);
        let mut text = format!(
            "<svg class=\"w{width:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
             <title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>",
            Escaped(self.title),
            Escaped(self.description),
        );
        let mut add = |part: std::fmt::Arguments<'_>| text.write_fmt(part).expect("a string takes all text");
        let every = if width < 600.0 { 2 } else { 1 };
        for value in scale.ticks().into_iter().step_by(every) {
            let (x, label) = (x(value), trimmed(&(self.label)(value)));
            add(format_args!(
                "<path class=\"grid\" d=\"M{x:.1} {GAP}V{bottom:.1}\"/><text class=\"x\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                bottom + 15.0,
                Escaped(&label)
            ));
        }
        for (index, row) in self.rows.iter().enumerate() {
            let top = GAP + index as f64 * (BAR + GAP);
            let baseline = top + BAR / 2.0 + 4.0;
            let name = clip(&row.name, ((left - 8.0) / CHARACTER) as usize - 1);
            add(format_args!(
                "<text class=\"y\" x=\"{:.1}\" y=\"{baseline:.1}\">{}</text>",
                left - 8.0,
                Escaped(&name)
            ));
            let mut from = 0.0;
            for (class, size) in row.segments.iter().filter(|(_, size)| *size > 0.0) {
                let (start, end) = (x(from), x(from + size));
                add(format_args!(
                    "<rect class=\"bar {class}\" x=\"{start:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{BAR}\"/>",
                    end - start
                ));
                from += size;
            }
            add(format_args!(
                "<text x=\"{:.1}\" y=\"{baseline:.1}\">{}</text>",
                x(from) + 6.0,
                Escaped(&(self.label)(from))
            ));
        }
        text.push_str("</svg>");
        text
    }
}
