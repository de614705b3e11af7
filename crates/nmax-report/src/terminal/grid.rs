//! Tables in columns: words to the left, numbers to the right, and where there is little room names on lines of their own.

use super::Lines;
use super::text::{Ink, left, right, shorten, width};
use crate::doc::table::{Alignment, Cell, Column, Table};

/// Most rows, unless everything is asked for; the page and the files have the others.
const ROWS_MAX: usize = 40;
/// Widest column of names, the least one beside numbers, and the one beside all columns.
const NAME_MAX: usize = 48;
const NAME_MIN: usize = 14;
const NAME_SPREAD: usize = 32;

/// A column as it is printed.
struct Shown<'a> {
    column: &'a Column,
    title: &'a str,
    /// With the blank before it; 0 is the room that the others leave.
    width: usize,
    /// Whether it is a column of words behind others, all of which are shown.
    is_spread: bool,
}

impl Shown<'_> {
    fn is_number(&self) -> bool {
        self.column.place == Alignment::Number
    }
}

/// Writes a table.
pub(super) fn write(page: &mut Lines, table: &Table<()>) {
    let is_spread = table.fits || page.wide && table.spreads;
    let all = table.columns.iter().enumerate();
    let mut columns: Vec<Shown<'_>> = all.filter_map(|(place, column)| shown(column, is_spread, place == 0)).collect();
    for group in columns.chunk_by_mut(|a, b| a.column.group == b.column.group) {
        if let [one] = group {
            one.width = one.width.max(if one.column.group.is_empty() { 0 } else { width(one.column.group) + 1 });
        }
    }
    let named = columns.first().filter(|one| one.width == 0).map_or(0, widest);
    if !is_spread && named + columns.iter().map(|one| one.width).sum::<usize>() > page.width {
        // Names get what the others do not need.
        for one in columns.iter_mut().filter(|one| one.column.group.is_empty()) {
            one.width = one.width.min(widest(one));
        }
    }
    let taken: usize = columns.iter().map(|column| column.width).sum();
    let left = page.width.saturating_sub(taken);
    let is_free = is_spread && !table.fits;
    let room = match (is_free, table.fits) {
        (true, _) => NAME_SPREAD,
        (_, true) => left.min(named),
        _ => left,
    };
    let is_tight = !is_free && left < NAME_MIN;
    let has_lines = table.is_named && is_tight && columns.first().is_some_and(|column| column.width == 0);
    if has_lines {
        // Names stand above their numbers, whose units follow without a blank.
        columns.remove(0);
        let alone: Vec<bool> = columns.iter().map(|one| is_alone(&columns, one)).collect();
        for (one, is_alone) in columns.iter_mut().zip(alone) {
            let head = width(one.title).max(if is_alone { width(one.column.group) } else { 0 });
            one.width = (one.width - usize::from(one.is_number())).max(head + 1);
        }
    } else {
        let cap = if table.is_named { NAME_MAX } else { usize::MAX };
        columns.iter_mut().filter(|one| one.width == 0).for_each(|one| one.width = room.min(cap));
    }
    if columns.iter().any(|one| !one.column.group.is_empty()) {
        let line = page.paint(&groups(&columns), Ink::Dim);
        page.line(line);
    }
    let titles: String = columns.iter().map(|one| cell(one, one.title, false)).collect();
    let titles = page.paint(&titles, Ink::Dim);
    page.line(titles);
    let most = if page.wide { usize::MAX } else { ROWS_MAX };
    for row in (0..table.len()).filter(|row| *row < most || table.is_total(*row)) {
        let is_total = table.is_total(row);
        let strong = if is_total { Ink::Bold } else { Ink::Plain };
        if has_lines {
            let name = shorten(table.columns[0].cells[row].in_terminal(), page.width);
            let name = page.paint(&name, if is_total { strong } else { Ink::Accent });
            page.line(name);
        }
        let text = |of: &Cell| if is_spread { of.line().into_owned() } else { of.in_terminal().to_owned() };
        let cells: String = columns.iter().map(|one| cell(one, &text(&one.column.cells[row]), has_lines)).collect();
        let cells = page.paint(&cells, strong);
        page.line(cells);
        for column in table.columns.iter().filter(|column| column.is_below) {
            below(page, &column.cells[row]);
        }
    }
    let hidden = table.len().saturating_sub(most.saturating_add(usize::from(table.has_total)));
    if hidden > 0 {
        page.item("…", Ink::Dim, &format!("{hidden} more rows in the report"));
    }
}

/// Columns of a title and its cells, with a blank.
fn widest(one: &Shown<'_>) -> usize {
    one.column
        .cells
        .iter()
        .map(|cell| width(&nmax_text::shown(cell.in_terminal())))
        .max()
        .unwrap_or(0)
        .max(width(one.title))
        + 1
}

/// What is said of a row under it.
fn below(page: &mut Lines, cell: &Cell) {
    let text = cell.short.as_deref().map_or_else(|| cell.line(), Into::into);
    if !text.is_empty() {
        page.item(" ", Ink::Plain, &text);
    }
}

fn shown(column: &Column, is_spread: bool, is_first: bool) -> Option<Shown<'_>> {
    if !is_spread {
        let (title, width) = column.terminal?;
        return Some(Shown { column, title, width, is_spread: false });
    }
    let title = column.title.as_deref()?;
    let widest = column.cells.iter().map(|cell| width(&nmax_text::shown(&cell.line()))).max().unwrap_or(0);
    let width = match column.place {
        Alignment::Number => widest.max(width(title)) + 1,
        _ if is_first => 0,
        Alignment::Text | Alignment::Sentence => widest.max(width(title)) + 3,
    };
    let is_spread = !is_first && column.place != Alignment::Number;
    (!column.is_below).then_some(Shown { column, title, width, is_spread })
}

fn cell(one: &Shown<'_>, text: &str, is_tight: bool) -> String {
    if one.is_number() {
        let text = if is_tight { text.replace(' ', "") } else { text.to_owned() };
        return right(&shorten(&text, one.width.saturating_sub(1)), one.width);
    }
    let indent = (one.title.len() - one.title.trim_start().len()).max(if one.is_spread { 2 } else { 0 });
    let text = shorten(text.trim_start(), one.width.saturating_sub(indent + 1).max(1));
    left(&(" ".repeat(indent) + &text), one.width)
}

/// Whether no other column is in its group.
fn is_alone(columns: &[Shown<'_>], one: &Shown<'_>) -> bool {
    columns.iter().filter(|other| other.column.group == one.column.group).count() == 1
}

/// Names of groups, centered over their columns.
fn groups(columns: &[Shown<'_>]) -> String {
    let mut line = String::new();
    for group in columns.chunk_by(|a, b| a.column.group == b.column.group) {
        let room: usize = group.iter().map(|one| one.width).sum();
        let name = group[0].column.group;
        let rule = room.saturating_sub(width(name) + 3);
        let text = if name.is_empty() || group.len() == 1 {
            right(&shorten(name, room.saturating_sub(1)), room)
        } else {
            format!(" {} {name} {}", "─".repeat(rule / 2), "─".repeat(rule - rule / 2))
        };
        line.push_str(&text);
    }
    line
}
