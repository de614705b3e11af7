//! Runs beside each other, over time, and campaigns.

use nmax_analysis::compare::Metric;
use nmax_report::report;
use nmax_report::scalability::{ScaleView, WhatIfView};
use nmax_run::trend::RunFilter;
use nmax_run::{compare, logs, trend};
use nmax_usl::predict::{Basis, Question};
use nmax_usl::{Measured, Override, Usl};

use crate::api::{self, Kind};
use crate::page::{self, RunPath, of_document};
use crate::refusal::Refusal;
use crate::runs::Runs;

/// Most runs that are compared.
const RUNS_MAX: usize = 6;
/// Points of a curve.
const CURVE_POINTS: usize = 80;
/// Points of each course of a comparison.
const POINTS: usize = 300;

/// Nobody looks at the progress of a comparison.
struct Silent;

impl logs::Listener for Silent {
    fn read(&mut self, _: u64, _: u64) {}

    fn ended(&mut self) {}
}

impl compare::Listener for Silent {
    fn note(&mut self, _: &str) {}

    fn warning(&mut self, _: &str) {}
}

/// Two to six runs; the report holds the last against the first.
pub(crate) fn compare(runs: &Runs, ids: &str) -> Result<api::Comparison, Refusal> {
    let ids: Vec<&str> = ids.split(',').filter(|id| !id.is_empty()).collect();
    if !(2..=RUNS_MAX).contains(&ids.len()) {
        return Err(Refusal::bad(format!("{} runs: 2 to {RUNS_MAX} are compared", ids.len()), "runs=ID,ID"));
    }
    let mut found = Vec::new();
    for id in &ids {
        let (row, path) = runs.find(id)?;
        if row.kind == Kind::Scale {
            return Err(Refusal::bad(format!("{id} is a campaign"), "compare its levels, which are runs"));
        }
        found.push(RunPath { row, path });
    }
    let ask = compare::Ask {
        sides: [&found[0], &found[found.len() - 1]].map(|one| one.path.display().to_string()).to_vec(),
        before: Vec::new(),
        after: Vec::new(),
        margin: compare::MARGIN,
        failure_margin: compare::FAILURE_MARGIN,
        metric: Vec::new(),
        request: Vec::new(),
        with_history: true,
        force: false,
        format: None,
        zone_s: 0,
        runs_dir: runs.folder().to_owned(),
    };
    let compared = compare::before_after(&ask, &mut Silent)?;
    let report = of_document(&report::comparison::comparison(&compared.view));
    let mut courses = Vec::new();
    for one in &found {
        let course = page::course(&one.path, (None, None), Some(POINTS), None)?;
        courses.push(api::OneCourse { id: one.row.id.clone(), course });
    }
    Ok(api::Comparison { rows: found.into_iter().map(|one| one.row).collect(), report, courses })
}

/// A figure of all runs of a name, the oldest first.
pub(crate) fn trend(runs: &Runs, name: &str, figure: &str) -> Result<api::Trend, Refusal> {
    let metric = match figure {
        "p95" | "" => Metric::ResponseP95,
        "rate" => Metric::Throughput,
        "failure_rate" => Metric::FailureRate,
        _ => return Err(Refusal::bad("figure is p95, rate or failure_rate", "")),
    };
    let ask = trend::Ask {
        name: Some(name.to_owned()),
        of: RunFilter::default(),
        metric,
        request: nmax_analysis::compare::TOTAL.to_owned(),
        margin: None,
        runs_dir: runs.folder().to_owned(),
    };
    let view = trend::trend(&ask)?.view;
    let begins: Vec<usize> = view.history.levels.iter().skip(1).map(|level| level.0).collect();
    let points = view.runs.iter().enumerate().map(|(index, run)| api::TrendPoint {
        id: run.id.clone(),
        started_at: run.started_at.clone(),
        value: Some(run.value).filter(|value| value.is_finite()),
        is_change: begins.contains(&index),
    });
    Ok(api::Trend { points: points.collect(), report: of_document(&report::comparison::history(&view)) })
}

fn campaign(found: &RunPath) -> Result<ScaleView, Refusal> {
    if found.row.kind != Kind::Scale {
        return Err(Refusal::bad("this is a run", "GET /api/runs/{id}"));
    }
    Ok(nmax_scale::stored::read(&found.path)?)
}

