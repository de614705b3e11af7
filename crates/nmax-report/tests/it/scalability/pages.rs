//! Pages load nothing, close what they open, and stay small.

use nmax_report::svg;

use super::*;

fn pages() -> Vec<(String, String)> {
    let mut all: Vec<_> = sets()
        .into_iter()
        .flat_map(|(name, points)| {
            [
                (format!("{name}, fit"), crate::written::page::fit(&fit(name, &points))),
                (format!("{name}, scale"), crate::written::page::scale(&scale(name, &points))),
            ]
        })
        .collect();
    all.push(("grid".into(), crate::written::page::scale(&grid())));
    all.push(("compare".into(), crate::written::page::compare(&compare())));
    all.push(("what if".into(), crate::written::page::what_if(&what_if())));
    all
}

#[test]
fn pages_load_nothing_and_stay_small() {
    for (name, page) in pages() {
        let lower = crate::escaping::markup(&page).to_lowercase();
        for loads in ["<script", "<img", "<link", "<iframe", "url(", "@import", "src=", "<object", "<embed"] {
            assert!(!lower.contains(loads), "{name}: {loads}");
        }
        let without_target = lower.replace("http://127.0.0.1:8080", "");
        assert!(!without_target.contains("http://") && !without_target.contains("https://"), "{name}");
        assert!(page.contains("default-src 'none'"), "{name}");
        assert!(page.len() < 1_000_000, "{name}: {} bytes", page.len());
        assert!(!page.contains("NaN") && !page.contains("Infinity"), "{name}");
    }
}

#[test]
fn what_opens_is_closed_and_ids_are_unique() {
    for (name, page) in pages() {
        println!("{name}");
        crate::escaping::check_nesting(&crate::escaping::markup(&page), &["meta"]);
        crate::escaping::check_links(&page);
    }
}

/// A campaign over two axes: the second value of the second axis does more.
fn grid() -> ScaleView {
    let levels = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0];
    let large = Usl { unit_throughput: 170.0, ..LAW };
    let version =
        |name: &str, law: &Usl| Version { name: name.into(), analysis: analysis(&of_law(law, &levels), Method::Log) };
    let mut view = scale("grid", &of_law(&LAW, &levels));
    view.fit.n_label = "nodes".into();
    view.versions = vec![version("size=small", &LAW), version("size=large", &large)];
    view
}

#[test]
fn a_grid_names_the_largest_of_all_first_and_every_law_by_its_value() {
    let view = grid();
    let (_, x) = view.versions[1].analysis.best.expect("measured");
    let largest = format!("{} requests/s", nmax_report::scalability::wording::plain(x));
    let wide = plain(1000);
    let text = crate::written::text::scale(&view, wide, nmax_report::terminal::Glyphs::Unicode);
    let page = crate::written::page::scale(&view);
    // Its title in the window is the sentence too.
    let body = page.split_once("<body>").unwrap().1;
    for output in [&text, body] {
        let mut said = output.match_indices("argest throughput measured is ");
        let (first, _) = said.next().expect("it is said");
        let sentence = output[first..].split('\n').next().expect("a line");
        assert!(sentence.contains(&largest) && sentence.contains("size=large"), "{sentence}");
        for (at, _) in said {
            // The sentence about one law says which one.
            let before = &output[..at];
            assert!(before.ends_with("size=small: The l") || before.ends_with("size=large: The l"));
        }
        for heading in ["Law", "Findings", "Points", "Curves"] {
            let plain = format!(">{heading}</a>");
            assert!(!output.contains(&plain), "{heading} of which value?");
        }
        for name in ["size=small", "size=large"] {
            for heading in ["Curves", "Points"] {
                let line = output.lines().find(|line| line.contains(heading) && line.contains(name));
                assert!(line.is_some(), "{heading}, {name}");
            }
        }
    }
    let sentence = &nmax_report::json::scale(&view)["meaning"][0];
    assert!(sentence.as_str().is_some_and(|text| text.starts_with("size=small: The largest ")), "{sentence}");
    // Without a second axis there is nothing to name.
    let mut single = view;
    single.versions.clear();
    assert!(!crate::written::page::scale(&single).contains("size="));
}

#[test]
fn pictures_that_stand_alone_are_whole() {
    for (name, points) in sets() {
        let view = fit(name, &points);
        let mut all = vec![svg::figure(&view)];
        all.extend(svg::Panel::ALL.map(|panel| svg::panel(&view, panel)));
        for picture in all {
            assert!(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{name}");
            assert!(!picture.contains("var(") && !picture.contains("NaN") && !picture.contains("inf"), "{name}");
            crate::escaping::check_nesting(&crate::escaping::body(&picture), &[]);
        }
    }
}
