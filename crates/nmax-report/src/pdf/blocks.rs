//! Blocks of a document as pieces: each kind of block, how it looks.

use pdf_writer::types::StructRole;

use super::flow::{Flow, Piece, WIDTH, base, frame, leading};
use super::shape::Shape;
use super::text::{Face, Line, Look, Run};
use crate::doc::table::Emphasis;
use crate::doc::{Banner, Block, Content, Figure, Item, KeyFigure, Mark, Media, Section};
use crate::svg::{Drawing, key_sample};

/// Sizes of text, points.
const BODY: f32 = 8.8;
const NOTE: f32 = 7.8;
const CODE: f32 = 7.2;
/// At most so many lines of a paragraph, a point, a fact; lines of code; points of a list, facts.
const LINES_MAX: usize = 24;
const CODE_MAX: usize = 60;
const ITEMS_MAX: usize = 60;
/// Tiles of key figures side by side, and what is between them.
const TILES: usize = 4;
const GAP: f32 = 8.0;
/// Points that a unit of a picture has best: its text is as large as that of tables then.
const UNIT: f32 = 0.66;

impl Flow<'_> {
    /// The title of the document.
    pub(super) fn title(&mut self, title: &str) {
        let part = self.part(StructRole::H1, None);
        let lines = self.wrap(&[self.look(19.0).bold().run(title)], WIDTH, 3);
        self.lines(lines, 0.0, 0.0, part);
    }

    /// What a document is about, below its title: facts on lines, one behind the other.
    pub(super) fn head(&mut self, blocks: &[Block]) {
        for block in blocks.iter().filter(|block| block.media.has(Media::PDF)) {
            let Content::Facts(facts) = &block.content else {
                self.blocks(std::slice::from_ref(block));
                continue;
            };
            let (part, soft) = (self.part(StructRole::P, None), self.soft(BODY));
            let runs = facts.iter().enumerate().flat_map(|(index, (name, value))| {
                let dot = if index > 0 { "·" } else { "" };
                [soft.run(format!("{dot} {name}")), soft.colored(self.color("ink")).run(value.as_str())]
            });
            let lines = self.wrap(&runs.collect::<Vec<_>>(), WIDTH, LINES_MAX);
            self.lines(lines, 0.0, 2.0, part);
        }
    }

    /// The answer: its word, what it means, and why.
    pub(super) fn banner(&mut self, banner: &Banner) {
        if banner.word.is_empty() && banner.reasons.is_empty() && banner.notes.is_empty() {
            return;
        }
        let class = banner.mark.class();
        let (back, bar) = match class {
            "pass" => ("passbg", self.meaning(class)),
            "fail" => ("failbg", self.meaning(class)),
            "invalid" => ("invbg", self.meaning(class)),
            _ => ("bg", self.color("c5")),
        };
        let (from, inner) = (self.pieces.len(), WIDTH - 32.0);
        self.room(7.0, 10.0);
        let part = self.part(StructRole::P, None);
        let word = [banner.mark.symbol(), banner.word.clone()].join(" ");
        let word = self.look(16.0).bold().colored(self.meaning(class)).run(word);
        let lines = self.wrap(&[word, self.look(9.5).run(banner.meaning.as_str())], inner, 4);
        self.lines(lines, 18.0, 0.0, part);
        self.items(&banner.reasons, 18.0, inner);
        for note in &banner.notes {
            let part = self.part(StructRole::P, None);
            let lines = self.wrap(&prose(self.soft(NOTE), note), inner, LINES_MAX);
            self.lines(lines, 18.0, 3.0, part);
        }
        self.room(8.0, 0.0);
        self.behind(from, self.color(back), Some(bar));
    }

    /// A section under its heading.
    pub(super) fn section(&mut self, section: &Section) {
        let from = self.pieces.len();
        self.blocks(&section.body.blocks);
        if self.pieces.len() == from || section.title.is_empty() {
            return;
        }
        let body = self.pieces.split_off(from);
        let part = self.part(StructRole::H2, None);
        let (title, aside) = (self.look(12.5).bold(), self.soft(NOTE).run(section.aside.as_str()));
        let lines = self.wrap(&[title.run(section.title.as_str()), aside], WIDTH, 3);
        self.lines(lines, 0.0, 17.0, part);
        self.pieces[from].bookmark = Some(section.title.clone());
        self.pieces[from..].iter_mut().for_each(|piece| piece.keeps = true);
        self.pieces.extend(body);
    }

    /// Blocks, those that a PDF shows.
    pub(super) fn blocks(&mut self, blocks: &[Block]) {
        let mut rest = blocks.iter().filter(|block| block.media.has(Media::PDF)).peekable();
        while let Some(block) = rest.next() {
            match &block.content {
                Content::Heading(title) => self.heading(title),
                Content::Text(text) => self.paragraph(self.look(BODY), text, 5.0, LINES_MAX),
                Content::Note(text) => self.paragraph(self.soft(NOTE), text, 4.0, LINES_MAX),
                Content::Items(items) => self.items(items, 0.0, WIDTH),
                Content::Facts(facts) => self.facts(facts),
                Content::Keys(keys) => self.keys(keys),
                Content::Table(table) => self.table(table),
                Content::Figure(figure) => {
                    let next = match rest.peek().map(|next| &next.content) {
                        Some(Content::Figure(next)) if !figure.is_wide && !next.is_wide => Some(next),
                        _ => None,
                    };
                    if next.is_some() {
                        rest.next();
                    }
                    self.figures(figure, next.map(Box::as_ref));
                }
                Content::Code(text) => self.code(text),
                Content::Fold(summary, blocks) => {
                    self.heading(summary);
                    self.blocks(blocks);
                }
                Content::Plot(_) => {}
            }
        }
    }

    fn heading(&mut self, title: &str) {
        let (part, from) = (self.part(StructRole::H3, None), self.pieces.len());
        let lines = self.wrap(&[self.look(9.8).bold().run(title)], WIDTH, 3);
        self.lines(lines, 0.0, 10.0, part);
        self.pieces[from..].iter_mut().for_each(|piece| piece.keeps = true);
    }

    /// Points from `left` on, so wide.
    fn items(&mut self, items: &[Item], left: f32, width: f32) {
        let list = self.part(StructRole::L, None);
        for item in items.iter().take(ITEMS_MAX) {
            let (point, look) = (self.part(StructRole::LI, Some(list)), self.look(BODY));
            let part = self.part(StructRole::LBody, Some(point));
            let indent = if item.mark == Mark::None { 0.0 } else { 14.0 * self.scale };
            let mut runs = prose(look, &item.text);
            runs.insert(0, look.bold().run(item.title.as_str()));
            runs.push(self.soft(NOTE - 0.6).run(item.code.as_str()));
            let (from, lines) = (self.pieces.len(), self.wrap(&runs, width - indent, LINES_MAX));
            self.lines(lines, left + indent, 2.6, part);
            let color = self.meaning(item.mark.class());
            let symbol = Line { runs: vec![(0.0, look.bold().colored(color).run(item.mark.symbol()))], width: 0.0 };
            let symbol = self.line(symbol, (left, 0.0), part);
            self.pieces[from].shapes.splice(0..0, symbol);
            self.items(&item.below, left + indent.max(14.0), width - indent.max(14.0));
        }
        self.more(items.len(), "points");
    }

    /// Says what does not stand here.
    fn more(&mut self, count: usize, what: &str) {
        if count > ITEMS_MAX {
            let text = format!("{} more {what} are in the HTML report.", count - ITEMS_MAX);
            self.paragraph(self.soft(NOTE), &text, 3.0, 1);
        }
    }

    /// Names and what they are: in two columns where all of them are short.
    fn facts(&mut self, facts: &[(String, String)]) {
        let (fonts, soft, look) = (self.painter.fonts, self.soft(NOTE + 0.4), self.look(NOTE + 0.4));
        let shown = &facts[..facts.len().min(ITEMS_MAX)];
        let widest = |texts: &mut dyn Iterator<Item = &String>, look| {
            texts.map(|text| fonts.width(look, &fonts.showable(Face::Sans, text))).fold(0.0, f32::max)
        };
        let name = widest(&mut shown.iter().map(|fact| &fact.0), soft).min(0.3 * WIDTH) + 12.0;
        let half = (WIDTH - 24.0) / 2.0 - name;
        let is_short = |(_, text): &(String, String)| self.wrap(&prose(look, text), half, 4).len() < 4;
        let columns = if shown.len() > 3 && half > 90.0 && shown.iter().all(is_short) { 2 } else { 1 };
        let width = (WIDTH - 24.0 * (columns as f32 - 1.0)) / columns as f32;
        let rows = shown.len().div_ceil(columns);
        let table = self.part(StructRole::Table, None);
        for row in 0..rows {
            let (mut shapes, mut height) = (Vec::new(), 0.0f32);
            let tr = self.part(StructRole::TR, Some(table));
            for (column, (label, text)) in shown.iter().skip(row).step_by(rows).enumerate() {
                let x = column as f32 * (width + 24.0);
                for (left, room, look, text, role) in [
                    (x, name - 12.0, soft, label, StructRole::TH),
                    (x + name, width - name, look, text, StructRole::TD),
                ] {
                    let cell = self.part(role, Some(tr));
                    let lines = self.wrap(&prose(look, text), room + 1.0, LINES_MAX);
                    let (block, end) = self.block(lines, (left, 2.0), cell);
                    shapes.extend(block);
                    height = height.max(end + 2.0);
                }
                shapes.push(Shape::rule((x, 0.0), width, 0.5, self.color("line")));
            }
            let before = if row == 0 { 6.0 } else { 0.0 };
            self.pieces.push(Piece { height, before, keeps: row == 0 && rows > 1, shapes, ..Piece::default() });
        }
        self.more(facts.len(), "facts");
    }

    /// Tiles side by side.
    fn keys(&mut self, keys: &[KeyFigure]) {
        let per_row = if keys.len().is_multiple_of(TILES) || keys.len() > 6 { TILES } else { keys.len().clamp(1, 3) };
        let width = (WIDTH - GAP * (per_row as f32 - 1.0)) / per_row as f32;
        for row in keys.chunks(per_row) {
            let (mut tiles, mut height) = (Vec::new(), 0.0f32);
            for (index, key) in row.iter().enumerate() {
                let (x, part) = (index as f32 * (width + GAP), self.part(StructRole::P, None));
                let (mut shapes, mut y) = (Vec::new(), 7.0);
                for (look, text, most) in [
                    (self.soft(NOTE), &key.name, 1),
                    (self.look(14.0).bold(), &key.value, 1),
                    (self.soft(NOTE - 0.6), &key.below, 3),
                ] {
                    let lines = self.wrap(&[look.run(text.as_str())], width - 20.0, most);
                    let (block, end) = self.block(lines, (x + 10.0, y), part);
                    shapes.extend(block);
                    y = end + 1.0;
                }
                height = height.max(y + 6.0);
                tiles.push((x, shapes));
            }
            let (back, line) = (self.color("bg"), self.color("line"));
            let shapes = tiles
                .into_iter()
                .flat_map(|(x, shapes)| [frame((x, 0.0), (width, height), back, line)].into_iter().chain(shapes));
            self.pieces.push(Piece { height, before: GAP + 2.0, shapes: shapes.collect(), ..Piece::default() });
        }
    }

    /// A picture as wide as the page if it is large enough, or two side by side.
    fn figures(&mut self, figure: &Figure, beside: Option<&Figure>) {
        let widest = figure.drawings.iter().map(|drawing| drawing.size.0 as f32).fold(0.0, f32::max);
        let width = if beside.is_some() { (WIDTH - 2.0 * GAP) / 2.0 } else { WIDTH.min(widest.max(400.0) * 0.75) };
        let (mut shapes, mut height) = (Vec::new(), 0.0f32);
        let figures = || [Some(figure), beside].into_iter().flatten();
        let captions: Vec<_> = figures().map(|figure| self.caption(figure, width)).collect();
        // Pictures side by side begin on one line.
        let top = captions.iter().map(|(_, end)| *end).fold(0.0, f32::max);
        for (index, (figure, (caption, _))) in figures().zip(captions).enumerate() {
            let (picture, end) = self.picture(figure, width, top);
            let x = index as f32 * (width + 2.0 * GAP);
            shapes.extend(caption.into_iter().chain(picture).map(|shape| shape.moved((x, 0.0))));
            height = height.max(end);
        }
        self.pieces.push(Piece { height, before: 11.0, shapes, ..Piece::default() });
    }

    /// Title, legend and how a picture is read, and where they end.
    fn caption(&mut self, figure: &Figure, width: f32) -> (Vec<Shape>, f32) {
        let part = self.part(StructRole::P, None);
        let title = self.wrap(&[self.look(9.2).bold().run(figure.title.as_str())], width, 2);
        let (mut shapes, y) = self.block(title, (0.0, 0.0), part);
        let about = self.wrap(&[self.soft(NOTE - 0.4).run(figure.about.as_str())], width, 3);
        let about = if figure.about.is_empty() { Vec::new() } else { about };
        let (block, y) = self.block(about, (0.0, y), part);
        shapes.extend(block);
        let (legend, y) = self.legend(figure, width, y + 2.0, part);
        shapes.extend(legend);
        (shapes, y)
    }

    /// The drawing whose text is best to read, and where it ends.
    fn picture(&mut self, figure: &Figure, width: f32, top: f32) -> (Vec<Shape>, f32) {
        let far = |drawing: &&Drawing| (drawing.size.0 as f32 * UNIT / width).ln().abs();
        let Some(drawing) = figure.drawings.iter().min_by(|a, b| far(a).total_cmp(&far(b))) else {
            return (Vec::new(), top);
        };
        let part = self.part(StructRole::Figure, None);
        let about = if drawing.about.is_empty() { &figure.title } else { &drawing.about };
        self.parts[part].about = self.painter.fonts.showable(Face::Sans, about);
        let (shapes, height) = self.painter.picture(drawing, width);
        (shapes.into_iter().map(|shape| shape.moved((0.0, top)).of_part(part)).collect(), top + height)
    }

    /// Samples with their names, in lines.
    fn legend(&mut self, figure: &Figure, width: f32, top: f32, part: usize) -> (Vec<Shape>, f32) {
        let (look, sample) = (self.soft(NOTE - 0.4), 20.0);
        let (mut shapes, mut x, mut y, height) = (Vec::new(), 0.0, top, leading(look.size));
        for (key, name) in &figure.legend {
            let name = self.wrap(&[look.run(name.as_str())], width - sample - 4.0, 1).remove(0);
            let wide = sample + 4.0 + name.width;
            if x > 0.0 && x + wide > width {
                (x, y) = (0.0, y + height);
            }
            let drawing = key_sample(*key);
            let middle = y + base(look.size) - 0.36 * look.size;
            let inner = self.painter.picture(&drawing, sample).0.into_iter();
            shapes.extend(inner.map(|shape| shape.moved((x, middle - 4.5 * sample / 26.0)).of_part(part)));
            shapes.extend(self.line(name, (x + sample + 4.0, y), part));
            x += wide + 12.0;
        }
        (shapes, if figure.legend.is_empty() { top } else { y + height + 2.0 })
    }

    /// Text as it is.
    fn code(&mut self, text: &str) {
        let (look, from) = (Look { face: Face::Mono, ..self.look(CODE) }, self.pieces.len());
        let part = self.part(StructRole::P, None);
        self.room(4.0, 5.0);
        let mut lines = text.lines();
        for line in lines.by_ref().take(CODE_MAX) {
            let indent = line.chars().take_while(|c| *c == ' ').count().min(40);
            let left = 8.0 + self.painter.fonts.width(look, &" ".repeat(indent));
            let lines = self.wrap(&[look.run(line)], WIDTH - left - 8.0, LINES_MAX);
            match line.trim().is_empty() {
                true => self.room(0.6 * leading(look.size), 0.0),
                false => self.lines(lines, left, 0.0, part),
            }
        }
        if lines.next().is_some() {
            let more = self.wrap(&[self.soft(CODE).run("… the rest is in the HTML report.")], WIDTH - 16.0, 1);
            self.lines(more, 8.0, 0.0, part);
        }
        self.room(4.0, 0.0);
        self.behind(from, self.color("bg"), None);
    }

    /// The look of a word that stands out.
    pub(super) fn emphasis(&self, look: Look, emphasis: Emphasis) -> Look {
        match emphasis {
            Emphasis::Plain => look,
            Emphasis::Strong => look.bold(),
            Emphasis::Code => Look { face: Face::Mono, size: 0.92 * look.size, ..look },
            Emphasis::Class(class) => look.bold().colored(self.meaning(class)),
        }
    }
}

/// Splits text into runs; parts between backticks get the monospaced font.
pub(super) fn prose(look: Look, text: &str) -> Vec<Run> {
    if !text.matches('`').count().is_multiple_of(2) {
        return vec![look.run(text)];
    }
    let typed = Look { face: Face::Mono, size: 0.9 * look.size, ..look };
    let mut has_space = true;
    let run = |(index, part): (usize, &str)| {
        let is_glued = !has_space && !part.starts_with(' ');
        has_space = part.ends_with(' ');
        Run { is_glued, ..if index % 2 == 1 { typed } else { look }.run(part) }
    };
    text.split('`').enumerate().map(run).collect()
}
