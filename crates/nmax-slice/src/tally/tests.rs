use std::collections::BTreeMap;

use nmax_metrics::Histogram;
use proptest::prelude::*;

use super::*;
use crate::answer::Answer;
use crate::column::{Column, Kind, NO_TEXT, Schema};
use crate::slice::Request;

/// A row: name (or none), status (or none), instant, ns, bytes.
type Line = (Option<u8>, Option<i64>, i64, i64, i64);

pub(crate) fn schema() -> Schema {
    let column = |name, kind| Column { name, kind, about: "" };
    Schema {
        source: "a test",
        columns: vec![
            column("name", Kind::Text),
            column("status", Kind::Number),
            column("time", Kind::Moment),
            column("response", Kind::Span),
            column("size", Kind::Bytes),
            column("failed", Kind::Number),
        ],
        time: "response",
        bytes: "size",
        when: "time",
        failed: "failed",
        subject: "name",
    }
}

fn has_failed(line: &Line) -> bool {
    line.1.is_none_or(|status| status >= 400)
}

pub(crate) fn chunk(lines: &[Line]) -> Chunk {
    let names: Arc<[Arc<str>]> = (0..10).map(|n| format!("n{n}").into()).collect();
    let ids = lines.iter().map(|line| line.0.map_or(NO_TEXT, u32::from)).collect();
    let numbers = |of: fn(&Line) -> i64| Some(Values::Numbers(lines.iter().map(of).collect()));
    Chunk {
        rows: lines.len(),
        columns: vec![
            Some(Values::Texts { ids, names }),
            numbers(|line| line.1.unwrap_or(UNKNOWN)),
            numbers(|line| line.2),
            numbers(|line| line.3),
            numbers(|line| line.4),
            numbers(|line| i64::from(has_failed(line))),
        ],
        sums: None,
    }
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let status = proptest::option::of(prop_oneof![Just(200_i64), Just(404), Just(500)]);
    let line = (proptest::option::of(0..6_u8), status, 0..200_000_000_000_i64, 1_000..5_000_000_000_i64, 0..3_000_i64);
    proptest::collection::vec(line, 0..300)
}

fn compile(request: &Request) -> Arc<Slice> {
    Arc::new(Slice::compile(request, &schema()).unwrap())
}

fn by(by: &str, show: &str) -> Request {
    Request { by: vec![by.into()], show: vec![show.into()], ..Request::default() }
}

