//! What a plan costs beside its bill: what a policy adds, what a request per second costs, the most profitable size.

use crate::cost::{Bill, Optimum, Prices, UnitCost, bill, profit_optimum, unit_cost};
use crate::origin::{Assumptions, Basis};
use crate::plan::help::{Change, changes};
use crate::plan::nodes::{Needed, Survive, needed};
use crate::supply::Supply;

/// The answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Study {
    /// An hour of what would be needed if nothing were lost, at the pessimistic end.
    pub without_loss: Option<Bill>,
    /// Cost of a request per second of some numbers of nodes, with the name of their tier.
    pub units: Vec<(String, UnitCost)>,
    /// The most profitable number of nodes of each tier, where a value is stated and there is one.
    pub optima: Vec<(String, Optimum)>,
    /// What would help.
    pub changes: Vec<Change>,
}

/// Studies the cost of a peak load, per second, for which these nodes were chosen.
pub fn study(supply: &Supply, prices: &Prices, chosen: &[Needed], load_per_s: f64, margin: f64) -> Study {
    let survive = chosen.first().map_or(Survive::None, |one| one.survive);
    let without = needed(supply, load_per_s, margin, Survive::None);
    let without: Option<Vec<u32>> = without.iter().map(|one| one.pessimistic.nodes()).collect();
    let mut found = Study {
        without_loss: without.filter(|_| survive != Survive::None).and_then(|n| bill(supply, prices, &n, load_per_s)),
        changes: changes(supply, load_per_s, margin, survive),
        ..Study::default()
    };
    for (tier, need) in supply.tiers.iter().zip(chosen) {
        let Some(price) = prices.node(tier) else { continue };
        let mut sizes = vec![1, tier.now];
        sizes.extend(need.pessimistic.group().map(|group| group.nodes));
        sizes.extend(need.most.map(|(n, _)| n));
        sizes.sort_unstable();
        sizes.dedup();
        found.units.extend(sizes.into_iter().map(|n| (tier.name.clone(), unit_cost(tier, n, price))));
        let optimum = prices.value_per_h.and_then(|value| profit_optimum(tier, price, value));
        found.optima.extend(optimum.map(|optimum| (tier.name.clone(), optimum)));
    }
    found
}

/// Tells `about` every price that answers rest on.
pub fn judge(supply: &Supply, prices: &Prices, currency: &str, about: &mut Assumptions) {
    let money = |amount: f64, per: &str| format!("{} {currency}{per}", nmax_text::number::significant(amount, 3));
    let mut stated = |what: String, amount: Option<f64>, per: &str| {
        if let Some(amount) = amount.filter(|amount| *amount > 0.0) {
            about.rest_on(what, money(amount, per), Basis::Assumed, "");
        }
    };
    for tier in &supply.tiers {
        stated(format!("price of a node ({})", tier.name), prices.node(tier), " an hour");
    }
    stated("price of a million requests".into(), Some(1e6 * prices.request), "");
    stated("price of a gigabyte sent".into(), Some(prices.gigabyte), "");
    stated("an hour out of the objective".into(), prices.hour_out_of_slo, "");
    stated("value of 1000 requests per second".into(), prices.value_per_h.map(|value| 1e3 * value), " an hour");
}
