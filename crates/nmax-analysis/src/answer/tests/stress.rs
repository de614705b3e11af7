use super::*;

/// Seconds of the ramp, from 0 to twice the top rate.
const LENGTH: usize = 300;
const TOP: f64 = 80.0;

fn level(at: usize) -> f64 {
    2.0 * TOP * (at as f64 + 0.5) / LENGTH as f64
}

fn ramp(points: Vec<Point>) -> Run {
    let mut run = run(Profile::Stress, &[(0.0, 2.0 * TOP, LENGTH as u64)], points);
    open(&mut run.plan, TOP);
    run
}

/// Poisson arrivals at one server with exponential service times, by Lindley's recurrence: a real queue, with all the
/// correlation that it has. Its ramp has `seconds` and goes to `top_per_s`.
fn queue(seed: u64, service_per_s: f64, seconds: usize, top_per_s: f64) -> Vec<Point> {
    let mut random = Random::new(seed);
    let mut done: Vec<Vec<f64>> = vec![Vec::new(); seconds];
    let (mut now_s, mut free_s) = (0.0_f64, 0.0_f64);
    let slope = top_per_s / seconds as f64;
    loop {
        // The integral of the ramp is a square, so the next arrival is at a square root.
        now_s = (now_s * now_s + 2.0 * random.exponential() / slope).sqrt();
        free_s = free_s.max(now_s) + random.exponential() / service_per_s;
        if now_s >= seconds as f64 {
            break;
        }
        if let Some(second) = done.get_mut(free_s as usize) {
            second.push((free_s - now_s) * 1e3);
        }
    }
    let point = |(at, mut times): (usize, Vec<f64>)| {
        // A spike now and then.
        if at % 37 == 15 {
            times.iter_mut().for_each(|time| *time *= 20.0);
        }
        point(at as f64, slope * (at as f64 + 0.5), &mut times, 0)
    };
    done.into_iter().enumerate().map(point).collect()
}

/// A system that answers `capacity_per_s` in the usual time and refuses the rest.
fn hard_limit(seed: u64, capacity_per_s: f64) -> Vec<Point> {
    let mut random = Random::new(seed);
    let second = |at: usize| {
        let level = level(at);
        let n = (level + level.sqrt() * random.normal()).round().max(1.0);
        let refused = n * (1.0 - capacity_per_s / level).max(0.0);
        let failed = (refused + refused.sqrt() * random.normal()).round().clamp(0.0, n);
        let ms = 20.0 * (0.1 * random.normal()).exp();
        point(at as f64, level, &mut vec![ms; n as usize], failed as u64)
    };
    (0..LENGTH).map(second).collect()
}

/// How many of 200 runs find the known break point within 5 %, and how many have it in their interval.
fn hits(runs: u64, wanted: f64, points: impl Fn(u64) -> Vec<Point>, change: impl Fn(&mut Run)) -> (usize, usize) {
    let (mut near, mut covered) = (0, 0);
    for seed in 0..runs {
        let mut run = ramp(points(seed));
        change(&mut run);
        let answer = answer_of(&run);
        let found = finding(&answer, "BREAK_POINT");
        let (value, interval) = (found.value.unwrap_or(0.0), found.interval.unwrap_or_default());
        near += usize::from((value / wanted - 1.0).abs() <= 0.05);
        covered += usize::from(interval.0 <= wanted && wanted <= interval.1);
    }
    (near, covered)
}

/// λ at which p95 of M/M/1 meets a limit: the sojourn time is exponential with rate μ − λ, so p95 = ln(20)/(μ − λ).
fn queue_breaks_at(service_per_s: f64, limit_ms: f64) -> f64 {
    service_per_s - 20.0_f64.ln() / (limit_ms / 1e3)
}

fn limited(limit_ms: f64) -> impl Fn(&mut Run) {
    move |run| {
        let p95 = threshold(Metric::ResponseTime, Stat::Quantile(0.95), Op::Below, ms(limit_ms));
        run.plan.thresholds.push(p95);
    }
}

