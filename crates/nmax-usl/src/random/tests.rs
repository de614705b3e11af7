use super::Random;

/// The generator is the published one: its first outputs for the seed 1234567.
#[test]
fn splitmix64_as_published() {
    let mut random = Random::new(1_234_567);
    let want = [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
    ];
    for value in want {
        assert_eq!(random.next_u64(), value);
    }
}

/// Mean, variance, skewness and tail of the normal draws, within five standard errors.
#[test]
fn normal_draws_are_normal() {
    let mut random = Random::new(7);
    let count = 200_000;
    let draws: Vec<f64> = (0..count).map(|_| random.normal()).collect();
    let moment = |power: i32| draws.iter().map(|z| z.powi(power)).sum::<f64>() / f64::from(count);
    let error = 5.0 / f64::from(count).sqrt();
    assert!(moment(1).abs() < error, "mean {}", moment(1));
    assert!((moment(2) - 1.0).abs() < error * 2f64.sqrt(), "variance {}", moment(2));
    assert!(moment(3).abs() < error * 15f64.sqrt(), "third moment {}", moment(3));
    assert!((moment(4) - 3.0).abs() < error * 96f64.sqrt(), "fourth moment {}", moment(4));
    let beyond = draws.iter().filter(|z| z.abs() > 1.959_964).count() as f64 / f64::from(count);
    assert!((beyond - 0.05).abs() < error * 0.218, "{beyond} beyond the 95 % points");
}

#[test]
fn below_is_even_and_in_range() {
    let mut random = Random::new(11);
    let mut counts = [0_u32; 7];
    for _ in 0..70_000 {
        counts[random.below(7)] += 1;
    }
    assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 500), "{counts:?}");
    assert_eq!(random.below(0), 0);
    assert_eq!(random.below(1), 0);
}

/// Each of the six orders of three items comes about as often, and nothing is lost.
#[test]
fn shuffle_is_even() {
    let mut random = Random::new(3);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..60_000 {
        let mut items = [1, 2, 3];
        random.shuffle(&mut items);
        *counts.entry(items).or_insert(0_u32) += 1;
    }
    assert_eq!(counts.len(), 6);
    assert!(counts.values().all(|count| count.abs_diff(10_000) < 500), "{counts:?}");
    let (mut none, mut one) = ([0; 0], [5]);
    random.shuffle(&mut none);
    random.shuffle(&mut one);
    assert_eq!(one, [5]);
}

#[test]
fn a_seed_repeats_its_draws() {
    let draws = |seed| {
        let mut random = Random::new(seed);
        (random.uniform(), random.normal(), random.below(100), random.lognormal(0.1))
    };
    assert_eq!(draws(5), draws(5));
    assert_ne!(draws(5), draws(6));
}
