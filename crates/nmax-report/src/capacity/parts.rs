//! The sections of supply, nodes, headroom and cost of a plan.

use nmax_capacity::answer::Planned;
use nmax_capacity::cost::study::{Study, study};
use nmax_capacity::plan::headroom::{reserves, survivors};

use super::{cost, headroom, nodes, supply, vertical};
use crate::doc::Section;

/// What there is, what is needed, how soon, what it costs, what moves it, and whether larger nodes were cheaper.
pub(super) fn sections(planned: &Planned) -> Vec<Section> {
    let Some(there) = &planned.supply else { return Vec::new() };
    let plan = &planned.document.plan;
    let (currency, prices) = (&planned.document.currency, planned.document.prices.unwrap_or_default());
    let load = planned.load_per_s;
    let study = load.map(|load| study(there, &prices, planned.chosen(), load, plan.margin)).unwrap_or_default();
    let mut sections = supply::sections(there);
    sections.extend(nodes::sections(there, planned.chosen(), &planned.needed, &study.changes));
    sections.extend(of_headroom(planned));
    sections.extend(of_cost(planned, &study));
    sections.extend(cost::sensitivity(planned, currency));
    sections.extend(planned.vertical.as_ref().map(|found| vertical::section(found, currency)));
    sections
}

fn of_headroom(planned: &Planned) -> Option<Section> {
    let plan = &planned.document.plan;
    let (headroom, actuation) = (planned.headroom.as_ref()?, plan.actuation.as_ref()?);
    let tier = planned.supply.as_ref()?.tiers.get(planned.binds)?;
    let flash = plan.surges.doubling_s.map(|doubling_s| headroom.doubling(doubling_s).needed);
    let left = survivors(plan.survive, tier.zones, tier.now);
    let reserves = reserves(plan.margin, plan.survive, left, flash);
    Some(headroom::section(headroom, actuation, &plan.surges, planned.target.as_ref(), &reserves))
}

fn of_cost(planned: &Planned, study: &Study) -> Option<Section> {
    let (now, needed) = planned.bills.as_ref()?;
    let bills = [
        ("what is installed", Some(now)),
        ("what is needed", needed.as_ref()),
        ("the same without a loss", study.without_loss.as_ref()),
    ];
    let prices = planned.document.prices.unwrap_or_default();
    cost::section(&bills, study, &prices, &planned.document.currency)
}
