//! What extraction by CSS and discovery of resources cost beside the parser alone: pages of some 20 KB, no two alike.
//!
//! Unit of work: one page from its bytes. It decides whether a scenario that reads pages keeps up with one that does
//! not. Prints CSV: microseconds per page by round; what is compared takes turns within a round.
//!
//! `cargo bench -p nmax-extract --bench read_pages [-- ROUNDS]`

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "a program that measures and prints")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use nmax_extract::resources::resources;
use nmax_extract::{Extractor, ReplyContent};
use nmax_plan::plan::ReplyPart;
use scraper::Html;

const PAGES: usize = 400;
const ROUNDS: usize = 15;
/// Pages that one work reads before it is another one's turn.
const TURN: usize = 10;

/// Does something with a page and gives how much it found.
type Work<'a> = Box<dyn Fn(&str) -> usize + 'a>;

/// A page of a shop: number and texts of its items follow from its number.
fn page(number: usize) -> String {
    let words = ["lamp", "tea", "chair", "a long and thin blue ribbon", "book", "wool"];
    let mut page = String::from(
        "<!doctype html><html><head><title>t</title><link rel=stylesheet href=/app.css><script src=/app.js defer>\
         </script><style>.hero { background: url(/hero.jpg) }</style></head><body><form action=/search>\
         <input type=hidden name=csrf value=",
    );
    let _ = write!(page, "{:016x}></form><ul>", number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for item in 0..54 + number % 13 {
        let id = number * 1000 + item;
        let word = words[id.wrapping_mul(2_654_435_761) % words.len()];
        let _ = writeln!(
            page,
            "<li class=\"item wide\" id=\"i{id}\"><a class=\"link\" href=\"/item/{id}\" title=\"Item {id}\">\
             <img src=\"/image/{id}.jpg\" srcset=\"/image/{id}@2x.jpg 2x\" alt=\"Item {id}\" width=200 height=150>\
             <h2>A {word} of number {id}</h2></a><p class=\"text\">The {word} &amp; its name, as long as useful.</p>\
             <span class=\"price\">&euro; {item}.90</span></li>"
        );
    }
    page.push_str("</ul></body></html>");
    page
}

fn css(selector: &str, attribute: Option<&str>) -> Result<Extractor, String> {
    Extractor::new(&ReplyPart::Css { selector: selector.to_owned(), attribute: attribute.map(str::to_owned) })
}

/// Time of `work` on all of `pages`, µs.
fn time_us(pages: &[String], work: &Work<'_>) -> f64 {
    let begun = Instant::now();
    for page in pages {
        assert!(black_box(work(black_box(page))) > 0, "the work is done");
    }
    begun.elapsed().as_secs_f64() * 1e6
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let rounds = arguments.next().map_or(Ok(ROUNDS), |text| text.parse())?;
    let pages: Vec<String> = (0..PAGES).map(page).collect();
    let one = css("input[name=csrf]", Some("value"))?;
    let all = css("li.item a.link", Some("href"))?;
    let bytes = pages.iter().map(String::len).sum::<usize>() / PAGES;
    let works: [(&str, Work<'_>); 4] = [
        ("parser", Box::new(|page| Html::parse_document(page).tree.nodes().len())),
        ("css_one", Box::new(|page| one.count(&ReplyContent::new(&[], page.as_bytes())).unwrap_or(0))),
        (
            "css_two",
            Box::new(|page| {
                let page = ReplyContent::new(&[], page.as_bytes());
                one.count(&page).unwrap_or(0) + all.count(&page).unwrap_or(0)
            }),
        ),
        ("discovery", Box::new(|page| resources(page).map_or(0, |named| named.found.len()))),
    ];
    println!("round,bytes,{}", works.each_ref().map(|(name, _)| *name).join(","));
    // Tables of the libraries are built at the first use.
    time_us(&pages[..TURN], &works[2].1);
    for round in 1..=rounds {
        let mut times_us = [0.0; 4];
        // Turns are short, so that what disturbs the machine disturbs all works alike.
        for (number, turn) in pages.chunks(TURN).enumerate() {
            for place in 0..works.len() {
                let which = (round + number + place) % works.len();
                times_us[which] += time_us(turn, &works[which].1);
            }
        }
        let per_page = times_us.map(|time| format!("{:.2}", time / PAGES as f64));
        println!("{round},{bytes},{}", per_page.join(","));
    }
    Ok(())
}
