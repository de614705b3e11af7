//! Predictions as text and as JSON. Both print the same answers.

use nmax_report::scalability::words;
use nmax_usl::Estimate;
use serde_json::{Value, json};

use super::answer::{Asked, Prediction, REACH};
use super::{By, Predicted};

/// Columns of a line.
const WIDTH: usize = 80;

/// What a table asks for, and which questions belong to it.
type Kind = (&'static str, fn(&Asked) -> bool);

/// The answers as tables: one for each kind of question.
pub(super) fn text(predicted: &Predicted) -> String {
    let mut text = String::new();
    for line in about(predicted) {
        text.push_str(&wrapped(&line, "  "));
    }
    let kinds: [Kind; 3] = [
        ("N", |asked| matches!(asked, Asked::Concurrency(_))),
        ("X, 1/s", |asked| matches!(asked, Asked::Throughput(_))),
        ("R, ms", |asked| matches!(asked, Asked::ResponseTime(_))),
    ];
    for (name, is_of_kind) in kinds {
        let rows: Vec<&Prediction> = predicted.predictions.iter().filter(|row| is_of_kind(&row.asked)).collect();
        if !rows.is_empty() {
            text.push('\n');
            text.push_str(&table(name, &rows));
        }
    }
    for note in &predicted.notes {
        text.push('\n');
        text.push_str(&wrapped(note, ""));
    }
    text
}

/// Where the answers come from.
fn about(predicted: &Predicted) -> Vec<String> {
    let mut lines = vec![format!("{}: predicted by {}", predicted.name, by_text(predicted))];
    let coefficients: Vec<String> = predicted
        .coefficients
        .iter()
        .map(|(name, letter, value)| format!("{name} {letter} = {}", words::both(value)))
        .collect();
    lines.push(coefficients.join(", "));
    if let Some(measured) = predicted.basis.measured {
        lines.push(format!(
            "measured up to N = {} and X = {}/s; nothing is predicted beyond twice that",
            words::plain(measured.n),
            words::plain(measured.x)
        ));
    }
    lines
}

fn by_text(predicted: &Predicted) -> String {
    match predicted.by {
        By::Given => "the given coefficients".into(),
        By::Law(method) => format!("the law, fitted by {}", method.name()),
        By::Asked(model) => format!("the model {}, as asked for", model.name()),
        By::Leader(model) => format!("the model {}, which leads the law by more than 4 in AICc", model.name()),
        By::Collapsed(model) => format!("the model {}: the law's β is below 0, which no system has", model.name()),
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

fn given(asked: &Asked) -> String {
    words::plain(match *asked {
        Asked::Concurrency(n) => n,
        Asked::Throughput(x) => x,
        Asked::ResponseTime(r_s) => r_s * 1e3,
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

/// The answers for programs.
pub(super) fn json(predicted: &Predicted) -> Value {
    let model = match predicted.by {
        By::Given | By::Law(_) => "usl",
        By::Asked(model) | By::Leader(model) | By::Collapsed(model) => model.name(),
    };
    let method = match predicted.by {
        By::Law(method) => Some(method.name()),
        _ => None,
    };
    let coefficients: serde_json::Map<String, Value> =
        predicted.coefficients.iter().map(|(_, letter, value)| (key(letter).to_owned(), est(Some(*value)))).collect();
    let measured = predicted.basis.measured.map(|measured| {
        json!({
            "concurrency": measured.n, "throughput": measured.x,
            "concurrency_limit": REACH * measured.n, "throughput_limit": REACH * measured.x,
        })
    });
    json!({
        "schema_version": 1,
        "nmax_version": env!("CARGO_PKG_VERSION"),
        "name": predicted.name,
        "model": model,
        "method": method,
        "by": by_text(predicted),
        "coefficients": coefficients,
        "think_time_ms": predicted.basis.think_s * 1e3,
        "measured": measured,
        "predictions": predicted.predictions.iter().map(prediction).collect::<Vec<_>>(),
        "notes": predicted.notes,
    })
}

fn key(letter: &str) -> &str {
    match letter {
        "α" => "alpha",
        "β" => "beta",
        "γ" => "gamma",
        other => other,
    }
}

fn prediction(of: &Prediction) -> Value {
    let asked = match of.asked {
        Asked::Concurrency(n) => json!({ "concurrency": n }),
        Asked::Throughput(x) => json!({ "throughput": x }),
        Asked::ResponseTime(r_s) => json!({ "response_time_ms": r_s * 1e3 }),
    };
    json!({
        "asked": asked,
        "concurrency": est(of.n),
        "throughput": est(of.x),
        "response_time_ms": est(of.r_s.map(|r_s| scaled(r_s, 1e3))),
        "efficiency": est(of.efficiency),
        "also_at": of.also_at,
        "refused": of.refused,
    })
}

fn est(of: Option<Estimate>) -> Value {
    of.map_or(
        Value::Null,
        |of| json!({ "estimate": of.estimate, "low": of.low, "high": of.high, "at_bound": of.at_bound }),
    )
}
