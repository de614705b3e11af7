//! Names on their way to another catalog: what is new since they were last sent, and what their ids are there.

use super::{Catalog, NameId, Names, OTHER};
use crate::Group;
use crate::wire::wire;

/// Tables of a catalog: requests, and those of the groups.
const TABLES: usize = 1 + Group::ALL.len();

/// Names that a catalog got since they were last sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewNames {
    lists: [Tail; TABLES],
    /// How often a name beyond the cap was asked for, so far.
    overflowed: u64,
}

/// The end of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tail {
    first: usize,
    names: Vec<String>,
}

wire! {
    NewNames { lists, overflowed }
    Tail { first, names }
}

/// How many names of each table were sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct NamesSent([usize; TABLES]);

/// Ids of one catalog as ids of another.
#[derive(Clone, Debug, Default)]
pub struct IdMap {
    lists: [Vec<u32>; TABLES],
    overflowed: u64,
}

/// Why names cannot be taken into a catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamesError {
    /// Names that came before are not known.
    #[error("names that were sent before are missing")]
    Missing,
    /// A name that only a plan gives, and this plan does not.
    #[error("`{0}` is not a name of this plan\n  help: give every injector the same plan")]
    Foreign(String),
    /// More names than an injector tells apart.
    #[error("more than {0} names of a kind were sent")]
    TooMany(usize),
}

impl IdMap {
    /// Of requests.
    pub(crate) fn requests(&self) -> &[u32] {
        &self.lists[0]
    }

    /// Of a group.
    pub(crate) fn group(&self, group: Group) -> &[u32] {
        &self.lists[1 + group as usize]
    }
}

impl Catalog {
    /// The names of each table.
    fn lists(&self) -> [&[String]; TABLES] {
        let mut lists = [self.requests.list(); TABLES];
        lists[1..].iter_mut().zip(Group::ALL).for_each(|(list, group)| *list = self.list(group));
        lists
    }

    /// The names that are not in `sent`, which then has them too.
    pub fn new_names(&self, sent: &mut NamesSent) -> NewNames {
        let mut new = NewNames { overflowed: self.requests.overflowed, ..NewNames::default() };
        for ((tail, list), sent) in new.lists.iter_mut().zip(self.lists()).zip(&mut sent.0) {
            *tail = Tail { first: *sent, names: list[*sent..].to_vec() };
            *sent = list.len();
        }
        new
    }

    /// Takes the names of another catalog of the same plan, and notes in `ids` what they are here.
    ///
    /// Names beyond a cap are [`OTHER`] from then on, here as where they come from.
    ///
    /// # Errors
    /// When the names are not those of a catalog of this plan, or some before them are missing.
    pub fn adopt(&mut self, ids: &mut IdMap, new: &NewNames) -> Result<(), NamesError> {
        for (table, tail) in new.lists.iter().enumerate() {
            let known = ids.lists[table].len().checked_sub(tail.first).ok_or(NamesError::Missing)?;
            let group = table.checked_sub(1).map(|group| Group::ALL[group]);
            let cap = group.map_or(self.requests.cap, |group| self.list(group).len().max(group.names_max()));
            for name in tail.names.iter().skip(known) {
                if ids.lists[table].len() > cap {
                    return Err(NamesError::TooMany(cap));
                }
                ids.lists[table].push(match group {
                    None => self.requests.adopt(name).0,
                    Some(group) if group.names_max() == 0 && !self.list(group).contains(name) => {
                        return Err(NamesError::Foreign(name.clone()));
                    }
                    Some(group) => self.intern(group, name) as u32,
                });
            }
        }
        self.requests.overflowed += new.overflowed.saturating_sub(ids.overflowed);
        ids.overflowed = ids.overflowed.max(new.overflowed);
        Ok(())
    }
}

