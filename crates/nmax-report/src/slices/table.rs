//! The answer for people, in 80 columns.

use std::time::Duration;

use nmax_plan::units::format_duration;
use nmax_slice::measure::{Measure, Unit};
use nmax_slice::{Answer, Cell, Kind, Row, civil};
use nmax_text::shown as clean;

use super::SliceView;
use crate::number;
use crate::terminal::{Glyphs, aligned, bars, printed_width, shorten, wrap};

/// Columns of the terminal that are used.
const WIDTH: usize = 80;
/// Columns that a key gets at least, and at most where others need them.
const KEY_MIN: usize = 8;
/// Points of a line.
const POINTS_MAX: usize = 48;

/// All of it.
pub fn text(view: &SliceView, glyphs: Glyphs) -> String {
    let answer = &view.answer;
    let mut page = wrapped(&clean(&view.title));
    let (chosen, seen) = (number::count(answer.chosen), number::count(answer.seen));
    page += &format!("{chosen} of {seen} exchanges\n\n");
    page += &table(answer);
    page += &series(answer, glyphs);
    for note in &answer.notes {
        page += &wrapped(&format!("note: {}", clean(note)));
    }
    page
}

fn table(answer: &Answer) -> String {
    let mut rows: Vec<Vec<String>> = answer.rows.iter().map(|row| cells(answer, row)).collect();
    let labelled = |label: String, row: &Row| {
        let mut line = vec![label];
        line.resize(answer.keys.len().max(1), String::new());
        line.extend(figures(answer, row));
        line
    };
    if answer.keys.is_empty() {
        rows.clear();
    }
    if let Some(other) = &answer.other {
        let label = match answer.other_groups {
            Some(1) => "(1 more)".to_owned(),
            Some(groups) => format!("({} more)", number::count(groups)),
            None => "(others)".to_owned(),
        };
        rows.push(labelled(label, other));
    }
    if rows.len() != 1 {
        rows.push(labelled("all".to_owned(), &answer.total));
    }
    let mut head: Vec<String> = answer.keys.iter().map(|(label, _)| clean(label).into_owned()).collect();
    if head.is_empty() {
        head.push(String::new());
    }
    head.extend(answer.measures.iter().map(|measure| shown_name(&measure.name)));
    rows.insert(0, head);
    lines(&mut rows, answer.keys.len().max(1))
}

/// Rows as lines whose columns stand below each other; keys give way when a line gets too long.
fn lines(rows: &mut [Vec<String>], keys: usize) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widest = |column: usize| rows.iter().map(|row| printed_width(&row[column])).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..columns).map(widest).collect();
    while widths.iter().sum::<usize>() + 2 * columns.saturating_sub(1) > WIDTH {
        let longest = (0..keys).max_by_key(|key| widths[*key]);
        match longest.filter(|key| widths[*key] > KEY_MIN) {
            Some(key) => widths[key] -= 1,
            None => break,
        }
    }
    for row in rows.iter_mut() {
        row.iter_mut().zip(&widths).take(keys).for_each(|(cell, width)| *cell = shorten(cell, *width));
    }
    aligned(rows, keys).join("\n") + "\n"
}

fn cells(answer: &Answer, row: &Row) -> Vec<String> {
    let keys = row.key.iter().zip(&answer.keys).map(|(cell, (_, kind))| shown(cell, *kind));
    keys.chain(figures(answer, row)).collect()
}

fn figures(answer: &Answer, row: &Row) -> Vec<String> {
    answer.measures.iter().zip(&row.values).map(|(measure, value)| figure(measure, *value)).collect()
}

/// A figure for people.
fn figure(measure: &Measure, value: Option<f64>) -> String {
    number::or_unknown(value, |value| match measure.unit {
        Unit::Count => number::count(value as u64),
        Unit::Ratio => number::share(value),
        Unit::PerSecond => number::rate(value),
        Unit::Span => number::time(value),
        Unit::Bytes => number::bytes(value),
        Unit::BytesPerSecond => format!("{}/s", number::bytes(value)),
        Unit::Number => number::digits(value),
    })
}

