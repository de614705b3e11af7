//! What differs from user to user: names, addresses, passwords, search terms, quantities; and secrets that must be sent.
//!
//! - What a user types in to become known (a sign-up, a checkout, a newsletter) is made up, a new user each time.
//! - Who is known already (a log-in without a sign-up) is read from a file of secrets with the recorded user in it.
//! - A value that is sent several times is the same variable everywhere.
//! - Values that a correlation replaces are left alone.

use std::collections::{HashMap, HashSet};

use crate::correlate::Correlations;
use crate::journey::Journey;
use crate::options::Options;
use crate::parts::{Part, Replacement, Use, ValueLocation, request_parts, split, value_at};
use crate::recording::{Entry, Recording};
use crate::redact::Secrets;

mod bind;
mod feeders;
mod field;
mod hide;
mod shown;

use bind::Binder;
pub use feeders::{Feeder, Feeders};
pub(crate) use feeders::{column_name, free};
use field::{Field, Shown, field, may_be_login, may_be_name};
use shown::shown;

/// What was recognized in one recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// What stands in the place of the recorded values.
    pub replacements: Vec<Replacement>,
    /// Values that are made once because they are sent several times: the entry before which, name, template.
    pub sets: Vec<(usize, String, String)>,
    /// What was recognized, in words, one for each field: `email of POST /signup: an e-mail address, from people.email`.
    pub notes: Vec<String>,
    /// Recorded values of users, which are in no text that a check may rely on.
    pub values: Vec<String>,
}

/// A field that was recognized.
#[derive(Clone, Debug)]
struct Candidate {
    entry: usize,
    part: Part,
    field: Field,
    shown: Shown,
}

/// Another recording of the same journey.
#[derive(Clone, Debug)]
pub struct Other<'a> {
    /// What was recorded.
    pub recording: &'a Recording,
    /// Its entries by those of the first recording.
    pub entries: HashMap<usize, usize>,
}

impl Other<'_> {
    /// What it has at a place of the first recording.
    fn value(&self, entry: usize, place: &ValueLocation) -> Option<String> {
        let entry = self.recording.entries.get(*self.entries.get(&entry)?)?;
        value_at(&entry.request, place)
    }
}

/// What a request with a password is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// It makes an account.
    SignUp,
    /// It names an account.
    LogIn,
}

/// Finds the values that other users would send otherwise; `feeders` are those of all recordings so far. What the `others`
/// of the same journey sent in the same places belongs to the data too.
///
/// O(size of the requests) but for the forms that were shown, which are parsed for each recognized field.
pub fn recognize(
    (recording, journey): (&Recording, &Journey),
    others: &[Other<'_>],
    correlations: &Correlations,
    secrets: &Secrets,
    options: &Options,
    feeders: &mut Feeders,
) -> Parameters {
    let covered = Covered::from_correlations(correlations);
    let mut candidates = candidates(recording, journey, &covered);
    // Search terms are kept in a file that everybody may read.
    candidates.retain(|candidate| candidate.field != Field::Search || !secrets.is_secret(&candidate.part.value));
    let purposes = purposes(recording, journey, &candidates);
    let mut binder = Binder::new((recording, journey, others), secrets, feeders, options);
    // What the server took tells more than what it refused.
    for accepted in [true, false] {
        for candidate in &candidates {
            if accepted == is_accepted(recording, journey, candidate.entry) {
                binder.candidate(candidate, accepted, &purposes, &candidates);
            }
        }
    }
    binder.replace(&candidates, &covered);
    let mut parameters = binder.finish();
    hide::secrets((recording, journey, others), (&covered, secrets), options, feeders, &mut parameters);
    parameters
}

/// Bytes of parts that correlations replace.
pub(crate) struct Covered<'a>(HashMap<(usize, &'a ValueLocation), Vec<&'a std::ops::Range<usize>>>);

impl<'a> Covered<'a> {
    fn from_correlations(correlations: &'a Correlations) -> Self {
        let mut covered: HashMap<_, Vec<_>> = HashMap::new();
        for (at, _) in correlations.uses() {
            covered.entry((at.entry, &at.place)).or_default().push(&at.span);
        }
        Self(covered)
    }

