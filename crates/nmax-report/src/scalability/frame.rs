//! What the charts draw, computed once: axes, points, curves, zones, peaks. In N and X, not in pixels.

use nmax_usl::{Analysis, Curve, Estimate, Model, Winner, Zone, zone};

use super::loess;
use crate::svg::Scale;

/// Places at which curves are computed.
pub(super) const PLACES: usize = 161;
/// Largest over smallest N above which the axis takes equal space for equal factors.
const LOG_ABOVE: f64 = 50.0;
/// Share of the points that the smoother looks at.
const SPAN: f64 = 0.5;
/// What the smoother is.
pub(crate) const SMOOTHER: &str =
    "LOESS: local lines through the nearest half of the points, tricube weights, at each N measured";

/// A measured point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mark {
    /// N.
    pub n: f64,
    /// X, per second.
    pub x: f64,
    /// Zone, when the law could be fitted.
    pub zone: Option<Zone>,
}

/// Everything in a chart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    /// Horizontal axis.
    pub n: Scale,
    /// Vertical axis.
    pub x: Scale,
    /// Smallest N measured.
    pub n_least: f64,
    /// Largest N measured.
    pub n_hi: f64,
    /// Right end of the axis, at most twice the largest N measured.
    pub n_end: f64,
    /// Points, at most one per place of a picture.
    pub points: Vec<Mark>,
    /// The law.
    pub law: Vec<(f64, f64)>,
    /// 95 % band of its mean: N, low, high.
    pub band: Vec<(f64, f64, f64)>,
    /// γN, up to the top.
    pub linear: Vec<(f64, f64)>,
    /// The law without coherency.
    pub amdahl: Vec<(f64, f64)>,
    /// Where a run lies on that bound: N, low, high.
    pub zone_b: Vec<(f64, f64, f64)>,
    /// γ/α.
    pub roof: Option<f64>,
    /// The model that leads, if it is not the law.
    pub leader: Option<(Model, Vec<(f64, f64)>)>,
    /// The smoother; empty with too few places.
    pub smooth: Vec<(f64, f64)>,
    /// The peak of the law, when it may be printed.
    pub peak: Option<(Estimate, Estimate)>,
    /// The peak that was seen.
    pub observed: Option<(f64, f64)>,
}

impl Frame {
    /// Of an analysis; `None` when nothing was measured.
    pub(crate) fn new(analysis: &Analysis) -> Option<Self> {
        Self::from_points(marks(analysis), Some(analysis))
    }

    /// Of points, with the law when there is one.
    pub(crate) fn from_points(points: Vec<Mark>, analysis: Option<&Analysis>) -> Option<Self> {
        let points = thinned(points);
        let low = points.iter().map(|mark| mark.n).fold(f64::INFINITY, f64::min);
        let n_hi = points.iter().map(|mark| mark.n).fold(0.0, f64::max);
        if points.is_empty() || n_hi <= 0.0 || low <= 0.0 {
            return None;
        }
        let peak = analysis.and_then(|analysis| analysis.peak.as_ref()).map(|peak| (peak.concurrency, peak.throughput));
        let n_end = end(n_hi, peak.and_then(|(n, _)| n.high.or(Some(n.estimate))));
        let n = axis(low, n_hi, n_end);
        let places = places(n, if matches!(n, Scale::Log { .. }) { low } else { low.min(1.0) }, n_end);
        let law = analysis.and_then(|analysis| analysis.fit.as_ref()).map(|fit| fit.law);
        let mut frame = Self {
            n,
            x: Scale::Linear { max: 1.0 },
            n_least: low,
            n_hi,
            n_end,
            law: law.map_or_else(Vec::new, |law| curve(&places, |n| law.throughput_at(n))),
            band: analysis.map_or_else(Vec::new, |analysis| band(analysis, &places)),
            linear: Vec::new(),
            amdahl: Vec::new(),
            zone_b: Vec::new(),
            roof: analysis.and_then(|analysis| analysis.roof).map(|roof| roof.estimate),
            leader: analysis.and_then(|analysis| leader(analysis, &places)),
            smooth: smooth(n, &points, &places),
            peak,
            observed: analysis
                .and_then(|analysis| analysis.observed_peak)
                .map(|peak| (peak.concurrency, peak.throughput)),
            points,
        };
        frame.x = frame.vertical();
        if let Some(law) = law {
            let gamma = law.unit_throughput;
            frame.linear = curve(&places, |n| gamma * n);
            let bound = zone::amdahl_bound(&law);
            frame.amdahl = curve(&places, |n| bound.throughput_at(n));
            let fit = analysis.and_then(|analysis| analysis.fit.as_ref());
            let at = |(n, _): &(f64, f64)| zone::bound_band(fit?, *n).map(|(low, high)| (*n, low.max(0.0), high));
            frame.zone_b = frame.amdahl.iter().filter_map(at).collect();
        }
        Some(frame)
    }

    /// Top of the vertical axis.
    pub(crate) fn x_max(&self) -> f64 {
        match self.x {
            Scale::Linear { max } => max,
            Scale::Log { high, .. } => high,
        }
    }