/// A value of a key for people.
fn shown(cell: &Cell, kind: Kind) -> String {
    match (cell, kind) {
        (Cell::Unknown, _) => "(none)".to_owned(),
        (Cell::Text(text), _) => clean(text).into_owned(),
        (Cell::Number(ns), Kind::Calendar { zone_s }) => civil::stamp(*ns, zone_s),
        (Cell::Number(ns), Kind::Span | Kind::Moment) => {
            format_duration(Duration::from_nanos(u64::try_from(*ns).unwrap_or(0)))
        }
        (Cell::Number(bytes), Kind::Bytes) => number::bytes(*bytes as f64),
        (Cell::Number(number), _) => number.to_string(),
    }
}

fn shown_name(name: &str) -> String {
    match name {
        "failure_rate" => "failed".to_owned(),
        _ => clean(name).into_owned(),
    }
}

/// The rows over time: a line for each of two measures.
fn series(answer: &Answer, glyphs: Glyphs) -> String {
    let Some(width) = answer.width else {
        return String::new();
    };
    let instants = || answer.rows.iter().flat_map(|row| &row.series).map(|(at, _)| *at);
    let (Some(first), Some(last)) = (instants().min(), instants().max()) else {
        return String::new();
    };
    let kind = answer.when;
    let width = width.max(1);
    // Points without an exchange may be left out; each stands at its place all the same.
    let place = |at: i64| usize::try_from(at.saturating_sub(first) / width).unwrap_or(0);
    let points = place(last) + 1;
    let joined = points.div_ceil(POINTS_MAX).max(1);
    let mut page = format!(
        "\nover time, {} to {}, a mark is {}{}\n",
        shown(&Cell::Number(first), kind),
        shown(&Cell::Number(last.saturating_add(width)), kind),
        format_duration(Duration::from_nanos(width.unsigned_abs() * joined as u64)),
        if joined > 1 { " (the highest of its points)" } else { "" },
    );
    let chosen = charted(&answer.measures);
    for row in &answer.rows {
        let key: Vec<String> = row.key.iter().zip(&answer.keys).map(|(cell, (_, kind))| shown(cell, *kind)).collect();
        let key = if key.is_empty() { "all".to_owned() } else { key.join(", ") };
        page += &format!("{}\n", shorten(&key, WIDTH));
        for measure in &chosen {
            let mut marks: Vec<Option<f64>> = vec![None; points.div_ceil(joined)];
            for (at, values) in &row.series {
                let mark = &mut marks[place(*at) / joined];
                *mark = (*mark).into_iter().chain(values[*measure]).reduce(f64::max);
            }
            page += &chart(&answer.measures[*measure], &marks, glyphs);
        }
    }
    page
}

/// How much, and how long: the first of either that is shown.
fn charted(measures: &[Measure]) -> Vec<usize> {
    let amount = |measure: &Measure| matches!(measure.unit, Unit::PerSecond | Unit::Count);
    let mut chosen: Vec<usize> =
        measures.iter().position(|measure| measure.unit == Unit::PerSecond).into_iter().collect();
    if chosen.is_empty() {
        chosen.extend(measures.iter().position(amount));
    }
    let spans: Vec<usize> = (0..measures.len()).filter(|place| measures[*place].unit == Unit::Span).collect();
    let p95 = spans.iter().find(|place| measures[**place].name.ends_with("p95"));
    chosen.extend(p95.or(spans.last()));
    if chosen.is_empty() && !measures.is_empty() {
        chosen.push(0);
    }
    chosen
}

/// Values as marks of eight heights, from 0 to the largest.
fn chart(measure: &Measure, points: &[Option<f64>], glyphs: Glyphs) -> String {
    let top = points.iter().flatten().copied().reduce(f64::max);
    let name = shorten(&shown_name(&measure.name), 12);
    format!("  {name:<12} |{}| up to {}\n", bars(points, glyphs), figure(measure, top))
}

/// Text in lines.
fn wrapped(text: &str) -> String {
    wrap(text, WIDTH).join("\n") + "\n"
}
