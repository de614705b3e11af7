//! Charts of throughput over concurrency: panels with points, curves, bands and regions, each by itself or as one
//! figure. A figure that stands alone carries its own style; inside a page the page's style colors it.

use std::fmt::Write;

use super::Scale;
use crate::markup::{Escaped, clip};
use crate::scalability::words;

mod alone;
mod legend;
mod of_views;

pub use alone::{compare, figure, panel, what_if};
pub(crate) use legend::sample_point;
use legend::{legend, shape, wrapped};
pub use of_views::Panel;
pub(crate) use of_views::{compare_chart, fit_panels, what_if_chart};

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
    /// What N counts.
    pub n_label: String,
    /// Vertical axis.
    pub x: Scale,
    /// Unit of X.
    pub x_unit: String,
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
pub(crate) enum Key {
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
    /// The picture by itself, `width` by `height` units, for a page that has the style.
    pub(crate) fn render(&self, width: f64, height: f64) -> String {
        let id = format!("{}-{width:.0}", self.id);
        let mut text = format!(
            "<svg class=\"w{width:.0} usl\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
             <title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>",
            Escaped(&self.title),
            Escaped(&self.description),
        );
        self.draw(&mut text, (0.0, 0.0), (width, height));
        text.push_str("</svg>");
        text
    }

    /// Draws it into a part of a picture.
    pub(super) fn draw(&self, text: &mut String, (left, top): (f64, f64), (width, height): (f64, f64)) {
        let frame =
            Frame { left: left + LEFT, top: top + TOP, width: width - LEFT - RIGHT, height: height - TOP - BOTTOM };
        let title = clip(&self.title, ((width - 20.0) / CHARACTER) as usize);
        add(
            text,
            format_args!(
                "<text class=\"h\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                left + 8.0,
                top + 17.0,
                Escaped(&title)
            ),
        );
        for area in &self.areas {
            self.area(text, &frame, area);
        }
        self.axes(text, &frame, left);
        for (class, n, x) in &self.stems {
            let (px, py) = (self.px(&frame, *n), self.py(&frame, *x));
            let bottom = frame.top + frame.height;
            add(text, format_args!("<path class=\"stem {class}\" d=\"M{px:.1} {bottom:.1}V{py:.1}\"/>"));
        }
        for (class, points) in &self.curves {
            self.curve(text, &frame, class, points);
        }
        for dot in &self.points {
            let (px, py) = (self.px(&frame, dot.n), self.py(&frame, dot.x));
            shape(text, dot.class, dot.shape, px, py);
        }
        self.labels(text, &frame);
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

    fn area(&self, text: &mut String, frame: &Frame, area: &Area) {
        let inside: Vec<_> = area.edges.iter().filter(|(_, low, _)| *low <= self.top()).collect();
        if inside.len() < 2 {
            return;
        }
        let mut path = String::new();
        let upper = inside.iter().map(|(n, _, high)| (*n, *high));
        let lower = inside.iter().rev().map(|(n, low, _)| (*n, *low));
        for (index, (n, x)) in upper.chain(lower).enumerate() {
            let letter = if index == 0 { 'M' } else { 'L' };
            add(&mut path, format_args!("{letter}{:.1} {:.1}", self.px(frame, n), self.py(frame, x)));
        }
        add(text, format_args!("<path class=\"fill {}\" d=\"{path}Z\"/>", area.class));
    }

    /// A curve, cut where it leaves the plot.
    fn curve(&self, text: &mut String, frame: &Frame, class: &str, points: &[(f64, f64)]) {
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
                add(&mut path, format_args!("M{:.1} {:.1}", self.px(frame, from.0), self.py(frame, from.1)));
            }
            add(&mut path, format_args!("L{:.1} {:.1}", self.px(frame, to.0), self.py(frame, to.1)));
            is_down = x1 <= top;
        }
        if !path.is_empty() {
            add(text, format_args!("<path class=\"line {class}\" d=\"{path}\"/>"));
        }
    }

    fn axes(&self, text: &mut String, frame: &Frame, left: f64) {
        let (right, bottom) = (frame.left + frame.width, frame.top + frame.height);
        for value in self.x.ticks() {
            let y = self.py(frame, value);
            add(
                text,
                format_args!(
                    "<path class=\"grid\" d=\"M{:.1} {y:.1}H{right:.1}\"/><text class=\"y\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    frame.left,
                    frame.left - 7.0,
                    y + 3.5,
                    words::tick(value)
                ),
            );
        }
        let mut free = f64::NEG_INFINITY;
        for value in self.n.ticks() {
            let (x, label) = (self.px(frame, value), words::tick(value));
            let half = label.chars().count() as f64 * CHARACTER / 2.0;
            if x - half < free || x + half > right + RIGHT {
                continue;
            }
            free = x + half + 8.0;
            add(
                text,
                format_args!(
                    "<path class=\"tick\" d=\"M{x:.1} {bottom:.1}v4\"/><text class=\"x\" x=\"{x:.1}\" y=\"{:.1}\">{label}</text>",
                    bottom + 16.0
                ),
            );
        }
        add(
            text,
            format_args!(
                "<path class=\"axis\" d=\"M{0:.1} {bottom:.1}H{right:.1}M{0:.1} {bottom:.1}V{1:.1}\"/>",
                frame.left, frame.top
            ),
        );
        let room = ((right - left - 16.0) / CHARACTER) as usize;
        let (unit, label) = (
            clip(&format!("X, {}", self.x_unit), room),
            clip(&words::n_axis(&self.n_label, matches!(self.n, Scale::Log { .. })), room),
        );
        add(
            text,
            format_args!(
                "<text class=\"unit\" x=\"{:.1}\" y=\"{:.1}\">{}</text><text class=\"unit e\" x=\"{right:.1}\" y=\"{:.1}\">{}</text>",
                left + 8.0,
                frame.top - 11.0,
                Escaped(&unit),
                bottom + 32.0,
                Escaped(&label)
            ),
        );
    }

    /// Words, moved until they cover neither a point nor another word; a word that finds no such place covers points,
    /// and one that finds none at all is left out.
    fn labels(&self, text: &mut String, frame: &Frame) {
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
            add(text, format_args!("<text class=\"word\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", Escaped(&label.text)));
        }
    }
}

pub(super) fn add(text: &mut String, part: std::fmt::Arguments<'_>) {
    text.write_fmt(part).expect("a string takes all text");
}
