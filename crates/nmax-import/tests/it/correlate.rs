//! What is correlated, what is not, and that each extractor finds what it must.
//!
//! # Layout
//! - harness: this file, [`visits`] (written down in few words), [`works`] (the law of extractors)
//! - tests: [`shop`] (a whole visit), [`ways`] (in which a value comes back), [`left_alone`] (what is no correlation),
//!   [`planted`] (values put anywhere)

mod left_alone;
mod planted;
mod shop;
mod visits;
mod ways;
mod works;

use nmax_import::correlate::{Correlation, Correlations, correlate};
use nmax_plan::plan::MatchPick;

use self::visits::{Exchange, visit};
use self::works::{told, works};

const CSRF: &str = "9f86d081884c7d659a2feaa0c55ad015";
const ITEM: &str = "5b0b7f9e-1c1d-4e0c-9b2f-7d7a51c9ac10";
const OTHER: &str = "a3e1f2c4-90ab-4c3d-8e21-0f1e2d3c4b5a";

fn found(exchanges: &[Exchange]) -> Correlations {
    let (recording, journey) = visit(exchanges);
    let found = correlate(&recording, &journey, None);
    works(&recording, &found);
    found
}

fn found_in_two(first: &[Exchange], second: &[Exchange]) -> Correlations {
    let (first, second) = (visit(first), visit(second));
    let found = correlate(&first.0, &first.1, Some((&second.0, &second.1)));
    works(&first.0, &found);
    found
}

/// One line for each: name, entry it comes from, extractor, and where it goes.
fn lines(found: &Correlations) -> Vec<String> {
    let line = |correlation: &Correlation| {
        let pick = match correlation.pick {
            MatchPick::First => String::new(),
            other => format!(" {other:?}"),
        };
        let uses: Vec<String> =
            correlation.uses.iter().map(|(at, template)| format!("{} {:?} {template}", at.entry, at.place)).collect();
        format!("{}: {} {}{pick} -> {}", correlation.name, correlation.from, told(&correlation.source), uses.join(", "))
    };
    found.values.iter().map(line).collect()
}

#[track_caller]
fn check(exchanges: &[Exchange], want: &[&str]) -> Correlations {
    let found = found(exchanges);
    assert_eq!(lines(&found), want, "denied: {:?}", found.denied);
    found
}