/// The law of M/M/1 with noise of 10 % that is correlated, until the backlog of what came beyond μ rules.
fn noisy_queue(seed: u64, service_per_s: f64) -> Vec<Point> {
    let mut random = Random::new(seed);
    let noise = random.ar1(LENGTH, 0.5);
    let mut backlog = 0.0;
    let second = |at: usize| {
        let level = level(at);
        backlog += (level - service_per_s).max(0.0);
        let usual_ms = 20.0_f64.ln() / (service_per_s - level).max(1.0) * 1e3;
        let spike = if at % 53 == 20 { 20.0 } else { 1.0 };
        let p95_ms = (usual_ms + backlog / service_per_s * 1e3) * (0.1 * noise[at]).exp() * spike;
        let scale_ms = p95_ms / 20.0_f64.ln();
        let mut times: Vec<f64> = (0..level.ceil() as usize).map(|_| scale_ms * random.exponential()).collect();
        point(at as f64, level, &mut times, 0)
    };
    (0..LENGTH).map(second).collect()
}

#[test]
fn the_break_point_of_a_queue_is_found() {
    let wanted = queue_breaks_at(100.0, 150.0);
    let (near, covered) = hits(200, wanted, |seed| noisy_queue(seed, 100.0), limited(150.0));
    println!("queue: {near} of 200 within 5 %, {covered} in the interval");
    assert!(near >= 195, "{near} of 200 within 5 %, {covered} in the interval");
    assert!(covered >= 180, "{near} of 200 within 5 %, {covered} in the interval");
}

/// Several servers and Poisson arrivals, event by event: a ramp of `seconds` to `top_per_s`.
fn servers(seed: u64, count: usize, service_per_s: f64, seconds: usize, top_per_s: f64) -> Vec<Point> {
    let mut random = Random::new(seed);
    let mut done: Vec<Vec<f64>> = vec![Vec::new(); seconds];
    let mut free_s = vec![0.0_f64; count];
    let (slope, mut now_s) = (top_per_s / seconds as f64, 0.0_f64);
    loop {
        now_s = (now_s * now_s + 2.0 * random.exponential() / slope).sqrt();
        if now_s >= seconds as f64 {
            break;
        }
        let next = (0..count).min_by(|a, b| free_s[*a].total_cmp(&free_s[*b])).expect("servers");
        free_s[next] = free_s[next].max(now_s) + random.exponential() / service_per_s;
        if let Some(second) = done.get_mut(free_s[next] as usize) {
            second.push((free_s[next] - now_s) * 1e3);
        }
    }
    let point = |(at, mut times): (usize, Vec<f64>)| point(at as f64, slope * (at as f64 + 0.5), &mut times, 0);
    done.into_iter().enumerate().map(point).collect()
}

/// λ at which p95 of M/M/c meets a limit, by bisection of the law of the sojourn time,
/// P(T > t) = e^(−μt)·(1 + C·(1 − e^(−μt(c − 1 − a)))/(c − 1 − a)) with Erlang's C and a = λ/μ.
fn servers_break_at(count: usize, service_per_s: f64, limit_ms: f64) -> f64 {
    let c = count as f64;
    let slower = |rate_per_s: f64| {
        let a = rate_per_s / service_per_s;
        let (mut term, mut sum) = (1.0, 0.0);
        for k in 0..count {
            sum += term;
            term *= a / (k + 1) as f64;
        }
        let waiting = term * c / (c - a);
        let erlang = waiting / (sum + waiting);
        let (mt, rest) = (service_per_s * limit_ms / 1e3, c - 1.0 - a + 1e-9);
        (-mt).exp() * (1.0 + erlang * (1.0 - (-mt * rest).exp()) / rest)
    };
    let (mut low, mut high) = (0.0, c * service_per_s);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if slower(middle) > 0.05 { high = middle } else { low = middle }
    }
    low
}

