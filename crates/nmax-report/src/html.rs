//! A document as one page: no address, nothing to load, readable from disk, on paper and by screen readers.
//!
//! Everything that came from a plan or a server passes through [`Escaped`], and the content policy of the page
//! forbids whatever could be loaded or run, but the one script of the page itself, which it knows by its hash. Without
//! that script everything can be read; with it, values are shown under the pointer, charts zoom, and lines are switched.

use std::fmt::{Arguments, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::doc::table::{Alignment, Cell, Column, Emphasis, Table};
use crate::doc::{Block, Body, Content, Document, Figure, Item, Media, Section};
use crate::markup::{Escaped, clip, id};
use crate::number;
use crate::svg::{self, Key};
use crate::view::View;

/// Most characters of a sentence.
const TEXT_MAX: usize = 2_000;
/// Most characters of a note, which may list names.
const NOTE_MAX: usize = 6_000;
/// Most characters of a name.
const NAME_MAX: usize = 300;
/// Most characters of a text that stands as it is.
const CODE_MAX: usize = 200_000;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/report.js");

/// The page of a run.
pub fn page(view: &View) -> String {
    write(&crate::report::run(view))
}

/// The whole page.
pub fn write(document: &Document) -> String {
    let mut page = Html::default();
    let hash = STANDARD.encode(Sha256::digest(SCRIPT));
    let title = if document.banner.word.is_empty() {
        document.title.clone()
    } else {
        format!("{}: {}", document.banner.word, document.title)
    };
    page.add(format_args!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"referrer\" content=\"no-referrer\">\
         <title>{}</title><style>{STYLE}{}</style></head><body>\n",
        Escaped(&clip(&title, NAME_MAX)),
        svg::PANEL_STYLE,
    ));
    page.header(document);
    page.text("<main>\n");
    let (appendix, report): (Vec<&Section>, Vec<&Section>) = on_page(document).partition(|section| section.is_appendix);
    page.contents(&report, !appendix.is_empty());
    report.into_iter().for_each(|section| page.section(section));
    if !appendix.is_empty() {
        page.text("<section id=\"appendix\"><h2><a href=\"#appendix\">Appendix</a></h2>\n");
        for section in appendix {
            page.add(format_args!("<details id=\"{}\"><summary>{}", id(&section.id), Escaped(&section.title)));
            page.aside(&section.aside);
            page.text("</summary>\n");
            page.blocks(&section.body);
            page.text("</details>\n");
        }
        page.text("</section>\n");
    }
    page.add(format_args!("</main>\n<footer>nmax {}. ", Escaped(&document.nmax_version)));
    page.prose(document.footer, TEXT_MAX);
    page.text("</footer>\n");
    page.add(format_args!("<script>{SCRIPT}</script></body></html>\n"));
    page.text
}

/// The parts of a page, for another page that shows them.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Reasons and notes of the answer.
    pub banner: String,
    /// What it is about.
    pub head: String,
    /// The blocks of each section that stands on the page, without its heading, in their order.
    pub sections: Vec<String>,
}

/// The parts of the page of a document: the same markup as [`write()`] makes, for the same style sheet.
pub fn parts(document: &Document) -> Parts {
    let part = |write: &dyn Fn(&mut Html)| {
        let mut html = Html::default();
        write(&mut html);
        html.text
    };
    let banner = &document.banner;
    Parts {
        banner: part(&|html| {
            html.items(&banner.reasons);
            banner.notes.iter().for_each(|note| html.paragraph("note", note, NOTE_MAX));
        }),
        head: part(&|html| {
            document.head.iter().filter(|block| block.media.has(Media::PAGE)).for_each(|block| html.block(block))
        }),
        sections: on_page(document).map(|section| part(&|html| html.blocks(&section.body))).collect(),
    }
}

/// The sections that a page has.
pub fn on_page(document: &Document) -> impl Iterator<Item = &Section> {
    document.sections.iter().filter(|section| section.stands_on(Media::PAGE))
}

/// The page so far.
#[derive(Default)]
struct Html {
    text: String,
}

impl Html {
    fn add(&mut self, part: Arguments<'_>) {
        self.text.write_fmt(part).expect("a string takes all text");
    }

    /// Markup of our own, without anything from outside.
    fn text(&mut self, markup: &'static str) {
        self.text.push_str(markup);
    }

