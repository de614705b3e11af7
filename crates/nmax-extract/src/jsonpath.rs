//! JSONPath (RFC 9535): read once without going back, applied to a [`Json`] node by node.
//!
//! Both sides are bounded: a path in depth and parts, so neither reading nor applying it can overflow the stack; its
//! application in nodes looked at, by the reply's budget. Nodes are handed out one by one, so `$..*..*` takes time that
//! the budget ends, and no memory.

use crate::budget::Budget;
use crate::json::{Json, Value};

mod apply;
mod read;

/// Deepest nesting of brackets and parentheses, as in a plan's YAML.
pub const DEPTH_MAX: usize = 100;
/// Most segments, selectors and operands of a path.
pub const PARTS_MAX: usize = 1_000;

/// A path that was read.
#[derive(Debug)]
pub struct JsonPath {
    segments: Vec<Segment>,
}

impl JsonPath {
    /// Reads a path. O(length).
    ///
    /// # Errors
    /// What is wrong with it and where, for a person.
    pub fn read(path: &str) -> Result<Self, String> {
        read::path(path).map(|segments| Self { segments })
    }

    /// Hands out the nodes that it selects, in order, until `found` says that it has enough or the budget is used up.
    pub(crate) fn apply<'j>(&self, json: &'j Json<'j>, budget: &Budget<'_>, mut found: impl FnMut(Value<'j>) -> bool) {
        let _ = apply::Work { root: json.root(), budget }.walk(&self.segments, json.root(), &mut found);
    }
}

/// One step down: selectors that are applied to a node, or to it and all below it.
#[derive(Debug)]
struct Segment {
    descends: bool,
    selectors: Vec<Selector>,
}

#[derive(Debug)]
enum Selector {
    Name(String),
    Wild,
    Index(i64),
    Slice { start: Option<i64>, end: Option<i64>, step: i64 },
    Filter(Test),
}

/// What a filter asks of each child.
#[derive(Debug)]
enum Test {
    Any(Vec<Test>),
    All(Vec<Test>),
    Not(Box<Test>),
    Exists(Query),
    Compare(Operand, Comparison, Operand),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A path within a filter.
#[derive(Debug)]
struct Query {
    /// It begins at the root, and not at the child.
    is_absolute: bool,
    segments: Vec<Segment>,
}

/// What gives one value, or nothing.
#[derive(Debug)]
enum Operand {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    Query(Query),
    Length(Box<Operand>),
    Count(Query),
    ValueOf(Query),
}

/// A number, whole ones exactly.
#[derive(Clone, Copy, Debug)]
enum Number {
    Whole(i128),
    Other(f64),
}

impl Number {
    fn read(text: &str) -> Option<Self> {
        let whole = text.parse().ok().map(Self::Whole);
        whole.or_else(|| text.parse().ok().map(Self::Other))
    }

    fn as_f64(self) -> f64 {
        match self {
            Self::Whole(number) => number as f64,
            Self::Other(number) => number,
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(std::cmp::Ordering::Equal)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Self::Whole(own), Self::Whole(other)) => Some(own.cmp(other)),
            _ => self.as_f64().partial_cmp(&other.as_f64()),
        }
    }
}

#[cfg(test)]
mod tests;
