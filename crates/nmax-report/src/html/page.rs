//! The page as it is written: markup of our own around text that is escaped and cut.

use std::fmt::{Arguments, Write};

use super::charts::WIDTHS;
use crate::markup::{Escaped, clip};
use crate::number;
use crate::tables::{Alignment, Cell, Emphasis, Table};

/// Most characters of a sentence.
const TEXT_MAX: usize = 2_000;
/// Most characters of a note, which may list names.
const NOTE_MAX: usize = 6_000;
/// Most characters of a name.
pub(super) const NAME_MAX: usize = 300;

/// The page so far.
#[derive(Default)]
pub(super) struct Html {
    pub(super) text: String,
}

impl Html {
    pub(super) fn add(&mut self, part: Arguments<'_>) {
        self.text.write_fmt(part).expect("a string takes all text");
    }

    /// Markup of our own, without anything from outside.
    pub(super) fn text(&mut self, markup: &'static str) {
        self.text.push_str(markup);
    }

    /// The heading of a section, or of a part of it.
    pub(super) fn heading(&mut self, level: u8, title: &str) {
        self.add(format_args!("<h{level}>{}</h{level}>\n", Escaped(&clip(title, TEXT_MAX))));
    }

    /// A paragraph.
    pub(super) fn sentence(&mut self, text: &str) {
        self.add(format_args!("<p>{}</p>\n", Escaped(&clip(text, TEXT_MAX))));
    }

    /// A paragraph that may be skipped.
    pub(super) fn note(&mut self, text: &str) {
        self.add(format_args!("<p class=\"note\">{}</p>\n", Escaped(&clip(text, NOTE_MAX))));
    }

    /// Points, if there are any.
    pub(super) fn list(&mut self, points: impl IntoIterator<Item = impl Into<Cell>>) {
        let mut points = points.into_iter().peekable();
        if points.peek().is_none() {
            return;
        }
        self.text("<ul>");
        for point in points {
            self.text("<li>");
            self.cell(&point.into(), TEXT_MAX);
            self.text("</li>");
        }
        self.text("</ul>\n");
    }

    fn cell(&mut self, cell: &Cell, most: usize) {
        let Cell { look, word, text, small, .. } = cell;
        let (word, text) = (clip(word, most), clip(text, most));
        let gap = if word.is_empty() || text.is_empty() { "" } else { " " };
        match (look, Escaped(&word)) {
            _ if word.is_empty() => {}
            (Emphasis::Plain, word) => self.add(format_args!("{word}")),
            (Emphasis::Strong, word) => self.add(format_args!("<strong>{word}</strong>")),
            (Emphasis::Code, word) => self.add(format_args!("<code>{word}</code>")),
            (Emphasis::Class(class), word) => self.add(format_args!("<span class=\"{class}\">{word}</span>")),
        }
        self.add(format_args!("{gap}{}", Escaped(&text)));
        if !small.is_empty() {
            self.add(format_args!(" <small>{}</small>", Escaped(&clip(small, TEXT_MAX))));
        }
    }