    /// Whether a part of these bytes is replaced already, or the whole target.
    fn overlaps(&self, entry: usize, place: &ValueLocation, span: &std::ops::Range<usize>) -> bool {
        let spans = self.0.get(&(entry, place)).into_iter().flatten();
        let is_in_target = matches!(place, ValueLocation::Segment(_) | ValueLocation::Query(..));
        spans.into_iter().any(|own| own.start < span.end && span.start < own.end)
            || is_in_target && self.0.contains_key(&(entry, &ValueLocation::Target))
    }
}

/// Requests of a journey that are steps, in order: those that carry what a user gives.
fn requests<'a>(recording: &'a Recording, journey: &'a Journey) -> impl Iterator<Item = (usize, &'a Entry)> {
    let hops = journey.steps.iter().flat_map(|step| step.hops());
    hops.map(|index| (index, &recording.entries[index]))
}

fn candidates(recording: &Recording, journey: &Journey, covered: &Covered<'_>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (index, entry) in requests(recording, journey) {
        let path = split(&entry.request.url).path.to_owned();
        let parts: Vec<(Part, String)> = request_parts(&entry.request)
            .into_iter()
            .filter(|part| !covered.overlaps(index, &part.place, &(0..part.value.len())))
            .filter_map(|part| Some((name_of(&part.place, &path)?, part)).map(|(name, part)| (part, name)))
            .collect();
        let before = found.len();
        let mut unsure = Vec::new();
        let mut typed = Vec::new();
        for (part, name) in parts {
            if part.value.is_empty() || part.value.len() > 1000 {
                continue;
            }
            let shown = shown(recording, &name, entry);
            match field(&name, &part.value, &shown, &path) {
                Some(field) => found.push(candidate(index, part, field, shown)),
                None if may_be_name(&name) && shown.kind != "hidden" => unsure.push((part, shown)),
                None if may_be_login(&name, &part, &shown) => typed.push((found.len(), part, shown)),
                None => {}
            }
        }
        if let Some((at, part, shown)) = login(&found, before, typed, &mut unsure) {
            found.insert(at, candidate(index, part, Field::UserName, shown));
        }
        let is_about_person = found[before..]
            .iter()
            .any(|candidate| matches!(candidate.field, Field::Email | Field::Password | Field::Phone | Field::Street));
        if is_about_person {
            found.extend(unsure.into_iter().map(|(part, shown)| candidate(index, part, Field::FullName, shown)));
        }
        let has_postcode = found[before..].iter().any(|candidate| candidate.field == Field::Postcode);
        let mut at = 0;
        found.retain(|candidate| {
            at += 1;
            at <= before || candidate.field != Field::Region || has_postcode
        });
    }
    found
}

/// What the user of a request with a password is called, where no name of a field says it: what was typed in right before the
/// password, whatever its name; and where it stands among what was found. The request's own is what was found from `before` on;
/// each of `typed` has the position of what follows it.
fn login(
    found: &[Candidate],
    before: usize,
    typed: Vec<(usize, Part, Shown)>,
    unsure: &mut Vec<(Part, Shown)>,
) -> Option<(usize, Part, Shown)> {
    let own = &found[before..];
    let password = before + own.iter().position(|candidate| candidate.field == Field::Password)?;
    let is_known = own.iter().any(|candidate| matches!(candidate.field, Field::Email | Field::UserName));
    if is_known {
        return None;
    }
    let last = typed.into_iter().rfind(|(at, ..)| *at <= password);
    last.map(|(_, part, shown)| (password, part, shown))
        .or_else(|| unsure.pop().map(|(part, shown)| (password, part, shown)))
}

fn candidate(entry: usize, part: Part, field: Field, shown: Shown) -> Candidate {
    Candidate { entry, part, field, shown }
}

/// The name under which a user gives a value; `None` for places that no user fills in.
fn name_of(place: &ValueLocation, path: &str) -> Option<String> {
    match place {
        ValueLocation::Query(name, _) | ValueLocation::Field(name, _) => Some(name.clone()),
        ValueLocation::Json(pointer) => {
            let mut tokens = pointer.rsplit('/');
            let name = tokens.find(|token| !token.is_empty() && !token.bytes().all(|byte| byte.is_ascii_digit()))?;
            Some(name.replace("~1", "/").replace("~0", "~"))
        }
        ValueLocation::Segment(index) => {
            let before = path.split('/').nth(*index)?;
            let is_search = before.eq_ignore_ascii_case("search");
            is_search.then(|| "search".to_owned())
        }
        _ => None,
    }
}

