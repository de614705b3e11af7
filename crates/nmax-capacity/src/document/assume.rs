//! `assume` of the document: what if some of it were different?

use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::{Decoder, Node, tables};

use super::Document;
use super::demand::per_week;
use super::values::above_zero;

tables! {
    ASSUME "`assume`" {
        key "growth": Text, "Growth of demand on top of the forecast, such as `1% per week`; may be below 0.";
        key "demand": Number, "Demand, times what is forecast.";
        key "lag": Number, "Every delay until a node serves, and lead times, times what is stated.";
        key "price": Number, "Every price, times what is stated.";
    };
}

/// What is assumed beside the rest of the document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assume {
    /// Growth per week on top of the forecast: .01 is 1 %.
    pub growth_per_week: f64,
    /// Factor on demand.
    pub demand: f64,
    /// Factor on delays and lead times.
    pub lag: f64,
    /// Factor on prices.
    pub price: f64,
}

impl Default for Assume {
    fn default() -> Self {
        Self { growth_per_week: 0.0, demand: 1.0, lag: 1.0, price: 1.0 }
    }
}

impl Assume {
    /// Changes delays and prices of a document; demand is changed where it is forecast.
    pub(super) fn apply(&self, document: &mut Document) {
        let (lag, price) = (self.lag, self.price);
        let plan = &mut document.plan;
        plan.lead_days = (plan.lead_days as f64 * lag).round() as i64;
        plan.actuation.iter_mut().flat_map(|all| &mut all.parts).for_each(|(seconds, _)| *seconds *= lag);
        for tier in &mut document.supply {
            tier.price_per_h = tier.price_per_h.map(|known| known * price);
            for upgrade in &mut tier.upgrades {
                upgrade.lead_days *= lag;
                upgrade.price = upgrade.price.map(|known| known * price);
            }
        }
        if let Some(prices) = &mut document.prices {
            prices.node_per_h = prices.node_per_h.map(|known| known * price);
            prices.request *= price;
            prices.gigabyte *= price;
        }
        document.vertical.iter_mut().flat_map(|all| &mut all.sizes).for_each(|size| size.price_per_h *= price);
        if let Some(day) = &mut document.day {
            day.provisioning.quantiles.iter_mut().for_each(|(_, seconds)| *seconds *= lag);
            day.provisioning.after_s *= lag;
            let caches = day.strategies.iter_mut().filter_map(|draft| draft.policy.cache.as_mut());
            caches.for_each(|cache| cache.price_hour *= price);
        }
    }
}

/// Reads it.
pub(super) fn decode(decoder: &mut Decoder, node: &Node) -> Option<Assume> {
    let fields = decoder.fields(node, &ASSUME)?;
    let mut assume = Assume::default();
    fields.set(&mut assume.growth_per_week, "growth", |node| per_week(decoder, node));
    for (name, value) in [("demand", &mut assume.demand), ("lag", &mut assume.lag), ("price", &mut assume.price)] {
        fields.set(value, name, |node| above_zero(decoder, node, |decoder, node| decoder.number(node)));
    }
    Some(assume)
}