/// A queue's second is mostly faster than its load, so seconds must be pooled. Ramps of 10 min and of 4 min.
#[test]
fn the_break_point_of_several_servers_is_found() {
    let wanted = servers_break_at(4, 25.0, 250.0);
    assert!((wanted - 86.3).abs() < 0.1, "{wanted}");
    for (seconds, near_min, covered_min) in [(600, 19, 16), (240, 13, 14)] {
        let (near, covered) = hits(20, wanted, |seed| servers(seed, 4, 25.0, seconds, 120.0), limited(250.0));
        println!("4 servers, {seconds} s: {near} of 20 within 5 %, {covered} in the interval");
        assert!(near >= near_min && covered >= covered_min, "{seconds} s: {near} near, {covered} covered");
    }
}

/// A second is short for a queue near saturation: its p95 hangs on the second before, so a fast ramp tells less.
#[test]
fn the_break_point_of_a_simulated_queue_is_found_as_well_as_a_fast_ramp_can() {
    let wanted = queue_breaks_at(1_000.0, 10.0);
    let runs = 8;
    let (_, covered) = hits(runs, wanted, |seed| queue(seed, 1_000.0, 200, 1_300.0), limited(10.0));
    assert!(covered >= 6, "{covered} of {runs} in the interval");
}

/// The failure rate 1 − C/λ meets its limit of 5 % at λ = C/0.95.
#[test]
fn the_break_point_of_a_hard_limit_is_found() {
    let capacity_per_s = 90.0;
    let (near, covered) = hits(200, capacity_per_s / 0.95, |seed| hard_limit(seed, capacity_per_s), |_| {});
    println!("hard limit: {near} of 200 within 5 %, {covered} in the interval");
    assert!(near >= 195, "{near} of 200 within 5 %, {covered} in the interval");
    assert!(covered >= 184, "{near} of 200 within 5 %, {covered} in the interval");
}

#[test]
fn a_ramp_without_a_break_says_how_far_it_went() {
    let mut points = hard_limit(1, 1e9);
    // Single moments are no break, however bad.
    for at in [50, 51, 200] {
        let random = &mut Random::new(9);
        points[at] = super::second(random, at, level(at), 80, 5_000.0, 70);
    }
    let answer = answer_of(&ramp(points));
    let found = finding(&answer, "BREAK_POINT");
    assert_eq!(found.value, None);
    assert!(!found.is_trouble);
    assert!(answer.headline.starts_with("no break point up to 160/s"), "{}", answer.headline);
    assert!(answer.headline.contains("(3 times what it was at first)"), "{}", answer.headline);
}

#[test]
fn a_break_below_the_intended_load_is_trouble_and_one_above_it_is_none() {
    for (capacity_per_s, is_trouble) in [(60.0, true), (120.0, false)] {
        let answer = answer_of(&ramp(hard_limit(4, capacity_per_s)));
        assert_eq!(finding(&answer, "BREAK_POINT").is_trouble, is_trouble, "{}", answer.headline);
    }
}

#[test]
fn what_broke_first_is_named() {
    let total = queue(3, 90.0, LENGTH, 2.0 * TOP);
    let mut run = ramp(total.clone());
    // One request waits in the queue, the other one never does.
    let mut random = Random::new(8);
    let calm = (0..LENGTH).map(|at| super::second(&mut random, at, level(at), 30, 10.0, 0)).collect();
    run.course.requests = vec![("home".into(), calm), ("checkout".into(), total)];
    let answer = answer_of(&run);
    assert_eq!(finding(&answer, "BROKE_FIRST").subject, "checkout", "{answer:#?}");
    assert!(answer.headline.contains("first at `checkout`"), "{}", answer.headline);
    let achieved = finding(&answer, "ACHIEVED").value.expect("a rate");
    let found = finding(&answer, "BREAK_POINT").value.expect("a break");
    assert!((achieved / found - 1.0).abs() < 0.15, "{achieved} achieved at {found}");
}

/// The queue answers at most μ: fewer than 95 % of what is intended are done from μ/0.95 on.
#[test]
fn the_knee_is_where_throughput_stays_behind() {
    let answer = answer_of(&ramp(queue(5, 100.0, LENGTH, 2.0 * TOP)));
    let found = finding(&answer, "KNEE");
    let value = found.value.expect("a knee");
    assert!((98.0..113.0).contains(&value), "{value}");
}

