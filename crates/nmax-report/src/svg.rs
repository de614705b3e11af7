//! Charts as inline SVG: lines, areas and the latency heat map on a time axis, and bars. Colors come from the page's style.

use nmax_analysis::summary::Span;

use crate::markup::clip;
use drawing::through;
pub use drawing::{Drawing, Shape};

mod bars;
mod columns;
mod drawing;
mod heat;
mod panels;
mod ratios;
mod regions;
mod scale;

pub use bars::{Bar, Bars};
pub use columns::{Column, Columns};
pub use heat::HeatMap;
pub use panels::Key;
pub use panels::{Panel, compare, figure, panel, what_if};
pub(crate) use panels::{
    PanelChart, STYLE as PANEL_STYLE, compare_chart, fit_panels, key_sample, of_overlay, sample_point, what_if_chart,
};
pub(crate) use ratios::{history, ratios};
pub use regions::{Region, RegionMap, Tile};
pub use scale::{Scale, time_label, time_ticks};

/// Space around the plot, in the units of the picture.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 22.0;

/// Widths of the two drawings of a picture that has the whole width; the style shows the one that fits.
pub(crate) const WIDE: [f64; 2] = [1040.0, 380.0];

/// A chart over the time of a run.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Unique in the page.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// What there is to see, for people who cannot.
    pub description: String,
    /// End of the time axis, seconds.
    pub end_s: f64,
    /// Stages, shaded where they do not count.
    pub stages: Vec<Span>,
    /// Spans in which something was done to the system under test, seconds.
    pub marks: Vec<(f64, f64)>,
    /// Spans of which there are no values, seconds.
    pub gaps: Vec<(f64, f64)>,
    /// Vertical axis.
    pub scale: Scale,
    /// Text of a tick of the vertical axis.
    pub label: fn(f64) -> String,
    /// Below the lines.
    pub heat: Option<HeatMap>,
    /// The load below the lines, on an axis of its own to the right: its points and the text of its highest one.
    pub load: Option<(Line, String)>,
    /// Drawn in this order.
    pub lines: Vec<Line>,
    /// Whether the names of lines stand at their ends, where there is room.
    pub has_names: bool,
    /// Height of the picture.
    pub height: f64,
}

/// A line, in the order of time.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is, for the legend.
    pub name: String,
    /// CSS class that gives color and dashes.
    pub class: &'static str,
    /// Whether the space below is filled.
    pub area: bool,
    /// Time (s) and value; a missing value breaks the line.
    pub points: Vec<(f64, Option<f64>)>,
}

impl Line {
    fn values(&self) -> impl Iterator<Item = f64> + Clone {
        self.points.iter().filter_map(|(_, value)| *value)
    }
}

/// Classes of lines, none twice: a color and a dash each. Beyond them, lines are left out.
pub(crate) const LOOKS: [&str; 32] = [
    "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c1 dash", "c2 dash", "c3 dash", "c4 dash", "c5 dash", "c6 dash",
    "c7 dash", "c8 dash", "c1 dot", "c2 dot", "c3 dot", "c4 dot", "c5 dot", "c6 dot", "c7 dot", "c8 dot", "c1 far",
    "c2 far", "c3 far", "c4 far", "c5 far", "c6 far", "c7 far", "c8 far",
];

/// Most characters of the name of a line, and room for one.
const NAME_MAX: usize = 28;
const CHARACTER: f64 = 7.4;
/// Least width of a picture with such names, and the height of one.
const NAMES_MIN: f64 = 800.0;
const NAME_HEIGHT: f64 = 13.0;

/// The inner rectangle with its axes.
struct Plot<'a> {
    chart: &'a Chart,
    width: f64,
}

impl Chart {
    /// The picture, `width` units wide.
    pub fn render(&self, width: f64) -> Drawing {
        let plot = Plot { chart: self, width };
        let mut drawing = Drawing::begin((&self.id, ""), (width, self.height), (&self.title, &self.description));
        plot.stages(&mut drawing);
        plot.spans(&mut drawing, "gap", &self.gaps);
        plot.spans(&mut drawing, "mark", &self.marks);
        if let Some((load, most)) = &self.load {
            plot.load(&mut drawing, load, most);
        }
        plot.grid(&mut drawing);
        if let Some(heat) = &self.heat {
            heat.render(&mut drawing, (LEFT, TOP), (plot.right() - LEFT, plot.bottom() - TOP));
        }
        self.lines.iter().for_each(|line| plot.line(&mut drawing, line));
        if plot.has_names() {
            plot.names(&mut drawing);
        }
        drawing
    }
}

