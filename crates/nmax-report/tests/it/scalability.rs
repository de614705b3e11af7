//! Fits and campaigns: the outputs agree with each other, load nothing, fit their width, and draw what there is.

use nmax_report::doc::Document;
use nmax_report::report;
use nmax_report::scalability::{CompareView, FindResult, FitView, Knob, Level, ScaleInfo, ScaleView};
use nmax_report::scalability::{Version, Week, WhatIfView};
use nmax_report::terminal::Style;
use nmax_usl::{Analysis, Change, Difference, Estimate, Method, Observation, Options, Quantity, Usl, analyse};

mod agreement;
pub(crate) mod golden;
mod live;
mod pages;
mod pictures;
mod schemas;
mod sides;

const CISCO: &str = include_str!("../../../../testdata/usl/cisco.csv");
const MEMCACHED: &str = include_str!("../../../../testdata/usl/memcached-1.2.8.csv");
const RAYTRACER: &str = include_str!("../../../../testdata/usl/raytracer.csv");
const SPEC: &str = include_str!("../../../../testdata/usl/specsdm91.csv");
const SYNTHETIC: &str = include_str!("../../../../testdata/usl/synthetic.csv");
const SYSBENCH: &str = include_str!("../../../../testdata/usl/sysbench-cpu.csv");

fn observations(points: &[(f64, f64)]) -> Vec<Observation> {
    let one = |(index, (n, x)): (usize, &(f64, f64))| Observation {
        n: *n,
        x: *x,
        r_s: None,
        weight: 1.0,
        row: index + 1,
        count: None,
    };
    points.iter().enumerate().map(one).collect()
}

fn published(text: &str) -> Vec<(f64, f64)> {
    let rows = text.lines().skip(1).filter_map(|line| line.split_once(','));
    rows.map(|(n, x)| (n.parse().unwrap(), x.parse().unwrap())).collect()
}

fn analysis(points: &[(f64, f64)], method: Method) -> Analysis {
    let options = Options { method, ..Options::default() };
    analyse(&observations(points), &options)
}

fn fit(title: &str, points: &[(f64, f64)]) -> FitView {
    FitView {
        title: title.into(),
        subtitle: "columns `n` and `x`".into(),
        n_label: String::new(),
        x_unit: "requests/s".into(),
        nmax_version: "0.0.0".into(),
        analysis: analysis(points, Method::Log),
    }
}

/// X of a law at each N.
fn of_law(law: &Usl, levels: &[f64]) -> Vec<(f64, f64)> {
    levels.iter().map(|n| (*n, law.throughput_at(*n))).collect()
}

const LAW: Usl = Usl { contention: 0.03, coherency: 0.000_5, unit_throughput: 100.0 };

/// Data that charts and tables have to bear.
fn odd() -> Vec<(&'static str, Vec<(f64, f64)>)> {
    let superlinear = Usl { contention: -0.05, coherency: 0.002, unit_throughput: 10.0 };
    let powers: Vec<f64> = (0..12).map(|power| 2f64.powi(power)).collect();
    vec![
        ("nothing", vec![]),
        ("one point", vec![(4.0, 100.0)]),
        ("equal points", vec![(4.0, 100.0); 6]),
        ("one N", vec![(4.0, 100.0), (4.0, 110.0), (4.0, 90.0)]),
        ("two points", vec![(1.0, 10.0), (2.0, 19.0)]),
        ("no number", vec![(f64::NAN, 1.0), (2.0, f64::INFINITY), (-1.0, 0.0), (0.0, -3.0)]),
        ("superlinear", of_law(&superlinear, &[1.0, 4.0, 8.0, 13.0, 20.0, 25.0, 35.0])),
        (
            "falls from the start",
            of_law(&Usl { contention: 0.4, coherency: 0.9, ..LAW }, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ),
        ("1 to 2048", of_law(&LAW, &powers)),
        ("straight", of_law(&Usl { contention: 0.0, coherency: 0.0, ..LAW }, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0])),
        ("huge", vec![(1.0, 1e300), (2.0, 1.9e300), (3.0, 2.7e300), (5.0, 3.9e300), (8.0, 5e300), (13.0, 4e300)]),
        ("tiny", vec![(1.0, 1e-12), (2.0, 1.9e-12), (3.0, 2.7e-12), (5.0, 3.9e-12), (8.0, 5e-12), (13.0, 4e-12)]),
        (
            "many",
            (0..2100)
                .map(|i| {
                    (
                        1.0 + f64::from(i % 40),
                        LAW.throughput_at(1.0 + f64::from(i % 40)) * (1.0 + f64::from(i % 7) / 500.0),
                    )
                })
                .collect(),
        ),
    ]
}

fn sets() -> Vec<(&'static str, Vec<(f64, f64)>)> {
    let named = [
        ("cisco", CISCO),
        ("memcached 1.2.8", MEMCACHED),
        ("raytracer", RAYTRACER),
        ("specsdm91", SPEC),
        ("synthetic", SYNTHETIC),
        ("sysbench-cpu", SYSBENCH),
    ];
    let mut all = odd();
    all.extend(named.map(|(name, text)| (name, published(text))));
    all
}