/// With a capacity C and a user's rate r alone, the asymptotes meet at C/r.
#[test]
fn the_knee_of_users_is_where_the_asymptotes_meet() {
    let mut random = Random::new(2);
    let second = |at: usize| {
        let users = level(at);
        let n = (2.0 * users).min(100.0) + random.normal();
        let waiting_ms = if users > 50.0 { 20.0 * users / 50.0 } else { 20.0 };
        super::second(&mut random, at, users, n.round().max(1.0) as usize, waiting_ms, 0)
    };
    let mut run = ramp((0..LENGTH).map(second).collect());
    run.plan.workload = Workload::Closed { vus: TOP as u32 };
    let answer = answer_of(&run);
    let found = finding(&answer, "KNEE");
    assert_eq!(found.unit, "VUs");
    assert!((found.value.expect("a knee") - 50.0).abs() < 5.0, "{found:?}");
}

/// The universal scalability law has its most far beyond the knee: each is told with its own load and throughput.
#[test]
fn the_knee_and_the_most_are_two_things() {
    let mut random = Random::new(3);
    let law = |users: f64| 20.0 * users / (1.0 + 0.05 * (users - 1.0) + 0.001 * users * (users - 1.0));
    let second = |at: usize| {
        let users = level(at) / 2.0;
        let done = (law(users) + 2.0 * random.normal()).round().max(1.0) as usize;
        super::second(&mut random, at, users, done, 20.0, 0)
    };
    let mut run = ramp((0..LENGTH).map(second).collect());
    run.plan.workload = Workload::Closed { vus: 80 };
    let found = finding(&answer_of(&run), "KNEE").clone();
    let knee = found.value.expect("a knee");
    let loads: Vec<f64> =
        found.text.split([' ', ',']).filter_map(|word| word.trim_end_matches("/s").parse().ok()).collect();
    let [_, at_knee, most, most_at] = loads[..] else { panic!("{}", found.text) };
    // The law's most is at √((1 − 0.05)/0.001) users.
    let (top_at, top) = (30.8, law(30.8));
    assert!((at_knee / law(knee) - 1.0).abs() < 0.1, "{}", found.text);
    assert!((most / top - 1.0).abs() < 0.03 && (most_at - top_at).abs() < 8.0, "{}", found.text);
}

/// The most is no single second by chance: four servers of 25/s do 100/s.
#[test]
fn the_most_is_not_the_luckiest_second() {
    let answer = answer_of(&ramp(servers(6, 4, 25.0, LENGTH, 2.0 * TOP)));
    let text = &finding(&answer, "KNEE").text;
    let most = text.split("; ").nth(1).and_then(|rest| rest.split("/s").next()?.parse::<f64>().ok());
    assert!((most.expect("a rate") - 100.0).abs() < 6.0, "{text}");
}

/// What breaks once the injector is full is the injector: nothing is said of those loads.
#[test]
fn a_break_of_the_injector_is_no_break_point() {
    let mut run = ramp(hard_limit(1, 120.0));
    let answer = answer_of(&run);
    assert!(finding(&answer, "BREAK_POINT").value.is_some(), "{answer:#?}");
    for point in &mut run.course.points {
        let cpu_s = if point.level >= 100.0 { 1.0 } else { 0.4 };
        point.used = crate::Use { worker_s: 1.0, cpu_s, ..crate::Use::default() };
        point.held = true;
    }
    let answer = answer_of(&run);
    assert_eq!(finding(&answer, "BREAK_POINT").value, None, "{answer:#?}");
    let limit = finding(&answer, "INJECTOR_LIMIT");
    assert!((170.0..190.0).contains(&limit.value.unwrap()), "100/s are planned at 188 s: {limit:?}");
    assert!(
        answer.headline.starts_with("no break point up to") && answer.headline.contains("the injector was the limit")
    );
}
