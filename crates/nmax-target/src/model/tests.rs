use proptest::prelude::*;

use super::*;

/// Times that `model` gives to requests 0 to `count`, in seconds.
fn draw_s(model: Model, count: u64) -> Vec<f64> {
    let random = Random::new(7);
    let work_s = |number| match model.work(random, number, 0) {
        Work::Wait(ns) | Work::Burn(ns) | Work::Hold(ns) | Work::Enqueue(ns) => ns as f64 / 1e9,
        Work::Share(_) => panic!("its time depends on who else is there"),
    };
    (0..count).map(work_s).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn quantile(values: &mut [f64], q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() - 1) as f64 * q) as usize]
}

proptest! {
    /// Law: X(N)·S(N) = N with X the USL written on its own, Little's law.
    #[test]
    fn usl_obeys_littles_law(
        alpha in 0.0..1.0_f64,
        beta in 0.0..0.1_f64,
        gamma in 0.1..1e5_f64,
        n in 1_u32..10_000,
    ) {
        let n = f64::from(n);
        let usl = Usl { contention: alpha, coherency: beta, unit_throughput_per_s: gamma };
        let throughput_per_s = gamma * n / (1.0 + alpha * (n - 1.0) + beta * n * (n - 1.0));
        let customers = throughput_per_s * usl.service_time_s(n);
        prop_assert!((customers - n).abs() <= 1e-9 * n, "{customers} for {n}");
    }

    /// Law: alone in the target, a mean request takes 1/γ, whatever α and β.
    #[test]
    fn usl_alone_is_the_unit_time(alpha in 0.0..1.0_f64, beta in 0.0..1.0_f64, gamma in 0.1..1e5_f64) {
        let usl = Usl { contention: alpha, coherency: beta, unit_throughput_per_s: gamma };
        prop_assert!((usl.service_time_s(1.0) * gamma - 1.0).abs() <= 1e-12);
    }

    /// Law: no text makes a parser panic.
    #[test]
    fn any_text_parses_or_explains(text in "\\PC{0,40}") {
        if let Err(error) = text.parse::<Rule>() {
            prop_assert!(error.to_string().contains("help: write"));
        }
    }
}

#[test]
fn distributions_have_their_moments() {
    let count = 200_000;
    let exponential = draw_s("exponential:5ms".parse().unwrap(), count);
    assert!((mean(&exponential) / 0.005 - 1.0).abs() < 0.01, "standard error is 0.22 %");
    let square = exponential.iter().map(|s| s * s).sum::<f64>() / count as f64;
    assert!((square / (2.0 * 0.005 * 0.005) - 1.0).abs() < 0.03, "E[S^2] = 2 m^2");

    let uniform = draw_s("uniform:1ms..5ms".parse().unwrap(), count);
    assert!((mean(&uniform) / 0.003 - 1.0).abs() < 0.01);
    assert!(uniform.iter().all(|s| (0.001..=0.005).contains(s)));

    let mut lognormal = draw_s("lognormal:median=5ms,p95=20ms".parse().unwrap(), count);
    assert!((quantile(&mut lognormal, 0.5) / 0.005 - 1.0).abs() < 0.02);
    assert!((quantile(&mut lognormal, 0.95) / 0.020 - 1.0).abs() < 0.03);
}

/// A law's throughput at N is right only when the work of requests has the mean 1, also of a few requests in a row.
#[test]
fn usl_requests_need_one_mean_request_on_average() {
    let model: Model = "usl:alpha=0.02,beta=0.0005,gamma=1000".parse().unwrap();
    let work = |number| match model.work(Random::new(3), number, 0) {
        Work::Share(work) => work,
        other => panic!("{other:?}"),
    };
    for (from, count, off_max) in [(0, 10_000, 0.001), (5_000, 100, 0.02), (77, 10, 0.1)] {
        let works: Vec<f64> = (from..from + count).map(work).collect();
        assert!(works.iter().all(|work| (0.5..1.5).contains(work)));
        assert!((mean(&works) - 1.0).abs() <= off_max, "{count} from {from}: {}", mean(&works));
    }
}

#[test]
fn models_draw_independently_and_repeat() {
    let model: Model = "uniform:0ms..1s".parse().unwrap();
    let work = |seed, number, position| model.work(Random::new(seed), number, position);
    assert_eq!(work(1, 2, 3), work(1, 2, 3));
    assert_ne!(work(1, 2, 3), work(2, 2, 3), "seed");
    assert_ne!(work(1, 2, 3), work(1, 3, 3), "request");
    assert_ne!(work(1, 2, 3), work(1, 2, 4), "place in the service");
}

#[test]
fn specifications() {
    let ms = 1_000_000;
    let usl = Usl { contention: 0.02, coherency: 0.0005, unit_throughput_per_s: 1_000.0 };
    let cases = [
        ("usl:alpha=0.02,beta=0.0005,gamma=1000", Model::Usl(usl)),
        ("usl: gamma=1000, beta=0.0005, alpha=0.02", Model::Usl(usl)),
        ("fixed:5ms", Model::Fixed(5 * ms)),
        ("fixed:0.5ms", Model::Fixed(ms / 2)),
        ("uniform:1ms..5ms", Model::Uniform { min_ns: ms, max_ns: 5 * ms }),
        ("exponential:5ms", Model::Exponential { mean_ns: 5 * ms }),
        ("cpu:2ms", Model::Cpu(2 * ms)),
        ("lock:1ms", Model::Lock(ms)),
        ("mm1:rate=1000", Model::Queue { servers: 1, rate_per_s: 1_000.0 }),
        ("mmc:servers=4,rate=250", Model::Queue { servers: 4, rate_per_s: 250.0 }),
    ];
    for (text, want) in cases {
        assert_eq!(text.parse::<Model>().unwrap(), want, "{text}");
    }
    let rule: Rule = "/api=fixed:5ms+lock:1ms".parse().unwrap();
    assert_eq!(rule.prefix, "/api");
    assert_eq!(rule.service.models, [Model::Fixed(5 * ms), Model::Lock(ms)]);
}

#[test]
fn wrong_specifications_say_what_is_wrong() {
    let cases = [
        ("fast", "has no `:`"),
        ("quick:5ms", "is not a known model"),
        ("fixed:5", "has no unit"),
        ("fixed:5 parsecs", "unit other than"),
        ("fixed:-5ms", "between 0 and one day"),
        ("fixed:25h", "between 0 and one day"),
        ("uniform:5ms..1ms", "wrong order"),
        ("usl:alpha=0.02,beta=0.1", "`gamma` is missing"),
        ("usl:alpha=2,beta=0,gamma=1", "alpha is not between"),
        ("usl:alpha=0,beta=0,gamma=0", "gamma is not above 0"),
        ("usl:alpha=0,beta=0,gamma=1,delta=1", "`delta` is not known"),
        ("usl:alpha=0,alpha=0,beta=0,gamma=1", "`alpha` is given twice"),
        ("lognormal:median=5ms,p95=1ms", "median <= p95"),
        ("mmc:servers=0,rate=1", "servers is not between"),
        ("mm1:rate=nan", "rate is not above 0"),
        ("/api", "has a path but no `=`"),
    ];
    for (text, want) in cases {
        let error = text.parse::<Rule>().unwrap_err().to_string();
        assert!(error.contains(want), "{text}: {error}");
    }
}
