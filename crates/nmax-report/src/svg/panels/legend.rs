//! What the classes of a chart mean: samples with words beside them.

use super::{CHARACTER, Entry, Key};
use crate::markup::clip;
use crate::svg::drawing::Drawing;

/// Shapes differ as well as colors, so that nothing hangs on color alone.
pub(super) fn shape(drawing: &mut Drawing, class: &str, shape: usize, x: f64, y: f64) {
    let path = match shape % 5 {
        0 => return drawing.circle(format_args!("pt {class}"), (x, y), 3.6, ""),
        1 => format!("M{:.1} {:.1}l4.2 7.4h-8.4z", x, y - 4.6),
        2 => format!("M{:.1} {:.1}h6.6v6.6h-6.6z", x - 3.3, y - 3.3),
        3 => format!("M{:.1} {:.1}l4.2 -7.4h-8.4z", x, y + 4.6),
        _ => format!("M{:.1} {:.1}l4.6 4.6l-4.6 4.6l-4.6 -4.6z", x, y - 4.6),
    };
    drawing.path(format_args!("pt {class}"), path);
}

/// A point alone, for the legend of a page.
pub(crate) fn sample_point(class: &'static str, of: usize) -> String {
    key_sample(Key::Dot(class, of)).svg()
}

/// What stands before an entry of a legend, 26 by 9 units large.
pub(crate) fn key_sample(key: Key) -> Drawing {
    let mut drawing = Drawing { size: (26.0, 9.0), class: "usl".into(), ..Drawing::default() };
    match key {
        Key::Curve(class) => drawing.path(format_args!("line {class}"), "M1 4.5H25"),
        Key::Area(class) => drawing.rect(format_args!("fill {class}"), (0.0, 0.0), (26.0, 9.0)),
        Key::Dot(class, of) => shape(&mut drawing, class, of, 13.0, 5.5),
        Key::None => {}
    }
    drawing
}

/// A legend in columns; its height comes back.
pub(super) fn legend(drawing: &mut Drawing, entries: &[Entry], (left, top): (f64, f64), width: f64) -> f64 {
    const LINE: f64 = 19.0;
    let mut rows: Vec<(f64, f64, &Entry, Vec<String>)> = Vec::new();
    let (mut x, mut y) = (left, top);
    for entry in entries {
        let indent = if entry.key == Key::None { 0.0 } else { 34.0 };
        let lines = wrapped(&entry.text, ((width - indent) / CHARACTER) as usize);
        let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let need = indent + longest as f64 * CHARACTER + 22.0;
        if x > left && (x + need > left + width || lines.len() > 1 || entry.key == Key::None) {
            x = left;
            y += LINE;
        }
        let (count, is_whole) = (lines.len(), lines.len() > 1 || entry.key == Key::None);
        rows.push((x, y, entry, lines));
        if is_whole {
            x = left;
            y += LINE * count as f64;
        } else {
            x += need;
        }
    }
    for (x, y, entry, lines) in &rows {
        let middle = y - 4.0;
        match entry.key {
            Key::Curve(class) => drawing.path(format_args!("line {class}"), format_args!("M{x:.1} {middle:.1}h26")),
            Key::Area(class) => drawing.rect(format_args!("fill {class}"), (*x, middle - 5.5), (26.0, 11.0)),
            Key::Dot(class, of) => shape(drawing, class, of, x + 13.0, middle),
            Key::None => {}
        }
        let indent = if entry.key == Key::None { 0.0 } else { 34.0 };
        for (index, line) in lines.iter().enumerate() {
            drawing.word("k", (x + indent, y + LINE * index as f64), line);
        }
    }
    if x > left { y + LINE - top } else { y - top }
}

/// Lines of at most `limit` characters.
pub(super) fn wrapped(text: &str, limit: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        let word = clip(word, limit.max(2) - 1);
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > limit {
            lines.push(word);
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
    }
    lines
}
