use std::collections::{HashMap, HashSet};

use super::*;
use crate::choice::Stream;

/// Names of `count` people.
fn drawn(names: &Names, count: usize) -> HashMap<String, u32> {
    let mut stream = Stream::new(11);
    let mut seen = HashMap::new();
    for _ in 0..count {
        let mut name = Vec::new();
        names.pick(stream.next_u64()).push(&mut name);
        *seen.entry(String::from_utf8(name).unwrap()).or_default() += 1;
    }
    seen
}

/// The oracle is the census: shares of names, and the share of all that its own list does not reach.
#[test]
fn surnames_are_as_common_as_in_the_census() {
    let people = 400_000;
    let seen = drawn(&SURNAMES, people);
    // per 100,000 people
    for (name, want) in [("Smith", 880.85), ("Johnson", 688.44), ("Atherton", 2.39)] {
        let got = f64::from(seen.get(name).copied().unwrap_or(0));
        let want = want * people as f64 / 1e5;
        assert!((got - want).abs() < 5.0 * want.sqrt(), "{name}: {got}, not {want}");
    }
    let table: HashSet<&[u8]> = SURNAMES.table().iter().map(Short::bytes).collect();
    let rare: u32 = seen.iter().filter(|(name, _)| !table.contains(name.as_bytes())).map(|(_, n)| n).sum();
    assert!((f64::from(rare) / people as f64 - 0.2488).abs() < 0.005, "{rare} have a rare name");
    // The census lists 150,436 names for 89.75 % of the people: of the rest, each is rarer than 0.04 per 100,000.
    let singles = seen.values().filter(|n| **n == 1).count();
    assert!(singles > 40_000, "the tail is long: {singles} names were met once");
}

#[test]
fn first_names_are_as_common_as_in_the_census() {
    for (names, name, share) in [(&*FEMALE, "Mary", 0.026_29), (&*MALE, "James", 0.033_18)] {
        let seen = drawn(names, 100_000);
        let got = f64::from(seen[name]) / 1e5;
        assert!((got - share).abs() < 0.003, "{name}: {got}, not {share}");
    }
}

/// Half of the tail's people are before the rank that its law says.
#[test]
fn the_tail_follows_its_law() {
    let tail = SURNAMES.tail;
    let mut stream = Stream::new(3);
    let ranks: Vec<u64> = (0..100_000).map(|_| tail.rank(20_000.0, stream.next_u64())).collect();
    // 150,436 names reach 89.754 %, 20,000 reach 75.122 %: the part of the tail beyond 150,436, and what the
    // cut at the end takes away.
    let beyond = ranks.iter().filter(|rank| **rank >= 130_436).count() as f64 / 1e5;
    let cut = (6_250_000.0_f64 / 20_000.0).powf(-0.4396);
    let want = (0.102_46 / 0.248_78 - cut) / (1.0 - cut);
    assert!((beyond - want).abs() < 0.01, "{beyond}, not {want}");
    assert!(ranks.iter().all(|rank| *rank < tail.ranks));
}

/// Law: rare names of one pattern are all different.
#[test]
fn rare_names_differ() {
    for (pattern, size) in [(Pattern::Female, 102_400), (Pattern::Male, 102_400), (Pattern::Surname, 300_000)] {
        let all: HashSet<Vec<u8>> = (0..size)
            .map(|number| {
                let mut name = Vec::new();
                Name::Rare(RareName { pattern, number }).push(&mut name);
                name
            })
            .collect();
        assert_eq!(all.len() as u64, size, "{pattern:?}");
    }
}
