//! Which request is a step, and which comes with one.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use nmax_extract::resources::{Kind as Found, resources};

use super::Step;
use super::chain::{Chains, chains};
use crate::kind::{is_frame, is_navigation, kind};
use crate::parts::{resolve, without_fragment};
use crate::recording::{Entry, Kind, Recording, header};

/// Groups entries, given in order of sending, into steps.
pub(super) fn steps(recording: &Recording, kept: &[usize], gap: Duration) -> Vec<Step> {
    let chains = chains(recording, kept);
    let followers: HashSet<usize> = chains.values().flatten().copied().collect();
    let mut grouping = Grouping {
        recording,
        chains: &chains,
        gap_us: i64::try_from(gap.as_micros()).unwrap_or(i64::MAX),
        steps: Vec::new(),
        of_url: HashMap::new(),
        page: None,
    };
    for &index in kept.iter().filter(|index| !followers.contains(index)) {
        grouping.add(index);
    }
    grouping.steps
}

/// The document that the browser shows.
struct Shown {
    step: usize,
    /// The page that the file calls it.
    reference: Option<String>,
    /// Last arrival of what loaded with it.
    arrived_us: i64,
    /// The user or a script has done something since that changes things.
    is_acted_on: bool,
    /// URLs of the frames that its document names.
    frames: HashSet<String>,
}

struct Grouping<'a> {
    recording: &'a Recording,
    chains: &'a Chains,
    gap_us: i64,
    steps: Vec<Step>,
    /// The last step which a URL belongs to, as a document or as a resource of it.
    of_url: HashMap<String, usize>,
    page: Option<Shown>,
}

/// What becomes of a request.
enum Role {
    /// A step that shows a document.
    Page,
    /// A step.
    Step,
    /// A resource of that step.
    ResourceOf(usize),
}

impl Grouping<'_> {
    fn add(&mut self, index: usize) {
        let entry = &self.recording.entries[index];
        let hops = self.chains.get(&index).cloned().unwrap_or_default();
        let last = hops.last().copied().unwrap_or(index);
        match self.role(entry, &self.recording.entries[last]) {
            Role::ResourceOf(step) => {
                let ends = self.recording.entries[last].done_us();
                self.remember(index, &hops, step);
                self.steps[step].resources.push(index);
                if let Some(page) = self.page.as_mut().filter(|page| page.step == step)
                    && entry.sent_us.saturating_sub(page.arrived_us) < self.gap_us
                {
                    page.arrived_us = page.arrived_us.max(ends);
                }
            }
            Role::Page => {
                self.step(index, hops, true);
                self.page = Some(self.shown(entry, last));
            }
            Role::Step => {
                self.step(index, hops, false);
                if let Some(page) = self.page.as_mut().filter(|_| entry.request.method != "GET") {
                    page.is_acted_on = true;
                }
            }
        }
    }

    fn step(&mut self, index: usize, hops: Vec<usize>, is_page: bool) {
        let step = self.steps.len();
        self.remember(index, &hops, step);
        self.steps.push(Step { entry: index, redirects: hops, is_page, ..Step::default() });
    }

    fn remember(&mut self, index: usize, hops: &[usize], step: usize) {
        for hop in std::iter::once(&index).chain(hops) {
            let url = without_fragment(&self.recording.entries[*hop].request.url);
            self.of_url.insert(url.to_owned(), step);
        }
    }

    fn shown(&self, entry: &Entry, last: usize) -> Shown {
        let ending = &self.recording.entries[last];
        Shown {
            step: self.steps.len() - 1,
            reference: ending.page.clone().or_else(|| entry.page.clone()),
            arrived_us: ending.done_us(),
            is_acted_on: false,
            frames: frames(ending),
        }
    }

    /// `ending` is where its redirects led, the entry itself without any.
    fn role(&self, entry: &Entry, ending: &Entry) -> Role {
        let kind = match (kind(entry), kind(ending)) {
            (Kind::Call | Kind::Other, Kind::Document) if entry.kind == Kind::Other => Kind::Document,
            (kind, _) => kind,
        };
        match kind {
            Kind::Document if !self.is_in_frame(entry) => Role::Page,
            Kind::Document => self.owner(entry).map_or(Role::Page, Role::ResourceOf),
            _ if entry.request.method != "GET" => Role::Step,
            Kind::Call | Kind::Other => match &self.page {
                Some(page) if self.loads_with(page, entry) => Role::ResourceOf(page.step),
                _ => Role::Step,
            },
            _ => self.owner(entry).map_or(Role::Step, Role::ResourceOf),
        }
    }

    /// A document within the one that is shown.
    fn is_in_frame(&self, entry: &Entry) -> bool {
        if entry.request.method != "GET" || is_navigation(entry) {
            return false;
        }
        let Some(page) = &self.page else { return false };
        let is_of_page = entry.page.is_some() && entry.page == page.reference;
        is_frame(entry) || is_of_page || page.frames.contains(without_fragment(&entry.request.url))
    }

    /// The step that a resource belongs to: the one that its referer or initiator is a part of, else the page shown,
    /// else the last step.
    fn owner(&self, entry: &Entry) -> Option<usize> {
        let known = |url: &str| self.of_url.get(without_fragment(url)).copied();
        let initiator = entry.initiator.as_deref().and_then(known);
        let referer = || header(&entry.request.headers, "referer").and_then(known);
        let named = initiator.or_else(referer);
        let shown = || self.page.as_ref().map(|page| page.step);
        named.or_else(shown).or_else(|| self.steps.len().checked_sub(1))
    }

    /// A script of the page asks for it while the page loads, and nothing was done since.
    fn loads_with(&self, page: &Shown, entry: &Entry) -> bool {
        let is_in_time = entry.sent_us.saturating_sub(page.arrived_us) < self.gap_us;
        is_in_time && !page.is_acted_on && !is_made_by_script(entry)
    }
}

/// It carries headers that a script has set, which a page does not send by itself.
fn is_made_by_script(entry: &Entry) -> bool {
    entry.request.headers.iter().any(|(name, value)| {
        let name = name.to_ascii_lowercase();
        let is_plain_accept = name == "accept" && value.trim() != "*/*";
        is_plain_accept || name == "authorization" || name == "content-type" || is_own_header(&name)
    })
}

/// A header of the application, such as `x-csrf-token`.
fn is_own_header(name: &str) -> bool {
    name.starts_with("x-") && !name.starts_with("x-forwarded") && !name.starts_with("x-client-data")
}

/// URLs of the frames that a document names.
fn frames(entry: &Entry) -> HashSet<String> {
    let body = entry.response.as_ref().and_then(|response| response.body.as_ref());
    let Some(text) = body.and_then(|body| std::str::from_utf8(&body.bytes).ok()) else {
        return HashSet::new();
    };
    if !text.contains("frame") && !text.contains("<embed") && !text.contains("<object") {
        return HashSet::new();
    }
    // Of a page that is given up, which the search for values tells, no frames are known.
    let Ok(found) = resources(text) else {
        return HashSet::new();
    };
    let base = match &found.base {
        Some(base) => resolve(&entry.request.url, base),
        None => entry.request.url.clone(),
    };
    let frames = found.found.iter().filter(|found| matches!(found.kind, Found::Frame | Found::Other));
    frames.map(|found| resolve(&base, &found.reference)).collect()
}
