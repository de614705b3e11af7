use proptest::prelude::*;

use super::shape::{Ink, Segment};
use super::*;
use crate::doc::table::{Cell, Emphasis, Table};
use crate::doc::{Banner, Figure, Item, Mark, Media, Section};
use crate::svg::{Chart, Key, Line, Scale};

/// A document with every kind of block; `name` stands in all places.
fn sample(name: &str, rows: usize) -> Document {
    let mut head = crate::doc::Body::default();
    head.text(format!("Started 2026-11-02 10:14:03 UTC on injector-1, 2 min 30 s, {name}"));
    head.keys([
        ("Throughput".to_owned(), "198.4/s".to_owned(), "of 200/s intended".to_owned()),
        ("Response time p95".into(), "412 ms".into(), "limit 300 ms".into()),
        (name.into(), name.into(), name.into()),
        ("Failed".into(), "1.92 %".into(), "458 of 23,808".into()),
    ]);
    let reasons = [
        Item::new(Mark::Fail, "p95 of GET /search is 412 ms, the limit is 300 ms").code("T1"),
        Item::new(Mark::Fail, name).title(name).code(name).below(vec![Item::new(Mark::Point, name)]),
    ];
    let banner = Banner {
        mark: Mark::Fail,
        word: "FAIL".into(),
        meaning: "2 of 5 thresholds do not hold".into(),
        reasons: reasons.to_vec(),
        notes: vec!["Ramp-up and warm-up are left out of the statistics.".into()],
    };
    let requests = Section::new("requests", "Requests").aside("hold, 120 s").with(|body| {
        let name = |row| if row % 3 == 2 { name.to_owned() } else { format!("GET /request/{row}") };
        let time = |times: usize| move |row: usize| (row + 1) as f64 * times as f64 * 1e6;
        let table = Table::from_rows(0..rows).named().word("request", name).count("n", |row| 1_000 + row);
        let table = table.share("failed", |row| row as f64 / 600.0).group("response");
        let table = table.time("p50", time(12)).time("p95", time(31)).time("p99", time(77)).time("max", time(190));
        let table = table.group("service").time("p50", time(11)).time("p95", time(30)).time("p99", time(70));
        body.table(table.group("").rate("per s", |row| row as f64 * 1.7).bytes("page", |row| row * 70_000).total(true));
    });
    let figure = |id: &str, is_wide, width: [f64; 2]| Figure {
        id: id.into(),
        title: format!("Response time {id}"),
        about: format!("From the instant a request was due to its last byte; logarithmic. {name}"),
        legend: vec![(Key::Curve("c1"), "p50".into()), (Key::Curve("c2 dash"), name.to_owned())],
        drawings: width.map(|width| chart(name).render(width)).to_vec(),
        is_wide,
        ..Figure::default()
    };
    let time = Section::new("time", "Over time").with(|body| {
        body.figure(figure("a", true, [1040.0, 760.0]));
        body.figure(figure("b", false, [760.0, 380.0])).figure(figure("c", false, [760.0, 380.0]));
    });
    let why = Section::new("why", "Suspects").with(|body| {
        body.heading(name).text(name).note(name);
        body.items([Item::new(Mark::Number(1), format!("db-1: disk wait {name}")).title("WAIT evidence")]);
        let word = |_| Cell::word(Emphasis::Class("fail"), "✗ over").text(name).small(name);
        let table = Table::from_rows(0..3).word("host", |row| format!("db-{row}")).sentence("what", word);
        body.table(table.sentence("and", |_| name));
    });
    let appendix = Section::new("origin", "To repeat this run").appendix().with(|body| {
        body.code(format!("nmax run plan.yaml --seed 1\n    --tag {name}"));
        body.facts([("Plan", "plan.yaml"), ("Seed", "1"), (name, name), ("nmax", "0.1.0")]);
        body.on(Media::PAGE).text("NOT ON PAPER");
        body.everywhere().fold(name, |body| {
            body.text(name);
        });
    });
    Document {
        title: format!("Checkout peak {name}"),
        banner,
        head: head.blocks,
        tail: Vec::new(),
        sections: vec![requests, time, why, appendix],
        footer: "Percentiles come from histograms of three digits.",
        nmax_version: "0.1.0".into(),
    }
}

fn chart(name: &str) -> Chart {
    let points =
        |high: f64| (0..150).map(move |at| (f64::from(at), Some(1e6 * high * f64::from(1 + at % 7)))).collect();
    let line = |class, high| Line { name: name.to_owned(), class, area: class == "c1", points: points(high) };
    Chart {
        id: "c".into(),
        title: name.to_owned(),
        description: name.to_owned(),
        end_s: 150.0,
        stages: Vec::new(),
        marks: vec![(40.0, 60.0)],
        gaps: Vec::new(),
        scale: Scale::log([1e6, 1e9].into_iter()),
        label: crate::number::time,
        heat: None,
        load: None,
        has_names: true,
        lines: vec![line("c1", 4.0), line("c2 dash", 60.0)],
        height: 200.0,
    }
}

