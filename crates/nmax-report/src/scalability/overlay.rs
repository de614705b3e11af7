//! Several curves in one chart.

use nmax_usl::Usl;

use super::frame::{Frame, PLACES};
use super::{Version, WhatIfView};
use crate::svg::Scale;

/// A curve with the points behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// Whether it is assumed and not measured.
    pub assumed: bool,
    /// Points, thinned.
    pub points: Vec<(f64, f64)>,
    /// The law; empty without a fit.
    pub curve: Vec<(f64, f64)>,
}

/// Several curves on common axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// Horizontal axis.
    pub n: Scale,
    /// Vertical axis.
    pub x: Scale,
    /// From the first version to the last, or what is known and then what is assumed.
    pub series: Vec<Series>,
    /// Between two curves: N, low, high.
    pub band: Vec<(f64, f64, f64)>,
    /// What the band is.
    pub band_name: String,
    /// Whether the axes are called as they are given, and not N and X.
    pub has_own_axes: bool,
}

impl Overlay {
    /// Versions over the widest range; each curve ends at twice its own largest N.
    pub(crate) fn of_versions(versions: &[Version]) -> Option<Self> {
        let frames: Vec<(&Version, Frame)> =
            versions.iter().filter_map(|version| Some((version, Frame::new(&version.analysis)?))).collect();
        let end = frames.iter().map(|(_, frame)| frame.n_end).fold(0.0, f64::max);
        let low = frames.iter().map(|(_, frame)| frame.n_least).fold(f64::INFINITY, f64::min);
        let widest = frames.iter().max_by(|a, b| a.1.n_end.total_cmp(&b.1.n_end))?;
        let any_log = frames.iter().any(|(_, frame)| matches!(frame.n, Scale::Log { .. }));
        let n = match widest.1.n {
            _ if any_log => Scale::Log { low, high: end },
            n => n,
        };
        let series: Vec<_> = frames
            .iter()
            .map(|(version, frame)| Series {
                name: version.name.clone(),
                assumed: false,
                points: frame.points.iter().map(|mark| (mark.n, mark.x)).collect(),
                curve: frame.law.clone(),
            })
            .collect();
        let x = Scale::linear(frames.iter().map(|(_, frame)| frame.x_max() / 1.04));
        Some(Self { n, x, series, band: Vec::new(), band_name: String::new(), has_own_axes: false })
    }

    /// Curves with a band around one of them.
    pub(crate) fn of_curves(series: Vec<Series>, band: Vec<(f64, f64, f64)>, band_name: &str) -> Self {
        let ends = series.iter().flat_map(|series| series.curve.iter().map(|(n, _)| *n));
        let n = Scale::Linear { max: ends.chain(band.iter().map(|(n, ..)| *n)).fold(1.0, f64::max) };
        let tops = series.iter().flat_map(|series| series.curve.iter().map(|(_, x)| *x));
        let x = Scale::linear(tops.chain(band.iter().map(|(.., high)| *high)));
        Self { n, x, series, band, band_name: band_name.into(), has_own_axes: true }
    }

    /// What is known, what is assumed, and the band between the outermost of them.
    pub(crate) fn of_assumptions(view: &WhatIfView) -> Self {
        let end = view.n_max.max(2.0);
        let n = Scale::Linear { max: end };
        let share = |index: usize| index as f64 / (PLACES - 1) as f64;
        let places: Vec<f64> = (0..PLACES).map(|index| 1.0 + share(index) * (end - 1.0)).collect();
        let curve = |law: &Usl| -> Vec<(f64, f64)> {
            let points = places.iter().filter_map(|n| Some((*n, view.throughput_at(law, *n)?)));
            points.collect()
        };
        let measured = view.measured.as_ref().and_then(Frame::new);
        let points = measured.iter().flat_map(|frame| frame.points.iter().map(|mark| (mark.n, mark.x)));
        let mut points: Vec<_> = points.filter(|(n, _)| *n <= end).collect();
        let series: Vec<_> = view
            .laws()
            .into_iter()
            .enumerate()
            .map(|(index, (name, law))| Series {
                name,
                assumed: index > 0,
                points: std::mem::take(&mut points),
                curve: curve(&law),
            })
            .collect();
        let at = |n: &f64| {
            let laws = view.laws();
            let all = laws.iter().filter_map(|(_, law)| view.throughput_at(law, *n));
            let (low, high) = all.fold((f64::INFINITY, 0.0), |(low, high), x| (f64::min(low, x), f64::max(high, x)));
            (low <= high).then_some((*n, low, high))
        };
        let tops = series.iter().flat_map(|series| series.curve.iter().chain(&series.points).map(|(_, x)| *x));
        let x = Scale::linear(tops.collect::<Vec<_>>().into_iter());
        Self {
            n,
            x,
            series,
            band: places.iter().filter_map(at).collect(),
            band_name: "assumed: between known and assumed curves".into(),
            has_own_axes: false,
        }
    }
}