fn law(law: &Usl, peak: Option<(f64, f64)>) -> api::Law {
    api::Law {
        alpha: law.contention,
        beta: law.coherency,
        gamma: law.unit_throughput,
        peak_n: peak.map(|(n, _)| n),
        peak_x: peak.map(|(_, x)| x),
    }
}

/// A campaign: its report, its points, and the curve with its band.
pub(crate) fn scale(found: RunPath) -> Result<api::ScalePage, Refusal> {
    let view = campaign(&found)?;
    let analysis = &view.fit.analysis;
    let most = analysis.observations.iter().map(|one| one.n).fold(1.0, f64::max);
    let basis = Basis::choose(analysis, None).ok();
    let curve = basis.iter().flat_map(|basis| {
        places(most * 1.5).filter_map(|n| {
            let x = basis.predict(Question::Concurrency(n)).x?;
            Some(api::CurvePoint { n, x: x.estimate, low: x.low, high: x.high })
        })
    });
    let ids = nmax_store::list(&found.path).unwrap_or_default();
    let run = |name: &str| {
        let is_it = |run: &&nmax_store::RunEntry| run.path.file_name().is_some_and(|file| *file == *name);
        ids.iter().find(is_it).map(|run| run.id.clone()).unwrap_or_default()
    };
    let points = view.levels.iter().filter_map(|level| {
        let run = run(level.run.rsplit('/').next().unwrap_or_default());
        Some(api::ScalePoint { n: level.n?, x: level.x?, is_used: level.used, run })
    });
    let base = nmax_usl::what_if::base(analysis).ok();
    let peak = analysis.peak.as_ref().map(|peak| (peak.concurrency.estimate, peak.throughput.estimate));
    Ok(api::ScalePage {
        points: points.collect(),
        curve: curve.collect(),
        law: base.map(|base| law(&base, peak)),
        dimension: view.fit.n_label().to_owned(),
        unit: view.fit.x_unit().to_owned(),
        report: of_document(&report::scalability::scale(&view)),
        row: found.row,
    })
}

/// Whole loads up to the largest, evenly.
fn places(most: f64) -> impl Iterator<Item = f64> {
    let step = ((most - 1.0) / CURVE_POINTS as f64).max(0.1);
    (0..=CURVE_POINTS).map(move |index| 1.0 + index as f64 * step).take_while(move |n| *n <= most)
}

/// The law of a campaign with other coefficients.
pub(crate) fn what_if(
    found: RunPath,
    (alpha, beta, gamma): (Option<f64>, Option<f64>, Option<f64>),
    n: Option<f64>,
) -> Result<api::WhatIf, Refusal> {
    let view = campaign(&found)?;
    let analysis = view.fit.analysis.clone();
    let base = nmax_usl::what_if::base(&analysis).map_err(|why| Refusal::bad(why, "more levels tell more"))?;
    let assumed = Override { contention: alpha, coherency: beta, unit_throughput: gamma };
    let question = nmax_usl::WhatIf { assumed, ..nmax_usl::WhatIf::default() };
    let measured = Measured::from_analysis(&analysis);
    let outlook = nmax_usl::what_if(&base, Some(measured), &question).map_err(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        Refusal::bad(errors.join("; "), "0 <= alpha <= 1, beta >= 0 and gamma > 0 describe systems")
    })?;
    let title = view.fit.title.clone();
    let most = outlook.curve.last().map_or(1.0, |place| place.n);
    let shown = WhatIfView::new(title, env!("CARGO_PKG_VERSION").into(), &outlook, Some(analysis), &question);
    let new = if assumed.is_empty() { base } else { outlook.assumed };
    let at = |n: f64| shown.throughput_at(&new, n);
    let curve = places(most).filter_map(|n| Some(api::CurvePoint { n, x: at(n)?, low: None, high: None }));
    Ok(api::WhatIf {
        law: law(&new, if assumed.is_empty() { outlook.peak } else { outlook.assumed_peak }),
        curve: curve.collect(),
        text: outlook.text.join(" "),
        x_at: n.filter(|n| *n >= 1.0).and_then(at),
    })
}
