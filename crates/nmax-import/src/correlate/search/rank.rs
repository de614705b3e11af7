//! Which of the places that have a value may give it, and which of them is best.
//!
//! What a site shows on every page stands in the recording thousands of times. So only the first and the last places
//! before a request are looked at, and those of the same kind and names are judged once for a request.

use std::collections::HashMap;
use std::rc::Rc;

use nmax_extract::values::{FoundValue, Kind};
use nmax_plan::plan::ReplyPart;

use super::{Origin, Search};
use crate::correlate::coding::Coding;
use crate::correlate::index::Need;
use crate::correlate::judge::{self, Given};
use crate::correlate::names;
use crate::correlate::weight::{Weight, is_number, weight};
use crate::parts::{Part, ValueLocation, split};
use crate::recording::Request;

/// Places of a value that are looked at for a request: so many of the first ones, and so many of the last ones.
const ORIGINS_MAX: usize = 256;

/// What is the same for all places that are judged alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Class {
    kind: Kind,
    name: String,
    /// Words of the name, of the names around it, and of the request.
    words: Vec<String>,
    /// The reply answers a request that makes something.
    creates: bool,
}

/// Classes of what was found.
#[derive(Default)]
pub(super) struct Classes {
    all: Vec<Rc<Class>>,
    known: HashMap<Rc<Class>, usize>,
    /// By number of what was found.
    of: Vec<usize>,
}

impl Classes {
    /// Takes in what the reply to a request has.
    pub(super) fn add(&mut self, found: &FoundValue, request: &Request) {
        let mut words = names::split_words(&found.name);
        if let Some(ReplyPart::JsonPath(path)) = found.sources.last() {
            words.extend(names::split_words(path));
        }
        let static_segments = split(&request.url).segments().filter(|segment| !is_number(segment));
        words.extend(static_segments.flat_map(names::split_words));
        let class = Rc::new(Class {
            kind: found.kind,
            name: found.name.clone(),
            words,
            creates: matches!(request.method.as_str(), "POST" | "PUT" | "PATCH"),
        });
        let number = *self.known.entry(Rc::clone(&class)).or_insert(self.all.len());
        if number == self.all.len() {
            self.all.push(class);
        }
        self.of.push(number);
    }
}

/// Judges the places that have a value that a request sends.
pub(super) struct Judge<'a, 'b> {
    search: &'b Search<'a>,
    need: &'b Need,
    part: &'b Part,
    name: &'b str,
    /// Words of the name.
    sent: Vec<String>,
    weight: Weight,
    was_followed: bool,
    /// What was said, by class.
    said: HashMap<usize, Result<(), &'static str>>,
    /// How well the names agree, by class; the lower, the better.
    agreement: HashMap<usize, u8>,
}

impl Judge<'_, '_> {
    /// Whether the place with this number may give the value.
    pub(super) fn verdict(&mut self, number: usize) -> Result<(), &'static str> {
        let weight = self.weight;
        let is_whole = self.need.span == (0..self.part.value.len());
        if weight == Weight::Strong || (self.need.varies && weight == Weight::Trivial && is_whole) {
            // In the second case, what a second recording says decides.
            return Ok(());
        }
        let class = self.search.classes.of[number];
        if let Some(said) = self.said.get(&class) {
            return *said;
        }
        let said = self.judge(number);
        self.said.insert(class, said);
        said
    }

    fn judge(&self, number: usize) -> Result<(), &'static str> {
        let (_, found) = &self.search.found[number];
        let class = &self.search.classes.all[self.search.classes.of[number]];
        judge::judge(
            self.weight,
            &self.need.value,
            &Given { found, words: &class.words, creates: class.creates },
            &judge::Sent {
                place: &self.part.place,
                name: self.name,
                words: &self.sent,
                was_followed: self.was_followed,
            },
        )
    }

    fn agreement(&mut self, number: usize) -> u8 {
        let class = self.search.classes.of[number];
        *self.agreement.entry(class).or_insert_with(|| {
            let given = &self.search.found[number].1.name;
            if names::same(given, self.name) {
                0
            } else {
                2 - u8::from(names::share(&names::split_words(given), &names::split_words(self.name)))
            }
        })
    }
}

impl<'a> Search<'a> {
    /// Of what stands in the order of the sequence, the part before an entry; `number` tells what was found.
    pub(super) fn known_to<'c, T>(&self, all: &'c [T], entry: usize, number: impl Fn(&T) -> usize) -> &'c [T] {
        let order = self.timeline.spot(entry).order;
        let end = all.partition_point(|one| self.timeline.spot(self.found[number(one)].0).order < order);
        &all[..end]
    }

    /// Places that have the value when it is sent, the first and the last of them.
    pub(super) fn origins(&self, need: &Need) -> Vec<Origin> {
        let all = self.by_value.get(&need.value).map_or(&[][..], Vec::as_slice);
        let known = self.known_to(all, need.entry, |(number, _)| *number);
        let (first, rest) = known.split_at(known.len().min(ORIGINS_MAX));
        let last = &rest[rest.len().saturating_sub(ORIGINS_MAX)..];
        let both = first.iter().chain(last);
        both.filter(|(number, _)| self.is_before(*number, need.entry)).cloned().collect()
    }

    pub(super) fn judge<'b>(&'b self, need: &'b Need, part: &'b Part, name: &'b str) -> Judge<'a, 'b> {
        let mut sent = names::split_words(name);
        if let ValueLocation::Json(pointer) = &part.place {
            sent.extend(names::split_words(pointer));
        }
        let was_followed =
            self.followed.iter().any(|(value, words)| *value == need.value && names::share(words, &sent));
        Judge {
            search: self,
            need,
            part,
            name,
            sent,
            weight: weight(&need.value),
            was_followed,
            said: HashMap::new(),
            agreement: HashMap::new(),
        }
    }

    /// The lower, the better: steps before resources, the same name before others, values that are taken already before
    /// new ones, plain values before coded ones, then by kind; of links those on the page that the user saw, of others
    /// the earliest.
    pub(super) fn rank(&self, origin: &Origin, judge: &mut Judge<'_, '_>, page: Option<usize>) -> impl Ord + use<> {
        let (number, coding) = origin;
        let (from, found) = &self.found[*number];
        let known = self.by_reply.get(from).map_or(&[][..], Vec::as_slice);
        let is_new = !known.iter().any(|draft| self.drafts[*draft].text == found.text);
        let is_elsewhere = found.kind == Kind::Link && page != Some(*from);
        let order = self.timeline.spot(*from).order;
        (
            (self.timeline.is_resource(*from), judge.agreement(*number), is_new),
            (*coding != Coding::Same, found.kind, is_elsewhere, order, *number),
        )
    }
}
