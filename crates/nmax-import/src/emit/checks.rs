//! What tells a page from another one: words of its title that do not depend on the user.

use std::collections::HashSet;

use super::AnalysedRecording;
use crate::kind::kind;
use crate::parts::{Part, ValueLocation, request_parts, split};
use crate::recording::{Entry, Kind, Response};

/// Longest text of a check, in characters.
const TEXT_CHARS_MAX: usize = 60;
/// Shortest text of a check, in characters.
const TEXT_CHARS_MIN: usize = 3;

/// Whether a reply is a page of HTML that came well.
pub(super) fn is_page(entry: &Entry) -> bool {
    entry.response.as_ref().is_some_and(Response::is_html)
}

/// Values of a recording that other users would not see.
pub(super) struct Personal {
    words: HashSet<String>,
    titles: Vec<(String, Vec<String>)>,
}

impl Personal {
    pub(super) fn from_recording(analysed: &AnalysedRecording<'_>) -> Self {
        let mut words: HashSet<String> = HashSet::new();
        let given = analysed.parameters.values.iter();
        let given = given.chain(analysed.correlations.values.iter().map(|value| &value.value));
        for value in given {
            words.extend(words_of(value));
        }
        for step in &analysed.journey.steps {
            // What the user chose, such as a word that is searched for, is often a part of the title.
            let request = &analysed.recording.entries[step.entry].request;
            let is_given = |part: &Part| matches!(part.place, ValueLocation::Query(..) | ValueLocation::Field(..));
            let parts = request_parts(request).into_iter().filter(is_given);
            words.extend(parts.flat_map(|part| words_of(&part.value)));
        }
        let mut personal = Self { words, titles: Vec::new() };
        let ends = analysed.journey.steps.iter().map(|step| &analysed.recording.entries[step.last()]);
        let titles: Vec<(String, Vec<String>)> = ends
            .filter_map(|entry| Some((split(&entry.request.url).path.to_owned(), personal.pieces(entry)?)))
            .collect();
        personal.titles = titles;
        personal
    }

    /// A text that the page of a step has for every user. `is_varied` says that the page shows one thing of many.
    pub(super) fn check(&self, entry: &Entry, is_varied: bool) -> Option<String> {
        let path = split(&entry.request.url).path;
        let is_common =
            |piece: &String| self.titles.iter().any(|(other, pieces)| other != path && pieces.contains(piece));
        let pieces = self.pieces(entry)?;
        let own = pieces.iter().find(|piece| !is_common(piece)).filter(|_| !is_varied);
        own.or_else(|| pieces.iter().find(|piece| is_common(piece))).cloned()
    }

    /// Pieces of the title as they stand in the page, without those that hold values.
    fn pieces(&self, entry: &Entry) -> Option<Vec<String>> {
        let title = title(entry)?;
        let separators = [" - ", " | ", " – ", " — ", " · ", " :: ", " » ", ": ", ", ", "! "];
        let mut pieces = vec![title];
        for separator in separators {
            pieces = pieces
                .iter()
                .flat_map(|piece| piece.split(separator))
                .map(|piece| piece.trim_matches(|c: char| c.is_whitespace() || "-|–—·:".contains(c)).to_owned())
                .collect();
        }
        let is_stable = |piece: &String| {
            let length = piece.chars().count();
            (TEXT_CHARS_MIN..=TEXT_CHARS_MAX).contains(&length)
                && !piece.contains(|c: char| c.is_control() || c.is_ascii_digit())
                && !words_of(piece).any(|word| self.words.contains(&word))
        };
        pieces.retain(is_stable);
        Some(pieces)
    }
}

/// Words of a text, in small letters.
fn words_of(text: &str) -> impl Iterator<Item = String> + use<> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= 2);
    words.map(str::to_lowercase).collect::<Vec<_>>().into_iter()
}

/// The title as it is written in the page, on one line.
fn title(entry: &Entry) -> Option<String> {
    if !is_page(entry) || kind(entry) != Kind::Document {
        return None;
    }
    let body = entry.response.as_ref()?.body.as_ref()?;
    let text = std::str::from_utf8(&body.bytes).ok()?;
    let start = text.find("<title")?;
    let rest = &text[start..];
    let inside = &rest[rest.find('>')? + 1..];
    let title = &inside[..inside.find("</title")?];
    (!title.contains(['\n', '<'])).then(|| title.trim().to_owned())
}
