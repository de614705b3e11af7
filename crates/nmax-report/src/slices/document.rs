//! The answer for people.

use std::time::Duration;

use nmax_plan::units::format_duration;
use nmax_slice::measure::{Measure, Unit};
use nmax_slice::{Answer, Cell, Kind, Row, civil};

use super::SliceView;
use crate::doc::table::Table;
use crate::doc::{Body, Document, Item, Mark, Media, Plot, Section};
use crate::number;

/// What stands for groups that are not shown.
const OTHERS: &str = "(others)";
/// Points of a line.
const POINTS_MAX: usize = 48;

/// All of it.
pub fn document(view: &SliceView) -> Document {
    let answer = &view.answer;
    let mut head = Body::default();
    let (chosen, seen) = (number::count(answer.chosen), number::count(answer.seen));
    head.facts([("exchanges", format!("{chosen} of {seen}"))]);
    let notes = answer.notes.iter().map(|note| Item::new(Mark::Warning, note));
    let sections = [
        Section::new("groups", "").with(|body| _ = body.table(table(answer))),
        series(answer),
        Section::new("notes", "").with(|body| _ = body.items(notes)),
    ];
    let sections = sections.into_iter().filter_map(Section::said).collect();
    Document { title: view.title.clone(), head: head.blocks, sections, ..Document::default() }
}

/// A row of the table: its label, unless it is a group, and its figures.
type Line<'a> = (Option<&'static str>, &'a Row);

fn table(answer: &Answer) -> Table<Line<'_>> {
    let others =
        answer.other_groups.map_or_else(|| OTHERS.into(), |groups| format!("({} more)", number::count(groups)));
    let label =
        |label: Option<&str>| if label == Some(OTHERS) { others.clone() } else { label.unwrap_or_default().to_owned() };
    let groups = if answer.keys.is_empty() { &[] } else { answer.rows.as_slice() };
    let mut rows: Vec<Line<'_>> = groups.iter().map(|row| (None, row)).collect();
    rows.extend(answer.other.iter().map(|other| (Some(OTHERS), other)));
    let has_total = rows.len() != 1;
    rows.extend(has_total.then_some((Some("all"), &answer.total)));
    let mut table = Table::from_rows(rows).named().fits().total(has_total);
    if answer.keys.is_empty() {
        table = table.word("", |(of, _)| label(of));
    }
    for (place, (title, kind)) in answer.keys.iter().enumerate() {
        table = table.word(title, |(of, row)| match of {
            None => shown(&row.key[place], *kind),
            Some(_) if place == 0 => label(of),
            Some(_) => String::new(),
        });
    }
    for (place, measure) in answer.measures.iter().enumerate() {
        table = table.number(title(&measure.name), |(_, row)| figure(measure, row.values[place]));
    }
    table
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
        (Cell::Text(text), _) => text.to_string(),
        (Cell::Number(ns), Kind::Calendar { zone_s }) => civil::stamp(*ns, zone_s),
        (Cell::Number(ns), Kind::Span | Kind::Moment) => {
            format_duration(Duration::from_nanos(u64::try_from(*ns).unwrap_or(0)))
        }
        (Cell::Number(bytes), Kind::Bytes) => number::bytes(*bytes as f64),
        (Cell::Number(number), _) => number.to_string(),
    }
}

fn title(name: &str) -> &str {
    if name == "failure_rate" { "failed" } else { name }
}

/// The rows over time: a line for each of two measures.
fn series(answer: &Answer) -> Section {
    let section = Section::new("series", "Over time");
    let instants = || answer.rows.iter().flat_map(|row| &row.series).map(|(at, _)| *at);
    let (Some(width), Some(first), Some(last)) = (answer.width, instants().min(), instants().max()) else {
        return section;
    };
    let (kind, width) = (answer.when, width.max(1));
    // Points without an exchange may be left out; each stands at its place all the same.
    let place = |at: i64| usize::try_from(at.saturating_sub(first) / width).unwrap_or(0);
    let points = place(last) + 1;
    let joined = points.div_ceil(POINTS_MAX).max(1);
    let aside = format!(
        "{} to {}, a mark is {}{}",
        shown(&Cell::Number(first), kind),
        shown(&Cell::Number(last.saturating_add(width)), kind),
        format_duration(Duration::from_nanos(width.unsigned_abs() * joined as u64)),
        if joined > 1 { " (the highest of its points)" } else { "" },
    );
    let chosen = charted(&answer.measures);
    section.aside(aside).with(|body| {
        body.on(Media::TERMINAL);
        for row in &answer.rows {
            let key = row.key.iter().zip(&answer.keys).map(|(cell, (_, kind))| shown(cell, *kind));
            let key = key.collect::<Vec<_>>().join(", ");
            let line = |measure: &usize| {
                let mut marks: Vec<Option<f64>> = vec![None; points.div_ceil(joined)];
                for (at, values) in &row.series {
                    let mark = &mut marks[place(*at) / joined];
                    *mark = (*mark).into_iter().chain(values[*measure]).reduce(f64::max);
                }
                let measure = &answer.measures[*measure];
                let top = marks.iter().flatten().copied().reduce(f64::max);
                (title(&measure.name).to_owned(), marks, format!("up to {}", figure(measure, top)))
            };
            body.heading(if key.is_empty() { "all".to_owned() } else { key });
            body.plot(Plot::Bars(chosen.iter().map(line).collect()));
        }
    })
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
