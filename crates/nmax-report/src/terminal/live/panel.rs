//! The lines of a run in progress on a terminal.

use super::{LiveView, failure_text, load_text, longest_text, response_text, service_text};
use crate::number;
use crate::terminal::text::{Ink, Painted, left, right, shorten, width, wrap};
use crate::terminal::{COLUMNS_MIN, Glyphs, Style, WIDTH_MIN};

/// Columns before what a line is about.
const LABEL: usize = 10;
/// Most columns of bars.
const BAR_MAX: usize = 40;
/// Most lines of one warning.
const WARNING_LINES_MAX: usize = 3;

/// What the panel says of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// There are none: nobody types.
    None,
    /// A line of all.
    Hint,
    /// A line of each.
    Help,
    /// The display is held.
    Held,
}

/// What a terminal has room for.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Columns, and whether there are colors.
    pub style: Style,
    /// Its rows.
    pub rows: usize,
    /// What is said of keys.
    pub keys: Keys,
}

/// The panel: no line is wider than the terminal, and one row of it stays free. Below [`WIDTH_MIN`] columns texts are wrapped and
/// not shortened, and there is no distribution; where rows are few, it goes first, then lines from below.
pub fn panel(live: &LiveView, room: Room) -> Vec<Painted> {
    let style = room.style;
    let columns = style.width.max(COLUMNS_MIN);
    let is_narrow = columns < WIDTH_MIN;
    let inked = |text: &str, ink| Painted::inked(text, ink, style.color);
    let labelled = |label: &str, text: &str| -> Vec<Painted> {
        match is_narrow {
            true => wrap(&format!("{label} {text}"), columns).into_iter().map(Painted::from).collect(),
            false => vec![inked(&left(label, LABEL), Ink::Dim) + shorten(text, columns - LABEL)],
        }
    };
    let mut lines = vec![progress(live, columns, style.color)];
    lines.extend(labelled("started", &load_text(live)));
    let (response, longest) = (response_text(live), longest_text(live));
    let has_room = is_narrow || width(&response) + width(&longest) + LABEL <= columns;
    lines.extend(labelled("response", &if has_room { response + &longest } else { response }));
    lines.extend(labelled("service", &service_text(live)));
    lines.push(done(live, columns, style.color));
    lines.extend(labelled("status", if live.status.is_empty() { number::UNKNOWN } else { &live.status }));
    let has_failed = !live.failures.is_empty();
    let (symbol, ink) = if has_failed { ("✗", Ink::Bad) } else { ("✓", Ink::Good) };
    let failures = format!("{symbol} {}", failure_text(live));
    let failures = if is_narrow { wrap(&failures, columns) } else { vec![shorten(&failures, columns)] };
    lines.extend(failures.iter().map(|line| inked(line, ink)));
    let mut below: Vec<Painted> = Vec::new();
    for text in &live.warnings {
        let rows = wrap(text, columns.saturating_sub(2));
        let marked = rows.iter().take(WARNING_LINES_MAX).enumerate();
        below.extend(
            marked.map(|(row, text)| inked(&format!("{} {text}", if row == 0 { "!" } else { " " }), Ink::Warning)),
        );
    }
    below.extend(keys(live, room.keys).iter().flat_map(|text| wrap(text, columns)).map(|text| inked(&text, Ink::Dim)));
    let rows = room.rows.saturating_sub(1).max(1);
    let spread = if is_narrow { Vec::new() } else { spread(live, columns, style.color) };
    if lines.len() + spread.len() + below.len() <= rows {
        lines.extend(spread);
    }
    lines.extend(below);
    lines.truncate(rows);
    lines.iter_mut().for_each(Painted::trim_end);
    lines
}

