//! What people type into a search field: few words that find much, many phrases that find something, and nonsense.

use std::num::NonZeroU64;
use std::sync::LazyLock;

use super::Words;
use crate::choice::Choice;
use crate::names::nonsense;

nmax_text::named! {
    /// A column of a search.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Field {
        Query = "q",
        Class = "class",
    }
    /// Its name in records.
    name
}

/// How much a term is meant to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// One common word.
    Many,
    /// A phrase.
    Some,
    /// A word of no language.
    None,
}

/// Things that are bought, in order of popularity.
static THINGS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "\
    shoes phone dress watch bag jacket laptop lamp book chair shirt table boots camera headphones jeans \
    bike bed backpack hat sofa ring tent mirror desk keyboard coat rug socks knife monitor printer toys \
    mug curtains gloves pillow speaker charger cable blanket belt scarf clock vase drill kettle blender \
    pan helmet guitar candle shelf towel umbrella wallet sweater skirt heater fan puzzle bottle necklace \
    sandals"
        .split(' ')
        .collect()
});

/// What they are like, in order of popularity.
static KINDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "\
    black white red blue small large cheap new leather wooden vintage kids green grey wireless \
    waterproof cotton gold silver organic modern used light folding electric portable brown pink winter \
    summer outdoor soft"
        .split(' ')
        .collect()
});

/// What they are for.
const USES: [&str; 16] = [
    "", " for women", " for men", " set", " sale", " for kids", " for travel", " xl", " size 42", " gift", " for home",
    " for office", " 2 pack", " with case", " for school", " near me",
];

/// Random words: 0 class; the rank is drawn at its own address.
pub(super) fn push(words: Words, field: Field, out: &mut Vec<u8>) {
    let class = match super::below(words.word(0), 100) {
        0..22 => Class::Many,
        22..92 => Class::Some,
        _ => Class::None,
    };
    if field == Field::Class {
        out.extend_from_slice(match class {
            Class::Many => b"many",
            Class::Some => b"some",
            Class::None => b"none",
        });
        return;
    }
    let rank = |ranks: u64, exponent| {
        let ranks = NonZeroU64::new(ranks).expect("there are terms");
        Choice::new(words.seed, words.record, 0, 1).zipf(0, ranks, exponent) - 1
    };
    match class {
        Class::Many => {
            let rank = rank(96, 1.0) as usize;
            // Every third common word is an adjective.
            let word = if rank % 3 == 2 { KINDS[rank / 3] } else { THINGS[rank - rank / 3] };
            out.extend_from_slice(word.as_bytes());
        }
        Class::Some => {
            let rank = rank(32_768, 0.9);
            // A step without common factors with the number of phrases scatters them.
            let phrase = rank * 12_347 % 32_768;
            out.extend_from_slice(KINDS[(phrase % 32) as usize].as_bytes());
            out.push(b' ');
            out.extend_from_slice(THINGS[(phrase / 32 % 64) as usize].as_bytes());
            out.extend_from_slice(USES[(phrase / 2048) as usize].as_bytes());
        }
        Class::None => {
            let from = out.len();
            nonsense(rank(1_000_000, 0.7) * 2_654_437 % 8_192_000, 7, out);
            out[from..].make_ascii_lowercase();
        }
    }
}
