//! What a virtual user's browser remembers of resources: when they go stale, how to ask whether they changed, and what
//! they lead to. Bodies are not kept: nothing but their references is ever read again.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use nmax_extract::resources::ResourceReference;
use nmax_http::{Fields, Reply, Url};

use super::freshness::{Freshness, Span, Validators};

#[cfg(test)]
mod tests;

/// Resources that a user remembers; beyond that the one unused for longest is forgotten.
pub(super) const ENTRIES_MAX: usize = 1_000;

/// The cache of one user.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    entries: HashMap<Url, Entry>,
    /// Counts uses, to tell which is the oldest.
    uses: u64,
}

#[derive(Debug)]
struct Entry {
    freshness: Freshness,
    content: Content,
    /// Names of the request headers that it depends on, and what they were.
    vary: Option<(Box<str>, u64)>,
    used: u64,
}

/// What a stored reply leads to.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    /// Resources that it names.
    pub(super) found: Rc<[ResourceReference]>,
    /// Where it redirects to.
    pub(super) leads_to: Option<Url>,
    /// It is not ok, and so is every page that uses it.
    pub(super) is_failed: bool,
}

impl Content {
    /// That of a reply that is not ok.
    pub(super) fn failed() -> Self {
        Self { is_failed: true, ..Self::default() }
    }
}

/// A stored reply to a request.
#[derive(Debug)]
pub(super) enum Stored {
    /// To be used without asking.
    Fresh(Content),
    /// To be asked about.
    Stale(Validators),
}

impl Cache {
    /// What is stored for a URL at this time, for a request of which `values` are what [`selected`] says. Counts as a use.
    pub(super) fn find(&mut self, url: &Url, values: impl FnOnce(&str) -> u64, now_s: i64) -> Option<Stored> {
        let entry = self.entries.get_mut(url)?;
        self.uses += 1;
        entry.used = self.uses;
        let fits = entry.vary.as_ref().is_none_or(|(names, hash)| values(names) == *hash);
        if fits && entry.freshness.is_fresh(now_s) {
            return Some(Stored::Fresh(entry.content.clone()));
        }
        let known = entry.freshness.validators();
        (known.etag.is_some() || known.last_modified.is_some()).then_some(Stored::Stale(known))
    }

    /// Remembers a reply, or forgets what was stored in its place; one that is not ok and not to be stored changes nothing.
    pub(super) fn store(&mut self, url: Url, reply: &Reply<'_>, request: Fields<'_>, content: Content, span: Span) {
        let Some(freshness) = Freshness::from_reply(reply, span) else {
            if !content.is_failed {
                self.entries.remove(&url);
            }
            return;
        };
        if self.entries.len() >= ENTRIES_MAX && !self.entries.contains_key(&url) {
            self.forget_oldest();
        }
        self.uses += 1;
        let entry = Entry {
            freshness,
            content,
            vary: vary(reply).map(|names| {
                let hash = selected(&names, request);
                (names, hash)
            }),
            used: self.uses,
        };
        self.entries.insert(url, entry);
    }

    /// The server says that it did not change. What it leads to; `None` when it was forgotten meanwhile.
    pub(super) fn refresh(&mut self, url: &Url, reply: &Reply<'_>, request: Fields<'_>, span: Span) -> Option<Content> {
        let mut entry = self.entries.remove(url)?;
        let content = entry.content.clone();
        if let Some(freshness) = entry.freshness.after_check(reply, span) {
            entry.freshness = freshness;
            if let Some((names, hash)) = &mut entry.vary {
                *hash = selected(names, request);
            }
            self.entries.insert(url.clone(), entry);
        }
        Some(content)
    }

    /// O(entries), once per reply beyond the limit.
    fn forget_oldest(&mut self) {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
        if let Some(url) = oldest.map(|(url, _)| url.clone()) {
            self.entries.remove(&url);
        }
    }
}

/// The names of the request headers that a reply depends on; `None` when there are none.
fn vary(reply: &Reply<'_>) -> Option<Box<str>> {
    let values = reply.headers().filter(|(name, _)| name.eq_ignore_ascii_case("vary"));
    let mut names = String::new();
    for (_, value) in values {
        names.push_str(&String::from_utf8_lossy(value).to_ascii_lowercase());
        names.push(',');
    }
    (!names.is_empty()).then(|| names.into_boxed_str())
}

/// The values that a request has for these headers, as a number.
pub(super) fn selected(names: &str, request: Fields<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        name.hash(&mut hasher);
        request.all(name).for_each(|value| value.trim_ascii().hash(&mut hasher));
    }
    hasher.finish()
}
