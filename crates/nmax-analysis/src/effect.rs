//! What an intervention did: before, during and after it, and how long the system took to recover.

use crate::answer::{compressed, span};
use crate::course::{Point, Pool};
use crate::trend::{median, scaled_mad};
use crate::wording::{share, time_ms, value};
use crate::{Evidence, InterventionRecord};
use due::{Span, due};

mod due;

/// Longest stretch before and after an intervention that is looked at, s.
const STRETCH_MAX_S: f64 = 300.0;
/// Fewest points of such a stretch.
const STRETCH_POINTS_MIN: f64 = 30.0;
/// Points in a row that must be as before; fewer where the next intervention or the end of the load comes before.
const RECOVERED_POINTS: usize = 10;
/// Fewest of them that tell anything.
const RECOVERED_POINTS_MIN: usize = 3;
/// Standard deviations around the median before that count as before.
const DEVIATIONS: f64 = 3.0;
/// What counts as before at least, relative to the median.
const BAND_MIN: f64 = 0.1;
/// What counts as before at least, in failures of all exchanges.
const FAILURES_BAND_MIN: f64 = 0.01;

/// What an intervention did.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The intervention.
    pub happened: InterventionRecord,
    /// Figures before, during and after it; `None` where there are none.
    pub phases: [Option<Figures>; 3],
    /// When the figures were as before again.
    pub recovery: Recovery,
    /// Largest 95th percentile of a point from its beginning until then, ms. Replies count when they come, so those that
    /// the intervention held up are in a point after its end.
    pub worst_p95_ms: Option<f64>,
    /// One sentence for a person.
    pub text: String,
}

/// When the figures were as before again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Recovery {
    /// That long after the end of the intervention, seconds.
    After(f64),
    /// Not until the next intervention, or the end of the load.
    NotSeen,
    /// Too little was measured before it, or between its end and that of the load.
    Unknown,
    /// The intervention was never over.
    NeverOver,
}

impl Recovery {
    /// From the end of the intervention until the figures are again as before, seconds, where that is known.
    pub fn seconds(self) -> Option<f64> {
        match self {
            Self::After(seconds) => Some(seconds),
            Self::NotSeen | Self::Unknown | Self::NeverOver => None,
        }
    }
}

/// Figures of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Length, seconds.
    pub length_s: f64,
    /// Exchanges that ended per second.
    pub throughput_per_s: f64,
    /// Failed or in error, of all exchanges that were due in it.
    pub failure_rate: f64,
    /// Median of the response times of the exchanges that were due in it, ms.
    pub p50_ms: Option<f64>,
    /// 95th percentile of the response times of the exchanges that were due in it, ms.
    pub p95_ms: Option<f64>,
}

/// What each intervention of the run did, in their order.
///
/// Before and after are as long as the intervention, at least 30 points of the course and at most 5 minutes, just
/// before and just after it, without what other interventions disturbed. Throughput counts what ended in that time;
/// times and failures are those of the users who came in it ([`due`]): whoever meets a server that hangs is served after
/// it goes on, and belongs to the intervention all the same.
///
/// The system has recovered at the end of the intervention or at the first point after it from which on 10 points in a
/// row have p95, failure rate and throughput no worse than before: the median there and three standard deviations (from
/// the median absolute one), at least a tenth, of failures at least 1 % of the exchanges. Where the next intervention or
/// the end of the load comes before, those up to it are enough, if there are three. Here points count what ended in them.
pub fn effects(evidence: &Evidence) -> Vec<Effect> {
    let mut effects: Vec<Effect> = Vec::with_capacity(evidence.happened.len());
    for happened in evidence.happened {
        let effect = effect(evidence, happened, &effects);
        effects.push(effect);
    }
    effects
}