fn answer(slice: &Arc<Slice>, parts: &[&[Line]]) -> Answer {
    let fill = |mut tally: Tally| {
        parts.iter().for_each(|part| tally.add(&chunk(part)));
        tally
    };
    let first = fill(Tally::new(slice));
    let last = match first.again() {
        Some(second) => fill(second),
        None => first,
    };
    last.answer(Some((0, 200_000_000_000)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: every figure is that of the plain list of a group's values. Quantiles are those of the program's histogram, and
    /// within its error of the value at that rank.
    #[test]
    fn figures_are_those_of_the_lists(lines in lines()) {
        let slice = compile(&Request {
            filter: vec!["response >= 1ms and status != 404".into()],
            top: Some(100),
            ..by("name,status", "count,failures,rate,bytes,mean,max,p50,p99,size.p50")
        });
        let found = answer(&slice, &[&lines]);
        let mut groups: BTreeMap<(Option<u8>, Option<i64>), Vec<&Line>> = BTreeMap::new();
        for line in lines.iter().filter(|line| line.3 >= 1_000_000 && line.1 != Some(404)) {
            groups.entry((line.0, line.1)).or_default().push(line);
        }
        prop_assert_eq!(found.rows.len(), groups.len());
        prop_assert!(found.rows.is_sorted_by(|a, b| a.values[0] >= b.values[0]), "largest first");
        for row in &found.rows {
            let name = match &row.key[0] { Cell::Text(text) => text[1..].parse().ok(), _ => None };
            let status = match row.key[1] { Cell::Number(status) => Some(status), _ => None };
            let group = &groups[&(name, status)];
            let count = group.len() as f64;
            let mut times: Vec<i64> = group.iter().map(|line| line.3).collect();
            times.sort_unstable();
            let mut histogram = Histogram::new();
            times.iter().for_each(|time| histogram.record(*time as u64));
            let failures = group.iter().filter(|line| has_failed(line)).count() as f64;
            let bytes: i64 = group.iter().map(|line| line.4).sum();
            let want = [count, failures, count / 200.0, bytes as f64, times.iter().sum::<i64>() as f64 / count];
            for (found, want) in row.values.iter().zip(want) {
                prop_assert!((found.unwrap() - want).abs() <= 1e-9 * want.abs(), "{row:?}, want {want}");
            }
            prop_assert_eq!(row.values[5], times.last().map(|last| *last as f64));
            for (value, q) in [(row.values[6], 0.5), (row.values[7], 0.99)] {
                let rank = ((q * count).ceil() as usize).max(1) - 1;
                let (value, exact) = (value.unwrap(), times[rank] as f64);
                prop_assert!((value - exact).abs() <= 0.001 * exact + 1.0, "{value} for {exact}");
                let own = histogram.quantile_ns(q).unwrap() as f64;
                prop_assert_eq!(value, own.clamp(times[0] as f64, times[times.len() - 1] as f64));
            }
            let mut sizes: Vec<i64> = group.iter().map(|line| line.4).collect();
            sizes.sort_unstable();
            let exact = sizes[((0.5 * count).ceil() as usize).max(1) - 1] as f64;
            prop_assert!((row.values[8].unwrap() - exact).abs() <= 0.001 * exact + 1.0);
        }
    }

    /// Law: however rows are cut into chunks and tallies, the answer is the same, series too.
    #[test]
    fn merging_is_union(lines in lines(), cuts in proptest::collection::vec(0..300_usize, 3)) {
        let request = Request {
            is_over_time: true,
            top: Some(3),
            ..by("name,images=n[0-2]", "count,share,p95")
        };
        let slice = compile(&request);
        let whole = answer(&slice, &[&lines]);
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(lines.len())).collect();
        cuts.sort_unstable();
        let parts = [&lines[..cuts[0]], &lines[cuts[0]..cuts[1]], &lines[cuts[1]..cuts[2]], &lines[cuts[2]..]];
        prop_assert_eq!(&answer(&slice, &parts), &whole, "in turn");
        let mut merged = Tally::new(&slice);
        for part in parts {
            let mut own = Tally::new(&slice);
            own.add(&chunk(part));
            merged.merge(&own);
        }
        prop_assert_eq!(&merged.answer(Some((0, 200_000_000_000))), &whole, "merged");
    }

    /// Law: rows, what is left and the series add up to the whole.
    #[test]
    fn parts_add_up(lines in lines(), top in 1..4_usize) {
        let slice = compile(&Request { is_over_time: true, top: Some(top), ..by("name", "count,bytes") });
        let found = answer(&slice, &[&lines]);
        for figure in 0..2 {
            let of = |row: &crate::Row| row.values[figure].unwrap();
            let rows: f64 = found.rows.iter().map(of).sum();
            prop_assert_eq!(rows + found.other.as_ref().map_or(0.0, of), of(&found.total));
            for row in &found.rows {
                let points: f64 = row.series.iter().map(|(_, values)| values[figure].unwrap()).sum();
                prop_assert_eq!(points, of(row));
            }
        }
        prop_assert_eq!(found.total.values[0], Some(lines.len() as f64));
        if let Some(row) = found.rows.first() {
            prop_assert!(row.series.len() as i64 <= SERIES_MAX);
        }
    }

    /// Law: a row that stands for many exchanges counts as they do.
    #[test]
    fn sums_count_as_their_rows(lines in lines()) {
        let slice = compile(&Request { is_over_time: true, every: Some("10s".into()), ..by("name", "count,failures,bytes,p95") });
        let single = answer(&slice, &[&lines]);
        let mut groups: BTreeMap<(Option<u8>, i64), Vec<&Line>> = BTreeMap::new();
        for line in &lines {
            groups.entry((line.0, line.2 / 5_000_000_000)).or_default().push(line);
        }
        let rows: Vec<Line> = groups.keys().map(|(name, at)| (*name, None, at * 5_000_000_000, 0, 0)).collect();
        let sums = groups.values().map(|group| {
            let mut response = Histogram::new();
            group.iter().for_each(|line| response.record(line.3 as u64));
            Sums {
                count: group.len() as u64,
                failures: Some(group.iter().filter(|line| has_failed(line)).count() as u64),
                spans: vec![(3, response)],
                totals: vec![(4, group.iter().map(|line| line.4 as u64).sum())],
            }
        });
        let mut summed = chunk(&rows);
        summed.sums = Some(sums.collect());
        let mut tally = Tally::new(&slice);
        tally.add(&summed);
        prop_assert_eq!(tally.answer(Some((0, 200_000_000_000))), single);
    }
}

/// Many groups: the largest are exact after a second reading, the rest is together, memory is bounded.
#[test]
fn the_largest_of_very_many_groups_are_exact() {
    let slice = compile(&Request { top: Some(5), ..by("status", "count,max") });
    let total = 60_000_i64;
    // The five heavy ones come late, when no further group is told apart.
    let heavy = |at: i64| at > total / 2 && at % 7 == 0;
    let lines: Vec<Line> =
        (0..total).map(|at| (None, Some(if heavy(at) { 1 + at / 7 % 5 } else { 100 + at }), at, at, 1)).collect();
    let found = answer(&slice, &lines.chunks(1_000).collect::<Vec<_>>());
    for row in &found.rows {
        let Cell::Number(status) = row.key[0] else { panic!("{row:?}") };
        let own = lines.iter().filter(|line| line.1 == Some(status));
        assert!((1..=5).contains(&status), "{row:?}");
        assert_eq!(row.values, [Some(own.clone().count() as f64), own.map(|line| line.3 as f64).reduce(f64::max)]);
    }
    assert_eq!(found.rows.len(), 5);
    assert_eq!(found.other_groups, None, "they were not counted");
    assert_eq!(found.total.values[0], Some(total as f64));
    assert!(found.notes[0].contains("more groups than fit"), "{:?}", found.notes);

    let mut once = Tally::new(&slice);
    lines.chunks(1_000).for_each(|part| once.add(&chunk(part)));
    assert!(once.groups.len() <= GROUPS_MAX && once.frequent.iter().count() <= 2 * crate::frequent::KEPT);
    assert!(once.answer(None).notes[0].contains("only once"));
}

#[test]
fn series_that_are_too_many_are_read_again_for_the_rows_shown() {
    let slice = compile(&Request { top: Some(2), is_over_time: true, ..by("status", "count") });
    let lines: Vec<Line> = (0..60_000_i64)
        .map(|at| (None, Some(if at % 3 == 0 { at % 1_000 } else { 7 }), at * 1_000_000, 1, 1))
        .collect();
    let found = answer(&slice, &lines.chunks(1_000).collect::<Vec<_>>());
    assert_eq!(found.rows[0].key, [Cell::Number(7)]);
    assert_eq!(found.rows[0].series.len(), 60);
    assert_eq!(found.other_groups, Some(998), "they are known, they only have no series");
    assert!(found.notes.is_empty(), "{:?}", found.notes);
}

/// Exchanges that are far apart do not make empty points without end: few rows have all points, many rows those that are.
#[test]
fn empty_points_are_left_out_where_they_are_too_many() {
    let lines: Vec<Line> = (0..600_i64)
        .flat_map(|group| [0, 10_000].map(|second| (None, Some(group), second * 1_000_000_000, 1, 1)))
        .collect();
    for (top, points) in [(2, 10_001), (600, 2)] {
        let slice =
            compile(&Request { top: Some(top), is_over_time: true, every: Some("1s".into()), ..by("status", "count") });
        let found = answer(&slice, &[&lines]);
        assert_eq!(found.rows.len(), top);
        assert!(found.rows.iter().all(|row| row.series.len() == points), "{top}");
        let ends = |row: &crate::answer::Row| (row.series[0].0, row.series[points - 1].0);
        assert_eq!(ends(&found.rows[0]), (0, 10_000_000_000_000));
        assert_eq!(found.notes.len(), usize::from(points == 2), "{:?}", found.notes);
    }
}

#[test]
fn rates_are_over_the_time_that_is_left() {
    let lines: Vec<Line> = (0..200_i64).map(|second| (Some(0), Some(200), second * 1_000_000_000, 1, 1)).collect();
    // condition, rate per second, why
    let cases = [
        ("time >= 100s", Some(1.0), "half of the time"),
        ("time >= 100s and time < 110s and status = 200", Some(1.0), "a part"),
        ("time < 10s or status = 404", None, "no single span"),
        ("not time < 10s", None, "no single span"),
        ("status = 404", Some(0.0), "nothing in all of it"),
    ];
    for (condition, want, why) in cases {
        let slice =
            compile(&Request { filter: vec![condition.into()], show: vec!["rate".into()], ..Request::default() });
        assert_eq!(answer(&slice, &[&lines]).total.values[0], want, "{condition}: {why}");
    }
}

/// Where rows are steps of time, a rate is over the row's own step, cut at the ends of what was looked at.
#[test]
fn rates_of_steps_are_over_the_step() {
    let lines: Vec<Line> = (0..200_i64).map(|second| (Some(0), Some(200), second * 1_000_000_000, 1, 1)).collect();
    let rates = |filter: &[&str], by: &str| {
        let slice = compile(&Request {
            filter: filter.iter().map(|text| (*text).to_owned()).collect(),
            by: vec![by.into()],
            show: vec!["rate".into()],
            top: Some(100),
            ..Request::default()
        });
        let answer = answer(&slice, &[&lines]);
        (answer.rows.iter().map(|row| row.values[0]).collect::<Vec<_>>(), answer.total.values[0], answer.chosen)
    };
    for by in ["time:2s", "time:30s", "name,time:5s", "time:2s,time:50s"] {
        let (rows, total, chosen) = rates(&[], by);
        assert!(rows.iter().all(|rate| *rate == Some(1.0)), "{by}: {rows:?}");
        assert_eq!((total, chosen), (Some(1.0), 200), "{by}");
    }
    let (rows, total, chosen) = rates(&["time >= 3s", "time < 8s"], "time:5s");
    assert_eq!((rows, total, chosen), (vec![Some(1.0); 2], Some(1.0), 5), "2 s of the first step, 3 s of the second");
    // No single span, and no rate.
    assert_eq!(rates(&["time < 10s or status = 404"], "time:5s").0, [None, None]);
    // What is not grouped by time is over all of it.
    assert_eq!(rates(&[], "response:1s").0, [Some(1.0)]);
}

/// A row of `name` at a second.
fn at(name: u8, second: i64) -> Line {
    (Some(name), Some(200), second * 1_000_000_000, 1, 1)
}

fn chosen(filter: &str, request: Request, lines: &[Line]) -> Answer {
    let slice = compile(&Request { filter: vec![filter.into()], show: vec!["rate".into()], ..request });
    answer(&slice, &[lines])
}

/// Rows are put in order by the rates that they show; where no span is known, by what happened.
#[test]
fn order_by_rate_is_that_of_the_rates_shown() {
    let by_rate = |by: &str| Request { by: vec![by.into()], sort: Some("rate".into()), ..Request::default() };
    // Four in 2 s, then five in 5 s.
    let lines: Vec<Line> = [3, 3, 4, 4, 5, 6, 7, 8, 9].map(|second| at(0, second)).into();
    let found = chosen("time >= 3s and time < 10s", by_rate("time:5s"), &lines);
    let rates: Vec<Option<f64>> = found.rows.iter().map(|row| row.values[0]).collect();
    assert_eq!(rates, [Some(2.0), Some(1.0)]);
    let lines = [at(1, 1), at(2, 1), at(2, 2), at(2, 3), at(3, 1), at(3, 2)];
    let found = chosen("time < 10s or status = 404", by_rate("name"), &lines);
    let names: Vec<Cell> = found.rows.iter().map(|row| row.key[0].clone()).collect();
    assert_eq!(names, ["n2", "n3", "n1"].map(|name| Cell::Text(name.into())));
    assert!(found.rows.iter().all(|row| row.values[0].is_none()));
}

/// Rates of points are over the part of each that was looked at, and that is of the row's own step of time.
#[test]
fn rates_of_points_are_over_their_part() {
    let lines: Vec<Line> = (0..200).map(|second| at(0, second)).collect();
    for (by, rows) in [("name", 1), ("time:7s", 2)] {
        let request =
            Request { by: vec![by.into()], is_over_time: true, every: Some("5s".into()), ..Request::default() };
        let found = chosen("time >= 3s and time < 8s", request, &lines);
        assert_eq!(found.rows.len(), rows, "{by}");
        for row in &found.rows {
            let rates: Vec<f64> = row.series.iter().filter_map(|(_, values)| values[0]).collect();
            assert!(!rates.is_empty() && rates.iter().all(|rate| (rate - 1.0).abs() < 1e-9), "{by}: {row:?}");
        }
    }
}
