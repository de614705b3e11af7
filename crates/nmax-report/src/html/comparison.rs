//! The pages of a comparison and of a history. They load nothing.

use nmax_analysis::compare::Conclusion;

use super::{end, open, warning};
use crate::comparison::{
    ComparisonView, HistoryView, change, day, interval, origin, row_change, row_interval, symbol, value,
};
use crate::markup::Escaped;
use crate::number;
use crate::svg;
use crate::tables::{Cell, Emphasis, Table};

const FOOTER: &str = "The unit of replication is the run.";

/// The page of a comparison.
pub fn comparison(view: &ComparisonView) -> String {
    let said = view.answer.conclusion();
    let weak = if view.answer.is_weak() { ", weak" } else { "" };
    let word = format!("{}{weak}", view.word().to_uppercase());
    let mut page = open(&format!("{word}: before and after"), "");
    page.text("<header><h1>Before and after</h1>");
    for (word, side) in [("before", &view.before), ("after", &view.after)] {
        for one in side {
            page.add(format_args!("<p class=\"meta\">{word}: {}</p>", Escaped(&origin(one))));
        }
    }
    page.add(format_args!(
        "<section class=\"banner {}\" aria-label=\"Answer\"><strong>{} {word}</strong>{}",
        class(said),
        symbol(said),
        Escaped(&view.headline())
    ));
    page.list(view.caveats.iter().map(|caveat| warning(&caveat.text)));
    page.text("</section></header>\n<main>\n");
    for rows in view.groups() {
        page.text("<section>");
        page.heading(2, &rows[0].request);
        if let Some(picture) = svg::ratios(rows, view.answer.margin) {
            page.add(format_args!(
                "<figure><figcaption><p>After against before, with 95 % intervals; shaded: the margin.</p></figcaption>\
                 {picture}</figure>"
            ));
        }
        let table = Table::from_rows(rows)
            .named()
            .word("metric", |row| row.metric.name())
            .number("before", |row| value(row.metric, row.before))
            .number("after", |row| value(row.metric, row.after))
            .number("change", row_change)
            .number("95 % interval", row_interval)
            .number("p", |row| probability(row.p))
            .number("p of all rows", |row| probability(row.p_adjusted))
            .word("answer", |row| {
                let word = format!("{} {}", symbol(row.said), row.said.name());
                Cell::word(Emphasis::Class(class(row.said)), word).small(if row.is_weak { "weak" } else { "" })
            });
        page.table(&table);
        page.text("</section>\n");
    }
    view.missing().iter().chain(&view.method()).for_each(|text| page.note(text));
    end(page, &view.nmax_version, FOOTER)
}

/// The page of a history.
pub fn history(view: &HistoryView) -> String {
    let mut page = open(&format!("{}: {}", view.headline(), view.title), "");
    let said = view.said();
    page.add(format_args!(
        "<header><h1>{}</h1><p class=\"meta\">{} of {}</p>\
         <section class=\"banner {}\" aria-label=\"Answer\"><strong>{} {}</strong>",
        Escaped(&view.title),
        view.metric.name(),
        Escaped(&view.request),
        class(said),
        symbol(said),
        Escaped(&view.headline())
    ));
    let steps = view.history.steps.iter().map(|step| format!("{} {}", symbol(step.said), view.step(step)).into());
    page.list(steps.chain(view.notes.iter().map(warning)));
    page.add(format_args!(
        "</section></header>\n<main>\n<figure><figcaption><p>One point for each run, oldest first; lines: medians between \
         changes.</p></figcaption>{}</figure>\n",
        svg::history(view)
    ));
    let table = Table::from_rows(view.runs.iter().enumerate())
        .named()
        .word("run", |(_, run)| &run.id)
        .word("started", |(_, run)| day(&run.started_at))
        .number("figure", |(_, run)| value(view.metric, run.value))
        .number("change here", |(place, _)| {
            let step = view.history.steps.iter().find(|step| step.at == place);
            step.map_or_else(String::new, |step| {
                let (low, high) = step.interval;
                format!("{} {}", change(view.metric, step.change), interval(view.metric, low, high))
            })
        })
        .word("verdict", |(_, run)| run.verdict.to_uppercase())
        .sentence("note", |(_, run)| &run.note);
    page.table(&table);
    end(page, &view.nmax_version, FOOTER)
}

const fn class(said: Conclusion) -> &'static str {
    match said {
        Conclusion::Worse => "fail",
        Conclusion::Better | Conclusion::Equivalent => "pass",
        Conclusion::Changed | Conclusion::Inconclusive => "invalid",
    }
}

fn probability(p: f64) -> String {
    match p {
        _ if !p.is_finite() => number::UNKNOWN.into(),
        _ if p < 0.000_1 => "<0.0001".into(),
        _ => format!("{p:.4}"),
    }
}
