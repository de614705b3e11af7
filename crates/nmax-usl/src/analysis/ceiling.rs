//! The law beside the most demanding resource: 1/D_max is a ceiling that no fit may pass.

use std::ops::RangeInclusive;

use super::wording::{interval, number, percent};
use crate::finding::{Code, Effect, Finding};
use crate::fit::{Estimate, Fit};
use crate::gate::BEYOND;
use crate::options::Demand;

/// Share by which measured throughput may pass a ceiling without an interval.
const SLACK: f64 = 0.05;

/// Share of a ceiling from which on measured throughput has reached it.
const REACHED: f64 = 0.9;

/// Demands beyond these are no measurement, seconds.
const DEMAND_S: RangeInclusive<f64> = 1e-15..=1e15;

/// 1/D with its interval; `None` for a demand that is no time above 0. Ends that are none are left out.
fn inverse(demand: &Estimate) -> Option<Estimate> {
    let s = Some(demand.estimate).filter(|s| DEMAND_S.contains(s))?;
    let end = |end: Option<f64>| end.filter(|end| DEMAND_S.contains(end));
    Some(Estimate {
        estimate: s.recip(),
        low: end(demand.high).filter(|high| *high >= s).map(f64::recip),
        high: end(demand.low).filter(|low| *low <= s).map(f64::recip),
        at_bound: demand.at_bound,
    })
}

fn low(estimate: &Estimate) -> f64 {
    estimate.low.unwrap_or(estimate.estimate)
}

/// The upper end; infinite where the data set none.
fn high(estimate: &Estimate) -> f64 {
    let open = if estimate.low.is_some() { f64::INFINITY } else { estimate.estimate };
    estimate.high.unwrap_or(open)
}

/// Compares γ/α with 1/D_max, as intervals, in the words of queueing: for a synchronous queue γ/α = 1/S.
pub(crate) fn ceiling(demand: &Demand, fit: Option<&Fit>, x_max: f64) -> Option<Ceiling> {
    let throughput = inverse(&demand.seconds)?;
    let roof = fit.and_then(Fit::roof);
    let reading = roof.as_ref().map(|roof| {
        if low(roof) > high(&throughput) {
            Reading::CapComesFirst
        } else if high(roof) < low(&throughput) {
            Reading::OtherSuspect
        } else {
            Reading::Explained
        }
    });
    let name = &demand.name;
    let most = format!("{name} can do at most {}/s{}", number(throughput.estimate), interval(&throughput));
    let text = match (&roof, reading) {
        (Some(roof), Some(reading)) => {
            let roof = if roof.estimate <= BEYOND * x_max {
                format!("the roof γ/α is {}/s{}", number(roof.estimate), within(roof, BEYOND * x_max))
            } else {
                "the roof γ/α lies beyond twice the largest throughput measured".to_owned()
            };
            let reached = x_max / throughput.estimate;
            format!("{most}; {roof}. {}", reading_text(reading, name, reached))
        }
        _ => format!("{most}. The law has no roof to compare with, since it has no contention."),
    };
    Some(Ceiling { name: name.clone(), throughput, reading, text })
}

/// The interval as far as it may be said.
fn within(estimate: &Estimate, limit: f64) -> String {
    interval(&Estimate { high: estimate.high.filter(|high| *high <= limit), ..*estimate })
}

/// - reached: the largest throughput measured as a share of the ceiling
fn reading_text(reading: Reading, name: &str, reached: f64) -> String {
    match reading {
        Reading::Explained => format!("They agree: {name} explains the contention."),
        Reading::CapComesFirst if reached >= REACHED => format!(
            "The roof lies above, but {} of what {name} can do was measured: {name} is full, and throughput ends there, not at the \
             law's roof.",
            percent(reached)
        ),
        Reading::CapComesFirst => format!(
            "The roof lies above: these data have not seen {name} saturate, and its cap will come before the law's roof."
        ),
        Reading::OtherSuspect => format!(
            "The roof lies below: what is serial is not {name}. Suspect a lock, a pool or a remote call. (With queues that do not \
             wait for each other, points above the Amdahl bound are not an error by themselves.)"
        ),
    }
}

/// What contradicts the ceiling: measured throughput, the peak of the law, or the roof.
pub(crate) fn mismatch(ceiling: &Ceiling, fit: Option<&Fit>, x_max: f64) -> Option<Finding> {
    let most = high(&ceiling.throughput);
    let slack = if ceiling.throughput.high.is_some() { 1.0 } else { 1.0 + SLACK };
    let peak = fit.and_then(Fit::peak);
    let (effect, text) = if x_max > most * slack {
        let text = format!(
            "Measured throughput, {}/s, lies above the ceiling of {}, {}/s. A resource cannot be more than fully busy, so the \
             demand is wrong: U must be averaged over all its servers, D = U/X, in the steady part of the same run.",
            number(x_max),
            ceiling.name,
            number(ceiling.throughput.estimate),
        );
        (Effect::Warn, text)
    } else if peak.is_some_and(|(_, x)| low(&x) > most) {
        let text = format!(
            "The peak of the law lies above the ceiling of {}, {}/s: the extrapolation is physically impossible.",
            ceiling.name,
            number(ceiling.throughput.estimate),
        );
        (Effect::Warn, text)
    } else {
        match ceiling.reading {
            Some(Reading::CapComesFirst) => (Effect::Warn, ceiling.text.clone()),
            Some(Reading::OtherSuspect) => (Effect::Note, ceiling.text.clone()),
            _ => return None,
        }
    };
    Some(Finding::new(Code::DemandMismatch, effect, Vec::new(), text))
}

/// The law beside a measured resource: 1/D_max is the most that this resource can do.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// The resource.
    pub name: String,
    /// 1/D_max, per second.
    pub throughput: Estimate,
    /// What the roof γ/α says about it; `None` without a roof.
    pub reading: Option<Reading>,
    /// Both in one sentence or two.
    pub text: String,
}

nmax_text::named! {
    /// What γ/α says about the ceiling of a resource.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Reading {
        /// They agree: the resource explains the contention.
        Explained = "explained",
        /// The roof lies above: the resource will cap throughput before the law does.
        CapComesFirst = "cap_comes_first",
        /// The roof lies below: something else is serial, such as a lock, a pool or a remote call.
        OtherSuspect = "other_suspect",
    }
    /// Its name in results.
    name
}
