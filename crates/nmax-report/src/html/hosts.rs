//! Hosts and services on the time axis of the load.

use super::Page;
use super::charts::{self, WIDTHS};
use crate::markup::{Escaped, clip};
use crate::number::{self, unit_label as label};
use crate::svg::{Chart, Line, Scale};
use crate::view::View;
use nmax_analysis::Event;
use nmax_analysis::summary::{FigureRow, HostView, Panel};

/// Most characters of a name.
const NAME_MAX: usize = 80;
/// Most characters of a sentence.
const TEXT_MAX: usize = 500;
/// Height of a picture.
const HEIGHT: f64 = 150.0;
/// Colors and dashes of lines, in order.
const CLASSES: [&str; 8] = ["c1", "c2", "c3 dash", "c4", "c5 dash", "ci dash thin", "c1 dot", "c2 dot"];

pub(super) fn write(page: &mut Page, view: &View) {
    for (number, host) in view.summary.hosts.iter().enumerate() {
        page.add(format_args!("<h2>Host {}</h2>\n", Escaped(&clip(&host.name, NAME_MAX))));
        for log in view.summary.log_errors.iter().filter(|log| log.host == host.name) {
            let text = format!("{}: {} (phase {})", log.source, log.text(), view.summary.phase.name);
            page.add(format_args!("<p>{}.</p>", Escaped(&clip(&text, TEXT_MAX))));
        }
        let clock = clock(view, host);
        for (index, panel) in host.panels.iter().enumerate() {
            figure(page, view, &format!("h{number}-{index}"), panel, &clock);
        }
        table(page, view, host);
    }
}

/// When the clock of the host was found to be off.
fn clock(view: &View, host: &HostView) -> Vec<(f64, f64)> {
    let of_clock = format!(" on {}: ", host.name);
    let is_of_clock = |event: &&Event| event.code == "CLOCK_OFFSET" && event.text.contains(&of_clock);
    let off = view.summary.events.iter().filter(is_of_clock);
    off.map(|event| (event.at_s, event.at_s)).collect()
}

fn figure(page: &mut Page, view: &View, id: &str, panel: &Panel, clock: &[(f64, f64)]) {
    let done = charts::marks(view);
    let label = label(&panel.unit);
    let values = panel.lines.iter().flat_map(|line| line.points.iter().filter_map(|(_, value)| *value));
    let scale = match Scale::linear(values.clone()) {
        // Shares end at all of it.
        Scale::Linear { max } if panel.unit == "ratio" && max > 1.0 && values.clone().all(|value| value <= 1.0) => {
            Scale::Linear { max: 1.0 }
        }
        scale => scale,
    };
    let ranges: Vec<String> = panel
        .lines
        .iter()
        .map(|line| {
            let values = line.points.iter().filter_map(|(_, value)| *value);
            let (low, high) =
                values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
            if low > high {
                format!("{}: no readings", line.name)
            } else {
                format!("{} from {} to {}", line.name, label(low), label(high))
            }
        })
        .collect();
    let description = format!("{}.", ranges.join("; "));
    let lines =
        panel.lines.iter().zip(CLASSES).map(|(line, class)| Line { class, area: false, points: line.points.clone() });
    let chart = Chart {
        id,
        title: &panel.title,
        description: &description,
        end_s: view.summary.duration_s,
        stages: &view.summary.stages,
        marks: &[done.as_slice(), clock].concat(),
        gaps: &panel.gaps,
        scale,
        label,
        heat: None,
        lines: lines.collect(),
        height: HEIGHT,
    };
    page.add(format_args!("<figure><figcaption><h3>{}</h3>", Escaped(&clip(&panel.title, NAME_MAX))));
    legend(page, panel, (&done, clock));
    page.text("</figcaption>");
    for width in WIDTHS {
        page.add(format_args!("{}", chart.render(width)));
    }
    page.text("</figure>\n");
}

/// Begin and end, s.
type Span = (f64, f64);

/// What lines and shades are, with the spans in which something was done to the system, and at which its clock was off.
fn legend(page: &mut Page, panel: &Panel, (done, clock): (&[Span], &[Span])) {
    page.text("<ul class=\"legend\">");
    for (line, class) in panel.lines.iter().zip(CLASSES) {
        page.add(format_args!(
            "<li><svg viewBox=\"0 0 26 9\" aria-hidden=\"true\"><path class=\"line {class}\" d=\"M1 4.5H25\"/></svg>{}</li>",
            Escaped(&clip(&line.name, NAME_MAX))
        ));
    }
    let marks = match (done, clock) {
        ([], []) => None,
        (_, []) => Some("intervention"),
        ([], _) => Some("clock found off"),
        _ => Some("intervention, or clock found off"),
    };
    let gaps = (!panel.gaps.is_empty()).then_some("no readings");
    for (class, name) in [("mark", marks), ("gap", gaps)] {
        if let Some(name) = name {
            page.add(format_args!(
                "<li><svg viewBox=\"0 0 26 9\" aria-hidden=\"true\"><rect class=\"{class}\" width=\"26\" height=\"9\"/></svg>{name}</li>"
            ));
        }
    }
    page.text("</ul>");
}

fn table(page: &mut Page, view: &View, host: &HostView) {
    page.add(format_args!(
        "<details><summary>All figures of {} (phase {})</summary><div class=\"scroll\" tabindex=\"0\"><table><thead><tr>\
         <th scope=\"col\" class=\"l\">source</th><th scope=\"col\" class=\"l\">figure</th><th scope=\"col\">mean</th>\
         <th scope=\"col\">most</th><th scope=\"col\">read</th></tr></thead><tbody>",
        Escaped(&clip(&host.name, NAME_MAX)),
        view.summary.phase.name
    ));
    for row in &host.figures {
        let value =
            |value: Option<f64>| value.map_or_else(|| number::UNKNOWN.to_owned(), |value| figure_text(value, row));
        page.add(format_args!(
            "<tr><th scope=\"row\">{}</th><td class=\"l\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            Escaped(&clip(&row.source, NAME_MAX)),
            Escaped(&clip(&row.metric, NAME_MAX)),
            value(row.mean),
            value(row.max),
            number::share(row.covered)
        ));
    }
    page.text("</tbody></table></div></details>");
    if host.left_out > 0 {
        page.add(format_args!(
            "<p class=\"note\">{} more figures are in resources.jsonl.</p>",
            number::count(host.left_out as u64)
        ));
    }
    page.text("\n");
}

fn figure_text(value: f64, row: &FigureRow) -> String {
    label(&row.unit)(value)
}
