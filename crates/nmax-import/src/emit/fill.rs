//! Texts of a recording as texts of a plan, with variables where values were replaced.

use std::collections::HashMap;
use std::ops::Range;

use nmax_text::percent;

use super::AnalysedRecording;
use crate::parts::ValueLocation;

/// Longest name of a scenario or plan, in characters.
const NAME_CHARS_MAX: usize = 60;

/// A text as a template: every dollar sign is itself.
pub(super) fn literal(text: &str) -> String {
    text.replace('$', "$$")
}

/// A text for a place where only `${env.NAME}` has a meaning.
pub(super) fn expanded(text: &str) -> String {
    if text.contains("${env.") { literal(text) } else { text.to_owned() }
}

/// A name of a plan or scenario: without control characters and `/`, not empty and not long.
pub(super) fn name(text: &str, otherwise: &str) -> String {
    let legal = text.chars().map(|c| if c.is_control() || matches!(c, '/' | '\\' | '$') { '-' } else { c });
    let name: String = legal.take(NAME_CHARS_MAX).collect();
    let name = name.trim();
    if name.is_empty() { otherwise.to_owned() } else { name.to_owned() }
}

/// What is replaced in the requests of a journey.
pub(super) struct Changes<'a>(HashMap<(usize, &'a ValueLocation), Vec<Change<'a>>>);

/// Bytes of a value, and the template that stands in their place.
type Change<'a> = (Range<usize>, &'a str);

impl<'a> Changes<'a> {
    pub(super) fn from_recording(analysed: &AnalysedRecording<'a>) -> Self {
        let correlated = analysed.correlations.uses().map(|(at, template)| (at, template));
        let given = analysed.parameters.replacements.iter();
        let given = given.map(|replacement| (&replacement.at, &replacement.template));
        let mut changes: HashMap<_, Vec<Change<'_>>> = HashMap::new();
        for (at, template) in correlated.chain(given) {
            let own = changes.entry((at.entry, &at.place)).or_default();
            let is_free = own.iter().all(|(span, _)| at.span.end <= span.start || span.end <= at.span.start);
            if is_free {
                own.push((at.span.clone(), template.as_str()));
            }
        }
        for own in changes.values_mut() {
            own.sort_by_key(|(span, _)| span.start);
        }
        Self(changes)
    }

    /// Whether anything at this place is replaced.
    pub(super) fn has(&self, entry: usize, place: &ValueLocation) -> bool {
        self.0.contains_key(&(entry, place))
    }

    /// Whether all of this place, which has so many bytes, is replaced by one variable.
    pub(super) fn has_whole(&self, entry: usize, place: &ValueLocation, length: usize) -> bool {
        let own = self.0.get(&(entry, place)).map_or(&[][..], Vec::as_slice);
        matches!(own, [(span, _)] if *span == (0..length))
    }

    /// Whether anything in the request is replaced but what a browser writes by itself.
    pub(super) fn has_any(&self, entry: usize) -> bool {
        let is_own = |place: &ValueLocation| {
            !matches!(place, ValueLocation::Cookie(_)) && *place != ValueLocation::Header("referer".into())
        };
        self.0.keys().any(|(own, place)| *own == entry && is_own(place))
    }

    /// Whether anything in the body is replaced.
    pub(super) fn has_in_body(&self, entry: usize) -> bool {
        let is_body = |place: &ValueLocation| {
            matches!(place, ValueLocation::Field(..) | ValueLocation::Json(_) | ValueLocation::Body)
        };
        self.0.keys().any(|(own, place)| *own == entry && is_body(place))
    }

    /// The value at a place as a template; texts between the variables are written by `write`.
    pub(super) fn fill(
        &self,
        entry: usize,
        place: &ValueLocation,
        value: &str,
        write: impl Fn(&str) -> String,
    ) -> String {
        let mut out = String::new();
        let mut at = 0;
        for (span, template) in self.0.get(&(entry, place)).into_iter().flatten() {
            // Spans of another recording's values would be a mistake of the program: the value stays.
            let (Some(before), Some(_)) = (value.get(at..span.start), value.get(span.clone())) else {
                continue;
            };
            out.push_str(&write(before));
            out.push_str(template);
            at = span.end;
        }
        out.push_str(&write(&value[at..]));
        out
    }

    /// The value at a place as a template.
    pub(super) fn text(&self, entry: usize, place: &ValueLocation, value: &str) -> String {
        self.fill(entry, place, value, literal)
    }

    /// The value at a place as a template for a path, percent-encoded.
    pub(super) fn encoded(&self, entry: usize, place: &ValueLocation, value: &str) -> String {
        self.fill(entry, place, value, |text| literal(&percent::encode(text)))
    }
}

/// A path or URL as written, with what cannot stand in a request line percent-encoded.
pub(super) fn clean(url: &str) -> String {
    percent::encode_but(url.as_bytes(), |byte| byte.is_ascii_graphic())
}
