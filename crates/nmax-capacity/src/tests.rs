//! What tests of several modules share.

use crate::origin::Figure;
use crate::supply::law::NodeLaw;
use crate::supply::{Evidence, Tier};

/// Asserts a value to 1e-5 of itself.
#[track_caller]
pub(crate) fn close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-5 * wanted.abs(), "found {found}, wanted {wanted}");
}

/// A tier with these coefficients.
pub(crate) fn tier(usable: f64, alpha: f64, beta: f64) -> Tier {
    Tier {
        name: "app".into(),
        usable: Figure::assumed(usable),
        evidence: Evidence::Stated,
        saturation_per_s: None,
        law: NodeLaw::stated(Figure::assumed(alpha), Figure::assumed(beta), None),
        zones: 3,
        groups: 9,
        now: 20,
        visits: 1.0,
        price_per_h: None,
        upgrades: Vec::new(),
    }
}
