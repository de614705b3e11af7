//! A slashdot day as it is printed.

use nmax_capacity::day::{Given, study};
use nmax_capacity::parse;
use nmax_plan::document::Options;

use super::*;
use crate::doc::Document;
use crate::terminal::{Style, write};

const DAY: &str = "
capacity: 1
day:
  demand: { peak: 2000/s, low: 30% }
  events: [{ name: slashdot, at: \"14:00\", factor: 4, doubling: 5m, lasts: 2h, decays: 30m }]
  uncertainty: 10%
  node: { usable: 400/s, saturation: 500/s, service_time: 10ms, alpha: 0.01, beta: 0.0001 }
  failures: [{ lost: management, at: \"14:00\", for: 4h30m, chance: 10% }]
  provisioning: { takes: 2m, never: 1%, crowded: 2 }
  strategies:
    standing: { nodes: 8 }
    scaled: { nodes: 6, autoscale: { target: 60%, max: 60 } }
    cached: { nodes: 6, cache: { hit: 60% }, overload: shed }
  risk: { minutes: 30, chance: 20% }
  seeds: 6
";

fn a_day() -> Document {
    let setting = parse(DAY, &Options::standalone("day.yaml")).unwrap().day.unwrap();
    let found = study(&setting, &Given::default(), 1).unwrap();
    Document {
        title: "day".into(),
        banner: banner(&found, "EUR"),
        sections: sections(&found, "EUR"),
        ..Document::default()
    }
}

/// The sections in the terminal, as a file: `UPDATE=1` writes it.
#[test]
fn a_day_stands_in_every_medium() {
    let day = a_day();
    let fresh = write(&day, Style::default()).to_string();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/capacity/day/day.txt");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &fresh).unwrap();
    }
    assert_eq!(fresh, std::fs::read_to_string(path).unwrap());
    let (page, markdown) = (crate::html::write(&day), crate::markdown::write(&day));
    for text in ["What breaks it", "cached", "stays collapsed"] {
        assert!(page.contains(text) && markdown.contains(text), "{text}");
    }
    assert!(page.matches("<svg").count() >= 10);
    assert!(crate::pdf::write(&day).starts_with(b"%PDF"));
}
