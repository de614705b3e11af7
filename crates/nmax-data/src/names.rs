//! Names as common as they are: tables of the census, and a long tail of rare ones.

use std::sync::LazyLock;

use crate::alias::Alias;
use crate::choice::mix64;
use crate::text::Short;

#[cfg(test)]
mod tests;

/// Family names; counts of the census of 2000.
pub(crate) static SURNAMES: LazyLock<Names> = LazyLock::new(|| {
    Names::new(
        include_str!("../data/surnames.tsv"),
        Tail { share: 0.248_78, exponent: 0.4396, ranks: 6_230_000, pattern: Pattern::Surname },
    )
});

/// Women's first names; shares of the census of 1990.
pub(crate) static FEMALE: LazyLock<Names> = LazyLock::new(|| {
    Names::new(
        include_str!("../data/female.tsv"),
        Tail { share: 0.099_76, exponent: 0.4173, ranks: 100_000, pattern: Pattern::Female },
    )
});

/// Men's first names; shares of the census of 1990.
pub(crate) static MALE: LazyLock<Names> = LazyLock::new(|| {
    Names::new(
        include_str!("../data/male.tsv"),
        Tail { share: 0.099_60, exponent: 0.5395, ranks: 100_000, pattern: Pattern::Male },
    )
});

/// A table of names with weights, and its tail.
#[derive(Debug)]
pub(crate) struct Names {
    names: Vec<Short>,
    /// One slot more than names: the last stands for the tail.
    alias: Alias,
    tail: Tail,
}

/// What is beyond the table.
#[derive(Clone, Copy, Debug)]
struct Tail {
    /// Share of all people, in [0, 1].
    share: f64,
    /// k of the tail: the share of people beyond rank x falls like x^−k.
    exponent: f64,
    /// How many rare names there are.
    ranks: u64,
    pattern: Pattern,
}

/// How rare names are built, so that different numbers give different names.
#[derive(Clone, Copy, Debug)]
enum Pattern {
    /// Kavotin: 8,192,000 of them.
    Surname,
    /// Kavota: 102,400 of them.
    Female,
    /// Kavot: 102,400 of them.
    Male,
}

/// A name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name {
    /// From the table.
    Known(Short),
    /// From the tail, with its number.
    Rare(RareName),
}

/// A name beyond the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RareName {
    pattern: Pattern,
    number: u64,
}

impl Names {
    /// From lines of name, tab, weight, the commonest first.
    fn new(table: &'static str, tail: Tail) -> Self {
        let (names, mut weights): (Vec<Short>, Vec<u64>) = table
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(name, weight)| {
                let weight: u64 = weight.parse().expect("the table holds numbers");
                (Short::new(name).expect("no name of the census has more than 15 letters"), weight)
            })
            .unzip();
        let known = weights.iter().sum::<u64>() as f64;
        weights.push((known * tail.share / (1.0 - tail.share)).round() as u64);
        Self { names, alias: Alias::new(&weights), tail }
    }

    /// The names of the table, the commonest first.
    pub(crate) fn table(&self) -> &[Short] {
        &self.names
    }

    /// The name that a uniform word picks.
    pub(crate) fn pick(&self, word: u64) -> Name {
        match self.names.get(self.alias.pick(word)) {
            Some(name) => Name::Known(*name),
            None => Name::Rare(RareName {
                pattern: self.tail.pattern,
                number: self.tail.rank(self.names.len() as f64, mix64(word)),
            }),
        }
    }
}

impl Tail {
    /// A rank beyond a table of `known` names, from 0, as Pareto's law has it.
    ///
    /// ```text
    /// P(rank > x) = ((x + known) / known)^−k, cut off at `ranks`
    /// ```
    ///
    /// k is what the census itself shows between the end of our table and the end of its own; see
    /// `data/README.md`.
    fn rank(self, known: f64, word: u64) -> u64 {
        let unit = (word >> 11) as f64 * f64::powi(2.0, -53);
        let least = (self.ranks as f64 / known + 1.0).powf(-self.exponent);
        let left = 1.0 - unit * (1.0 - least);
        let rank = (left.powf(-1.0 / self.exponent) - 1.0) * known;
        (rank as u64).min(self.ranks - 1)
    }
}

impl Name {
    /// Appends it.
    pub(crate) fn push(self, out: &mut Vec<u8>) {
        match self {
            Self::Known(name) => name.push(out),
            Self::Rare(rare) => rare.push(out),
        }
    }

    /// Appends it in small letters.
    pub(crate) fn push_lower(self, out: &mut Vec<u8>) {
        let from = out.len();
        self.push(out);
        out[from..].make_ascii_lowercase();
    }
}

impl RareName {
    fn push(self, out: &mut Vec<u8>) {
        let (places, size, end) = match self.pattern {
            Pattern::Surname => (7, 8_192_000, &b""[..]),
            Pattern::Female => (5, 102_400, &b"a"[..]),
            Pattern::Male => (5, 102_400, &b""[..]),
        };
        // A step that shares no factor with the size scatters neighbours; size = 2^a · 5^b.
        nonsense(self.number * 2_654_437 % size, places, out);
        out.extend_from_slice(end);
    }
}

/// Appends the word of a number: consonant, vowel, consonant and so on, the first one large.
/// Numbers below 16^consonants · 5^vowels have different words.
pub(crate) fn nonsense(mut number: u64, places: usize, out: &mut Vec<u8>) {
    const CONSONANTS: &[u8; 16] = b"bdfghklmnprstvwz";
    const VOWELS: &[u8; 5] = b"aeiou";
    for place in 0..places {
        let letter = if place % 2 == 0 {
            let letter = CONSONANTS[(number % 16) as usize];
            number /= 16;
            letter
        } else {
            let letter = VOWELS[(number % 5) as usize];
            number /= 5;
            letter
        };
        out.push(if place == 0 { letter.to_ascii_uppercase() } else { letter });
    }
}
