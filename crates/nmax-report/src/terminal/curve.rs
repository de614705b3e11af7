//! The curve in the terminal: points, law, band and peak, on axes with units.

mod canvas;

use nmax_usl::Analysis;

use crate::scalability::{FitView, Frame, Mark, Overlay, wording};
use crate::svg::Scale;
use crate::terminal::text::{Ink, Painted, left, right, shorten, shown, width, wrap};
use crate::terminal::{Style, WIDTH_MIN};
use canvas::Canvas;

/// Rows of the inner rectangle.
const ROWS: usize = 15;

/// With which characters charts are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Glyphs {
    /// Braille, blocks and Greek letters.
    #[default]
    Unicode,
    /// For terminals without UTF-8: ASCII only, also in the text around.
    Ascii,
}

impl Glyphs {
    fn pick(self, unicode: char, ascii: char) -> char {
        match self {
            Self::Unicode => unicode,
            Self::Ascii => ascii,
        }
    }

    /// Bars, the lowest first.
    pub(crate) const fn heights(self) -> [char; 8] {
        match self {
            Self::Unicode => ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
            Self::Ascii => ['.', ':', '-', '=', '+', '*', '%', '#'],
        }
    }

    /// A cell of a curve.
    pub(super) fn curve(self, number: usize, dots: u8) -> char {
        let braille = char::from_u32(0x2800 + u32::from(dots)).unwrap_or('.');
        self.pick(braille, ['.', '~', '-', '=', '+', '\''][number % 6])
    }

    pub(super) fn shade(self) -> char {
        self.pick('░', ':')
    }

    /// Characters of points, one per version.
    fn point(self, number: usize) -> char {
        self.pick(['●', '○', '◆', '◇', '■', '□'][number % 6], ['o', 'x', '#', '@', '%', '&'][number % 6])
    }

    /// The text as it may be printed: in ASCII every other character has a stand-in of one column.
    pub fn plain(self, text: &Painted) -> Painted {
        match self {
            Self::Unicode => text.clone(),
            Self::Ascii => text.mapped(ascii),
        }
    }
}

/// A stand-in of one column.
fn ascii(c: char) -> char {
    match c {
        _ if c.is_ascii() => c,
        'α' => 'a',
        'β' => 'b',
        'γ' => 'g',
        '−' | '–' | '—' | '─' => '-',
        '×' => 'x',
        '≤' => '<',
        '≥' => '>',
        '²' => '2',
        '⁶' => '6',
        'µ' => 'u',
        '·' => '.',
        '…' | '≈' => '~',
        '≠' => '#',
        '»' => '>',
        '✓' => '+',
        '✗' => 'x',
        '│' | '┤' => '|',
        '┼' | '┬' => '+',
        '“' | '”' => '"',
        '‘' | '’' => '\'',
        _ => '?',
    }
}

/// A campaign in progress.
#[derive(Clone, Copy, Debug)]
pub struct LiveScale<'a> {
    /// N and X of the levels so far.
    pub points: &'a [(f64, f64)],
    /// The law so far, if there is one.
    pub analysis: Option<&'a Analysis>,
    /// What N counts, in words.
    pub n_label: &'a str,
    /// Unit of X.
    pub x_unit: &'a str,
    /// Rows of the inner rectangle.
    pub rows: usize,
}

/// The curve so far: always `rows` + 5 lines, none wider than `style.width`; none at all below [`WIDTH_MIN`].
pub fn live_curve(live: &LiveScale<'_>, style: Style, glyphs: Glyphs) -> Vec<Painted> {
    if style.width < WIDTH_MIN {
        return Vec::new();
    }
    let (columns, rows) = (style.width, live.rows.max(4));
    let marks = live.points.iter().map(|(n, x)| Mark { n: *n, x: *x, zone: None });
    let frame = Frame::from_points(marks.collect(), live.analysis);
    let mut lines = match &frame {
        Some(frame) => {
            let labels = (live.n_label, live.x_unit);
            let mut lines = of_frame(frame, labels, (columns, rows), style.color, glyphs);
            lines.push(shorten(&legend(frame, glyphs).join("   "), columns).into());
            lines
        }
        None => vec!["nothing measured yet".into()],
    };
    lines.resize(rows + 5, Painted::default());
    lines.iter().map(|line| glyphs.plain(line)).collect()
}

