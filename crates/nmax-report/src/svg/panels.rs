//! Charts of throughput over concurrency: panels with points, curves, bands and regions, each by itself or as one
//! figure. A figure that stands alone carries its own style; inside a page the page's style colors it.

use super::Scale;
use super::drawing::{Drawing, through};
use crate::markup::clip;
use crate::scalability::wording;

mod legend;
mod of_views;
mod standalone;

pub(crate) use legend::{key_sample, sample_point};
use legend::{legend, shape, wrapped};
pub use of_views::Panel;
pub(crate) use of_views::{compare_chart, fit_panels, of_overlay, what_if_chart};
pub use standalone::{compare, figure, panel, what_if};

/// Space around the plot, in the units of the picture.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 40.0;
/// Width of a character of a label, about; text is laid out by it, so it is on the safe side.
pub(super) const CHARACTER: f64 = 6.7;
/// Height of a label above its line.
const ASCENT: f64 = 10.0;
/// Room that a point needs from its middle.
const DOT: f64 = 5.0;

/// Style of the panels, with the variables of the page for colors.
pub(crate) const STYLE: &str = include_str!("panels.css");

/// A chart over N.
#[derive(Clone, Debug)]
pub(crate) struct PanelChart {
    /// Unique in the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// What there is to see, for people who cannot.
    pub description: String,
    /// Horizontal axis.
    pub n: Scale,
    /// What stands at it.
    pub n_label: String,
    /// Vertical axis.
    pub x: Scale,
    /// What stands at it.
    pub x_label: String,
    /// Filled parts: class, upper edge, lower edge.
    pub areas: Vec<Area>,
    /// Curves, drawn in this order.
    pub curves: Vec<(&'static str, Vec<(f64, f64)>)>,
    /// Points: class, shape, N, X.
    pub points: Vec<Dot>,
    /// Marks on the axis of N: class, N.
    pub stems: Vec<(&'static str, f64, f64)>,
    /// Words in the plot.
    pub labels: Vec<Label>,
    /// What the classes mean.
    pub legend: Vec<Entry>,
}

/// A filled part between two curves.
#[derive(Clone, Debug)]
pub(crate) struct Area {
    /// CSS class.
    pub class: &'static str,
    /// N, lower and upper X.
    pub edges: Vec<(f64, f64, f64)>,
}

/// A point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dot {
    /// CSS class.
    pub class: &'static str,
    /// Which of the shapes.
    pub shape: usize,
    /// N.
    pub n: f64,
    /// X.
    pub x: f64,
}

/// A word in the plot, near a place.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    /// Its text.
    pub text: String,
    /// N.
    pub n: f64,
    /// X.
    pub x: f64,
}

/// A line of the legend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// What is drawn before the text.
    pub key: Key,
    /// Its text.
    pub text: String,
}

