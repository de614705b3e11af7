//! Queues with closed forms: what waiting alone explains of a measured curve.
//!
//! Nothing is sized from them alone. A queue that is not stable has no mean, so every answer about it is `None`. Times
//! are seconds, rates per second. O(servers).

use statrs::function::erf::erf;

#[cfg(test)]
mod tests;

/// The queue M/M/m: arrivals at random, service times with an exponential distribution, one line for all servers.
///
/// Source: A. O. Allen, *Probability, Statistics, and Queueing Theory* (1990), table 9; Erlang's C formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Queue {
    /// Servers m, at least 1.
    pub servers: u32,
    /// Mean service time S, seconds.
    pub service_s: f64,
    /// Arrival rate λ, per second.
    pub arrival_rate_per_s: f64,
}

impl Queue {
    /// Offered load a = λS: servers that are busy on average, if there are enough.
    pub fn offered(&self) -> f64 {
        self.arrival_rate_per_s * self.service_s
    }

    /// Utilization ρ = a/m.
    pub fn utilization(&self) -> f64 {
        self.offered() / f64::from(self.servers)
    }

    /// Probability that an arrival waits: Erlang's C.
    ///
    /// ```text
    /// C = B_m / (1 − ρ(1 − B_m)),  ρ < 1
    /// ```
    pub fn waits(&self) -> Option<f64> {
        let (blocked, utilization) = (erlang_b(self.servers, self.offered()), self.utilization());
        (utilization < 1.0).then(|| blocked / (1.0 - utilization * (1.0 - blocked)))
    }

    /// Mean wait Wq = C·S/(m − a), seconds.
    pub fn wait_s(&self) -> Option<f64> {
        Some(self.waits()? / self.drain_per_s())
    }

    /// Mean response time Wq + S, seconds.
    pub fn response_s(&self) -> Option<f64> {
        Some(self.wait_s()? + self.service_s)
    }

    /// Mean length of the line, Lq = λ·Wq.
    pub fn waiting(&self) -> Option<f64> {
        Some(self.wait_s()? * self.arrival_rate_per_s)
    }

    /// Probability of a wait longer than `time_s`: C·e^{−(m−a)t/S}.
    pub fn waits_longer(&self, time_s: f64) -> Option<f64> {
        Some(self.waits()? * (-self.drain_per_s() * time_s).exp())
    }

    /// The wait that a share `q` of arrivals stays below, seconds; 0 where that many do not wait.
    pub fn wait_quantile_s(&self, q: f64) -> Option<f64> {
        Some(((self.waits()? / (1.0 - q)).ln() / self.drain_per_s()).max(0.0))
    }

    /// (m − a)/S: how fast the line shrinks without arrivals beyond the mean, per second.
    fn drain_per_s(&self) -> f64 {
        (f64::from(self.servers) - self.offered()) / self.service_s
    }
}

/// Probability that all of `servers` are busy when no one waits: Erlang's B, with a = λS erlangs offered.
///
/// ```text
/// B_0 = 1,  B_k = a·B_{k−1} / (k + a·B_{k−1})
/// ```
pub fn erlang_b(servers: u32, offered: f64) -> f64 {
    (1..=servers).fold(1.0, |blocked, k| offered * blocked / (f64::from(k) + offered * blocked))
}

/// Mean wait at one server with any arrivals and service times, seconds; nearly exact when it is busy.
///
/// ```text
/// Wq ≈ ρ/(1−ρ) · (ca² + cs²)/2 · S
/// ```
///
/// `arrival_cv2` and `service_cv2` are squared coefficients of variation. Source: J. F. C. Kingman, 1961.
pub fn kingman_s(utilization: f64, service_s: f64, arrival_cv2: f64, service_cv2: f64) -> Option<f64> {
    let is_stable = (0.0..1.0).contains(&utilization);
    is_stable.then(|| utilization / (1.0 - utilization) * (arrival_cv2 + service_cv2) / 2.0 * service_s)
}

/// Mean length of the line of M/M/m, within some percent of the exact one.
///
/// ```text
/// Lq ≈ ρ^√(2(m+1)) / (1−ρ)
/// ```
///
/// Exact for one server. Source: H. Sakasegawa, *An approximation formula Lq ≈ α·ρ^β/(1−ρ)*, 1977.
pub fn sakasegawa(servers: u32, utilization: f64) -> Option<f64> {
    let power = (2.0 * (f64::from(servers) + 1.0)).sqrt();
    (0.0..1.0).contains(&utilization).then(|| utilization.powf(power) / (1.0 - utilization))
}

/// Servers by the square-root rule, m = a + θ√a, not rounded.
pub fn square_root_staffing(offered: f64, theta: f64) -> f64 {
    offered + theta * offered.sqrt()
}

/// Probability of a wait that the square-root rule gives in the limit of many servers.
///
/// ```text
/// P(wait) ≈ 1 / (1 + θ·Φ(θ)/φ(θ)),  θ > 0
/// ```
///
/// Source: S. Halfin, W. Whitt, *Heavy-traffic limits for queues with many exponential servers*, 1981.
pub fn halfin_whitt(theta: f64) -> f64 {
    let density = (-theta * theta / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let below = 0.5 * (1.0 + erf(theta / std::f64::consts::SQRT_2));
    1.0 / (1.0 + theta * below / density)
}
