//! Conditions: thresholds judge the target, gates the measurement, checks each reply.

use nmax_analysis::{Gate, ThresholdResult};

use super::Part;
use crate::doc::table::{Cell, Table};
use crate::doc::{Item, Mark, Media, Section};
use crate::number;
use crate::view::{View, threshold_value};

pub(super) const SECTIONS: &[Part] = &[thresholds, checks, closed_gates, gates];

/// Most checks listed: in the terminal, and elsewhere.
const CHECKS_SHORT: usize = 12;
const CHECKS_MAX: usize = 200;

/// Whether a condition holds, in a cell.
fn holds(holds: bool) -> Cell {
    Cell::mark(Mark::condition(holds), if holds { "holds" } else { "fails" })
}

fn thresholds(view: &View) -> Option<Section> {
    let results = &view.judgement.thresholds;
    let line = |result: &ThresholdResult| {
        let margin = result.margin.filter(|_| result.value.is_some());
        let margin = margin.map_or_else(String::new, |margin| format!(", margin {}", number::margin(Some(margin))));
        Item::new(Mark::condition(result.holds), format!("{}: {}{margin}", result.condition, threshold_value(result)))
    };
    let table = Table::from_rows(results)
        .sentence("threshold", |result| &result.condition)
        .number("measured", threshold_value)
        .number("limit", |result| number::with_unit(Some(result.limit), result.unit))
        .number("margin", |result| number::margin(result.margin))
        .word("", |result| holds(result.holds));
    Section::new("thresholds", "Thresholds")
        .with(|body| {
            body.on(Media::TERMINAL).items(results.iter().map(line));
            body.on(Media::PAPER).table(table);
            if results.is_empty() {
                body.text("The plan has no threshold.");
            }
        })
        .said()
}

fn checks(view: &View) -> Option<Section> {
    let mut rows: Vec<_> = view.summary.checks.iter().collect();
    rows.sort_by_key(|check| std::cmp::Reverse(check.failed));
    let line = |check: &&nmax_analysis::summary::CheckRow| {
        let all = number::count(check.passed + check.failed);
        let text = format!("{}: {} of {all} held", check.name, number::count(check.passed));
        Item::new(Mark::condition(check.failed == 0), text)
    };
    let table = Table::from_rows(&view.summary.checks)
        .at_most(CHECKS_MAX, "are in summary.json")
        .sentence("check", |check| &check.name)
        .count("held", |check| check.passed)
        .count("did not hold", |check| check.failed)
        .word("", |check| holds(check.failed == 0));
    Section::new("checks", "Checks")
        .aside(view.summary.phase.name)
        .with(|body| {
            body.on(Media::TERMINAL).some_items(rows.iter().map(line), CHECKS_SHORT, "checks");
            body.on(Media::PAPER).table(table);
        })
        .said()
}

/// In the terminal, gates that do not hold: with their figures where the reasons have said their sentence.
fn closed_gates(view: &View) -> Option<Section> {
    let line = |gate: &Gate| {
        let is_told = view.judgement.reasons.iter().any(|reason| reason.text == gate.text);
        let text = match (is_told, gate.value) {
            (true, Some(value)) => {
                let limit = gate.limit.map(|limit| format!(", limit {}", number::with_unit(Some(limit), gate.unit)));
                number::with_unit(Some(value), gate.unit) + &limit.unwrap_or_default()
            }
            _ => gate.text.clone(),
        };
        Item::new(Mark::Invalid, format!("{} {}: {text}", gate.code, gate.name))
    };
    let closed = view.judgement.gates.iter().filter(|gate| !gate.holds).map(line);
    Section::new("closed-gates", "Why these numbers may not be believed")
        .with(|body| {
            body.on(Media::TERMINAL).items(closed);
        })
        .said()
}

fn gates(view: &View) -> Option<Section> {
    let table = Table::from_rows(&view.judgement.gates)
        .word("gate", |gate| format!("{} {}", gate.code, gate.name))
        .number("measured", |gate| number::with_unit(gate.value, gate.unit))
        .number("limit", |gate| number::with_unit(gate.limit, gate.unit))
        .word("", |gate| match gate.value {
            // It may have had nothing to test.
            None if gate.holds => "– not tested".into(),
            _ => holds(gate.holds),
        })
        .sentence("meaning", |gate| &gate.text);
    Section::new("gates", "Gates: may the measurement be believed?")
        .appendix()
        .with(|body| {
            body.on(Media::PICTURES).table(table);
        })
        .said()
}
