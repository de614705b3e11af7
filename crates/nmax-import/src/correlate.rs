//! Values that the server gave and the user sent back: found by evidence, not by name.

use nmax_plan::plan::{MatchPick, Source};

use crate::journey::Journey;
use crate::parts::Use;
use crate::recording::Recording;

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
    pub source: Source,
    /// Which of several matches.
    pub pick: MatchPick,
    /// Where it is sent back, with the template that writes it there (`${csrf}`, `${base64(token)}`).
    pub uses: Vec<(Use, String)>,
    /// How sure it is that it must be fresh.
    pub state: State,
    /// Why, in words: entropy, places, whether a second recording had another value.
    pub evidence: String,
}

/// How sure it is that a value must be fresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Found in one recording.
    Found,
    /// A second recording had another value in the same places.
    Changes,
    /// A second recording had the same value: it may be a constant.
    Same,
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
/// O(size of the recordings).
pub fn correlate(recording: &Recording, journey: &Journey, again: Option<(&Recording, &Journey)>) -> Correlations {
    let _ = (recording, journey, again);
    Correlations::default()
}
