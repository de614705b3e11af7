//! Headroom as a time: whether capacity comes before load does, and which target an autoscaler may have.
//!
//! Times are seconds, loads per second. Headroom h = C0/λ0 is capacity now over load now. Enough capacity is taken to be
//! there from D_act on, and requests that wait are not lost and not retried; with timeouts it gets worse.

use nmax_text::number::plain;

use super::nodes::Survive;
use crate::origin::{Assumptions, Basis};

pub mod elasticity;

#[cfg(test)]
mod tests;

/// Target of an autoscaler below which reactive scaling does not fit: a judgement, and not a law.
pub const TARGET_MIN: f64 = 0.3;

/// Parts of the delay of scaling out, in order, and their keys in documents.
pub const PARTS: [(&str, &str); 7] = [
    ("metric", "metric period"),
    ("window", "evaluation window"),
    ("decision", "decision or cooldown"),
    ("provisioning", "provisioning"),
    ("boot", "boot"),
    ("warm_up", "warm-up"),
    ("registration", "registration at the load balancer"),
];

/// The delay of scaling out, from the load to capacity that serves it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Actuation {
    /// Seconds of each of [`PARTS`], and where they come from.
    pub parts: [(f64, Basis); 7],
}

impl Actuation {
    /// D_act, seconds.
    pub fn total_s(&self) -> f64 {
        self.parts.iter().map(|(seconds, _)| seconds).sum()
    }
}

/// A step of the load, after which it stays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Times the load before, s.
    pub factor: f64,
    /// How long clients wait, T, seconds.
    pub timeout_s: f64,
}

/// Shapes in which load may grow faster than capacity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surges {
    /// Doubling time τ, seconds.
    pub doubling_s: Option<f64>,
    /// Growth by this many requests per second, each second.
    pub ramp_per_s2: Option<f64>,
    /// A step.
    pub step: Option<Step>,
}

/// What load is expected to do to the installed nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Headroom {
    /// D_act, seconds.
    pub actuation_s: f64,
    /// Capacity now, C0, per second.
    pub capacity_per_s: f64,
    /// Load now, λ0, per second.
    pub load_per_s: f64,
}

/// An answer for one shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Headroom that it needs.
    pub needed: f64,
    /// How long it is survived, seconds: until load exceeds capacity; infinite when it never does, 0 when it does now.
    pub survived_s: f64,
}

/// What a step leaves behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backlog {
    /// Requests that wait at D_act.
    pub requests: f64,
    /// Longest wait of a request, seconds.
    pub longest_wait_s: f64,
    /// From D_act until all is drained, seconds; infinite when the capacity then only equals the load.
    pub drained_s: f64,
}

impl Headroom {
    /// h = C0/λ0.
    pub fn ratio(&self) -> f64 {
        self.capacity_per_s / self.load_per_s
    }

    /// Load that doubles every `doubling_s`: h ≥ 2^(D_act/τ), survived for τ·log₂ h.
    pub fn doubling(&self, doubling_s: f64) -> Answer {
        let needed = (self.actuation_s / doubling_s).exp2();
        Answer { needed, survived_s: (doubling_s * self.ratio().log2()).max(0.0) }
    }

    /// The fastest doubling that is survived, τ ≥ D_act/log₂ h, seconds; `None` without headroom.
    pub fn doubling_min_s(&self) -> Option<f64> {
        let doublings = self.ratio().log2();
        (doublings > 0.0).then(|| self.actuation_s / doublings)
    }

    /// Load that grows by `per_s2` each second: C0 ≥ λ0 + r·D_act.
    pub fn ramp(&self, per_s2: f64) -> Answer {
        let needed = 1.0 + per_s2 * self.actuation_s / self.load_per_s;
        let left = (self.capacity_per_s - self.load_per_s).max(0.0);
        Answer { needed, survived_s: left / per_s2 }
    }