/// The sample before an entry of a legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Key {
    /// A curve of that class.
    Curve(&'static str),
    /// An area of that class.
    Area(&'static str),
    /// A point of that class and shape.
    Dot(&'static str, usize),
    /// Nothing.
    None,
}

/// A rectangle in a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl PanelChart {
    /// An empty one: what N counts and the unit of X are its labels.
    fn new(
        (id, title): (&str, &str),
        description: String,
        (n, x): (Scale, Scale),
        (n_label, x_unit): (&str, &str),
    ) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            description,
            n,
            n_label: wording::n_axis(n_label, matches!(n, Scale::Log { .. })),
            x,
            x_label: format!("X, {x_unit}"),
            areas: Vec::new(),
            curves: Vec::new(),
            points: Vec::new(),
            stems: Vec::new(),
            labels: Vec::new(),
            legend: Vec::new(),
        }
    }

    /// The picture by itself, `width` by `height` units, for a page that has the style.
    pub(crate) fn render(&self, width: f64, height: f64) -> Drawing {
        let mut drawing = Drawing::begin((&self.id, " usl"), (width, height), (&self.title, &self.description));
        self.draw(&mut drawing, (0.0, 0.0), (width, height));
        drawing
    }

    /// Draws it into a part of a picture.
    pub(super) fn draw(&self, drawing: &mut Drawing, (left, top): (f64, f64), (width, height): (f64, f64)) {
        let frame =
            Frame { left: left + LEFT, top: top + TOP, width: width - LEFT - RIGHT, height: height - TOP - BOTTOM };
        let title = clip(&self.title, ((width - 20.0) / CHARACTER) as usize);
        drawing.word("h", (left + 8.0, top + 17.0), &title);
        self.areas.iter().for_each(|area| self.area(drawing, &frame, area));
        self.axes(drawing, &frame, left);
        for (class, n, x) in &self.stems {
            let (px, py, bottom) = (self.px(&frame, *n), self.py(&frame, *x), frame.top + frame.height);
            drawing.path(format_args!("stem {class}"), format_args!("M{px:.1} {bottom:.1}V{py:.1}"));
        }
        self.curves.iter().for_each(|(class, points)| self.curve(drawing, &frame, class, points));
        for dot in &self.points {
            shape(drawing, dot.class, dot.shape, self.px(&frame, dot.n), self.py(&frame, dot.x));
        }
        self.labels(drawing, &frame);
    }

    fn px(&self, frame: &Frame, n: f64) -> f64 {
        frame.left + self.n.place(n) * frame.width
    }

    fn py(&self, frame: &Frame, x: f64) -> f64 {
        frame.top + (1.0 - self.x.place(x)) * frame.height
    }

    fn top(&self) -> f64 {
        match self.x {
            Scale::Linear { max } => max,
            Scale::Log { high, .. } => high,
        }
    }

    fn area(&self, drawing: &mut Drawing, frame: &Frame, area: &Area) {
        let inside: Vec<_> = area.edges.iter().filter(|(_, low, _)| *low <= self.top()).collect();
        if inside.len() < 2 {
            return;
        }
        let upper = inside.iter().map(|(n, _, high)| (*n, *high));
        let lower = inside.iter().rev().map(|(n, low, _)| (*n, *low));
        let path = through(upper.chain(lower).map(|(n, x)| (self.px(frame, n), self.py(frame, x))));
        drawing.path(format_args!("fill {}", area.class), format_args!("{path}Z"));
    }

    /// A curve, cut where it leaves the plot.
    fn curve(&self, drawing: &mut Drawing, frame: &Frame, class: &str, points: &[(f64, f64)]) {
        let (mut path, mut is_down, top) = (String::new(), false, self.top());
        for pair in points.windows(2) {
            let ((n0, x0), (n1, x1)) = (pair[0], pair[1]);
            if x0 > top && x1 > top {
                is_down = false;
                continue;
            }
            let at = |share: f64| (n0 + share * (n1 - n0), x0 + share * (x1 - x0));
            let from = if x0 > top { at((top - x0) / (x1 - x0)) } else { (n0, x0) };
            let to = if x1 > top { at((top - x0) / (x1 - x0)) } else { (n1, x1) };
            if !is_down || x0 > top {
                path += &format!("M{:.1} {:.1}", self.px(frame, from.0), self.py(frame, from.1));
            }
            path += &format!("L{:.1} {:.1}", self.px(frame, to.0), self.py(frame, to.1));
            is_down = x1 <= top;
        }
        if !path.is_empty() {
            drawing.path(format_args!("line {class}"), path);
        }
    }

    fn axes(&self, drawing: &mut Drawing, frame: &Frame, left: f64) {
        let (right, bottom) = (frame.left + frame.width, frame.top + frame.height);
        for value in self.x.ticks() {
            let y = self.py(frame, value);
            drawing.path("grid", format_args!("M{:.1} {y:.1}H{right:.1}", frame.left));
            drawing.word("y", (frame.left - 7.0, y + 3.5), &wording::tick(value));
        }
        let mut free = f64::NEG_INFINITY;
        for value in self.n.ticks() {
            let (x, label) = (self.px(frame, value), wording::tick(value));
            let half = label.chars().count() as f64 * CHARACTER / 2.0;
            if x - half < free || x + half > right + RIGHT {
                continue;
            }
            free = x + half + 8.0;
            drawing.path("tick", format_args!("M{x:.1} {bottom:.1}v4"));
            drawing.word("x", (x, bottom + 16.0), &label);
        }
        let Frame { left: from, top, .. } = frame;
        drawing.path("axis", format_args!("M{from:.1} {bottom:.1}H{right:.1}M{from:.1} {bottom:.1}V{top:.1}"));
        let room = ((right - left - 16.0) / CHARACTER) as usize;
        drawing.word("unit", (left + 8.0, top - 11.0), &clip(&self.x_label, room));
        drawing.word("unit e", (right, bottom + 32.0), &clip(&self.n_label, room));
    }

    /// Words, moved until they cover neither a point nor another word; a word that finds no such place covers points,
    /// and one that finds none at all is left out.
    fn labels(&self, drawing: &mut Drawing, frame: &Frame) {
        let mut taken: Vec<(f64, f64, f64)> = Vec::new();
        for label in &self.labels {
            let half = label.text.chars().count() as f64 * CHARACTER / 2.0;
            let least = frame.left + half + 4.0;
            let most = (frame.left + frame.width - half - 4.0).max(least);
            let x = self.px(frame, label.n).clamp(least, most);
            let y = self.py(frame, label.x);
            let steps = [0.0, -15.0, 15.0, -30.0, 30.0, -45.0, 45.0, -60.0, 60.0, -75.0, 75.0];
            let is_clear = |y: &f64| {
                let mut dots = self.points.iter();
                dots.all(|dot| {
                    let (px, py) = (self.px(frame, dot.n), self.py(frame, dot.x));
                    (px - x).abs() > half + DOT || py < y - ASCENT - DOT || py > y + DOT
                })
            };
            let fits = |y: &f64| {
                let inside = *y > frame.top + 10.0 && *y < frame.top + frame.height - 4.0;
                inside && taken.iter().all(|(ox, oy, ow)| (x - ox).abs() > half + ow + 6.0 || (y - oy).abs() > 14.0)
            };
            let mut places: Vec<f64> = steps.into_iter().map(|step| y + step).filter(fits).collect();
            places.sort_by_key(|y| !is_clear(y));
            let Some(y) = places.first().copied() else {
                continue;
            };
            taken.push((x, y, half));
            drawing.word("word", (x, y), &label.text);
        }
    }
}
