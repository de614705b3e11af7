//! A document as Markdown, for comments of build servers and for wikis: at most [`BYTES_MAX`].
//!
//! Tables are those of GitHub. What would make the text too long is left out, and named.

use std::slice;

use nmax_text::shown;

use crate::doc::table::{Alignment, Column, Table};
use crate::doc::{Block, Content, Document, Item, KeyFigure, Media, Section};
use crate::markup::{Escaped, clip};
use crate::number;

/// Most bytes of a text: a comment on GitHub may have 65,536 characters.
pub const BYTES_MAX: usize = 60_000;
/// Those of the line that names what was left out, and most characters of it.
const REST_BYTES: usize = 4_000;
const REST_MAX: usize = REST_BYTES / 4;
/// Most characters of a sentence, and most rows of a table.
const TEXT_MAX: usize = 1_000;
const ROWS_MAX: usize = 100;

/// The document, its answer first.
pub fn write(document: &Document) -> String {
    let banner = &document.banner;
    let gap = if banner.word.is_empty() { "" } else { ": " };
    let answer = format!("{} {}{gap}", banner.mark.symbol(), text(&banner.word));
    let mut page = format!("## {}{}\n", answer.trim_start(), text(&document.title));
    let mut left_out: Vec<String> = Vec::new();
    let mut add = |name: &str, part: String| {
        if page.len() + part.len() + REST_BYTES > BYTES_MAX {
            left_out.push(escaped(&clip(name, 80)));
        } else if !part.is_empty() {
            page += &format!("\n{part}\n");
        }
    };
    add("what it means", text(&banner.meaning));
    match items(&banner.reasons, 0) {
        all if all.len() < BYTES_MAX / 2 => add("reasons", all),
        _ => banner.reasons.iter().for_each(|one| add("some reasons", items(slice::from_ref(one), 0))),
    }
    add("what it is about", blocks(&document.head));
    for section in document.sections.iter().filter(|section| section.stands_on(Media::MARKDOWN)) {
        add(if section.title.is_empty() { &section.id } else { &section.title }, self::section(section));
    }
    if !left_out.is_empty() {
        left_out.dedup();
        let line = format!("Left out for its length: {}. The page has it.", left_out.join(", "));
        page += &format!("\n{}\n", clip(&line, REST_MAX));
    }
    page
}

fn section(section: &Section) -> String {
    let aside = if section.aside.is_empty() { String::new() } else { format!(" ({})", text(&section.aside)) };
    let heading = if section.title.is_empty() { String::new() } else { format!("### {}{aside}", text(&section.title)) };
    apart([heading, blocks(&section.body.blocks)])
}

/// Parts with a blank line between them.
fn apart(parts: impl IntoIterator<Item = String>) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn blocks(blocks: &[Block]) -> String {
    apart(blocks.iter().filter(|block| block.media.has(Media::MARKDOWN)).map(block))
}

fn block(block: &Block) -> String {
    match &block.content {
        Content::Heading(title) => format!("#### {}", text(title)),
        Content::Text(sentence) | Content::Note(sentence) => text(sentence),
        Content::Items(list) => items(list, 0),
        Content::Facts(facts) => {
            let line = |(name, value): &(String, String)| {
                format!("- {}{}{}", text(name), if name.is_empty() { "" } else { ": " }, text(value))
            };
            facts.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        Content::Keys(keys) => {
            let row = |of: fn(&KeyFigure) -> &str| line(keys.iter().map(|key| text(of(key))));
            let rule = vec!["--:"; keys.len()].join("|");
            format!("{}\n|{rule}|\n{}", row(|key| &key.name), row(|key| &key.value))
        }
        Content::Table(table) => self::table(table),
        Content::Code(code) => {
            let code = nmax_text::shown_lines(&clip(code, TEXT_MAX)).into_owned();
            let fence = "`".repeat(code.split(|c| c != '`').map(str::len).max().unwrap_or(0).max(2) + 1);
            format!("{fence}\n{code}\n{fence}")
        }
        Content::Fold(summary, inner) => {
            let summary = Escaped(&shown(&clip(summary, TEXT_MAX))).to_string().replace('@', "@<!-- -->");
            format!("<details><summary>{summary}</summary>\n\n{}\n\n</details>", blocks(inner))
        }
        // Its numbers stand in the tables.
        Content::Figure(_) | Content::Plot(_) => String::new(),
    }
}

fn items(list: &[Item], depth: usize) -> String {
    let line = |item: &Item| {
        let code = if item.code.is_empty() { String::new() } else { format!("({})", text(&item.code)) };
        let parts = [item.mark.symbol(), text(&item.title), text(&item.text), code];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let below = items(&item.below, depth + 1);
        let gap = if below.is_empty() { "" } else { "\n" };
        format!("{}- {}{gap}{below}", "  ".repeat(depth), parts.join(" "))
    };
    list.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}

fn table(table: &Table<()>) -> String {
    let is_shown = |column: &&Column| column.title.is_some() && !column.is_detail;
    let columns: Vec<&Column> = table.columns.iter().filter(is_shown).collect();
    let title = |column: &&Column| text([column.group, column.title.as_deref().unwrap_or_default()].join(" ").trim());
    let rule = |column: &&Column| if column.place == Alignment::Number { "--:" } else { "---" };
    let rule = columns.iter().map(rule).collect::<Vec<_>>().join("|");
    let mut lines = vec![line(columns.iter().map(title)), format!("|{rule}|")];
    for row in (0..table.len()).filter(|row| *row < ROWS_MAX || table.is_total(*row)) {
        lines.push(line(columns.iter().map(|column| text(&column.cells[row].line()))));
    }
    let hidden = table.len().saturating_sub(ROWS_MAX + usize::from(table.has_total));
    let rest = table.rest.map(|(more, rest)| format!("{} more {rest}.", number::count(more as u64)));
    let hidden = (hidden > 0).then(|| format!("{hidden} more rows on the page."));
    apart([lines.join("\n")].into_iter().chain(hidden).chain(rest.map(|rest| escaped(&rest))))
}

/// Text of a sentence.
fn text(text: &str) -> String {
    escaped(&clip(text, TEXT_MAX))
}

/// Escapes text for one line of Markdown; parts between backticks become code.
fn escaped(text: &str) -> String {
    let text = shown(text.trim());
    let parts: Vec<&str> = text.split('`').collect();
    let code = parts.iter().skip(1).step_by(2);
    let is_paired = parts.len() % 2 == 1 && code.clone().all(|part| !part.trim().is_empty() && !part.contains('|'));
    if !is_paired {
        return plain(&text);
    }
    let part = |(index, part): (usize, &&str)| if index % 2 == 1 { format!("`{part}`") } else { plain(part) };
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
            // Mentions are found behind what Markdown makes of the text.
            '@' => plain.push_str("@<!-- -->"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                plain.push('\\');
                plain.push(letter);
            }
            letter => plain.push(letter),
        }
    }
    // What begins a list or a rule.
    let first = plain.split(' ').next().unwrap_or_default();
    let digits = first.trim_end_matches(['.', ')']);
    let is_number = digits.len() + 1 == first.len() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_list = !first.is_empty() && (is_number || first.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'=')));
    if is_list {
        plain.insert(first.len() - 1, '\\');
    }
    plain
}
