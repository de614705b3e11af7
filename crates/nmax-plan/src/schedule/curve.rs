//! The integral of a linear rate and its inverse.
//!
//! All sums and products are of terms that never fall with time, so that the integral is monotone
//! in floating point too, not just on paper. That is what makes schedules invertible exactly.

const NS_PER_S: f64 = 1e9;

/// A rate that goes linearly from one value to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Curve {
    /// Rate at the beginning, 1/s, from 0.
    pub(super) from_per_s: f64,
    /// Rate at the end, 1/s, from 0.
    pub(super) to_per_s: f64,
    /// Length, ns; `None` is unbounded, then both rates are equal.
    pub(super) length_ns: Option<u64>,
}

impl Curve {
    /// Starts planned from the beginning to `t_ns`, dimensionless; constant from the end on.
    ///
    /// ```text
    /// Λ(t) = a·t + (b − a)·t² / (2·D)                          for a ≤ b
    /// Λ(t) = tail(0) − tail(t),  tail(t) = b·u + (a − b)·u² / (2·D),  u = D − t   for a > b
    /// ```
    ///
    /// - a, b: rates at the beginning and the end, 1/s; `from_per_s`, `to_per_s`
    /// - D: length, s; `length_ns`
    ///
    /// A falling rate is integrated from its end, because differences of growing terms are not monotone. O(1).
    /// Law: `offsets_and_counts_are_a_galois_pair`.
    pub(super) fn area(&self, t_ns: u64) -> f64 {
        let (a, b) = (self.from_per_s, self.to_per_s);
        let Some(length_ns) = self.length_ns else {
            return a * t_ns as f64 / NS_PER_S;
        };
        let t_ns = t_ns.min(length_ns);
        if a <= b {
            rising(a, b, length_ns, t_ns)
        } else {
            rising(b, a, length_ns, length_ns) - rising(b, a, length_ns, length_ns - t_ns)
        }
    }

    /// About the instant, ns from the beginning, at which [`Self::area`] is `area`.
    pub(super) fn instant(&self, area: f64) -> u64 {
        let (a, b) = (self.from_per_s, self.to_per_s);
        let Some(length_ns) = self.length_ns else {
            return (area * NS_PER_S / a) as u64;
        };
        if a <= b {
            return rising_instant(a, b, length_ns, area) as u64;
        }
        let tail = rising(b, a, length_ns, length_ns) - area;
        length_ns.saturating_sub(rising_instant(b, a, length_ns, tail) as u64)
    }

    /// Rate at `t_ns` from the beginning, 1/s.
    pub(super) fn rate_at(&self, t_ns: u64) -> f64 {
        match self.length_ns {
            Some(length_ns) if length_ns > 0 => {
                let fraction = t_ns.min(length_ns) as f64 / length_ns as f64;
                self.from_per_s * (1.0 - fraction) + self.to_per_s * fraction
            }
            _ => self.from_per_s,
        }
    }
}

/// Integral over the first `t_ns` of a rate that does not fall.
fn rising(a: f64, b: f64, length_ns: u64, t_ns: u64) -> f64 {
    if length_ns == 0 {
        return 0.0;
    }
    let t = t_ns as f64;
    (a * t + (b - a) * t * (t / length_ns as f64) * 0.5) / NS_PER_S
}

/// Inverse of [`rising`], ns; the form of the root that does not cancel.
fn rising_instant(a: f64, b: f64, length_ns: u64, area: f64) -> f64 {
    let area = area.max(0.0) * NS_PER_S;
    let slope = (b - a) / length_ns as f64;
    2.0 * area / (a + (a * a + 2.0 * slope * area).sqrt())
}