    /// A table, and where its other rows are.
    pub(super) fn table<R>(&mut self, table: &Table<R>) {
        let names = if table.is_named { " names" } else { "" };
        self.add(format_args!("<div class=\"scroll{names}\" tabindex=\"0\"><table><thead>"));
        self.groups(table);
        self.text("<tr>");
        let columns = || table.columns.iter().filter(|column| column.title.is_some());
        for column in columns() {
            let class = match column.place {
                Alignment::Text | Alignment::Sentence => " class=\"l\"",
                Alignment::Number if column.begins => " class=\"b\"",
                Alignment::Number => "",
            };
            let title = column.title.as_deref().unwrap_or_default();
            self.add(format_args!("<th scope=\"col\"{class}>{}</th>", Escaped(title)));
        }
        self.text("</tr></thead><tbody>");
        for row in 0..table.len() {
            let is_total = table.has_total && row + 1 == table.len();
            self.text(if is_total { "<tr class=\"total\">" } else { "<tr>" });
            for (index, column) in columns().enumerate() {
                let cell = &column.cells[row];
                let reaches = |row: usize| !row.is_multiple_of(table.together) && column.cells[row] == Cell::default();
                if reaches(row) {
                    continue;
                }
                let (tag, scope) = match (index, column.place) {
                    (0, Alignment::Text | Alignment::Sentence) => ("th", " scope=\"row\""),
                    _ => ("td", ""),
                };
                let class = match column.place {
                    Alignment::Sentence if index == 0 => " class=\"w\"",
                    Alignment::Sentence => " class=\"l w\"",
                    Alignment::Text if index > 0 => " class=\"l\"",
                    _ if column.begins => " class=\"b\"",
                    _ => "",
                };
                self.add(format_args!("<{tag}{scope}{class}"));
                if row + 1 < table.len() && reaches(row + 1) {
                    self.add(format_args!(" rowspan=\"{}\"", table.together));
                }
                if index == 0 && table.is_named {
                    // What is cut is there to be seen.
                    self.add(format_args!(" title=\"{}\"", Escaped(&clip(&cell.text, NAME_MAX))));
                }
                self.text(">");
                self.cell(cell, if index == 0 { NAME_MAX } else { TEXT_MAX });
                self.add(format_args!("</{tag}>"));
            }
            self.text("</tr>");
        }
        self.text("</tbody></table></div>\n");
        if let Some((more, rest)) = table.rest {
            self.note(&format!("{} more {rest}.", number::count(more as u64)));
        }
    }

    /// What columns have in common, above their titles.
    fn groups<R>(&mut self, table: &Table<R>) {
        if table.columns.iter().all(|column| column.group.is_empty()) {
            return;
        }
        self.text("<tr>");
        for group in table.columns.chunk_by(|a, b| a.group == b.group) {
            match (group.len(), group[0].group) {
                (len, "") => self.add(format_args!("<td colspan=\"{len}\" class=\"g\"></td>")),
                (len, name) => {
                    self.add(format_args!("<th colspan=\"{len}\" scope=\"colgroup\" class=\"g b\">{name}</th>"));
                }
            }
        }
        self.text("</tr>");
    }

    /// The figures that are looked at first: name, value, and what stands below it.
    pub(super) fn keys(&mut self, figures: impl IntoIterator<Item = (&'static str, String, String)>) {
        self.text("<dl class=\"keys\">");
        for (name, value, below) in figures {
            let (value, below) = (Escaped(&value), Escaped(&below));
            self.add(format_args!("<div><dt>{name}</dt><dd>{value}<small>{below}</small></dd></div>"));
        }
        self.text("</dl>\n");
    }

    /// Names and what they are, in two columns.
    pub(super) fn facts(&mut self, facts: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<str>)>) {
        self.text("<div class=\"scroll\" tabindex=\"0\"><table class=\"facts\"><tbody>");
        for (name, value) in facts {
            let (name, value) = (Escaped(name.as_ref()), Escaped(value.as_ref()));
            self.add(format_args!("<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"));
        }
        self.text("</tbody></table></div>\n");
    }

    /// What is shown when it is asked for.
    pub(super) fn details(&mut self, summary: &str, inner: impl FnOnce(&mut Self)) {
        self.add(format_args!("<details><summary>{}</summary>", Escaped(&clip(summary, TEXT_MAX))));
        inner(self);
        self.text("</details>\n");
    }

    /// A picture for each width of the screen, between its legend, of samples, which are markup, with their names, and
    /// what is below it.
    pub(super) fn figure(
        &mut self,
        (title, about): (&str, &str),
        legend: impl IntoIterator<Item = (String, impl AsRef<str>)>,
        picture: impl Fn(f64) -> String,
        below: impl FnOnce(&mut Self),
    ) {
        self.add(format_args!("<figure><figcaption><h3>{}</h3>", Escaped(&clip(title, NAME_MAX))));
        if !about.is_empty() {
            self.add(format_args!("<p>{}</p>", Escaped(about)));
        }
        self.text("<ul class=\"legend\">");
        for (sample, name) in legend {
            self.add(format_args!(
                "<li><svg viewBox=\"0 0 26 9\" aria-hidden=\"true\">{sample}</svg>{}</li>",
                Escaped(&clip(name.as_ref(), NAME_MAX))
            ));
        }
        self.text("</ul></figcaption>");
        for width in WIDTHS {
            self.text.push_str(&picture(width));
        }
        below(self);
        self.text("</figure>\n");
    }
}
