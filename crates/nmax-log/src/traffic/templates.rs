//! Path templates by themselves, for whoever counts something else by them.

use super::paths::{Paths, TypeId};
use super::shape::{encoded, split};

/// Gives each request the number of its type: method and path template. Bounded as a profile's types are.
#[derive(Clone, Debug)]
pub struct Templates {
    paths: Paths,
}

impl Default for Templates {
    fn default() -> Self {
        Self::with_holes(&[])
    }
}

impl Templates {
    /// Nothing is known yet but that the segments that are `*` in these paths are holes.
    pub fn with_holes(patterns: &[String]) -> Self {
        Self { paths: Paths::with_holes(patterns) }
    }

    /// The type of a request; `None` when it is none. `status` tells whether there was such a thing: no name is learned
    /// from what was not found. O(length).
    pub fn place(&mut self, method: &[u8], target: &[u8], status: u16) -> Option<u32> {
        let target = encoded(target);
        let (path, _) = split(target.as_bytes());
        let method = self.paths.method(method).filter(|_| path.first() == Some(&b'/'))?;
        let is_missing = matches!(status, 400 | 404 | 405 | 410 | 414 | 501);
        Some(self.paths.place(method, path, is_missing))
    }

    /// The type that a type has become part of since; itself when none. Two types become one when their paths turn out to
    /// differ in an identifier.
    pub fn find(&self, kind: TypeId) -> u32 {
        self.paths.find(kind)
    }

    /// Its path template: `/item/{id}`.
    pub fn template(&self, kind: TypeId) -> String {
        self.paths.template(self.paths.find(kind))
    }

    /// Its name: `GET /item/{id}`.
    pub fn name(&self, kind: TypeId) -> String {
        let kind = self.paths.find(kind);
        format!("{} {}", self.paths.method_of(kind), self.paths.template(kind))
    }
}
