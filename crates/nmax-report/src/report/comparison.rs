//! What is said of a comparison, and of a history.

use nmax_analysis::compare::{Conclusion, Metric, Origin, Row};

use crate::comparison::{
    ComparisonView, HistoryView, change, day, interval, origin, row_change, row_interval, runs, value,
};
use crate::doc::table::{Cell, Table};
use crate::doc::{Banner, Block, Body, Document, Figure, Item, Mark, Media, Plot, Section};
use crate::number::{self, count};
use crate::svg;

const FOOTER: &str = "The unit of replication is the run.";
/// What is shown of the first request where no row decides.
const IN_SHORT: [Metric; 4] = [Metric::ResponseP95, Metric::ServiceP95, Metric::Throughput, Metric::FailureRate];
/// Runs of a side that are listed.
const ORIGINS_MAX: usize = 12;
/// Most rows where there is little room; the others are in the JSON.
const ROWS_MAX: usize = 500;

const fn mark(said: Conclusion) -> Mark {
    match said {
        Conclusion::Worse => Mark::Fail,
        Conclusion::Better => Mark::Pass,
        Conclusion::Changed => Mark::Changed,
        Conclusion::Equivalent => Mark::Same,
        Conclusion::Inconclusive => Mark::Unknown,
    }
}

/// Before and after.
pub fn comparison(view: &ComparisonView) -> Document {
    let weak = if view.answer.is_weak() { ", weak" } else { "" };
    let caveats = view.caveats.iter().map(|caveat| Item::new(Mark::Warning, &caveat.text));
    Document {
        title: "Before and after".into(),
        banner: Banner {
            mark: mark(view.answer.conclusion()),
            word: format!("{}{weak}", view.word().to_uppercase()),
            meaning: view.headline(),
            reasons: caveats.collect(),
            notes: Vec::new(),
        },
        head: head(view),
        sections: sections(view),
        footer: FOOTER,
        nmax_version: view.nmax_version.clone(),
        ..Document::default()
    }
}

fn head(view: &ComparisonView) -> Vec<Block> {
    let side = |word: &'static str, origins: &[Origin]| {
        let more = origins.len().saturating_sub(ORIGINS_MAX);
        let shown = origins.iter().take(ORIGINS_MAX).enumerate();
        let shown = shown.map(move |(place, one)| (if place == 0 { word } else { "" }, origin(one)));
        shown.chain((more > 0).then(|| ("", format!("and {more} more")))).collect::<Vec<_>>()
    };
    let mut head = Body::default();
    head.on(Media::TERMINAL).facts([("rows", view.headline())]);
    head.everywhere().facts(side("before", &view.before)).facts(side("after", &view.after));
    head.blocks
}

/// What changed, then every request with its picture; how it was judged.
pub fn sections(view: &ComparisonView) -> Vec<Section> {
    let decides = |row: &&Row| !matches!(row.said, Conclusion::Equivalent | Conclusion::Inconclusive);
    let is_decided = view.answer.rows.iter().any(|row| decides(&row));
    let first = view.groups().next().map_or("", |rows| rows[0].request.as_str());
    let is_short = |row: &&Row| match is_decided {
        true => decides(row),
        false => row.request == first && IN_SHORT.contains(&row.metric),
    };
    let short: Vec<&Row> = view.answer.rows.iter().filter(is_short).collect();
    let hidden = view.answer.rows.len() - short.len();
    let kinds = if is_decided { "equivalent or inconclusive " } else { "" };
    let title = if is_decided { "What changed" } else { "In short" };
    let changed = Section::new("changed", title).with(|body| {
        body.on(Media::ALL.without(Media::WIDE)).table(table(short));
        if hidden > 0 {
            let hidden = count(hidden as u64);
            body.on(Media::BRIEF).note(format!("{hidden} more {kinds}rows: `--wide` shows them"));
        }
    });
    let all = view.groups().map(|rows| {
        let request = &rows[0].request;
        Section::new(&format!("request-{request}"), request).with(|body| {
            let drawings: Vec<_> =
                svg::WIDE.iter().filter_map(|width| svg::ratios(rows, view.answer.margin, *width)).collect();
            if !drawings.is_empty() {
                body.on(Media::PICTURES).figure(Figure {
                    id: format!("ratios-{request}"),
                    about: "After against before, with 95 % intervals; shaded: the margin.".into(),
                    drawings,
                    is_wide: true,
                    ..Figure::default()
                });
            }
            let mut table = table(rows.iter().collect());
            // The heading says it.
            table.columns[0].title = None;
            body.on(Media::DETAILED).table(table);
        })
    });
    let every = Section::new("all-rows", "").with(|body| {
        body.on(Media::MARKDOWN).fold("All rows", |body| {
            body.table(table(view.answer.rows.iter().collect()).at_most(ROWS_MAX, "rows are in the JSON"));
        });
    });
    let method = view.missing().into_iter().chain(view.method());
    let method = Section::new("method", "How it was judged").with(|body| {
        method.for_each(|text| {
            body.note(text);
        });
    });
    [changed].into_iter().chain(all).chain([every, method]).filter_map(Section::said).collect()
}

