//! `assume` of the document: what if some of it were different?

use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::{Decoder, Node, tables};

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
