//! What discovery costs beside parsing: pages of some 20 KB, each with a body of its own.
//!
//! `cargo run --release -p nmax-extract --example discovery`

#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use nmax_extract::Page;
use nmax_extract::resources::resources;
use scraper::Html;

const PAGES: usize = 400;

/// A page of a shop with 60 items; no two are equal.
fn page(number: usize) -> String {
    let mut page = String::from(
        "<!doctype html><html><head><title>t</title><link rel=stylesheet href=/app.css><script src=/app.js defer>\
         </script><style>.hero { background: url(/hero.jpg) }</style></head><body>",
    );
    for item in 0..60 {
        let id = number * 1000 + item;
        let _ = writeln!(
            page,
            "<li class=\"item wide\" id=\"i{id}\"><a class=\"link\" href=\"/item/{id}\" title=\"Item {id}\">\
             <img src=\"/image/{id}.jpg\" srcset=\"/image/{id}@2x.jpg 2x\" alt=\"Item {id}\" width=200 height=150>\
             <h2>Item number {id}</h2></a><p class=\"text\">A thing &amp; its name, as long as it is useful.</p>\
             <span class=\"price\">&euro; {item}.90</span></li>"
        );
    }
    page.push_str("</body></html>");
    page
}

/// The least of some rounds, per page.
fn least(mut work: impl FnMut() -> usize) -> Duration {
    let mut least = Duration::MAX;
    for _ in 0..9 {
        let begun = Instant::now();
        assert!(work() > 0, "the work is done");
        least = least.min(begun.elapsed());
    }
    least / PAGES as u32
}

fn main() {
    let pages: Vec<String> = (0..PAGES).map(page).collect();
    println!("{} bytes a page", pages[0].len());
    let parse = least(|| {
        pages
            .iter()
            .map(|page| Html::parse_document(page).tree.nodes().count())
            .sum()
    });
    let both = least(|| pages.iter().map(|page| resources(page).found.len()).sum());
    let found: Vec<Page<'_>> = pages.iter().map(|page| Page::new(&[], page.as_bytes())).collect();
    let first = found.iter().map(|page| page.resources().found.len()).sum::<usize>();
    let again = least(|| found.iter().map(|page| page.resources().found.len()).sum());
    println!("parsing {parse:?}, parsing and discovery {both:?}, discovery alone {again:?} ({first} resources)");
    println!(
        "discovery / parsing = {:.1} %",
        100.0 * again.as_secs_f64() / parse.as_secs_f64()
    );
}
