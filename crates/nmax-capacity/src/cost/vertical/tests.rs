use super::*;
use crate::cost::tests::tier;
use crate::tests::close;

/// Machines of 2 to 32 cores that follow a law exactly, with a price that grows faster than they do.
fn sizes(noise: f64, seed: u64) -> Vertical {
    let law = Usl { contention: 0.05, coherency: 0.0, unit_throughput: 400.0 };
    let mut random = Random::new(seed);
    let each = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0].into_iter().flat_map(|size| [size; 3]);
    let sizes = each.map(|size| Size {
        size,
        usable_per_s: law.throughput_at(size) * random.lognormal(noise),
        price_per_h: 0.1 * size,
    });
    Vertical { sizes: sizes.collect(), standby: 0 }
}

#[test]
fn costs_cross_where_both_are_equal() {
    let found = compare(&tier(0.03, 0.0005), 0.5, Survive::None, &sizes(1e-9, 1), 1).unwrap();
    let crossing = found.crossing.unwrap();
    let at = crossing.load_per_s;
    let law = Usl { contention: 0.03, coherency: 0.0005, unit_throughput: 1000.0 };
    let tall = Usl { contention: 0.05, coherency: 0.0, unit_throughput: 400.0 };
    close(0.5 * law.concurrency_at(at).unwrap(), 0.1 * tall.concurrency_at(at).unwrap());
    assert!(crossing.is_tall_cheaper_below && crossing.share > 0.99, "{crossing:?}");
    close(crossing.interval.0, at);
    close(crossing.interval.1, at);
    assert!(found.rows.iter().all(|row| row.wide.is_some() && row.tall.is_some()), "{:?}", found.rows);
    let cheaper: Vec<bool> = found.rows.iter().map(|row| row.tall.unwrap().1 <= row.wide.unwrap().1).collect();
    assert!(cheaper[0] && !cheaper[8], "{:?}", found.rows);
}

#[test]
fn costs_that_do_not_cross_say_so() {
    let dear = Vertical { standby: 3, ..sizes(1e-9, 1) };
    let found = compare(&tier(0.03, 0.0005), 0.5, Survive::None, &dear, 1).unwrap();
    assert_eq!((found.crossing, found.is_tall_cheaper), (None, false));
    assert!(found.share > 0.99, "{found:?}");
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let few = Vertical { sizes: sizes(0.01, 1).sizes[..6].to_vec(), standby: 0 };
    assert!(compare(&tier(0.03, 0.0005), 0.5, Survive::None, &few, 1).unwrap_err().contains("different N"));
    let alone = Tier { zones: 1, ..tier(0.0, 0.0) };
    assert!(compare(&alone, 0.5, Survive::Zone, &sizes(0.01, 1), 1).unwrap_err().contains("single zone"));
}

/// Law: the interval of the crossing holds the true one in most of simulated worlds.
#[test]
fn the_interval_of_the_crossing_covers() {
    let truth =
        compare(&tier(0.03, 0.0005), 0.5, Survive::None, &sizes(1e-9, 1), 1).unwrap().crossing.unwrap().load_per_s;
    let (mut crossed, mut covered) = (0, 0);
    for seed in 0..200 {
        let Ok(found) = compare(&tier(0.03, 0.0005), 0.5, Survive::None, &sizes(0.02, seed), seed) else { continue };
        let Some(Crossing { interval: (low, high), .. }) = found.crossing else { continue };
        crossed += 1;
        covered += u32::from((low..=high).contains(&truth));
    }
    assert!(crossed >= 150 && f64::from(covered) >= 0.9 * f64::from(crossed), "{covered} of {crossed}");
}
