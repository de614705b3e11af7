//! What requests send that a reply may have said: the values that are looked for.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use nmax_extract::values::{Wanted, for_each_word};

use super::coding::{self, Coding};
use super::weight::{Weight, is_number, weight};
use super::{denied, link, names};
use crate::parts::{self, Part, ValueLocation, split};
use crate::recording::Request;

/// Longest value that is looked for, in bytes.
const VALUE_BYTES_MAX: usize = 8_192;
/// Longest value whose words are looked for too, in bytes.
const WORDS_BYTES_MAX: usize = 65_536;
/// Most words of one value that are looked for.
const WORDS_MAX: usize = 256;
/// How often one value is told of one reply.
const PLACES_MAX: u16 = 48;

/// A value that a request sends, or a part of one.
#[derive(Clone, Debug)]
pub(super) struct Need {
    /// Entry that sends it.
    pub entry: usize,
    /// Which part of the request.
    pub part: usize,
    /// Which bytes of the part.
    pub span: Range<usize>,
    /// How these bytes are made of the value.
    pub coding: Coding,
    /// The value that a reply may have said.
    pub value: String,
    /// A second recording sends another value there.
    pub varies: bool,
}

/// Everything that is looked for.
#[derive(Default)]
pub(super) struct Index {
    /// Parts of each request, by entry.
    pub parts: HashMap<usize, Vec<Part>>,
    pub needs: Vec<Need>,
    /// Needs of each entry: they follow each other.
    of_entry: HashMap<usize, Range<usize>>,
    /// Needs by value.
    values: HashMap<String, Vec<usize>>,
    /// Lengths of the values, to answer fast.
    lengths: HashSet<usize>,
    /// Entries by the URL that they request.
    links: HashMap<String, Vec<usize>>,
}

impl Index {
    /// Takes a request in; `varies` says whether a second recording has another value at a place.
    pub(super) fn add(&mut self, entry: usize, request: &Request, varies: impl Fn(&Part) -> bool) {
        let parts = parts::request_parts(request);
        let start = self.needs.len();
        for (number, part) in parts.iter().enumerate() {
            if !is_looked_for(&part.place) {
                continue;
            }
            let name = name_of(request, &part.place);
            let varies = varies(part);
            for (span, coding, value) in pieces(&part.value) {
                // A number of JSON is replaced as a whole or not at all.
                if part.is_bare && span != (0..part.value.len()) {
                    continue;
                }
                let is_telling = weight(&value) > Weight::Trivial
                    || (is_number(&value)
                        && (names::identifies(&name) || matches!(part.place, ValueLocation::Segment(_))))
                    || (varies && span == (0..part.value.len()) && coding == Coding::Same);
                if is_telling && value.len() <= VALUE_BYTES_MAX {
                    self.need(Need { entry, part: number, span, coding, value, varies });
                }
            }
        }
        self.of_entry.insert(entry, start..self.needs.len());
        self.parts.insert(entry, parts);
        self.links.entry(link::normal(&request.url)).or_default().push(entry);
    }

    fn need(&mut self, need: Need) {
        self.lengths.insert(need.value.len());
        self.values.entry(need.value.clone()).or_default().push(self.needs.len());
        self.needs.push(need);
    }

    /// Whether some request sends this value.
    fn has(&self, value: &str) -> bool {
        self.lengths.contains(&value.len()) && self.values.contains_key(value)
    }

    /// Needs of an entry.
    pub(super) fn needs_of(&self, entry: usize) -> &[Need] {
        let range = self.of_entry.get(&entry).cloned().unwrap_or_default();
        &self.needs[range]
    }

    /// Needs of a value, in the order of the requests.
    pub(super) fn needs_with(&self, value: &str) -> impl Iterator<Item = &Need> {
        self.values.get(value).into_iter().flatten().map(|need| &self.needs[*need])
    }

