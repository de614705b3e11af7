//! The page stays small, loads nothing, and says when something was capped.

use nmax_report::html;

use crate::escaping::{check_links, markup};
use crate::sample::{Run, Shape};

fn large() -> Shape {
    Shape {
        names: (0..600).map(|index| format!("GET /category/{}/item/{index}", index * 7919)).collect(),
        rate_per_s: 20.0,
        hold_s: 60,
        failures: 400,
        text: "a".repeat(100_000),
        ..Shape::default()
    }
}

#[test]
fn the_page_stays_below_two_megabytes() {
    let view = Run::new(&large()).view();
    assert_eq!(view.summary.requests.len(), 501, "500 names and `other`");
    assert_eq!(view.summary.limits_hit.len(), 1);
    let page = html::page(&view);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert!(page.contains("name the step <code>GET /category/{id}/item/{id}</code>"));
    assert_eq!(page.matches("<summary>GET ").count(), 40, "ten examples of each of four kinds");
}

#[test]
fn each_chart_stays_small() {
    let long = Shape { rate_per_s: 8.0, hold_s: 270, names: vec!["GET /".into()], ..Shape::default() };
    let page = html::page(&Run::new(&long).view());
    let charts: Vec<_> = page.split("<figure ").skip(1).collect();
    assert_eq!(charts.len(), 9, "those of every run");
    for chart in charts {
        for svg in chart.split("<svg class=\"w").skip(1) {
            let size = svg.split("<svg class=\"w").next().unwrap().split("<details>").next().unwrap().len();
            assert!(size < 60_000, "{size} bytes: {}", &svg[..200]);
        }
    }
}

#[test]
fn the_page_loads_nothing() {
    let page = html::page(&Run::new(&Shape::default()).view());
    check_links(&page);
    // Lines of plans that a reader may copy are text, and stand in `code` without attributes.
    let shown: String = markup(&page)
        .split("<code>")
        .enumerate()
        .map(|(index, part)| match index {
            0 => part,
            _ => part.split_once("</code>").unwrap().1,
        })
        .collect();
    let outside = shown.replace("https://shop.test", "");
    for forbidden in ["http://", "https://", "src=", "@import", "url(", "<script", "//cdn"] {
        assert!(!outside.contains(forbidden), "{forbidden}");
    }
    // Names of XML are not fetched.
    let script = include_str!("../../src/html/report.js").replace("\"http://www.w3.org/2000/svg\"", "");
    for forbidden in ["//cdn", "http", "fetch", "XMLHttp", "WebSocket", "Beacon", "import", "src", "eval", "innerHTML"]
    {
        assert!(!script.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("default-src 'none'"));
    for needed in
        ["prefers-color-scheme:dark", "@media print", "<figcaption>", "<title id=", "<desc id=", "lang=\"en\""]
    {
        assert!(page.contains(needed), "{needed}");
    }
}

#[test]
fn ids_are_unique() {
    let page = html::page(&Run::new(&Shape::default()).view());
    check_links(&page);
    assert!(page.matches(" id=\"").count() > 10 && page.matches(" href=\"").count() > 10);
}

#[test]
fn a_run_without_a_single_sample_still_has_a_report() {
    let mut run = Run::new(&Shape { hold_s: 1, ..Shape::default() });
    run.windows.clear();
    run.failures.clear();
    let view = run.view();
    let page = html::page(&view);
    assert!(page.contains("None in the whole run") && !page.contains("NaN") && !page.contains("inf"));
    let table = nmax_report::terminal::table(&view, nmax_report::terminal::Style::default());
    assert!(table.contains("total") && !table.contains("NaN"));
}
