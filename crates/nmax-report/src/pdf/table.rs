//! Tables on paper: widths of columns from what is in them, smaller text when they do not fit, and at last parts one
//! below the other.

use pdf_writer::types::StructRole;

use super::flow::{Flow, Piece, WIDTH};
use super::shape::Shape;
use super::text::{Look, Run};
use crate::doc::table::{Alignment, Cell, Column, Table};
use crate::number;

/// Sizes of text that are tried, points.
const SIZES: [f32; 5] = [8.0, 7.5, 7.0, 6.5, 6.2];
/// At most so many rows; the others are in the page.
const ROWS_MAX: usize = 24;
/// At most so many lines of a cell.
const LINES_MAX: usize = 8;
/// Space between columns, in sizes of text, and above and below the text of a row, points.
const GAP: f32 = 1.0;
const PAD: f32 = 2.3;
/// The least widths of a name and of a sentence that has to be broken, and the largest of a number, in sizes of text.
const NAME_MIN: f32 = 14.0;
const SENTENCE_MIN: f32 = 13.0;
const NUMBER_MAX: f32 = 20.0;
/// Titles that are not longer stay on a line, in sizes of text.
const TITLE_MIN: f32 = 5.0;

/// A column with the width it needs and the width it likes.
#[derive(Clone, Copy)]
struct Sized<'a> {
    column: &'a Column,
    least: f32,
    best: f32,
}

/// Columns with places and widths.
struct Grid<'a> {
    columns: Vec<(&'a Column, f32, f32)>,
    width: f32,
    size: f32,
}

impl Flow<'_> {
    /// A table, and where its other rows are.
    pub(super) fn table(&mut self, table: &Table<()>) {
        let columns: Vec<&Column> =
            table.columns.iter().filter(|column| column.title.is_some() && !column.is_detail).collect();
        let rows: Vec<usize> = shown_rows(table).collect();
        let sized = |size: f32| columns.iter().map(|column| self.sized(column, &rows, size)).collect::<Vec<_>>();
        // Text is as large as it may be without a part more than the smallest text takes.
        let tried = SIZES.map(|size| (size, parts(sized(size), size)));
        let least = tried.iter().map(|(_, parts)| parts.len()).min();
        let Some((size, parts)) = tried.into_iter().find(|(_, parts)| Some(parts.len()) == least) else {
            return;
        };
        parts.iter().for_each(|part| self.rows(table, &grid(part, size)));
        let hidden = table.len().saturating_sub(ROWS_MAX);
        if hidden > 0 {
            let text = format!("{} more rows are in the HTML report.", number::count(hidden as u64));
            self.paragraph(self.soft(7.4), &text, 3.0, 2);
        }
        if let Some((more, place)) = table.rest {
            let text = format!("{} more {place}.", number::count(more as u64));
            self.paragraph(self.soft(7.4), &text, 3.0, 2);
        }
    }

    fn sized<'a>(&self, column: &'a Column, rows: &[usize], size: f32) -> Sized<'a> {
        let (fonts, look) = (self.painter.fonts, self.look(size));
        let width = |runs: &[Run]| fonts.lines(runs, f32::INFINITY)[0].width;
        let cells = rows.iter().filter_map(|row| column.cells.get(*row));
        let cells = cells.flat_map(|cell| self.runs(cell, column.place, look, true));
        let cells = cells.map(|runs| width(&runs)).fold(0.0, f32::max);
        let title = column.title.as_deref().unwrap_or_default();
        let words = title.split(' ').map(|word| width(&[look.run(word)]));
        let whole = width(&[look.run(title)]);
        let whole = if whole < TITLE_MIN * size { whole } else { 0.55 * whole };
        let words = words.fold(whole, f32::max).min(NUMBER_MAX * size) + 0.5;
        let best = cells.max(words) + 0.5;
        let least = match column.place {
            Alignment::Number => best.min(NUMBER_MAX * size),
            Alignment::Text => best.min((NAME_MIN * size).max(words)),
            Alignment::Sentence => best.min((SENTENCE_MIN * size).max(words)),
        };
        Sized { column, least, best: best.max(least) }
    }

    /// Word and text, and what is smaller: behind words, below numbers. The total is heavier.
    fn runs(&self, cell: &Cell, place: Alignment, look: Look, is_total: bool) -> [Vec<Run>; 2] {
        let text = if is_total { look.bold() } else { look };
        let first = vec![self.emphasis(text, cell.look).run(cell.word.as_str()), text.run(cell.text.as_str())];
        let small = vec![self.soft((look.size / self.scale - 1.2).max(5.6)).run(cell.small.as_str())];
        match place {
            Alignment::Number => [first, small],
            Alignment::Text | Alignment::Sentence => [[first, small].concat(), Vec::new()],
        }
    }

    fn rows(&mut self, table: &Table<()>, grid: &Grid) {
        let part = self.part(StructRole::Table, None);
        let head = self.titles(grid, part);
        self.heads.push(Piece { before: 0.0, ..head.clone() });
        self.pieces.push(head);
        let together = table.together.max(1);
        for row in shown_rows(table) {
            let is_total = table.is_total(row);
            let tr = self.part(StructRole::TR, Some(part));
            let (mut shapes, mut height) = (Vec::new(), 0.0f32);
            if is_total {
                shapes.push(Shape::rule((0.0, 0.0), grid.width, 0.9, self.color("soft")));
            } else if row.is_multiple_of(together) && row > 0 {
                shapes.push(Shape::rule((0.0, 0.0), grid.width, 0.4, self.color("line")));
            }
            for (column, x, width) in &grid.columns {
                let cell = self.part(StructRole::TD, Some(tr));
                let [first, small] = self.runs(&column.cells[row], column.place, self.look(grid.size), is_total);
                let mut lines = self.wrap(&first, *width + 0.5, LINES_MAX);
                lines.extend(self.wrap(&small, *width + 0.5, 2).into_iter().filter(|line| !line.runs.is_empty()));
                height = height.max(self.cell(lines, column.place, (*x, *width), PAD, cell, &mut shapes));
            }
            let keeps = row + 1 < table.len() && (row == 0 || row + 2 == table.len());
            let head = Some(self.heads.len() - 1);
            self.pieces.push(Piece { height: height + PAD, keeps, head, shapes, ..Piece::default() });
        }
        let end = vec![Shape::rule((0.0, 0.0), grid.width, 0.4, self.color("line"))];
        if let Some(piece) = self.pieces.last_mut() {
            piece.shapes.extend(end.into_iter().map(|shape| shape.moved((0.0, piece.height))));
        }
    }

    /// Titles, and above them what columns have in common.
    fn titles(&mut self, grid: &Grid, part: usize) -> Piece {
        let tr = self.part(StructRole::TR, Some(part));
        let look = self.soft(grid.size - 0.4);
        let (mut shapes, mut top) = (Vec::new(), PAD);
        if grid.columns.iter().any(|(column, ..)| !column.group.is_empty()) {
            for group in
                grid.columns.chunk_by(|a, b| a.0.group == b.0.group).filter(|group| !group[0].0.group.is_empty())
            {
                let (x, end) = (group[0].1, group[group.len() - 1].1 + group[group.len() - 1].2);
                let cell = self.part(StructRole::TH, Some(tr));
                let lines = self.wrap(&[look.bold().run(group[0].0.group)], end - x + GAP * grid.size, 1);
                let place = if group.len() == 1 { group[0].0.place } else { Alignment::Text };
                self.cell(lines, place, (x, end - x), top, cell, &mut shapes);
                shapes.push(Shape::rule((x, top + 1.45 * look.size), end - x, 0.5, self.color("line")));
            }
            top += 1.7 * look.size;
        }
        let titles = grid.columns.iter().map(|(column, _, width)| {
            self.wrap(&[look.run(column.title.as_deref().unwrap_or_default())], *width + 0.5, 3)
        });
        let titles: Vec<_> = titles.collect();
        let most = titles.iter().map(Vec::len).max().unwrap_or(1);
        let line = super::flow::leading(look.size);
        for ((column, x, width), lines) in grid.columns.iter().zip(titles) {
            let cell = self.part(StructRole::TH, Some(tr));
            // Titles stand on one line, right above their cells.
            let top = top + line * (most - lines.len()) as f32;
            self.cell(lines, column.place, (*x, *width), top, cell, &mut shapes);
        }
        let height = top + line * most as f32 + PAD;
        shapes.push(Shape::rule((0.0, height), grid.width, 0.8, self.color("soft")));
        Piece { height, before: 7.0, keeps: true, shapes, ..Piece::default() }
    }

    /// Adds the lines of a cell; where they end comes back.
    fn cell(
        &self,
        lines: Vec<super::text::Line>,
        place: Alignment,
        (x, width): (f32, f32),
        top: f32,
        part: usize,
        shapes: &mut Vec<Shape>,
    ) -> f32 {
        let mut y = top;
        for line in lines {
            let left = if place == Alignment::Number { x + (width - line.width).max(0.0) } else { x };
            let height = super::flow::leading(line.size());
            shapes.extend(self.line(line, (left, y), part));
            y += height;
        }
        y
    }
}

