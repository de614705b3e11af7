//! How many nodes are needed, what they survive, and what would help.

use nmax_capacity::plan::help::Change;
use nmax_capacity::plan::nodes::{Needed, NodeCount, Plan, Shards, Survive};
use nmax_capacity::supply::law::End;
use nmax_capacity::supply::{Supply, Tier};
use nmax_text::number::{count, counted, plain, significant};

use super::picture::{Curves, curve};
use crate::doc::table::{Cell, Table};
use crate::doc::{Item, Mark, Section};
use crate::number::{UNKNOWN, rate};

/// Most nodes of a picture.
const DRAWN_MAX: u32 = 400;

/// Nodes of each tier under the policy of the plan, then under every policy, the curve of each tier, and what would help.
pub fn sections(
    supply: &Supply,
    needed: &[Needed],
    policies: &[(Survive, Vec<Needed>)],
    changes: &[Change],
) -> Vec<Section> {
    let Some(first) = needed.first() else { return Vec::new() };
    let aside = format!("{} with the margin, {}", rate(first.need_per_s), first.survive.phrase());
    let nodes = Section::new("nodes", "Nodes").aside(aside).with(|body| {
        body.items(needed.iter().map(answer));
        let table = Table::from_rows(policies.iter().flat_map(|(_, rows)| rows))
            .word("tier", |need: &Needed| need.tier.clone())
            .short("", 0)
            .word("survives", |need| need.survive.phrase())
            .short("survives", 23)
            .number("nodes", |need| nodes(&need.estimate))
            .short("nodes", 11)
            .number("to be sure", |need| nodes(&need.pessimistic))
            .short("to be sure", 12)
            .number("after the loss", |need| left(&need.estimate))
            .short("after the loss", 18)
            .number("linear", linear)
            .short("linear", 11)
            .number("beyond linear", |need| need.beyond_linear().map_or_else(|| UNKNOWN.into(), |more| format!("+{more}")))
            .word("", supported);
        body.table(table);
        body.note(
            "To be sure: at the end of each interval that gives less capacity. Linear: if n nodes did n times what one does; \
             the difference is the price of contention and coherency. The survivors alone hold the load.",
        );
    });
    let curves = supply.tiers.iter().zip(needed).map(|(tier, need)| capacity(tier, need));
    let shards = needed.iter().filter_map(|need| match &need.estimate {
        Plan::Shards(shards) => Some(groups(need, shards)),
        Plan::Group(_) | Plan::Impossible => None,
    });
    let help = (!changes.is_empty()).then(|| help(changes));
    [nodes].into_iter().chain(curves).chain(shards).chain(help).collect()
}

fn answer(need: &Needed) -> Item {
    let sure = need.pessimistic.nodes();
    // A tier that is alone has no name worth saying.
    let tier = if need.tier == "nodes" { String::new() } else { format!("{}: ", need.tier) };
    let text = match (&need.estimate, sure) {
        (Plan::Group(count), Some(sure)) if sure == count.nodes => format!(
            "{tier}{}, of which {} are left after {} and do {}.",
            counted(count.nodes.into(), "node"),
            count.survivors,
            need.survive.phrase(),
            rate(count.survivors_per_s)
        ),
        (Plan::Group(count), Some(sure)) => format!(
            "{tier}{} by the estimates, {sure} to be sure; linear thinking says {}.",
            counted(count.nodes.into(), "node"),
            need.linear.nodes
        ),
        (Plan::Group(count), None) => format!(
            "{tier}{} by the estimates; at the pessimistic end no number does it.",
            counted(count.nodes.into(), "node")
        ),
        (Plan::Shards(shards), _) => format!(
            "{tier}to be sure, one group cannot hold {}{}. {} that share nothing, of {} each, do: {} nodes in all.",
            rate(need.need_per_s),
            most(need),
            counted(shards.groups.into(), "group"),
            counted(shards.group.nodes.into(), "node"),
            shards.total()
        ),
        (Plan::Impossible, _) => {
            format!("{tier}no number of nodes holds {}{}.", rate(need.need_per_s), most(need))
        }
    };
    let is_bad = matches!(need.estimate, Plan::Impossible) || sure.is_none();
    Item::new(if is_bad { Mark::Trouble } else { Mark::Answer }, text)
}

fn most(need: &Needed) -> String {
    need.most
        .map_or_else(String::new, |(n, per_s)| format!("; the most that one does is {}, with {n} nodes", rate(per_s)))
}

fn nodes(plan: &Plan) -> String {
    match plan {
        Plan::Group(one) => count(one.nodes.into()),
        Plan::Shards(shards) => format!("{} × {} = {}", shards.groups, shards.group.nodes, shards.total()),
        Plan::Impossible => "none does".into(),
    }
}

