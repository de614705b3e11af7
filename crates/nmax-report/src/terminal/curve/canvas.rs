//! A plot of character cells: curves by braille dots or by plain characters.

use super::Glyphs;
use crate::svg::Scale;
use crate::terminal::text::{Ink, Painted};

/// Dots of a braille cell, by column and row.
const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// What stands in a cell; a higher layer hides the lower ones.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// Braille dots of the topmost curve.
    dots: u8,
    /// Number and color of that curve.
    curve: Option<(usize, Ink)>,
    shaded: bool,
    glyph: Option<(char, Ink)>,
}

/// The inner rectangle of a chart.
pub(super) struct Canvas {
    n: Scale,
    x_max: f64,
    columns: usize,
    rows: usize,
    cells: Vec<Cell>,
    glyphs: Glyphs,
}

impl Canvas {
    pub(super) fn new(n: Scale, x_max: f64, columns: usize, rows: usize, glyphs: Glyphs) -> Self {
        Self { n, x_max, columns, rows, cells: vec![Cell::default(); columns * rows], glyphs }
    }

    /// Column of dots of an N.
    fn dot_column(&self, n: f64) -> f64 {
        self.n.place(n) * (2 * self.columns - 1) as f64
    }

    /// Row of dots of an X; above the chart it is negative.
    fn dot_row(&self, x: f64) -> f64 {
        (1.0 - x / self.x_max) * (4 * self.rows - 1) as f64
    }

    /// The column of cells of an N.
    pub(super) fn column(&self, n: f64) -> usize {
        self.dot_column(n).round() as usize / 2
    }

    /// The row of cells of an X.
    pub(super) fn row(&self, x: f64) -> usize {
        (self.dot_row(x).round().max(0.0) as usize / 4).min(self.rows - 1)
    }

    fn cell(&mut self, column: usize, row: usize) -> Option<&mut Cell> {
        (column < self.columns && row < self.rows).then(|| &mut self.cells[row * self.columns + column])
    }

    fn dot(&mut self, column: f64, row: f64, number: usize, ink: Ink) {
        if !(row > -0.5 && row.is_finite() && column >= 0.0) {
            return;
        }
        let (column, row) = (column.round() as usize, row.round() as usize);
        let bit = DOTS[column % 2][row % 4];
        if let Some(cell) = self.cell(column / 2, row / 4) {
            if cell.curve.is_none_or(|(other, _)| other != number) {
                cell.dots = 0;
                cell.curve = Some((number, ink));
            }
            cell.dots |= bit;
        }
    }

    /// A curve; later numbers hide earlier ones. `gap` leaves out dots: 1 draws all, 3 every third.
    pub(super) fn curve(&mut self, points: &[(f64, f64)], number: usize, ink: Ink, gap: usize) {
        let places: Vec<_> = points.iter().map(|(n, x)| (self.dot_column(*n), self.dot_row(*x))).collect();
        let limit = 8.0 * (self.columns + self.rows) as f64;
        let mut drawn = 0;
        for pair in places.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let (across, down) = (to.0 - from.0, to.1 - from.1);
            let steps = across.abs().max(down.abs()).ceil().clamp(1.0, limit) as usize;
            for step in 0..steps {
                let share = step as f64 / steps as f64;
                if drawn % gap == 0 {
                    self.dot(from.0 + share * across, from.1 + share * down, number, ink);
                }
                drawn += 1;
            }
        }
        if let Some((column, row)) = places.last() {
            self.dot(*column, *row, number, ink);
        }
    }

    /// Shades between two curves.
    pub(super) fn band(&mut self, band: &[(f64, f64, f64)]) {
        for (n, low, high) in band {
            let column = self.column(*n);
            let bottom = self.row(low.max(0.0));
            for row in self.row(*high)..=bottom {
                if let Some(cell) = self.cell(column, row) {
                    cell.shaded = true;
                }
            }
        }
    }

    /// A character at a point; points above the top are left out.
    pub(super) fn point(&mut self, n: f64, x: f64, glyph: char, ink: Ink) {
        if x <= self.x_max && x >= 0.0 {
            let (column, row) = (self.column(n), self.row(x));
            if let Some(cell) = self.cell(column, row) {
                cell.glyph = Some((glyph, ink));
            }
        }
    }

    /// A vertical line from the bottom to an X, where nothing else stands.
    pub(super) fn stem(&mut self, n: f64, x: f64, glyph: char, ink: Ink) {
        let (column, top) = (self.column(n), self.row(x));
        for row in top..self.rows {
            if let Some(cell) = self.cell(column, row)
                && cell.glyph.is_none()
                && cell.dots == 0
            {
                cell.glyph = Some((glyph, ink));
            }
        }
    }

    /// A row as text.
    pub(super) fn line(&self, row: usize, color: bool) -> Painted {
        let cells = &self.cells[row * self.columns..(row + 1) * self.columns];
        let mut text = Painted::default();
        let mut run: Option<(Ink, String)> = None;
        for cell in cells {
            let (c, ink) = self.character(cell);
            match &mut run {
                Some((of, part)) if *of == ink => part.push(c),
                _ => {
                    if let Some((of, part)) = run.replace((ink, c.to_string())) {
                        text += Painted::inked(&part, of, color);
                    }
                }
            }
        }
        if let Some((of, part)) = run {
            let part = if of == Ink::Plain { part.trim_end().to_owned() } else { part };
            text += Painted::inked(&part, of, color);
        }
        text
    }

    fn character(&self, cell: &Cell) -> (char, Ink) {
        match (cell.glyph, cell.curve) {
            (Some(glyph), _) => glyph,
            (None, Some((number, ink))) if cell.dots != 0 => (self.glyphs.curve(number, cell.dots), ink),
            _ if cell.shaded => (self.glyphs.shade(), Ink::Dim),
            _ => (' ', Ink::Plain),
        }
    }
}
