//! What is summed up for each request type, whatever the order of the records.

use std::collections::BTreeMap;

use super::distribution::Dist;
use super::hash::hash;
use super::heavy::{TopK, zipf_exponent};
use super::paths::{Paths, TypeId};
use super::profile::{Counted, Parameter, Popularity, Profile, RequestType};
use super::shape::split;

/// Targets that are kept of a type.
pub(crate) const ITEMS_MAX: usize = 4_096;
/// Targets that are kept of all types together; beyond, those of a type only change places.
const ITEMS_TOTAL_MAX: usize = 200_000;
/// Longest target that is kept.
const ITEM_BYTES_MAX: usize = 2_048;
/// Query parameters of a type that are told apart.
const PARAMETERS_MAX: usize = 32;

/// The sums of a type.
#[derive(Debug, Default)]
pub(crate) struct Kind {
    pub(crate) count: u64,
    pub(crate) is_resource: bool,
    statuses: Vec<(u16, u64)>,
    bytes: Dist,
    time_us: Dist,
    items: TopK,
    parameters: Vec<(u64, String, u64)>,
}

impl Kind {
    fn new(is_resource: bool) -> Self {
        Self { is_resource, items: TopK::new(ITEMS_MAX), ..Self::default() }
    }

    fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.is_resource &= other.is_resource;
        for (status, count) in other.statuses {
            self.status(status, count);
        }
        self.bytes.merge(&other.bytes);
        self.time_us.merge(&other.time_us);
        self.items.merge(other.items);
        for (hash, name, count) in other.parameters {
            self.parameter(hash, name.as_bytes(), count);
        }
    }

    fn status(&mut self, status: u16, count: u64) {
        match self.statuses.iter_mut().find(|(known, _)| *known == status) {
            Some((_, sum)) => *sum += count,
            None => self.statuses.push((status, count)),
        }
    }

    fn parameter(&mut self, hash: u64, name: &[u8], count: u64) {
        if let Some((_, _, sum)) = self.parameters.iter_mut().find(|(known, _, _)| *known == hash) {
            *sum += count;
        } else if self.parameters.len() < PARAMETERS_MAX {
            let name = String::from_utf8_lossy(name).into_owned();
            self.parameters.push((hash, name, count));
        }
    }

    /// The most frequent targets, without robots.
    pub(crate) fn top(&self, most: usize) -> Vec<Counted> {
        self.items.ranked(most)
    }

    /// The type as it is shown, without what sessions know of it.
    pub(crate) fn finish(&self, method: String, template: String) -> RequestType {
        let ranked = self.items.ranked(ITEMS_MAX);
        let exponent = zipf_exponent(&ranked);
        let mut parameters: Vec<Parameter> =
            self.parameters.iter().map(|(_, name, count)| Parameter { name: name.clone(), count: *count }).collect();
        parameters.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        RequestType {
            name: format!("{method} {template}"),
            method,
            template,
            is_resource: self.is_resource,
            count: self.count,
            steps: 0,
            statuses: self.statuses.iter().copied().collect::<BTreeMap<_, _>>(),
            bytes: self.bytes.clone(),
            time_us: self.time_us.clone(),
            popularity: Popularity {
                count: self.items.total(),
                distinct: self.items.distinct(),
                is_estimate: self.items.is_estimate(),
                exponent: exponent.map(|(s, _)| s),
                exponent_error: exponent.map(|(_, error)| error),
                top: ranked,
            },
            parameters,
            resources: Vec::new(),
        }
    }
}

/// A record as far as its type is concerned.
pub(crate) struct Seen<'a> {
    pub(crate) target: &'a [u8],
    pub(crate) target_hash: u64,
    pub(crate) query: &'a [u8],
    pub(crate) status: u16,
    pub(crate) bytes: Option<u64>,
    pub(crate) time_us: Option<u64>,
    pub(crate) is_resource: bool,
    pub(crate) is_robot: bool,
}

/// The sums by type.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    kinds: Vec<Option<Box<Kind>>>,
    items: usize,
}

impl Kinds {
    /// Counts a record. O(1), but for the heap of popular targets.
    pub(crate) fn add(&mut self, kind: TypeId, seen: &Seen) {
        let at = kind as usize;
        if at >= self.kinds.len() {
            self.kinds.resize_with(at + 1, || None);
        }
        let kind = self.kinds[at].get_or_insert_with(|| Box::new(Kind::new(seen.is_resource)));
        kind.count += 1;
        kind.status(seen.status, 1);
        if let Some(bytes) = seen.bytes {
            kind.bytes.add(bytes);
        }
        if let Some(time_us) = seen.time_us {
            kind.time_us.add(time_us);
        }
        if !seen.is_robot && seen.target.len() <= ITEM_BYTES_MAX {
            let before = kind.items.len();
            kind.items.add(seen.target_hash, seen.target, self.items < ITEMS_TOTAL_MAX);
            self.items += kind.items.len() - before;
        }
        for pair in seen.query.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            let name = pair.split(|byte| *byte == b'=').next().unwrap_or_default();
            kind.parameter(hash(name), name, 1);
        }
    }

    /// Makes one type part of another.
    pub(crate) fn join(&mut self, from: TypeId, into: TypeId) {
        let Some(from) = self.kinds.get_mut(from as usize).and_then(Option::take) else {
            return;
        };
        let at = into as usize;
        if at >= self.kinds.len() {
            self.kinds.resize_with(at + 1, || None);
        }
        match &mut self.kinds[at] {
            Some(into) => {
                let before = into.items.len() + from.items.len();
                into.merge(*from);
                self.items -= before - into.items.len();
            }
            empty => *empty = Some(from),
        }
    }

    /// All types with records.
    pub(crate) fn each(&self) -> impl Iterator<Item = (TypeId, &Kind)> {
        let kinds = self.kinds.iter().enumerate();
        kinds.filter_map(|(at, kind)| Some((at as TypeId, kind.as_deref()?)))
    }

    pub(crate) fn get(&self, kind: TypeId) -> Option<&Kind> {
        self.kinds.get(kind as usize)?.as_deref()
    }

    /// One type of several, as [`super::paths::OTHER`].
    pub(crate) fn sum(&mut self, kinds: &[TypeId]) -> Option<Box<Kind>> {
        let mut taken = kinds.iter().filter_map(|kind| self.kinds.get_mut(*kind as usize).and_then(Option::take));
        let mut sum = taken.next()?;
        taken.for_each(|kind| sum.merge(*kind));
        Some(sum)
    }
}

/// The request types of a profile: gives each request the name of its type.
#[derive(Clone, Debug)]
pub struct Types {
    pub(crate) paths: Paths,
    names: Vec<String>,
    other: String,
}

impl Types {
    /// The types that a profile knows.
    pub fn from_profile(profile: &Profile) -> Self {
        let known = profile.types.iter().map(|kind| (kind.method.clone(), kind.template.clone()));
        let templates: Vec<(String, String)> = known.collect();
        Self {
            paths: Paths::from_templates(&templates),
            names: profile.types.iter().map(|kind| kind.name.clone()).collect(),
            other: super::paths::OTHER.to_owned(),
        }
    }

    /// Name of the type of a request, such as `GET /item/{id}`; `(other)` when it is none of them. O(length).
    pub fn name(&self, method: &[u8], target: &[u8]) -> &str {
        let (path, _) = split(target);
        let kind = self.paths.look_up(method, path);
        kind.and_then(|kind| self.names.get(kind as usize)).unwrap_or(&self.other)
    }
}
