use super::*;

/// What a step does to each second: response time in ms, failures of 1,000, share of the iterations that are done.
type Rung = (f64, u64, f64);

fn ladder(seed: u64, rungs: &[Rung]) -> Run {
    let mut random = Random::new(seed);
    let mut points = Vec::new();
    let mut stages = Vec::new();
    for (place, (ms, failed, done)) in rungs.iter().enumerate() {
        let users = 10.0_f64.powi(place as i32);
        stages.push((users, users, 30));
        for at in 30 * place..30 * (place + 1) {
            // The first second of a step is always bad: the users just arrive.
            let ms = if at % 30 == 0 { 50.0 * ms } else { *ms };
            let n = (30.0 * users * done) as usize;
            points.push(second(&mut random, at, users, n, ms, n as u64 * failed / 1_000));
        }
    }
    let mut run = run(Profile::Ladder, &stages, points);
    run.plan.workload = Workload::Closed { vus: 100 };
    run
}

#[test]
fn the_first_step_with_trouble_is_named() {
    let fine = (20.0, 0, 1.0);
    let cases: [(&[Rung], &str, f64); 5] = [
        (&[fine, (60.0, 0, 1.0), (500.0, 500, 0.1)], "LADDER_LATENCY", 10.0),
        (&[fine, fine, (60.0, 0, 1.0)], "LADDER_LATENCY", 100.0),
        (&[fine, (20.0, 100, 1.0), fine], "LADDER_FAILURES", 10.0),
        (&[(20.0, 100, 1.0), fine, fine], "LADDER_FAILURES", 1.0),
        (&[fine, fine, (25.0, 0, 0.7)], "LADDER_THROUGHPUT", 100.0),
    ];
    for (rungs, code, level) in cases {
        let answer = answer_of(&ladder(1, rungs));
        let first = &answer.findings[0];
        assert_eq!((first.code, first.value), (code, Some(level)), "{answer:#?}");
        assert!(first.is_trouble && answer.headline == first.text);
        assert!(first.text.starts_with("first trouble with concurrency at "), "{}", first.text);
    }
}

#[test]
fn steps_without_trouble_are_told_each() {
    let answer = answer_of(&ladder(2, &[(20.0, 0, 1.0), (25.0, 20, 1.0), (35.0, 30, 0.9)]));
    assert_eq!(answer.headline, "no trouble with concurrency from 1 VU to 100 VUs");
    let levels: Vec<_> = answer.findings.iter().map(|finding| (finding.code, finding.value)).collect();
    assert_eq!(levels, [("STEP", Some(1.0)), ("STEP", Some(10.0)), ("STEP", Some(100.0))]);
}

/// Few exchanges in a second: their p95 is their largest, so it grows with their number alone.
#[test]
fn a_p95_of_few_exchanges_is_not_compared_with_one_of_many() {
    let mut random = Random::new(7);
    let second = |at: usize| {
        let (users, n) = if at < 60 { (1.0, 2) } else { (10.0, 20) };
        let mut times: Vec<f64> = (0..n).map(|_| 20.0 * random.exponential()).collect();
        point(at as f64, users, &mut times, 0)
    };
    let points: Vec<Point> = (0..120).map(second).collect();
    let typical = |points: &[Point]| crate::trend::median(points.iter().filter_map(Point::p95_ms)).expect("values");
    assert!(typical(&points[60..]) > 1.9 * typical(&points[..60]), "the case is one where p95 misleads");
    let mut run = run(Profile::Ladder, &[(1.0, 1.0, 60), (10.0, 10.0, 60)], points);
    run.plan.workload = Workload::Closed { vus: 10 };
    let answer = answer_of(&run);
    assert!(answer.headline.starts_with("no trouble"), "{}", answer.headline);
}

#[test]
fn the_request_that_shows_it_is_named() {
    let mut run = ladder(3, &[(20.0, 0, 1.0), (80.0, 0, 1.0)]);
    let calm = ladder(4, &[(10.0, 0, 1.0), (11.0, 0, 1.0)]).course.points;
    let slow = ladder(5, &[(30.0, 0, 1.0), (150.0, 0, 1.0)]).course.points;
    run.course.requests = vec![("home".into(), calm), ("search".into(), slow)];
    let answer = answer_of(&run);
    assert_eq!(answer.findings[0].subject, "search");
    assert!(answer.headline.ends_with("`search` shows it first"), "{}", answer.headline);
}

/// A step whose seconds differ has the p95 of all its exchanges, which no second shows: three seconds of four are fast,
/// every fourth is slow, so the 95th percentile lies among the slow ones.
#[test]
fn the_times_of_a_step_are_those_of_all_its_exchanges() {
    let mut random = Random::new(5);
    let mut all = Vec::new();
    let mut points = Vec::new();
    for at in 0..120 {
        let ms = if at % 4 == 3 { 2_000.0 } else { 10.0 };
        let mut times: Vec<f64> = (0..50).map(|_| ms * (0.2 * random.normal()).exp()).collect();
        all.extend(times.iter().copied().filter(|_| at > 0));
        points.push(point(at as f64, 10.0, &mut times, 0));
    }
    all.sort_unstable_by(f64::total_cmp);
    let want_ms = all[all.len() * 95 / 100];
    let mut run = run(Profile::Ladder, &[(10.0, 10.0, 120)], points);
    run.plan.workload = Workload::Closed { vus: 10 };
    let text = &finding(&answer_of(&run), "STEP").text.clone();
    let shown: f64 = text
        .split("p95 ")
        .nth(1)
        .and_then(|rest| rest.trim_end_matches(" s").parse().ok())
        .unwrap_or_else(|| panic!("{text}"));
    assert!((shown * 1e3 / want_ms - 1.0).abs() < 0.02, "{text}, not {want_ms} ms");
}

/// The step on which the injector's worker was full says nothing of the system, nor do those after it.
#[test]
fn a_ladder_stops_where_the_injector_is_the_limit() {
    let fine = (20.0, 0, 1.0);
    let mut full = ladder(3, &[fine, fine, (500.0, 0, 0.2), (500.0, 500, 0.1)]);
    for point in &mut full.course.points {
        let cpu_s = if point.level >= 100.0 { 1.0 } else { 0.3 };
        point.used = crate::Use { worker_s: 1.0, cpu_s, ..crate::Use::default() };
    }
    let answer = answer_of(&full);
    assert!(
        answer.headline.starts_with("no trouble with concurrency from 1 VU to 10 VUs; from 60 s on the injector was")
    );
    let codes: Vec<_> = answer.findings.iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["STEP", "STEP", "INJECTOR_LIMIT"]);
    assert!(finding(&answer, "INJECTOR_LIMIT").text.contains("its workers used 100 % of their processors"));
}