/// Left, top, right and bottom of what a shape covers.
fn bounds(shape: &Shape, fonts: &Fonts) -> [f32; 4] {
    let (x, y) = shape.at;
    let points = match &shape.ink {
        Ink::Text(run) => {
            let (width, size) = (fonts.width(run.look, &run.text), run.look.size);
            vec![(x, y - 0.93 * size), (x + width, y + 0.24 * size)]
        }
        Ink::Path(segments, (wide, high), _) => {
            let places = segments.iter().flat_map(|segment| match segment {
                Segment::Move(x, y) | Segment::Line(x, y) => vec![(*x, *y)],
                Segment::Curve([a, b, c, d, e, f]) => vec![(*a, *b), (*c, *d), (*e, *f)],
                Segment::Close => Vec::new(),
            });
            places.map(|(px, py)| (x + px * wide, y + py * high)).collect()
        }
    };
    let axis = |of: fn(&(f32, f32)) -> f32| {
        let all = points.iter().map(of);
        (all.clone().fold(f32::INFINITY, f32::min), all.fold(f32::NEG_INFINITY, f32::max))
    };
    let ((left, right), (top, bottom)) = (axis(|point| point.0), axis(|point| point.1));
    [left, top, right, bottom]
}

/// Everything is on its page; only the footer is below the edge of what flows.
fn is_inside(document: &Document) {
    let fonts = Fonts::new();
    let (pages, parts) = lay_out(document, &fonts);
    for (number, page) in pages.iter().enumerate() {
        let texts = page.shapes.iter().filter(|shape| matches!(shape.ink, Ink::Text(_)));
        assert!(texts.count() > 2, "page {number} says nothing");
        for shape in &page.shapes {
            let [left, top, right, bottom] = bounds(shape, &fonts);
            let is_inside = left >= EDGE - 1.0 && top >= EDGE - 8.0 && right <= PAGE.0 - EDGE + 1.0;
            assert!(is_inside && bottom <= PAGE.1 - 20.0, "page {number}: {shape:?}");
            assert!(shape.part.is_none_or(|part| part < parts.len()));
        }
    }
    let bytes = write(document);
    assert!(bytes.starts_with(b"%PDF-1.") && bytes.ends_with(b"%%EOF"), "it is a whole file");
}

#[test]
fn the_same_document_makes_the_same_bytes() {
    assert_eq!(write(&sample("GET /", 8)), write(&sample("GET /", 8)));
}

#[test]
fn an_empty_document_has_a_page() {
    assert_eq!(texts(&Document::default()).len(), 1);
    assert!(write(&Document::default()).ends_with(b"%%EOF"));
}

#[test]
fn blocks_of_other_media_stay_away() {
    let said = texts(&sample("name", 3)).concat();
    assert!(!said.contains("NOT ON PAPER") && said.contains("To repeat this run"), "{said}");
}

#[test]
fn long_tables_are_cut() {
    let (short, long) = (texts(&sample("name", 24)), texts(&sample("name", 500)));
    assert!(long.len() <= short.len(), "{} pages", long.len());
    let said = long.concat();
    // The sum of the table is the last of its rows.
    assert!(said.contains("476 more rows are in the HTML report.") && said.contains("GET /request/499"), "{said}");
}

#[test]
fn heads_stand_above_rows_on_every_page() {
    let mut body = crate::doc::Body::default();
    for _ in 0..4 {
        body.table(Table::from_rows(0..30_usize).word("the host", |row| format!("row {row}")).count("n", |row| row));
    }
    let document = Document { head: body.blocks, ..Document::default() };
    let pages = texts(&document);
    assert!(pages.len() > 2);
    for said in pages {
        let first = said.find("row ").unwrap_or(usize::MAX);
        assert!(said.find("the host").is_some_and(|head| head < first), "{said}");
    }
}

#[test]
fn what_the_fonts_lack_is_an_escape() {
    let fonts = Fonts::new();
    let cases = [
        ("GET /a é Ж α → ✓ ≤ µ", "GET /a é Ж α → ✓ ≤ µ", "what reports are written in"),
        ("漢", "\\u6f22", "another script"),
        ("💩", "\\ud83d\\udca9", "beyond the first plane"),
        ("a\u{202e}b\0", "a\\u202eb\\u0000", "what hides"),
    ];
    for (text, want, why) in cases {
        for face in text::Face::ALL {
            assert_eq!(fonts.showable(face, text), want, "{why}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Law: whatever names are, nothing panics, and nothing is outside of a page.
    #[test]
    fn everything_is_on_a_page(name in hostile(), rows in 1..44_usize) {
        is_inside(&sample(&name, rows));
    }

    /// Law: lines hold all words in order, and none is wider than it may be.
    #[test]
    fn lines_hold_their_words(text in "[a-zA-Z0-9 /Ж→💩]{0,200}", width in 20.0..300.0_f32) {
        let fonts = Fonts::new();
        let look = text::Look { face: text::Face::Sans, size: 9.0, color: [0; 3] };
        let lines = fonts.lines(&[look.run(text.as_str())], width);
        prop_assert!(lines.iter().all(|line| line.width <= width + 0.01));
        let all: String = lines.iter().flat_map(|line| &line.runs).map(|(_, run)| run.text.as_str()).collect();
        prop_assert_eq!(all.replace(' ', ""), fonts.showable(look.face, &text).replace(' ', ""));
    }
}

/// Names that were made to break a page.
fn hostile() -> impl Strategy<Value = String> {
    const BAD: [&str; 15] =
        ["\u{202e}", "\0", "💩", "漢字", "W", "\u{301}", "`", "\n", " ", "\\", "(", ")", "→", "<b>", "\u{feff}"];
    let piece = prop_oneof![prop::sample::select(&BAD[..]).prop_map(str::to_owned), "[ -~]{1,12}", "W{60,90}"];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}
