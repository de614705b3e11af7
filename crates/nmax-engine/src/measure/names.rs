//! Names that requests, checks and transactions get while the run goes on.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nmax_metrics::{Catalog, Group, NameId};

/// Names that a run gets while it goes on, shared by all workers; locked once per new name.
pub type SharedCatalog = Arc<Mutex<Catalog>>;

/// Ids of names that are not the plan's: known ones are found without a lock.
#[derive(Debug)]
pub(crate) struct NameBook {
    shared: SharedCatalog,
    requests: Known,
    groups: [Known; Group::ALL.len()],
}

#[derive(Debug, Default)]
struct Known {
    ids: RefCell<HashMap<String, usize>>,
    other: Cell<Option<usize>>,
}

impl NameBook {
    pub(crate) fn new(shared: SharedCatalog) -> Self {
        Self { shared, requests: Known::default(), groups: Default::default() }
    }

    /// The name of an id.
    pub(crate) fn name(&self, id: NameId) -> String {
        self.lock().requests.name(id).to_owned()
    }

    /// The name of a number of a group.
    pub(crate) fn name_of(&self, group: Group, number: usize) -> String {
        self.lock().list(group).get(number).cloned().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Catalog> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of a rendered request name.
    pub(crate) fn id(&self, name: &str) -> NameId {
        let intern = || {
            let mut catalog = self.lock();
            let id = catalog.requests.intern(name);
            (id.0 as usize, catalog.requests.name(id) == name)
        };
        NameId(self.requests.id(name, intern) as u32)
    }

    /// The number of a name of a group.
    pub(crate) fn number(&self, group: Group, name: &str) -> usize {
        let intern = || {
            let mut catalog = self.lock();
            let number = catalog.intern(group, name);
            (number, catalog.list(group)[number] == name)
        };
        self.groups[group as usize].id(name, intern)
    }
}

impl Known {
    /// The id of a name; `intern` says what it is in the catalog, and whether it is its own.
    fn id(&self, name: &str, intern: impl FnOnce() -> (usize, bool)) -> usize {
        if let Some(id) = self.ids.borrow().get(name) {
            return *id;
        }
        if let Some(other) = self.other.get() {
            return other;
        }
        let (id, is_own) = intern();
        if is_own {
            self.ids.borrow_mut().insert(name.to_owned(), id);
        } else {
            self.other.set(Some(id));
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use nmax_metrics::aggregate::CHECKS_MAX;
    use nmax_metrics::names::OTHER;

    use super::*;

    /// Workers number names alike, after those of the plan, and what comes beyond the cap is one name.
    #[test]
    fn names_are_numbered_once_for_all_workers() {
        let plan = Catalog { checks: vec!["planned".into()], ..Catalog::default() };
        let shared = SharedCatalog::new(Mutex::new(plan));
        let [one, two] = [(), ()].map(|()| NameBook::new(Arc::clone(&shared)));
        assert_eq!(["a", "planned", "b", "a"].map(|name| one.number(Group::Check, name)), [1, 0, 2, 1]);
        assert_eq!(["b", "c", "a"].map(|name| two.number(Group::Check, name)), [2, 3, 1]);
        assert_eq!(two.number(Group::Transaction, "c"), 0, "each group has its own");
        (0..CHECKS_MAX).for_each(|n| _ = one.number(Group::Check, &n.to_string()));
        let numbers = [&one, &two].map(|book| ["late", "later", "c"].map(|name| book.number(Group::Check, name)));
        assert_eq!(numbers[1], [CHECKS_MAX, CHECKS_MAX, 3], "known names stay themselves");
        assert_eq!(numbers[0][..2], numbers[1][..2]);
        let catalog = shared.lock().unwrap();
        assert_eq!((catalog.checks.len(), catalog.checks.last().unwrap().as_str()), (CHECKS_MAX + 1, OTHER));
    }
}