/// Rows of one request or of several, each with what is said of it. A column more is a line more.
fn table(rows: Vec<&Row>) -> Table<&Row> {
    Table::from_rows(rows)
        .named()
        .word("request", |row| Cell {
            short: Some(format!("{} {}", mark(row.said).symbol(), row.request)),
            ..Cell::from(&row.request)
        })
        .short("", 0)
        .word("metric", |row| row.metric.name())
        .short("metric", 19)
        .number("before", |row| value(row.metric, row.before))
        .short("before", 9)
        .number("after", |row| value(row.metric, row.after))
        .short("after", 9)
        .number("change", row_change)
        .short("change", 9)
        .number("95 % interval", row_interval)
        .short("interval", 17)
        .number("p", |row| probability(row.p))
        .detail()
        .number("p of all rows", |row| probability(row.p_adjusted))
        .detail()
        .word("answer", |row| Cell::mark(mark(row.said), row.said.name()).small(if row.is_weak { "weak" } else { "" }))
}

fn probability(p: f64) -> String {
    match p {
        _ if !p.is_finite() => number::UNKNOWN.into(),
        _ if p < 0.000_1 => "<0.0001".into(),
        _ => format!("{p:.4}"),
    }
}

/// A figure over many runs.
pub fn history(view: &HistoryView) -> Document {
    let said = view.said();
    let steps = view.history.steps.iter().map(|step| Item::new(mark(step.said), view.step(step)));
    let notes = view.notes.iter().map(|note| Item::new(Mark::Warning, note));
    let levels = view.history.levels.iter().map(|(from, to, middle)| {
        let (first, last) = (&view.runs[*from], &view.runs[*to - 1]);
        let median = value(view.metric, *middle);
        Item::new(Mark::Neutral, format!("{median}: median of {}, {} to {}", runs(to - from), first.id, last.id))
    });
    let figure = format!("{} of {}", view.metric.name(), view.request);
    let mut head = Body::default();
    head.facts([("figure", figure)]);
    let values = view.runs.iter().map(|run| run.value);
    let (low, high) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
    let course = view.runs.iter().enumerate();
    let course = course.map(|(place, run)| (run.value, view.history.steps.iter().any(|step| step.at == place)));
    let axis = format!("from {} to {}", value(view.metric, low), value(view.metric, high));
    let picture = Figure {
        id: "history".into(),
        about: "One point for each run, oldest first; lines: medians between changes.".into(),
        drawings: svg::WIDE.map(|width| svg::history(view, width)).into(),
        is_wide: true,
        ..Figure::default()
    };
    let course = Section::new("course", "Course").with(|body| {
        body.on(Media::TERMINAL).plot(Plot::Course(course.collect(), axis)).items(levels);
        body.on(Media::PICTURES).figure(picture);
        body.on(Media::PAPER).table(table_of_runs(view));
    });
    Document {
        title: view.title.clone(),
        banner: Banner {
            mark: mark(said),
            word: view.headline(),
            reasons: steps.chain(notes).collect(),
            ..Banner::default()
        },
        head: head.blocks,
        sections: vec![course],
        footer: FOOTER,
        nmax_version: view.nmax_version.clone(),
        ..Document::default()
    }
}

fn table_of_runs(view: &HistoryView) -> Table<(usize, &crate::comparison::HistoryRun)> {
    Table::from_rows(view.runs.iter().enumerate())
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
        .sentence("note", |(_, run)| &run.note)
}
