//! A document as Markdown, for comments of build servers and for wikis: at most [`BYTES_MAX`].
//!
//! Tables are those of GitHub. What would make the text too long is left out from the end on, and named.

use std::fmt::Write as _;

use nmax_text::shown;

use crate::doc::table::{Alignment, Column, Table};
use crate::doc::{Block, Content, Document, Item, Media, Section};
use crate::markup::clip;

/// Most bytes of a text: a comment on GitHub may have 65,536 characters.
pub const BYTES_MAX: usize = 60_000;
/// Most characters of a sentence, and most rows of a table.
const TEXT_MAX: usize = 1_000;
const ROWS_MAX: usize = 100;

/// The document, its answer first.
pub fn write(document: &Document) -> String {
    let banner = &document.banner;
    let (symbol, word, title) = (banner.mark.symbol(), escaped(&banner.word), escaped(&document.title));
    let gap = if word.is_empty() { "" } else { ": " };
    let mut page = format!("## {} {word}{gap}{title}\n\n", symbol).replace("##  ", "## ");
    if !banner.meaning.is_empty() {
        let _ = writeln!(page, "{}\n", escaped(&banner.meaning));
    }
    items(&mut page, &banner.reasons, 0);
    document.head.iter().filter(|block| block.media.has(Media::MARKDOWN)).for_each(|one| block(&mut page, one));
    let mut left_out = Vec::new();
    for section in document.sections.iter().filter(|section| section.stands_on(Media::MARKDOWN)) {
        let text = self::section(section);
        if page.len() + text.len() > BYTES_MAX {
            left_out.push(if section.title.is_empty() { &section.id } else { &section.title });
        } else {
            page.push_str(&text);
        }
    }
    if !left_out.is_empty() {
        let names: Vec<String> = left_out.iter().take(20).map(|title| escaped(&clip(title, 80))).collect();
        let _ = writeln!(page, "\nLeft out for its length: {}. The page has it.", names.join(", "));
    }
    page
}

fn section(section: &Section) -> String {
    let mut text = String::new();
    if !section.title.is_empty() {
        let aside = if section.aside.is_empty() { String::new() } else { format!(" ({})", escaped(&section.aside)) };
        let _ = writeln!(text, "\n### {}{aside}\n", escaped(&section.title));
    }
    let blocks = section.body.blocks.iter().filter(|block| block.media.has(Media::MARKDOWN));
    blocks.for_each(|one| block(&mut text, one));
    text
}

fn block(page: &mut String, block: &Block) {
    let _ = match &block.content {
        Content::Heading(title) => writeln!(page, "\n#### {}\n", escaped(title)),
        Content::Text(text) | Content::Note(text) => writeln!(page, "{}\n", escaped(&clip(text, TEXT_MAX))),
        Content::Items(list) => {
            items(page, list, 0);
            writeln!(page)
        }
        Content::Facts(facts) => {
            for (name, text) in facts {
                let gap = if name.is_empty() { "" } else { ": " };
                let _ = writeln!(page, "- {}{gap}{}", escaped(name), escaped(&clip(text, TEXT_MAX)));
            }
            writeln!(page)
        }
        Content::Keys(keys) => {
            let row = |of: fn(&crate::doc::KeyFigure) -> &str| {
                keys.iter().map(|key| escaped(of(key))).collect::<Vec<_>>().join(" | ")
            };
            let rule = vec!["--:"; keys.len()].join("|");
            writeln!(page, "| {} |\n|{rule}|\n| {} |\n", row(|key| &key.name), row(|key| &key.value))
        }
        Content::Table(table) => {
            self::table(page, table);
            writeln!(page)
        }
        Content::Code(text) => {
            let fence = "`".repeat(text.split(|c| c != '`').map(str::len).max().unwrap_or(0).max(2) + 1);
            writeln!(page, "{fence}\n{}\n{fence}\n", nmax_text::shown_lines(&clip(text, TEXT_MAX)))
        }
        Content::Fold(summary, blocks) => {
            let _ = writeln!(page, "<details><summary>{}</summary>\n", escaped(summary));
            blocks.iter().for_each(|one| self::block(page, one));
            writeln!(page, "\n</details>\n")
        }
        // Its numbers stand in the tables.
        Content::Figure(_) | Content::Plot(_) => Ok(()),
    };
}

fn items(page: &mut String, list: &[Item], depth: usize) {
    for item in list {
        let parts = [item.mark.symbol(), escaped(&item.title), escaped(&clip(&item.text, TEXT_MAX))];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let code = if item.code.is_empty() { String::new() } else { format!(" ({})", escaped(&item.code)) };
        let _ = writeln!(page, "{}- {}{code}", "  ".repeat(depth), parts.join(" "));
        items(page, &item.below, depth + 1);
    }
}

fn table(page: &mut String, table: &Table<()>) {
    let columns: Vec<&Column> =
        table.columns.iter().filter(|column| column.title.is_some() && !column.is_detail).collect();
    let title =
        |column: &&Column| escaped([column.group, column.title.as_deref().unwrap_or_default()].join(" ").trim());
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    page.push_str(&line(columns.iter().map(title).collect()));
    let rule = |column: &&Column| if column.place == Alignment::Number { "--:" } else { "---" };
    let _ = writeln!(page, "|{}|", columns.iter().map(rule).collect::<Vec<_>>().join("|"));
    for row in (0..table.len()).filter(|row| *row < ROWS_MAX || table.is_total(*row)) {
        page.push_str(&line(
            columns.iter().map(|column| escaped(&clip(&column.cells[row].line(), TEXT_MAX))).collect(),
        ));
    }
    let hidden = table.len().saturating_sub(ROWS_MAX + usize::from(table.has_total));
    let rest = table.rest.map(|(more, rest)| format!("{more} more {rest}."));
    let hidden = (hidden > 0).then(|| format!("{hidden} more rows on the page."));
    hidden.into_iter().chain(rest).for_each(|text| _ = writeln!(page, "\n{}", escaped(&text)));
}

/// Text in one line: what stands between backticks is code, of all else nothing is markup.
fn escaped(text: &str) -> String {
    let text = shown(text);
    let parts: Vec<&str> = text.split('`').collect();
    let is_code = |index: usize| index % 2 == 1;
    let is_paired = parts.len() % 2 == 1
        && parts.iter().enumerate().all(|(index, part)| !is_code(index) || !part.trim().is_empty());
    if !is_paired {
        return plain(&text);
    }
    let part = |(index, part): (usize, &&str)| match is_code(index) {
        true => format!("`{}`", part.replace('|', "\\|")),
        false => plain(part),
    };
    parts.iter().enumerate().map(part).collect()
}

/// Text without what Markdown, HTML or a table would take for its own.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            '&' => plain.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' | '@' => {
                plain.push('\\');
                plain.push(letter);
            }
            letter => plain.push(letter),
        }
    }
    plain
}