/// The chart of a fit with its legend.
pub(super) fn of_fit(view: &FitView, columns: usize, color: bool, glyphs: Glyphs) -> Vec<Painted> {
    let Some(frame) = Frame::new(&view.analysis) else {
        return vec!["nothing to draw: no usable points".into()];
    };
    let labels = (view.n_label(), view.x_unit());
    let mut lines = of_frame(&frame, labels, (columns, ROWS), color, glyphs);
    lines.extend(wrap_entries(&legend(&frame, glyphs), columns).into_iter().map(Painted::from));
    lines
}

/// Axes, curves and points.
fn of_frame(frame: &Frame, labels: (&str, &str), size: (usize, usize), color: bool, glyphs: Glyphs) -> Vec<Painted> {
    let axes = Axes::new(frame.n, frame.x, size);
    let mut canvas = axes.canvas(glyphs);
    canvas.band(&frame.band);
    if let Some((_, leader)) = &frame.leader {
        canvas.curve(leader, 1, Ink::Warning, 3);
    }
    canvas.curve(&frame.law, 0, Ink::Accent, 1);
    if let Some((n, x)) = &frame.peak {
        canvas.stem(n.estimate, x.estimate, glyphs.pick('┊', '|'), Ink::Good);
    }
    for mark in &frame.points {
        canvas.point(mark.n, mark.x, glyphs.point(0), Ink::Bold);
    }
    axes.render(&canvas, axes.titles(labels), color)
}

fn legend(frame: &Frame, glyphs: Glyphs) -> Vec<String> {
    let mut entries = vec![format!("{} measured", glyphs.point(0))];
    if !frame.law.is_empty() {
        entries.push(format!("{} law", glyphs.curve(0, 0x12)));
    }
    if !frame.band.is_empty() {
        entries.push(format!("{} 95 % band of the law", glyphs.shade()));
    }
    if let Some((model, _)) = &frame.leader {
        entries.push(format!("{} {}, which leads", glyphs.curve(1, 0x02), model.name()));
    }
    if let Some((n, _)) = &frame.peak {
        entries.push(format!("{} peak, N = {}", glyphs.pick('┊', '|'), wording::both(n)));
    }
    entries
}

/// Several curves with their points, and a band between two of them.
pub(super) fn of_overlay(
    overlay: &Overlay,
    labels: (&str, &str),
    columns: usize,
    color: bool,
    glyphs: Glyphs,
) -> Vec<Painted> {
    const INKS: [Ink; 4] = [Ink::Accent, Ink::Warning, Ink::Good, Ink::Bad];
    let axes = Axes::new(overlay.n, overlay.x, (columns, ROWS));
    let mut canvas = axes.canvas(glyphs);
    canvas.band(&overlay.band);
    for (number, series) in overlay.series.iter().enumerate() {
        canvas.curve(&series.curve, number, INKS[number % 4], 1);
    }
    for (number, series) in overlay.series.iter().enumerate() {
        let ink = INKS[number % 4];
        for (n, x) in &series.points {
            canvas.point(*n, *x, glyphs.point(number), ink);
        }
        // A curve without points carries its number here and there, so that it is known without color.
        if series.points.is_empty() {
            let offset = 8 + 5 * (number % 4);
            for (n, x) in series.curve.iter().skip(offset).step_by(28) {
                canvas.point(*n, *x, digit(number), ink);
            }
        }
    }
    let own = || (shown(labels.0).into_owned(), labels.1.to_owned());
    let titles = if overlay.has_own_axes { own() } else { axes.titles(labels) };
    let mut lines = axes.render(&canvas, titles, color);
    let name = |(number, series): (usize, &crate::scalability::Series)| {
        let mark = if series.points.is_empty() { digit(number) } else { glyphs.point(number) };
        format!("{mark} {}", shorten(&series.name, 40))
    };
    let mut entries: Vec<_> = overlay.series.iter().enumerate().map(name).collect();
    if !overlay.band.is_empty() {
        entries.push(format!("{} {}", glyphs.shade(), overlay.band_name));
    }
    lines.extend(wrap_entries(&entries, columns).into_iter().map(Painted::from));
    lines
}