    fn header(&mut self, document: &Document) {
        self.add(format_args!("<header><h1>{}</h1>", Escaped(&clip(&document.title, TEXT_MAX))));
        for block in document.head.iter().filter(|block| block.media.has(Media::PAGE)) {
            match &block.content {
                Content::Facts(facts) => {
                    self.text("<p class=\"meta\">");
                    for (name, value) in facts {
                        let (name, value) = (Escaped(name), clip(value, NAME_MAX));
                        self.add(format_args!("<span>{name} <b>{}</b></span> ", Escaped(&value)));
                    }
                    self.text("</p>\n");
                }
                _ => self.block(block),
            }
        }
        let banner = &document.banner;
        if !banner.word.is_empty() {
            let class = if banner.mark.class().is_empty() { "plain" } else { banner.mark.class() };
            let (symbol, word) = (banner.mark.symbol(), Escaped(&banner.word));
            self.add(format_args!(
                "<section class=\"banner {class}\" aria-label=\"Answer\"><strong>{symbol} {word}</strong> {}",
                Escaped(&clip(&banner.meaning, TEXT_MAX))
            ));
            self.items(&banner.reasons);
            banner.notes.iter().for_each(|note| self.paragraph("note", note, NOTE_MAX));
            self.text("</section>");
        }
        self.text("</header>\n");
    }

    fn contents(&mut self, sections: &[&Section], has_appendix: bool) {
        let titled: Vec<_> = sections.iter().filter(|section| !section.title.is_empty()).collect();
        if titled.len() < 3 {
            return;
        }
        self.text("<nav aria-label=\"Contents\">");
        for section in titled {
            self.add(format_args!("<a href=\"#{}\">{}</a> ", id(&section.id), Escaped(&clip(&section.title, 60))));
        }
        self.text(if has_appendix { "<a href=\"#appendix\">Appendix</a></nav>\n" } else { "</nav>\n" });
    }

    fn section(&mut self, section: &Section) {
        let anchor = id(&section.id);
        self.add(format_args!("<section id=\"{anchor}\">"));
        if !section.title.is_empty() {
            let title = clip(&section.title, TEXT_MAX);
            self.add(format_args!("<h2><a href=\"#{anchor}\">{}</a>", Escaped(&title)));
            self.aside(&section.aside);
            self.text("</h2>\n");
        }
        self.blocks(&section.body);
        self.text("</section>\n");
    }

    fn aside(&mut self, aside: &str) {
        if !aside.is_empty() {
            self.add(format_args!(" <small>{}</small>", Escaped(&clip(aside, TEXT_MAX))));
        }
    }

    fn blocks(&mut self, body: &Body) {
        let blocks: Vec<&Block> = body.blocks.iter().filter(|block| block.media.has(Media::PAGE)).collect();
        let is_small = |block: &Block| matches!(&block.content, Content::Figure(figure) if !figure.is_wide);
        for group in blocks.chunk_by(|a, b| is_small(a) && is_small(b)) {
            // Small pictures stand two in a row.
            let is_small = is_small(group[0]);
            self.text(if is_small { "<div class=\"two\">" } else { "" });
            group.iter().for_each(|block| self.block(block));
            self.text(if is_small { "</div>\n" } else { "" });
        }
    }

    fn block(&mut self, block: &Block) {
        match &block.content {
            Content::Heading(title) => self.add(format_args!("<h3>{}</h3>\n", Escaped(&clip(title, TEXT_MAX)))),
            Content::Text(text) => self.paragraph("", text, TEXT_MAX),
            Content::Note(text) => self.paragraph("note", text, NOTE_MAX),
            Content::Items(items) => self.items(items),
            Content::Facts(facts) => self.facts(facts),
            Content::Keys(keys) => {
                self.text("<dl class=\"keys\">");
                for key in keys {
                    let (name, value, below) = (Escaped(&key.name), Escaped(&key.value), Escaped(&key.below));
                    self.add(format_args!("<div><dt>{name}</dt><dd>{value}<small>{below}</small></dd></div>"));
                }
                self.text("</dl>\n");
            }
            Content::Table(table) => self.tables(table),
            Content::Figure(figure) => self.figure(figure),
            Content::Code(text) => self.add(format_args!("<pre>{}</pre>\n", Escaped(&clip(text, CODE_MAX)))),
            Content::Fold(summary, blocks) => {
                self.add(format_args!("<details><summary>{}</summary>", Escaped(&clip(summary, TEXT_MAX))));
                blocks.iter().for_each(|block| self.block(block));
                self.text("</details>\n");
            }
            // Pictures stand beside it.
            Content::Plot(_) => {}
        }
    }

