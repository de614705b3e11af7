//! The answer of a profile to its question.
//!
//! Each profile asks something else of the course of a run; its module says how it is answered. Every figure comes with
//! a sentence of its own.
//!
//! # Layout
//! - `smoke`, `ladder`, `peak`, `stress`, `soak`, `flood`: one question each
//! - `bound`: limits that a run may leave, from the plan's conditions
//! - `say`: loads and spans of time in words

use nmax_plan::plan::Profile;

use crate::gates::first_limited;
use crate::{Course, Evidence, Point, ThresholdResult};

mod bound;
mod flood;
mod ladder;
mod peak;
mod pooled;
mod say;
mod smoke;
mod soak;
mod stress;

pub(crate) use say::{compressed, span};

/// What a run says to the question of its profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The profile whose question it is.
    pub profile: Profile,
    /// The answer in one sentence.
    pub headline: String,
    /// Its figures, most important first.
    pub findings: Vec<Finding>,
}

/// A figure of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Stable code, such as `BREAK_POINT`.
    pub code: &'static str,
    /// What it is of, such as a request name; empty when it is of all.
    pub subject: String,
    /// Measured value; `None` when there is none, and the text says why.
    pub value: Option<f64>,
    /// Interval of it at 95 %.
    pub interval: Option<(f64, f64)>,
    /// Unit of value and interval: `ms`, `ms/h`, `/s`, `VUs`, `%` (shares 0 to 1), `%/h`, `s`, `bytes/min`, ``.
    pub unit: &'static str,
    /// One sentence for a person.
    pub text: String,
    /// Whether it is trouble.
    pub is_trouble: bool,
}

impl Finding {
    /// A sentence without a figure.
    fn says(code: &'static str, text: String) -> Self {
        Self { code, subject: String::new(), value: None, interval: None, unit: "", text, is_trouble: false }
    }

    /// The same with its figure.
    fn value(self, value: f64, unit: &'static str) -> Self {
        Self { value: Some(value), unit, ..self }
    }

    /// The same with the interval of its figure.
    fn within(self, low: f64, high: f64) -> Self {
        Self { interval: Some((low, high)), ..self }
    }

    /// The same of one request, process or condition.
    fn about(self, subject: &str) -> Self {
        Self { subject: subject.to_owned(), ..self }
    }

    /// The same as trouble, if it is some.
    fn trouble_if(self, is_trouble: bool) -> Self {
        Self { is_trouble, ..self }
    }
}

/// What the run says to the question of the plan's profile; `None` without a profile.
///
/// `thresholds` are the results of the plan's conditions. Lengths of a compressed run are not those of the profile, so
/// each sentence says how often it was compressed.
pub fn answer(evidence: &Evidence, thresholds: &[ThresholdResult]) -> Option<Answer> {
    let profile = evidence.plan.profile?;
    let climbs = matches!(profile, Profile::Ladder | Profile::Stress);
    let limited = if climbs { first_limited(evidence) } else { None };
    let shortened = limited.as_ref().map(|(start_s, ..)| before(evidence.course, *start_s));
    let evidence = &Evidence { course: shortened.as_ref().unwrap_or(evidence.course), ..*evidence };
    let (mut headline, mut findings) = match profile {
        Profile::Smoke => smoke::answer(evidence),
        Profile::Ladder => ladder::answer(evidence),
        Profile::Peak => peak::answer(evidence, thresholds),
        Profile::Stress => stress::answer(evidence),
        Profile::Soak => soak::answer(evidence),
        Profile::Flood => flood::answer(evidence),
    };
    if let Some((start_s, name, why)) = limited {
        let name = if evidence.injectors.len() > 1 { format!(" {name}") } else { String::new() };
        let text = format!("from {} on the injector{name} was the limit: {why}", span(start_s));
        headline.push_str(&format!("; {text}, so what came later is left out"));
        findings.push(Finding::says("INJECTOR_LIMIT", text).value(start_s, "s").trouble_if(true));
    }
    let suffix = compressed(evidence.plan);
    headline.push_str(&suffix);
    findings.iter_mut().for_each(|finding| finding.text.push_str(&suffix));
    Some(Answer { profile, headline, findings })
}

/// What of the course had ended by then.
fn before(course: &Course, end_s: f64) -> Course {
    let until = |points: &Vec<Point>| points.iter().filter(|point| point.end_s() <= end_s + 1e-6).cloned().collect();
    Course {
        points: until(&course.points),
        requests: course.requests.iter().map(|(name, points)| (name.clone(), until(points))).collect(),
    }
}

/// The answer when nothing was measured that could give one.
fn nothing(why: &str) -> (String, Vec<Finding>) {
    let finding = Finding::says("NO_ANSWER", format!("no answer: {why}")).trouble_if(true);
    (finding.text.clone(), vec![finding])
}

/// Iterations per second.
fn rate(points: &[&Point]) -> Option<f64> {
    let iterations: u64 = points.iter().map(|point| point.iterations).sum();
    let length_s: f64 = points.iter().map(|point| point.width_s).sum();
    (length_s > 0.0).then(|| iterations as f64 / length_s)
}

#[cfg(test)]
mod tests;
