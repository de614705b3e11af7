//! Text in columns: how wide it is, how it is shortened and wrapped. What comes from servers is escaped first.

pub(super) use nmax_text::{Ink, Painted, shown};

/// Columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

fn char_width(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036F | 0x1AB0..=0x1AFF | 0x200B..=0x200D | 0x20D0..=0x20FF | 0xFE00..=0xFE0F => 0,
        0x1100..=0x115F | 0x231A..=0x231B | 0x23E9..=0x23EC | 0x2614..=0x2615 | 0x2648..=0x2653 | 0x26A1 => 2,
        0x26BD..=0x26BE | 0x26D4 | 0x2705 | 0x2728 | 0x274C | 0x2753..=0x2757 | 0x2795..=0x2797 => 2,
        0x2B1B..=0x2B1C | 0x2B50 | 0x2B55 | 0x2E80..=0x303E | 0x3041..=0xA4CF | 0xA960..=0xA97F => 2,
        0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 => 2,
        0x1F000..=0x1FAFF | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

/// Columns that a line takes on a terminal, which does not show the codes of colors.
pub fn printed_width(line: &str) -> usize {
    printed(line).map(char_width).sum()
}

/// A line without the codes of [`paint`].
fn printed(line: &str) -> impl Iterator<Item = char> {
    let mut is_code = false;
    line.chars().filter(move |c| {
        let is_shown = !is_code && *c != '\u{1b}';
        is_code = (is_code || *c == '\u{1b}') && *c != 'm';
        is_shown
    })
}

/// A line that may be colored, as rows of at most `columns`, broken at spaces where there are some. Spaces at a break go,
/// codes of colors stay.
pub(super) fn fold(line: &str, columns: usize) -> Vec<String> {
    let is_blank = |text: &str| printed(text).all(|c| c == ' ');
    let (mut rows, mut row): (Vec<String>, _) = (Vec::new(), String::new());
    for c in line.chars() {
        if c == ' ' && !rows.is_empty() && is_blank(&row) {
            continue;
        }
        row.push(c);
        if printed_width(&row) <= columns {
            continue;
        }
        let end = row.len() - c.len_utf8();
        if is_blank(&row[..end]) {
            // A margin wider than the row.
            row.retain(|c| c != ' ');
            continue;
        }
        let at = row.rfind(' ').filter(|at| !is_blank(&row[..*at])).unwrap_or(end);
        let rest = row.split_off(at);
        rows.push(row.trim_end().to_owned());
        row = String::new();
        rest.chars().filter(|c| *c != ' ').for_each(|c| row.push(c));
    }
    match rows.last_mut().filter(|_| is_blank(&row)) {
        Some(last) => last.push_str(row.trim()),
        None => rows.push(row),
    }
    rows
}

/// At most `limit` columns; a longer text loses its middle.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let text = shown(text);
    if width(&text) <= limit {
        return text.into_owned();
    }
    let Some(room) = limit.checked_sub(1) else {
        return String::new();
    };
    let head = take(text.chars(), room - room / 2);
    let mut tail: Vec<char> = take(text.chars().rev(), room / 2).chars().collect();
    tail.reverse();
    head + "…" + &tail.iter().collect::<String>()
}

/// The first characters that fit.
fn take(characters: impl Iterator<Item = char>, limit: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += char_width(*c);
        used <= limit
    };
    characters.take_while(fits).collect()
}

/// Padded on the right to `columns`.
pub(super) fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Padded on the left to `columns`.
pub(super) fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Text in lines of at most `width` characters after a beginning, those after the first with an indent. A longer word has a
/// line of its own.
pub fn hanging(begin: &str, text: &str, indent: usize, width: usize) -> String {
    let mut lines = vec![begin.to_owned()];
    let mut is_empty = true;
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(" ".repeat(indent) + word);
        } else {
            line.push_str(if is_empty { "" } else { " " });
            line.push_str(word);
        }
        is_empty = false;
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Lines of at most `limit` columns, broken at spaces where there are some.
pub(crate) fn wrap(text: &str, limit: usize) -> Vec<String> {
    let limit = limit.max(2);
    let text = shown(text);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && width(&line) + 1 + width(word) > limit {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        let mut used = width(&line);
        for c in word.chars() {
            if used + char_width(c) > limit {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            used += char_width(c);
            line.push(c);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}
