//! When batches came, on the clock of their run.

use nmax_metrics::Nanos;

/// Instants of a run out of the broker's stamps, which have to be asked for in the broker's order: so all who fold get the same.
///
/// Once a stamp is before another that came earlier, the broker's clock was set back, and its stamps say nothing any more.
#[derive(Clone, Copy, Debug)]
pub struct Arrivals {
    origin_ns: u64,
    latest_ns: u64,
    is_set_back: bool,
}

impl Arrivals {
    /// Those of a run whose origin is at this instant of the broker's clock, ns since 1970.
    pub fn new(origin_ns: u64) -> Self {
        Self { origin_ns, latest_ns: 0, is_set_back: false }
    }

    /// When what has this stamp came, on the run's clock; 0 for before its origin, `None` where that is not known.
    pub fn at(&mut self, stamp_ns: u64) -> Option<Nanos> {
        self.is_set_back |= stamp_ns < self.latest_ns;
        self.latest_ns = stamp_ns;
        (!self.is_set_back).then(|| Nanos(stamp_ns.saturating_sub(self.origin_ns)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_back_says_nothing_any_more() {
        let mut arrivals = Arrivals::new(1_000);
        let at: Vec<_> = [900, 1_500, 1_500, 1_499, 9_000].map(|stamp| arrivals.at(stamp).map(|at| at.0)).into();
        assert_eq!(at, [Some(0), Some(500), Some(500), None, None]);
    }
}