/// The number of a curve, from 0.
fn digit(number: usize) -> char {
    char::from_digit(number as u32 % 10, 10).unwrap_or('0')
}

/// Entries side by side, never broken when they fit a line.
fn wrap_entries(entries: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for entry in entries {
        match lines.last_mut() {
            Some(line) if width(line) + 3 + width(entry) <= columns => {
                line.push_str("   ");
                line.push_str(entry);
            }
            _ => lines.extend(wrap(entry, columns)),
        }
    }
    lines
}

/// The frame around the inner rectangle.
struct Axes {
    n: Scale,
    x_max: f64,
    /// Ticks of the vertical axis with their labels.
    ticks: Vec<(f64, String)>,
    margin: usize,
    columns: usize,
    rows: usize,
}

impl Axes {
    fn new(n: Scale, x: Scale, (columns, rows): (usize, usize)) -> Self {
        let x_max = match x {
            Scale::Linear { max } => max,
            Scale::Log { high, .. } => high,
        };
        let ticks: Vec<_> = x.ticks().into_iter().map(|tick| (tick, wording::tick(tick))).collect();
        let margin = ticks.iter().map(|(_, label)| width(label)).max().unwrap_or(1) + 2;
        Self { n, x_max, ticks, margin, columns: columns.saturating_sub(margin + 1).max(20), rows }
    }

    fn canvas(&self, glyphs: Glyphs) -> Canvas {
        Canvas::new(self.n, self.x_max, self.columns, self.rows, glyphs)
    }

    /// Titles of the axes of N and of X.
    fn titles(&self, (n_label, x_unit): (&str, &str)) -> (String, String) {
        let n = wording::n_axis(&shown(n_label), matches!(self.n, Scale::Log { .. }));
        (n, format!("X, {x_unit}"))
    }

    /// Title of the vertical axis, rows, horizontal axis, its labels with its title.
    fn render(&self, canvas: &Canvas, (title, x_title): (String, String), color: bool) -> Vec<Painted> {
        let whole = self.margin + 1 + self.columns;
        let dim = |text: &str| Painted::inked(text, Ink::Dim, color);
        let mut lines = vec![dim(&shorten(&x_title, whole))];
        for row in 0..self.rows {
            let label = self.ticks.iter().rev().find(|(tick, _)| canvas.row(*tick) == row);
            let (label, edge) = label.map_or(("", '│'), |(_, label)| (label.as_str(), '┤'));
            let lead = dim(&format!("{} {edge}", right(label, self.margin - 1)));
            lines.push(lead + canvas.line(row, color));
        }
        let (line, labels) = self.horizontal(canvas);
        lines.push(dim(&line));
        let room = whole.saturating_sub(width(&labels) + 2);
        if width(&title) <= room {
            lines.push(dim(&format!("{labels}{}", right(&title, whole - width(&labels)))));
        } else {
            lines.push(dim(&labels));
            lines.push(dim(&right(&shorten(&title, whole), whole)));
        }
        lines
    }

    /// The axis, and the labels below it as far as they have room.
    fn horizontal(&self, canvas: &Canvas) -> (String, String) {
        let mut axis: Vec<char> = vec!['─'; self.columns];
        let mut labels = String::new();
        let title_room = 14;
        for tick in self.n.ticks() {
            let column = canvas.column(tick).min(self.columns - 1);
            let label = wording::tick(tick);
            let at = (self.margin + 1 + column).saturating_sub(width(&label) / 2);
            let is_last = at + width(&label) + title_room > self.margin + 1 + self.columns;
            if (!labels.is_empty() && at < width(&labels) + 2) || is_last {
                continue;
            }
            axis[column] = '┬';
            labels = left(&labels, at) + &label;
        }
        let line = format!("{}┼{}", " ".repeat(self.margin), axis.into_iter().collect::<String>());
        (line, labels)
    }
}
