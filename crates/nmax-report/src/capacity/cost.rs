//! What capacity costs, and which input moves the answer most.

use nmax_capacity::answer::Planned;
use nmax_capacity::cost::sensitivity::Influence;
use nmax_capacity::cost::study::Study;
use nmax_capacity::cost::{Bill, MONTH_H, Prices, UnitCost};
use nmax_text::number::{count, significant};

use crate::doc::table::Table;
use crate::doc::{Body, Section};
use crate::number::{UNKNOWN, rate};

/// An amount of money, to three digits: costs are not surer than that.
pub(super) fn money(amount: f64, currency: &str) -> String {
    let step = 10_f64.powi(2 - amount.abs().max(1e-9).log10().floor() as i32);
    format!("{} {currency}", significant((amount * step).round() / step, 3)).trim_end().to_owned()
}

/// What an hour costs: of what is installed, of what is needed and without a loss, each where it is known.
pub fn section(bills: &[(&str, Option<&Bill>); 3], study: &Study, prices: &Prices, currency: &str) -> Option<Section> {
    let month = |bill: &Bill| money(bill.total() * MONTH_H, currency);
    let [_, (_, needed), (_, without_loss)] = *bills;
    let bills: Vec<(&str, &Bill)> = bills.iter().filter_map(|(name, bill)| Some((*name, (*bill)?))).collect();
    Section::new("cost", "Cost")
        .aside("of an hour at the peak; to three digits")
        .with(|body| {
            let hourly = |amount: f64| money(amount, currency);
            body.table(
                Table::from_rows(&bills)
                    .fits()
                    .word("", |(name, _): &(&str, &Bill)| *name)
                    .number("nodes, per hour", |(_, bill)| hourly(bill.nodes))
                    .number(
                        "requests",
                        |(_, bill)| if bill.requests > 0.0 { hourly(bill.requests) } else { UNKNOWN.into() },
                    )
                    .number(
                        "transfer",
                        |(_, bill)| if bill.transfer > 0.0 { hourly(bill.transfer) } else { UNKNOWN.into() },
                    )
                    .number("per month", |(_, bill)| month(bill))
                    .known(),
            );
            if let (Some(with), Some(without)) = (needed, without_loss)
                && without.nodes > 0.0
                && with.nodes > without.nodes
            {
                body.note(format!(
                    "Surviving the loss costs {} times the nodes without it.",
                    significant(with.nodes / without.nodes, 4)
                ));
            }
            units(body, study, currency);
            if let (Some(price), Some(bill)) = (prices.hour_out_of_slo, needed) {
                let hours = bill.total() * MONTH_H / price;
                body.note(format!(
                    "An hour out of the objective costs {}: a month of the plan costs as much as {} such hours.",
                    money(price, currency),
                    significant(hours, 3)
                ));
            }
        })
        .said()
}

fn units(body: &mut Body, study: &Study, currency: &str) {
    let per_thousand = |cost: f64| money(1000.0 * cost, currency);
    let are_several = study.units.windows(2).any(|pair| pair[0].0 != pair[1].0);
    let mut table = Table::from_rows(&study.units).fits();
    if are_several {
        table = table.word("tier", |(tier, _): &(String, UnitCost)| tier.clone());
    }
    let table = table
        .number("nodes", |(_, unit): &(String, UnitCost)| count(unit.nodes.into()))
        .number("capacity", |(_, unit)| rate(unit.capacity_per_s))
        .number("average, per 1000/s and hour", |(_, unit)| per_thousand(unit.average))
        .number("one node more", |(_, unit)| unit.marginal.map_or_else(|| "gives nothing".into(), per_thousand));
    if !table.is_empty() {
        body.heading("What a request per second costs").table(table);
        body.note("The average only rises with nodes, so the cheapest plan is the smallest that holds the load.");
    }
    for (tier, optimum) in &study.optima {
        body.note(format!(
            "Most profitable at the stated value ({tier}): {} nodes ({} before rounding), {} an hour, if all capacity is used.",
            optimum.nodes,
            significant(optimum.at, 4),
            money(optimum.profit, currency)
        ));
    }
}

/// Inputs by how far each moves the cost of the nodes, or their number.
pub fn sensitivity(planned: &Planned, currency: &str) -> Option<Section> {
    let influences = &planned.influences;
    let is_cost = planned.document.prices.is_some() && planned.bills.is_some();
    let (answer, unit) = if is_cost { ("cost of the nodes per hour", currency) } else { ("number of nodes", "") };
    let write = |value: f64| money(value, unit);
    let told = |value: Option<f64>| value.map_or_else(|| "impossible".to_owned(), write);
    let moved: Vec<&Influence> = influences.iter().filter(|one| one.swing > 0.0).collect();
    let still: Vec<&str> =
        influences.iter().filter(|one| one.swing == 0.0).map(|one| one.input.name.as_str()).collect();
    Section::new("sensitivity", "What moves the answer").aside(format!("{answer}; one input at a time")).with(|body| {
        body.table(
            Table::from_rows(moved).fits()
                .word("input", |one: &Influence| one.input.name.clone())
                .word("basis", |one| one.input.figure.basis.word())
                .number("from", |one| significant(one.ends.0, 3))
                .number("to", |one| significant(one.ends.1, 3))
                .number("answer", |one| told(one.answers.0))
                .number("and", |one| told(one.answers.1)),
        );
        if !still.is_empty() {
            body.note(format!("These move nothing: {}.", still.join(", ")));
        }
        body.note("From and to are the ends of the interval of an input; of one without an interval, 10 % to either side.");
    })
    .said()
}