impl Names {
    /// As [`Names::intern`]; what overflowed elsewhere does not count as overflowing here.
    fn adopt(&mut self, name: &str) -> NameId {
        if name == OTHER && self.is_full() && self.find(OTHER).is_none() { self.add(OTHER) } else { self.intern(name) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregate::CHECKS_MAX;

    fn catalog(cap: usize, requests: &[&str]) -> Catalog {
        let mut catalog = Catalog { requests: Names::new(cap), checks: vec!["ok".into()], ..Catalog::default() };
        for name in requests {
            catalog.requests.intern(name);
        }
        catalog
    }

    #[test]
    fn only_what_is_new_is_sent() {
        let (mut from, mut to) = (catalog(9, &["a", "b"]), catalog(9, &["b", "a"]));
        let (mut sent, mut ids) = (NamesSent::default(), IdMap::default());
        let first = from.new_names(&mut sent);
        from.requests.intern("c");
        let second = from.new_names(&mut sent);
        assert_eq!(second.lists[0], Tail { first: 2, names: vec!["c".into()] });
        assert_eq!(to.adopt(&mut ids, &second), Err(NamesError::Missing), "the first is on its way still");
        for new in [&first, &second, &first, &from.new_names(&mut sent)] {
            assert_eq!(to.adopt(&mut ids, new), Ok(()), "what comes twice is known");
        }
        assert_eq!(
            (to.requests.list().join(""), &ids.lists[0][..], &ids.lists[2][..]),
            ("bac".into(), &[1, 0, 2][..], &[0][..])
        );
    }

    /// What is `other` there is `other` here, and what does not fit here becomes it.
    #[test]
    fn names_beyond_the_cap_are_other_on_both_sides() {
        let (a, b) = (catalog(2, &["a", "b", "c"]), catalog(2, &["d", "a"]));
        let mut all = catalog(2, &[]);
        let (mut of_a, mut of_b) = (IdMap::default(), IdMap::default());
        all.adopt(&mut of_a, &a.new_names(&mut NamesSent::default())).unwrap();
        all.adopt(&mut of_b, &b.new_names(&mut NamesSent::default())).unwrap();
        assert_eq!(all.requests.list(), ["a", "b", OTHER]);
        assert_eq!((&of_a.lists[0][..], &of_b.lists[0][..]), (&[0, 1, 2][..], &[2, 0][..]));
        assert_eq!(all.requests.overflowed(), 2, "`c` there and `d` here");
    }

    /// Checks that came on the way are merged by name, with one that is `other` on either side.
    #[test]
    fn names_of_groups_are_found_added_or_other() {
        let interned = |names: &[String]| {
            let mut catalog = catalog(9, &[]);
            let numbers: Vec<_> = names.iter().map(|name| catalog.intern(Group::Check, name) as u32).collect();
            (catalog, numbers)
        };
        let of = |range: std::ops::Range<usize>| range.map(|n| n.to_string()).collect::<Vec<_>>();
        let (few, few_ids) = interned(&of(0..3));
        let (many, many_ids) = interned(&of(2..CHECKS_MAX + 2));
        assert_eq!((&few_ids[..], many_ids.last()), (&[1, 2, 3][..], Some(&(CHECKS_MAX as u32))), "the plan has one");
        let mut all = catalog(9, &[]);
        let (mut of_few, mut of_many) = (IdMap::default(), IdMap::default());
        all.adopt(&mut of_few, &few.new_names(&mut NamesSent::default())).unwrap();
        all.adopt(&mut of_many, &many.new_names(&mut NamesSent::default())).unwrap();
        assert_eq!((all.checks.len(), all.checks.last().unwrap().as_str()), (CHECKS_MAX + 1, OTHER));
        assert_eq!(of_few.group(Group::Check), [0, 1, 2, 3]);
        let (ids, other) = (of_many.group(Group::Check), CHECKS_MAX as u32);
        assert_eq!((&ids[..3], &ids[CHECKS_MAX - 3..]), (&[0, 3, 4][..], &[other - 1, other, other, other][..]));
    }

    #[test]
    fn strangers_are_refused() {
        let stranger = Catalog { scenarios: vec!["other plan".into()], ..Catalog::default() };
        let mut ids = IdMap::default();
        let error = catalog(2, &[]).adopt(&mut ids, &stranger.new_names(&mut NamesSent::default())).unwrap_err();
        assert_eq!(error, NamesError::Foreign("other plan".into()));
        let many = catalog(9, &["a", "b", "c", "d"]).new_names(&mut NamesSent::default());
        assert_eq!(catalog(2, &[]).adopt(&mut ids, &many), Err(NamesError::TooMany(2)));
    }
}
