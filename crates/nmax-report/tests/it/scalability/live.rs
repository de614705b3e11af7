//! The text fits its width, whatever the data, and the live curve keeps its height.

use nmax_report::terminal::{self, Glyphs, LiveScale};
use nmax_text::is_hidden;
use proptest::prelude::*;

use super::*;

fn fits(name: &str, text: &str, width: usize) {
    for line in text.lines() {
        assert!(line.chars().count() <= width, "{name}: {} of {width} columns: {line}", line.chars().count());
        assert!(!line.contains("NaN") && !line.contains("inf"), "{name}: {line}");
    }
}

#[test]
fn lines_fit_whatever_the_data() {
    for (name, points) in sets() {
        let view = scale(name, &points);
        for width in [20, 60, 80, 120] {
            for glyphs in [Glyphs::Unicode, Glyphs::Ascii] {
                fits(name, &crate::written::text::fit(&view.fit, plain(width), glyphs), width);
                fits(name, &crate::written::text::scale(&view, plain(width), glyphs), width);
            }
        }
    }
    for width in [20, 60, 80] {
        fits("compare", &crate::written::text::compare(&compare(), plain(width), Glyphs::Unicode), width);
        fits("what if", &crate::written::text::what_if(&what_if(), plain(width), Glyphs::Ascii), width);
    }
}

#[test]
fn without_color_there_are_no_escapes_and_color_adds_nothing_else() {
    let view = scale("shop", &published(CISCO));
    let text = crate::written::text::scale(&view, plain(80), Glyphs::Unicode);
    assert!(!text.contains('\u{1b}'));
    let colored = crate::written::text::scale(&view, Style { color: true, ..plain(80) }, Glyphs::Unicode);
    let mut stripped = String::new();
    for (index, part) in colored.split('\u{1b}').enumerate() {
        stripped.push_str(if index == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(trimmed(&stripped), trimmed(&text));
}

#[test]
fn hostile_names_stay_text() {
    let mut view = scale("\u{1b}[31mred\u{202e}", &published(MEMCACHED));
    let bad = "<script>\u{1b}]0;x\u{7}\u{2067}&\"'";
    view.fit.subtitle = bad.into();
    view.fit.n_label = bad.into();
    view.fit.x_unit = bad.into();
    view.stopped = bad.into();
    view.notes = vec![bad.into()];
    view.levels[0].why = bad.into();
    view.levels[0].verdict = bad.into();
    view.levels[0].setting = bad.into();
    view.knobs[0].values[0].1 = bad.into();
    view.versions[0].name = bad.into();
    let text = crate::written::text::scale(&view, plain(80), Glyphs::Unicode);
    assert!(!text.contains(|c: char| is_hidden(c) && c != '\n'), "{text:?}");
    let page = crate::escaping::markup(&crate::written::page::scale(&view));
    for markup in [page, nmax_report::svg::figure(&view.fit)] {
        assert!(!markup.contains("<script") && markup.contains("&lt;script"));
        assert!(!markup.contains(|c: char| is_hidden(c) && c != '\n'));
    }
}

/// Every measured point and the law stand where they belong: the column of the largest N holds the last point.
#[test]
fn points_stand_on_their_axes() {
    let view = fit("line", &of_law(&LAW, &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]));
    let text = crate::written::text::fit(&view, plain(80), Glyphs::Unicode);
    let chart: Vec<Vec<char>> =
        text.lines().skip_while(|line| !line.contains('┤')).take(15).map(|line| line.chars().collect()).collect();
    let dots: Vec<(usize, usize)> = chart
        .iter()
        .enumerate()
        .flat_map(|(row, line)| {
            line.iter().enumerate().filter(|(_, c)| **c == '●').map(move |(column, _)| (column, row))
        })
        .collect();
    assert_eq!(dots.len(), 6, "{text}");
    let edge = chart[0].iter().position(|c| matches!(c, '┤' | '│')).unwrap() + 1;
    let (least, most) = (dots.iter().min().unwrap().0 - edge, dots.iter().max().unwrap().0 - edge);
    let ratio = most as f64 / least.max(1) as f64;
    assert!((16.0..70.0).contains(&ratio), "32 stands 32 times as far as 1, roughly: {least}, {most}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: the live curve always takes the same lines, none too wide, whatever was measured.
    #[test]
    fn live_curve_keeps_its_size(
        points in prop::collection::vec((0.5..3000.0_f64, 0.0..1e6_f64), 0..20),
        width in 60..140_usize,
        rows in 4..20_usize,
        is_ascii in any::<bool>(),
    ) {
        let analysis = (points.len() > 4).then(|| analysis(&points, Method::Log));
        let live = LiveScale { points: &points, analysis: analysis.as_ref(), n_label: "virtual users", x_unit: "requests/s", rows };
        let glyphs = if is_ascii { Glyphs::Ascii } else { Glyphs::Unicode };
        let lines = terminal::live_curve(&live, plain(width), glyphs);
        prop_assert_eq!(lines.len(), rows + 5);
        for line in &lines {
            prop_assert!(line.chars().count() <= width, "{}", line);
            prop_assert!(!is_ascii || line.is_ascii());
        }
    }
}
