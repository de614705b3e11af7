//! Which input moves an answer most: one at a time, each over its interval.

use crate::cost::{Prices, bill};
use crate::origin::Figure;
use crate::plan::nodes::{Survive, needed};
use crate::supply::Supply;

#[cfg(test)]
mod tests;

/// How far an input without an interval is moved, as a share of itself.
const MOVED: f64 = 0.10;

/// An input of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// What it is called.
    pub name: String,
    /// Its value and interval.
    pub figure: Figure,
}

impl Input {
    /// Its two ends: those of its interval, else 10 % to either side.
    fn ends(&self) -> (f64, f64) {
        let Figure { value, interval, .. } = self.figure;
        interval.unwrap_or((value * (1.0 - MOVED), value * (1.0 + MOVED)))
    }
}

/// What an input does to an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// The input.
    pub input: Input,
    /// Its two ends.
    pub ends: (f64, f64),
    /// The answer at each; `None` when there is none.
    pub answers: (Option<f64>, Option<f64>),
    /// How far the answers are apart; infinite when one end has none.
    pub swing: f64,
}

/// The influence of each input on `answer`, the largest first. `answer` takes the values in the order of `inputs`.
pub fn sensitivity(inputs: &[Input], answer: impl Fn(&[f64]) -> Option<f64>) -> Vec<Influence> {
    let values: Vec<f64> = inputs.iter().map(|input| input.figure.value).collect();
    let at = |index: usize, value: f64| {
        let mut moved = values.clone();
        moved[index] = value;
        answer(&moved)
    };
    let mut found: Vec<Influence> = inputs
        .iter()
        .enumerate()
        .map(|(index, input)| {
            let ends = input.ends();
            let answers = (at(index, ends.0), at(index, ends.1));
            let swing = match answers {
                (Some(a), Some(b)) => (a - b).abs(),
                (None, None) => 0.0,
                _ => f64::INFINITY,
            };
            Influence { input: input.clone(), ends, answers, swing }
        })
        .collect();
    found.sort_by(|a, b| b.swing.total_cmp(&a.swing));
    found
}

/// What moves the number of nodes, or with prices what they cost per hour: load, margin, and each tier's usable capacity,
/// coefficients, visits and price. Inputs that are 0 without an interval cannot be moved and are left out.
pub fn of_nodes(
    supply: &Supply,
    prices: Option<&Prices>,
    load: Figure,
    margin: f64,
    survive: Survive,
) -> Vec<Influence> {
    let priced = prices.filter(|prices| supply.tiers.iter().all(|tier| prices.node(tier).is_some()));
    let mut inputs = vec![("peak load".to_owned(), load), ("margin".to_owned(), Figure::assumed(margin))];
    for tier in &supply.tiers {
        let name = |what: &str| format!("{what} ({})", tier.name);
        inputs.push((name("usable capacity of a node"), tier.usable));
        inputs.push((name("contention of nodes, α"), tier.law.contention));
        inputs.push((name("coherency of nodes, β"), tier.law.coherency));
        inputs.push((name("requests per request of a user"), Figure::assumed(tier.visits)));
        let price = priced.and_then(|prices| prices.node(tier)).unwrap_or(0.0);
        inputs.push((name("price of a node"), Figure::assumed(price)));
    }
    let answer = |values: &[f64]| {
        let (general, tiers) = values.split_at(2);
        let mut moved = supply.clone();
        for (tier, values) in moved.tiers.iter_mut().zip(tiers.chunks(5)) {
            let &[usable, contention, coherency, visits, price] = values else { continue };
            tier.usable.value = usable;
            tier.law.contention.value = contention;
            tier.law.coherency.value = coherency;
            tier.visits = visits;
            tier.price_per_h = Some(price);
        }
        let plans = needed(&moved, general[0], general[1], survive);
        let nodes = plans.iter().map(|plan| plan.estimate.nodes()).collect::<Option<Vec<u32>>>()?;
        match priced {
            Some(prices) => Some(bill(&moved, prices, &nodes, 0.0)?.nodes),
            None => Some(nodes.into_iter().map(f64::from).sum()),
        }
    };
    let inputs: Vec<Input> = inputs.into_iter().map(|(name, figure)| Input { name, figure }).collect();
    let mut found = sensitivity(&inputs, answer);
    found.retain(|one| one.ends.0 < one.ends.1);
    found
}
