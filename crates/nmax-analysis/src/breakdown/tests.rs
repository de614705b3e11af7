use nmax_metrics::{
    Aggregate, Code, Histogram, NameId, Nanos, Network, Outcome, Readings, Resource, Sample, Section, TrackKey, Window,
};
use nmax_plan::plan::{Call, Method, Observed, ObservedSource, Step, Value};
use nmax_plan::tags::TagRule;
use nmax_plan::template::{Part, Template};
use nmax_sources::kinds::{LAYER, LOG};
use proptest::prelude::*;

use super::operations::non_negative;
use super::*;
use crate::tests::fixture::{FORM, HOME, Run};
use crate::{Evidence, breakdown};

/// An exchange that ended in the given window.
#[derive(Clone, Debug)]
struct Ended {
    window: u64,
    name: NameId,
    outcome: Outcome,
    status: Option<u16>,
    response_ns: u64,
    receive_ns: u64,
    bytes: u64,
}

fn sample(ended: &Ended) -> Sample {
    // Late enough that it began within the run.
    let done = Nanos::from_secs(ended.window + 10);
    let intended = Nanos(done.0.saturating_sub(ended.response_ns));
    Sample {
        name: ended.name,
        scenario: 0,
        outcome: ended.outcome,
        status: ended.status.map(Code::new),
        intended,
        sent: Some(intended),
        first_byte: Some(Nanos(done.0 - ended.receive_ns.min(ended.response_ns))),
        done,
        network: Network::default(),
        send: Nanos::ZERO,
        slot_wait: Nanos::ZERO,
        bytes_received: ended.bytes,
        bytes_sent: 100,
        bytes_decoded: ended.bytes,
    }
}

/// A run of these exchanges, all in the hold, and its stretches.
fn run_of(ended: &[Ended]) -> (Run, Stretches) {
    let mut run = Run::empty();
    let last = ended.iter().map(|one| one.window).max().unwrap_or(0);
    run.hold = (Nanos::ZERO, Nanos::from_secs(last + 1));
    run.end = run.hold.1;
    let mut windows: Vec<Window> = (0..=last).map(|index| Window::new(index, Nanos::from_secs(1))).collect();
    for one in ended {
        windows[one.window as usize].aggregate.record(Section::Hold, &sample(one));
    }
    let mut stretches = Stretches::default();
    let mut totals = Aggregate::default();
    for window in &windows {
        stretches.push(window);
        totals.merge(&window.aggregate);
    }
    run.totals = totals;
    (run, stretches)
}

fn ended() -> impl Strategy<Value = Ended> {
    let outcome = prop_oneof![
        (Just(Outcome::Ok), prop_oneof![Just(200), Just(204), Just(302)]),
        (Just(Outcome::Failed), prop_oneof![Just(200), Just(404), Just(500)]),
    ];
    (0..300_u64, 0..2_u32, outcome, 1_000..5_000_000_000_u64, 0..1_000_000_u64).prop_map(
        |(window, name, (outcome, status), response_ns, bytes)| Ended {
            window,
            name: NameId(name),
            outcome,
            status: Some(status),
            response_ns,
            receive_ns: response_ns / 2,
            bytes,
        },
    )
}

fn rows(breakdown: &Breakdown, dimension: Dimension) -> impl Iterator<Item = &Row> {
    breakdown.rows.iter().filter(move |row| row.dimension == dimension)
}

fn row<'a>(breakdown: &'a Breakdown, dimension: Dimension, value: &str) -> &'a Row {
    rows(breakdown, dimension).find(|row| row.value == value).unwrap()
}