/// The first rows; the sum stands below them even when others are left out.
fn shown_rows(table: &Table<()>) -> impl Iterator<Item = usize> {
    let (len, last) = (table.len(), usize::from(table.has_total));
    (0..len).filter(move |row| row + last < ROWS_MAX || row + last >= len)
}

/// Columns that fit side by side, and below them those that do not, beside the first one again: from the first of a
/// group on, if that leaves at least half.
fn parts(sized: Vec<Sized<'_>>, size: f32) -> Vec<Vec<Sized<'_>>> {
    let Some((first, mut rest)) = sized.split_first() else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    loop {
        let beside = |count: usize| [&[*first], &rest[..count]].concat();
        let fits = |count: &usize| needed(&beside(*count), size) <= WIDTH;
        let most = (1..=rest.len()).rev().find(fits).unwrap_or(rest.len().min(1));
        let begins = |count: &usize| rest.get(*count).is_none_or(|next| next.column.begins);
        let count = (most.div_ceil(2)..=most).rev().find(begins).unwrap_or(most);
        parts.push(beside(count));
        rest = &rest[count..];
        if rest.is_empty() {
            return parts;
        }
    }
}

/// The least width of columns of text of that size.
fn needed(sized: &[Sized], size: f32) -> f32 {
    sized.iter().map(|one| one.least).sum::<f32>() + GAP * size * (sized.len() as f32 - 1.0)
}

/// Places for columns: what is left over goes to those that like more, then to all.
fn grid<'a>(sized: &[Sized<'a>], size: f32) -> Grid<'a> {
    let left = (WIDTH - needed(sized, size)).max(0.0);
    let wish: f32 = sized.iter().map(|one| one.best - one.least).sum();
    let share = if wish > 0.0 { (left / wish).min(1.0) } else { 0.0 };
    let others = (sized.len() as f32 - 1.0).max(1.0);
    // Few columns stay near each other.
    let more = ((left - share * wish) / others).min(if sized.len() > 4 { f32::INFINITY } else { 60.0 });
    let (mut x, mut columns) = (0.0, Vec::new());
    for one in sized {
        let width = (one.least + share * (one.best - one.least)).min(WIDTH);
        columns.push((one.column, x, width));
        x += width + GAP * size + more;
    }
    Grid { columns, width: x - GAP * size - more, size }
}
