//! The windows of a run out of those of its injectors.
//!
//! Injectors number names as they come, so names are merged, not numbers. What does not fit under the cap of request names
//! is `other`, and which these are must not depend on what arrives first: names are taken in the order of windows, within a
//! window in the order of injectors, and within an injector in the order in which it used them. So the result is a function of
//! what was sent, in whatever order it came.

use std::collections::BTreeMap;

use crate::join::{Gap, Join, Unwanted};
use crate::names::{Catalog, IdMap, NamesError, NewNames};
use crate::{Aggregate, Frame, Nanos, Window};

/// How far an injector may be ahead of the others, in windows; what comes beyond has to come again.
pub const AHEAD_MAX: u64 = 3_600;

/// Merges frames of injectors into windows of the run.
#[derive(Debug)]
pub struct Merger {
    width: Nanos,
    catalog: Catalog,
    ids: Vec<IdMap>,
    join: Join<BTreeMap<u32, (NewNames, Aggregate)>>,
    unread: Vec<(Gap, NamesError)>,
}

/// A window of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// What all injectors measured.
    pub window: Window,
    /// What each of them did, by number and with the names of the run.
    pub parts: BTreeMap<u32, Window>,
}

/// Why a frame is not merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Its window is not wanted.
    #[error(transparent)]
    Unwanted(#[from] Unwanted),
    /// Windows of the run have another width.
    #[error("the window has another width than those of the run")]
    Width,
    /// It has to wait for those before it.
    #[error("the window is too far ahead of those of other injectors")]
    Early,
}

impl Merger {
    /// A merger for so many injectors of a run that has these names by its plan, and windows of this width.
    pub fn new(catalog: Catalog, injectors: u32, width: Nanos) -> Self {
        let injectors = injectors as usize;
        Self { width, catalog, ids: vec![IdMap::default(); injectors], join: Join::new(injectors), unread: Vec::new() }
    }

    /// Takes a frame; returns the windows that it completes, in order.
    ///
    /// # Errors
    /// When it is not merged.
    pub fn add(&mut self, frame: Frame) -> Result<Vec<Merged>, Refused> {
        let Frame { injector, names, window: Window { index, width, aggregate } } = frame;
        if width != self.width {
            return Err(Refused::Width);
        }
        if index.saturating_sub(self.join.taken()) >= AHEAD_MAX {
            return Err(Refused::Early);
        }
        self.join.add(injector as usize, index, BTreeMap::new)?.insert(injector, (names, aggregate));
        Ok(self.complete())
    }

    /// What an injector measured in a window that was released without it, alone.
    pub fn late(&mut self, frame: Frame) -> Merged {
        let Frame { injector, names, window } = frame;
        self.merged(window.index, BTreeMap::from([(injector, (names, window.aggregate))]))
    }

    /// There are at least so many injectors; the new ones send nothing until they begin.
    pub fn grow(&mut self, injectors: u32) {
        self.join.grow(injectors as usize);
        self.ids.resize(self.ids.len().max(injectors as usize), IdMap::default());
    }

    /// The windows of an injector begin with this one: none below it is waited for.
    pub fn begin(&mut self, injector: u32, first: u64) {
        self.join.begin(injector as usize, first);
    }

    /// The windows below this number, whether all have sent theirs or not.
    pub fn release(&mut self, below: u64) -> Vec<Merged> {
        let released = self.join.release(below);
        released.into_iter().map(|(index, parts)| self.merged(index, parts)).collect()
    }

    /// An injector has ended, after so many windows.
    pub fn end(&mut self, injector: u32, windows: u64) -> Vec<Merged> {
        self.join.end(injector as usize, windows);
        self.complete()
    }

    /// Nothing more is waited for of an injector.
    pub fn lose(&mut self, injector: u32) -> Vec<Merged> {
        self.join.lose(injector as usize);
        self.complete()
    }

    fn complete(&mut self) -> Vec<Merged> {
        let complete = self.join.take();
        complete.into_iter().map(|(index, parts)| self.merged(index, parts)).collect()
    }

    fn merged(&mut self, index: u64, parts: BTreeMap<u32, (NewNames, Aggregate)>) -> Merged {
        let mut merged = Merged { window: Window::new(index, self.width), parts: BTreeMap::new() };
        for (injector, (names, aggregate)) in parts {
            let part = injector as usize;
            let known = self.catalog.adopt(&mut self.ids[part], &names);
            let aggregate = known.and_then(|()| aggregate.remap(&self.ids[part]).ok_or(NamesError::Missing));
            match aggregate {
                Ok(aggregate) => {
                    merged.window.aggregate.merge(&aggregate);
                    merged.parts.insert(injector, Window { aggregate, ..Window::new(index, self.width) });
                }
                Err(error) => self.unread.push((Gap { part, windows: index..index + 1 }, error)),
            }
        }
        merged
    }

    /// Names as known so far.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Windows below this number were completed or released.
    pub fn taken(&self) -> u64 {
        self.join.taken()
    }

    /// Whether nothing more is to come.
    pub fn is_done(&self) -> bool {
        self.join.is_done()
    }

    /// Windows of lost injectors that never came.
    pub fn gaps(&self) -> Vec<Gap> {
        self.join.gaps()
    }

    /// Windows that came and are not in the sum, since nobody knows what their names are.
    pub fn unread(&self) -> &[(Gap, NamesError)] {
        &self.unread
    }
}