/// The value of rank ⌈q·n⌉, ns.
fn quantile(times: &mut [u64], q: f64) -> Option<u64> {
    times.sort_unstable();
    let rank = ((q * times.len() as f64).ceil() as usize).max(1);
    times.get(rank - 1).copied()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: by each dimension, rows are the exchanges with that value, and none is in two of them: counts and sums of
    /// times add up to those of all, whatever the windows.
    #[test]
    fn rows_part_the_exchanges(exchanges in proptest::collection::vec(ended(), 1..80)) {
        let (run, stretches) = run_of(&exchanges);
        let found = breakdown(&run.evidence(), &stretches);
        let sum_ms: f64 = exchanges.iter().map(|one| one.response_ns as f64 / 1e6).sum();
        for dimension in [Dimension::Name, Dimension::Method, Dimension::Template, Dimension::Status] {
            let count: u64 = rows(&found, dimension).map(|row| row.count).sum();
            prop_assert_eq!(count, exchanges.len() as u64, "{:?}", dimension);
            let rows_ms: f64 = rows(&found, dimension)
                .filter_map(|row| Some(row.response?.mean_ms * row.count as f64))
                .sum();
            prop_assert!((rows_ms - sum_ms).abs() < 1e-6 * sum_ms, "{dimension:?}: {rows_ms} of {sum_ms} ms");
            let over_time: u64 = rows(&found, dimension).flat_map(|row| &row.points).map(|point| point.count).sum();
            prop_assert_eq!(over_time, exchanges.len() as u64, "{:?} over time", dimension);
        }
    }

    /// Law: figures of a status are those of a sorted list of its exchanges, over the run and in each stretch.
    #[test]
    fn statuses_are_as_sorted(exchanges in proptest::collection::vec(ended(), 1..80), status in prop_oneof![Just(200), Just(404)]) {
        let (run, stretches) = run_of(&exchanges);
        let found = breakdown(&run.evidence(), &stretches);
        let mut own: Vec<&Ended> = exchanges.iter().filter(|one| one.status == Some(status)).collect();
        let shown = rows(&found, Dimension::Status).find(|row| row.value == status.to_string());
        prop_assert_eq!(shown.is_some(), !own.is_empty());
        let Some(shown) = shown else { return Ok(()) };
        let mut times: Vec<u64> = own.iter().map(|one| one.response_ns).collect();
        let p95_ms = quantile(&mut times, 0.95).unwrap() as f64 / 1e6;
        prop_assert!((shown.response.unwrap().p95_ms - p95_ms).abs() <= 2e-3 * p95_ms + 1e-3);
        for point in &shown.points {
            let inside = |one: &&&Ended| {
                (point.start_s..point.start_s + point.width_s).contains(&(one.window as f64))
            };
            let mut times: Vec<u64> = own.iter().filter(inside).map(|one| one.response_ns).collect();
            prop_assert_eq!(point.count, times.len() as u64);
            let mean_ms = times.iter().sum::<u64>() as f64 / times.len() as f64 / 1e6;
            prop_assert!((point.mean_ms.unwrap() - mean_ms).abs() <= 1e-6 * mean_ms);
            let p95_ms = quantile(&mut times, 0.95).unwrap() as f64 / 1e6;
            let off = (point.p95_ms.unwrap() / p95_ms - 1.0).abs();
            // Half a bucket of the histogram comes on top.
            prop_assert!(off <= TIME_ERROR + 2e-3, "{off} at {} s", point.start_s);
        }
        own.clear();
        prop_assert!(shown.points.len() <= POINTS_MAX);
    }

    /// Law: the solution meets the conditions of Karush, Kuhn and Tucker: the gradient is 0 where b > 0, and not negative
    /// where b = 0.
    #[test]
    fn the_solution_meets_its_conditions(
        rows in proptest::collection::vec((proptest::collection::vec(0.0..50.0_f64, 3), 0.0..500.0_f64), 6..30),
    ) {
        let b = non_negative(&rows.iter().collect::<Vec<_>>());
        let scale: f64 = rows.iter().map(|(x, y)| x.iter().sum::<f64>() * (y + 1.0)).sum();
        for (column, value) in b.iter().enumerate() {
            let gradient: f64 = rows
                .iter()
                .map(|(x, y)| {
                    let fitted: f64 = x.iter().zip(&b).map(|(x, b)| x * b).sum();
                    (fitted - y) * x[column]
                })
                .sum();
            prop_assert!(*value >= 0.0);
            prop_assert!(gradient >= -1e-6 * scale, "column {column}: {gradient}");
            prop_assert!(*value == 0.0 || gradient.abs() <= 1e-6 * scale, "column {column}: {gradient}");
        }
    }
}

