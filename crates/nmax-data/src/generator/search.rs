//! What people type into a search field: few words that find much, many phrases that find something, and nonsense.

use std::num::NonZeroU64;

use super::Words;
use crate::choice::Choice;
use crate::names::nonsense;

/// A column of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Query,
    Class,
}

impl Field {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Query => "q",
            Self::Class => "class",
        }
    }
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

const THINGS: [&str; 64] = [
    "shoes",
    "phone",
    "dress",
    "watch",
    "bag",
    "jacket",
    "laptop",
    "lamp",
    "book",
    "chair",
    "shirt",
    "table",
    "boots",
    "camera",
    "headphones",
    "jeans",
    "bike",
    "bed",
    "backpack",
    "hat",
    "sofa",
    "ring",
    "tent",
    "mirror",
    "desk",
    "keyboard",
    "coat",
    "rug",
    "socks",
    "knife",
    "monitor",
    "printer",
    "toys",
    "mug",
    "curtains",
    "gloves",
    "pillow",
    "speaker",
    "charger",
    "cable",
    "blanket",
    "belt",
    "scarf",
    "clock",
    "vase",
    "drill",
    "kettle",
    "blender",
    "pan",
    "helmet",
    "guitar",
    "candle",
    "shelf",
    "towel",
    "umbrella",
    "wallet",
    "sweater",
    "skirt",
    "heater",
    "fan",
    "puzzle",
    "bottle",
    "necklace",
    "sandals",
]; // In order of popularity.

const KINDS: [&str; 32] = [
    "black",
    "white",
    "red",
    "blue",
    "small",
    "large",
    "cheap",
    "new",
    "leather",
    "wooden",
    "vintage",
    "kids",
    "green",
    "grey",
    "wireless",
    "waterproof",
    "cotton",
    "gold",
    "silver",
    "organic",
    "modern",
    "used",
    "light",
    "folding",
    "electric",
    "portable",
    "brown",
    "pink",
    "winter",
    "summer",
    "outdoor",
    "soft",
]; // Same.

const USES: [&str; 16] = [
    "",
    " for women",
    " for men",
    " set",
    " sale",
    " for kids",
    " for travel",
    " xl",
    " size 42",
    " gift",
    " for home",
    " for office",
    " 2 pack",
    " with case",
    " for school",
    " near me",
]; // Same.

/// Random words: 0 class; the rank is drawn at its own address.
pub(super) fn push(words: Words, field: Field, out: &mut String) {
    let class = match super::below(words.word(0), 100) {
        0..22 => Class::Many,
        22..92 => Class::Some,
        _ => Class::None,
    };
    if field == Field::Class {
        out.push_str(match class {
            Class::Many => "many",
            Class::Some => "some",
            Class::None => "none",
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
            out.push_str(if rank % 3 == 2 {
                KINDS[rank / 3]
            } else {
                THINGS[rank - rank / 3]
            });
        }
        Class::Some => {
            let rank = rank(32_768, 0.9);
            // A step without common factors with the number of phrases scatters them.
            let phrase = rank * 12_347 % 32_768;
            out.push_str(KINDS[(phrase % 32) as usize]);
            out.push(' ');
            out.push_str(THINGS[(phrase / 32 % 64) as usize]);
            out.push_str(USES[(phrase / 2048) as usize]);
        }
        Class::None => {
            let from = out.len();
            nonsense(rank(1_000_000, 0.7) * 2_654_437 % 8_192_000, 7, out);
            out.as_mut_str()[from..].make_ascii_lowercase();
        }
    }
}
