use super::*;
use crate::origin::Figure;
use crate::tests::{close, tier};

#[test]
fn changes_move_the_peak_as_the_law_says() {
    let base = tier(1000.0, 0.03, 0.0005);
    let law = base.law.law(End::Estimate);
    close(law.peak_concurrency().unwrap(), 44.045_43);
    close(1000.0 * law.peak_throughput().unwrap(), 13_597.04);
    close(base.capacity(20, End::Estimate), 11_363.64);
    let found = changes(&Supply { tiers: vec![base] }, 9000.0, 0.0, Survive::None);
    let wanted = [(44.384_68, 16_982.35), (62.289_65, 16_421.76), (44.045_43, 16_996.30)];
    assert_eq!(found.len(), 3);
    for (change, (n, x)) in found.iter().zip(wanted) {
        let (at, peak) = change.peak.unwrap();
        close(at, n);
        close(peak, x);
        let Plan::Group(count) = change.plan else { panic!("{change:?}") };
        assert!(count.nodes <= 13 && count.all_per_s >= 9000.0, "{change:?}");
    }
    let less = tier(1000.0, 0.005, 0.0005);
    let law = less.law.law(End::Estimate);
    close(law.peak_concurrency().unwrap(), 44.609_42);
    close(1000.0 * law.peak_throughput().unwrap(), 20_362.69);
    close(less.capacity(20, End::Estimate), 15_564.20);
    let faster = Tier { usable: Figure::assumed(1250.0), ..tier(1000.0, 0.03, 0.0005) };
    close(faster.capacity(20, End::Estimate), 14_204.55);
}

#[test]
fn what_is_zero_cannot_be_halved() {
    let found = changes(&Supply { tiers: vec![tier(1000.0, 0.0, 0.0)] }, 9000.0, 0.0, Survive::None);
    assert_eq!(
        found.iter().map(|change| (change.what, change.peak)).collect::<Vec<_>>(),
        [("nodes that are 25 % faster", None)]
    );
}
