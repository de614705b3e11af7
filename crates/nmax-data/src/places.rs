//! Where people live: cities with the postcodes and area codes that belong to them.

use std::sync::LazyLock;

use crate::alias::Alias;
use crate::choice::mix64;
use crate::names::SURNAMES;

/// Cities of the United States.
pub(crate) static UNITED_STATES: LazyLock<Places> = LazyLock::new(|| Places::new(include_str!("../data/cities.tsv")));

/// Cities, and their postcodes.
#[derive(Debug)]
pub(crate) struct Places {
    cities: Vec<City>,
    /// A postcode and the index of its city. Each postcode is as likely as the others, so that a city with many
    /// is drawn often.
    codes: Vec<(u32, u32)>,
}

/// A city.
#[derive(Debug)]
pub(crate) struct City {
    pub(crate) name: &'static str,
    /// Two letters.
    pub(crate) state: &'static str,
    /// Telephone area codes; never empty.
    areas: Vec<&'static str>,
}

impl Places {
    /// From lines of city, state, area codes and ranges of postcodes, with tabs between.
    fn new(table: &'static str) -> Self {
        let (mut cities, mut codes) = (Vec::new(), Vec::new());
        for line in table.lines() {
            let mut fields = line.split('\t');
            let mut field = || fields.next().expect("the table has four columns");
            let (name, state, areas) = (field(), field(), field());
            for range in field().split(' ') {
                let (from, to) = range.split_once('-').unwrap_or((range, range));
                let number = |code: &str| code.parse::<u32>().expect("postcodes are numbers");
                codes.extend((number(from)..=number(to)).map(|code| (code, cities.len() as u32)));
            }
            cities.push(City { name, state, areas: areas.split(' ').collect() });
        }
        Self { cities, codes }
    }

    /// The postcode that a uniform word picks, and its city.
    pub(crate) fn pick(&self, word: u64) -> (u32, &City) {
        let (code, city) = self.codes[((u128::from(word) * self.codes.len() as u128) >> 64) as usize];
        (code, &self.cities[city as usize])
    }
}

impl City {
    /// The area code that a word picks.
    pub(crate) fn area(&self, word: u64) -> &'static str {
        self.areas[(word % self.areas.len() as u64) as usize]
    }
}

/// Street names and how common they are: the order is that of the Census Bureau's list of 1993, the weights are
/// its counts, rounded. The last stands for all others, which get family names.
#[rustfmt::skip]
const STREETS: [(&str, u64); 31] = [
    ("2nd", 109), ("3rd", 101), ("1st", 99), ("4th", 92), ("Park", 89), ("5th", 82), ("Main", 76), ("6th", 73),
    ("Oak", 69), ("7th", 64), ("Pine", 62), ("Maple", 61), ("Cedar", 56), ("8th", 55), ("Elm", 52), ("View", 52),
    ("Washington", 50), ("9th", 49), ("Lake", 49), ("Hill", 49), ("10th", 44), ("Walnut", 41), ("Spring", 38),
    ("North", 37), ("Ridge", 36), ("Lincoln", 35), ("Church", 34), ("Willow", 34), ("Mill", 33), ("Sunset", 32),
    ("", 3500),
];

/// What streets are called after their name; the first ones are common.
const SUFFIXES: [(&str, u64); 10] = [
    (" Street", 30),
    (" Road", 18),
    (" Avenue", 16),
    (" Drive", 14),
    (" Lane", 9),
    (" Court", 5),
    (" Circle", 3),
    (" Place", 2),
    (" Boulevard", 2),
    (" Way", 1),
];

static STREET_NAMES: LazyLock<Alias> = LazyLock::new(|| Alias::new(&STREETS.map(|(_, weight)| weight)));
static STREET_SUFFIXES: LazyLock<Alias> = LazyLock::new(|| Alias::new(&SUFFIXES.map(|(_, weight)| weight)));

/// Appends the street that a uniform word picks.
pub(crate) fn push_street(word: u64, out: &mut Vec<u8>) {
    match STREETS[STREET_NAMES.pick(word)].0 {
        "" => SURNAMES.pick(mix64(word)).push(out),
        name => out.extend_from_slice(name.as_bytes()),
    }
    out.extend_from_slice(SUFFIXES[STREET_SUFFIXES.pick(mix64(!word))].0.as_bytes());
}
