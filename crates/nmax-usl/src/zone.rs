//! Zones of scalability: where a point lies beside the Amdahl bound.

use crate::analysis::Zone;
use crate::analysis::spread::Spread;
use crate::fit::{Fit, Scale};
use crate::law::Usl;

/// Relative distance from the bound that is rounding.
const ROUNDING: f64 = 1e-9;
/// Most users that the exact recursion is run for.
const USERS_MAX: usize = 1_000_000;

/// The Amdahl bound of a law: the same law without coherency.
///
/// ```text
/// X(N) = γN / (1 + α(N−1))
/// ```
pub const fn amdahl_bound(law: &Usl) -> Usl {
    Usl { coherency: 0.0, ..*law }
}

/// Throughput of `users` that queue one after the other (asynchronously) for a resource, per second: exact mean value
/// analysis of a closed system.
///
/// ```text
/// R(n) = S·(1 + Q(n−1)),  X(n) = n/(R(n) + Z),  Q(n) = X(n)·R(n)
/// ```
///
/// - S: `service_s`, seconds; Z: `think_s`, seconds
///
/// It lies above the Amdahl bound with α = S/(S+Z) and γ = 1/(S+Z), where all wait for each other. O(users), at most a
/// million; 0 for no users.
///
/// Source: M. Reiser, S. Lavenberg, *J. ACM* 27 (1980), 313.
pub fn asynchronous(users: usize, service_s: f64, think_s: f64) -> f64 {
    let (mut queue, mut throughput) = (0.0, 0.0);
    for n in 1..=users.min(USERS_MAX) {
        let response = service_s * (1.0 + queue);
        throughput = n as f64 / (response + think_s);
        queue = throughput * response;
    }
    throughput
}

/// Zone of a point with weight `weight`: on the Amdahl bound when it lies within the 95 % interval of a single run
/// there, else above or below it.
pub(crate) fn zone(law: &Usl, spread: &Spread, (n, x): (f64, f64), weight: f64) -> Option<Zone> {
    let bound = amdahl_bound(law);
    let expected = bound.throughput_at(n);
    let rounding = if spread.scale == Scale::Log { ROUNDING } else { ROUNDING * expected };
    let half = half_width(&bound, spread, n, weight).max(rounding);
    let apart = match spread.scale {
        Scale::Log => (x / expected).ln(),
        Scale::Linear => x - expected,
    };
    if !apart.is_finite() || !half.is_finite() {
        return None;
    }
    Some(match apart {
        _ if apart.abs() <= half => Zone::B,
        _ if apart > 0.0 => Zone::A,
        _ => Zone::C,
    })
}

/// Half of the 95 % interval of a single run on the bound, in the scale's units.
fn half_width(bound: &Usl, spread: &Spread, n: f64, weight: f64) -> f64 {
    // β is no part of the bound.
    let [by_alpha, _, by_gamma] = spread.scale.gradient(bound, n);
    let variance = spread.variance_of([by_alpha, 0.0, by_gamma]) + spread.variance / weight;
    spread.t * variance.sqrt()
}

/// Zone B at `n`: where a single run of weight 1 lies on the Amdahl bound of a fit, per second. `None` without
/// intervals.
pub fn bound_band(fit: &Fit, n: f64) -> Option<(f64, f64)> {
    let (spread, bound) = (Spread::from_fit(fit)?, amdahl_bound(&fit.law));
    spread.scale.around(bound.throughput_at(n), half_width(&bound, &spread, n, 1.0))
}
