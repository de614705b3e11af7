//! What is drawn: the right marks, inside the plot, and words that do not lie over each other.

use nmax_report::svg::{self, Panel};

use super::*;

/// A value of an attribute of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()
}

/// Left, right, baseline and text of every word.
fn text_boxes(picture: &str) -> Vec<(f64, f64, f64, String)> {
    let body = &picture[picture.find("</style>").unwrap()..];
    let mut all = Vec::new();
    for part in body.split("<text").skip(1) {
        let (tag, rest) = part.split_once('>').unwrap();
        let text = rest.split("</text>").next().unwrap().replace("&lt;", "<").replace("&amp;", "&");
        let (class, x, y) = (
            attribute(tag, "class").unwrap_or(""),
            attribute(tag, "x").unwrap().parse::<f64>().unwrap(),
            attribute(tag, "y").unwrap().parse::<f64>().unwrap(),
        );
        // Width of a character in the widest of the fonts named.
        let each = if class == "t" { 11.0 } else { 6.4 };
        let width = text.chars().count() as f64 * each;
        let left = match class {
            _ if class.split(' ').any(|class| class == "e" || class == "y") => x - width,
            "x" | "word" => x - width / 2.0,
            _ => x,
        };
        all.push((left, left + width, y, text));
    }
    all
}

#[test]
fn words_do_not_overlap_and_stay_inside() {
    for (name, points) in sets() {
        let view = fit(name, &points);
        let mut pictures = vec![svg::figure(&view)];
        pictures.extend(Panel::ALL.map(|panel| svg::panel(&view, panel)));
        for picture in pictures {
            let width: f64 = attribute(&picture, "width").unwrap().parse().unwrap();
            let height: f64 = attribute(&picture, "height").unwrap().parse().unwrap();
            let words = text_boxes(&picture);
            for (index, (left, right, y, text)) in words.iter().enumerate() {
                assert!(
                    *left >= 0.0 && *right <= width + 30.0 && *y <= height,
                    "{name}: {text} at {left} to {right}, {y}"
                );
                for (other_left, other_right, other_y, other) in &words[index + 1..] {
                    let apart = left >= other_right || right <= other_left || (y - other_y).abs() >= 10.0;
                    assert!(apart, "{name}: `{text}` lies over `{other}`");
                }
            }
        }
    }
}

#[test]
fn the_word_of_the_peak_covers_no_point_and_a_logarithmic_axis_says_so() {
    for (name, points) in [("cisco", CISCO), ("memcached", MEMCACHED), ("specsdm91", SPEC)] {
        let points = published(points);
        let view = fit(name, &points);
        for panel in Panel::ALL {
            let picture = svg::panel(&view, panel);
            // Up to the legend below the axis.
            let plot = picture.split("</style>").nth(1).expect("a drawing");
            let dots: Vec<(f64, f64)> = plot
                .split("<circle class=\"pt ")
                .skip(1)
                .map(|tag| {
                    let number = |name| attribute(tag, name).expect("a place").parse().expect("a number");
                    (number("cx"), number("cy"))
                })
                .collect();
            for (left, right, y, text) in text_boxes(&picture).iter().filter(|(.., text)| text.contains("peak ")) {
                if !plot.contains(&format!("class=\"word\" x=\"{:.1}\" y=\"{y:.1}\"", (left + right) / 2.0)) {
                    continue;
                }
                let covered =
                    dots.iter().filter(|(cx, cy)| (left..=right).contains(&cx) && (y - 9.0..=*y).contains(cy));
                assert_eq!(covered.count(), 0, "{name}, {panel:?}: {text}");
            }
            let is_log = points.iter().map(|point| point.0).fold(0.0, f64::max)
                > 50.0 * points.iter().map(|point| point.0).fold(f64::INFINITY, f64::min);
            assert_eq!(picture.contains("(log)"), is_log, "{name}");
        }
    }
}

