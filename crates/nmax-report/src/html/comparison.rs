//! The pages of a comparison and of a history. They load nothing.

use nmax_analysis::compare::{Origin, Said};

use super::{Page, open};
use crate::comparison::{
    ComparisonView, HistoryView, change, day, interval, origin, row_change, row_interval, symbol, value,
};
use crate::markup::Escaped;
use crate::number;
use crate::svg;

/// The page of a comparison.
pub fn comparison(view: &ComparisonView) -> String {
    let said = view.answer.said();
    let weak = if view.answer.is_weak() { ", weak" } else { "" };
    let word = format!("{}{weak}", view.word().to_uppercase());
    let mut page = Page::default();
    open(&mut page, &format!("{word}: before and after"), "");
    page.text("<header><h1>Before and after</h1>");
    for (word, side) in [("before", &view.before), ("after", &view.after)] {
        of_side(&mut page, word, side);
    }
    page.add(format_args!(
        "<section class=\"banner {}\" aria-label=\"Answer\"><strong>{} {word}</strong>{}",
        class(said),
        symbol(said),
        Escaped(&view.headline())
    ));
    if !view.caveats.is_empty() {
        page.text("<ul>");
        for caveat in &view.caveats {
            page.add(format_args!("<li class=\"warn\">{}</li>", Escaped(&caveat.text)));
        }
        page.text("</ul>");
    }
    page.text("</section></header>\n<main>\n");
    for rows in view.groups() {
        page.add(format_args!("<section><h2>{}</h2>", Escaped(&rows[0].request)));
        if let Some(picture) = svg::ratios(rows, view.answer.margin) {
            page.add(format_args!(
                "<figure><figcaption><p>After against before, with 95 % intervals; shaded: the margin.</p></figcaption>\
                 {picture}</figure>"
            ));
        }
        page.text(
            "<div class=\"scroll names\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">metric</th>\
             <th scope=\"col\">before</th><th scope=\"col\">after</th><th scope=\"col\">change</th>\
             <th scope=\"col\">95 % interval</th><th scope=\"col\">p</th><th scope=\"col\">p of all rows</th>\
             <th scope=\"col\" class=\"l\">answer</th></tr></thead><tbody>",
        );
        for row in rows {
            page.add(format_args!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>\
                 <td class=\"l\"><span class=\"{}\">{} {}</span>{}</td></tr>",
                row.metric.name(),
                value(row.metric, row.before),
                value(row.metric, row.after),
                row_change(row),
                row_interval(row),
                probability(row.p),
                probability(row.p_adjusted),
                class(row.said),
                symbol(row.said),
                row.said.name(),
                if row.is_weak { " <small>weak</small>" } else { "" }
            ));
        }
        page.text("</tbody></table></div></section>\n");
    }
    for text in view.missing().iter().chain(&view.method()) {
        page.add(format_args!("<p class=\"note\">{}</p>", Escaped(text)));
    }
    end(page, &view.nmax_version)
}

/// The page of a history.
pub fn history(view: &HistoryView) -> String {
    let mut page = Page::default();
    open(&mut page, &format!("{}: {}", view.headline(), view.title), "");
    let said = view.said();
    page.add(format_args!(
        "<header><h1>{}</h1><p class=\"meta\">{} of {}</p>\
         <section class=\"banner {}\" aria-label=\"Answer\"><strong>{} {}</strong><ul>",
        Escaped(&view.title),
        view.metric.name(),
        Escaped(&view.request),
        class(said),
        symbol(said),
        Escaped(&view.headline())
    ));
    for step in &view.history.steps {
        page.add(format_args!("<li>{} {}</li>", symbol(step.said), Escaped(&view.step(step))));
    }
    for note in &view.notes {
        page.add(format_args!("<li class=\"warn\">{}</li>", Escaped(note)));
    }
    page.add(format_args!(
        "</ul></section></header>\n<main>\n<figure><figcaption><p>One point for each run, oldest first; lines: medians \
         between changes.</p></figcaption>{}</figure>\n",
        svg::history(view)
    ));
    page.text(
        "<div class=\"scroll names\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">run</th>\
         <th scope=\"col\" class=\"l\">started</th><th scope=\"col\">figure</th><th scope=\"col\">change here</th>\
         <th scope=\"col\" class=\"l\">verdict</th><th scope=\"col\" class=\"l\">note</th></tr></thead><tbody>",
    );
    for (place, run) in view.runs.iter().enumerate() {
        let step = view.history.steps.iter().find(|step| step.at == place);
        let here = step.map_or_else(String::new, |step| {
            let (low, high) = step.interval;
            format!("{} {}", change(view.metric, step.change), interval(view.metric, low, high))
        });
        page.add(format_args!(
            "<tr><th scope=\"row\">{}</th><td class=\"l\">{}</td><td>{}</td><td>{here}</td><td class=\"l\">{}</td>\
             <td class=\"l w\">{}</td></tr>",
            Escaped(&run.id),
            Escaped(&day(&run.started_at)),
            value(view.metric, run.value),
            Escaped(&run.verdict.to_uppercase()),
            Escaped(&run.note)
        ));
    }
    page.text("</tbody></table></div>\n");
    end(page, &view.nmax_version)
}

fn of_side(page: &mut Page, word: &str, side: &[Origin]) {
    for one in side {
        page.add(format_args!("<p class=\"meta\">{word}: {}</p>", Escaped(&origin(one))));
    }
}

fn end(mut page: Page, nmax_version: &str) -> String {
    page.add(format_args!(
        "</main>\n<footer>nmax {}. The unit of replication is the run.</footer></body></html>\n",
        Escaped(nmax_version)
    ));
    page.text
}

const fn class(said: Said) -> &'static str {
    match said {
        Said::Worse => "fail",
        Said::Better | Said::Equivalent => "pass",
        Said::Changed | Said::Inconclusive => "invalid",
    }
}

fn probability(p: f64) -> String {
    match p {
        _ if !p.is_finite() => number::UNKNOWN.into(),
        _ if p < 0.000_1 => "&lt;0.0001".into(),
        _ => format!("{p:.4}"),
    }
}