    /// A step: h ≥ s·D_act/(D_act + T), which bounds the wait of everyone who arrives until D_act even if their backlog
    /// drains at C0. It is survived until the wait of new requests reaches T, h·T/(s − h).
    pub fn step(&self, step: Step) -> Answer {
        let needed = step.factor * self.actuation_s / (self.actuation_s + step.timeout_s);
        let over = step.factor - self.ratio();
        let survived_s = if over > 0.0 { self.ratio() * step.timeout_s / over } else { f64::INFINITY };
        Answer { needed, survived_s }
    }

    /// The headroom for a step when capacity jumps to at least s·λ0 at D_act: h ≥ s(1 − T/D_act).
    pub fn step_exact(&self, step: Step) -> f64 {
        (step.factor * (1.0 - step.timeout_s / self.actuation_s)).max(0.0)
    }

    /// What a step leaves behind when capacity becomes `then_per_s` at D_act.
    ///
    /// ```text
    /// backlog = (s·λ0 − C0)·D_act,  longest wait = D_act(1 − h/s),  drained after backlog/(C1 − s·λ0)
    /// ```
    ///
    /// The longest wait is that of capacity C1 ≥ s·λ0.
    pub fn backlog(&self, step: Step, then_per_s: f64) -> Backlog {
        let load = step.factor * self.load_per_s;
        let requests = ((load - self.capacity_per_s) * self.actuation_s).max(0.0);
        let longest_wait_s = (self.actuation_s * (1.0 - self.ratio() / step.factor)).max(0.0);
        Backlog {
            requests,
            longest_wait_s,
            drained_s: if requests > 0.0 { requests / (then_per_s - load).max(0.0) } else { 0.0 },
        }
    }
}

/// The largest safe target of an autoscaler, and its factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// X_slo/X_max; with a metric of CPU, the utilization measured at X_slo.
    pub usable: f64,
    /// What is left after the loss, such as (z−1)/z.
    pub survivors: f64,
    /// 2^(−D_act/τ).
    pub flash: f64,
}

impl Target {
    /// u* = (X_slo/X_max)·((z−1)/z)·2^(−D_act/τ), relative to X_max.
    pub fn value(&self) -> f64 {
        self.usable * self.survivors * self.flash
    }

    /// Whether scaling after the fact fits at all.
    pub fn is_reactive(&self) -> bool {
        self.value() >= TARGET_MIN
    }
}

/// Share of capacity that is left by the linear rule.
pub fn survivors(survive: Survive, zones: u32, nodes: u32) -> f64 {
    match survive {
        Survive::None => 1.0,
        Survive::Zone => f64::from(zones.saturating_sub(1)) / f64::from(zones.max(1)),
        Survive::TwoNodes => f64::from(nodes.saturating_sub(2)) / f64::from(nodes.max(1)),
    }
}

/// Reserves that multiply, each with its name: shown together so that none is added twice.
pub fn reserves(margin: f64, survive: Survive, share_left: f64, flash: Option<f64>) -> Vec<(&'static str, f64)> {
    let loss = (survive != Survive::None && share_left > 0.0).then(|| (survive.phrase(), 1.0 / share_left));
    let margin = (margin > 0.0).then_some(("margin", 1.0 + margin));
    let flash = flash.map(|needed| ("doubling while machines start", needed));
    margin.into_iter().chain(loss).chain(flash).collect()
}

/// Says which parts of the delay are only assumed, and what would measure them.
pub fn judge(actuation: &Actuation, about: &mut Assumptions) {
    for ((_, name), (seconds, basis)) in PARTS.iter().zip(&actuation.parts) {
        about.rest_on(format!("{name} of scaling out"), format!("{} s", plain(*seconds)), *basis, "");
    }
    let assumed: Vec<&str> = PARTS
        .iter()
        .zip(&actuation.parts)
        .filter(|((key, _), (_, basis))| *basis == Basis::Assumed && matches!(*key, "boot" | "warm_up"))
        .map(|((_, name), _)| *name)
        .collect();
    if !assumed.is_empty() {
        let what =
            format!("Measure {} of a node: run from its start until its response times settle", assumed.join(" and "));
        about.next.push((what, "nmax run plan.yaml --warm-up 0s --duration 10m".into()));
    }
}
