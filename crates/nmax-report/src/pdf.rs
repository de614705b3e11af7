//! A report as PDF: a few A4 pages that are sent around and printed.
//!
//! [`write`] turns a [`Document`] into the bytes of a file. It reads no clock, so the same document gives the same bytes.
//! The file embeds its fonts, takes its colors from the page's style sheet, and tags its parts for screen readers. It
//! contains the blocks of [`Media::PDF`](crate::doc::Media::PDF). Characters that the fonts lack become escapes.
//!
//! # Layout
//! - `text`: fonts, widths, lines
//! - `style`, `picture`: the style sheets of the page, and drawings in it
//! - `shape`: what is placed on a page
//! - `flow`, `blocks`, `table`: blocks as pieces, pieces on pages
//! - `file`: pages as a file

use crate::doc::Document;
use flow::{BOTTOM, EDGE, Flow, PAGE, Page, Part, WIDTH};
use picture::Painter;
use shape::{Shape, label};
use style::Sheet;
use text::Fonts;

mod blocks;
mod file;
mod flow;
mod picture;
mod shape;
mod style;
mod table;
mod text;

/// The file.
pub fn write(document: &Document) -> Vec<u8> {
    let fonts = Fonts::new();
    let (pages, parts) = lay_out(document, &fonts);
    file::write(document, &pages, &parts, &fonts)
}

/// What each page says, in the order in which it is drawn.
pub fn texts(document: &Document) -> Vec<String> {
    let text = |shape: &Shape| match &shape.ink {
        shape::Ink::Text(run) => Some(run.text.clone()),
        shape::Ink::Path(..) => None,
    };
    let (pages, _) = lay_out(document, &Fonts::new());
    pages.iter().map(|page| page.shapes.iter().filter_map(text).collect::<Vec<_>>().join(" ")).collect()
}

/// The pages with their footers, and the parts that their shapes belong to.
fn lay_out(document: &Document, fonts: &Fonts) -> (Vec<Page>, Vec<Part>) {
    let sheet = Sheet::new();
    let painter = Painter { fonts, sheet: &sheet };
    let mut flow = Flow { painter: &painter, pieces: Vec::new(), heads: Vec::new(), parts: Vec::new(), scale: 1.0 };
    flow.title(&document.title);
    flow.head(&document.head);
    flow.banner(&document.banner);
    document.sections.iter().filter(|section| !section.is_appendix).for_each(|section| flow.section(section));
    flow.scale = 0.92;
    document.sections.iter().filter(|section| section.is_appendix).for_each(|section| flow.section(section));
    if !document.footer.is_empty() {
        flow.paragraph(flow.soft(7.4), document.footer, 14.0, 6);
    }
    let mut pages = flow.pages();
    let count = pages.len();
    for (index, page) in pages.iter_mut().enumerate() {
        page.shapes.extend(footer(document, &flow, index + 1, count));
    }
    (pages, flow.parts)
}

/// What stands below every page: what it is of, the answer, and its number.
fn footer(document: &Document, flow: &Flow, number: usize, count: usize) -> Vec<Shape> {
    let (fonts, soft, y) = (flow.painter.fonts, flow.soft(7.2).sized(7.2), BOTTOM + 23.0);
    let right = label(fonts, soft, &format!("page {number} of {count}"), (EDGE + WIDTH, y), 1.0);
    let word = soft.bold().colored(flow.meaning(document.banner.mark.class()));
    let word = label(fonts, word, &document.banner.word, (EDGE + WIDTH - 62.0, y), 1.0);
    let title = format!("nmax {} · {}", document.nmax_version, document.title);
    let title = flow.wrap(&[soft.run(title)], WIDTH - 150.0, 1).remove(0);
    let mut shapes = vec![Shape::rule((EDGE, BOTTOM + 11.0), WIDTH, 0.5, flow.color("line")), right, word];
    shapes.extend(shape::shapes_of(title, (EDGE, y)));
    debug_assert!(shapes.iter().all(|shape| shape.at.1 < PAGE.1));
    shapes
}

#[cfg(test)]
mod tests;
