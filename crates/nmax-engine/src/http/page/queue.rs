//! Which resources of a page are fetched, and in which order: at most so many at a time from one origin, styles and
//! scripts of the head first. Pure.

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use nmax_extract::Tagger;
use nmax_extract::resources::{Kind, Priority, ResourceReference};
use nmax_http::{Origin, Url};
use nmax_metrics::Nanos;
use nmax_plan::plan::{Discover, RESOURCES_MAX};

#[cfg(test)]
mod tests;

/// A resource to be fetched.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) url: Url,
    pub(super) kind: Kind,
    pub(super) priority: Priority,
    /// Under which it is measured, without the mark of a redirect.
    pub(super) name: Rc<str>,
    /// When it became known that it is needed.
    pub(super) known: Nanos,
    /// Redirects that led here.
    pub(super) redirects: u32,
    /// Whether the plan lists it: then it is fetched wherever it is.
    pub(super) is_listed: bool,
    /// Frames that it is in.
    pub(super) depth: u32,
}

/// Where the references of a document or style sheet come from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    /// What they are relative to.
    pub(super) base: &'a Url,
    /// When they became known.
    pub(super) known: Nanos,
    /// Frames that it is in.
    pub(super) depth: u32,
}

/// Resources that wait, and those that are known.
#[derive(Debug)]
pub(super) struct Queue<'a> {
    /// Name of the page.
    page: &'a str,
    /// Gives resources their tags.
    tagger: Option<&'a Tagger>,
    document: Origin,
    rules: &'a Discover,
    known: HashSet<Url>,
    waiting: BTreeMap<(Priority, u64), (Resource, usize)>,
    /// Origins, and how many exchanges are under way with each.
    origins: Vec<(Origin, usize)>,
    added: u64,
    left_out: u64,
}

/// Deepest frame whose resources are fetched.
const FRAME_DEPTH_MAX: u32 = 1;

impl<'a> Queue<'a> {
    /// Of the document of a page, with this URL.
    pub(super) fn new(page: &'a str, document: &Url, rules: &'a Discover) -> Self {
        Self {
            page,
            tagger: None,
            document: document.origin.clone(),
            rules,
            known: HashSet::from([document.clone()]),
            waiting: BTreeMap::new(),
            origins: Vec::new(),
            added: 0,
            left_out: 0,
        }
    }

    /// The same, with tags by expression in the names of resources.
    pub(super) fn with_tags(self, tagger: Option<&'a Tagger>) -> Self {
        Self { tagger, ..self }
    }

    /// What a resource of this kind, or one that is listed under a name, is measured under.
    pub(super) fn name_of(&self, name: &str, url: &Url) -> Rc<str> {
        match self.tagger {
            Some(tagger) => tagger.name_of_resource(name, &url.to_string()).into(),
            None => name.into(),
        }
    }

    /// Whether references are looked for at all.
    pub(super) fn discovers(&self) -> bool {
        *self.rules != Discover::Nothing
    }

    /// Whether what is found at this URL is fetched.
    pub(super) fn admits(&self, url: &Url) -> bool {
        match self.rules {
            Discover::Nothing => false,
            Discover::SameOrigin => url.origin == self.document,
            Discover::Hosts(hosts) => {
                url.origin.host == self.document.host
                    || hosts.iter().any(|host| {
                        host.eq_ignore_ascii_case(&url.origin.host)
                            || host.eq_ignore_ascii_case(&url.origin.authority())
                    })
            }
        }
    }

    /// A resource that was not known before, if there is room for one more.
    pub(super) fn is_new(&mut self, url: &Url) -> bool {
        // The document is known, and no resource.
        if self.known.len() > RESOURCES_MAX {
            self.left_out += u64::from(!self.known.contains(url));
            return false;
        }
        self.known.insert(url.clone())
    }

    /// Resources for which there was no room.
    pub(super) fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The resources among what a document or style sheet names that are to be fetched and were not known.
    pub(super) fn new_among(&mut self, found: &[ResourceReference], source: Source<'_>) -> Vec<Resource> {
        let mut new = Vec::new();
        for found in found {
            let Ok(url) = source.base.join(&found.reference) else {
                continue; // Browsers ignore what is not a URL.
            };
            let is_too_deep = found.kind == Kind::Frame && source.depth >= FRAME_DEPTH_MAX;
            if is_too_deep || !self.admits(&url) || !self.is_new(&url) {
                continue;
            }
            let name = self.name_of(&format!("{} {}", self.page, found.kind.name()), &url);
            new.push(Resource {
                url,
                kind: found.kind,
                priority: found.priority,
                name,
                known: source.known,
                redirects: 0,
                is_listed: false,
                depth: source.depth,
            });
        }
        new
    }

    /// Puts a resource in line.
    pub(super) fn push(&mut self, resource: Resource) {
        let known = self.origins.iter().position(|(origin, _)| *origin == resource.url.origin);
        let origin = known.unwrap_or_else(|| {
            self.origins.push((resource.url.origin.clone(), 0));
            self.origins.len() - 1
        });
        self.added += 1;
        self.waiting.insert((resource.priority, self.added), (resource, origin));
    }

    /// The next resource that may be fetched, and the number of its origin, for [`Queue::ended`]; `concurrency` says how
    /// many exchanges there may be with an origin.
    pub(super) fn next(&mut self, concurrency: impl Fn(&Origin) -> usize) -> Option<(Resource, usize)> {
        let has_room =
            |number: usize| self.origins.get(number).is_some_and(|(origin, count)| *count < concurrency(origin));
        let key = *self.waiting.iter().find(|(_, (_, origin))| has_room(*origin))?.0;
        let (resource, origin) = self.waiting.remove(&key)?;
        self.origins[origin].1 += 1;
        Some((resource, origin))
    }

    /// An exchange with this origin has ended.
    pub(super) fn ended(&mut self, origin: usize) {
        self.origins[origin].1 -= 1;
    }

    /// How many wait; none does afterwards.
    pub(super) fn give_up(&mut self) -> u64 {
        let count = self.waiting.len() as u64;
        self.waiting.clear();
        count
    }
}
