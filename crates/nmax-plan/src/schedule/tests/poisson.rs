use super::super::poisson::Uniforms;
use super::*;

fn poisson(rate_per_s: f64, length_ns: u64, seed: u64) -> Open {
    Open::new(&[stage(rate_per_s, rate_per_s, length_ns)], Arrivals::Poisson { seed }).unwrap()
}

/// Largest distance between the empirical distribution of `values` and `cdf`, times √n.
fn kolmogorov_smirnov(mut values: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let distance = |(i, &value): (usize, &f64)| {
        let p = cdf(value);
        (p - i as f64 / n).abs().max(((i + 1) as f64 / n - p).abs())
    };
    values.iter().enumerate().map(distance).fold(0.0, f64::max) * n.sqrt()
}

/// √n·D exceeds 2.2 once in eight thousand seeds.
const KS_LIMIT: f64 = 2.2;

proptest! {
    /// Law: ranks are in order, and the count of what is reached inverts them.
    #[test]
    fn uniforms_are_sorted(key: u64, count in 1..1_u64 << 40, fraction in 0.0..1.0_f64) {
        let uniforms = Uniforms { key, count };
        let value = |rank: u64| uniforms.leaf(rank).get(rank).unwrap();
        let rank = ((count as f64 * fraction) as u64).min(count - 1);
        let this = value(rank);
        prop_assert!((0.0..=1.0).contains(&this));
        prop_assert!(rank == 0 || value(rank - 1) <= this);
        let reached = uniforms.count_reached(|value| value <= this);
        prop_assert!(reached > rank && value(reached - 1) == this, "{} reached at rank {}", reached, rank);
        prop_assert!(uniforms.count_reached(|value| value < this) <= rank);
    }
}

#[test]
fn uniforms_are_uniform() {
    // Sizes around the leaf's and deep trees.
    for count in [1, 63, 64, 65, 130, 1_000, 20_000] {
        let uniforms = Uniforms { key: 11, count };
        let values: Vec<f64> = (0..count).map(|rank| uniforms.leaf(rank).get(rank).unwrap()).collect();
        let statistic = kolmogorov_smirnov(values, |value| value);
        assert!(statistic < KS_LIMIT, "{count} values: {statistic}");
    }
}

#[test]
fn order_statistics_have_their_law() {
    // The first of n uniforms is above x with probability (1 − x)^n, the 40th of 79 is symmetric around 1/2.
    let values = |count: u64, rank: u64| -> Vec<f64> {
        (0..3_000).map(|key| Uniforms { key, count }.leaf(rank).get(rank).unwrap()).collect()
    };
    for count in [10, 64, 65, 300] {
        let statistic = kolmogorov_smirnov(values(count, 0), |x| 1.0 - (1.0 - x).powi(count as i32));
        assert!(statistic < KS_LIMIT, "first of {count}: {statistic}");
        let statistic = kolmogorov_smirnov(values(count, count - 1), |x| x.powi(count as i32));
        assert!(statistic < KS_LIMIT, "last of {count}: {statistic}");
    }
    let below = values(79, 39).iter().filter(|&&value| value < 0.5).count();
    assert!((1_360..1_640).contains(&below), "{below} of 3000 medians below a half");
}

#[test]
fn interarrivals_are_exponential() {
    for open in [poisson(100.0, 100 * S, 3), Open::new(&[forever(100.0)], Arrivals::Poisson { seed: 4 }).unwrap()] {
        let offsets: Vec<u64> = offsets_from(&open, 0).take(10_000).collect();
        assert_eq!(offsets.len(), 10_000);
        let gaps: Vec<f64> = offsets.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e9).collect();
        let statistic = kolmogorov_smirnov(gaps.clone(), |gap| 1.0 - (-100.0 * gap).exp());
        assert!(statistic < KS_LIMIT, "{statistic}");
        let products: f64 = gaps.windows(2).map(|pair| (pair[0] * 100.0 - 1.0) * (pair[1] * 100.0 - 1.0)).sum();
        assert!((products / gaps.len() as f64).abs() < 0.05, "neighbouring gaps are correlated: {products}");
    }
}

#[test]
fn counts_disperse_like_poisson() {
    // Counts per 100 ms: variance ÷ mean is 1 for Poisson, near 0 for even arrivals. A fixed total takes 1/1000 off.
    let open = poisson(200.0, 100 * S, 8);
    let counts: Vec<f64> =
        (1..=1_000).map(|i| (open.count_at(i * 100 * MS) - open.count_at((i - 1) * 100 * MS)) as f64).collect();
    let mean = counts.iter().sum::<f64>() / 1e3;
    let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 1e3;
    assert!((variance / mean - 1.0).abs() < 0.25, "dispersion {}", variance / mean);
}

#[test]
fn arrivals_follow_a_ramp() {
    // On a ramp from 0 the arrivals have the density 2t/D².
    let open = Open::new(&[stage(0.0, 200.0, 100 * S)], Arrivals::Poisson { seed: 9 }).unwrap();
    assert_eq!(open.total(), Total::Finite(10_000));
    let places: Vec<f64> = offsets_from(&open, 0).map(|ns| ns as f64 / 1e11).collect();
    let statistic = kolmogorov_smirnov(places, |place| place * place);
    assert!(statistic < KS_LIMIT, "{statistic}");
}

#[test]
fn seeds_and_stages_differ() {
    let offsets = |open: &Open, from: u64| offsets_from(open, from).take(100).collect::<Vec<u64>>();
    assert_ne!(offsets(&poisson(100.0, S, 1), 0), offsets(&poisson(100.0, S, 2), 0));
    let twice = Open::new(&[stage(100.0, 100.0, S); 2], Arrivals::Poisson { seed: 1 }).unwrap();
    let later: Vec<u64> = offsets(&twice, 100).iter().map(|ns| ns - S).collect();
    assert_ne!(offsets(&twice, 0), later);
}

#[test]
fn blocks_of_unbounded_stages_join() {
    let open = Open::new(&[forever(1e6)], Arrivals::Poisson { seed: 2 }).unwrap();
    let edge = 1_u64 << 16;
    let offsets: Vec<u64> = offsets_from(&open, edge - 100).take(200).collect();
    assert!(offsets.is_sorted());
    assert_eq!(open.count_at(65_536_000), edge, "each block has its count");
    assert!(offsets[99] <= 65_536_000 && offsets[100] >= 65_536_000);
}
