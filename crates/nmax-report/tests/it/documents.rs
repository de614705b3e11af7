//! Laws of documents: every output of one has the same texts, fits its room and keeps what is hostile as text.

use nmax_report::doc::table::{Cell, Table};
use nmax_report::doc::{Block, Content, Document, Item, Mark, Media, Section};
use nmax_report::terminal::{Glyphs, Style, printed_width};
use nmax_report::{csv, html, markdown, number, report, terminal};
use nmax_text::{csv::harmless, shown, shown_lines};
use proptest::prelude::*;

use crate::escaping::{check_links, check_nesting, markup, read_csv};
use crate::sample::{Run, Shape};

/// A row of a table: words, a count, a time in ns, a share, and a sentence.
type Line = (String, u64, Option<u64>, f64, String);

/// Text that is markup somewhere, of few columns.
fn hostile() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "<b>", "</td>", "|", "`", "``", "*a*", "_", "[x](y)", "![x](y)", "@team", "#1", "~~", "\\", "&amp;", "\n",
        "\r\n", "\u{1b}[1m", "\u{202e}", "=1+1", "-2", "+3", "日本", "\"", "'", ",", " ", "- ", "1. ", "---", "<!--",
        "-->", "x",
    ]);
    prop::collection::vec(parts, 0..5).prop_map(|parts| parts.concat().trim().to_owned())
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let line = (hostile(), 0..10_000_000_u64, prop::option::of(0..90_000_000_000_u64), 0.0..1.0_f64, hostile());
    let lines =
        prop::collection::vec(line.prop_filter("of few columns", |(word, ..)| printed_width(&shown(word)) < 30), 0..6);
    // A column in which no row says anything is left out.
    lines.prop_map(|mut lines| {
        lines.insert(0, ("GET /".into(), 1, Some(1), 0.5, "x".into()));
        lines
    })
}

fn table(lines: &[Line]) -> Table<&Line> {
    Table::from_rows(lines)
        .named()
        .spread()
        .word("name", |(word, ..)| word)
        .count("count", |(_, count, ..)| *count)
        .group("times")
        .time("p95", |(_, _, time, ..)| *time)
        .detail()
        .group("")
        .share("failed", |(_, _, _, share, _)| *share)
        .sentence("what", |(.., what)| Cell::from(what))
}

/// What each row says: words as they are shown, numbers as they are told.
fn texts((word, count, time, share, what): &Line) -> [String; 5] {
    [
        squeezed(&shown(word)),
        number::count(*count),
        number::time_or_unknown(*time),
        number::share(*share),
        squeezed(&shown(what)),
    ]
}

/// Without white space at the ends and more than one blank, as browsers show it, and without signs of code.
fn squeezed(text: &str) -> String {
    text.replace('`', "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a browser shows of markup.
fn browsed(markup: &str) -> String {
    let mut text = String::new();
    for (index, part) in markup.split('<').enumerate() {
        text.push_str(if index == 0 { part } else { part.split_once('>').expect("a tag ends").1 });
    }
    ["&lt;<", "&gt;>", "&quot;\"", "&#39;'", "&amp;&"].iter().fold(text, |text, pair| {
        let (name, c) = pair.split_at(pair.len() - 1);
        text.replace(name, c)
    })
}

/// Cells of the rows of tables of a page, as a browser shows them.
fn page_cells(page: &str) -> Vec<Vec<String>> {
    let rows = page.split("<tr").skip(1).filter(|row| row.contains("scope=\"row\""));
    let cells = |row: &str| {
        let row = row.split("</tr>").next().unwrap_or_default();
        let cells = row.split("<t").skip(1).map(|cell| cell.split_once('>').expect("a tag ends").1);
        cells.map(|cell| squeezed(&shown(&browsed(cell)))).collect()
    };
    rows.map(cells).collect()
}

/// Cells of a row of a table in Markdown, as GitHub shows them.
fn note_cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut is_escaped, mut is_code) = (Vec::new(), String::new(), false, false);
    for c in line.chars() {
        match c {
            '`' if !is_escaped => is_code = !is_code,
            // What is code is shown as it is.
            '<' | '>' | '&' if is_code => cell += &nmax_text::html::escape(&c.to_string()),
            c if is_code => cell.push(c),
            '\\' if !is_escaped => is_escaped = true,
            '|' if !is_escaped => cells.push(std::mem::take(&mut cell)),
            c => {
                assert!(is_escaped || !"*_[]#~".contains(c), "{c} is markup in {line}");
                is_escaped = false;
                cell.push(c);
            }
        }
    }
    assert!(!is_code, "code ends in {line}");
    let shown = |cell: &String| squeezed(&browsed(&cell.replace("@<!-- -->", "@")));
    cells.iter().skip(1).map(shown).collect()
}

