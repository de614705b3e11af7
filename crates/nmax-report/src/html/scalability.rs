//! Pages of fits, campaigns, comparisons and assumptions: the answer, the pictures, then the numbers behind them.

use nmax_usl::{Analysis, Effect};

use super::page::Html;
use super::{end, open};
use crate::markup::Escaped;
use crate::number;
use crate::scalability::{CompareView, FitView, PER_S, ScaleView, WhatIfView, wording};
use crate::svg::{self, Key, PanelChart};

mod tables;

const FOOTER: &str = "X(N) = γN / (1 + α(N−1) + βN(N−1)). Intervals are 95 %. Nothing is drawn or said beyond twice the \
                      largest N measured.";

/// The page of a fit. It loads nothing.
pub fn fit(view: &FitView) -> String {
    let mut page = begin(&view.title, &[&view.subtitle]);
    answer(&mut page, view, "", None);
    page.text("</header>\n<main>\n");
    of_fit(&mut page, view, "");
    end(page, &view.nmax_version, FOOTER)
}

/// The page of a campaign. It loads nothing.
pub fn scale(view: &ScaleView) -> String {
    let info = &view.info;
    let target = labelled("target", &info.target);
    let (started, run) = (labelled("started", &number::instant(&info.started_at)), labelled("run", &info.id));
    let mut page = begin(&view.fit.title, &[&view.fit.subtitle, &target, &started, &run]);
    if view.versions.is_empty() {
        answer(&mut page, &view.fit, "", Some(view));
        page.text("</header>\n<main>\n");
        of_fit(&mut page, &view.fit, "");
        tables::knobs(&mut page, view);
    } else {
        grid(&mut page, view);
    }
    tables::levels(&mut page, view);
    tables::origin(&mut page, view);
    end(page, &view.fit.nmax_version, FOOTER)
}

/// The page of a comparison. It loads nothing.
pub fn compare(view: &CompareView) -> String {
    let mut page = begin(&view.title, &[]);
    page.text("<section class=\"banner\" aria-label=\"What changed\"><strong>What changed</strong>");
    page.list(view.differences.iter().map(|difference| &difference.text));
    page.text("</section></header>\n<main>\n<h2>Curves</h2>\n");
    if let Some(chart) = svg::compare_chart(view) {
        figure(&mut page, &chart, &WIDE);
    }
    page.text("<h2>Coefficients</h2>\n");
    tables::versions(&mut page, &view.versions, PER_S);
    for version in &view.versions {
        page.heading(2, &version.name);
        tables::findings(&mut page, &version.analysis, &version.name);
        tables::points(&mut page, &version.analysis, PER_S);
    }
    end(page, &view.nmax_version, FOOTER)
}

/// The page of assumptions. It loads nothing.
pub fn what_if(view: &WhatIfView) -> String {
    let mut page = begin(&view.title, &["What if: what is marked assumed was never measured"]);
    page.text("</header>\n<main>\n<h2>Curves</h2>\n");
    figure(&mut page, &svg::what_if_chart(view), &WIDE);
    page.text("<h2>Coefficients</h2>\n");
    tables::laws(&mut page, view);
    page.text("<h2>Throughput</h2>\n");
    tables::assumed(&mut page, view);
    if !view.notes.is_empty() {
        page.heading(2, "To be kept in mind");
        page.list(&view.notes);
    }
    end(page, &view.nmax_version, FOOTER)
}

fn labelled(word: &str, value: &str) -> String {
    if value.is_empty() { String::new() } else { format!("{word} {value}") }
}

/// Head and title; the header is left open.
fn begin(title: &str, about: &[&str]) -> Html {
    let style = format!("{}{}", svg::PANEL_STYLE, include_str!("scalability.css"));
    let mut page = open(title, &style);
    page.add(format_args!("<header><h1>{}</h1><p class=\"meta\">", Escaped(title)));
    let about: Vec<_> = about.iter().filter(|part| !part.is_empty()).map(|part| Escaped(part).to_string()).collect();
    page.add(format_args!("{}</p>", about.join(" · ")));
    page
}

/// The answer of a campaign with a second axis: the largest of all, then every value with a law of its own.
fn grid(page: &mut Html, view: &ScaleView) {
    page.text("<section class=\"banner plain\" aria-label=\"All settings\"><strong>All settings</strong>");
    if let Some(sentence) = wording::all_settings(view) {
        page.sentence(&sentence);
    }
    of_campaign(page, view);
    page.text("</section></header>\n<main>\n");
    tables::knobs(page, view);
    page.heading(2, "Laws of the second axis");
    tables::versions(page, &view.versions, view.fit.x_unit());
    for (name, fit) in view.laws() {
        page.heading(2, name);
        answer(page, &fit, name, None);
        of_fit(page, &fit, name);
    }
}

/// Three sentences, and the key figures.
///
/// - `of`: the setting that they are about, or empty
fn answer(page: &mut Html, view: &FitView, of: &str, campaign: Option<&ScaleView>) {
    let analysis = &view.analysis;
    let blocked = analysis.findings.iter().any(|finding| finding.effect == Effect::Block);
    let (class, symbol) = if blocked || analysis.fit.is_none() { ("invalid", "!") } else { ("pass", "✓") };
    page.add(format_args!(
        "<section class=\"banner {class}\" aria-label=\"{}\"><strong>{symbol} {}</strong>",
        Escaped(&wording::heading("Meaning", of)),
        Escaped(&wording::heading(&analysis.headline.text, of))
    ));
    campaign.and_then(wording::full).iter().for_each(|full| page.sentence(full));
    page.sentence(&analysis.headline.advice);
    wording::meaning(analysis, of).iter().for_each(|sentence| page.sentence(sentence));
    if let Some(view) = campaign {
        of_campaign(page, view);
    }
    page.text("</section>");
    keys(page, view);
}