/// By the linear rule; with a single zone no number of nodes survives its loss.
fn linear(need: &Needed) -> String {
    if need.linear.survivors == 0 { "none does".into() } else { count(need.linear.nodes.into()) }
}

fn left(plan: &Plan) -> String {
    let told = |one: &NodeCount| format!("{} do {}", one.survivors, rate(one.survivors_per_s));
    plan.group().map_or_else(|| UNKNOWN.into(), told)
}

fn supported(need: &Needed) -> Cell {
    if need.is_supported() { Cell::default() } else { Cell::mark(Mark::Warning, "beyond what was measured") }
}

/// C(n) of a tier with the load that it must hold.
fn capacity(tier: &Tier, need: &Needed) -> Section {
    let chosen = need.pessimistic.group().or(need.estimate.group()).map(|group| group.nodes);
    let peak = need.most.map_or(0, |(n, _)| n);
    let widest = chosen.unwrap_or(peak).max(need.linear.nodes.min(DRAWN_MAX)).max(tier.now).max(4);
    let last = (widest + widest / 3).clamp(4, DRAWN_MAX.max(chosen.unwrap_or(0)));
    let step = (last / 200).max(1);
    let at: Vec<u32> = (1..=last).step_by(step as usize).collect();
    let points = |end| at.iter().map(|n| (f64::from(*n), tier.capacity(*n, end))).collect::<Vec<_>>();
    let one = tier.usable.value / tier.visits;
    let of_estimate = points(End::Estimate);
    let top = of_estimate.iter().map(|(_, x)| *x).chain([need.need_per_s]).fold(0.0, f64::max);
    let id = format!("nodes-{}", tier.name);
    let title = format!("Capacity of {}", tier.name);
    let ends = points(End::Pessimistic).into_iter().zip(points(End::Optimistic));
    let band: Vec<(f64, f64, f64)> = ends.map(|((n, low), (_, high))| (n, low, high)).collect();
    let has_band = band.iter().any(|(_, low, high)| low < high);
    let mut law = curve("by the law of nodes", false, of_estimate);
    if let Some(unit) = tier.law.unit_throughput() {
        law.name.push_str(", with what was measured at the usable capacity of a node");
        law.points = tier.law.observations.iter().map(|run| (run.n, run.x * one / unit)).collect();
    }
    let end = (top / one).clamp(1.0, f64::from(last));
    let linear = curve("if n nodes did n times as much", true, vec![(1.0, one), (end, end * one)]);
    let held = curve("what must be held", true, vec![(1.0, need.need_per_s), (f64::from(last), need.need_per_s)]);
    let reach = need.reach.filter(|reach| *reach < f64::from(last));
    Section::new(&id, &title).with(|body| {
        let series = vec![law, linear, held];
        let band = if has_band { band } else { Vec::new() };
        let curves = Curves { series, band, band_name: "from the pessimistic to the optimistic end" };
        curves.draw(body, (&id, &title), ("nodes", "requests of users per second"));
        if let Some(reach) = reach {
            body.note(format!(
                "Beyond {} nodes, twice those measured, the curve is not supported by the data.",
                plain(reach)
            ));
        }
    })
}

fn groups(need: &Needed, shards: &Shards) -> Section {
    Section::new(&format!("groups-{}", need.tier), &format!("Groups of {}", need.tier)).with(|body| {
        body.table(
            Table::from_rows(&shards.tried)
                .fits()
                .number("groups", |(groups, _): &(u32, Option<u32>)| groups.to_string())
                .number("nodes of each", |(_, nodes)| {
                    nodes.map_or_else(|| "none does".into(), |nodes| nodes.to_string())
                })
                .number("in all", |(groups, nodes)| {
                    nodes.map_or_else(|| UNKNOWN.into(), |nodes| (groups * nodes).to_string())
                }),
        );
        body.note("Groups must share nothing, also no database; otherwise the law of what they share is the limit.");
    })
}

fn help(changes: &[Change]) -> Section {
    Section::new("help", "What would help").aside("by the estimates; every row is assumed").with(|body| {
        body.table(
            Table::from_rows(changes).fits()
                .word("tier", |change: &Change| change.tier.clone())
                .word("change", |change| change.what)
                .number("nodes then", |change| nodes(&change.plan))
                .number("most of one group", |change| {
                    change.peak.map_or_else(|| UNKNOWN.into(), |(n, x)| format!("{} at {}", rate(x), significant(n, 3)))
                })
                .known(),
        );
        body.note("Nodes that are faster move every number of nodes; less contention moves large ones; less coherency moves the peak.");
    })
}