fn one(window: u64, name: NameId, response_ms: u64, bytes: u64) -> Ended {
    Ended {
        window,
        name,
        outcome: Outcome::Ok,
        status: Some(200),
        response_ns: response_ms * 1_000_000,
        receive_ns: 0,
        bytes,
    }
}

/// Law: methods, templates and tags follow from the plan, also of redirects and of what pages bring along.
#[test]
fn names_have_the_traits_of_their_requests() {
    let (mut run, _) = run_of(&[one(0, HOME, 1, 1)]);
    let rule = |name: &str| TagRule { name: name.into(), pattern: "x".into() };
    run.plan.tags = vec![rule("images")];
    change(&mut run, 0, |request| {
        request.http_mut().unwrap().method = Method::Post;
        request.http_mut().unwrap().url = Template {
            parts: vec![Part::Text("http://shop.test/item/".into()), Part::Iteration, Part::Text("?a=1".into())],
        };
        request.tags = vec!["own".into(), "not images".into()];
    });
    run.catalog.pages = vec!["home".into()];
    for name in ["home +1", "home image [images]", "home style", "GET /a.png [images] +2"] {
        run.catalog.requests.intern(name);
    }
    change(&mut run, 1, |request| {
        request.name = Template {
            parts: vec![
                Part::Text("order ".into()),
                Part::Iteration,
                Part::Text(" of ".into()),
                Part::Vu,
                Part::Text(" done".into()),
            ],
        };
    });
    for name in ["order 7 of 8 of 9 done", "order 7 of 8 done twice", "order 7 done"] {
        run.catalog.requests.intern(name);
    }
    let traits = traits(&run.plan, &run.catalog);
    let template = |name: &str| &traits[run.catalog.requests.find(name).unwrap().0 as usize].template;
    let own = template("order 7 of 8 of 9 done");
    assert!(!own.starts_with('('), "a name with holes is that of its request: {own}");
    for other in ["order 7 of 8 done twice", "order 7 done"] {
        assert_eq!(template(other), "(several)", "{other}");
    }
    let found = |name: &str| {
        let id = run.catalog.requests.find(name).unwrap();
        let own = &traits[id.0 as usize];
        let tags = own.tags.join("+");
        format!("{} {} {tags}", own.method, own.template)
    };
    assert_eq!(found("home"), "POST /item/${iteration} not images+own");
    assert_eq!(found("home +1"), "(several) (redirect) not images+own");
    assert_eq!(found("home image [images]"), "GET (image of a page) images");
    assert_eq!(found("home style"), "GET (style of a page) not images");
    assert_eq!(found("GET /a.png [images] +2"), "GET /a.png images");
}

fn change(run: &mut Run, scenario: usize, mut with: impl FnMut(&mut Call)) {
    for step in &mut run.plan.scenarios[scenario].steps {
        if let Step::Call(request) = step {
            with(std::sync::Arc::make_mut(request));
        }
    }
}

/// A condition on a tag by expression counts what pages brought along, too.
#[test]
fn conditions_on_tags_count_resources_of_pages() {
    let (mut run, _) = run_of(&[one(0, HOME, 1, 1)]);
    run.plan.tags = vec![TagRule { name: "images".into(), pattern: "x".into() }];
    for scenario in 0..2 {
        change(&mut run, scenario, |request| request.tags = vec!["not images".into()]);
    }
    run.catalog.pages = vec!["home".into()];
    let image = run.catalog.requests.intern("home image [images]");
    run.totals.record(Section::Hold, &sample(&one(0, image, 70, 1)));
    let of_tag = |tag: &str| {
        let scope = nmax_plan::threshold::Scope::Tag(tag.into());
        let evidence: Evidence<'_> = run.evidence();
        let stats = crate::scope::exchanges(&evidence, evidence.totals, &scope).unwrap();
        (stats.count(), stats.latencies().response.max_ns())
    };
    assert_eq!(of_tag("images"), (1, Some(70_000_000)));
    assert_eq!(of_tag("not images"), (1, Some(1_000_000)));
}

