//! Charts as inline SVG: lines, areas and the latency heat map on a time axis, and bars. Colors come from the page's style.

use std::fmt::Write;

use crate::markup::Escaped;
use nmax_analysis::summary::Span;

mod bars;
mod heat;
mod panels;
mod ratios;
mod scale;

pub use bars::{Bar, Bars};
pub use heat::HeatMap;
pub(crate) use panels::{
    Key, PanelChart, STYLE as PANEL_STYLE, compare_chart, fit_panels, sample_point, what_if_chart,
};
pub use panels::{Panel, compare, figure, panel, what_if};
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
    pub description: &'a str,
    /// End of the time axis, seconds.
    pub end_s: f64,
    /// Stages, shaded where they do not count.
    pub stages: &'a [Span],
    /// Spans in which something was done to the system under test, seconds.
    pub marks: &'a [(f64, f64)],
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
    /// The picture, `width` units wide.
    pub fn render(&self, width: f64) -> String {
        let plot = Plot { chart: self, width };
        let mut text = String::new();
        let (id, height) = (format!("{}-{width:.0}", self.id), self.height);
        text.push_str(&format!(
            "<svg class=\"w{width:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
             <title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>",
            Escaped(self.title),
            Escaped(self.description),
        ));
        plot.stages(&mut text);
        plot.spans(&mut text, "gap", self.gaps);
        plot.spans(&mut text, "mark", self.marks);
        plot.grid(&mut text);
        if let Some(heat) = &self.heat {
            heat.render(&mut text, (LEFT, TOP), (plot.right() - LEFT, plot.bottom() - TOP));
        }
        for line in &self.lines {
            plot.line(&mut text, line);
        }
        text.push_str("</svg>");
        text
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
    fn spans(&self, text: &mut String, class: &str, spans: &[(f64, f64)]) {
        for (start_s, end_s) in spans {
            let (x, end) = (self.x(*start_s), self.x(*end_s));
            let (width, height) = ((end - x).max(3.0), self.bottom() - TOP);
            add(
                text,
                format_args!(
                    "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
                ),
            );
        }
    }

    /// Shades what is left out of the statistics and names the stages that have room for their name.
    fn stages(&self, text: &mut String) {
        let bottom = self.bottom();
        for span in self.chart.stages {
            let (x, end) = (self.x(span.start_s), self.x(span.end_s));
            let width = end - x;
            if !span.counted {
                add(
                    text,
                    format_args!(
                        "<rect class=\"out\" x=\"{x:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{:.1}\"/>",
                        bottom - TOP
                    ),
                );
            } else {
                add(text, format_args!("<path class=\"hold\" d=\"M{x:.1} {TOP}H{end:.1}\"/>"));
            }
            if width > 7.0 * span.name.len() as f64 {
                add(
                    text,
                    format_args!(
                        "<text class=\"stage\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                        x + width / 2.0,
                        TOP - 7.0,
                        span.name
                    ),
                );
            }
        }
    }

    fn grid(&self, text: &mut String) {
        let (right, bottom) = (self.right(), self.bottom());
        for value in self.chart.scale.ticks() {
            let y = self.y(value);
            let label = trimmed(&(self.chart.label)(value));
            add(
                text,
                format_args!(
                    "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right:.1}\"/><text class=\"y\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                    LEFT - 7.0,
                    y + 3.5,
                    Escaped(&label)
                ),
            );
        }
        let ticks = ((right - LEFT) / 80.0).max(2.0) as usize;
        for seconds in time_ticks(self.chart.end_s, ticks) {
            let x = self.x(seconds);
            let label = time_label(seconds, self.chart.end_s);
            add(
                text,
                format_args!(
                    "<path class=\"tick\" d=\"M{x:.1} {bottom:.1}v4\"/><text class=\"x\" x=\"{x:.1}\" y=\"{:.1}\">{label}</text>",
                    bottom + 16.0
                ),
            );
        }
        add(text, format_args!("<path class=\"axis\" d=\"M{LEFT} {bottom:.1}H{right:.1}\"/>"));
    }

    fn line(&self, text: &mut String, line: &Line) {
        let (mut path, mut area) = (String::new(), String::new());
        for run in line.points.split(|(_, value)| value.is_none()) {
            let points: Vec<_> = run.iter().filter_map(|(at, value)| Some((self.x(*at), self.y((*value)?)))).collect();
            let (Some(first), Some(last)) = (points.first(), points.last()) else {
                continue;
            };
            let mut piece = String::new();
            for (index, (x, y)) in points.iter().enumerate() {
                add(&mut piece, format_args!("{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' }));
            }
            if points.len() == 1 {
                piece.push_str("h.1");
            }
            add(&mut area, format_args!("{piece}V{0:.1}H{1:.1}V{2:.1}Z", self.bottom(), first.0, first.1));
            debug_assert!(last.0 >= first.0, "points are in the order of time");
            path.push_str(&piece);
        }
        if line.area && !area.is_empty() {
            add(text, format_args!("<path class=\"area {}\" d=\"{area}\"/>", line.class));
        }
        if !path.is_empty() {
            add(text, format_args!("<path class=\"line {}\" d=\"{path}\"/>", line.class));
        }
    }
}

/// A round number without the zeros after its point: `10.0 ms` is `10 ms`.
fn trimmed(label: &str) -> String {
    let (number, unit) = label.split_once(' ').unwrap_or((label, ""));
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    format!("{number} {unit}").trim_end().to_owned()
}

fn add(text: &mut String, part: std::fmt::Arguments<'_>) {
    text.write_fmt(part).expect("a string takes all text");
}

#[cfg(test)]
mod tests;
