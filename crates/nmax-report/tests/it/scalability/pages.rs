//! Pages load nothing, close what they open, and stay small.

use nmax_report::{html, svg};

use super::*;

fn pages() -> Vec<(String, String)> {
    let mut all: Vec<_> = sets()
        .into_iter()
        .flat_map(|(name, points)| {
            [
                (format!("{name}, fit"), html::fit(&fit(name, &points))),
                (format!("{name}, scale"), html::scale(&scale(name, &points))),
            ]
        })
        .collect();
    all.push(("compare".into(), html::compare(&compare())));
    all.push(("what if".into(), html::what_if(&what_if())));
    all
}

#[test]
fn pages_load_nothing_and_stay_small() {
    for (name, page) in pages() {
        let lower = page.to_lowercase();
        for loads in [
            "<script", "<img", "<link", "<iframe", "url(", "@import", "src=", "href=", "<object", "<embed",
        ] {
            assert!(!lower.contains(loads), "{name}: {loads}");
        }
        let without_target = lower.replace("http://127.0.0.1:8080", "");
        assert!(
            !without_target.contains("http://") && !without_target.contains("https://"),
            "{name}"
        );
        assert!(page.contains("default-src 'none'"), "{name}");
        assert!(page.len() < 1_000_000, "{name}: {} bytes", page.len());
        assert!(!page.contains("NaN") && !page.contains("Infinity"), "{name}");
    }
}

#[test]
fn what_opens_is_closed_and_ids_are_unique() {
    for (name, page) in pages() {
        crate::escaping::check_nesting(&crate::escaping::body(&page), &["meta"]);
        let mut ids: Vec<_> = page
            .split(" id=\"")
            .skip(1)
            .map(|part| part.split('"').next().unwrap())
            .collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "{name}");
    }
}

#[test]
fn pictures_that_stand_alone_are_whole() {
    for (name, points) in sets() {
        let view = fit(name, &points);
        let mut all = vec![svg::figure(&view)];
        all.extend(svg::Panel::ALL.map(|panel| svg::panel(&view, panel)));
        for picture in all {
            assert!(
                picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""),
                "{name}"
            );
            assert!(
                !picture.contains("var(") && !picture.contains("NaN") && !picture.contains("inf"),
                "{name}"
            );
            crate::escaping::check_nesting(&crate::escaping::body(&picture), &[]);
        }
    }
}