/// A tag that only some requests of a name have cannot be told apart, and that is said.
#[test]
fn what_shares_a_name_is_left_out_of_a_tag() {
    let (mut run, stretches) = run_of(&[one(0, HOME, 1, 1), one(0, FORM, 1, 1)]);
    change(&mut run, 1, |request| {
        request.name = Template::text("home");
        request.tags = vec!["slow".into()];
    });
    let found = breakdown(&run.evidence(), &stretches);
    assert_eq!(rows(&found, Dimension::Tag).count(), 0);
    assert!(found.notes.iter().any(|note| note.contains("`slow`")), "{:?}", found.notes);
}

/// Law: the floor is the bytes over the largest rate that was seen, and is told where it explains the time.
#[test]
fn a_floor_is_bytes_over_bandwidth() {
    let mut exchanges = Vec::new();
    for window in 0..5 {
        // 10 MB in 1 s of receiving, out of 1.25 s: 10 MB/s.
        exchanges.push(Ended { receive_ns: 1_000_000_000, ..one(window, HOME, 1_250, 10_000_000) });
        exchanges.push(one(window, FORM, 100, 1_000));
    }
    let (run, stretches) = run_of(&exchanges);
    let found = breakdown(&run.evidence(), &stretches);
    let bandwidth = found.bandwidth.as_ref().unwrap();
    // A window carried both, and nothing came faster than that.
    assert!((bandwidth.bytes_per_s / 10_001_000.0 - 1.0).abs() < 1e-9, "{bandwidth:?}");
    let floor = row(&found, Dimension::Name, "home").floor.unwrap();
    assert!((floor.floor_ms - 10_000_000.0 / bandwidth.bytes_per_s * 1e3).abs() < 1e-6);
    assert!((floor.share - floor.floor_ms / 1_250.0).abs() < 1e-9);
    assert_eq!(row(&found, Dimension::Name, "form").floor, None, "0.1 ms of 100 ms");
    let small: Vec<Ended> = (0..5).map(|window| one(window, HOME, 50, 1_000)).collect();
    let (run, stretches) = run_of(&small);
    assert_eq!(
        breakdown(&run.evidence(), &stretches).bandwidth,
        None,
        "replies that came at once say nothing about the bandwidth"
    );
}

/// A back end that does `home` and `form` operations for each of these, as readings.
fn with_operations(run: &mut Run, exchanges: &[Ended], (home, form, noise): (f64, f64, f64)) {
    let mut readings = Readings::default();
    let last = exchanges.iter().map(|one| one.window).max().unwrap();
    for window in 0..=last {
        let count = |name| exchanges.iter().filter(|one| one.window == window && one.name == name).count() as f64;
        let wobble = if window % 3 == 0 { noise } else { -noise / 2.0 };
        readings.push(&Resource {
            // Read at the end of the second that it is of.
            at: Nanos::from_millis((window + 1) * 1_000 + 5),
            host: "db1".into(),
            source: "operations postgres rows".into(),
            metric: "operations_per_s".into(),
            value: home * count(HOME) + form * count(FORM) + wobble,
            unit: "per s".into(),
        });
    }
    run.readings = readings;
}

/// Exchanges of both names whose mix changes from window to window, or not.
fn mixed(changes: bool) -> Vec<Ended> {
    let mut exchanges = Vec::new();
    for window in 0..40 {
        let home = if changes { 5 + window * 7 % 31 } else { 20 };
        let form = if changes { 5 + window * 11 % 17 } else { 10 };
        exchanges.extend((0..home).map(|_| one(window, HOME, 1, 1)));
        exchanges.extend((0..form).map(|_| one(window, FORM, 1, 1)));
    }
    exchanges
}

