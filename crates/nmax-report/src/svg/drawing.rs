//! A picture as it is written. Places are in its own units, to a tenth.

use std::fmt::{Arguments, Display, Write};

use crate::markup::Escaped;

/// Elements of SVG, one behind the other; what comes later hides what was before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    pub(super) text: String,
}

impl Drawing {
    /// A picture of a page, to be closed by [`Self::end`].
    ///
    /// - `id`: unique in the page together with the width
    /// - `class`: what the style knows it by, besides its width
    /// - `title`, `description`: what it shows, and what there is to see, for people who cannot
    pub(super) fn begin(
        (id, class): (&str, &str),
        (width, height): (f64, f64),
        (title, description): (&str, &str),
    ) -> Self {
        let mut drawing = Self::default();
        let (title, description) = (Escaped(title), Escaped(description));
        drawing.add(format_args!(
            "<svg class=\"w{width:.0}{class}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
             aria-labelledby=\"{id}-{width:.0}-t {id}-{width:.0}-d\"><title id=\"{id}-{width:.0}-t\">{title}</title>\
             <desc id=\"{id}-{width:.0}-d\">{description}</desc>"
        ));
        drawing
    }

    /// The whole picture.
    pub(super) fn end(mut self) -> String {
        self.text.push_str("</svg>");
        self.text
    }

    /// Any markup of our own.
    pub(super) fn add(&mut self, markup: Arguments<'_>) {
        self.text.write_fmt(markup).expect("a string takes all text");
    }

    /// A line or an area.
    pub(super) fn path(&mut self, class: impl Display, path: impl Display) {
        self.add(format_args!("<path class=\"{class}\" d=\"{path}\"/>"));
    }

    /// A rectangle: its upper left corner, and its size.
    pub(super) fn rect(&mut self, class: impl Display, (x, y): (f64, f64), (width, height): (f64, f64)) {
        self.add(format_args!(
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
        ));
    }

    /// Words beside a place, as their class has it.
    pub(super) fn word(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.add(format_args!("<text{class} x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", Escaped(text)));
    }
}

/// A path through points.
pub(super) fn through(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.into_iter().enumerate() {
        let letter = if index == 0 { 'M' } else { 'L' };
        write!(path, "{letter}{x:.1} {y:.1}").expect("a string takes all text");
    }
    path
}
