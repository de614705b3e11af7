//! Requests that were reached by a link or a redirect: the URL is taken as a whole.

use nmax_extract::values::{FoundValue, Kind};
use nmax_plan::plan::ReplyPart;

use super::{Draft, Search, TRIES_MAX};
use crate::correlate::choose::Fit;
use crate::correlate::{State, link, names};
use crate::parts::{Use, ValueLocation, split};

/// Places of a link that are looked at beside those on the page that the user saw: so many of the last ones.
const NEAR_MAX: usize = 256;

/// Where a request was reached by a link or redirect with something in it that changes.
pub(super) fn follow(search: &mut Search<'_>, entry: usize) -> bool {
    let request = &search.timeline.entry(entry).request;
    let url = link::normal(&request.url);
    let changing = link::changing(&url);
    let first = search.index.requests_of(&url).first().copied();
    let all = search.by_link.get(&url).map_or(&[][..], Vec::as_slice);
    // What was requested before any reply named it is the user's: typed, or a bookmark.
    let known_to = |entry: usize| search.known_to(all, entry, |number| *number);
    let is_given = first.is_some_and(|first| known_to(first).iter().any(|number| search.is_before(*number, first)));
    if changing.is_empty() || !is_given {
        return false;
    }
    let (redirect, page) = (search.timeline.redirect_to(entry), search.timeline.page_before(entry));
    let known = known_to(entry);
    let is_near = |at: usize, number: usize| at + NEAR_MAX >= known.len() || page == Some(search.found[number].0);
    let mut origins: Vec<usize> = known
        .iter()
        .copied()
        .enumerate()
        .filter(|(at, number)| is_near(*at, *number) && search.is_before(*number, entry))
        .map(|(_, number)| number)
        .collect();
    origins.sort_by_key(|number| {
        let (from, found) = &search.found[*number];
        let is_redirect = redirect == Some(*from) && found.kind == Kind::Location;
        let order = search.timeline.spot(*from).order;
        (!is_redirect, search.timeline.is_resource(*from), page != Some(*from), std::cmp::Reverse(order), *number)
    });
    let target = split(&request.url).path_and_query;
    let at = Use { entry, place: ValueLocation::Target, span: 0..target.len() };
    for number in origins.into_iter().take(TRIES_MAX) {
        let (from, found) = &search.found[number];
        let (from, found) = (*from, without_fragment(found));
        if let Some(draft) = search.draft_of(from, &found.text, true) {
            draft.uses.push((at, "${\0}".into()));
            return true;
        }
        let base = search.again.and_then(|again| again.entry(from)).map(|entry| entry.request.url.as_str());
        let wanted = search.again.and_then(|again| again.url(entry));
        let sends = |text: &str| base.is_some_and(|base| wanted.is_some() && link::resolve(base, text) == wanted);
        let Some(choice) = search.choose(from, &found, entry, &sends) else {
            continue;
        };
        if choice.fit == Fit::Fails && redirect != Some(from) && wanted.as_ref() == Some(&url) {
            continue;
        }
        let state = match (choice.fit, &choice.again) {
            (Fit::Fails, _) | (_, None) => State::Found,
            _ if wanted.as_ref() != Some(&url) => State::Changes,
            _ => State::Same,
        };
        let nouns = changing.iter().map(|part| names::singular(&part.name).to_owned());
        search.add(Draft {
            from,
            text: found.text.clone(),
            kind: found.kind,
            is_link: true,
            choice,
            state,
            names: nouns.chain(["next".to_owned()]).collect(),
            uses: vec![(at, "${\0}".into())],
            coding: String::new(),
            value: found.text.clone(),
        });
        search.followed.extend(changing.into_iter().map(|part| {
            let words = names::split_words(&part.name);
            (part.value, words)
        }));
        return true;
    }
    false
}

/// What was found, without what a browser does not send.
fn without_fragment(found: &FoundValue) -> FoundValue {
    let mut found = found.clone();
    if let Some((url, _)) = found.text.split_once('#') {
        found.text = url.to_owned();
        for source in &mut found.sources {
            let of = Box::new(source.clone());
            let pattern = "^[^#]*".to_owned();
            *source = ReplyPart::Part { of, pattern };
        }
    }
    found
}