    /// An axis that holds points, law and peak, and the band as far as it is not wild.
    fn vertical(&self) -> Scale {
        let points = self.points.iter().map(|mark| mark.x);
        let law = self.law.iter().map(|(_, x)| *x);
        let top = self.points.iter().map(|mark| mark.x).fold(0.0, f64::max);
        let band = self.band.iter().map(|(_, _, high)| high.min(1.25 * top));
        let peak = self.peak.iter().map(|(_, x)| x.high.unwrap_or(x.estimate));
        let within = move |x: &f64| *x <= 2.0 * top;
        Scale::linear(points.chain(law.filter(within)).chain(band).chain(peak.filter(within)))
    }
}

/// As far as charts go: beyond the peak, and never past twice what was measured.
fn end(n_hi: f64, peak: Option<f64>) -> f64 {
    let wanted = peak.map_or(0.0, |peak| 1.15 * peak);
    wanted.clamp(1.25 * n_hi, 2.0 * n_hi)
}

/// The axis of N.
fn axis(low: f64, n_hi: f64, n_end: f64) -> Scale {
    if n_hi / low > LOG_ABOVE { Scale::Log { low, high: n_end } } else { Scale::Linear { max: n_end } }
}

/// Places of equal distance in the picture.
fn places(axis: Scale, from: f64, to: f64) -> Vec<f64> {
    let share = |index: usize| index as f64 / (PLACES - 1) as f64;
    let at = |index: usize| match axis {
        Scale::Linear { .. } => from + share(index) * (to - from),
        Scale::Log { .. } => from * (to / from).powf(share(index)),
    };
    (0..PLACES).map(at).collect()
}

fn curve(places: &[f64], throughput: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let points = places.iter().map(|n| (*n, throughput(*n)));
    points.filter(|(_, x)| x.is_finite() && *x >= 0.0).collect()
}

fn band(analysis: &Analysis, places: &[f64]) -> Vec<(f64, f64, f64)> {
    let Some(fit) = &analysis.fit else {
        return Vec::new();
    };
    let at = |n: &f64| fit.band_at(*n).map(|(low, high)| (*n, low.max(0.0), high));
    let all = places.iter().filter_map(at);
    all.filter(|(_, low, high)| low.is_finite() && high.is_finite()).collect()
}

fn leader(analysis: &Analysis, places: &[f64]) -> Option<(Model, Vec<(f64, f64)>)> {
    let Winner::One(model) = analysis.winner else {
        return None;
    };
    let rung = analysis.ladder.iter().find(|rung| rung.model == model)?;
    if matches!(rung.curve, Curve::Usl(_)) {
        return None;
    }
    Some((model, curve(places, |n| rung.curve.throughput_at(n))))
}

/// The smoother at each N measured, over places of the picture, so that equal distances to the eye weigh the same.
fn smooth(axis: Scale, points: &[Mark], places: &[f64]) -> Vec<(f64, f64)> {
    let mut at: Vec<f64> = points.iter().map(|mark| mark.n).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    if let (true, Some(last)) = (at.len() > places.len(), at.last().copied()) {
        let first = at[0];
        at = places.iter().copied().filter(|n| (first..=last).contains(n)).collect();
    }
    let placed: Vec<_> = points.iter().map(|mark| (axis.place(mark.n), mark.x)).collect();
    let wanted: Vec<_> = at.iter().map(|n| axis.place(*n)).collect();
    let smoothed = loess(&placed, SPAN, &wanted);
    if smoothed.len() != at.len() {
        return Vec::new();
    }
    let curve = at.into_iter().zip(smoothed);
    curve.map(|(n, (_, x))| (n, x.max(0.0))).collect()
}

/// The points with their zones, or as they were measured when there is no law.
fn marks(analysis: &Analysis) -> Vec<Mark> {
    if analysis.points.is_empty() {
        let plain = analysis.observations.iter();
        return plain.map(|seen| Mark { n: seen.n, x: seen.x, zone: None }).collect();
    }
    let judged = analysis.points.iter();
    judged.map(|point| Mark { n: point.n, x: point.x, zone: point.zone }).collect()
}

/// Without what cannot be drawn; many points lose those that a picture could not tell apart.
fn thinned(points: Vec<Mark>) -> Vec<Mark> {
    const CELLS: f64 = 600.0;
    let usable = |mark: &Mark| mark.n.is_finite() && mark.n > 0.0 && mark.x.is_finite() && mark.x >= 0.0;
    let all: Vec<Mark> = points.into_iter().filter(usable).collect();
    if all.len() < 2000 {
        return all;
    }
    let most = |of: fn(&Mark) -> f64| all.iter().map(of).fold(0.0, f64::max);
    let (n_hi, x_hi) = (most(|mark| mark.n), most(|mark| mark.x).max(f64::MIN_POSITIVE));
    let low = all.iter().map(|mark| mark.n).fold(f64::INFINITY, f64::min);
    let axis = axis(low, n_hi, n_hi);
    let mut seen = std::collections::HashSet::new();
    let cell = |mark: &Mark| ((axis.place(mark.n) * CELLS) as u32, (mark.x / x_hi * CELLS) as u32);
    all.into_iter().filter(|mark| seen.insert(cell(mark))).collect()
}

#[cfg(test)]
mod tests;
