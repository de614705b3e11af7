//! How many requests an iteration makes, as far as the plan decides it.

use std::fmt::{self, Display, Formatter};

use crate::plan::{Branch, Loop, LoopEnd, PASSES_MAX, Step};

/// How many requests an iteration makes. Those that a page or a redirect adds are not counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Requests {
    /// Fewest; an iteration that fails may make fewer. `None` when a script decides, and nothing is known.
    pub least: Option<u64>,
    /// Most; `None` when a loop has no limit of its own.
    pub most: Option<u64>,
    /// On average; `None` when replies or data decide.
    pub expected: Option<f64>,
}

impl Display for Requests {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let Some(least) = self.least else {
            return write!(f, "an unknown number of requests");
        };
        match (self.most, self.expected) {
            (Some(most), _) if most == least => write!(f, "{most} request{}", plural(most)),
            (_, Some(expected)) => write!(f, "{} requests on average", (expected * 100.0).round() / 100.0),
            (Some(most), None) => write!(f, "{least} to {most} requests"),
            (None, None) => write!(f, "at least {least} request{}", plural(least)),
        }
    }
}

/// Requests of one pass through these steps. O(number of steps).
pub(super) fn requests(steps: &[Step]) -> Requests {
    list(steps).requests
}

/// Requests of some steps, and whether the iteration goes on after them.
#[derive(Clone, Copy)]
struct Part {
    requests: Requests,
    /// Probability that none of them ends the iteration; `None` when replies or data decide.
    goes_on: Option<f64>,
}

const fn fixed(requests: u64, goes_on: f64) -> Part {
    Part {
        requests: Requests { least: Some(requests), most: Some(requests), expected: Some(requests as f64) },
        goes_on: Some(goes_on),
    }
}

fn list(steps: &[Step]) -> Part {
    steps.iter().fold(fixed(0, 1.0), |before, step| before.then(self::step(step)))
}

fn step(step: &Step) -> Part {
    match step {
        Step::Call(_) => fixed(1, 1.0),
        Step::Think(_) | Step::Set(_) => fixed(0, 1.0),
        Step::Transaction(transaction) => list(&transaction.steps),
        Step::If(step) => list(&step.then).or(list(&step.otherwise)),
        Step::Loop(step) => passes(step),
        Step::Choose(branches) => choose(branches),
        Step::End(_) => fixed(0, 0.0),
        Step::Script => Part { requests: Requests { least: None, most: None, expected: None }, goes_on: None },
    }
}

impl Part {
    /// These steps and then others: E = E1 + P1 * E2, where P1 is the probability that the iteration goes on.
    fn then(self, next: Self) -> Self {
        let (one, two) = (self.requests, next.requests);
        if self.goes_on == Some(0.0) {
            return self;
        }
        let expected = match (self.goes_on, two.expected) {
            (_, Some(0.0)) => one.expected,
            (Some(goes_on), Some(two)) => one.expected.map(|one| one + goes_on * two),
            _ => None,
        };
        let goes_on = match (self.goes_on, next.goes_on) {
            (_, Some(0.0)) => Some(0.0),
            (one, two) => one.zip(two).map(|(one, two)| one * two),
        };
        Self {
            requests: Requests {
                least: one.least.zip(two.least).map(|(one, two)| match self.goes_on == Some(1.0) {
                    true => one.saturating_add(two),
                    false => one,
                }),
                most: one.most.zip(two.most).map(|(one, two)| one.saturating_add(two)),
                expected,
            },
            goes_on,
        }
    }

    /// These steps or others, decided by the iteration.
    fn or(self, other: Self) -> Self {
        let (one, two) = (self.requests, other.requests);
        Self {
            requests: Requests {
                least: one.least.min(two.least),
                most: one.most.zip(two.most).map(|(one, two)| one.max(two)),
                expected: one.expected.filter(|_| one.expected == two.expected),
            },
            goes_on: self.goes_on.filter(|_| self.goes_on == other.goes_on),
        }
    }
}

fn choose(branches: &[Branch]) -> Part {
    let total: f64 = branches.iter().map(|branch| branch.weight).sum();
    let taken = branches.iter().filter(|branch| branch.weight > 0.0);
    let parts: Vec<(f64, Part)> = taken.map(|branch| (branch.weight / total, list(&branch.steps))).collect();
    let Some(any) = parts.iter().map(|(_, part)| *part).reduce(Part::or) else {
        return fixed(0, 1.0);
    };
    let mean = |of: fn(&Part) -> Option<f64>| {
        let sum = |sum: f64, (share, part): &(f64, Part)| Some(sum + share * of(part)?);
        parts.iter().try_fold(0.0, sum)
    };
    Part {
        requests: Requests { expected: mean(|part| part.requests.expected), ..any.requests },
        // What rounding leaves of a sum of ones is one.
        goes_on: any.goes_on.or_else(|| mean(|part| part.goes_on)),
    }
}

fn passes(step: &Loop) -> Part {
    let body = list(&step.steps);
    let times = match &step.until {
        LoopEnd::Times(times) => times.as_constant().and_then(|times| times.trim().parse::<u32>().ok()),
        LoopEnd::While { .. } => None,
    };
    if let Some(times) = times {
        return (0..times).fold(fixed(0, 1.0), |before, _| before.then(body));
    }
    let limit = match step.until {
        LoopEnd::While { max, .. } if max < PASSES_MAX => Some(u64::from(max)),
        _ => None,
    };
    let most = body.requests.most;
    Part {
        requests: Requests {
            least: body.requests.least.map(|_| 0),
            most: most
                .filter(|most| *most == 0)
                .or_else(|| most.zip(limit).map(|(most, limit)| most.saturating_mul(limit))),
            expected: body.requests.expected.filter(|expected| *expected == 0.0),
        },
        goes_on: body.goes_on.filter(|goes_on| *goes_on == 1.0),
    }
}
