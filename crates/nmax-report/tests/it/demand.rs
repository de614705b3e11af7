//! Sections of demand, of the date and of the upgrade path, on every medium.

use nmax_capacity::demand::{Ahead, Forecast, forecast};
use nmax_capacity::plan::date::{Supply, dates};
use nmax_capacity::plan::nodes::Survive;
use nmax_capacity::plan::path::path;
use nmax_capacity::{Assumptions, Basis, Figure, supply};
use nmax_plan::document::Options;
use nmax_report::capacity::{date, demand};
use nmax_report::doc::Document;
use nmax_report::{html, markdown, pdf, terminal};

/// 40 weeks of days with a quiet weekend, growth and some noise that repeats every 11 days; a spike.
fn peaks() -> String {
    let value = |day: i64| {
        let season = if day % 7 >= 5 { 0.7 } else { 1.0 };
        let noise = 0.02 * ((day * 7) % 11 - 5) as f64 / 5.0;
        let spike = if day == 100 { 3.0 } else { 1.0 };
        spike * season * 4000.0 * (0.0025 * day as f64 + noise).exp()
    };
    let start = nmax_capacity::Date::constant(2026, 2, 16);
    let day = |day: i64| start.checked_add(std::time::Duration::from_secs(86_400 * day as u64)).unwrap();
    (0..280).map(|at| format!("{},{:.0}\n", day(at), value(at))).collect()
}

fn document(text: &str) -> (Document, Forecast) {
    let file = |_: &str| Ok(format!("date,peak\n{}", peaks()));
    let options = Options { read: &file, ..Options::standalone("shop.yaml") };
    let question = nmax_capacity::parse(text, &options).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut rest = Assumptions::default();
    let ahead =
        Ahead { weeks: question.plan.weeks, today: question.plan.today, seed: question.seed, ..Ahead::default() };
    let forecast = forecast(&question.demand.unwrap(), &ahead, &mut rest).unwrap();
    let supply = supply::resolve(&question.supply, None, &mut rest).unwrap();
    let figure = Figure { value: 9000.0, interval: Some((8700.0, 9300.0)), basis: Basis::Measured };
    let mut sections = demand::sections(&forecast);
    sections.push(date::section(&dates(&forecast, &Supply::Figure(figure), question.plan.lead_days)));
    sections.extend(path(&forecast, &supply, Survive::None, 0.1).as_ref().map(date::path));
    (Document { title: "shop".into(), sections, ..Document::default() }, forecast)
}

const TEXT: &str = "capacity: 1
demand: { table: peaks.csv }
supply:
  usable: 1500/s
  nodes: { alpha: [0.005, 0.03, 0.03] }
  zones: 1
  now: 7
  upgrades:
    - { name: 12 nodes, nodes: 12, in: 10 weeks, price: 50000 }
    - { name: faster nodes, gain: 1.5, in: 12 weeks, price: 90000 }
plan: { horizon: 26 weeks, lead_time: 8 weeks }
";

#[test]
fn sections_stand_on_every_medium() {
    let (document, forecast) = document(TEXT);
    let text = terminal::write(&document, terminal::Style { width: 140, wide: true, ..terminal::Style::default() })
        .to_string();
    let page = html::write(&document);
    let note = markdown::write(&document);
    let day = forecast.bands[0].date.to_string();
    for wanted in ["Demand", "Back-test", "The date", "Upgrade path", "12 nodes", "faster nodes", &day] {
        assert!(text.contains(wanted), "terminal without {wanted}");
        assert!(page.contains(wanted), "page without {wanted}");
        assert!(note.contains(wanted), "Markdown without {wanted}");
    }
    assert_eq!(page.matches("id=\"demand-weeks").count(), page.matches("id=\"path-weeks").count());
    assert!(pdf::write(&document).starts_with(b"%PDF"));
}