fn level(number: usize, n: f64, x: f64, used: bool) -> Level {
    Level {
        number,
        purpose: "ramp".into(),
        setting: String::new(),
        level: n,
        n: Some(n),
        x: Some(x),
        r_ms: Some(1e3 * n / x),
        verdict: if used { "pass" } else { "invalid" }.into(),
        used,
        full: String::new(),
        why: if used { String::new() } else { "the injector was late: measured again".into() },
        run: format!("levels/{number:03}"),
    }
}

fn scale(title: &str, points: &[(f64, f64)]) -> ScaleView {
    let mut levels: Vec<_> = points
        .iter()
        .filter(|(n, x)| n.is_finite() && x.is_finite())
        .enumerate()
        .map(|(index, (n, x))| level(index + 1, *n, *x, true))
        .collect();
    levels.push(level(points.len() + 1, 3.0, 1.0, false));
    let knob = |nodes: &str, price: Option<f64>| Knob {
        values: vec![("nodes".into(), nodes.into())],
        load: Some(12.0),
        x: Some(1234.5),
        r_ms: Some(9.7),
        runs: 5,
        price_per_h: price,
        price_per_million: price.map(|price| price / 3600.0 / 1234.5 * 1e6),
        why: String::new(),
    };
    ScaleView {
        fit: fit(title, points),
        info: ScaleInfo {
            id: "2026-01-01T00-00-00Z-scale-shop-abcd".into(),
            name: "shop".into(),
            target: "http://127.0.0.1:8080".into(),
            started_at: "2026-01-01T00:00:00Z".into(),
            seed: 7,
            axes: vec!["vus".into()],
            count: "requests".into(),
            level_s: Some(3.0),
            budget_s: Some(600.0),
            elapsed_s: Some(71.5),
            ..ScaleInfo::default()
        },
        levels,
        stopped: "precise: the peak is known to 5 % in X and 10 % in N".into(),
        notes: vec!["cookies are reset at each level".into()],
        find: Some(FindResult {
            objective: "p95 < 200ms".into(),
            level: Some(17.0),
            low: Some(15.0),
            high: Some(19.0),
            x: Some(800.0),
            runs: 9,
            text: "up to 17 virtual users hold it (95 %: 15 to 19)".into(),
        }),
        knobs: vec![knob("1", Some(0.4)), knob("2", None)],
        versions: vec![
            Version { name: "size=small".into(), analysis: analysis(points, Method::Log) },
            Version { name: "size=large".into(), analysis: analysis(&points[..points.len().min(2)], Method::Log) },
        ],
        sides: None,
    }
}

fn compare() -> CompareView {
    CompareView {
        title: "before, after".into(),
        nmax_version: "0.0.0".into(),
        n_label: String::new(),
        versions: vec![
            Version { name: "1.2.8".into(), analysis: analysis(&published(MEMCACHED), Method::Log) },
            Version {
                name: "patched".into(),
                analysis: analysis(&of_law(&LAW, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), Method::Log),
            },
            Version { name: "broken".into(), analysis: analysis(&[(1.0, 5.0)], Method::Log) },
        ],
        differences: vec![Difference {
            from: "1.2.8".into(),
            to: "patched".into(),
            quantity: Quantity::Coherency,
            before: 0.021,
            after: 0.001,
            difference: Estimate { estimate: -0.02, low: Some(-0.026), high: Some(-0.015), at_bound: false },
            df: Some(7.5),
            change: Change::Fell,
            text: "Coherency fell by 0.020 (95 %: 0.015 to 0.026).".into(),
        }],
        caveats: vec![],
    }
}

fn what_if() -> WhatIfView {
    let optimistic = Usl { contention: 0.005, ..LAW };
    WhatIfView {
        title: "shop".into(),
        nmax_version: "0.0.0".into(),
        base: LAW,
        n_max: 64.0,
        assumed: vec![("optimistic".into(), optimistic), ("realistic".into(), Usl { contention: 0.05, ..LAW })],
        measured: Some(analysis(&of_law(&LAW, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), Method::Log)),
        weeks: vec![
            Week {
                week: 0,
                n: 20.0,
                x: vec![Some(LAW.throughput_at(20.0)), Some(optimistic.throughput_at(20.0)), None],
            },
            Week { week: 26, n: 70.0, x: vec![None, None, None] },
        ],
        notes: vec!["α is assumed, not measured.".into()],
        peak: Some((44.0, 850.0)),
        assumed_peak: None,
    }
}

fn plain(width: usize) -> Style {
    Style { width, ..Style::default() }
}

/// All kinds of documents, for laws of all documents.
pub(crate) fn documents() -> Vec<(String, Document)> {
    let mut all: Vec<_> = sets()
        .into_iter()
        .flat_map(|(name, points)| {
            let (fit, scale) =
                (report::scalability::fit(&fit(name, &points)), report::scalability::scale(&scale(name, &points)));
            [(format!("{name}, fit"), fit), (format!("{name}, scale"), scale)]
        })
        .collect();
    all.push(("sides".into(), report::scalability::scale(&sides::view(0.05, 0.02))));
    all.push(("compare".into(), report::scalability::compare(&compare())));
    all.push(("what if".into(), report::scalability::what_if(&what_if())));
    all
}

/// A campaign of versions with these names.
pub(crate) fn of_versions(names: &[&str]) -> (String, Document) {
    let mut view = scale("names", &published(MEMCACHED));
    let version = |name: &&str| Version { name: (*name).into(), analysis: view.fit.analysis.clone() };
    view.versions = names.iter().map(version).collect();
    ("a campaign".into(), report::scalability::scale(&view))
}
