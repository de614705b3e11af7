//! What the panels of a fit, of versions and of assumptions show.

use nmax_usl::{Analysis, Zone};

use super::{Area, Dot, Entry, Key, Label, PanelChart};
use crate::scalability::{CompareView, FitView, Frame, Mark, Overlay, PER_S, SMOOTHER, WhatIfView, wording};
use crate::svg::Scale;

/// One of the four panels of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// The points as they were measured.
    Raw,
    /// With a smoother, which knows no law.
    Smoother,
    /// The law with its bounds and zones.
    Zones,
    /// The law with its 95 % band and its peak.
    Band,
}

impl Panel {
    /// Every panel, in the order of the figure.
    pub const ALL: [Self; 4] = [Self::Raw, Self::Smoother, Self::Zones, Self::Band];
}

/// The panels of a fit; none when nothing was measured.
pub(crate) fn fit_panels(view: &FitView) -> Vec<(Panel, PanelChart)> {
    let Some(frame) = Frame::new(&view.analysis) else {
        return Vec::new();
    };
    Panel::ALL.into_iter().map(|panel| (panel, chart(view, &frame, panel))).collect()
}

fn chart(view: &FitView, frame: &Frame, panel: Panel) -> PanelChart {
    let (id, title, what) = match panel {
        Panel::Raw => ("usl-raw", "Measured", "as measured"),
        Panel::Smoother => ("usl-smoother", "Smoother, without any law", "with a smoother"),
        Panel::Zones => ("usl-zones", "Law, bounds and zones", "with the law, its bounds and zones"),
        Panel::Band => ("usl-band", "Law with its 95 % band", "with the law and its band"),
    };
    let observed = wording::observed(&view.analysis, view.x_unit());
    let (count, n_hi) = (view.analysis.observations.len(), wording::plain(frame.n_hi));
    let description = format!("{count} points up to N = {n_hi}, {what}. Observed peak: {observed}.");
    let labels = (view.n_label(), view.x_unit());
    let mut chart = PanelChart::new((id, title), description, (frame.n, frame.x), labels);
    match panel {
        Panel::Raw => raw(&mut chart, frame),
        Panel::Smoother => smoother(&mut chart, frame),
        Panel::Zones => zones(&mut chart, frame),
        Panel::Band => band(&mut chart, frame, &view.analysis),
    }
    chart
}

fn entry(chart: &mut PanelChart, key: Key, text: &str) {
    chart.legend.push(Entry { key, text: text.into() });
}

fn dots(chart: &mut PanelChart, frame: &Frame) {
    chart.points = frame.points.iter().map(|mark| Dot { class: "m", shape: 0, n: mark.n, x: mark.x }).collect();
    entry(chart, Key::Dot("m", 0), "measured");
}

fn raw(chart: &mut PanelChart, frame: &Frame) {
    dots(chart, frame);
    if let Some((n, x)) = frame.observed {
        chart.stems.push(("seen", n, x));
        let text = format!("observed peak {} at N = {}", wording::plain(x), wording::plain(n));
        chart.labels.push(above(frame, n, x, text));
    }
}

/// A label above a place.
fn above(frame: &Frame, n: f64, x: f64, text: String) -> Label {
    Label { text, n, x: x + 0.055 * frame.x_max() }
}

fn smoother(chart: &mut PanelChart, frame: &Frame) {
    dots(chart, frame);
    if frame.smooth.is_empty() {
        let x = 0.5 * frame.x_max();
        let text = "too few distinct N for a smoother".to_owned();
        chart.labels.push(Label { text, n: middle(frame), x });
        return;
    }
    chart.curves.push(("smooth", frame.smooth.clone()));
    entry(chart, Key::Curve("smooth"), SMOOTHER);
}

/// N in the middle of the picture.
fn middle(frame: &Frame) -> f64 {
    match frame.n {
        Scale::Linear { max } => max / 2.0,
        Scale::Log { low, high } => (low * high).sqrt(),
    }
}

/// The law up to the largest N measured, and beyond it dashed.
fn law(chart: &mut PanelChart, frame: &Frame) {
    if frame.law.is_empty() {
        let text = "no fit: the findings say why".to_owned();
        chart.labels.push(Label { text, n: middle(frame), x: 0.5 * frame.x_max() });
        return;
    }
    let split = frame.law.partition_point(|(n, _)| *n <= frame.n_hi);
    chart.curves.push(("law", frame.law[..split].to_vec()));
    chart.curves.push(("law beyond", frame.law[split.saturating_sub(1)..].to_vec()));
    entry(chart, Key::Curve("law"), "law");
    entry(chart, Key::Curve("law beyond"), "law beyond the largest N measured");
}

fn zones(chart: &mut PanelChart, frame: &Frame) {
    regions(chart, frame);
    if !frame.amdahl.is_empty() {
        chart.curves.push(("amdahl", frame.amdahl.clone()));
        entry(chart, Key::Curve("amdahl"), "Amdahl bound: the law without β");
    }
    if !frame.linear.is_empty() {
        chart.curves.push(("linear", frame.linear.clone()));
        entry(chart, Key::Curve("linear"), "γN: every unit adds a whole one");
    }
    if let Some(roof) = frame.roof.filter(|roof| *roof <= frame.x_max()) {
        let ends = [frame.law.first(), frame.law.last()];
        let line = ends.into_iter().flatten().map(|(n, _)| (*n, roof)).collect();
        chart.curves.push(("roof", line));
        entry(chart, Key::Curve("roof"), "roof γ/α");
    }
    if let Some((model, curve)) = &frame.leader {
        chart.curves.push(("leader", curve.clone()));
        entry(chart, Key::Curve("leader"), &format!("{}, the model that leads", model.name()));
    }
    law(chart, frame);
    for zone in Zone::ALL {
        if frame.points.iter().any(|mark| mark.zone == Some(zone)) {
            let (class, shape) = zone_dot(Some(zone));
            entry(chart, Key::Dot(class, shape), &format!("point in zone {}", zone.name()));
        }
    }
    let dot = |mark: &Mark| {
        let (class, shape) = zone_dot(mark.zone);
        Dot { class, shape, n: mark.n, x: mark.x }
    };
    chart.points = frame.points.iter().map(dot).collect();
}

