//! What there is: usable capacity of a node of each tier, and what it rests on.

use nmax_capacity::Figure;
use nmax_capacity::supply::tested::{JudgedLevel, Tested, Verdict};
use nmax_capacity::supply::utilization::{Demands, Resource};
use nmax_capacity::supply::{Evidence, Supply, Tier};
use nmax_text::number::{plain, significant};

use crate::doc::table::{Cell, Table};
use crate::doc::{Body, Item, Mark, Section};
use crate::number::{self, rate};

/// Tiers, then what the usable capacity of each rests on.
pub fn sections(supply: &Supply) -> Vec<Section> {
    let tiers = Section::new("supply", "Supply").aside("usable capacity of one node at the objective").with(|body| {
        let table = Table::from_rows(&supply.tiers)
            .word("tier", |tier: &Tier| tier.name.clone())
            .short("", 0)
            .number("usable, 1/s", |tier| figure(&tier.usable))
            .short("usable, 1/s", 25)
            .number("basis", |tier| tier.usable.basis.word())
            .short("basis", 11)
            .number("α", |tier| shortly(&tier.law.contention))
            .short("α", 9)
            .number("β", |tier| shortly(&tier.law.coherency))
            .short("β", 11)
            .word("law", |tier| tier.law.basis().word())
            .number("measured to", |tier| tier.law.tested.map_or_else(|| number::UNKNOWN.into(), plain))
            .number("nodes now", |tier| tier.now.to_string())
            .short("now", 6)
            .number("zones", |tier| tier.zones.to_string());
        let is_visited = supply.tiers.iter().any(|tier| tier.visits != 1.0);
        body.table(if is_visited { table.number("visits", |tier| plain(tier.visits)) } else { table });
        body.note("n nodes do n/(1 + α(n−1) + βn(n−1)) times what one does. Ranges are 95 % intervals, or ends that were stated.");
    });
    let evidence = supply.tiers.iter().filter_map(|tier| match &tier.evidence {
        Evidence::Tested(tested) => Some(levels(tier, tested)),
        Evidence::Demands(demands, target) if demands.resources.len() > 1 => Some(resources(tier, demands, *target)),
        Evidence::Demands(..) | Evidence::Stated | Evidence::Rating(..) => None,
    });
    [tiers].into_iter().chain(evidence).collect()
}

/// With its interval; the terminal has room for the estimate.
fn shortly(of: &Figure) -> Cell {
    Cell { short: Some(significant(of.value, 4)), ..figure(of).into() }
}

/// `1,200 (1,100 to 1,300)`.
fn figure(of: &Figure) -> String {
    match of.interval {
        Some((low, high)) => format!("{} ({} to {})", plain(of.value), significant(low, 3), significant(high, 3)),
        None => plain(of.value),
    }
}

/// Levels that were tested, and where the bracket lies.
fn levels(tier: &Tier, tested: &Tested) -> Section {
    let mark = |verdict| match verdict {
        Verdict::Met => (Mark::Pass, "met"),
        Verdict::Open => (Mark::Unknown, "open"),
        Verdict::Missed => (Mark::Fail, "missed"),
    };
    let ms = |value: f64| number::time(value * 1e6);
    let range = |range: Option<(f64, f64)>| {
        range.map_or_else(|| number::UNKNOWN.to_owned(), |(low, high)| format!("{} to {}", ms(low), ms(high)))
    };
    Section::new(&format!("tested-{}", tier.name), &format!("Tested loads of {}", tier.name)).with(|body| {
        passed(body, tested);
        let table = Table::from_rows(&tested.levels).fits()
            .number("load", |level: &JudgedLevel| rate(level.load_per_s))
            .word("objective", |level| {
                let (mark, word) = mark(level.verdict);
                Cell::mark(mark, word)
            })
            .number("runs", |level| level.runs.to_string())
            .number("mean", |level| ms(level.mean_ms))
            .number("95 % interval", |level| range(level.interval_ms))
            .number("of the median", |level| range(level.median_ms))
            .number("failed, at most", |level| number::share(level.failure_rate_high))
            .number("achieved", |level| number::share_or_unknown(level.achieved))
            .sentence("why", |level| {
                let missing = level.runs_missing.map(|runs| match runs {
                    1 => "; one more run like these may decide".to_owned(),
                    runs => format!("; {runs} more runs like these may decide"),
                });
                format!("{}{}", level.why, missing.unwrap_or_default())
            })
            .below();
        body.table(table.known());
        if let Some(growth) = tier.saturation_per_s.and_then(|saturation| tested.growth(saturation)) {
            let verdict = if growth.is_queueing() { "queueing explains it" } else { "queueing alone does not explain it" };
            body.note(format!(
                "From the lowest load to the largest that meets the objective, the quantile grows {} times; a single queue \
                 grows {} times: {verdict}.",
                significant(growth.measured, 3),
                significant(growth.queue, 3)
            ));
        }
    })
}

fn passed(body: &mut Body, tested: &Tested) {
    let text = match (tested.pass_per_s, tested.fail_per_s) {
        (Some(pass), Some(fail)) => {
            format!("Usable capacity lies between {} and {}; {} is planned with.", rate(pass), rate(fail), rate(pass))
        }
        (Some(pass), None) => {
            format!("Usable capacity is at least {}: no tested load missed the objective.", rate(pass))
        }
        _ => "No tested load shows the objective as met.".into(),
    };
    let next = tested.next_per_s.map(|next| format!(" The next load to test is {}.", rate(next)));
    body.items([Item::new(Mark::Answer, format!("{text}{}", next.unwrap_or_default()))]);
}

/// Demands of resources, and the bounds that follow.
fn resources(tier: &Tier, demands: &Demands, target: f64) -> Section {
    let ms = |seconds: f64| number::time(seconds * 1e9);
    Section::new(&format!("resources-{}", tier.name), &format!("Resources of {}", tier.name)).with(|body| {
        let first = demands.bottleneck();
        body.items([Item::new(
            Mark::Answer,
            format!(
                "{} limits a node to {}; {} of that is planned with.",
                first.name,
                rate(demands.ceiling_per_s()),
                number::share(target)
            ),
        )]);
        body.table(
            Table::from_rows(&demands.resources)
                .fits()
                .word("resource", |one: &Resource| one.name.clone())
                .number("time a request", |one| ms(one.demand_s))
                .number("over the levels", |one| format!("{} to {}", ms(one.range_s.0), ms(one.range_s.1)))
                .number("limit", |one| rate(1.0 / one.demand_s))
                .word("", |one| if one.drifts() { Cell::mark(Mark::Warning, "drifts") } else { Cell::default() }),
        );
        body.facts([
            ("all resources", format!("{} a request", ms(demands.total_s()))),
            (
                "bounds cross at",
                format!(
                    "{} users with a think time of {}",
                    plain(demands.crossing_users()),
                    number::span(demands.think_s)
                ),
            ),
        ]);
    })
}
