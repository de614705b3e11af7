//! Names of what is measured, their short ids, and the cap on their number.

use std::collections::HashMap;

use crate::Group;
use crate::aggregate::of_group;

mod id;
mod new;

pub use id::NameId;
pub use new::{IdMap, NamesError, NamesSent, NewNames};

/// Most request names of a run; what comes later is counted under [`OTHER`].
pub const NAMES_MAX: usize = 500;
/// The name that stands for all names beyond the cap.
pub const OTHER: &str = "other";

/// Request names in order of first use, at most `cap` of them and then [`OTHER`].
#[derive(Clone, Debug)]
pub struct Names {
    list: Vec<String>,
    ids: HashMap<String, NameId>,
    cap: usize,
    overflowed: u64,
}

impl Default for Names {
    fn default() -> Self {
        Self::new(NAMES_MAX)
    }
}

impl Names {
    /// No names yet; at most `cap` will be told apart.
    pub fn new(cap: usize) -> Self {
        Self { list: Vec::new(), ids: HashMap::new(), cap, overflowed: 0 }
    }

    /// The same, when a name beyond the cap was already asked for `overflowed` times: for reading back what was written.
    #[must_use]
    pub fn with_overflowed(mut self, overflowed: u64) -> Self {
        self.overflowed = overflowed;
        self
    }

    /// The id of `name`, new if need be; the id of [`OTHER`] once the cap is reached.
    pub fn intern(&mut self, name: &str) -> NameId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        if self.ids.len() < self.cap {
            return self.add(name);
        }
        self.overflowed += 1;
        match self.ids.get(OTHER) {
            Some(id) => *id,
            None => self.add(OTHER),
        }
    }

    fn add(&mut self, name: &str) -> NameId {
        let id = NameId(u32::try_from(self.list.len()).expect("the cap keeps names countable"));
        self.list.push(name.to_owned());
        self.ids.insert(name.to_owned(), id);
        id
    }

    /// The id of a name that is known already.
    pub fn find(&self, name: &str) -> Option<NameId> {
        self.ids.get(name).copied()
    }

    /// Whether new names would be counted under [`OTHER`].
    pub fn is_full(&self) -> bool {
        self.ids.len() >= self.cap
    }

    /// How often a name beyond the cap was asked for.
    pub fn overflowed(&self) -> u64 {
        self.overflowed
    }

    /// All names; a [`NameId`] is a position in it.
    pub fn list(&self) -> &[String] {
        &self.list
    }

    /// The name of an id.
    pub fn name(&self, id: NameId) -> &str {
        self.list.get(id.0 as usize).map_or(OTHER, String::as_str)
    }
}

/// The names behind the numbers of an [`crate::Aggregate`].
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// Request names.
    pub requests: Names,
    /// Scenario names, in the order of the plan.
    pub scenarios: Vec<String>,
    /// Check names, in the order of the plan, then of first use.
    pub checks: Vec<String>,
    /// Transaction names, in the order of the plan, then of first use.
    pub transactions: Vec<String>,
    /// Page names, in the order of the plan.
    pub pages: Vec<String>,
    /// Transitions between pages that the plan can lead to, as `from -> to`.
    pub transitions: Vec<String>,
    /// Location names, in the order of the plan.
    pub locations: Vec<String>,
    /// The user's own metrics, as texts of [`crate::Metric`], in order of first use.
    pub metrics: Vec<String>,
    /// Kinds of failures and errors, in order of first use: those of [`crate::FailureExample`].
    pub failures: Vec<String>,
}

impl Catalog {
    /// Names of a group.
    pub fn list(&self, group: Group) -> &[String] {
        of_group!(group, &self)
    }

    /// The same to change.
    pub fn list_mut(&mut self, group: Group) -> &mut Vec<String> {
        of_group!(group, &mut self)
    }

    /// The number of a name of a group, new if need be; that of [`OTHER`] once it has [`Group::names_max`] of them.
    pub fn intern(&mut self, group: Group, name: &str) -> usize {
        let list = self.list_mut(group);
        let place = |list: &[String], name: &str| list.iter().position(|known| known == name);
        if let Some(known) = place(list, name) {
            return known;
        }
        let name = if list.len() < group.names_max() { name } else { OTHER };
        place(list, name).unwrap_or_else(|| {
            list.push(name.to_owned());
            list.len() - 1
        })
    }
}

/// The path template that would join most of `names`, for example `GET /item/{id}`.
///
/// Segments that hold digits, UUIDs or long hexadecimal strings become `{id}`; the most frequent
/// result is returned when it joins at least two names. O(total length).
pub fn suggest_template(names: &[String]) -> Option<String> {
    let mut groups: HashMap<String, usize> = HashMap::new();
    for name in names {
        *groups.entry(template_of(name)).or_default() += 1;
    }
    groups
        .into_iter()
        .filter(|(template, count)| *count >= 2 && template.contains("{id}"))
        .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)))
        .map(|(template, _)| template)
}

/// A name whose segments that vary are `{id}`: those that hold digits, UUIDs or long hexadecimal strings.
fn template_of(name: &str) -> String {
    let (path, query) = name.split_once('?').map_or((name, None), |(path, query)| (path, Some(query)));
    let mut template: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        template.push(if is_variable(segment) { "{id}" } else { segment });
    }
    let joined = template.join("/");
    if query.is_some() { joined + "?{id}" } else { joined }
}

fn is_variable(segment: &str) -> bool {
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    let hexadecimal = segment.len() >= 8 && segment.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    digits > 0 && (digits * 2 >= segment.len() || hexadecimal || digits >= 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_cap_become_other() {
        let mut names = Names::new(2);
        let (a, b) = (names.intern("a"), names.intern("b"));
        let (c, d) = (names.intern("c"), names.intern("d"));
        assert_eq!((a, b), (NameId(0), NameId(1)));
        assert_eq!(c, d);
        assert_eq!(names.name(c), OTHER);
        assert_eq!(names.intern("a"), a, "known names stay themselves");
        assert_eq!(names.overflowed(), 2);
    }

    #[test]
    fn template_joins_what_varies() {
        let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let cases = [
            (&["GET /item/1", "GET /item/2", "GET /about"][..], Some("GET /item/{id}")),
            (
                &["GET /u/9b2e4c1a-7d1e-4a8b-9c54-1f0a6f3f8a10/x", "GET /u/0b2e4c1a-7d1e-4a8b-9c54-1f0a6f3f8a11/x"],
                Some("GET /u/{id}/x"),
            ),
            (&["GET /search?q=a", "GET /search?q=b"], Some("GET /search?{id}")),
            (&["GET /a", "GET /b"], None),
        ];
        for (names, want) in cases {
            assert_eq!(suggest_template(&list(names)).as_deref(), want, "{names:?}");
        }
    }
}