fn document(lines: &[Line]) -> Document {
    let section = Section::new("all", "All").with(|body| _ = body.table(table(lines)));
    Document { title: "law".into(), sections: vec![section], ..Document::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: a table says the same in the terminal, on the page, in Markdown and in CSV, whatever its cells are.
    #[test]
    fn a_table_says_the_same_everywhere(lines in lines()) {
        let want: Vec<_> = lines.iter().map(texts).collect();
        let document = document(&lines);
        let text = terminal::write(&document, Style { wide: true, width: 1_000, ..Style::default() }).to_string();
        let mut rows = text.lines().rev().take(lines.len()).collect::<Vec<_>>().into_iter().rev();
        let page = html::write(&document);
        check_nesting(&markup(&page), &["meta"]);
        let in_page = page_cells(&page);
        let note = markdown::write(&document);
        let mut in_note = note.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
        let in_csv = read_csv(&csv::table(&table(&lines)));
        prop_assert_eq!(&in_csv[0], &["name", "count", "times p95 (ms)", "failed (ratio)", "what"]);
        for (index, want) in want.iter().enumerate() {
            let mut rest = squeezed(rows.next().expect("a line for each row"));
            for cell in want {
                prop_assert!(rest.contains(&**cell), "{cell} in {rest} of {text}");
                rest = rest.split_once(&**cell).expect("it was found").1.to_owned();
            }
            let brief = [0, 1, 3, 4].map(|column| want[column].clone());
            prop_assert_eq!(&in_page[index], &brief);
            prop_assert_eq!(&in_page[lines.len() + index], &[want[0].clone(), want[2].clone()]);
            prop_assert_eq!(&note_cells(in_note.next().expect("a row")), &brief);
            let (word, _, _, _, what) = &lines[index];
            let cells = &in_csv[index + 1];
            prop_assert_eq!([&*cells[0], &*cells[4]], [word, what].map(|text| shown_lines(&harmless(text)).into_owned()));
            let read = |place: usize| cells[place].parse::<f64>().ok();
            prop_assert_eq!(number::count(read(1).expect("a count") as u64), &*want[1]);
            prop_assert_eq!(number::time_or_unknown(read(2).map(|ms| (ms * 1e6).round() as u64)), &*want[2]);
            prop_assert!((read(3).expect("a share") - lines[index].3).abs() <= 5e-7);
        }
    }

    /// Law: text from outside is text in Markdown too, wherever it stands, and the whole is short enough for a comment.
    #[test]
    fn markdown_keeps_text_as_text(text in hostile(), times in 1..4_000_usize) {
        let long = text.repeat(times);
        let section = |id: &str| Section::new(id, &long).aside(&text).with(|body| {
            body.text(&text).note(&long).heading(&text).facts([(&text, &text)]).code(&long).code(&text);
            body.items([Item::new(Mark::Point, &text).title(&text).code(&text).below(vec![Item::plain(&long)])]);
            body.fold(&text, |body| _ = body.text(&text));
        });
        let mut document = Document { title: long.clone(), sections: vec![section("a"), section("b")], ..Document::default() };
        document.banner.word.clone_from(&text);
        document.banner.meaning.clone_from(&long);
        document.banner.reasons = vec![Item::plain(&long); 40];
        let note = markdown::write(&document);
        prop_assert!(note.len() <= markdown::BYTES_MAX, "{} bytes", note.len());
        let mut fence = None;
        for line in note.lines() {
            match &fence {
                Some(end) if line == end => fence = None,
                Some(_) => {}
                None if line.starts_with("```") => fence = Some(line.to_owned()),
                None => {
                    let is_summary = line.starts_with("<details>");
                    let own = ["<details>", "</details>", "<summary>", "</summary>"];
                    let line = own.iter().fold(line.to_owned(), |line, tag| line.replace(tag, ""));
                    let line = line.replace("@<!-- -->", "@ ");
                    prop_assert!(!line.contains('\u{1b}'), "{line}");
                    let spans = line.replace("\\`", "");
                    for plain in spans.split('`').step_by(2) {
                        prop_assert!(!plain.contains('<') && !plain.contains("@team"), "{line}");
                    }
                    if !is_summary {
                        note_cells(line.trim_start_matches('#'));
                    }
                }
            }
        }
        prop_assert_eq!(fence, None, "code ends");
    }
}

/// Every document that there is, of data without odd characters.
fn documents() -> Vec<(String, Document)> {
    let mut all = vec![
        ("a run".to_owned(), report::run(&Run::new(&Shape::default()).view())),
        ("a short run".to_owned(), report::run(&Run::new(&Shape { hold_s: 1, ..Shape::default() }).view())),
    ];
    all.extend(crate::comparison::documents());
    all.extend(crate::scalability::documents());
    all
}

/// Law: in ASCII no line has another character, and none is wider than the terminal, whatever is written.
#[test]
fn ascii_is_ascii_and_fits() {
    for (name, document) in documents() {
        for (width, wide) in [(20, false), (60, false), (80, false), (120, false), (80, true)] {
            let mut signs = Vec::new();
            for glyphs in [Glyphs::Ascii, Glyphs::Unicode] {
                let text = terminal::write(&document, Style { width, wide, glyphs, ..Style::default() });
                for line in text.lines() {
                    assert!(glyphs == Glyphs::Unicode || line.is_ascii(), "{name}: {line}");
                    let room = if wide { 400 } else { width };
                    assert!(line.chars().count() <= room, "{name}: {} of {width}: {line}", line.chars().count());
                }
                assert!(!text.contains("\n\n\n"), "{name}: two blank lines in\n{text}");
                signs.push(text.matches('?').count());
            }
            assert_eq!(signs[0], signs[1], "{name}: each sign has a stand-in");
        }
    }
}

/// Law: pages have each id once, links lead somewhere, and Markdown is short enough, whatever is written.
#[test]
fn every_document_is_whole_everywhere() {
    for (name, document) in documents() {
        let page = html::write(&document);
        check_nesting(&markup(&page), &["meta"]);
        check_links(&page);
        let note = markdown::write(&document);
        assert!(note.len() <= markdown::BYTES_MAX, "{name}: {}", note.len());
        assert!(!note.contains("\n\n\n"), "{name}: two blank lines in\n{note}");
        for empty in [
            "\"></a></h2>", "<h2></", "<h3></", "<ul></ul>", "</h2>\n</section>", "</h2>\n<h2", "</h3>\n<h3",
            "<summary></",
        ] {
            let at = page.find(empty);
            assert_eq!(at, None, "{name}: {empty} in {}", &page[at.unwrap_or(300).saturating_sub(300)..][..300]);
        }
    }
}

/// Names that differ only in characters that an id cannot have are different sections of a page.
#[test]
fn names_that_look_alike_have_sections_of_their_own() {
    let names =
        ["GET /a b", "GET /a_b", "GET /a-b", "GET /a/b", "GET /a_20_b", "get /A b", "GET /ä b", "", " ", "figure-a"];
    for (name, document) in [crate::comparison::of_names(&names), crate::scalability::of_versions(&names)] {
        let page = html::write(&document);
        check_links(&page);
        assert!(page.matches("<section id=").count() > names.len(), "{name}");
    }
    let shape = Shape { names: names.map(str::to_owned).to_vec(), hold_s: 5, ..Shape::default() };
    check_links(&html::write(&report::run(&Run::new(&shape).view())));
}

/// Blocks with those of folds, on the page.
fn blocks(blocks: &[Block]) -> Vec<&Block> {
    let shown = blocks.iter().filter(|block| block.media.has(Media::PAGE));
    shown
        .flat_map(|block| match &block.content {
            Content::Fold(_, inner) => self::blocks(inner),
            _ => vec![block],
        })
        .collect()
}

/// Law: the numbers of a picture can be read: below it, or in a table of its section; those of laws stand in the points.
#[test]
fn pictures_have_their_numbers() {
    for (name, document) in documents() {
        let of = |section: &'_ Section| blocks(&section.body.blocks).into_iter().cloned().collect::<Vec<_>>();
        let has_table = |section: &Section| of(section).iter().any(|block| matches!(block.content, Content::Table(_)));
        let stands =
            |id: &str| document.sections.iter().any(|section| section.id.starts_with(id) && has_table(section));
        for section in &document.sections {
            for block in of(section) {
                let Content::Figure(figure) = &block.content else { continue };
                let is_read = figure.numbers.is_some() || has_table(section);
                let is_law = section.id.starts_with("curves") && (stands("points") || stands("throughput"));
                assert!(is_read || is_law, "{name}: {} in {}", figure.id, section.id);
            }
        }
    }
}
