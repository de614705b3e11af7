//! Names that become names.

use std::collections::HashMap;

use super::alphabet::Alphabet;
use super::cipher::Cipher;
use crate::names::{FEMALE, MALE, SURNAMES};
use crate::text::Short;

/// The least number of names of one length among which one is hidden.
const LEAST: usize = 16;

/// How common a first name must be, as a rank, to count as one although it is a family name as well.
const COMMON: usize = 1000;

/// Names of the census, in classes: women's, men's and family names, each by length. Each name is in one class.
#[derive(Debug)]
pub(super) struct NameTable {
    classes: Vec<Vec<Short>>,
    /// Class and place of each name, in small letters.
    places: HashMap<String, (usize, usize)>,
}

/// How a name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// McDonald
    Table,
    /// mcdonald
    Lower,
    /// MCDONALD
    Upper,
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
        let mut by_class: HashMap<(usize, usize), Vec<Short>> = HashMap::new();
        for (group, table) in tables.into_iter().enumerate() {
            for name in table.iter().filter(|name| group_of[name.bytes()].0 == group) {
                by_class.entry((group, name.bytes().len())).or_default().push(*name);
            }
        }
        let mut classes: Vec<_> = by_class.into_iter().filter(|(_, names)| names.len() >= LEAST).collect();
        classes.sort_unstable_by_key(|(class, _)| *class);
        let classes: Vec<Vec<Short>> = classes.into_iter().map(|(_, names)| names).collect();
        let places = classes
            .iter()
            .enumerate()
            .flat_map(|(class, names)| {
                names
                    .iter()
                    .enumerate()
                    .map(move |(place, name)| (name, (class, place)))
            })
            .map(|(name, place)| (written(name, Style::Lower), place))
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
                _ if Alphabet::of(first).is_some() => !other.is_ascii_digit() && Alphabet::of(other).is_some(),
                _ => !other.is_ascii_digit() && Alphabet::of(other).is_none(),
            };
            let end = rest.find(|other| !is_alike(other)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            match self.find(word) {
                Some((class, place, style)) => {
                    let names = &self.classes[class];
                    let place = cipher.index(class as u64, names.len() as u64, place as u64);
                    out.push_str(&written(&names[place as usize], style));
                }
                None => out.push_str(&cipher.walk(word, |text| self.find(text).is_some())),
            }
            rest = after;
        }
        out
    }

    /// The class and place of a name, when it is written in one of the three ways.
    fn find(&self, word: &str) -> Option<(usize, usize, Style)> {
        let (class, place) = *self.places.get(&word.to_ascii_lowercase())?;
        let name = &self.classes[class][place];
        let style = [Style::Table, Style::Lower, Style::Upper]
            .into_iter()
            .find(|style| written(name, *style) == word)?;
        Some((class, place, style))
    }
}

fn written(name: &Short, style: Style) -> String {
    let name = String::from_utf8_lossy(name.bytes());
    match style {
        Style::Table => name.into_owned(),
        Style::Lower => name.to_ascii_lowercase(),
        Style::Upper => name.to_ascii_uppercase(),
    }
}
