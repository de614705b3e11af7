//! Predictions: a table for each kind of question.

use nmax_usl::{Coefficient, Estimate, Prediction, Question};

use crate::scalability::{PredictView, wording};
use crate::terminal::text::{Painted, aligned, hanging};

/// Columns of a line.
const WIDTH: usize = 80;

/// What a table asks for, and which questions belong to it.
type Kind = (&'static str, fn(&Question) -> bool);

/// The answers as tables: one for each kind of question.
pub fn predict(view: &PredictView) -> Painted {
    let mut text = String::new();
    for line in about(view) {
        text.push_str(&hanging("", &line, 2, WIDTH));
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
        text.push_str(&hanging("", note, 0, WIDTH));
    }
    text.into()
}

/// Where the answers come from.
fn about(view: &PredictView) -> Vec<String> {
    let mut lines = vec![format!("{}: predicted by {}", view.name, view.by())];
    let coefficients = view.basis.coefficients();
    let coefficients: Vec<String> =
        coefficients.iter().map(|(name, value)| format!("{} = {}", with_letter(*name), wording::both(value))).collect();
    lines.push(coefficients.join(", "));
    if let Some(measured) = view.basis.measured {
        lines.push(format!(
            "measured up to N = {} and X = {}/s; nothing is predicted beyond twice that",
            wording::plain(measured.n_hi),
            wording::plain(measured.x_max)
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
    let figures = |row: &Prediction| {
        let (r_ms, percent) = (row.r_s.map(|of| scaled(of, 1e3)), row.efficiency.map(|of| scaled(of, 100.0)));
        [("N", row.n), ("X, 1/s", row.x), ("R, ms", r_ms), ("of γN, %", percent)]
            .into_iter()
            .filter(|(name, _)| *name != asked)
    };
    let has_also = rows.iter().any(|row| row.also_at.is_some());
    let titles = figures(rows[0]).map(|(name, _)| name).chain(has_also.then_some("also at N"));
    let titles = [asked].into_iter().chain(titles).map(str::to_owned).collect();
    let cells = |row: &&Prediction| {
        let figures = figures(row).map(|(_, value)| value.as_ref().map_or_else(String::new, cell));
        let also = has_also.then(|| row.also_at.map_or_else(String::new, wording::plain));
        std::iter::once(given(&row.asked)).chain(figures).chain(also).collect()
    };
    let lines = aligned(&[vec![titles], rows.iter().map(cells).collect()].concat(), 0);
    let told = lines.iter().zip(std::iter::once(None).chain(rows.iter().map(|row| row.refused.as_ref())));
    let text = told.map(|(line, refused)| match refused {
        Some(why) => {
            let begin = format!("{line}  ");
            hanging(&begin, &format!("not predicted: {why}"), begin.chars().count(), WIDTH)
        }
        None => format!("{line}\n"),
    });
    text.collect()
}

fn cell(of: &Estimate) -> String {
    match (of.low, of.high) {
        (None, None) => wording::plain(of.estimate),
        (Some(_), Some(_)) => wording::both(of),
        (Some(low), None) => format!("{} (from {})", wording::plain(of.estimate), wording::plain(low)),
        (None, Some(high)) => format!("{} (to {})", wording::plain(of.estimate), wording::plain(high)),
    }
}

fn given(asked: &Question) -> String {
    wording::plain(match *asked {
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
