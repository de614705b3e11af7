//! Values that the server gave and the user sent back: found by evidence, not by name.
//!
//! # Layout
//! - here: what is found, and the way to it
//! - `index`: what requests send; `search`: which reply said it; `timeline`: what was known when; `link`: where
//!   references lead
//! - `weight`, `names`, `judge`: whether two places hold the same value by chance; `denied`: headers that never count
//! - `coding`: encodings between reply and request; `choose`: the extractor; `again`: a second recording
//! - `generated`: what the client makes; `kept`: what looks like an id and stays; `jar`: cookies

use std::collections::HashMap;

use nmax_extract::GaveUp;
use nmax_extract::values::Kind;
use nmax_plan::plan::{MatchPick, ReplyPart};

use self::again::SecondRecording;
use self::choose::{Fit, Reply};
use self::index::{Index, name_of};
use self::names::Namer;
use self::search::{Draft, Search, Second};
use self::timeline::Timeline;
use crate::journey::Journey;
use crate::parts::{Part, Use, ValueLocation};
use crate::recording::Recording;

mod again;
mod choose;
mod coding;
mod denied;
mod generated;
mod index;
mod jar;
mod judge;
mod kept;
mod link;
mod names;
mod search;
#[cfg(test)]
mod tests;
mod timeline;
mod weight;

/// What was found in one recording, or in two of the same journey.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Correlations {
    /// Values that go from a reply to later requests, by step of origin.
    pub values: Vec<Correlation>,
    /// Cookies that the jar carries; nothing is written for them.
    pub jar: Vec<JarCookie>,
    /// Values without a source that look made by the client.
    pub generated: Vec<Generated>,
    /// What was seen and left alone, with the reason.
    pub denied: Vec<Denied>,
    /// What looks like an id and is sent as it was recorded, whatever the reason.
    pub as_recorded: Vec<Use>,
    /// Entries whose replies were not read to their ends, with the reason.
    pub unread: Vec<(usize, GaveUp)>,
}

impl Correlations {
    /// Every place where a value is sent that a reply gave or the client made, with the template that stands there.
    pub(crate) fn uses(&self) -> impl Iterator<Item = &(Use, String)> {
        let values = self.values.iter().flat_map(|value| &value.uses);
        values.chain(self.generated.iter().flat_map(|made| &made.uses))
    }
}

/// A value that goes from a reply to later requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlation {
    /// Name of the value in the plan.
    pub name: String,
    /// The recorded value, decoded.
    pub value: String,
    /// Entry whose reply gives it: position in the recording's list. It may be a redirect of a step, which then must not
    /// be followed unseen, or a resource of a page, which must be a step of its own to be looked at.
    pub from: usize,
    /// Extractor: the shortest stable one that finds it.
    pub source: ReplyPart,
    /// Which of several matches.
    pub pick: MatchPick,
    /// Where it is sent back, with the template that writes it there (`${csrf}`, `${base64(token)}`).
    pub uses: Vec<(Use, String)>,
    /// How sure it is that it must be fresh.
    pub state: State,
    /// Why, in words: entropy, places, whether a second recording had another value.
    pub evidence: String,
}

nmax_text::named! {
    /// How sure it is that a value must be fresh.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum State {
        /// Found in one recording.
        Found = "found",
        /// A second recording had another value in the same places.
        Changes = "changes",
        /// A second recording had the same value: it may be a constant.
        Same = "same",
    }
    /// Its word.
    name
}

/// A cookie that the server set and the browser sent back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JarCookie {
    /// Its name.
    pub name: String,
    /// Entry whose reply set it first; `None` when no reply in the recording did.
    pub set_by: Option<usize>,
    /// How many requests carried it.
    pub sent: usize,
}

/// A value that the client made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The value as it was recorded.
    pub value: String,
    /// Name and template of a `set` that stands before the first use: a value that is sent several times is made once.
    pub set: Option<(String, String)>,
    /// Where it is sent, with the template that stands there (`${uuid()}`, `${now('ms')}`, or the name that is set).
    pub uses: Vec<(Use, String)>,
    /// What it is, in words: `a UUID`, `a time in ms`.
    pub what: String,
}

/// Something that looked like a correlation and is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// What it is, such as `header x-request-id`.
    pub what: String,
    /// Why it is left alone.
    pub reason: String,
}

/// What goes from replies to later requests of a journey; `again` is another recording of the same one.
///
/// Each value that a request sends is looked for in every reply before it. It belongs to the reply when it is not there by
/// chance: by its weight in bits, by the names of both places, because a link led there, or because a second recording
/// has another value in both places. O(size of the recordings) but for the values that are found.
pub fn correlate(recording: &Recording, journey: &Journey, again: Option<(&Recording, &Journey)>) -> Correlations {
    let timeline = Timeline::new(recording, journey);
    let second = again.map(|again| SecondRecording::new((recording, journey), again));
    let mut index = Index::default();
    for &entry in &timeline.sequence {
        let varies = |part: &Part| {
            let other = second.as_ref().and_then(|second| second.value(entry, &part.place));
            other.is_some_and(|other| other != part.value)
        };
        index.add(entry, &recording.entries[entry].request, varies);
    }
    let replies: Vec<Reply<'_>> = recording.entries.iter().map(Reply::from_entry).collect();
    let replies_again: Vec<Reply<'_>> = match again {
        Some((recording, _)) => recording.entries.iter().map(Reply::from_entry).collect(),
        None => Vec::new(),
    };
    let mut search = Search::new(
        &timeline,
        &index,
        &replies,
        second.as_ref().map(|again| Second { again, replies: &replies_again }),
    );
    search.run(&replies);
    let mut namer = Namer::default();
    let mut drafts = std::mem::take(&mut search.drafts);
    drafts.sort_by_key(|draft| timeline.spot(draft.from).order);
    let values = drafts.into_iter().map(|draft| finished(draft, &mut namer, second.is_some()));
    let mut found = Correlations {
        values: values.collect(),
        jar: jar::cookies(&timeline, &index),
        generated: generated(&timeline, &index, &search, second.as_ref(), &mut namer),
        ..Correlations::default()
    };
    found.as_recorded = kept::as_recorded(&timeline, &index, &search, second.as_ref(), &found);
    Correlations { denied: search.denied, unread: search.unread, ..found }
}

