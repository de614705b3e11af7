//! Drawings of charts as shapes of a page: path data is read, classes get their styles.

use super::shape::{Ink, Segment, Shape, circle, label};
use super::style::{Sheet, Style};
use super::text::{Face, Fonts, Look};
use crate::svg::{Drawing, Shape as Drawn};

/// No text of a picture is smaller, points.
const TEXT_MIN: f32 = 6.0;

/// Where the pieces of a drawing go: the place of its corner, and the points of a unit to the right and down.
#[derive(Clone, Copy)]
struct Frame {
    at: (f32, f32),
    unit: (f32, f32),
    /// Units to the right at which shapes are cut.
    wide: f32,
}

/// What pictures need.
pub(super) struct Painter<'a> {
    pub(super) fonts: &'a Fonts,
    pub(super) sheet: &'a Sheet,
}

impl Painter<'_> {
    /// A drawing, so wide; its height comes back too.
    pub(super) fn picture(&self, drawing: &Drawing, width: f32) -> (Vec<Shape>, f32) {
        let unit = width / (drawing.size.0 as f32).max(1.0);
        let frame = Frame { at: (0.0, 0.0), unit: (unit, unit), wide: f32::INFINITY };
        let mut shapes = Vec::new();
        let path = [("svg", drawing.class.as_str())];
        self.draw(&drawing.shapes, frame, &path, &Style::default(), &mut shapes);
        shapes.iter_mut().for_each(|shape| self.keep_inside(shape, width));
        (shapes, drawing.size.1 as f32 * unit)
    }

    /// Moves text into a picture so wide, and cuts it when it is wider.
    fn keep_inside(&self, shape: &mut Shape, width: f32) {
        if let Ink::Text(run) = &mut shape.ink {
            if self.fonts.width(run.look, &run.text) > width {
                let line = self.fonts.some_lines(std::slice::from_ref(run), width, 1).remove(0);
                run.text = line.runs.into_iter().map(|(_, run)| run.text).collect();
            }
            shape.at.0 = shape.at.0.min(width - self.fonts.width(run.look, &run.text)).max(0.0);
        }
    }

    fn draw(&self, from: &[Drawn], frame: Frame, path: &[(&str, &str)], inherited: &Style, shapes: &mut Vec<Shape>) {
        let styled = |element, class| {
            let path: Vec<_> = path.iter().copied().chain([(element, class)]).collect();
            (self.sheet.style(&path, inherited), path)
        };
        let at = |(x, y): (f64, f64)| (frame.at.0 + x as f32 * frame.unit.0, frame.at.1 + y as f32 * frame.unit.1);
        let inked = |segments: Vec<Segment>, style: Style| {
            let cut = |segment| match segment {
                Segment::Move(x, y) => Segment::Move(x.min(frame.wide), y),
                Segment::Line(x, y) => Segment::Line(x.min(frame.wide), y),
                other => other,
            };
            let segments: Vec<Segment> = segments.into_iter().map(cut).collect();
            let is_seen = segments.len() > 1 && (style.fill.is_some() || style.stroke.is_some());
            is_seen.then_some(Shape { part: None, at: frame.at, ink: Ink::Path(segments, frame.unit, style) })
        };
        for drawn in from {
            match drawn {
                Drawn::Path(class, data) => shapes.extend(inked(segments(data), styled("path", class).0)),
                Drawn::Rect(class, (x, y), (width, height)) => {
                    let outline = segments(&format!("M{x} {y}h{width}v{height}h{}z", -width));
                    shapes.extend(inked(outline, styled("rect", class).0));
                }
                Drawn::Circle(class, (x, y), radius, _) => {
                    let outline = circle((*x as f32, *y as f32), *radius as f32);
                    shapes.extend(inked(outline, styled("circle", class).0));
                }
                Drawn::Word(class, place, text) => {
                    let style = styled("text", class).0;
                    let face = if style.is_bold { Face::Bold } else { Face::Sans };
                    let size = (style.font_size * frame.unit.1).max(TEXT_MIN);
                    let look = Look { face, size, color: style.fill.unwrap_or_default() };
                    shapes.push(label(self.fonts, look, text, at(*place), style.anchor));
                }
                Drawn::Group(class, _, inner) => {
                    let (style, path) = styled("g", class);
                    self.draw(inner, frame, &path, &style, shapes);
                }
                Drawn::Frame(class, place, (width, height), (wide, high), inner) => {
                    let (style, path) = styled("svg", class);
                    let scale = |size: &f64, units: f64| (*size / units.max(f64::MIN_POSITIVE)) as f32;
                    let unit = (frame.unit.0 * scale(width, *wide), frame.unit.1 * scale(height, *high as f64));
                    let (x, y) = at(*place);
                    // Its units begin half of one above its first row.
                    let frame = Frame { at: (x, y + 0.5 * unit.1), unit, wide: *wide as f32 };
                    self.draw(inner, frame, &path, &style, shapes);
                }
            }
        }
    }
}

