//! Parts of the hold that are judged on their own: a mean over the whole hides an injector that was the limit at the
//! highest level, or for a while.

use nmax_plan::plan::Workload;
use nmax_plan::schedule::{StageKind, phases};

use crate::course::Use;
use crate::wording::{time_ms, value};
use crate::{Evidence, InjectorFacts, Point};

use super::host::{RUN_WAIT_TIME_MIN_S, run_wait_limit};
use super::{CPU_SHARE_MAX, STALLED_MS_MAX, STALLED_SHARE_MAX};

/// Length of the stretches of which the worst is judged, s; half the hold where that is shorter.
pub(super) const STRETCH_S: f64 = 10.0;
/// A level begins and ends with whole points, to this precision, s.
const ROUNDING_S: f64 = 1e-6;

/// A level of the plan, or some seconds of the hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stretch {
    /// ` at 100 VUs`, ` from 30 s to 40 s`
    pub(super) at: String,
    /// Its beginning, seconds since the run's origin.
    start_s: f64,
    length_s: f64,
    /// Share of the hold that it stands for: a level answers for itself, so 1.
    part: f64,
    used: Use,
    /// Processors that the workers share.
    cpus: f64,
    workers: f64,
    is_confined: bool,
}

impl Stretch {
    /// Busy share of the workers, or of the processors that they share.
    pub(super) fn cpu(&self) -> f64 {
        let shared = if self.cpus > 0.0 { self.used.cpu_s / (self.length_s * self.cpus) } else { 0.0 };
        (self.used.cpu_s / self.used.worker_s).max(shared)
    }

    pub(super) fn cpu_limit(&self) -> f64 {
        relaxed(CPU_SHARE_MAX, self.part)
    }

    /// Share of their time in which the workers waited for a processor.
    pub(super) fn run_wait(&self) -> f64 {
        self.used.run_wait_s / self.used.worker_s
    }

    pub(super) fn run_wait_limit(&self) -> f64 {
        relaxed(run_wait_limit(self.used.worker_s, self.is_confined), self.part)
    }

    /// Why it says nothing of the target.
    pub(crate) fn limit(&self) -> Option<String> {
        let stalled_ms = self.used.stalled_s * 1e3 / self.workers.max(1.0);
        let is_level = self.part >= 1.0;
        if self.cpu() >= self.cpu_limit() {
            Some(format!("its workers used {} of their processors", value(self.cpu(), "%")))
        } else if self.run_wait() >= self.run_wait_limit() {
            Some(format!("its workers waited {} of their time for a processor", value(self.run_wait(), "%")))
        } else if is_level && stalled_ms > STALLED_MS_MAX.max(STALLED_SHARE_MAX * self.length_s * 1e3) {
            Some(format!("it stood still for {}", time_ms(stalled_ms)))
        } else {
            None
        }
    }
}

/// The limit of a stretch that is only a part of the hold: what spoils little of it may be worse, up to half of the way
/// to always.
fn relaxed(limit: f64, part: f64) -> f64 {
    limit + (1.0 - limit) * (1.0 - part.clamp(0.0, 1.0)) / 2.0
}

/// The levels of the plan where it has several, then stretches of [`STRETCH_S`] of the hold, from half a second of the
/// workers' time on. O(points).
pub(crate) fn stretches(evidence: &Evidence, injector: &InjectorFacts) -> Vec<Stretch> {
    let stretch = |at: String, points: &[Point], part: f64| {
        let used = points.iter().fold(Use::default(), |sum, point| sum.plus(&point.used));
        let (first, last) = (points.first()?, points.last()?);
        (used.worker_s >= RUN_WAIT_TIME_MIN_S).then(|| Stretch {
            at,
            start_s: first.start_s,
            length_s: last.end_s() - first.start_s,
            part,
            used,
            cpus: f64::from(injector.cpus.unwrap_or(0)),
            workers: f64::from(injector.workers),
            is_confined: injector.confined,
        })
    };
    let points = &evidence.course.points;
    let mut all: Vec<Stretch> =
        levels(evidence).into_iter().filter_map(|(at, points)| stretch(at, points, 1.0)).collect();
    let held: Vec<usize> = (0..points.len()).filter(|place| points[*place].held).collect();
    let (Some(first), Some(last)) = (held.first(), held.last()) else { return all };
    let held = &points[*first..=*last];
    let hold_s = evidence.hold_s();
    let length_s = STRETCH_S.min(hold_s / 2.0);
    let mut end = 0;
    for begin in 0..held.len() {
        while end < held.len() && (end <= begin || held[end - 1].end_s() - held[begin].start_s < length_s - ROUNDING_S)
        {
            end += 1;
        }
        let part = &held[begin..end];
        let ended_s = part[part.len() - 1].end_s();
        let span_s = ended_s - held[begin].start_s;
        if span_s < length_s - ROUNDING_S {
            break;
        }
        let at = format!(" from {} to {}", time_ms(held[begin].start_s * 1e3), time_ms(ended_s * 1e3));
        all.extend(stretch(at, part, span_s / hold_s));
    }
    all
}

/// What each level of a plan with several is called, and its points.
fn levels<'a>(evidence: &Evidence<'a>) -> Vec<(String, &'a [Point])> {
    let plan = evidence.plan;
    let unit = if matches!(plan.workload, Workload::Open { .. }) { "/s" } else { "VUs" };
    let held = plan.stages.iter().zip(phases(&plan.stages));
    let held: Vec<_> = held.filter(|(stage, _)| stage.kind == StageKind::Hold).collect();
    if held.len() < 2 {
        return Vec::new();
    }
    let points = &evidence.course.points;
    let level = |(stage, phase): &(&nmax_plan::schedule::Stage, nmax_plan::schedule::Phase)| {
        let start_s = phase.span.start_ns as f64 / 1e9 - ROUNDING_S;
        let end_s = phase.span.end_ns.map_or(f64::INFINITY, |end_ns| end_ns as f64 / 1e9 + ROUNDING_S);
        let from = points.partition_point(|point| point.start_s < start_s);
        let to = points.partition_point(|point| point.end_s() <= end_s).max(from);
        (format!(" at {}", value(stage.to.max(stage.from), unit)), &points[from..to])
    };
    held.iter().map(level).collect()
}

/// When an injector was first the limit in the hold, s, which one, and why.
pub(crate) fn first_limited<'a>(evidence: &Evidence<'a>) -> Option<(f64, &'a str, String)> {
    let limited = evidence.injectors.iter().flat_map(|facts| {
        let of_it = stretches(&evidence.for_injector(facts), facts).into_iter();
        of_it.filter_map(|stretch| Some((stretch.start_s, facts.name.as_str(), stretch.limit()?)))
    });
    limited.min_by(|(one, name, _), (other, other_name, _)| one.total_cmp(other).then_with(|| name.cmp(other_name)))
}
