//! The upgrade path: which configuration is needed from which week on, and until when it lasts.
//!
//! Each configuration has two capacities: a realistic one by the estimates of the law of nodes, and an optimistic one with
//! its coefficients at their lower ends. Demand is the forecast with the margin on top. A step is needed from the day on
//! which demand passes the realistic capacity of the step before it; it is ordered for the upper end of demand.

use jiff::civil::Date;

use super::date::{Meeting, Order, reach};
use super::nodes::{Survive, capacity};
use crate::demand::Forecast;
use crate::demand::forecast::{Band, weekly};
use crate::supply::law::{End, NodeLaw};
use crate::supply::{Evidence, Gain, Supply};
use crate::{Basis, Figure};

/// A configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Stair {
    /// Its name; `now` for what is installed.
    pub name: String,
    /// Capacity after the loss that is planned for, requests per second.
    pub realistic: f64,
    /// The same with less contention and coherency; never below `realistic`.
    pub optimistic: f64,
    /// From when on expected demand needs it; `None` for what is installed.
    pub needed: Option<Meeting>,
    /// From when on the upper end of demand needs it.
    pub needed_early: Option<Meeting>,
    /// When to order it, for the upper end of demand.
    pub order: Option<Order>,
    /// When expected demand passes its realistic capacity.
    pub lasts: Meeting,
    /// When expected demand passes its optimistic capacity.
    pub lasts_optimistic: Meeting,
    /// From order to service, days.
    pub lead_days: i64,
    /// What it costs, once.
    pub price: Option<f64>,
}

/// The path.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// What is installed, then each upgrade in order.
    pub stairs: Vec<Stair>,
    /// Share that is added to demand.
    pub margin: f64,
    /// Today.
    pub today: Date,
    /// Demand with its margin, a week each from today on: the largest of its days.
    pub weeks: Vec<Band>,
}

impl Path {
    /// Steps that expected demand needs within the weeks looked ahead.
    pub fn needed(&self) -> impl Iterator<Item = &Stair> {
        self.stairs.iter().filter(|stair| stair.needed.is_some_and(|needed| needed.day(self.today).is_some()))
    }

    /// When expected demand passes the last step.
    pub fn ends(&self) -> Meeting {
        self.stairs.last().map_or(Meeting::Already, |stair| stair.lasts)
    }
}

/// The path of what can be bought; the tier that limits the system is upgraded first. `None` when nothing is offered.
///
/// Source: N. J. Gunther, slides on capacity projections in weeks (2010), where upgrades were placed under an envelope of
/// assumed contention. Law: `each_step_begins_where_the_last_one_ends`.
pub fn path(forecast: &Forecast, supply: &Supply, survive: Survive, margin: f64) -> Option<Path> {
    if supply.tiers.iter().all(|tier| tier.upgrades.is_empty()) {
        return None;
    }
    let raised = |band: &Band| {
        let factor = 1.0 + margin;
        Band { low: band.low * factor, median: band.median * factor, high: band.high * factor, ..*band }
    };
    let demand: Vec<Band> = forecast.ahead_of_today().map(raised).collect();
    let passes =
        |of: fn(&Band) -> f64, limit: f64, growth| reach(forecast, demand.iter().find(|band| of(band) > limit), growth);
    let expected = |limit| passes(|band| band.median, limit, |growth| growth.value);
    let mut stairs: Vec<Stair> = Vec::new();
    let mut now = State::new(supply);
    let mut bought = ("now".to_owned(), 0, None);
    loop {
        let realistic = capacity(&now.supply, &now.nodes, survive, End::Estimate);
        let optimistic = capacity(&optimistic(&now.supply), &now.nodes, survive, End::Estimate).per_s;
        let (name, lead_days, price) = bought;
        let before = stairs.last().map(|stair| stair.realistic);
        let needed_early = before.map(|limit| passes(|band| band.high, limit, Figure::high));
        stairs.push(Stair {
            name,
            realistic: realistic.per_s,
            optimistic: optimistic.max(realistic.per_s),
            needed: before.map(expected),
            needed_early,
            order: needed_early.map(|day| Order::in_time(day, forecast.today, lead_days)),
            lasts: expected(realistic.per_s),
            lasts_optimistic: expected(optimistic.max(realistic.per_s)),
            lead_days,
            price,
        });
        match now.buy(realistic.binds) {
            Some(next) => bought = next,
            None => break,
        }
    }
    let weeks = demand.first().map_or_else(Vec::new, |first| weekly(&demand, first.date));
    Some(Path { stairs, margin, today: forecast.today, weeks })
}

/// The law with its coefficients at their lower ends, none below 0.
fn optimistic(supply: &Supply) -> Supply {
    let mut supply = supply.clone();
    for tier in &mut supply.tiers {
        let low = |figure: &Figure| Figure { value: figure.low().max(0.0), interval: None, basis: figure.basis };
        tier.law = NodeLaw::stated(low(&tier.law.contention), low(&tier.law.coherency), tier.law.tested);
    }
    supply
}

/// What is installed, and what was bought of each tier.
struct State {
    supply: Supply,
    nodes: Vec<u32>,
    bought: Vec<usize>,
    ratings: Vec<f64>,
}

impl State {
    fn new(supply: &Supply) -> Self {
        let rating = |evidence: &Evidence| match evidence {
            Evidence::Rating(rating, _) => *rating,
            _ => 1.0,
        };
        Self {
            nodes: supply.installed(),
            bought: vec![0; supply.tiers.len()],
            ratings: supply.tiers.iter().map(|tier| rating(&tier.evidence)).collect(),
            supply: supply.clone(),
        }
    }

    /// Buys the next upgrade of a tier: its name, lead time in days and price; `None` when it has none left.
    fn buy(&mut self, binds: usize) -> Option<(String, i64, Option<f64>)> {
        let tier = self.supply.tiers.get_mut(binds)?;
        let upgrade = tier.upgrades.get(self.bought[binds])?.clone();
        self.bought[binds] += 1;
        let mut times = |factor: f64| {
            let interval = tier.usable.interval.map(|(low, high)| (factor * low, factor * high));
            tier.usable = Figure { value: factor * tier.usable.value, interval, basis: Basis::Vendor };
        };
        match upgrade.gain {
            Gain::Times(factor) => times(factor),
            Gain::Rating(rating) => {
                times(rating / self.ratings[binds]);
                self.ratings[binds] = rating;
            }
            Gain::Nodes(nodes) => self.nodes[binds] = nodes,
        }
        Some((upgrade.name, upgrade.lead_days.ceil() as i64, upgrade.price))
    }
}

#[cfg(test)]
mod tests;
