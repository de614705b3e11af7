//! How much testing a load and its criticality deserve.

use nmax_plan::plan::Profile;

#[cfg(test)]
mod tests;

/// Requests per second from which a system deserves every shape.
pub(crate) const RATE_FULL_PER_S: f64 = 10.0;
/// Availability from which a system deserves every shape: 53 minutes of outage a year.
pub(crate) const AVAILABILITY_FULL: f64 = 0.9999;

const HOURS_PER_YEAR: f64 = 8_766.0;

/// What is advised.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Effort {
    /// Every shape, or a look by eye.
    pub(crate) is_full: bool,
    /// Profiles to run, in order.
    pub(crate) profiles: Vec<Profile>,
    /// Why, a sentence each.
    pub(crate) reasons: Vec<String>,
}

/// Advice for a load.
///
/// - `rate_per_s`: requests per second at the peak; `None` when it is a result of the run
/// - `availability`: share of the time that the system is to be available, 0 to 1
pub(crate) fn effort(rate_per_s: Option<f64>, availability: Option<f64>) -> Effort {
    let is_busy = rate_per_s.is_some_and(|rate| rate >= RATE_FULL_PER_S);
    let is_critical = availability.is_some_and(|share| share >= AVAILABILITY_FULL);
    let is_full = is_busy || is_critical;
    let mut reasons = vec![match rate_per_s {
        Some(rate) if is_busy => format!(
            "{} requests per second: from about {RATE_FULL_PER_S:.0}/s on, requests meet each other, and queues, locks \
             and pools decide what users feel",
            nmax_report::number::digits(rate)
        ),
        Some(rate) => format!(
            "{} requests per second hardly ever meet each other: most trouble shows to one user",
            nmax_report::number::digits(rate)
        ),
        None => format!(
            "the rate of a closed workload is a result: run `smoke`; from about {RATE_FULL_PER_S:.0} requests per second \
             on, run every profile"
        ),
    }];
    if let Some(share) = availability {
        reasons.push(outage(share, is_critical));
    } else if !is_full {
        reasons.push("no `availability` in the plan: one of 99.99% or more asks for every profile".into());
    }
    let profiles = match is_full {
        true => Profile::ALL.to_vec(),
        false => vec![Profile::Smoke],
    };
    Effort { is_full, profiles, reasons }
}

/// What an availability leaves of a year.
fn outage(availability: f64, is_critical: bool) -> String {
    let seconds = (1.0 - availability).max(0.0) * HOURS_PER_YEAR * 3_600.0;
    let what = match is_critical {
        true => "one outage under load uses it up, so load is to be tried before users do",
        false => "there is time to notice and to mend",
    };
    format!(
        "{} available leaves {} of outage a year: {what}",
        nmax_plan::units::format_share(availability),
        nmax_report::number::span(seconds)
    )
}
