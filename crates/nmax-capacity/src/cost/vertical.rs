//! More nodes against larger nodes: what each load costs both ways, and where the two costs cross.
//!
//! Sizes are in any unit that grows with the machine, such as cores; prices per hour, loads per second. Nothing is said
//! beyond the largest size that has a price, nor beyond the largest number of nodes measured.

use nmax_usl::random::Random;
use nmax_usl::{Dimension, Fit, Observation, Options, Usl, analyse};

use crate::plan::nodes::{Plan, Survive, needed};
use crate::supply::law::{End, NODES_MAX, draw};
use crate::supply::{Supply, Tier};

#[cfg(test)]
mod tests;

/// Draws of the coefficients for the interval of the crossing.
const DRAWS: usize = 500;
/// Loads at which the two costs are compared for a crossing, and rows of the table.
const STEPS: u32 = 64;
const ROWS: u32 = 8;

/// A machine that was measured and has a price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Its size.
    pub size: f64,
    /// Its usable capacity, per second.
    pub usable_per_s: f64,
    /// Its price, per hour.
    pub price_per_h: f64,
}

/// Larger nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertical {
    /// Machines by size; several runs of a size are several of them.
    pub sizes: Vec<Size>,
    /// Machines beside the one that works, for the case of its loss.
    pub standby: u32,
}

/// One load both ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Both {
    /// Load, per second.
    pub load_per_s: f64,
    /// Nodes, and their cost per hour; `None` where no number of nodes holds it.
    pub wide: Option<(u32, f64)>,
    /// Size of the machine, and the cost per hour of it and of those beside it; `None` where no machine holds it.
    pub tall: Option<(f64, f64)>,
}

/// Where the two costs are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Load, per second.
    pub load_per_s: f64,
    /// Middle 95 % of where the costs of drawn coefficients cross, among those that do.
    pub interval: (f64, f64),
    /// Share of draws that cross.
    pub share: f64,
    /// Whether larger nodes are the cheaper way below it.
    pub is_tall_cheaper_below: bool,
}

/// The two ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The fit over sizes.
    pub fit: Fit,
    /// Loads from the smallest to the largest that both ways were measured for.
    pub rows: Vec<Both>,
    /// From which load to which both are known, per second.
    pub range: (f64, f64),
    /// Where costs cross within that range.
    pub crossing: Option<Crossing>,
    /// Without a crossing, whether larger nodes are the cheaper way over all of it.
    pub is_tall_cheaper: bool,
    /// Share of draws without a crossing that say the same, or 1 − the share that cross.
    pub share: f64,
}

/// Costs of one pair of laws, with fractions of nodes and sizes.
struct Ways<'a> {
    wide: Usl,
    tall: Usl,
    node_price: f64,
    zones: u32,
    survive: Survive,
    /// Sizes and prices, in order.
    prices: &'a [(f64, f64)],
    machines: f64,
}

impl Ways<'_> {
    /// Nodes for a load, with those that may be lost; `None` above the peak.
    fn nodes(&self, load: f64) -> Option<f64> {
        let survivors = if load <= self.wide.unit_throughput { 1.0 } else { self.wide.concurrency_at(load).ok()? };
        Some(match self.survive {
            Survive::None => survivors,
            Survive::Zone => survivors * f64::from(self.zones) / f64::from(self.zones - 1),
            Survive::TwoNodes => survivors + 2.0,
        })
    }

    /// The size for a load; `None` beyond the largest.
    fn size(&self, load: f64) -> Option<f64> {
        let (smallest, largest) = (self.prices.first()?.0, self.prices.last()?.0);
        let size =
            if load <= self.tall.throughput_at(smallest) { smallest } else { self.tall.concurrency_at(load).ok()? };
        (size <= largest * (1.0 + 1e-9)).then_some(size.max(smallest))
    }

    /// Cost of more nodes less that of larger ones, per hour.
    fn difference(&self, load: f64) -> Option<f64> {
        Some(self.nodes(load)? * self.node_price - self.machines * price_at(self.prices, self.size(load)?))
    }

    /// The first load in the range at which the difference changes its sign.
    fn crossing(&self, (from, to): (f64, f64)) -> Option<f64> {
        let place = |step: u32| from * (to / from).powf(f64::from(step) / f64::from(STEPS));
        let first = self.difference(from)? > 0.0;
        let changes = |load: f64| self.difference(load).is_some_and(|value| (value > 0.0) != first);
        let step = (1..=STEPS).find(|step| changes(place(*step)))?;
        let (mut low, mut high) = (place(step - 1), place(step));
        while high / low - 1.0 > 1e-9 {
            let middle = (low * high).sqrt();
            if changes(middle) { high = middle } else { low = middle }
        }
        Some(low)
    }
}

/// Price of a size, in a straight line between its neighbours.
fn price_at(prices: &[(f64, f64)], size: f64) -> f64 {
    let above = prices.partition_point(|(other, _)| *other < size).clamp(1, prices.len().max(2) - 1);
    match (prices.get(above - 1), prices.get(above)) {
        (Some((s0, p0)), Some((s1, p1))) => p0 + (p1 - p0) * ((size - s0) / (s1 - s0)).clamp(0.0, 1.0),
        (Some((_, price)), None) => *price,
        _ => f64::NAN,
    }
}