/// The objective, how it ended, and notes.
fn of_campaign(page: &mut Html, view: &ScaleView) {
    if let Some(found) = &view.find {
        page.add(format_args!("<p><b>{}</b>: {}</p>", Escaped(&found.objective), Escaped(&found.text)));
    }
    if !view.stopped.is_empty() {
        page.note(&format!("Stopped: {}", view.stopped));
    }
    view.notes.iter().for_each(|note| page.note(&format!("! {note}")));
}

fn keys(page: &mut Html, view: &FitView) {
    let (analysis, unit) = (&view.analysis, view.x_unit());
    let unknown = || (crate::number::UNKNOWN.to_owned(), "no fit".to_owned());
    let of =
        |of: Option<nmax_usl::Estimate>| of.map_or_else(unknown, |of| (wording::value(&of), wording::interval(&of)));
    let fit = analysis.fit.as_ref();
    let refused = || (crate::number::UNKNOWN.to_owned(), "refused, see conditions".to_owned());
    let peak =
        |of: Option<nmax_usl::Estimate>| of.map_or_else(refused, |of| (wording::value(&of), wording::interval(&of)));
    let best = analysis
        .best
        .map_or_else(unknown, |(n, x)| (wording::plain(x), format!("{unit} at N = {}", wording::plain(n))));
    let figures = [
        ("Largest throughput measured", best),
        ("Peak of the law, N", peak(analysis.peak.as_ref().map(|peak| peak.concurrency))),
        ("Peak of the law, X", peak(analysis.peak.as_ref().map(|peak| peak.throughput))),
        ("Class", (wording::class(analysis.class).to_owned(), "A to D, by the intervals of α and β".to_owned())),
        ("Contention α", of(fit.map(|fit| fit.contention))),
        ("Coherency β", of(fit.map(|fit| fit.coherency))),
        ("Unit throughput γ", of(fit.map(|fit| fit.unit_throughput))),
        ("R²", fit.map_or_else(unknown, |fit| (wording::plain(fit.r_squared), "shown, decides nothing".to_owned()))),
    ];
    page.keys(figures.map(|(name, (value, below))| (name, value, below)));
}

/// Pictures and tables of a fit.
///
/// - `of`: the setting that they are about, or empty
fn of_fit(page: &mut Html, view: &FitView, of: &str) {
    let analysis = &view.analysis;
    heading(page, "Curves", of);
    let mut charts = svg::fit_panels(view);
    for (_, chart) in &mut charts {
        // Several laws on a page have several charts of a kind.
        chart.id.push_str(&suffix(of));
    }
    if charts.is_empty() {
        page.sentence("No usable points: nothing to draw.");
    } else {
        page.text("<div class=\"two\">");
        for (_, chart) in &charts {
            figure(page, chart, &HALF);
        }
        page.text("</div>\n");
    }
    law(page, analysis, view.x_unit(), of);
    tables::findings(page, analysis, of);
    // Without a fit there is nothing that a condition or a model could be held against.
    if analysis.fit.is_some() {
        tables::gate(page, analysis, of);
    }
    tables::ladder(page, analysis, of);
    heading(page, "Points", of);
    tables::points(page, analysis, view.x_unit());
}

/// A heading; `of` is the setting that it is about, or empty.
fn heading(page: &mut Html, text: &str, of: &str) {
    page.heading(2, &wording::heading(text, of));
}

/// What makes an id of a setting's chart its own: the bytes of the setting, since ids bear few characters.
fn suffix(of: &str) -> String {
    of.bytes().map(|byte| format!("-{byte:x}")).collect()
}

fn law(page: &mut Html, analysis: &Analysis, unit: &str, of: &str) {
    heading(page, "Law", of);
    let mut lines = wording::legend(analysis, unit);
    let with_unit = |roof| format!("roof γ/α = {} {unit}, the most without coherency", wording::both(roof));
    lines.extend(analysis.roof.as_ref().map(with_unit));
    let meets = |optimum| format!("1/α = {}: where the straight line meets the roof", wording::both(optimum));
    lines.extend(analysis.optimum.as_ref().map(meets));
    lines.extend(analysis.ceiling.as_ref().map(|ceiling| ceiling.text.clone()));
    lines.push(format!("class {}", wording::class_text(analysis)));
    page.list(lines);
}

/// Sizes of the drawings of a chart: for wide and for narrow screens.
type Sizes = [(f64, f64); 2];
const HALF: Sizes = [(520.0, 350.0), (380.0, 310.0)];
const WIDE: Sizes = [(1040.0, 460.0), (380.0, 310.0)];

fn figure(page: &mut Html, chart: &PanelChart, sizes: &Sizes) {
    page.text("<figure>");
    for (width, height) in sizes {
        page.add(format_args!("{}", chart.render(*width, *height)));
    }
    page.text("<figcaption><ul class=\"legend\">");
    for entry in &chart.legend {
        page.add(format_args!("<li>{}{}</li>", sample(entry.key), Escaped(&entry.text)));
    }
    page.text("</ul></figcaption></figure>\n");
}

fn sample(key: Key) -> String {
    let inner = match key {
        Key::Curve(class) => format!("<path class=\"line {class}\" d=\"M1 5.5H25\"/>"),
        Key::Area(class) => format!("<rect class=\"fill {class}\" width=\"26\" height=\"11\"/>"),
        Key::Dot(class, shape) => svg::sample_point(class, shape),
        Key::None => return String::new(),
    };
    format!("<svg class=\"usl\" viewBox=\"0 0 26 11\" aria-hidden=\"true\">{inner}</svg>")
}
