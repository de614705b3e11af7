use proptest::prelude::*;

use super::*;

const S: i64 = 1_000_000;

/// A request: when it really began and how long it took, in µs.
type Real = (i64, i64);

/// Arrivals as a log of whole seconds knows them, in the order of its lines, which is that of the ends.
fn logged(mut requests: Vec<Real>) -> (Vec<Real>, Vec<i64>) {
    requests.sort_by_key(|(begin, took)| begin + took);
    let mut sequence = Sequence::default();
    let known = |(begin, took): &Real| (begin + took).div_euclid(S) * S - took;
    let found = requests.iter().map(|real| sequence.arrival(7, known(real), S as u32)).collect();
    (requests, found)
}

proptest! {
    /// Law: a visitor who asks for one page after the other is found to have done so, however fast.
    #[test]
    fn one_page_after_the_other(pages in prop::collection::vec((0..3 * S, 1..4 * S), 1..100)) {
        let mut at = 1_000 * S;
        let requests = pages.iter().map(|(pause, took)| { let begin = at + pause; at = begin + took; (begin, *took) }).collect();
        let (requests, found) = logged(requests);
        prop_assert!(found.is_sorted(), "{found:?}");
        for ((begin, _), found) in requests.iter().zip(&found) {
            prop_assert!((begin - found).abs() < S, "{begin} is {found}");
        }
    }

    /// Law: whatever overlaps, an arrival moves by less than the resolution, and never back.
    #[test]
    fn arrivals_stay_in_their_second(requests in prop::collection::vec((0..20 * S, 0..15 * S), 1..200)) {
        let (requests, found) = logged(requests);
        for ((begin, took), found) in requests.iter().zip(found) {
            let known = (begin + took).div_euclid(S) * S - took;
            prop_assert!((known..known + S).contains(&found), "{known} is {found}");
        }
    }
}

#[test]
fn what_certainly_came_first_stays_first() {
    let mut sequence = Sequence::default();
    let mut at = |ms: i64| sequence.arrival(1, 1_000 * ms, 1_000_000) / 1_000;
    assert_eq!((at(6_900), at(6_600), at(2_000)), (6_900, 6_900, 2_000), "as above");
    assert_eq!(at(6_000), 6_900, "a long request does not hide the line before it");
}

#[test]
fn visitors_and_fine_stamps_are_left_alone() {
    let mut sequence = Sequence::default();
    assert_eq!(sequence.arrival(1, 900, 1_000_000), 900);
    assert_eq!(sequence.arrival(2, 500, 1_000_000), 500, "somebody else");
    assert_eq!(sequence.arrival(1, 500, 1_000), 500, "stamps of milliseconds");
}

/// Many behind one address are not put one after the other.
#[test]
fn crowds_have_no_sequence() {
    let mut sequence = Sequence::default();
    let found: Vec<i64> =
        (0..4_000).map(|n| sequence.arrival(1, n * 10_000 - n * 7_919 % 300 * 1_000, 1_000_000)).collect();
    let moved = (0..).zip(&found).filter(|(n, found)| **found != n * 10_000 - n * 7_919 % 300 * 1_000).count();
    assert!(moved < 40, "{moved}");
}

/// What is drawn within a second stays within it, in the order of the lines, and apart.
#[test]
fn drawn_instants_stay_apart() {
    let mut last = Last::default();
    let found = [(0, 600), (-100, 200), (-200, 100)].map(|(from, at)| last.follow((from, from + 1_000), at));
    // 600; three tenths of what remains to 900; three tenths of what remains to 800.
    assert_eq!(found, [600, 690, 723]);
}

/// Memory is that of the visitors of some minutes.
#[test]
fn visitors_are_forgotten() {
    let mut sequence = Sequence::default();
    for n in 0..100_000 {
        sequence.arrival(n, n as i64 * S, 1_000_000);
    }
    assert!(sequence.known.len() + sequence.older.len() <= 2 * (WINDOW_S as usize + 1));
}
