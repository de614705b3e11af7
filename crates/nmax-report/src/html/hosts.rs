//! Hosts and services on the time axis of the load.

use nmax_analysis::Event;
use nmax_analysis::summary::{FigureRow, HostView, Panel};

use super::charts;
use super::page::Html;
use crate::number;
use crate::svg::{Chart, Line, Scale};
use crate::tables::Table;
use crate::view::View;

/// Height of a picture.
const HEIGHT: f64 = 150.0;
/// Colors and dashes of lines, in order.
const CLASSES: [&str; 8] = ["c1", "c2", "c3 dash", "c4", "c5 dash", "ci dash thin", "c1 dot", "c2 dot"];

pub(super) fn write(page: &mut Html, view: &View) {
    for (number, host) in view.summary.hosts.iter().enumerate() {
        page.heading(2, &format!("Host {}", host.name));
        for log in view.summary.log_errors.iter().filter(|log| log.host == host.name) {
            page.sentence(&format!("{}: {} (phase {}).", log.source, log.text(), view.summary.phase.name));
        }
        let clock = clock(view, host);
        for (index, panel) in host.panels.iter().enumerate() {
            figure(page, view, &format!("h{number}-{index}"), panel, &clock);
        }
        table(page, view, host);
    }
}

/// When the clock of the host was found to be off.
fn clock(view: &View, host: &HostView) -> Vec<(f64, f64)> {
    let of_clock = format!(" on {}: ", host.name);
    let is_of_clock = |event: &&Event| event.code == "CLOCK_OFFSET" && event.text.contains(&of_clock);
    let off = view.summary.events.iter().filter(is_of_clock);
    off.map(|event| (event.at_s, event.at_s)).collect()
}

fn figure(page: &mut Html, view: &View, id: &str, panel: &Panel, clock: &[(f64, f64)]) {
    let lines = panel.lines.iter().zip(CLASSES).map(|(line, class)| Line {
        name: line.name.clone(),
        class,
        area: false,
        points: line.points.clone(),
    });
    let mut chart = charts::chart(view, (id, &panel.title), number::unit_label(&panel.unit), lines.collect());
    let is_share = panel.unit == "ratio" && charts::values(&chart.lines).all(|value| value <= 1.0);
    if let Scale::Linear { max } = &mut chart.scale
        && is_share
    {
        // Shares end at all of it.
        *max = max.min(1.0);
    }
    let marks = match (chart.marks.as_slice(), clock) {
        ([], []) => None,
        (_, []) => Some("intervention"),
        ([], _) => Some("clock found off"),
        _ => Some("intervention, or clock found off"),
    };
    let gaps = (!panel.gaps.is_empty()).then_some("no readings");
    let shades = [("mark", marks), ("gap", gaps)];
    let shades: Vec<_> = shades.into_iter().filter_map(|(class, name)| Some((class, name?))).collect();
    chart.marks.extend(clock);
    charts::figure(page, "", Chart { height: HEIGHT, gaps: &panel.gaps, ..chart }, &shades, None);
}

fn table(page: &mut Html, view: &View, host: &HostView) {
    let value = |row: &FigureRow, value: Option<f64>| number::or_unknown(value, number::unit_label(&row.unit));
    let table = Table::from_rows(&host.figures)
        .word("source", |row| &row.source)
        .word("figure", |row| &row.metric)
        .number("mean", |row| value(row, row.mean))
        .number("most", |row| value(row, row.max))
        .number("read", |row| number::share(row.covered));
    let about = format!("All figures of {} (phase {})", host.name, view.summary.phase.name);
    page.details(&about, |page| page.table(&table));
    if host.left_out > 0 {
        page.note(&format!("{} more figures are in resources.jsonl.", number::count(host.left_out as u64)));
    }
}
