use super::*;

fn counted(numbers: impl Iterator<Item = (i64, u64)>) -> Frequent {
    let mut frequent = Frequent::default();
    numbers.for_each(|(key, count)| frequent.add(&[Cell::Number(key)], count));
    frequent
}

fn sorted(frequent: &Frequent) -> Vec<(Vec<Cell>, u64)> {
    let mut all: Vec<_> = frequent.iter().map(|(key, count)| (key.to_vec(), count)).collect();
    all.sort();
    all
}

/// Merging is the same every time, although each map gives its keys in an order of its own, and keeps what is frequent.
#[test]
fn merging_does_not_depend_on_the_order_of_keys() {
    let most = KEPT as i64;
    let merged = || {
        let mut all = counted((0..most * 3 / 2).map(|key| (key, 1 + key as u64 % 7)));
        all.merge(&counted((most..most * 5 / 2).map(|key| (key, 1 + key as u64 % 5))));
        all
    };
    let first = sorted(&merged());
    assert!(first.len() <= 2 * KEPT);
    for _ in 0..3 {
        assert_eq!(sorted(&merged()), first);
    }
    let mut all = counted((0..most * 3 / 2).map(|key| (key, 1)).chain([(-1, 30)]));
    all.merge(&counted((most * 2..most * 4 - 2).map(|key| (key, 1)).chain([(-1, 30)])));
    assert!(all.iter().any(|(key, _)| key == [Cell::Number(-1)]));
}