/// The intervention `happened`, after those `earlier`.
fn effect(evidence: &Evidence, happened: &InterventionRecord, earlier: &[Effect]) -> Effect {
    // What comes after a run was stopped is its drain.
    let stopped = Some(evidence.hold.1).filter(|_| evidence.interrupted);
    let stopped_s = stopped.map_or(f64::INFINITY, |stopped| stopped.as_secs_f64());
    let loaded = |point: &&Point| point.level > 0.0 && point.end_s() <= stopped_s;
    let points: Vec<&Point> = evidence.course.points.iter().filter(loaded).collect();
    let load_end_s = points.last().map_or(0.0, |point| point.end_s());
    let end_s = happened.end_s.unwrap_or(load_end_s).max(happened.start_s);
    let width_s = median(points.iter().map(|point| point.width_s)).unwrap_or(1.0);
    let stretch_s = (end_s - happened.start_s).min(STRETCH_MAX_S).max(STRETCH_POINTS_MIN * width_s);
    let others = evidence.happened.iter().map(|other| other.start_s);
    let next_s = others.filter(|start_s| *start_s > happened.start_s && *start_s >= end_s);
    let until_s = next_s.fold(load_end_s, f64::min);
    let undisturbed = undisturbed(happened.start_s - stretch_s, happened.start_s, earlier);
    let before = within(&points, &undisturbed);
    let recovery = match (happened.end_s, Usual::from_points(&before)) {
        (None, _) => Recovery::NeverOver,
        (Some(_), None) => Recovery::Unknown,
        (Some(_), Some(usual)) => {
            let is_later = |point: &&&Point| point.end_s() > end_s && point.end_s() <= until_s;
            let later: Vec<&Point> = points.iter().filter(is_later).copied().collect();
            usual.recovery(&later, end_s)
        }
    };
    let bad_until_s = recovery.seconds().map_or(until_s, |seconds| end_s + seconds);
    let bad = points.iter().filter(|point| point.end_s() > happened.start_s && point.start_s < bad_until_s.max(end_s));
    let during = (happened.start_s, end_s.min(load_end_s));
    let figures = |spans: &[Span]| {
        let due = due(&evidence.course.points, spans, during);
        figures(&within(&points, spans), &due)
    };
    let mut effect = Effect {
        happened: happened.clone(),
        phases: [figures(&undisturbed), figures(&[during]), figures(&[(end_s, (end_s + stretch_s).min(until_s))])],
        recovery,
        worst_p95_ms: bad.filter_map(|point| point.p95_ms()).reduce(f64::max),
        text: String::new(),
    };
    effect.text = text(&effect) + &compressed(evidence.plan);
    effect
}

/// The span without the times from the beginning of earlier interventions, which are over, until all was as before.
/// Where that takes more than half of it, it stays as it is: then what they left behind is the usual.
fn undisturbed(from_s: f64, to_s: f64, earlier: &[Effect]) -> Vec<Span> {
    let from_s = from_s.max(0.0);
    let mut left = vec![(from_s, to_s)];
    for effect in earlier {
        let Some(end_s) = effect.happened.end_s else { continue };
        let (start_s, end_s) = (effect.happened.start_s, end_s + effect.recovery.seconds().unwrap_or(0.0));
        if end_s <= to_s {
            let cut = |(low, high): Span| [(low, high.min(start_s)), (low.max(end_s), high)];
            left = left.into_iter().flat_map(cut).filter(|(low, high)| low < high).collect();
        }
    }
    let length_s: f64 = left.iter().map(|(low, high)| high - low).sum();
    match 2.0 * length_s < to_s - from_s {
        true => vec![(from_s, to_s)],
        false => left,
    }
}

/// The points whose middle lies in one of the spans.
fn within<'a>(points: &[&'a Point], spans: &[Span]) -> Vec<&'a Point> {
    let middle_s = |point: &Point| point.start_s + point.width_s / 2.0;
    let inside = |point: &&&Point| spans.iter().any(|span| (span.0..span.1).contains(&middle_s(point)));
    points.iter().filter(inside).copied().collect()
}

/// Figures of the points of a time, and of the exchanges that were due in it.
fn figures(inside: &[&Point], due: &Pool) -> Option<Figures> {
    let length_s: f64 = inside.iter().map(|point| point.width_s).sum();
    let exchanges = inside.iter().map(|point| point.exchanges).sum::<u64>() as f64;
    (length_s > 0.0).then(|| Figures {
        length_s,
        throughput_per_s: exchanges / length_s,
        failure_rate: due.failure_rate().unwrap_or(0.0),
        p50_ms: due.quantile_ms(0.5),
        p95_ms: due.quantile_ms(0.95),
    })
}