/// Compares more nodes of `tier` at `node_price` with larger ones. Draws come from `seed`.
///
/// # Errors
/// Why these data do not support it, as what follows `because`.
pub fn compare(
    tier: &Tier,
    node_price: f64,
    survive: Survive,
    vertical: &Vertical,
    seed: u64,
) -> Result<Comparison, String> {
    if survive == Survive::Zone && tier.zones < 2 {
        return Err("nodes in a single zone do not survive its loss".into());
    }
    let observations: Vec<Observation> = vertical
        .sizes
        .iter()
        .zip(1..)
        .map(|(one, row)| Observation { n: one.size, x: one.usable_per_s, r_s: None, weight: 1.0, row, count: None })
        .collect();
    let analysis = analyse(&observations, &Options { dimension: Dimension::Other, ..Options::default() });
    if let Some(why) = analysis.blocked() {
        return Err(why);
    }
    let fit = analysis.fit.ok_or("the law cannot be fitted to these sizes")?;
    let mut prices: Vec<(f64, f64)> = vertical.sizes.iter().map(|one| (one.size, one.price_per_h)).collect();
    prices.sort_by(|a, b| a.0.total_cmp(&b.0));
    prices.dedup_by(|a, b| a.0 == b.0);
    let positive = |law: Usl| Usl { contention: law.contention.max(0.0), coherency: law.coherency.max(0.0), ..law };
    let usable = tier.usable.value / tier.visits;
    let ways = |wide: Usl, tall: Usl| Ways {
        wide,
        tall,
        node_price,
        zones: tier.zones,
        survive,
        prices: &prices,
        machines: f64::from(1 + vertical.standby),
    };
    let expected = ways(Usl { unit_throughput: usable, ..tier.law.law(End::Estimate) }, positive(fit.law));
    // Survivors up to those measured; without a measurement up to the peak.
    let most = tier.law.tested.unwrap_or(f64::from(NODES_MAX));
    let most = expected.wide.peak_concurrency().map_or(most, |peak| peak.min(most)).max(1.0);
    let (smallest, largest) = (prices[0].0, prices[prices.len() - 1].0);
    let from = usable.max(expected.tall.throughput_at(smallest));
    let to = expected.wide.throughput_at(most).min(expected.tall.throughput_at(largest));
    if from >= to {
        return Err(format!("more nodes begin at {from:.0}/s and the two ways have no load above it in common"));
    }
    let range = (from, to);
    let crossing = expected.crossing(range);
    let is_tall_cheaper = expected.difference(from).is_some_and(|value| value > 0.0);
    let mut random = Random::new(seed);
    let drawn: Vec<Option<f64>> = (0..DRAWS)
        .map(|_| {
            let wide = Usl { unit_throughput: usable_draw(tier, &mut random), ..tier.law.draw(&mut random) };
            let tall = positive(draw(&fit, &mut random));
            ways(wide, tall).crossing(range)
        })
        .collect();
    let mut crossings: Vec<f64> = drawn.iter().flatten().copied().collect();
    crossings.sort_by(f64::total_cmp);
    let share = crossings.len() as f64 / DRAWS as f64;
    let at = |q: f64| crossings.get(((crossings.len() as f64 - 1.0) * q).round() as usize).copied();
    let crossing = crossing.zip(at(0.025).zip(at(0.975))).map(|(load_per_s, interval)| Crossing {
        load_per_s,
        interval,
        share,
        is_tall_cheaper_below: is_tall_cheaper,
    });
    let rows = (0..=ROWS).map(|row| both(from * (to / from).powf(f64::from(row) / f64::from(ROWS)), tier, &expected));
    let share = if crossing.is_some() { share } else { 1.0 - share };
    Ok(Comparison { rows: rows.collect(), fit, range, crossing, is_tall_cheaper, share })
}

/// A load in whole nodes of one group, and in the smallest machine on offer.
fn both(load_per_s: f64, tier: &Tier, ways: &Ways) -> Both {
    let load = load_per_s * (1.0 - 1e-9);
    let nodes =
        match needed(&Supply { tiers: vec![tier.clone()] }, load, 0.0, ways.survive).pop().map(|one| one.estimate) {
            Some(Plan::Group(count)) => Some(count.nodes),
            _ => None,
        };
    let size = ways.prices.iter().find(|(size, _)| ways.tall.throughput_at(*size) >= load);
    Both {
        load_per_s,
        wide: nodes.map(|n| (n, f64::from(n) * ways.node_price)),
        tall: size.map(|(size, price)| (*size, ways.machines * price)),
    }
}

/// The usable capacity of a node, in requests of users per second, drawn from its interval.
fn usable_draw(tier: &Tier, random: &mut Random) -> f64 {
    let sd = tier.usable.interval.map_or(0.0, |(low, high)| (high / low).ln() / (2.0 * 1.96));
    tier.usable.value / tier.visits * random.lognormal(sd)
}
