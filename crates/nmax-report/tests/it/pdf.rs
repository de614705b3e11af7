//! The report of a run on paper.

use nmax_report::doc::Content;

use crate::sample::{Run, Shape};

/// Few pages, on which every number of the requests stands.
#[test]
fn a_run_is_a_few_pages() {
    let document = nmax_report::report::run(&Run::new(&Shape::default()).view());
    let pages = nmax_report::pdf::texts(&document);
    assert!((3..=6).contains(&pages.len()), "{} pages", pages.len());
    let said = pages.join(" ");
    let requests = document.sections.iter().find(|section| section.id == "requests").unwrap();
    let table = requests.body.blocks.iter().find_map(|block| match &block.content {
        Content::Table(table) => Some(table),
        _ => None,
    });
    let shown = table.unwrap().columns.iter().filter(|column| column.title.is_some() && !column.is_detail);
    let cells: Vec<_> = shown.flat_map(|column| &column.cells).collect();
    assert!(cells.len() > 40, "{} cells", cells.len());
    for cell in cells {
        assert!(said.contains(&*cell.line()), "{} is missing: {said}", cell.line());
    }
    assert!(nmax_report::pdf::write(&document).len() < 500_000);
}

/// Many names are as many pages as some.
#[test]
fn many_names_are_few_pages() {
    let names = (0..500).map(|n| format!("GET /a/path/of/some/length/{n}")).collect();
    let document = nmax_report::report::run(&Run::new(&Shape { names, ..Shape::default() }).view());
    let pages = nmax_report::pdf::texts(&document);
    assert!(pages.len() <= 8, "{} pages", pages.len());
}
