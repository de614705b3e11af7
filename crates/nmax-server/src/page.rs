//! A run as it is looked at: its page, its report, its course.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use nmax_metrics::{Nanos, Rollup, rollup};
use nmax_plan::plan::Plan;
use nmax_report::doc::{Document, Mark};
use nmax_report::{View, html, report};
use nmax_run::{Followed, plan_of_run};
use nmax_store::{RunReader, StoreError};
use serde_json::Value;

use crate::api::{self, Kind, RunRow};
use crate::course::{self, Builder, By, Of};
use crate::refusal::Refusal;

/// Most points of a course.
const POINTS_MAX: usize = 2_000;
/// Points when nothing else is asked for.
const POINTS: usize = 600;
/// Reports that are kept.
const REPORTS_MAX: usize = 8;

/// A run that is there.
pub(crate) struct RunPath {
    pub(crate) row: RunRow,
    pub(crate) path: PathBuf,
}

/// A part of a run, seconds.
pub(crate) type SpanS = (Option<f64>, Option<f64>);

fn text(error: StoreError) -> Refusal {
    error.into()
}

/// A span in whole windows; all of the run where nothing is asked for.
fn span(asked: SpanS, end: Nanos, window: Nanos) -> Result<(Nanos, Nanos), Refusal> {
    let nanos = |seconds: f64| {
        let is_time = (0.0..=1e10).contains(&seconds);
        is_time
            .then_some(Nanos((seconds * 1e9) as u64))
            .ok_or_else(|| Refusal::bad("from and until are seconds, 0 or more", ""))
    };
    let width = window.0.max(1);
    let from = asked.0.map_or(Ok(Nanos::ZERO), nanos)?;
    let until = asked.1.map_or(Ok(end), nanos)?.min(end);
    let from = Nanos(from.0 / width * width);
    let until = Nanos(until.0.div_ceil(width) * width).max(Nanos(from.0 + width));
    Ok((from, until))
}

/// A run without its numbers.
pub(crate) fn page(found: RunPath) -> Result<api::RunPage, Refusal> {
    let RunPath { row, path } = found;
    if row.kind == Kind::Scale {
        return Err(Refusal::bad("this is a campaign", "GET /api/scales/{id}"));
    }
    let run = RunReader::open_damaged(&path).map_err(text)?;
    let plan = plan_of_run(&path)?;
    let manifest = run.manifest();
    let end = run.last_end().map_err(text)?.unwrap_or_default();
    let is_running = run.is_running();
    let stages = course::stages(&plan);
    let times = nmax_run::times(&plan);
    let now = end.as_secs_f64();
    Ok(api::RunPage {
        is_running,
        is_of_fleet: false,
        duration_s: row.duration_s.unwrap_or(now),
        planned_end_s: times.1.map(Nanos::as_secs_f64),
        hold: api::Hold {
            from_s: times.0.0.as_secs_f64(),
            until_s: (times.0.1 != Nanos::MAX).then_some(times.0.1.as_secs_f64()),
        },
        workload: if course::is_open(&plan) { api::Workload::Open } else { api::Workload::Closed },
        level_unit: if course::is_open(&plan) { "1/s".into() } else { "VUs".into() },
        level_now: is_running.then(|| nmax_plan::schedule::mean_level(&plan.stages, end.0, end.0 + 1)),
        revision: crate::steer::revision(&path),
        facets: facets(&run, &plan, &path),
        stages,
        command: manifest.command.clone(),
        plan: manifest.plan.clone(),
        row,
    })
}

fn facets(run: &RunReader, plan: &Plan, path: &Path) -> api::Facets {
    let catalog = run.catalog();
    let summary: Value = std::fs::read(path.join("summary.json"))
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default();
    let statuses = summary["total"]["status"].as_object();
    let mut tags: Vec<String> =
        nmax_analysis::breakdown::traits(plan, catalog).into_iter().flat_map(|one| one.tags).collect();
    tags.sort_unstable();
    tags.dedup();
    api::Facets {
        request: catalog.requests.list().to_vec(),
        status: statuses.map(|all| all.keys().cloned().collect()).unwrap_or_default(),
        tag: tags,
        location: catalog.locations.clone(),
    }
}

/// A run, or a part of it, over time.
pub(crate) fn course(
    path: &Path,
    asked: SpanS,
    points: Option<usize>,
    by: Option<(By, Option<String>)>,
) -> Result<api::Course, Refusal> {
    let run = RunReader::open_damaged(path).map_err(text)?;
    let plan = plan_of_run(path)?;
    let window = Nanos(run.manifest().window_ns);
    let end = run.last_end().map_err(text)?.unwrap_or(window);
    let (from, until) = span(asked, end, window)?;
    let width = course::width_of(until.since(from), window);
    // Windows that are added up begin at multiples of their width.
    let from = Nanos(from.0 / width.0 * width.0);
    let points = points.unwrap_or(POINTS).clamp(1, POINTS_MAX);
    let catalog = run.catalog().clone();
    // What lies before is passed over by the widest windows that there are, unless those of the span are as few.
    let is_own_short = (until.0 - from.0) / window.0.max(1) <= until.0 / width.0;
    let read_by = if is_own_short { rollup::WIDEST } else { width };
    let mut follower = run.follow_by(read_by).map_err(text)?;
    if is_own_short {
        follower.pass_to(from);
    }
    follower.refresh().map_err(text)?;
    let mut rollup = Rollup::new(width);
    let mut builder = Builder::new(Of { plan: &plan, catalog: &catalog }, (from, until), points, by);
    while let Some(reading) = follower.reading().map_err(text)? {
        if reading.resource.at >= until {
            break;
        }
        builder.reading(&reading);
    }
    while let Some(read) = follower.window().map_err(text)? {
        if read.start() >= until {
            break;
        }
        let names = follower.catalog();
        rollup.push(&read, |rolled| builder.window(&rolled.window, names));
    }
    if let Some(open) = rollup.open() {
        builder.window(&open.window, follower.catalog());
    }
    let mut events = Vec::new();
    while let Some(event) = follower.event().map_err(text)? {
        if event.at >= from && event.at <= until {
            events.push(api::Event { at_s: event.at.as_secs_f64(), code: event.code, text: event.text });
        }
    }
    events.sort_by(|one, other| one.at_s.total_cmp(&other.at_s));
    Ok(builder.finish(events))
}

