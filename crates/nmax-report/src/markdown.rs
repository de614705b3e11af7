//! A comparison as Markdown, for comments of build servers and for wikis: at most some 200 kB.

use std::fmt::Write as _;

use nmax_analysis::compare::{Conclusion, Origin};
use nmax_text::shown;

use crate::comparison::{ComparisonView, origin, row_change, row_interval, symbol, value};
use crate::number;

/// Most rows of the table of everything; what changed is always there.
const ROWS_MAX: usize = 500;

/// The comparison, what changed first and the whole table folded away.
pub fn comparison(view: &ComparisonView) -> String {
    let said = view.answer.conclusion();
    let weak = if view.answer.is_weak() { " (weak)" } else { "" };
    let mut page = format!("## {} nmax compare: {}{weak}\n\n{}\n\n", symbol(said), view.word(), view.headline());
    side(&mut page, "Before", &view.before);
    side(&mut page, "After", &view.after);
    for caveat in &view.caveats {
        let _ = writeln!(page, "- ! {}", escaped(&caveat.text));
    }
    for text in view.missing().iter().chain(&view.method()) {
        let _ = writeln!(page, "- {}", escaped(text));
    }
    let is_told = |said: Conclusion| matches!(said, Conclusion::Worse | Conclusion::Better | Conclusion::Changed);
    if view.answer.rows.iter().any(|row| is_told(row.said)) {
        page.push_str("\n### What changed\n\n");
        table(&mut page, view, is_told, usize::MAX);
    }
    if !view.answer.rows.is_empty() {
        page.push_str("\n<details><summary>All rows</summary>\n\n");
        table(&mut page, view, |_| true, ROWS_MAX);
        page.push_str("\n</details>\n");
    }
    page
}

fn side(page: &mut String, word: &str, origins: &[Origin]) {
    for one in origins {
        let _ = writeln!(page, "- {word}: {}", escaped(&origin(one)));
    }
}

fn table(page: &mut String, view: &ComparisonView, shows: impl Fn(Conclusion) -> bool, limit: usize) {
    page.push_str("| | request | metric | before | after | change | 95 % interval |\n|---|---|---|--:|--:|--:|--:|\n");
    let rows: Vec<_> = view.answer.rows.iter().filter(|row| shows(row.said)).collect();
    for row in rows.iter().take(limit) {
        let _ = writeln!(
            page,
            "| {} {} | {} | {} | {} | {} | {} | {} |",
            symbol(row.said),
            row.said.name(),
            escaped(&row.request),
            row.metric.name(),
            value(row.metric, row.before),
            value(row.metric, row.after),
            row_change(row),
            row_interval(row).replace(number::UNKNOWN, "-")
        );
    }
    if rows.len() > limit {
        let _ = writeln!(page, "\n{} more rows are in the JSON.", rows.len() - limit);
    }
}

/// Text without what Markdown, HTML or a table would take for its own, in one line.
fn escaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in shown(text).chars() {
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