/// Path data of lines: `M`, `L`, `H`, `V`, `Z` and their relatives. It ends before what it does not know.
pub(super) fn segments(data: &str) -> Vec<Segment> {
    let (mut segments, mut rest) = (Vec::new(), data);
    let (mut x, mut y, mut first) = (0.0f32, 0.0f32, (0.0f32, 0.0f32));
    let mut command = 'M';
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        match rest.chars().next() {
            Some(c) if c.is_ascii_alphabetic() => {
                command = c;
                rest = &rest[1..];
            }
            Some('-' | '.' | '0'..='9') if !command.eq_ignore_ascii_case(&'z') => {}
            _ => return segments,
        }
        let (from_x, from_y) = if command.is_ascii_lowercase() { (x, y) } else { (0.0, 0.0) };
        let to = match command.to_ascii_uppercase() {
            'Z' => {
                (x, y) = first;
                segments.push(Segment::Close);
                continue;
            }
            'M' | 'L' => number(&mut rest).and_then(|a| Some((from_x + a, from_y + number(&mut rest)?))),
            'H' => number(&mut rest).map(|a| (from_x + a, y)),
            'V' => number(&mut rest).map(|a| (x, from_y + a)),
            _ => None,
        };
        let Some(to) = to.filter(|(x, y)| x.is_finite() && y.is_finite()) else {
            return segments;
        };
        (x, y) = to;
        if command.eq_ignore_ascii_case(&'m') {
            first = to;
            segments.push(Segment::Move(x, y));
            command = if command == 'm' { 'l' } else { 'L' };
        } else {
            segments.push(Segment::Line(x, y));
        }
    }
}

/// A number at the start, which is taken off.
fn number(rest: &mut &str) -> Option<f32> {
    let text = rest.trim_start_matches([' ', ',']);
    let (mut has_point, mut end) = (false, 0);
    for (at, c) in text.char_indices() {
        let is_sign = c == '-' && at == 0;
        let is_point = c == '.' && !has_point;
        if !is_sign && !is_point && !c.is_ascii_digit() {
            break;
        }
        has_point |= is_point;
        end = at + 1;
    }
    let (digits, after) = text.split_at(end);
    *rest = after;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn path_data_is_read() {
        use Segment::{Close, Line, Move};
        let cases: [(&str, &[Segment], &str); 7] = [
            ("M1 2L3 4", &[Move(1.0, 2.0), Line(3.0, 4.0)], "absolute"),
            ("M1 2l3 4h-1v.5", &[Move(1.0, 2.0), Line(4.0, 6.0), Line(3.0, 6.0), Line(3.0, 6.5)], "relative"),
            ("M1,2 3,4", &[Move(1.0, 2.0), Line(3.0, 4.0)], "what follows a place is a line"),
            ("M1-2.5.5 4", &[Move(1.0, -2.5), Line(0.5, 4.0)], "signs and points part numbers"),
            ("M1 1h2v2zl1 1", &[Move(1.0, 1.0), Line(3.0, 1.0), Line(3.0, 3.0), Close, Line(2.0, 2.0)], "z goes back"),
            ("M1 2C1 2 3 4 5 6", &[Move(1.0, 2.0)], "curves are not known"),
            ("M1 2L3", &[Move(1.0, 2.0)], "half a place"),
        ];
        for (data, want, why) in cases {
            assert_eq!(segments(data), want, "{why}: {data}");
        }
    }

    /// The last column of a heat map may be cut.
    #[test]
    fn frames_cut_what_is_in_them() {
        let cells = vec![Drawn::Path("h1".into(), "M0 0h1M1 0h1".into())];
        let frame = Drawn::Frame("heat".into(), (10.0, 0.0), (30.0, 40.0), (1.5, 4), cells);
        let mut drawing = Drawing::default();
        (drawing.size, drawing.shapes) = ((100.0, 50.0), vec![frame]);
        let (fonts, sheet) = (Fonts::new(), Sheet::new());
        let (shapes, height) = Painter { fonts: &fonts, sheet: &sheet }.picture(&drawing, 100.0);
        let Ink::Path(segments, unit, style) = &shapes[0].ink else { panic!("{shapes:?}") };
        assert_eq!((height, shapes[0].at, *unit), (50.0, (10.0, 5.0), (20.0, 10.0)));
        assert_eq!(segments[3], Segment::Line(1.5, 0.0));
        assert_eq!((style.stroke, style.stroke_opacity, style.fill), (Some(sheet.color("heat")), 0.13, None));
    }

    proptest! {
        /// Law: any text is read, and gives finite places.
        #[test]
        fn any_path_data_is_read(data in "[MLHVZmlhvzCe0-9., -]{0,40}") {
            let is_finite = |segment: Segment| match segment {
                Segment::Move(x, y) | Segment::Line(x, y) => x.is_finite() && y.is_finite(),
                Segment::Curve(_) | Segment::Close => true,
            };
            prop_assert!(segments(&data).into_iter().all(is_finite));
        }
    }
}
