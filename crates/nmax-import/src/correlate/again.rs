//! A second recording of the same journey: which of its entries are those of the first, and what it sent there.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::link;
use super::weight::{Weight, is_number, weight};
use crate::journey::{Journey, Step};
use crate::parts::{self, ValueLocation, split};
use crate::recording::{Entry, Recording, Request};

/// What a request sends, by place.
type Values = Rc<HashMap<ValueLocation, String>>;

/// The second recording, beside the first.
pub(super) struct SecondRecording<'a> {
    recording: &'a Recording,
    /// Entries of the second by those of the first.
    pairs: HashMap<usize, usize>,
    /// What requests of the second send, as far as it was asked.
    values: RefCell<HashMap<usize, Values>>,
}

impl<'a> SecondRecording<'a> {
    /// Steps of one name are paired in their order; so are their redirects, and resources of one shape.
    pub(super) fn new(first: (&Recording, &Journey), second: (&'a Recording, &'a Journey)) -> Self {
        let mut steps: HashMap<&str, std::vec::IntoIter<&Step>> = HashMap::new();
        for step in &second.1.steps {
            steps.entry(step.name.as_str()).or_insert_with(|| {
                let same = second.1.steps.iter().filter(|other| other.name == step.name);
                same.collect::<Vec<_>>().into_iter()
            });
        }
        let mut pairs = HashMap::new();
        for step in &first.1.steps {
            let Some(other) = steps.get_mut(step.name.as_str()).and_then(Iterator::next) else {
                continue;
            };
            pairs.insert(step.entry, other.entry);
            pairs.extend(step.redirects.iter().copied().zip(other.redirects.iter().copied()));
            pairs.extend(resources(first.0, step, second.0, other));
        }
        pairs.retain(|own, other| *own < first.0.entries.len() && *other < second.0.entries.len());
        Self { recording: second.0, pairs, values: RefCell::default() }
    }

    /// The same entry in the second recording.
    pub(super) fn entry(&self, entry: usize) -> Option<&'a Entry> {
        self.pairs.get(&entry).map(|other| &self.recording.entries[*other])
    }

    /// Its position in the second recording.
    pub(super) fn position(&self, entry: usize) -> Option<usize> {
        self.pairs.get(&entry).copied()
    }

    /// What the second recording sends at that place of that entry.
    pub(super) fn value(&self, entry: usize, place: &ValueLocation) -> Option<String> {
        let other = *self.pairs.get(&entry)?;
        let mut known = self.values.borrow_mut();
        let values = known.entry(other).or_insert_with(|| {
            let parts = parts::request_parts(&self.recording.entries[other].request).into_iter();
            Rc::new(parts.map(|part| (part.place, part.value)).collect())
        });
        values.get(place).cloned()
    }

    /// The URL that the second recording requests there.
    pub(super) fn url(&self, entry: usize) -> Option<String> {
        self.entry(entry).map(|entry| link::normal(&entry.request.url))
    }
}

/// Resources of two steps, paired in their order within each shape.
fn resources(first: &Recording, step: &Step, second: &Recording, other: &Step) -> Vec<(usize, usize)> {
    let mut by_shape: HashMap<String, Vec<usize>> = HashMap::new();
    for entry in other.resources.iter().rev() {
        if let Some(found) = second.entries.get(*entry) {
            by_shape.entry(shape(&found.request)).or_default().push(*entry);
        }
    }
    let pair = |own: &usize| {
        let shape = shape(&first.entries.get(*own)?.request);
        Some((*own, by_shape.get_mut(&shape)?.pop()?))
    };
    step.resources.iter().filter_map(pair).collect()
}

/// Method, host and path, with the same sign for everything that changes.
fn shape(request: &Request) -> String {
    let target = split(&request.url);
    let mut shape = format!("{} {}", request.method, target.origin);
    for segment in target.segments() {
        let is_constant = weight(segment) == Weight::Trivial && !is_number(segment);
        shape.push('/');
        shape.push_str(if is_constant { segment } else { "{}" });
    }
    shape
}
