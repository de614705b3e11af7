use std::collections::BTreeSet;

use super::*;

#[test]
fn different_texts_and_pairs_have_different_keys() {
    let texts: BTreeSet<u64> = (0..100_000).map(|n| hash(format!("/item/{n}").as_bytes())).collect();
    assert_eq!(texts.len(), 100_000);
    let zeros: BTreeSet<u64> = (0..64).map(|n| hash(&vec![0; n])).collect();
    assert_eq!(zeros.len(), 64, "lengths count");
    let numbers = [0, 1, 2, 3, 250, u32::MAX - 1, u32::MAX];
    let pairs: BTreeSet<u64> = numbers.iter().flat_map(|a| numbers.iter().map(|b| pair(*a, *b))).collect();
    assert_eq!(pairs.len(), 49);
    let mixed: BTreeSet<u64> =
        (0..300).flat_map(|a| (0..300).map(move |b| mix(a, hash(&[b as u8, (b >> 8) as u8])))).collect();
    assert_eq!(mixed.len(), 90_000);
}