/// The worst figures that still are as before.
struct Usual {
    p95_max_ms: f64,
    failures_max: f64,
    throughput_min_per_s: f64,
}

impl Usual {
    /// `None` when nothing was measured before.
    fn from_points(before: &[&Point]) -> Option<Self> {
        let band = |values: Vec<f64>, least: f64| {
            let middle = median(values.iter().copied())?;
            let deviation = scaled_mad(&values, middle)?;
            Some((middle, (DEVIATIONS * deviation).max(BAND_MIN * middle).max(least)))
        };
        let p95 = band(before.iter().filter_map(|point| point.p95_ms()).collect(), 0.0)?;
        let rates = before.iter().filter_map(|point| point.failure_rate());
        let failures = band(rates.collect(), FAILURES_BAND_MIN)?;
        let throughput = band(before.iter().map(|point| throughput(point)).collect(), 0.0)?;
        Some(Self {
            p95_max_ms: p95.0 + p95.1,
            failures_max: failures.0 + failures.1,
            throughput_min_per_s: throughput.0 - throughput.1,
        })
    }

    fn contains(&self, point: &Point) -> bool {
        let within = |value: Option<f64>, limit: f64| value.is_none_or(|value| value <= limit);
        within(point.p95_ms(), self.p95_max_ms)
            && within(point.failure_rate(), self.failures_max)
            && throughput(point) >= self.throughput_min_per_s
    }

    fn recovery(&self, later: &[&Point], end_s: f64) -> Recovery {
        if later.len() < RECOVERED_POINTS_MIN {
            return Recovery::Unknown;
        }
        let lasts = |first: &usize| {
            let next = later[*first..].iter().take(RECOVERED_POINTS);
            next.clone().count() >= RECOVERED_POINTS_MIN && next.clone().all(|point| self.contains(point))
        };
        match (0..later.len()).find(lasts) {
            Some(first) => Recovery::After((later[first].start_s - end_s).max(0.0)),
            None => Recovery::NotSeen,
        }
    }
}

fn throughput(point: &Point) -> f64 {
    point.exchanges as f64 / point.width_s
}

fn text(effect: &Effect) -> String {
    let happened = &effect.happened;
    let name = &happened.name;
    let since = span(happened.start_s);
    if let Some(error) = &happened.error {
        return format!("`{name}` after {since} failed: {error}");
    }
    let changes = match &effect.phases {
        [Some(before), Some(during), _] => changes(before, during, effect.worst_p95_ms),
        _ => "too little was measured to compare".to_owned(),
    };
    let recovery = match effect.recovery {
        Recovery::NeverOver => "it was never over".to_owned(),
        Recovery::After(0.0) => "all was as before as soon as it was over".to_owned(),
        Recovery::After(seconds) => format!("all was as before {} after its end", span(seconds)),
        Recovery::NotSeen => "the figures were not seen to be as before again".to_owned(),
        Recovery::Unknown => "too little was measured to see when all was as before".to_owned(),
    };
    let lasted =
        happened.end_s.map_or(String::new(), |end_s| format!(" for {}", span((end_s - happened.start_s).max(0.0))));
    format!("`{name}` after {since}{lasted}: {changes}; {recovery}")
}

fn changes(before: &Figures, during: &Figures, worst_p95_ms: Option<f64>) -> String {
    let p95 = match (before.p95_ms, worst_p95_ms) {
        (Some(before), Some(worst)) => format!("p95 from {} to {} at worst, ", time_ms(before), time_ms(worst)),
        (Some(before), None) => format!("p95 from {} to no reply at all, ", time_ms(before)),
        _ => String::new(),
    };
    format!(
        "{p95}failures from {} to {}, throughput from {} to {}",
        share(before.failure_rate),
        share(during.failure_rate),
        value(before.throughput_per_s, "/s"),
        value(during.throughput_per_s, "/s")
    )
}

#[cfg(test)]
mod tests;