#[test]
fn operations_are_told_by_request_where_the_mix_varies() {
    let exchanges = mixed(true);
    let (mut run, stretches) = run_of(&exchanges);
    with_operations(&mut run, &exchanges, (10.0, 2.0, 4.0));
    let found = breakdown(&run.evidence(), &stretches);
    let [operations] = &found.operations[..] else { panic!("{:?}", found.operations) };
    assert_eq!((operations.host.as_str(), operations.what.as_str()), ("db1", "postgres rows"));
    let of_name = |name| exchanges.iter().filter(|one| one.name == name).count() as f64;
    let mean = (10.0 * of_name(HOME) + 2.0 * of_name(FORM)) / exchanges.len() as f64;
    assert!((operations.per_request / mean - 1.0).abs() < 0.02, "{operations:?}");
    let [(first, ten), (second, two)] = &operations.by_request[..] else { panic!("{operations:?}") };
    assert_eq!((first.as_str(), second.as_str()), ("home", "form"));
    assert!((ten - 10.0).abs() < 0.5 && (two - 2.0).abs() < 0.5, "{operations:?}");
}

/// What names ask for that are too many to be estimated is not put down to those that are.
#[test]
fn operations_of_other_names_are_theirs() {
    const WINDOWS: u64 = 80;
    let (mut run, _) = run_of(&[]);
    let names: Vec<NameId> = (0..15).map(|number| run.catalog.requests.intern(&format!("n{number}"))).collect();
    let draw = |window: u64, number: u64| {
        let mixed = (window * 97 + number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33
    };
    let (mut exchanges, mut readings) = (Vec::new(), Readings::default());
    for window in 0..WINDOWS {
        let mut operations = 0.0;
        for (number, name) in (0..).zip(&names) {
            // Ten frequent names, and five that ask for more.
            let (least, each) = if number < 10 { (12, 2.0) } else { (3, 8.0) };
            let count = least + draw(window, number) % 13;
            operations += each * count as f64;
            exchanges.extend((0..count).map(|_| one(window, *name, 1, 1)));
        }
        readings.push(&Resource {
            at: Nanos::from_millis((window + 1) * 1_000 + 5),
            host: "db1".into(),
            source: "operations postgres rows".into(),
            metric: "operations_per_s".into(),
            value: operations,
            unit: "per s".into(),
        });
    }
    let (filled, stretches) = run_of(&exchanges);
    (run.totals, run.hold, run.end, run.readings) = (filled.totals, filled.hold, filled.end, readings);
    let found = breakdown(&run.evidence(), &stretches);
    let by_request = &found.operations[0].by_request;
    assert_eq!(by_request.len(), 10, "{by_request:?}");
    for (name, per_exchange) in by_request {
        assert!((per_exchange - 2.0).abs() < 0.1, "{name}: {per_exchange}");
    }
}

#[test]
fn a_mix_that_never_changes_tells_only_the_mean() {
    let exchanges = mixed(false);
    let (mut run, stretches) = run_of(&exchanges);
    with_operations(&mut run, &exchanges, (10.0, 2.0, 4.0));
    let found = breakdown(&run.evidence(), &stretches);
    assert!(found.operations[0].by_request.is_empty(), "{:?}", found.operations);
    assert!((found.operations[0].per_request - 22.0 / 3.0).abs() < 0.2);
}

/// Follows a log of a host, with its share of three requests for each `home` and one for each `form`.
fn follow(run: &mut Run, exchanges: &[Ended], (host, name): (&str, &str), share: f64, layer: Option<&str>) {
    for window in 0..40 {
        let own = exchanges.iter().filter(|one| one.window == window);
        let requests: f64 = own.map(|one| if one.name == HOME { 3.0 } else { 1.0 }).sum();
        run.readings.push(&Resource {
            at: Nanos::from_millis((window + 1) * 1_000 + 5),
            host: host.to_owned(),
            source: format!("log {name}"),
            metric: "requests_per_s".into(),
            value: share * requests,
            unit: "per s".into(),
        });
    }
    let mut log = ObservedSource::at(&LOG, &format!("{name}.log"));
    (log.host, log.name) = (host.to_owned(), name.to_owned());
    log.values.extend(layer.map(|layer| (&LAYER, Value::Text(layer.to_owned()))));
    run.plan.observe.push(Observed::Source(log));
}

/// Followed logs of one layer, each on a host of its own.
fn with_logs(run: &mut Run, exchanges: &[Ended], logs: &[(&str, f64)]) {
    (run.readings, run.plan.observe) = (Readings::default(), Vec::new());
    for (name, share) in logs {
        follow(run, exchanges, (&format!("{name}.test"), name), *share, Some("api"));
    }
}

/// Law: what the logs of a layer count is what one log with all of their lines would.
#[test]
fn logs_of_a_layer_count_as_one() {
    let exchanges = mixed(true);
    let (mut run, stretches) = run_of(&exchanges);
    let mut told = |logs: &[(&str, f64)]| {
        with_logs(&mut run, &exchanges, logs);
        let mut found = breakdown(&run.evidence(), &stretches).operations;
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    };
    let (one, parts) = (told(&[("a", 1.0)]), told(&[("a", 0.5), ("b", 0.25), ("c", 0.25)]));
    assert_eq!((one.what.as_str(), one.host.as_str()), ("log api", "a.test"));
    assert_eq!((parts.what.as_str(), parts.host.as_str()), ("log api", "a.test, b.test, c.test"));
    assert_eq!((parts.per_s, parts.per_request), (one.per_s, one.per_request));
    assert_eq!(parts.by_request, one.by_request);
    assert_eq!(one.by_request[0].0, "home");
}

/// A host with several logs of a layer is named once. A log that is called as the layer is, and one elsewhere that is called
/// as one of its logs, are none of it.
#[test]
fn only_its_logs_are_added_to_a_layer() {
    let exchanges = mixed(true);
    let (mut run, stretches) = run_of(&exchanges);
    for (log, share, layer) in [
        (("a0", "api"), 2.0, None),
        (("b1", "a"), 0.5, Some("api")),
        (("b1", "b"), 0.5, Some("api")),
        (("c2", "a"), 4.0, None),
    ] {
        follow(&mut run, &exchanges, log, share, layer);
    }
    let found = breakdown(&run.evidence(), &stretches).operations;
    let named: Vec<(&str, &str)> = found.iter().map(|one| (one.host.as_str(), one.what.as_str())).collect();
    assert_eq!(named, [("a0", "log api"), ("b1", "log api"), ("c2", "log a")]);
    let layer_per_s = found[1].per_s;
    let times: Vec<f64> = found.iter().map(|one| (one.per_s / layer_per_s).round()).collect();
    assert_eq!(times, [2.0, 1.0, 4.0], "{found:?}");
}

#[test]
fn figures_of_other_sources_are_no_operations() {
    let (mut run, stretches) = run_of(&[one(0, HOME, 1, 1)]);
    with_operations(&mut run, &[one(0, HOME, 1, 1)], (1.0, 1.0, 0.0));
    let known: Vec<TrackKey> = run.readings.iter().map(|(figure, _)| figure.clone()).collect();
    assert_eq!(known.len(), 1);
    run.readings = Readings::default();
    run.readings.push(&Resource {
        at: Nanos::ZERO,
        host: "db1".into(),
        source: "disk sda".into(),
        metric: "reads_per_s".into(),
        value: 7.0,
        unit: "per s".into(),
    });
    assert!(breakdown(&run.evidence(), &stretches).operations.is_empty());
}

/// A run of an older version, whose histograms by status were not kept, says so.
#[test]
fn times_by_status_that_were_not_kept_are_unknown() {
    let mut exchanges = vec![one(0, HOME, 5, 1)];
    exchanges.push(Ended { status: Some(404), outcome: Outcome::Failed, ..one(0, HOME, 9, 1) });
    let (mut run, stretches) = run_of(&exchanges);
    let stats = run.totals.request_mut(Section::Hold, HOME);
    *stats.times_of(Code::new(404)).unwrap() = Histogram::new();
    let found = breakdown(&run.evidence(), &stretches);
    for status in ["200", "404"] {
        let row = row(&found, Dimension::Status, status);
        assert_eq!((row.count, row.response), (1, None));
    }
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
}
