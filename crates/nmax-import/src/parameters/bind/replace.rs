//! Where variables stand: in place of the values that they are for, and nowhere by accident.

use std::collections::HashMap;
use std::ops::Range;

use super::{Binder, Bound};
use crate::parameters::field::Field;
use crate::parameters::{Candidate, Covered, all_parts, told, whole};
use crate::parts::{Part, Replacement, Use, ValueLocation};

/// Shortest user name that is replaced wherever it stands.
const NAME_CHARS_MIN: usize = 4;

impl Binder<'_> {
    /// Puts the variables where the values stand.
    pub(in crate::parameters) fn replace(&mut self, candidates: &[Candidate], covered: &Covered<'_>) {
        let by_place: HashMap<(usize, &ValueLocation), &Candidate> =
            candidates.iter().map(|candidate| ((candidate.entry, &candidate.part.place), candidate)).collect();
        for (entry, part) in all_parts(self.recording, self.journey) {
            let own = by_place.get(&(entry, &part.place));
            let bound = own.and_then(|own| {
                let mut known = self.bound.iter();
                known.find(|bound| bound.field == own.field && bound.value == part.value)
            });
            let bound = bound.or_else(|| self.bound.iter().find(|bound| is_the_same(bound, &part)));
            let is_free = |span: &Range<usize>| !covered.overlaps(entry, &part.place, span);
            match bound {
                Some(bound) if is_free(&(0..part.value.len())) => {
                    if part.is_bare && bound.field != Field::Quantity {
                        continue;
                    }
                    let place = told(self.recording, self.journey, entry, &part.place);
                    let note = format!("{place}: {}, {}", in_words(bound.field), bound.from);
                    self.made.notes.push(note);
                    self.made
                        .replacements
                        .push(Replacement { at: whole(entry, &part), template: bound.template.clone() });
                }
                Some(_) => {}
                None => self
                    .made
                    .replacements
                    .extend(within(&self.bound, entry, &part).filter(|replacement| is_free(&replacement.at.span))),
            }
        }
    }
}

/// Whether a value that was given elsewhere is this one: only values that are nobody else's.
fn is_the_same(bound: &Bound, part: &Part) -> bool {
    let is_distinct = match bound.field {
        Field::Email | Field::Password | Field::Phone | Field::Iban => true,
        Field::UserName => bound.value.chars().count() >= NAME_CHARS_MIN,
        Field::FullName => bound.value.trim().contains(' '),
        _ => false,
    };
    let is_value = matches!(
        part.place,
        ValueLocation::Query(..) | ValueLocation::Field(..) | ValueLocation::Json(_) | ValueLocation::Segment(_)
    );
    is_distinct && is_value && !part.is_bare && bound.value == part.value
}

/// Addresses within longer values.
fn within<'a>(bound: &'a [Bound], entry: usize, part: &'a Part) -> impl Iterator<Item = Replacement> + 'a {
    let emails = bound.iter().filter(|bound| bound.field == Field::Email && !part.is_bare);
    emails.flat_map(move |email| {
        part.value.match_indices(email.value.as_str()).map(move |(at, found)| Replacement {
            at: Use { entry, place: part.place.clone(), span: at..at + found.len() },
            template: email.template.clone(),
        })
    })
}

/// A field in words.
fn in_words(field: Field) -> &'static str {
    match field {
        Field::Email => "an e-mail address",
        Field::UserName => "a user name",
        Field::Password => "a password",
        Field::FirstName => "a first name",
        Field::LastName => "a last name",
        Field::FullName => "a name",
        Field::Phone => "a telephone number",
        Field::Street => "a street",
        Field::HouseNumber => "a house number",
        Field::Postcode => "a postcode",
        Field::City => "a city",
        Field::Region => "a state",
        Field::BirthDate => "a date of birth",
        Field::Search => "what is searched for",
        Field::Quantity => "how many",
        Field::Iban => "an account number",
    }
}
