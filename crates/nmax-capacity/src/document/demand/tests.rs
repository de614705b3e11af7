use jiff::civil::date;
use nmax_plan::document::Options;

use super::*;
use crate::document::{Document, parse};

fn read(text: &str) -> Result<Document, String> {
    let file = |name: &str| match name {
        "peaks.csv" => Ok("date,peak\n2026-11-02,600\n2026-11-03,660\n".to_owned()),
        "wrong.csv" => Ok("date,peak\n2026-11-02,600\n2026-11-03,0\n".to_owned()),
        "answer.json" => Ok(r#"{"status":"success","data":{"resultType":"matrix","result":[
            {"metric":{},"values":[[1793577600,"7"],[1793664000,"8"]]},
            {"metric":{},"values":[[1793577600,"1"],[1793664000,"2"]]}]}}"#
            .to_owned()),
        _ => Err("there is no such file".to_owned()),
    };
    let options = Options { read: &file, exists: &|_| Ok(1), ..Options::standalone("shop.yaml") };
    let text = format!("capacity: 1\n{text}");
    parse(&text, &options).map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn values(text: &str) -> Vec<f64> {
    match read(text).unwrap().demand.unwrap().source {
        Source::Series(series) => series.known().map(|(_, value)| value).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn demand_from_each_source() {
    assert_eq!(values("demand: { table: peaks.csv, unit: /min }"), [10.0, 11.0]);
    assert_eq!(values("demand: { metrics: answer.json }"), [8.0, 10.0]);
    let document = read(
        "demand:\n  now: 4000/s\n  growth: 2.4% per week\n  low: 1% per week\n  holidays: [2026-12-25]\n  events:\n    \
         - { name: sale, on: [2026-11-27, 2027-11-26], days: 2, factor: 3 }\nplan: { horizon: 8 weeks, today: 2026-11-24, \
         lead_time: 10 days }",
    );
    let document = document.unwrap();
    let demand = document.demand.unwrap();
    let Source::Assumed(assumed) = demand.source else { panic!("{:?}", demand.source) };
    assert_eq!(assumed.now, 4000.0);
    assert!((assumed.growth.value - 0.024).abs() < 1e-12 && (assumed.growth.low() - 0.01).abs() < 1e-12);
    assert_eq!(assumed.growth.high(), assumed.growth.value);
    let days = [date(2026, 11, 27), date(2026, 11, 28), date(2027, 11, 26), date(2027, 11, 27)];
    assert_eq!(demand.events[1], Event { name: "sale".into(), days: days.into(), factor: Some(3.0) });
    assert_eq!(document.plan.lead_days, 10);
    let document = read("demand: { log: [a.log, b.log.gz], peak: p99, zone: '+01:00' }").unwrap();
    let files = vec!["a.log".into(), "b.log.gz".into()];
    let logs = Logs { files, format: None, zone_s: 3600, peak: Peak::P99 };
    assert_eq!(document.demand.unwrap().source, Source::Logs(logs));
}

#[test]
fn wrong_demand_says_where_and_what_to_do() {
    let cases = [
        ("demand: { table: wrong.csv }", "shop.yaml:2:18: wrong.csv:3: 0 is not a peak of requests"),
        ("demand: { table: none.csv }", "cannot read `none.csv`: there is no such file"),
        ("demand: { now: 10/s }", "`now` has no growth"),
        ("demand: { now: 10/s, growth: 2% }", "`2%` is not a growth"),
        ("demand: { now: 10/s, growth: 2% per week, low: 3% per week }", "the growth is not between `low` and `high`"),
        ("demand: { table: peaks.csv, now: 10/s }", "demand comes from `table` or from `now`, not from both"),
        ("demand: { table: peaks.csv, growth: 1% per week }", "`growth` is for `now`"),
        ("demand: { holidays: [2026-12-25] }", "`demand` has no source"),
        ("demand: { table: peaks.csv, holidays: [25.12.2026] }", "`25.12.2026` is not a day"),
        ("plan: { horizon: 26 }", "`26` is not a time"),
        ("plan: { horizon: 3 days }", "the horizon is less than a week"),
    ];
    for (text, wanted) in cases {
        let found = read(text).unwrap_err();
        assert!(found.contains(wanted), "{text}: {found}");
    }
}