/// What each request with a password is for.
fn purposes(recording: &Recording, journey: &Journey, candidates: &[Candidate]) -> HashMap<usize, Purpose> {
    const SIGN_UPS: [&str; 10] = [
        "signup", "sign-up", "sign_up", "register", "registration", "registrier", "join", "createaccount",
        "create-account", "newaccount",
    ];
    const LOG_INS: [&str; 9] = ["login", "log-in", "log_in", "signin", "sign-in", "session", "auth", "token", "anmeld"];
    let mut purposes = HashMap::new();
    for (index, entry) in requests(recording, journey) {
        let own: Vec<&Candidate> = candidates.iter().filter(|candidate| candidate.entry == index).collect();
        let passwords: Vec<&&Candidate> = own.iter().filter(|candidate| candidate.field == Field::Password).collect();
        if passwords.is_empty() {
            continue;
        }
        let path = entry.request.url.to_ascii_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| path.contains(word));
        let is_about_more = own.iter().any(|candidate| {
            matches!(
                candidate.field,
                Field::FirstName | Field::LastName | Field::FullName | Field::Phone | Field::BirthDate
            )
        });
        let is_new = passwords.iter().any(|password| password.shown.autocomplete.contains("new-password"));
        let is_twice =
            passwords.len() >= 2 && passwords.iter().all(|other| other.part.value == passwords[0].part.value);
        let purpose = if names(&SIGN_UPS) || is_new || is_twice {
            Purpose::SignUp
        } else if names(&LOG_INS) || !is_about_more {
            Purpose::LogIn
        } else {
            Purpose::SignUp
        };
        purposes.insert(index, purpose);
    }
    purposes
}

/// Whether the step that the request belongs to ended well.
fn is_accepted(recording: &Recording, journey: &Journey, index: usize) -> bool {
    let step = journey.steps.iter().find(|step| step.hops().any(|hop| hop == index));
    let response = step.and_then(|step| recording.entries[step.last()].response.as_ref());
    response.is_none_or(|response| response.status < 400)
}

/// Every part of every request of the journey but what the jar sends.
fn all_parts(recording: &Recording, journey: &Journey) -> Vec<(usize, Part)> {
    let mut parts = Vec::new();
    for (index, entry) in requests(recording, journey) {
        let own = request_parts(&entry.request).into_iter();
        let is_own = |place: &ValueLocation| match place {
            ValueLocation::Target => false,
            ValueLocation::Cookie(_) => recording.is_command,
            _ => true,
        };
        let own = own.filter(|part| is_own(&part.place));
        parts.extend(own.map(|part| (index, part)));
    }
    parts
}

/// The whole of a part.
fn whole(entry: usize, part: &Part) -> Use {
    Use { entry, place: part.place.clone(), span: 0..part.value.len() }
}

/// A place in words: `field email of POST /signup`.
fn told(recording: &Recording, journey: &Journey, entry: usize, place: &ValueLocation) -> String {
    let step = journey.steps.iter().find(|step| step.hops().any(|hop| hop == entry));
    let request = step.map_or_else(|| recording.entries[entry].request.method.clone(), |step| step.name.clone());
    format!("{} of {request}", place_in_words(place))
}

/// A place in words: `form field email`.
pub fn place_in_words(place: &ValueLocation) -> String {
    match place {
        ValueLocation::Target => "the whole path".to_owned(),
        ValueLocation::Segment(index) => format!("path segment {}", index + 1),
        ValueLocation::Query(name, _) => format!("query parameter {name}"),
        ValueLocation::Header(name) => format!("header {name}"),
        ValueLocation::Cookie(name) => format!("cookie {name}"),
        ValueLocation::Field(name, _) => format!("form field {name}"),
        ValueLocation::Json(pointer) => format!("JSON {pointer}"),
        ValueLocation::Body => "body".to_owned(),
    }
}

/// Names that values of this journey have already.
pub(crate) fn names_taken(correlations: &Correlations) -> HashSet<String> {
    let values = correlations.values.iter().map(|value| value.name.clone());
    let made = correlations.generated.iter().filter_map(|made| made.set.as_ref().map(|(name, _)| name.clone()));
    values.chain(made).collect()
}

#[cfg(test)]
mod tests;