/// Stage, clock, a bar, and what comes next.
fn progress(live: &LiveView, columns: usize, color: bool) -> Painted {
    let clock = match live.total_s {
        Some(total_s) => format!("{} of {}", number::span(live.elapsed_s), number::span(total_s)),
        None => number::span(live.elapsed_s),
    };
    let stage = match columns < WIDTH_MIN {
        true => shorten(&format!("{} {clock}", live.stage), columns),
        false => format!("{}{clock}", left(live.stage, LABEL)),
    };
    let next = live.next.map_or_else(String::new, |(next, s)| format!("  {next} in {}", number::span(s)));
    let free = columns.saturating_sub(width(&stage) + 2);
    let (bar_room, next) = match free.checked_sub(width(&next)) {
        Some(room) if room >= LABEL => (room, next),
        _ => (free, String::new()),
    };
    let share = live.total_s.map(|total_s| live.elapsed_s / total_s.max(1e-9));
    let bar = share.map_or_else(String::new, |share| bar(share, bar_room.min(BAR_MAX)));
    Painted::from(stage + "  ") + Painted::inked(&bar, Ink::Accent, color) + next
}

/// Exchanges per second, and how many there were in each window.
fn done(live: &LiveView, columns: usize, color: bool) -> Painted {
    let rate = number::rate_or_unknown(live.completed_per_s);
    let rate = if columns < WIDTH_MIN { rate + " " } else { left("done", LABEL) + &left(&rate, LABEL) };
    let spark = sparkline(&live.history, columns.saturating_sub(width(&rate)).min(60));
    Painted::from(rate) + Painted::inked(&spark, Ink::Accent, color)
}

/// Rows of the distribution, with the share of each.
fn spread(live: &LiveView, columns: usize, color: bool) -> Vec<Painted> {
    let all: u64 = live.spread.iter().map(|(_, count)| count).sum();
    let most = live.spread.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
    let mut last = 0;
    let row = |(end, count): &(Option<u64>, u64)| {
        let label = match end {
            Some(end) => format!("≤ {}", round(*end)),
            None => format!("> {}", round(last)),
        };
        last = end.unwrap_or(last);
        let share = number::share(*count as f64 / all.max(1) as f64);
        let room = columns.saturating_sub(LABEL + 1 + 9).min(BAR_MAX);
        let length = (u128::from(*count) * room as u128).div_ceil(u128::from(most)) as usize;
        let lead = right(&label, LABEL) + " ";
        Painted::from(lead) + Painted::inked(&"█".repeat(length), Ink::Accent, color) + format!(" {share}")
    };
    live.spread.iter().map(row).collect()
}

/// A time that has few digits, with all of them.
fn round(ns: u64) -> String {
    let (unit_ns, unit) = match ns {
        1_000_000_000.. => (1e9, "s"),
        1_000_000.. => (1e6, "ms"),
        _ => (1e3, "µs"),
    };
    format!("{} {unit}", ns as f64 / unit_ns)
}

fn keys(live: &LiveView, keys: Keys) -> Vec<String> {
    let texts: &[&str] = match keys {
        Keys::None => &[],
        Keys::Hint => &["q stop · p hold the display · ? keys"],
        Keys::Help => &[
            "q: stop the run and keep its result, as Ctrl-C does",
            "p: hold the display; the run goes on",
            "?: hide this",
        ],
        Keys::Held => {
            return vec![format!(
                "display held at {}; the run goes on: p shows it again",
                number::span(live.elapsed_s)
            )];
        }
    };
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn bar(share: f64, columns: usize) -> String {
    let filled = ((share.clamp(0.0, 1.0) * columns as f64).round() as usize).min(columns);
    "█".repeat(filled) + &"░".repeat(columns - filled)
}

/// The last values that fit, scaled from zero to their maximum.
fn sparkline(values: &[u64], columns: usize) -> String {
    let shown = &values[values.len().saturating_sub(columns)..];
    let max = shown.iter().copied().max().unwrap_or(0).max(1);
    let bars = Glyphs::Unicode.heights();
    let spark = |value: &u64| bars[(u128::from(*value) * 7).div_ceil(u128::from(max)).min(7) as usize];
    shown.iter().map(spark).collect()
}
