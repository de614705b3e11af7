//! More nodes against larger ones.

use nmax_capacity::cost::vertical::{Both, Comparison};
use nmax_text::number::{counted, significant};

use super::cost::money;
use super::picture::{Curves, curve};
use crate::doc::table::{Cell, Table};
use crate::doc::{Body, Item, Mark, Section};
use crate::number::{UNKNOWN, rate, share};

/// What each load costs both ways, and where the costs cross.
pub fn section(of: &Comparison, currency: &str) -> Section {
    let way = |is_tall: bool| if is_tall { "larger nodes" } else { "more nodes" };
    let text = match &of.crossing {
        Some(crossing) => format!(
            "Up to {} {} are the cheaper way, above it {} (95 %: {} to {}; {} of the draws cross within what was measured).",
            rate(crossing.load_per_s),
            way(crossing.is_tall_cheaper_below),
            way(!crossing.is_tall_cheaper_below),
            rate(crossing.interval.0),
            rate(crossing.interval.1),
            share(crossing.share)
        ),
        None => format!(
            "They do not cross within what was measured, {} to {}: {} are the cheaper way all along ({} of the draws say so).",
            rate(of.range.0),
            rate(of.range.1),
            way(of.is_tall_cheaper),
            share(of.share)
        ),
    };
    Section::new("vertical", "More nodes or larger ones").aside("cost per hour").with(|body| {
        body.items([Item::new(Mark::Answer, text)]);
        draw(body, of, currency);
        let cell = |cost: Option<f64>, other: Option<f64>, text: String| match cost {
            None => Cell::from(UNKNOWN),
            Some(cost) if other.is_none_or(|other| cost <= other) => Cell::mark(Mark::Pass, &text),
            Some(_) => text.into(),
        };
        body.table(
            Table::from_rows(&of.rows).fits()
                .number("load", |row: &Both| rate(row.load_per_s))
                .number("more nodes", |row| row.wide.map_or_else(|| UNKNOWN.into(), |(n, _)| counted(n.into(), "node")))
                .number("cost", |row| {
                    let (wide, tall) = (row.wide.map(|(_, cost)| cost), row.tall.map(|(_, cost)| cost));
                    cell(wide, tall, wide.map(|cost| money(cost, currency)).unwrap_or_default())
                })
                .number("larger node", |row| row.tall.map_or_else(|| UNKNOWN.into(), |(size, _)| format!("size {}", significant(size, 3))))
                .number("its cost", |row| {
                    let (wide, tall) = (row.wide.map(|(_, cost)| cost), row.tall.map(|(_, cost)| cost));
                    cell(tall, wide, tall.map(|cost| money(cost, currency)).unwrap_or_default())
                }),
        );
        body.note(
            "Whole nodes, and the smallest machine on offer that holds the load; the crossing is between the smooth curves. \
             More nodes include those that may be lost, larger ones the machines that stand by.",
        );
    })
}

/// The costs of both ways.
fn draw(body: &mut Body, of: &Comparison, currency: &str) {
    let way = |cost: fn(&Both) -> Option<f64>| {
        of.rows.iter().filter_map(|row| Some((row.load_per_s, cost(row)?))).collect::<Vec<(f64, f64)>>()
    };
    let series = vec![
        curve("more nodes", false, way(|row| Some(row.wide?.1))),
        curve("larger nodes", false, way(|row| Some(row.tall?.1))),
    ];
    let label = format!("{currency} per hour");
    let labels = ("requests of users per second", label.trim_start());
    let curves = Curves { series, band: Vec::new(), band_name: "" };
    curves.draw(body, ("vertical", "Cost of a load both ways"), labels);
}
