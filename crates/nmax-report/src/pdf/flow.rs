//! The flow of a document: pieces one below the other, then pages of them.
//!
//! A piece is not broken. It may stay with the piece after it, and have a head that is repeated where it begins a page.

use pdf_writer::types::StructRole;

use super::picture::Painter;
use super::shape::{Ink, Shape, shapes_of};
use super::style::{Color, Style};
use super::text::{Face, Line, Look, Run};

/// An A4 page, points.
pub(super) const PAGE: (f32, f32) = (595.0, 842.0);
/// Around what is on it; the footer is below.
pub(super) const EDGE: f32 = 42.0;
pub(super) const BOTTOM: f32 = PAGE.1 - 48.0;
/// What is between the edges.
pub(super) const WIDTH: f32 = PAGE.0 - 2.0 * EDGE;

/// What a part of the document is, for readers who cannot see it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) role: StructRole,
    pub(super) parent: Option<usize>,
    /// What there is to see; may be empty.
    pub(super) about: String,
}

/// What is not broken; its shapes are from its own corner.
#[derive(Clone, Debug, Default)]
pub(super) struct Piece {
    pub(super) height: f32,
    /// Space above it, unless it begins a page.
    pub(super) before: f32,
    /// Whether the next piece stays on its page.
    pub(super) keeps: bool,
    /// Which of the heads is repeated above it.
    pub(super) head: Option<usize>,
    pub(super) shapes: Vec<Shape>,
    /// The bookmark that leads to it.
    pub(super) bookmark: Option<String>,
}

/// A page as it is drawn.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    pub(super) shapes: Vec<Shape>,
    /// Titles of bookmarks, and how far from the top they lead.
    pub(super) bookmarks: Vec<(String, f32)>,
}

/// Pieces as they are written.
pub(super) struct Flow<'a> {
    pub(super) painter: &'a Painter<'a>,
    pub(super) pieces: Vec<Piece>,
    pub(super) heads: Vec<Piece>,
    pub(super) parts: Vec<Part>,
    /// How large text is, against that of the first pages.
    pub(super) scale: f32,
}

