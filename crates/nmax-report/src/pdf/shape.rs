//! What stands on a page: text and paths, each in a place. Points, from the upper left corner to the right and down.

use super::style::{Color, Style};
use super::text::{Fonts, Line, Look, Run};

/// Part of an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Segment {
    Move(f32, f32),
    Line(f32, f32),
    Curve([f32; 6]),
    Close,
}

/// Something that is drawn.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// The part of the document that it belongs to; `None` for decoration.
    pub(super) part: Option<usize>,
    /// Its place.
    pub(super) at: (f32, f32),
    pub(super) ink: Ink,
}

#[derive(Clone, Debug)]
pub(super) enum Ink {
    /// Text that begins at its place, on its base line.
    Text(Run),
    /// Segments in units of their own, and how many points such a unit is to the right and down.
    Path(Vec<Segment>, (f32, f32), Style),
}

impl Shape {
    /// Text on a base line.
    pub(super) fn text(at: (f32, f32), run: Run) -> Self {
        Self { part: None, at, ink: Ink::Text(run) }
    }

    /// A filled rectangle; its corners are round by `radius`.
    pub(super) fn rect(at: (f32, f32), size: (f32, f32), radius: f32, color: Color) -> Self {
        let style = Style { fill: Some(color), ..Style::default() };
        Self { part: None, at, ink: Ink::Path(rounded(size, radius), (1.0, 1.0), style) }
    }

    /// A horizontal line.
    pub(super) fn rule(at: (f32, f32), length: f32, width: f32, color: Color) -> Self {
        let style = Style { stroke: Some(color), width, ..Style::default() };
        let segments = vec![Segment::Move(0.0, 0.0), Segment::Line(length, 0.0)];
        Self { part: None, at, ink: Ink::Path(segments, (1.0, 1.0), style) }
    }

    /// As it is, elsewhere.
    pub(super) fn moved(mut self, (x, y): (f32, f32)) -> Self {
        self.at = (self.at.0 + x, self.at.1 + y);
        self
    }

    /// As it is, of this part.
    pub(super) fn of_part(self, part: usize) -> Self {
        Self { part: Some(part), ..self }
    }
}

/// How far the handles of a curve are from its ends when four make a circle of radius 1.
const HANDLE: f32 = 0.552_285;

fn rounded((width, height): (f32, f32), radius: f32) -> Vec<Segment> {
    let r = radius.min(width / 2.0).min(height / 2.0);
    if r <= 0.0 {
        let corners = [(width, 0.0), (width, height), (0.0, height)].map(|(x, y)| Segment::Line(x, y));
        return [Segment::Move(0.0, 0.0)].into_iter().chain(corners).chain([Segment::Close]).collect();
    }
    let k = r - HANDLE * r;
    let (right, bottom) = (width - r, height - r);
    vec![
        Segment::Move(r, 0.0),
        Segment::Line(right, 0.0),
        Segment::Curve([width - k, 0.0, width, k, width, r]),
        Segment::Line(width, bottom),
        Segment::Curve([width, height - k, width - k, height, right, height]),
        Segment::Line(r, height),
        Segment::Curve([k, height, 0.0, height - k, 0.0, bottom]),
        Segment::Line(0.0, r),
        Segment::Curve([0.0, k, k, 0.0, r, 0.0]),
        Segment::Close,
    ]
}

/// A circle around (0, 0).
pub(super) fn circle((x, y): (f32, f32), radius: f32) -> Vec<Segment> {
    let shift = |segment| match segment {
        Segment::Move(a, b) => Segment::Move(a + x - radius, b + y - radius),
        Segment::Line(a, b) => Segment::Line(a + x - radius, b + y - radius),
        Segment::Curve([a, b, c, d, e, f]) => {
            let (x, y) = (x - radius, y - radius);
            Segment::Curve([a + x, b + y, c + x, d + y, e + x, f + y])
        }
        Segment::Close => Segment::Close,
    };
    rounded((2.0 * radius, 2.0 * radius), radius).into_iter().map(shift).collect()
}

/// Runs of a line that begins at a place.
pub(super) fn shapes_of(line: Line, (x, y): (f32, f32)) -> Vec<Shape> {
    line.runs.into_iter().map(|(from, run)| Shape::text((x + from, y), run)).collect()
}

/// Text of one look that begins, is centered or ends at a place: `anchor` of it is to the left.
pub(super) fn label(fonts: &Fonts, look: Look, text: &str, (x, y): (f32, f32), anchor: f32) -> Shape {
    let text = fonts.showable(look.face, text);
    Shape::text((x - anchor * fonts.width(look, &text), y), look.run(text))
}