#[test]
fn every_point_is_drawn_with_its_zone() {
    let points = published(MEMCACHED);
    let view = fit("memcached", &points);
    let body = svg::panel(&view, Panel::Zones);
    let body = body.split_once("class=\"axis\"").unwrap().1;
    let (plot, legend) = (body, "point in zone");
    let drawn = plot.matches("class=\"pt ").count() - plot.matches(legend).count();
    assert_eq!(drawn, points.len());
    for zone in &view.analysis.points {
        let class = match zone.zone.unwrap() {
            nmax_usl::Zone::A => "pt pa",
            nmax_usl::Zone::B => "pt pb",
            nmax_usl::Zone::C => "pt pc",
        };
        assert!(plot.contains(class));
    }
    for part in ["fill za", "fill zb", "fill zc", "line linear", "line amdahl", "line law"] {
        assert!(svg::panel(&view, Panel::Zones).contains(part), "{part}");
    }
}

/// Right ends of the curves of a class, in the units of the picture.
fn right_end(picture: &str, class: &str) -> Option<f64> {
    let path = picture.split(&format!("class=\"line {class}\" d=\"")).nth(1)?.split('"').next()?;
    path.split(['M', 'L']).filter_map(|part| part.split_whitespace().next()?.parse().ok()).reduce(f64::max)
}

#[test]
fn nothing_is_drawn_beyond_twice_what_was_measured() {
    // N_peak lies far beyond: the axis ends at twice the largest N at most.
    let law = Usl { contention: 0.01, coherency: 1e-6, unit_throughput: 50.0 };
    let view = fit("far", &of_law(&law, &[1.0, 2.0, 4.0, 8.0, 12.0, 16.0]));
    let picture = svg::panel(&view, Panel::Band);
    let (law, beyond) = (right_end(&picture, "law").unwrap(), right_end(&picture, "law beyond").unwrap());
    let left = 16.0 + 62.0;
    let ratio = (beyond - left) / (law - left);
    assert!((1.2..=2.02).contains(&ratio), "the curve goes {ratio} times as far as the points");
}

#[test]
fn wide_ranges_take_a_logarithmic_axis() {
    let powers: Vec<f64> = (0..12).map(|power| 2f64.powi(power)).collect();
    let wide = svg::panel(&fit("wide", &of_law(&LAW, &powers)), Panel::Raw);
    let xs: Vec<f64> = wide
        .split("<circle class=\"pt m\" cx=\"")
        .skip(1)
        .map(|part| part.split('"').next().unwrap().parse().unwrap())
        .collect();
    assert_eq!(xs.len(), 13, "twelve points and one in the legend");
    let steps: Vec<f64> = xs[..12].windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.iter().all(|step| (step - steps[0]).abs() < 0.3), "equal factors, equal steps: {steps:?}");
    let narrow = fit("narrow", &of_law(&LAW, &[1.0, 2.0, 50.0]));
    assert!(svg::panel(&narrow, Panel::Raw).contains(">0</text>"), "a factor of 50 stays linear");
}

#[test]
fn what_is_missing_is_said_in_the_picture() {
    let one = fit("one point", &[(4.0, 100.0)]);
    assert!(svg::panel(&one, Panel::Band).contains("no fit"));
    assert!(svg::panel(&one, Panel::Smoother).contains("too few distinct N"));
    assert!(svg::figure(&fit("nothing", &[])).contains("nothing to draw"));
    let refused = fit("memcached", &published(MEMCACHED));
    assert!(svg::panel(&refused, Panel::Band).contains("peak of the law: refused"));
    assert!(svg::panel(&refused, Panel::Raw).contains("observed peak 286.1 at N = 8"));
    let peak = svg::panel(&fit("cisco", &published(CISCO)), Panel::Band);
    assert!(peak.contains("peak 12,208 at N = 33.2") && peak.contains("stem peak"));
}