/// Reports, of which the last ones are kept: a run that has ended says the same again.
#[derive(Default)]
pub(crate) struct Reports(Mutex<VecDeque<CachedReport>>);

struct CachedReport {
    path: PathBuf,
    span: SpanS,
    /// When the files were changed that it was made of.
    changed: (Option<SystemTime>, u64),
    report: Arc<api::Report>,
}

impl Reports {
    /// The report of a run, or of a part of it.
    pub(crate) fn get(&self, path: &Path, asked: SpanS) -> Result<Arc<api::Report>, Refusal> {
        let of = |file: &str| path.join(file).metadata().ok();
        let changed = (
            of("manifest.json").and_then(|it| it.modified().ok()),
            of("windows.jsonl").map_or(0, |it| it.len()) + of("summary.json").map_or(0, |it| it.len()),
        );
        {
            let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let is_meant = |kept: &&CachedReport| kept.path == path && kept.span == asked && kept.changed == changed;
            if let Some(kept) = kept.iter().find(is_meant) {
                return Ok(Arc::clone(&kept.report));
            }
        }
        let view = view(path, asked)?;
        let mut report = of_document(&report::run(&view));
        if asked != (None, None) {
            // The verdict is of the whole run.
            (report.word, report.meaning, report.banner_html) = Default::default();
            report.mark = api::ReportMark::None;
        }
        let report = Arc::new(report);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.path != path || kept.span != asked);
        kept.push_front(CachedReport { path: path.to_owned(), span: asked, changed, report: Arc::clone(&report) });
        kept.truncate(REPORTS_MAX);
        Ok(report)
    }
}

fn view(path: &Path, asked: SpanS) -> Result<View, Refusal> {
    if asked == (None, None) {
        return Ok(nmax_run::read(path)?.view);
    }
    let run = RunReader::open_damaged(path).map_err(text)?;
    let window = Nanos(run.manifest().window_ns);
    let end = run.last_end().map_err(text)?.unwrap_or(window);
    Ok(Followed::between(path, span(asked, end, window)?)?)
}

/// A document as the page shows it.
pub(crate) fn of_document(document: &Document) -> api::Report {
    let parts = html::parts(document);
    let sections = html::on_page(document).zip(parts.sections).map(|(section, html)| api::ReportSection {
        id: section.id.clone(),
        title: section.title.clone(),
        aside: section.aside.clone(),
        is_appendix: section.is_appendix,
        html,
    });
    api::Report {
        title: document.title.clone(),
        word: document.banner.word.clone(),
        mark: mark(document.banner.mark),
        meaning: document.banner.meaning.clone(),
        banner_html: parts.banner,
        head_html: parts.head,
        sections: sections.collect(),
        footer: document.footer.to_owned(),
    }
}

pub(crate) fn mark(mark: Mark) -> api::ReportMark {
    match mark.class() {
        "pass" => api::ReportMark::Pass,
        "fail" => api::ReportMark::Fail,
        "invalid" => api::ReportMark::Invalid,
        _ => api::ReportMark::None,
    }
}

#[cfg(test)]
mod tests {
    use nmax_metrics::Section;
    use nmax_store::fixture::LongRun;

    use super::*;

    /// Exchanges that a course shows.
    fn shown(course: &api::Course) -> u64 {
        let counted = ["ok", "failed", "errors"];
        let lines = course.lines.iter().filter(|line| counted.contains(&line.id.as_str()));
        let sum: f64 = lines.flat_map(|line| &line.values).flatten().sum();
        (sum * course.width_s).round() as u64
    }

    /// Law: whatever is asked of a long run, its course has the exchanges of its windows in that span, though these are read by
    /// rollups or passed over.
    #[test]
    fn a_course_has_what_its_windows_have() {
        let folder = std::env::temp_dir().join(format!("nmax-course-{}", std::process::id()));
        let run = LongRun { seconds: 4_000, names: 3, rate_per_s: 4 };
        let path = run.write(&folder, "").unwrap();
        let windows: Vec<_> = RunReader::open(&path).unwrap().windows().unwrap().map(Result::unwrap).collect();
        let exchanges = |from: u64, until: u64| -> u64 {
            let within = windows.iter().filter(|window| (from..until).contains(&(window.start().0 / 1_000_000_000)));
            let all =
                within.flat_map(|window| Section::ALL.iter().flat_map(|section| window.aggregate.requests(*section)));
            all.map(|(_, stats)| stats.count()).sum()
        };
        for (from, until) in
            [(0, 4_000), (0, 60), (3_000, 3_300), (1_200, 3_600), (595, 605), (3_990, 4_000), (600, 2_400)]
        {
            let course = course(&path, (Some(from as f64), Some(until as f64)), None, None).unwrap();
            let (from, until) = ((course.from_s as u64), course.until_s as u64);
            assert_eq!(shown(&course), exchanges(from, until), "from {from} until {until}");
            let view = Followed::between(&path, (Nanos::from_secs(from), Nanos::from_secs(until))).unwrap();
            assert_eq!(view.summary.total.count, exchanges(from, until), "report from {from} until {until}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
