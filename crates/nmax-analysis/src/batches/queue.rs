//! A queue whose response times have a known law, for tests and for the example `coverage`.

use nmax_plan::choice::Stream;

/// Mean response time of the server without a queue, ns.
const SERVICE_NS: f64 = 1e6;

/// M/M/1 in its steady state: arrivals at random, one server, exponential service times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queue {
    /// Utilization of the server, from 0 to below 1; at 0 response times are independent.
    pub(crate) load: f64,
    /// Exchanges that a run has on average.
    pub(crate) exchanges: f64,
    /// Windows of a run.
    pub(crate) windows: u64,
}

impl Queue {
    /// The quantile `q` of the response times, ns: −ln(1−q)/(μ−λ).
    pub(crate) fn quantile_ns(&self, q: f64) -> f64 {
        -(1.0 - q).ln() * self.mean_ns()
    }

    /// Mean response time, and its standard deviation, ns.
    pub(crate) fn mean_ns(&self) -> f64 {
        SERVICE_NS / (1.0 - self.load)
    }

    /// Hands over the exchanges of one run: the window in which each ends, and its response time, ns.
    ///
    /// R_{n+1} = max(0, R_n − A_n) + S_{n+1}, by D. V. Lindley (1952), from a draw of the stationary law on.
    pub(crate) fn run(&self, seed: u64, mut take: impl FnMut(u64, u64)) {
        let mut random = Stream::new(seed.wrapping_mul(0xD134_2543_DE82_EF95) ^ self.load.to_bits());
        let rate = if self.load > 0.0 { self.load } else { 1.0 };
        let length = self.exchanges / rate;
        let (mut at, mut response) = (0.0, 0.0);
        if random.unit() < self.load {
            response = random.exponential() / (1.0 - self.load);
        }
        loop {
            let gap = random.exponential() / rate;
            at += gap;
            if at >= length {
                return;
            }
            let waits = if self.load > 0.0 { (response - gap).max(0.0) } else { 0.0 };
            response = waits + random.exponential();
            let window = ((at + response) / length * self.windows as f64) as u64;
            take(window.min(self.windows - 1), (response * SERVICE_NS) as u64);
        }
    }
}
