//! Names that requests get while the run goes on.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nmax_metrics::{Catalog, NameId};

/// Names that requests get while the run goes on, shared by all workers; locked once per new name.
pub type SharedCatalog = Arc<Mutex<Catalog>>;

/// Ids of names with holes: known ones are found without a lock.
#[derive(Debug)]
pub(crate) struct NameBook {
    shared: SharedCatalog,
    known: RefCell<HashMap<String, NameId>>,
    other: Cell<Option<NameId>>,
}

impl NameBook {
    pub(crate) fn new(shared: SharedCatalog) -> Self {
        Self { shared, known: RefCell::default(), other: Cell::new(None) }
    }

    /// The name of an id.
    pub(crate) fn name(&self, id: NameId) -> String {
        self.lock().requests.name(id).to_owned()
    }

    /// The name of a check.
    pub(crate) fn check(&self, number: usize) -> String {
        self.lock().checks.get(number).cloned().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Catalog> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The id of a rendered name.
    pub(crate) fn id(&self, name: &str) -> NameId {
        if let Some(id) = self.known.borrow().get(name) {
            return *id;
        }
        if let Some(other) = self.other.get() {
            return other;
        }
        let mut catalog = self.lock();
        let was_full = catalog.requests.is_full();
        let id = catalog.requests.intern(name);
        if was_full && catalog.requests.name(id) != name {
            self.other.set(Some(id));
        } else {
            self.known.borrow_mut().insert(name.to_owned(), id);
        }
        id
    }
}
