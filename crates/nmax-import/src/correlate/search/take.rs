//! Taking a value from one of the places that have it.

use nmax_extract::values::{FoundValue, Kind};

use super::{Draft, Known, Origin, Search, TRIES_MAX};
use crate::correlate::choose::Fit;
use crate::correlate::coding::Coding;
use crate::correlate::index::Need;
use crate::correlate::weight::{Weight, is_number, weight};
use crate::correlate::{State, names};
use crate::parts::{Part, Use, split};

impl Search<'_> {
    /// Takes the value from the first of these places from which it can be taken.
    pub(super) fn take(&mut self, need: &Need, part: &Part, name: &str, origins: &[Origin]) -> Known {
        let at = Use { entry: need.entry, place: part.place.clone(), span: need.span.clone() };
        let other = self.again.and_then(|again| again.value(need.entry, &part.place));
        let mut fallback = None;
        let mut is_chance = false;
        for (number, coding) in origins.iter().take(TRIES_MAX) {
            let template = format!("${{{}}}", need.coding.around(&coding.around("\0")));
            let sends = |text: &str| other.as_ref().is_some_and(|other| sends(text, coding, need, part, other));
            let (from, found) = &self.found[*number];
            let (from, found) = (*from, found.clone());
            if let Some(draft) = self.draft_of(from, &found.text, false) {
                let is_kept = draft.choice.again.as_ref().is_none_or(|again| other.is_none() || sends(again));
                if is_kept {
                    draft.uses.push((at, template));
                    return Known::Written;
                }
                continue;
            }
            if self.is_asset(need.entry) {
                continue;
            }
            let Some(choice) = self.choose(from, &found, need.entry, &sends) else {
                continue;
            };
            let is_same_there = other.as_ref() == Some(&part.value);
            if choice.fit == Fit::Fails && is_same_there {
                is_chance = true;
                continue;
            }
            let is_changing =
                choice.fit == Fit::Holds && choice.again.as_ref().is_some_and(|again| *again != found.text);
            if weight(&need.value) == Weight::Trivial && need.varies && !is_changing {
                continue;
            }
            let state = match (choice.fit, &choice.again) {
                (Fit::Fails, _) | (_, None) => State::Found,
                _ if is_same_there => State::Same,
                _ => State::Changes,
            };
            let draft = Draft {
                from,
                text: found.text.clone(),
                kind: found.kind,
                is_link: false,
                choice,
                state,
                names: self.names_for(from, &found, name, coding),
                uses: vec![(at.clone(), template)],
                coding: [coding.told(), need.coding.told()]
                    .into_iter()
                    .filter(|told| !told.is_empty())
                    .collect::<Vec<_>>()
                    .join(", "),
                value: need.value.clone(),
            };
            if draft.choice.fit == Fit::Fails {
                fallback.get_or_insert(draft);
                continue;
            }
            let is_part_of_link = self.followed.iter().any(|(value, _)| *value == need.value);
            if state == State::Same && !is_part_of_link {
                self.deny(need, "the same in both recordings: a constant");
                return Known::Constant;
            }
            self.add(draft);
            return Known::Written;
        }
        if let Some(draft) = fallback.filter(|_| weight(&need.value) > Weight::Trivial) {
            self.add(draft);
            return Known::Written;
        }
        if is_chance {
            self.deny(need, "a second recording sends the same value though the reply has another: by chance");
        } else if weight(&need.value) > Weight::Weak && !self.is_asset(need.entry) {
            self.deny(need, "no extractor finds it where it is");
        }
        Known::Constant
    }

    /// What the value may be called, the best first.
    fn names_for(&self, from: usize, found: &FoundValue, name: &str, coding: &Coding) -> Vec<String> {
        let request = &self.timeline.entry(from).request;
        let noun = split(&request.url)
            .segments()
            .rfind(|segment| weight(segment) == Weight::Trivial && !is_number(segment) && !segment.is_empty())
            .map(|noun| names::singular(noun).to_owned());
        let given = found.name.as_str();
        let mut all = Vec::new();
        if found.kind == Kind::Location || found.kind == Kind::Link {
            all.push(names::singular(given).to_owned());
        } else if names::says(given) {
            all.push(given.to_owned());
        }
        if matches!(coding, Coding::Claim(_)) || name == "authorization" {
            all.push("token".to_owned());
        }
        if names::says(name) {
            all.push(names::singular(name).to_owned());
        }
        all.extend(noun.map(|noun| format!("{noun}_{given}")));
        all.push(given.to_owned());
        all
    }
}

/// Whether a text of the second recording's reply makes what is sent there.
fn sends(text: &str, coding: &Coding, need: &Need, part: &Part, other: &str) -> bool {
    let made = coding.apply(text).and_then(|value| need.coding.apply(&value));
    let Some(made) = made.filter(|made| !made.is_empty()) else {
        return false;
    };
    let (before, after) = (&part.value[..need.span.start], &part.value[need.span.end..]);
    let rest = other.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    rest == Some(made.as_str()) || (weight(&made) > Weight::Weak && other.contains(&made))
}