/// A draft with its name in its templates, and its evidence.
fn finished(draft: Draft, namer: &mut Namer, has_second: bool) -> Correlation {
    let candidates: Vec<&str> = draft.names.iter().map(String::as_str).collect();
    let name = namer.name(&candidates, if draft.is_link { "link" } else { "id" });
    let evidence = evidence(&draft, has_second);
    let uses = draft.uses.into_iter();
    Correlation {
        uses: uses.map(|(at, template)| (at, template.replace('\0', &name))).collect(),
        name,
        value: draft.value,
        from: draft.from,
        source: draft.choice.source,
        pick: draft.choice.pick,
        state: draft.state,
        evidence,
    }
}

/// Why a value is taken for one of the server's, in words. It never holds the value, which may be a secret.
fn evidence(draft: &Draft, has_second: bool) -> String {
    let mut told = Vec::new();
    let is_redirect = draft.is_link && draft.kind == Kind::Location;
    told.push(match (draft.is_link, is_redirect) {
        (_, true) => "a redirect led to the URL".to_owned(),
        (true, _) => "a link led to the URL".to_owned(),
        _ => format!("{} characters worth about {:.0} bits", draft.value.chars().count(), weight::bits(&draft.value)),
    });
    if !draft.coding.is_empty() {
        told.push(draft.coding.clone());
    }
    if draft.uses.len() > 1 {
        told.push(format!("sent in {} places", draft.uses.len()));
    }
    told.push(match (draft.state, draft.choice.fit) {
        (State::Changes, Fit::Elsewhere) => {
            "the second recording took another match of the same extractor, so `pick: random` is possible".to_owned()
        }
        (State::Changes, _) => "the second recording has another value in the same places".to_owned(),
        (State::Same, _) => "the second recording has the same value".to_owned(),
        (State::Found, _) if has_second => "the second recording has no such place, or another value there".to_owned(),
        (State::Found, _) if draft.choice.matches > 1 && draft.is_link => {
            let matches = draft.choice.matches;
            format!("one of {matches} matches, so `pick: random` is possible")
        }
        (State::Found, _) => "found in one recording".to_owned(),
    });
    told.join("; ")
}

/// Values that no reply gave and that look made by the client; a value that is sent several times is made once.
fn generated(
    timeline: &Timeline<'_>,
    index: &Index,
    search: &Search<'_>,
    second: Option<&SecondRecording<'_>>,
    namer: &mut Namer,
) -> Vec<Generated> {
    let mut all: Vec<(String, Generated)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for &entry in &timeline.sequence {
        let exchange = timeline.entry(entry);
        for (number, part) in index.parts[&entry].iter().enumerate() {
            let is_made_elsewhere = match &part.place {
                ValueLocation::Target | ValueLocation::Cookie(_) => true,
                ValueLocation::Header(name) => denied::is_of_the_browser(name),
                _ => false,
            };
            if is_made_elsewhere {
                continue;
            }
            let name = name_of(&exchange.request, &part.place);
            let other = second.and_then(|second| second.value(entry, &part.place));
            let sent = generated::Sent {
                place: &part.place,
                name: &name,
                creates: matches!(exchange.request.method.as_str(), "POST" | "PUT" | "PATCH"),
                at_us: exchange.sent_us,
                varies: other.map(|other| other != part.value),
            };
            let Some(made) = generated::made(&part.value, &sent) else {
                continue;
            };
            if part.is_bare && made.span != (0..part.value.len()) {
                continue;
            }
            if search.is_settled(entry, number, &made.span) {
                continue;
            }
            let value = &part.value[made.span.clone()];
            let at = Use { entry, place: part.place.clone(), span: made.span.clone() };
            match known.get(value) {
                Some(number) => all[*number].1.uses.push((at, made.template)),
                None => {
                    known.insert(value.to_owned(), all.len());
                    let generated = Generated {
                        value: value.to_owned(),
                        set: None,
                        uses: vec![(at, made.template)],
                        what: made.what.to_owned(),
                    };
                    all.push((name, generated));
                }
            }
        }
    }
    let once = |(name, mut generated): (String, Generated)| {
        if generated.uses.len() > 1 {
            let name = namer.name(&[&name, "made"], "made");
            let template = generated.uses[0].1.clone();
            for (_, used) in &mut generated.uses {
                *used = format!("${{{name}}}");
            }
            generated.set = Some((name, template));
        }
        generated
    };
    all.into_iter().map(once).collect()
}

/// A place of a request, in words.
pub(crate) fn told(place: &ValueLocation) -> String {
    match place {
        ValueLocation::Target => "the target".into(),
        ValueLocation::Segment(index) => format!("path segment {}", index + 1),
        ValueLocation::Query(name, _) => format!("query {name}"),
        ValueLocation::Header(name) => format!("header {name}"),
        ValueLocation::Cookie(name) => format!("cookie {name}"),
        ValueLocation::Field(name, _) => format!("form field {name}"),
        ValueLocation::Json(pointer) => format!("JSON {pointer}"),
        ValueLocation::Body => "the body".into(),
    }
}
