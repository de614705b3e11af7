//! Pictures that stand alone: title, charts, legend, and a style of their own.

use super::{
    CHARACTER, Entry, Key, Panel, PanelChart, STYLE, compare_chart, fit_panels, legend, what_if_chart, wrapped,
};
use crate::markup::{Escaped, clip};
use crate::scalability::{CompareView, FitView, PER_S, WhatIfView, wording};
use crate::svg::drawing::Drawing;

/// Colors by the names of the page's variables: light, dark.
const COLORS: [(&str, &str, &str); 10] = [
    ("card", "#fff", "#171e26"),
    ("ink", "#16202c", "#e5ebf2"),
    ("soft", "#586675", "#9aa8b7"),
    ("line", "#dde2e8", "#2b3541"),
    ("c1", "#0b5cad", "#6cb2ff"),
    ("c2", "#c2460a", "#ff9a5c"),
    ("c3", "#00796b", "#4fd1b8"),
    ("c4", "#8a3ba8", "#d59bf0"),
    ("c5", "#6b7785", "#93a1b0"),
    ("pass", "#0a6b4a", "#6fdcae"),
];

/// Style of a picture that stands alone: with literal colors, since not every viewer knows variables.
fn style_alone() -> String {
    let with = |sheet: &str, pick: fn(&(&'static str, &'static str, &'static str)) -> &'static str| {
        let all = COLORS.iter();
        all.fold(sheet.to_owned(), |sheet, color| sheet.replace(&format!("var(--{})", color.0), pick(color)))
    };
    let colored: Vec<_> = STYLE.lines().filter(|rule| rule.contains("var(")).collect();
    let dark = with(&colored.join("\n"), |color| color.2);
    format!("{}@media (prefers-color-scheme:dark){{{dark}}}", with(STYLE, |color| color.1))
}

/// Size of a panel of a figure that stands alone.
const WIDE: f64 = 530.0;
const HIGH: f64 = 350.0;

/// The four panels of a fit as one picture that stands alone.
pub fn figure(view: &FitView) -> String {
    let charts = fit_panels(view);
    let about = (view.title.as_str(), view.subtitle.as_str());
    let mut entries = samples(&charts);
    entries.extend(sentences(view));
    standalone(about, &charts, 2, &entries)
}

/// One panel of a fit as a picture that stands alone.
pub fn panel(view: &FitView, which: Panel) -> String {
    let charts: Vec<_> = fit_panels(view).into_iter().filter(|(panel, _)| *panel == which).collect();
    let mut entries = samples(&charts);
    if matches!(which, Panel::Zones | Panel::Band) {
        entries.extend(sentences(view));
    }
    standalone((&view.title, &view.subtitle), &charts, 1, &entries)
}

/// Versions, as a picture that stands alone.
pub fn compare(view: &CompareView) -> String {
    let charts: Vec<_> = compare_chart(view, PER_S).into_iter().map(|chart| (Panel::Band, chart)).collect();
    let mut entries = samples(&charts);
    entries.extend(view.differences.iter().map(|difference| plain(difference.text.clone())));
    standalone((&view.title, ""), &charts, 1, &entries)
}

/// Assumptions, as a picture that stands alone.
pub fn what_if(view: &WhatIfView) -> String {
    let charts = [(Panel::Band, what_if_chart(view))];
    let mut entries = samples(&charts);
    entries.extend(view.notes.iter().map(|note| plain(note.clone())));
    standalone((&view.title, "What if"), &charts, 1, &entries)
}

/// What the classes of the charts mean, each once.
fn samples(charts: &[(Panel, PanelChart)]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for entry in charts.iter().flat_map(|(_, chart)| &chart.legend) {
        if !entries.contains(entry) {
            entries.push(entry.clone());
        }
    }
    entries
}

fn plain(text: String) -> Entry {
    Entry { key: Key::None, text }
}

/// Coefficients, R², peaks.
fn sentences(view: &FitView) -> Vec<Entry> {
    wording::legend(&view.analysis, view.x_unit()).into_iter().map(plain).collect()
}

/// A picture with title, charts in columns and legend, with its own style.
fn standalone(
    (title, subtitle): (&str, &str),
    charts: &[(Panel, PanelChart)],
    columns: usize,
    entries: &[Entry],
) -> String {
    const EDGE: f64 = 16.0;
    let columns = columns.min(charts.len().max(1));
    let (wide, high) = if columns == 1 { (780.0, 440.0) } else { (WIDE, HIGH) };
    let width = 2.0 * EDGE + wide * columns as f64;
    let (mut body, x, mut y) = (Drawing::default(), EDGE + 8.0, 34.0);
    body.word("t", (x, y), &clip(title, (width / 10.5) as usize));
    for line in wrapped(subtitle, ((width - 48.0) / CHARACTER) as usize).iter().filter(|line| !line.is_empty()) {
        y += 18.0;
        body.word("k", (x, y), line);
    }
    y += 16.0;
    if charts.is_empty() {
        body.word("k", (x, y + 20.0), "No usable points: nothing to draw.");
        y += 40.0;
    }
    for row in charts.chunks(columns) {
        for (index, (_, chart)) in row.iter().enumerate() {
            chart.draw(&mut body, (EDGE + wide * index as f64, y), (wide, high));
        }
        y += high;
    }
    y += 24.0;
    y += legend(&mut body, entries, (x, y), width - 2.0 * EDGE - 16.0) + 8.0;
    let descriptions: Vec<_> = charts.iter().map(|(_, chart)| chart.description.as_str()).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"usl\" width=\"{width:.0}\" height=\"{y:.0}\" \
         viewBox=\"0 0 {width:.0} {y:.0}\" role=\"img\" aria-labelledby=\"t d\"><title id=\"t\">{}</title>\
         <desc id=\"d\">{}</desc><style>{}</style><rect class=\"paper\" width=\"{width:.0}\" height=\"{y:.0}\"/>\
         {}</svg>\n",
        Escaped(title),
        Escaped(&descriptions.join(" ")),
        style_alone(),
        body.svg()
    )
}