impl Plot<'_> {
    fn has_names(&self) -> bool {
        self.chart.has_names && self.width >= NAMES_MIN
    }

    fn right(&self) -> f64 {
        let longest = self.chart.lines.iter().map(|line| line.name.chars().count().min(NAME_MAX)).max();
        self.width - if self.has_names() { longest.unwrap_or(0) as f64 * CHARACTER + 14.0 } else { RIGHT }
    }

    fn bottom(&self) -> f64 {
        self.chart.height - BOTTOM
    }

    fn x(&self, seconds: f64) -> f64 {
        let share = if self.chart.end_s > 0.0 { (seconds / self.chart.end_s).clamp(0.0, 1.0) } else { 0.0 };
        LEFT + share * (self.right() - LEFT)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom() - self.chart.scale.place(value) * (self.bottom() - TOP)
    }

    /// Shades what was done to the system under test, or happened to it, or is missing; a moment is wide enough to be seen.
    fn spans(&self, drawing: &mut Drawing, class: &str, spans: &[(f64, f64)]) {
        for (start_s, end_s) in spans {
            let (x, end) = (self.x(*start_s), self.x(*end_s));
            drawing.rect(class, (x, TOP), ((end - x).max(3.0), self.bottom() - TOP));
        }
    }

    /// Shades what is left out of the statistics and names the stages that have room for their name.
    fn stages(&self, drawing: &mut Drawing) {
        for span in &self.chart.stages {
            let (x, end) = (self.x(span.start_s), self.x(span.end_s));
            let width = end - x;
            if !span.counted {
                drawing.rect("out", (x, TOP), (width, self.bottom() - TOP));
            } else {
                drawing.path("hold", format_args!("M{x:.1} {TOP}H{end:.1}"));
            }
            if width > 7.0 * span.name.len() as f64 {
                drawing.word("stage", (x + width / 2.0, TOP - 7.0), span.name);
            }
        }
    }

    fn grid(&self, drawing: &mut Drawing) {
        let (right, bottom) = (self.right(), self.bottom());
        for value in self.chart.scale.ticks() {
            let y = self.y(value);
            drawing.path("grid", format_args!("M{LEFT} {y:.1}H{right:.1}"));
            drawing.word("y", (LEFT - 7.0, y + 3.5), &trimmed(&(self.chart.label)(value)));
        }
        let ticks = ((right - LEFT) / 80.0).max(2.0) as usize;
        for seconds in time_ticks(self.chart.end_s, ticks) {
            let x = self.x(seconds);
            drawing.path("tick", format_args!("M{x:.1} {bottom:.1}v4"));
            drawing.word("x", (x, bottom + 16.0), &time_label(seconds, self.chart.end_s));
        }
        drawing.path("axis", format_args!("M{LEFT} {bottom:.1}H{right:.1}"));
    }

    /// The load as an area that ends below the top, with its highest value beside it.
    fn load(&self, drawing: &mut Drawing, load: &Line, most: &str) {
        let high = load.values().fold(0.0, f64::max) / 0.9;
        if high > 0.0 {
            let y = |value: f64| self.bottom() - value / high * (self.bottom() - TOP);
            let area = |points: &[(f64, f64)]| {
                let (first, last) = (points[0], points[points.len() - 1]);
                let line = through(points.iter().copied());
                format!("{line}V{0:.1}H{1:.1}V{2:.1}Z", self.bottom(), first.0.min(last.0), first.1)
            };
            let pieces = self.pieces(load, y).into_iter();
            drawing.path("load", pieces.map(|points| area(&points)).collect::<String>());
            drawing.word("y", (self.right() - 4.0, y(0.9 * high) - 4.0), most);
        }
    }

    /// A line between its gaps, in the units of the picture.
    fn pieces(&self, line: &Line, y: impl Fn(f64) -> f64) -> Vec<Vec<(f64, f64)>> {
        let pieces = line.points.split(|(_, value)| value.is_none());
        let pieces = pieces.map(|run| run.iter().filter_map(|(at, value)| Some((self.x(*at), y((*value)?)))).collect());
        pieces.filter(|points: &Vec<_>| !points.is_empty()).collect()
    }

    fn line(&self, drawing: &mut Drawing, line: &Line) {
        let (mut path, mut area) = (String::new(), String::new());
        let pieces = self.pieces(line, |value| self.y(value));
        // A line of crumbs is one of points.
        let is_sparse = pieces.len() > 4 && pieces.iter().map(Vec::len).sum::<usize>() < 3 * pieces.len();
        for points in pieces {
            let (first, last) = (points[0], points[points.len() - 1]);
            debug_assert!(last.0 >= first.0, "points are in the order of time");
            if is_sparse {
                points.iter().for_each(|(x, y)| path += &format!("M{x:.1} {y:.1}h.1"));
                continue;
            }
            // A point alone is wide enough to be seen.
            let dot = if points.len() == 1 { "h3" } else { "" };
            let piece = through(points.iter().copied()) + dot;
            area += &format!("{piece}V{0:.1}H{1:.1}V{2:.1}Z", self.bottom(), first.0, first.1);
            path += &piece;
        }
        if line.area && !area.is_empty() {
            drawing.path(format_args!("area {}", line.class), area);
        }
        if !path.is_empty() {
            let sparse = if is_sparse { " dots" } else { "" };
            drawing.path(format_args!("line {}{sparse}", line.class), path);
        }
    }

    /// Names at the ends of lines, moved until none covers another; those without room are in the legend alone.
    fn names(&self, drawing: &mut Drawing) {
        let lines = self.chart.lines.iter();
        let ends =
            lines.filter_map(|line| Some((line, self.y(line.points.iter().rev().find_map(|(_, value)| *value)?))));
        let mut ends: Vec<(&Line, f64)> = ends.collect();
        ends.sort_by(|a, b| a.1.total_cmp(&b.1));
        ends.truncate(((self.bottom() - TOP) / NAME_HEIGHT) as usize + 1);
        let mut free = TOP - NAME_HEIGHT;
        for (_, y) in &mut ends {
            *y = y.max(free + NAME_HEIGHT);
            free = *y;
        }
        let mut free = self.bottom() + NAME_HEIGHT;
        for (line, y) in ends.iter_mut().rev() {
            *y = y.min(free - NAME_HEIGHT);
            free = *y;
            let name = clip(&line.name, NAME_MAX);
            drawing.word(&format!("name {}", line.class), (self.right() + 7.0, *y + 4.0), &name);
        }
    }
}

/// A round number without the zeros after its point: `10.0 ms` is `10 ms`.
fn trimmed(label: &str) -> String {
    let (number, unit) = label.split_once(' ').unwrap_or((label, ""));
    format!("{} {unit}", nmax_text::number::without_zeros(number)).trim_end().to_owned()
}

#[cfg(test)]
mod tests;
