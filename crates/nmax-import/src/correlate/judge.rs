//! Whether a value in a reply and the same value in a request belong together, or stand there by chance.

use nmax_extract::values::{FoundValue, Kind};

use super::names;
use super::weight::{Weight, is_number};
use crate::parts::ValueLocation;

/// The reply's side.
pub(super) struct Given<'a> {
    pub found: &'a FoundValue,
    /// Words of its name, of the names around it, and of the request that it answers.
    pub words: &'a [String],
    /// The reply says that something was made: it answers a POST, PUT or PATCH.
    pub creates: bool,
}

/// The request's side.
pub(super) struct Sent<'a> {
    pub place: &'a ValueLocation,
    /// As the request calls it.
    pub name: &'a str,
    /// Words of its name; those of the request before it too where the name says nothing.
    pub words: &'a [String],
    /// A link or redirect led to this value before, under this name.
    pub was_followed: bool,
}

/// `Ok` when they belong together, else why not, in words.
///
/// | weight | accepted |
/// |---|---|
/// | strong | always |
/// | medium | numbers: when a name identifies something or both names agree, and none measures; texts: everywhere but in running text |
/// | weak | when a name identifies something, both names agree, and none measures |
/// | trivial | numbers that a link led to, the id of what was just made (a segment behind its name too), fields of a form that are called an id |
pub(super) fn judge(weight: Weight, value: &str, given: &Given<'_>, sent: &Sent<'_>) -> Result<(), &'static str> {
    let is_segment = matches!(sent.place, ValueLocation::Segment(_));
    let agree = names::same(&given.found.name, sent.name) || names::share(given.words, sent.words);
    let identifies = names::identifies(&given.found.name) || names::identifies(sent.name);
    let measures = names::measures(&given.found.name) || names::measures(sent.name);
    let is_loose = matches!(given.found.kind, Kind::Label | Kind::Text);
    match weight {
        Weight::Strong => Ok(()),
        Weight::Medium if is_number(value) => match (measures, identifies || agree || is_segment) {
            (true, _) => Err("a number that measures or counts something"),
            (_, false) => Err("a number, and the names of its places do not agree"),
            _ => Ok(()),
        },
        Weight::Medium if is_loose && !identifies && !agree => Err("a word of a running text"),
        Weight::Medium => Ok(()),
        Weight::Weak if measures => Err("a number that measures or counts something"),
        Weight::Weak if agree && (identifies || is_segment) => Ok(()),
        Weight::Weak => Err("a short value, and the names of its places do not agree"),
        Weight::Trivial if !is_number(value) => Err("a word"),
        Weight::Trivial if sent.was_followed => Ok(()),
        Weight::Trivial
            if given.creates && agree && !measures && (names::identifies(&given.found.name) || is_segment) =>
        {
            Ok(())
        }
        Weight::Trivial => {
            let is_field = given.found.kind == Kind::Field && names::same(&given.found.name, sent.name);
            if is_field && names::identifies(sent.name) { Ok(()) } else { Err("a small number or a year") }
        }
    }
}
