//! The date when demand meets supply, and the upgrade path.

use nmax_capacity::demand::forecast::weeks_between;
use nmax_capacity::plan::date::{Dates, Order, Row};
use nmax_capacity::plan::path::{Path, Stair};

use super::demand::{band, expected, over_weeks};
use super::picture::curve;
use crate::doc::table::{Cell, Emphasis, Table};
use crate::doc::{Body, Section};
use crate::number::{self, UNKNOWN, rate};

/// When demand meets supply, and when to order.
pub fn section(dates: &Dates) -> Section {
    let first = &dates.first;
    Section::new("date", "The date").aside(format!("capacity after the loss, less the margin: {}", supply(dates))).with(
        |body| {
            let pessimistic = &dates.rows[0];
            let within = match first.within {
                share if share > 0.0 => format!("in {} of futures within {} weeks", number::share(share), dates.weeks),
                _ => format!("in no future within {} weeks", dates.weeks),
            };
            body.keys([
                (
                    "expected",
                    dates.rows[1].meets.to_string(),
                    "half of futures are above capacity on that day".to_owned(),
                ),
                ("first day above", first.median.to_string(), format!("{} to {} (90 %)", first.early, first.late)),
                ("above at all", within, String::new()),
                (
                    "order by",
                    pessimistic.order.to_string(),
                    format!("for the pessimistic date, {}", lead_words(dates.lead_days)),
                ),
            ]);
            body.table(
                Table::from_rows(&dates.rows)
                    .word("demand", |row: &Row| row.demand)
                    .word("futures above", |row| number::share(row.share))
                    .word("meets capacity", |row| row.meets.to_string())
                    .word("order by", |row| order(row.order))
                    .fits(),
            );
        },
    )
}

fn supply(dates: &Dates) -> String {
    let figure = &dates.supply;
    let interval = |(low, high)| format!("{} ({} to {})", rate(figure.value), rate(low), rate(high));
    figure.interval.map_or_else(|| rate(figure.value), interval)
}

fn lead_words(days: i64) -> String {
    match days {
        0 => "without a lead time".into(),
        days => format!("{days} days before"),
    }
}

fn order(order: Order) -> Cell {
    match order {
        Order::Now(_) => Cell { short: Some("now".into()), ..Cell::word(Emphasis::Class("fail"), order.to_string()) },
        other => Cell::default().text(other.to_string()),
    }
}

/// Which configuration is needed when.
pub fn path(path: &Path) -> Section {
    let aside = match path.margin {
        0.0 => "demand without a margin".to_owned(),
        margin => format!("demand with {} on top", number::share(margin)),
    };
    let known = |text: Option<String>| text.unwrap_or_default();
    Section::new("path", "Upgrade path").aside(aside).with(|body| {
        picture(body, path);
        body.table(
            Table::from_rows(&path.stairs)
                .word("configuration", |stair: &Stair| stair.name.clone())
                .short("", 0)
                .rate("realistic", |stair| stair.realistic)
                .short("realistic", 11)
                .rate("optimistic", |stair| stair.optimistic)
                .detail()
                .number("needed from", |stair| known(stair.needed.map(|needed| needed.to_string())))
                .short("needed from", 12)
                .number("order by", |stair| stair.order.map_or_else(Cell::default, order))
                .short("order by", 12)
                .number("lasts to", |stair| stair.lasts.to_string())
                .short("lasts to", 20)
                .word("at best to", |stair| stair.lasts_optimistic.to_string())
                .detail()
                .number("price", |stair| stair.price.map_or_else(|| UNKNOWN.into(), nmax_text::number::plain))
                .short("price", 9)
                .known(),
        );
        body.note(
            "A step is needed when expected demand passes the realistic capacity of the one before; it is ordered for the \
             upper end of demand. Optimistic: contention and coherency at their lower ends.",
        );
    })
}

/// Demand of weeks under the stairs of capacity.
fn picture(body: &mut Body, path: &Path) {
    let from = path.weeks.first().map_or(path.today, |band| band.date);
    let end = path.weeks.last().map_or(1.0, |band| weeks_between(from, band.date));
    // The steps that are needed, and what is there.
    let begins: Vec<f64> = (path.stairs.iter())
        .map_while(|stair| match stair.needed {
            None => Some(0.0),
            Some(needed) => needed.day(path.today).map(|day| weeks_between(from, day)),
        })
        .collect();
    let edge = |of: fn(&Stair) -> f64| -> Vec<(f64, f64)> {
        let ends = begins.iter().skip(1).copied().chain([end]);
        let steps = path.stairs.iter().zip(begins.iter().copied().zip(ends));
        steps.flat_map(|(stair, (from, to))| [(from, of(stair)), (to, of(stair))]).collect()
    };
    let series = vec![
        expected(from, &path.weeks),
        curve("capacity, realistic", false, edge(|stair| stair.realistic)),
        curve("capacity, optimistic", true, edge(|stair| stair.optimistic)),
    ];
    over_weeks(body, "path-weeks", "Demand and configurations", from, (series, band(from, &path.weeks)));
}
