//! Predictions: a table for each kind of question.

use nmax_usl::predict::Coefficient;
use nmax_usl::{Estimate, Prediction, Question};

use crate::scalability::{PredictView, words};
use crate::terminal::text::Painted;

/// Columns of a line.
const WIDTH: usize = 80;

/// What a table asks for, and which questions belong to it.
type Kind = (&'static str, fn(&Question) -> bool);

/// The answers as tables: one for each kind of question.
pub fn predict(view: &PredictView) -> Painted {
    let mut text = String::new();
    for line in about(view) {
        text.push_str(&wrapped(&line, "  "));
    }
    let kinds: [Kind; 3] = [
        ("N", |asked| matches!(asked, Question::Concurrency(_))),
        ("X, 1/s", |asked| matches!(asked, Question::Throughput(_))),
        ("R, ms", |asked| matches!(asked, Question::ResponseTime(_))),
    ];
    for (name, is_of_kind) in kinds {
        let rows: Vec<&Prediction> = view.predictions.iter().filter(|row| is_of_kind(&row.asked)).collect();
        if !rows.is_empty() {
            text.push('\n');
            text.push_str(&table(name, &rows));
        }
    }
    for note in &view.notes {
        text.push('\n');
        text.push_str(&wrapped(note, ""));
    }
    text.into()
}

/// Where the answers come from.
fn about(view: &PredictView) -> Vec<String> {
    let mut lines = vec![format!("{}: predicted by {}", view.name, view.by())];
    let coefficients = view.basis.coefficients();
    let coefficients: Vec<String> =
        coefficients.iter().map(|(name, value)| format!("{} = {}", with_letter(*name), words::both(value))).collect();
    lines.push(coefficients.join(", "));
    if let Some(measured) = view.basis.measured {
        lines.push(format!(
            "measured up to N = {} and X = {}/s; nothing is predicted beyond twice that",
            words::plain(measured.n_hi),
            words::plain(measured.x_max)
        ));
    }
    lines
}

const fn with_letter(name: Coefficient) -> &'static str {
    match name {
        Coefficient::Alpha => "contention α",
        Coefficient::Beta => "coherency β",
        Coefficient::Gamma => "unit throughput γ",
        Coefficient::Cap => "throughput cap",
    }
}

/// A header and a line for each question; a refused one says why.
fn table(asked: &str, rows: &[&Prediction]) -> String {
    let in_ms = |of: Option<Estimate>| of.map(|of| scaled(of, 1e3));
    let all: [(&str, Vec<Option<Estimate>>); 4] = [
        ("N", rows.iter().map(|row| row.n).collect()),
        ("X, 1/s", rows.iter().map(|row| row.x).collect()),
        ("R, ms", rows.iter().map(|row| in_ms(row.r_s)).collect()),
        ("of γN, %", rows.iter().map(|row| row.efficiency.map(|of| scaled(of, 100.0))).collect()),
    ];
    let first = rows.iter().map(|row| given(&row.asked)).collect();
    let mut columns: Vec<(String, Vec<String>)> = vec![(asked.to_owned(), first)];
    columns.extend(all.into_iter().filter(|(name, _)| *name != asked).map(|(name, values)| {
        let cell = |value: &Option<Estimate>| value.as_ref().map_or_else(String::new, cell);
        (name.to_owned(), values.iter().map(cell).collect())
    }));
    if rows.iter().any(|row| row.also_at.is_some()) {
        let also = rows.iter().map(|row| row.also_at.map_or_else(String::new, words::plain));
        columns.push(("also at N".into(), also.collect()));
    }
    let widths: Vec<usize> = columns
        .iter()
        .map(|(name, cells)| cells.iter().chain([name]).map(|cell| cell.chars().count()).max().unwrap_or(0))
        .collect();
    let line = |cells: Vec<&str>| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        format!("{}\n", padded.join("  ").trim_end())
    };
    let mut text = line(columns.iter().map(|(name, _)| name.as_str()).collect());
    for (at, row) in rows.iter().enumerate() {
        match &row.refused {
            Some(why) => {
                let begin = format!("{:>width$}  ", columns[0].1[at], width = widths[0]);
                text.push_str(&wrapped_after(&begin, &format!("not predicted: {why}")));
            }
            None => text.push_str(&line(columns.iter().map(|(_, cells)| cells[at].as_str()).collect())),
        }
    }
    text
}

fn cell(of: &Estimate) -> String {
    match (of.low, of.high) {
        (None, None) => words::plain(of.estimate),
        (Some(_), Some(_)) => words::both(of),
        (Some(low), None) => format!("{} (from {})", words::plain(of.estimate), words::plain(low)),
        (None, Some(high)) => format!("{} (to {})", words::plain(of.estimate), words::plain(high)),
    }
}

fn given(asked: &Question) -> String {
    words::plain(match *asked {
        Question::Concurrency(n) => n,
        Question::Throughput(x) => x,
        Question::ResponseTime(r_s) => r_s * 1e3,
    })
}

fn scaled(of: Estimate, factor: f64) -> Estimate {
    Estimate {
        estimate: of.estimate * factor,
        low: of.low.map(|low| low * factor),
        high: of.high.map(|high| high * factor),
        at_bound: of.at_bound,
    }
}

/// A text in lines, those after the first with an indent.
fn wrapped(text: &str, indent: &str) -> String {
    lines_of(text, String::new(), indent)
}

/// A text in lines after a beginning, as wide as which all others are indented.
fn wrapped_after(begin: &str, text: &str) -> String {
    lines_of(text, begin.to_owned(), &" ".repeat(begin.chars().count()))
}

fn lines_of(text: &str, begin: String, indent: &str) -> String {
    let mut lines = vec![begin];
    let mut is_empty = true;
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{indent}{word}"));
        } else {
            line.push_str(if is_empty { "" } else { " " });
            line.push_str(word);
        }
        is_empty = false;
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}
