//! Which extractor finds a value: tried on the reply itself, and on the same reply of a second recording.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use nmax_extract::values::FoundValue;
use nmax_extract::{Extractor, ReplyContent};
use nmax_plan::plan::{MatchPick, ReplyPart};

use crate::recording::Entry;

/// Replies that stay parsed at the same time.
const PAGES_MAX: usize = 8;
/// Most sources that are tried for one value.
const SOURCES_MAX: usize = 16;
/// How many other matches of a second recording are looked at.
const OTHERS_MAX: usize = 500;

/// How well an extractor does on a second recording; the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// What it finds there is what is sent there, or there is no second recording.
    Holds,
    /// Another one of its matches is sent there: the user chose another.
    Elsewhere,
    /// It does not find what is sent there.
    Fails,
}

/// An extractor that finds the value.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub source: ReplyPart,
    pub pick: MatchPick,
    pub fit: Fit,
    /// What it finds in the second recording.
    pub again: Option<String>,
    /// How many matches it has.
    pub matches: usize,
}

/// A reply, as extractors read it.
pub(super) struct Reply<'a> {
    headers: Vec<(&'a str, &'a [u8])>,
    body: &'a [u8],
}

impl<'a> Reply<'a> {
    pub(super) fn from_entry(entry: &'a Entry) -> Self {
        let response = entry.response.as_ref();
        let headers = response.map_or(&[][..], |response| &response.headers);
        let body = response.and_then(|response| response.body.as_ref());
        Self {
            headers: headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect(),
            body: body.map_or(&[], |body| &body.bytes),
        }
    }

    pub(super) fn page(&self) -> ReplyContent<'_> {
        ReplyContent::new(&self.headers, self.body)
    }
}

/// Pages of a recording, parsed when they are asked for; the last few stay parsed.
pub(super) struct ParsedReplies<'a> {
    replies: &'a [Reply<'a>],
    kept: RefCell<VecDeque<(usize, Rc<ReplyContent<'a>>)>>,
}

impl<'a> ParsedReplies<'a> {
    pub(super) fn new(replies: &'a [Reply<'a>]) -> Self {
        Self { replies, kept: RefCell::default() }
    }

    /// The reply of an entry.
    pub(super) fn reply(&self, entry: usize) -> Rc<ReplyContent<'a>> {
        let mut kept = self.kept.borrow_mut();
        if let Some((_, page)) = kept.iter().find(|(known, _)| *known == entry) {
            return Rc::clone(page);
        }
        let page = Rc::new(self.replies[entry].page());
        kept.truncate(PAGES_MAX - 1);
        kept.push_front((entry, Rc::clone(&page)));
        page
    }
}

/// The best extractor for a value; `None` when none finds it.
///
/// `sends` says whether a text of the second recording's reply is what is sent there.
pub(super) fn choose(
    found: &FoundValue,
    page: &ReplyContent<'_>,
    again: Option<&ReplyContent<'_>>,
    sends: &dyn Fn(&str) -> bool,
) -> Option<Choice> {
    let sources = found.sources.iter().take(SOURCES_MAX);
    let choices = sources.filter_map(|source| {
        let extractor = Extractor::new(source).ok()?;
        let matches = extractor.matches(page).ok()?;
        let place = matches.iter().position(|text| *text == found.text)?;
        let others = again.map(|again| extractor.matches(again).unwrap_or_default());
        let text = others.as_ref().and_then(|others| others.get(place)).cloned();
        let fit = match (&others, &text) {
            (None, _) => Fit::Holds,
            (_, Some(text)) if sends(text) => Fit::Holds,
            (Some(others), _) if others.iter().take(OTHERS_MAX).any(|text| sends(text)) => Fit::Elsewhere,
            _ => Fit::Fails,
        };
        let choice = Choice {
            source: source.clone(),
            pick: if place == 0 { MatchPick::First } else { MatchPick::Nth(place + 1) },
            fit,
            again: text,
            matches: matches.len(),
        };
        Some((place, choice))
    });
    // The first of those that are equally good: the shortest.
    choices.min_by_key(|(place, choice)| (choice.fit, *place)).map(|(_, choice)| choice)
}
