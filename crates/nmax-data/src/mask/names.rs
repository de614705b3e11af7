//! Names that become names.

use std::collections::{BTreeMap, HashMap};

use super::alphabet::Alphabet;
use super::cipher::Cipher;
use crate::names::{FEMALE, MALE, SURNAMES};
use crate::text::Short;

/// The least number of names of a class, among which one is hidden.
const LEAST: usize = 16;

/// How common a first name must be, as a rank, to count as one although it is a family name as well.
const COMMON: usize = 1000;

/// Names of the census in small letters, in classes: women's, men's and family names, each by length and by whether
/// they are written like McDonald. Each name is in one class.
#[derive(Debug)]
pub(super) struct NameTable {
    classes: Vec<Vec<String>>,
    /// Class and place of each name.
    places: HashMap<String, (usize, usize)>,
}

impl NameTable {
    pub(super) fn new() -> Self {
        let tables = [FEMALE.table(), MALE.table(), SURNAMES.table()];
        let mut group_of: HashMap<&[u8], (usize, usize)> = HashMap::new();
        for (group, table) in tables.into_iter().enumerate() {
            for (rank, name) in table.iter().enumerate() {
                // A first name that is not common gives way to a family name; among first names, the commoner one wins.
                let is_better = |(before, rank_before): &(usize, usize)| match group {
                    2 => *rank_before >= COMMON,
                    _ => *before == 1 - group && rank < *rank_before,
                };
                if group_of.get(name.bytes()).is_none_or(is_better) {
                    group_of.insert(name.bytes(), (group, rank));
                }
            }
        }
        let mut by_class: BTreeMap<(usize, usize, bool), Vec<String>> = BTreeMap::new();
        for (group, table) in tables.into_iter().enumerate() {
            for name in table.iter().map(Short::bytes).filter(|name| group_of[name].0 == group) {
                let has_inner_capital = name[1..].iter().any(u8::is_ascii_uppercase);
                let lower = String::from_utf8_lossy(name).to_ascii_lowercase();
                by_class.entry((group, name.len(), has_inner_capital)).or_default().push(lower);
            }
        }
        let classes: Vec<Vec<String>> = by_class.into_values().filter(|names| names.len() >= LEAST).collect();
        let places = classes
            .iter()
            .enumerate()
            .flat_map(|(class, names)| {
                names.iter().enumerate().map(move |(place, name)| (name.clone(), (class, place)))
            })
            .collect();
        Self { classes, places }
    }

    /// Word by word: runs of letters as names, runs of digits as text, all else kept.
    pub(super) fn mask(&self, cipher: &Cipher, value: &str) -> String {
        let mut out = String::with_capacity(value.len());
        let mut rest = value;
        while let Some(first) = rest.chars().next() {
            let is_alike = |other: char| match first {
                '0'..='9' => other.is_ascii_digit(),
                _ if Alphabet::containing(first).is_some() => {
                    !other.is_ascii_digit() && Alphabet::containing(other).is_some()
                }
                _ => !other.is_ascii_digit() && Alphabet::containing(other).is_none(),
            };
            let end = rest.find(|other| !is_alike(other)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            out.push_str(&self.word(cipher, word));
            rest = after;
        }
        out
    }

    /// A run of letters, of digits, or of other signs. Letters of ASCII are masked in small letters and get the case they
    /// had, so that a name is the same in a column of names, in capitals and in an e-mail address.
    fn word(&self, cipher: &Cipher, word: &str) -> String {
        if !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return cipher.text(word);
        }
        let lower = word.to_ascii_lowercase();
        let mut masked = match self.places.get(&lower) {
            Some((class, place)) => {
                let names = &self.classes[*class];
                let place = cipher.index(*class as u64, names.len() as u64, *place as u64);
                names[place as usize].clone()
            }
            None => cipher.walk(&lower, |text| self.places.contains_key(text)),
        };
        for (at, byte) in word.bytes().enumerate() {
            if byte.is_ascii_uppercase() {
                masked[at..=at].make_ascii_uppercase();
            }
        }
        masked
    }
}
