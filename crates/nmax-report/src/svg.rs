//! Charts as inline SVG: lines, areas and the latency heat map on a time axis, and bars. Colors come from the page's style.

use nmax_analysis::summary::Span;

use drawing::through;
pub use drawing::{Drawing, Shape};

mod bars;
mod drawing;
mod heat;
mod panels;
mod ratios;
mod scale;

pub use bars::{Bar, Bars};
pub use heat::HeatMap;
pub use panels::Key;
pub use panels::{Panel, compare, figure, panel, what_if};
pub(crate) use panels::{PanelChart, STYLE as PANEL_STYLE, compare_chart, fit_panels, sample_point, what_if_chart};
pub(crate) use ratios::{history, ratios};
pub use scale::{Scale, time_label, time_ticks};

/// Space around the plot, in the units of the picture.
const LEFT: f64 = 58.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 22.0;

/// A chart over the time of a run.
#[derive(Clone, Debug)]
pub struct Chart<'a> {
    /// Unique in the page.
    pub id: &'a str,
    /// What it shows.
    pub title: &'a str,
    /// What there is to see, for people who cannot.
    pub description: String,
    /// End of the time axis, seconds.
    pub end_s: f64,
    /// Stages, shaded where they do not count.
    pub stages: &'a [Span],
    /// Spans in which something was done to the system under test, seconds.
    pub marks: Vec<(f64, f64)>,
    /// Spans of which there are no values, seconds.
    pub gaps: &'a [(f64, f64)],
    /// Vertical axis.
    pub scale: Scale,
    /// Text of a tick of the vertical axis.
    pub label: fn(f64) -> String,
    /// Below the lines.
    pub heat: Option<HeatMap>,
    /// Drawn in this order.
    pub lines: Vec<Line>,
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

/// The inner rectangle with its axes.
struct Plot<'a> {
    chart: &'a Chart<'a>,
    width: f64,
}

impl Chart<'_> {
    /// The picture as SVG, `width` units wide.
    pub fn render(&self, width: f64) -> String {
        self.draw(width).svg()
    }

    /// The picture, `width` units wide.
    pub fn draw(&self, width: f64) -> Drawing {
        let plot = Plot { chart: self, width };
        let mut drawing = Drawing::begin((self.id, ""), (width, self.height), (self.title, &self.description));
        plot.stages(&mut drawing);
        plot.spans(&mut drawing, "gap", self.gaps);
        plot.spans(&mut drawing, "mark", &self.marks);
        plot.grid(&mut drawing);
        if let Some(heat) = &self.heat {
            heat.render(&mut drawing, (LEFT, TOP), (plot.right() - LEFT, plot.bottom() - TOP));
        }
        self.lines.iter().for_each(|line| plot.line(&mut drawing, line));
        drawing
    }
}

impl Plot<'_> {
    fn right(&self) -> f64 {
        self.width - RIGHT
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
        for span in self.chart.stages {
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

    fn line(&self, drawing: &mut Drawing, line: &Line) {
        let (mut path, mut area) = (String::new(), String::new());
        for run in line.points.split(|(_, value)| value.is_none()) {
            let points: Vec<_> = run.iter().filter_map(|(at, value)| Some((self.x(*at), self.y((*value)?)))).collect();
            let (Some(first), Some(last)) = (points.first(), points.last()) else {
                continue;
            };
            debug_assert!(last.0 >= first.0, "points are in the order of time");
            let dot = if points.len() == 1 { "h.1" } else { "" };
            let piece = through(points.iter().copied()) + dot;
            area += &format!("{piece}V{0:.1}H{1:.1}V{2:.1}Z", self.bottom(), first.0, first.1);
            path += &piece;
        }
        if line.area && !area.is_empty() {
            drawing.path(format_args!("area {}", line.class), area);
        }
        if !path.is_empty() {
            drawing.path(format_args!("line {}", line.class), path);
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