    /// Entries that request this URL, in order.
    pub(super) fn requests_of(&self, url: &str) -> &[usize] {
        self.links.get(url).map_or(&[], Vec::as_slice)
    }

    /// What is looked for in the reply to a request of this URL.
    pub(super) fn wanted<'a>(&'a self, url: &'a str) -> Looking<'a> {
        Looking { index: self, url, told: RefCell::default() }
    }
}

/// Whether values of that place are a person's, a script's or a reply's. Cookies are the jar's, the target is looked for
/// as a link.
fn is_looked_for(place: &ValueLocation) -> bool {
    match place {
        ValueLocation::Target | ValueLocation::Cookie(_) => false,
        ValueLocation::Header(name) => !denied::is_of_the_browser(name),
        ValueLocation::Segment(_)
        | ValueLocation::Query(..)
        | ValueLocation::Field(..)
        | ValueLocation::Json(_)
        | ValueLocation::Body => true,
    }
}

/// The value as a whole, and its words, each as it is and decoded.
fn pieces(value: &str) -> Vec<(Range<usize>, Coding, String)> {
    let mut all = Vec::new();
    let add = |span: Range<usize>, all: &mut Vec<_>| {
        let decoded = coding::origins(&value[span.clone()]).into_iter();
        all.extend(decoded.map(|(coding, text)| (span.clone(), coding, text)));
    };
    if value.is_empty() {
        return all;
    }
    if value.len() <= VALUE_BYTES_MAX {
        add(0..value.len(), &mut all);
    }
    if value.len() <= WORDS_BYTES_MAX {
        let mut count = 0;
        for_each_word(value, |span| {
            if span != (0..value.len()) && span.len() > 1 && count < WORDS_MAX {
                count += 1;
                add(span, &mut all);
            }
        });
    }
    all
}

/// How the request calls the value at a place: the field's name, the last key, the segment before.
pub(super) fn name_of(request: &Request, place: &ValueLocation) -> String {
    match place {
        ValueLocation::Query(name, _)
        | ValueLocation::Field(name, _)
        | ValueLocation::Header(name)
        | ValueLocation::Cookie(name) => name.clone(),
        ValueLocation::Json(pointer) => {
            let mut keys = pointer.rsplit('/').filter(|key| !is_number(key));
            keys.next().unwrap_or_default().replace("~1", "/").replace("~0", "~")
        }
        ValueLocation::Segment(index) => {
            let target = split(&request.url);
            let before = target.segments().take(*index).filter(|segment| weight(segment) == Weight::Trivial);
            before.filter(|segment| !is_number(segment)).last().unwrap_or_default().to_owned()
        }
        ValueLocation::Target | ValueLocation::Body => String::new(),
    }
}

/// What is looked for in one reply.
pub(super) struct Looking<'a> {
    index: &'a Index,
    url: &'a str,
    /// How often each value was told of.
    told: RefCell<HashMap<String, u16>>,
}

impl Wanted for Looking<'_> {
    fn value(&self, text: &str) -> bool {
        let is_looked_for = self.index.has(text) || {
            let may_be_encoded = text.len() >= 8 || text.contains(['%', '\\']);
            may_be_encoded && coding::meanings(text).iter().skip(1).any(|(_, value)| self.index.has(value))
        };
        if !is_looked_for {
            return false;
        }
        let mut told = self.told.borrow_mut();
        let count = told.entry(text.to_owned()).or_default();
        *count += 1;
        *count <= PLACES_MAX
    }

    fn link(&self, reference: &str, base: Option<&str>) -> Option<String> {
        let base = base.and_then(|base| link::resolve(self.url, base));
        let url = link::resolve(base.as_deref().unwrap_or(self.url), reference);
        url.filter(|url| self.index.links.contains_key(url))
    }

    fn header(&self, name: &str) -> bool {
        !denied::is_of_the_server(name) && !denied::is_trace(name)
    }
}