    fn paragraph(&mut self, class: &str, text: &str, most: usize) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.add(format_args!("<p{class}>"));
        self.prose(text, most);
        self.text("</p>\n");
    }

    /// Writes text; parts between backticks become `code` elements.
    fn prose(&mut self, text: &str, most: usize) {
        let text = clip(text, most);
        let is_paired = text.matches('`').count().is_multiple_of(2);
        for (index, part) in text.split('`').enumerate() {
            match (is_paired, index % 2) {
                (true, 1) => self.add(format_args!("<code>{}</code>", Escaped(part))),
                (true, _) => self.add(format_args!("{}", Escaped(part))),
                (false, _) => self.add(format_args!("{}{}", if index == 0 { "" } else { "`" }, Escaped(part))),
            }
        }
    }

    fn items(&mut self, items: &[Item]) {
        if items.is_empty() {
            return;
        }
        self.text("<ul>");
        for item in items {
            let symbol = item.mark.symbol();
            if symbol.is_empty() {
                self.text("<li>");
            } else {
                self.add(format_args!("<li class=\"m\"><b class=\"{}\">{symbol}</b> ", item.mark.class()));
            }
            if !item.title.is_empty() {
                self.add(format_args!("<strong>{}</strong> ", Escaped(&clip(&item.title, TEXT_MAX))));
            }
            self.prose(&item.text, TEXT_MAX);
            if !item.code.is_empty() {
                self.add(format_args!(" <small>{}</small>", Escaped(&clip(&item.code, NAME_MAX))));
            }
            self.items(&item.below);
            self.text("</li>");
        }
        self.text("</ul>\n");
    }

    fn facts(&mut self, facts: &[(String, String)]) {
        self.text("<dl class=\"facts\">");
        for (name, value) in facts {
            self.add(format_args!("<div><dt>{}</dt><dd>", Escaped(&clip(name, NAME_MAX))));
            self.prose(value, TEXT_MAX);
            self.text("</dd></div>");
        }
        self.text("</dl>\n");
    }

    /// A table without its details, which come folded below it, with its names.
    fn tables(&mut self, table: &Table<()>) {
        // A column without a word would only take room.
        let says =
            |column: &&Column| column.title.is_some() && column.cells.iter().any(|cell| *cell != Cell::default());
        let columns = table.columns.iter().filter(says);
        let (details, shown): (Vec<&Column>, Vec<&Column>) = columns.partition(|column| column.is_detail);
        self.table(table, &shown);
        if !details.is_empty() {
            self.text("<details><summary>More figures</summary>");
            self.table(table, &shown.into_iter().take(1).chain(details).collect::<Vec<_>>());
            self.text("</details>\n");
        }
    }

    /// A table, and where its other rows are.
    fn table(&mut self, table: &Table<()>, columns: &[&Column]) {
        // On narrow screens a row of several values is a list of titles and values.
        let is_list = columns.len() > 2 && columns[0].place != Alignment::Number && table.together == 1;
        let names = if table.is_named { " names" } else { "" };
        let list = if is_list { " list" } else { "" };
        self.add(format_args!("<div class=\"scroll{names}{list}\" tabindex=\"0\"><table><thead>"));
        self.groups(columns);
        self.text("<tr>");
        for column in columns {
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
            let is_total = table.is_total(row);
            self.text(if is_total { "<tr class=\"total\">" } else { "<tr>" });
            for (index, column) in columns.iter().enumerate() {
                let reaches = |row: usize| !row.is_multiple_of(table.together) && column.cells[row] == Cell::default();
                if !reaches(row) {
                    let rows = if row + 1 < table.len() && reaches(row + 1) { table.together } else { 1 };
                    self.table_cell(column, row, (index, rows), (table.is_named, is_list));
                }
            }
            self.text("</tr>");
        }
        self.text("</tbody></table></div>\n");
        if let Some((more, rest)) = table.rest {
            self.paragraph("note", &format!("{} more {rest}.", number::count(more as u64)), NOTE_MAX);
        }
    }

    /// A cell at `index`, so many `rows` high.
    fn table_cell(
        &mut self,
        column: &Column,
        row: usize,
        (index, rows): (usize, usize),
        (is_named, is_list): (bool, bool),
    ) {
        let cell = &column.cells[row];
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
        if rows > 1 {
            self.add(format_args!(" rowspan=\"{rows}\""));
        }
        if index == 0 && is_named {
            // What is cut is there to be seen.
            self.add(format_args!(" title=\"{}\"", Escaped(&clip(&cell.text, NAME_MAX))));
        }
        // A name of digits alone needs its title too.
        if is_list && (index > 0 || cell.line().chars().all(|c| c.is_ascii_digit())) {
            let title = [column.group, column.title.as_deref().unwrap_or_default()].join(" ");
            if title.len() > 1 {
                self.add(format_args!(" data-t=\"{}\"", Escaped(title.trim())));
            }
        }
        self.text(">");
        let most = if index == 0 { NAME_MAX } else { TEXT_MAX };
        self.cell(cell, most);
        self.add(format_args!("</{tag}>"));
    }

    fn cell(&mut self, cell: &Cell, most: usize) {
        let Cell { look, word, text, small, .. } = cell;
        let word = clip(word, most);
        match (look, Escaped(&word)) {
            _ if word.is_empty() => {}
            (Emphasis::Plain, word) => self.add(format_args!("{word}")),
            (Emphasis::Strong, word) => self.add(format_args!("<strong>{word}</strong>")),
            (Emphasis::Code, word) => self.add(format_args!("<code>{word}</code>")),
            (Emphasis::Class(class), word) => self.add(format_args!("<span class=\"{class}\">{word}</span>")),
        }
        self.text(if word.is_empty() || text.is_empty() { "" } else { " " });
        self.prose(text, most);
        if !small.is_empty() {
            self.add(format_args!(" <small>{}</small>", Escaped(&clip(small, TEXT_MAX))));
        }
    }

    /// What columns have in common, above their titles.
    fn groups(&mut self, columns: &[&Column]) {
        if columns.iter().all(|column| column.group.is_empty()) {
            return;
        }
        self.text("<tr>");
        for group in columns.chunk_by(|a, b| a.group == b.group) {
            match (group.len(), group[0].group) {
                (len, "") => self.add(format_args!("<td colspan=\"{len}\" class=\"g\"></td>")),
                (len, name) => {
                    self.add(format_args!("<th colspan=\"{len}\" scope=\"colgroup\" class=\"g b\">{name}</th>"));
                }
            }
        }
        self.text("</tr>");
    }

    fn legend(&mut self, figure: &Figure) {
        if figure.legend.is_empty() {
            return;
        }
        let is_panel = figure.drawings.first().is_some_and(|drawing| drawing.has_class("usl"));
        self.text("<ul class=\"legend\">");
        for (key, name) in &figure.legend {
            let sample = sample(*key, if is_panel { " class=\"usl\"" } else { "" });
            self.add(format_args!("<li>{sample}{}</li>", Escaped(&clip(name, NAME_MAX))));
        }
        self.text("</ul>");
    }

    /// A picture for each width of the screen, below its legend and above its numbers.
    fn figure(&mut self, figure: &Figure) {
        let axis =
            figure.axis_s.map_or_else(String::new, |(row, end)| format!(" data-row=\"{row}\" data-end=\"{end}\""));
        self.add(format_args!("<figure id=\"figure-{}\"{axis}><figcaption>", id(&figure.id)));
        if !figure.title.is_empty() {
            self.add(format_args!("<h3>{}</h3>", Escaped(&clip(&figure.title, NAME_MAX))));
        }
        if !figure.about.is_empty() {
            self.add(format_args!("<p>{}</p>", Escaped(&figure.about)));
        }
        if !figure.title.is_empty() {
            self.legend(figure);
        }
        self.text("</figcaption>");
        for drawing in &figure.drawings {
            self.text.push_str(&drawing.svg());
        }
        if figure.title.is_empty() {
            // The picture says its title itself.
            self.legend(figure);
        }
        if let Some(table) = &figure.numbers {
            self.text("<details><summary>Numbers</summary>");
            self.table(table, &table.columns.iter().collect::<Vec<_>>());
            self.text("</details>");
        }
        self.text("</figure>\n");
    }
}

/// What stands before a line of a legend; `class` is that of its picture.
fn sample(key: Key, class: &str) -> String {
    let inner = match key {
        Key::Curve(class) => format!("<path class=\"line {class}\" d=\"M1 5.5H25\"/>"),
        Key::Area(class) => format!("<rect class=\"fill {class}\" width=\"26\" height=\"11\"/>"),
        Key::Dot(class, shape) => svg::sample_point(class, shape),
        Key::None => return String::new(),
    };
    format!("<svg{class} viewBox=\"0 0 26 11\" aria-hidden=\"true\">{inner}</svg>")
}