impl Flow<'_> {
    /// Text of sentences, or of what is beside the point.
    pub(super) fn look(&self, size: f32) -> Look {
        Look { face: Face::Sans, size: size * self.scale, color: self.color("ink") }
    }

    pub(super) fn soft(&self, size: f32) -> Look {
        self.look(size).colored(self.color("soft"))
    }

    pub(super) fn color(&self, name: &str) -> Color {
        self.painter.sheet.color(name)
    }

    /// The color of a class that says what something means.
    pub(super) fn meaning(&self, class: &str) -> Color {
        match class {
            "pass" | "fail" => self.color(class),
            "invalid" => self.color("inv"),
            _ => self.color("ink"),
        }
    }

    /// A new part of the document.
    pub(super) fn part(&mut self, role: StructRole, parent: Option<usize>) -> usize {
        self.parts.push(Part { role, parent, about: String::new() });
        self.parts.len() - 1
    }

    /// A piece for each line, so far from the left; the first stays with the second.
    pub(super) fn lines(&mut self, lines: Vec<Line>, left: f32, before: f32, part: usize) {
        let count = lines.len();
        for (index, line) in lines.into_iter().enumerate() {
            let (before, keeps) = (if index == 0 { before } else { 0.0 }, index == 0 && count > 1);
            let height = leading(line.size());
            let shapes = self.line(line, (left, 0.0), part);
            self.pieces.push(Piece { height, before, keeps, shapes, ..Piece::default() });
        }
    }

    /// Shapes of a line whose top is there.
    pub(super) fn line(&self, line: Line, (x, top): (f32, f32), part: usize) -> Vec<Shape> {
        let at = (x, top + base(line.size()));
        shapes_of(line, at).into_iter().map(|shape| shape.of_part(part)).collect()
    }

    /// A block of lines whose top is there, and where it ends.
    pub(super) fn block(&self, lines: Vec<Line>, (x, top): (f32, f32), part: usize) -> (Vec<Shape>, f32) {
        let (mut shapes, mut y) = (Vec::new(), top);
        for line in lines {
            let height = leading(line.size());
            shapes.extend(self.line(line, (x, y), part));
            y += height;
        }
        (shapes, y)
    }

    /// Wrapped runs with at most so many lines.
    pub(super) fn wrap(&self, runs: &[Run], width: f32, most: usize) -> Vec<Line> {
        self.painter.fonts.some_lines(runs, width, most)
    }

    /// A paragraph.
    pub(super) fn paragraph(&mut self, look: Look, text: &str, before: f32, most: usize) {
        let part = self.part(StructRole::P, None);
        let lines = self.wrap(&super::blocks::prose(look, text), WIDTH, most);
        self.lines(lines, 0.0, before, part);
    }

    /// Puts a color behind the pieces from `from` on, and a bar of another one to their left. They stay together.
    pub(super) fn behind(&mut self, from: usize, back: Color, bar: Option<Color>) {
        let count = self.pieces.len();
        for (index, piece) in self.pieces.iter_mut().enumerate().skip(from) {
            let above = if index == from { 0.0 } else { piece.before };
            let strip =
                |width, color| Shape::rect((0.0, -above - 0.1), (width, piece.height + above + 0.2), 0.0, color);
            let strips = [Some(strip(WIDTH, back)), bar.map(|bar| strip(4.0, bar))];
            piece.shapes.splice(0..0, strips.into_iter().flatten());
            piece.keeps |= index + 1 < count;
        }
    }

    /// Room of a height, of the color of what is around it.
    pub(super) fn room(&mut self, height: f32, before: f32) {
        self.pieces.push(Piece { height, before, ..Piece::default() });
    }

    /// The pieces on pages.
    pub(super) fn pages(&self) -> Vec<Page> {
        let (mut pages, mut y) = (vec![Page::default()], EDGE);
        for (index, piece) in self.pieces.iter().enumerate() {
            let mut need = 0.0;
            for next in &self.pieces[index..] {
                need += next.height + if need > 0.0 { next.before } else { 0.0 };
                if !next.keeps {
                    break;
                }
            }
            // What is higher than half a page is broken rather than moved.
            let need = if need > 0.5 * (BOTTOM - EDGE) { piece.height } else { need };
            let is_top = y <= EDGE;
            let before = if is_top { 0.0 } else { piece.before };
            let breaks = !is_top && y + before + need > BOTTOM;
            if breaks {
                pages.push(Page::default());
                y = EDGE;
            }
            let page = pages.last_mut().expect("there is always a page");
            if breaks || is_top && index > 0 {
                if let Some(head) = piece.head.map(|head| &self.heads[head]) {
                    page.shapes.extend(head.shapes.iter().map(|shape| shape.clone().moved((EDGE, y))));
                    y += head.height;
                }
            } else {
                y += before;
            }
            page.bookmarks.extend(piece.bookmark.iter().map(|title| (title.clone(), y)));
            page.shapes.extend(piece.shapes.iter().map(|shape| shape.clone().moved((EDGE, y))));
            y += piece.height;
        }
        pages
    }
}

/// How far the base lines of lines are apart.
pub(super) fn leading(size: f32) -> f32 {
    1.38 * size
}

/// How far the base line of a line is below its top.
pub(super) fn base(size: f32) -> f32 {
    1.04 * size
}

/// A frame with round corners: its line and what is inside.
pub(super) fn frame(at: (f32, f32), size: (f32, f32), back: Color, line: Color) -> Shape {
    let mut shape = Shape::rect(at, size, 4.0, back);
    if let Ink::Path(_, _, style) = &mut shape.ink {
        *style = Style { stroke: Some(line), width: 0.6, ..style.clone() };
    }
    shape
}
