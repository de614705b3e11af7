//! What becomes of a reply: whether it is ok, and what is taken from it.

use std::time::Duration;

use nmax_metrics::Metric;

use crate::plan::Comparison;
use crate::template::Template;

/// What makes a reply *ok*.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// Accepted status codes, inclusive ranges.
    pub status: Vec<(u16, u16)>,
    /// Checks on body and headers, each counted by name.
    pub checks: Vec<Check>,
}

impl Expect {
    /// Accepted when a step names no status.
    pub const STATUS_DEFAULT: (u16, u16) = (200, 399);

    /// Whether this status is accepted.
    pub fn accepts(&self, status: u16) -> bool {
        self.status.iter().any(|(low, high)| (*low..=*high).contains(&status))
    }

    /// Whether the step itself says which status it accepts.
    pub fn names_status(&self) -> bool {
        self.status != [Self::STATUS_DEFAULT]
    }
}

/// A test on one reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Name in the results.
    pub name: String,
    /// The test.
    pub test: Test,
}

/// What a check tests.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// The body contains this text.
    BodyContains(Template),
    /// The body does not contain this text.
    BodyLacks(Template),
    /// The header is present and contains this text.
    HeaderContains(String, Template),
    /// An extractor finds something.
    Finds(ReplyPart),
    /// What an extractor finds is like this.
    Value(ReplyPart, Wanted),
    /// The response time of the exchange is at most this.
    MaxTime(Duration),
}

/// What the values are to be that an extractor finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// There is one at least.
    Present,
    /// There is none.
    Absent,
    /// There is one at least, and each compares like this with a text.
    Compared(Comparison, Template),
}

/// A value taken from a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Extract {
    /// Index into [`Scenario::slots`].
    pub slot: usize,
    /// Where it comes from.
    pub source: ReplyPart,
    /// Which of several matches.
    pub pick: MatchPick,
    /// Used when nothing matches; without it the iteration fails.
    pub default: Option<String>,
}

/// A number taken from a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// What it is a number of, of all tags.
    pub metric: Metric,
    /// Where it comes from.
    pub source: ReplyPart,
    /// Which of several matches.
    pub pick: MatchPick,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyPart {
    /// Regular expression on the body; its group 1, or the whole match when it has no group.
    Regex(String),
    /// CSS selector; an attribute's value, or the element's text when `None`.
    Css {
        /// Selector.
        selector: String,
        /// Attribute name.
        attribute: Option<String>,
    },
    /// JSONPath (RFC 9535) on a JSON body.
    JsonPath(String),
    /// A header's value.
    Header(String),
    /// A part of what another source finds: the regular expression's group 1, or its whole match when it has no group.
    /// What it does not match is not found.
    Part {
        /// The other source.
        of: Box<ReplyPart>,
        /// Regular expression.
        pattern: String,
    },
}

impl ReplyPart {
    /// The key and the text under which it is written, and the patterns on what is found, one after the other.
    pub(crate) fn parts(&self) -> (&'static str, String, Vec<&str>) {
        let (key, text) = match self {
            Self::Regex(pattern) => ("regex", pattern.clone()),
            Self::Css { selector, attribute: Some(attribute) } => ("css", format!("{selector}@{attribute}")),
            Self::Css { selector, attribute: None } => ("css", selector.clone()),
            Self::JsonPath(path) => ("json", path.clone()),
            Self::Header(name) => ("header", name.clone()),
            Self::Part { of, pattern } => {
                let (key, text, mut patterns) = of.parts();
                patterns.push(pattern);
                return (key, text, patterns);
            }
        };
        (key, text, Vec::new())
    }

    /// In words, such as `css input[name=csrf]@value`.
    pub fn describe(&self) -> String {
        let (key, text, patterns) = self.parts();
        patterns.iter().fold(format!("{key} {text}"), |before, pattern| format!("{before}, match {pattern}"))
    }
}

/// Which of several matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchPick {
    /// The first.
    First,
    /// The last.
    Last,
    /// Any, equally likely, by the plan's choices.
    Random,
    /// The i-th, from 1.
    Nth(usize),
}
