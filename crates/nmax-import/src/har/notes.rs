//! What was repaired or is missing in a file, counted and said once.

use std::collections::BTreeMap;

/// What was found in an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Note {
    /// Not quite JSON.
    Repaired,
    /// No readable `startedDateTime`.
    NoStart,
    /// A `startedDateTime` without a zone.
    NoZone,
    /// Another zone than the first one's.
    OtherZone,
    /// Neither `time` nor timings.
    NoTime,
    /// Said to be base64, and is not.
    NotBase64,
    /// A list of parameters that is not what was sent.
    ParametersIgnored,
    /// A form of which only the parameters are known.
    FromParameters,
    /// A reply whose body is missing.
    NoBody,
    /// Not modified, or from the cache of the browser.
    Cached,
    /// A value that another tool has blanked.
    Blanked,
}

impl Note {
    /// What it means, for several; goes on from `3 entries (the first: 7)`.
    fn text(self) -> &'static str {
        match self {
            Self::Repaired => "were not quite JSON and repaired",
            Self::NoStart => "have no readable `startedDateTime`; the place behind the one before is taken",
            Self::NoZone => "say their time without a zone, which is taken as UTC",
            Self::OtherZone => "have another zone than the first entry in `startedDateTime`",
            Self::NoTime => "have neither `time` nor timings, so think times after them are too long",
            Self::NotBase64 => "have a body that is said to be base64 and is not; it is taken as a text",
            Self::ParametersIgnored => "list parameters of a body that is not a form; only its text is used",
            Self::FromParameters => "have the fields of a form but not its text, which is put together from them",
            Self::NoBody => {
                "have a reply without its body, so no value can be found in it: browsers forget the bodies of pages that \
                 were left before the export (`nmax record` keeps them), and those above a limit (Firefox: \
                 `devtools.netmonitor.responseBodyLimit`)"
            }
            Self::Cached => {
                "were answered from the browser's cache (or with 304), which a new user does not have; record with \
                 `Disable cache` ticked in the developer tools"
            }
            Self::Blanked => {
                "hold values that another tool has blanked; what was sent there is not known, and cannot be replayed"
            }
        }
    }
}

/// Notes with how many entries have them.
#[derive(Debug, Default)]
pub(super) struct Notes(BTreeMap<Note, (usize, usize)>);

impl Notes {
    /// Counts a note about an entry.
    pub(super) fn add(&mut self, note: Note, number: usize) {
        self.0.entry(note).or_insert((0, number)).0 += 1;
    }

    /// Whether there is a note of this kind.
    pub(super) fn has(&self, note: Note) -> bool {
        self.0.contains_key(&note)
    }

    /// The notes as sentences.
    pub(super) fn sentences(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(note, (count, first))| {
            if *count > 1 {
                return format!("{count} entries (the first: {first}) {}", note.text());
            }
            let (verb, rest) = note.text().split_once(' ').unwrap_or_default();
            let verb = match verb {
                "have" => "has".to_owned(),
                "were" => "was".to_owned(),
                other => format!("{other}s"),
            };
            format!("entry {first} {verb} {rest}")
        })
    }
}
