//! Limits that a run may leave: those of the plan's conditions that can be followed over time.

use nmax_plan::threshold::{Limit, Metric, Op, Scope, Stat, Threshold};

use crate::trend::median;
use crate::wording::value;
use crate::{Evidence, Point};

/// Without a condition on response times, that many times the first p95 is the limit.
pub(super) const TIMES_FIRST: f64 = 3.0;

/// A figure of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Figure {
    Failures,
    Mean,
    P50,
    P95,
    P99,
}

impl Figure {
    pub(super) fn at(self, point: &Point) -> Option<f64> {
        let response = point.response;
        match self {
            Self::Failures => point.failure_rate(),
            Self::Mean => response.map(|response| response.mean_ms),
            Self::P50 => response.map(|response| response.p50_ms),
            Self::P95 => response.map(|response| response.p95_ms),
            Self::P99 => response.map(|response| response.p99_ms),
        }
    }

    /// Which quantile of the response times it is.
    pub(super) const fn quantile(self) -> Option<f64> {
        match self {
            Self::P50 => Some(0.5),
            Self::P95 => Some(0.95),
            Self::P99 => Some(0.99),
            Self::Failures | Self::Mean => None,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Failures => "the failure rate",
            Self::Mean => "the mean response time",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
        }
    }

    pub(super) const fn unit(self) -> &'static str {
        match self {
            Self::Failures => "%",
            _ => "ms",
        }
    }
}

/// A limit of a figure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bound {
    pub(super) figure: Figure,
    /// Of one request; `None` is all traffic.
    pub(super) request: Option<String>,
    /// Times in ms, shares 0 to 1.
    pub(super) limit: f64,
    /// Not of the plan, but made of the beginning of the run.
    pub(super) is_assumed: bool,
}

impl Bound {
    /// `p95 of home`
    pub(super) fn subject(&self) -> String {
        match &self.request {
            Some(request) => format!("{} of `{request}`", self.figure.name()),
            None => self.figure.name().to_owned(),
        }
    }

    /// `400 ms`, `57 ms (3 times what it was at first)`
    pub(super) fn limit_text(&self) -> String {
        let limit = value(self.limit, self.figure.unit());
        match self.is_assumed {
            true => format!("{limit} ({TIMES_FIRST} times what it was at first)"),
            false => limit,
        }
    }

    /// The points that it is a limit of.
    pub(super) fn points<'a>(&self, evidence: &Evidence<'a>) -> &'a [Point] {
        let course = evidence.course;
        match &self.request {
            None => &course.points,
            Some(request) => {
                let found = course.requests.iter().find(|(name, _)| name == request);
                found.map_or(&[], |(_, points)| points)
            }
        }
    }
}

/// The limits of the plan on failures and response times; when none is on response times, one made of `first`.
///
/// Followed are mean, p50, p95 and p99 of all traffic or of one request: these the course of a run knows.
pub(super) fn bounds(evidence: &Evidence, first: &[&Point]) -> Vec<Bound> {
    let mut bounds: Vec<Bound> = evidence.plan.thresholds.iter().filter_map(bound).collect();
    if bounds.iter().all(|bound| bound.figure == Figure::Failures)
        && let Some(usual) = median(first.iter().filter_map(|point| point.p95_ms()))
    {
        bounds.push(Bound { figure: Figure::P95, request: None, limit: TIMES_FIRST * usual, is_assumed: true });
    }
    bounds
}

fn bound(threshold: &Threshold) -> Option<Bound> {
    let request = match &threshold.scope {
        Scope::Total => None,
        Scope::Request(name) => Some(name.clone()),
        _ => return None,
    };
    if !matches!(threshold.op, Op::Below | Op::AtMost) {
        return None;
    }
    let quantile = |q: f64| {
        let known = [(0.5, Figure::P50), (0.95, Figure::P95), (0.99, Figure::P99)];
        known.into_iter().find(|(known, _)| (known - q).abs() < 1e-9)
    };
    let (figure, limit) = match (threshold.metric, threshold.stat, threshold.limit) {
        (Metric::FailureRate, _, Limit::Ratio(share)) => (Figure::Failures, share),
        (Metric::ResponseTime, Stat::Mean, Limit::Nanos(ns)) => (Figure::Mean, ns / 1e6),
        (Metric::ResponseTime, Stat::Quantile(q), Limit::Nanos(ns)) => (quantile(q)?.1, ns / 1e6),
        _ => return None,
    };
    Some(Bound { figure, request, limit, is_assumed: false })
}

/// The failure rate that the plan allows to all traffic; 5 % when it says nothing.
pub(super) fn failures_max(evidence: &Evidence) -> f64 {
    let bounds = evidence.plan.thresholds.iter().filter_map(bound);
    let of_all = bounds.filter(|bound| bound.figure == Figure::Failures && bound.request.is_none());
    of_all.map(|bound| bound.limit).reduce(f64::min).unwrap_or(0.05)
}