/// Shades the zones: B around the Amdahl bound as far as a run may scatter, A above it up to γN, C below.
fn regions(chart: &mut PanelChart, frame: &Frame) {
    if frame.amdahl.is_empty() {
        return;
    }
    let line: Vec<_> = frame.amdahl.iter().map(|(n, x)| (*n, *x, *x)).collect();
    let on = if frame.zone_b.is_empty() { &line } else { &frame.zone_b };
    let ceiling = |x: f64| x.min(frame.x_max());
    let gamma = frame.linear.last().map_or(0.0, |(n, x)| x / n);
    let above = on.iter().map(|(n, _, high)| (*n, ceiling(*high), ceiling(f64::max(gamma * n, *high))));
    let below = on.iter().map(|(n, low, _)| (*n, 0.0, ceiling(*low)));
    let beside = on.iter().map(|(n, low, high)| (*n, ceiling(*low), ceiling(*high)));
    let parts: [(_, Vec<_>, _); 3] = [
        ("za", above.collect(), "zone A: above the Amdahl bound"),
        ("zb", beside.collect(), "zone B: on it"),
        ("zc", below.collect(), "zone C: below it"),
    ];
    for (class, edges, text) in parts {
        chart.areas.push(Area { class, edges });
        entry(chart, Key::Area(class), text);
    }
}

fn zone_dot(zone: Option<Zone>) -> (&'static str, usize) {
    match zone {
        Some(Zone::A) => ("pa", 1),
        Some(Zone::B) => ("pb", 2),
        Some(Zone::C) => ("pc", 3),
        None => ("m", 0),
    }
}

fn band(chart: &mut PanelChart, frame: &Frame, analysis: &Analysis) {
    if !frame.band.is_empty() {
        let top = frame.x_max();
        let edges = frame.band.iter().map(|(n, low, high)| (*n, low.min(top), high.min(top)));
        chart.areas.push(Area { class: "band", edges: edges.collect() });
        entry(chart, Key::Area("band"), "95 % band of the law");
    }
    law(chart, frame);
    dots(chart, frame);
    if let Some((n, x)) = &frame.peak {
        chart.stems.push(("peak", n.estimate, x.estimate));
        for end in [n.low, n.high].into_iter().flatten().filter(|end| *end <= frame.n_end) {
            let height = analysis.fit.as_ref().map_or(0.0, |fit| fit.law.throughput_at(end));
            chart.stems.push(("ends", end, height));
        }
        let text = format!("peak {} at N = {}", wording::value(x), wording::value(n));
        chart.labels.push(above(frame, n.estimate, x.estimate, text));
        entry(chart, Key::Curve("stem peak"), "N at the peak, with its interval");
    } else if !frame.law.is_empty() {
        chart.labels.push(Label { text: "peak of the law: refused".into(), n: middle(frame), x: 0.06 * frame.x_max() });
    }
}

/// Classes of versions.
const VERSIONS: [&str; 6] = ["v0", "v1", "v2", "v3", "v4", "v5"];
const ASSUMED: [&str; 6] = ["v0", "v1 dash", "v2 dot", "v3 dash", "v4 dot", "v5 dash"];

/// Overlaid curves of versions; `None` when nothing was measured.
pub(crate) fn compare_chart(view: &CompareView, unit: &str) -> Option<PanelChart> {
    let overlay = Overlay::of_versions(&view.versions)?;
    let labels = (view.n_label(), unit);
    Some(of_overlay("usl-compare", "Versions and their laws", &overlay, labels))
}

/// What is known beside what is assumed.
pub(crate) fn what_if_chart(view: &WhatIfView) -> PanelChart {
    let overlay = Overlay::of_assumptions(view);
    let labels = (view.n_label(), PER_S);
    of_overlay("usl-what-if", "Known and assumed", &overlay, labels)
}

/// Curves of an overlay.
pub(crate) fn of_overlay(id: &str, title: &str, overlay: &Overlay, labels: (&str, &str)) -> PanelChart {
    let names: Vec<_> = overlay.series.iter().map(|series| series.name.as_str()).collect();
    let description = format!("{title}: {}.", names.join(", "));
    let mut chart = PanelChart::new((id, title), description, (overlay.n, overlay.x), labels);
    if overlay.has_own_axes {
        (chart.n_label, chart.x_label) = (labels.0.into(), labels.1.into());
    }
    if !overlay.band.is_empty() {
        chart.areas.push(Area { class: "assumed", edges: overlay.band.clone() });
        entry(&mut chart, Key::Area("assumed"), &overlay.band_name);
    }
    for (number, series) in overlay.series.iter().enumerate() {
        let class = VERSIONS[number % VERSIONS.len()];
        let line = if series.assumed { ASSUMED[number % ASSUMED.len()] } else { class };
        chart.curves.push((line, series.curve.clone()));
        let points = series.points.iter();
        chart.points.extend(points.map(|(n, x)| Dot { class, shape: number, n: *n, x: *x }));
        let key = if series.points.is_empty() { Key::Curve(line) } else { Key::Dot(class, number) };
        entry(&mut chart, key, &series.name);
    }
    chart
}
