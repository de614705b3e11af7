//! A condition on columns: which rows of a chunk it holds for.
//!
//! A comparison with an unknown value does not hold, and `!=` and `!~` are the opposites of `=` and `~`; so every condition
//! is true or false of every row. `= none` asks for the unknown.

use std::collections::HashMap;

use regex::Regex;

use crate::column::{Chunk, Kind, NO_TEXT, Schema, UNKNOWN, Values};
use crate::error::instead_of;
use crate::lexer::Operator;
use crate::syntax::{Comparison, Tree};
use crate::tag::{self, Tag, pattern_of};
use crate::{SliceError, literal};

/// The word for what is not known.
const NONE: &str = "none";

/// Where values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A column of the source.
    Column(usize),
    /// A tag.
    Tag(usize),
}

/// What names mean.
pub(crate) struct Scope<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) tags: &'a [Tag],
}

impl Scope<'_> {
    /// Where the values of a name come from, and their kind.
    pub(crate) fn find(&self, part: &str, name: &str) -> Result<(Origin, Kind), SliceError> {
        if let Some(index) = self.schema.find(name) {
            return Ok((Origin::Column(index), self.schema.columns[index].kind));
        }
        if let Some(index) = self.tags.iter().position(|tag| tag.name == name) {
            return Ok((Origin::Tag(index), tag::KIND));
        }
        let columns = self.schema.columns.iter().map(|column| column.name);
        let known: Vec<&str> = columns.chain(self.tags.iter().map(|tag| tag.name.as_str())).collect();
        let text = format!("{} has no column `{name}`", self.schema.source);
        Err(SliceError::new(part, text, instead_of(name, &known)))
    }
}

/// A chunk and what its tags made of it.
pub(crate) struct Frame<'a> {
    pub(crate) chunk: &'a Chunk,
    tags: Vec<Values>,
}

impl<'a> Frame<'a> {
    pub(crate) fn new(chunk: &'a Chunk, tags: &[Tag]) -> Self {
        Self { chunk, tags: tags.iter().map(|tag| tag.values(chunk)).collect() }
    }

    /// The values of a column or tag; `None` where the source did not bring them.
    pub(crate) fn values(&self, origin: Origin) -> Option<&Values> {
        match origin {
            Origin::Column(index) => self.chunk.columns.get(index)?.as_ref(),
            Origin::Tag(index) => self.tags.get(index),
        }
    }
}

/// A condition on columns.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    Any(Vec<Self>),
    All(Vec<Self>),
    Not(Box<Self>),
    Test(Origin, Test),
}

/// What is asked of one value.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Known(bool),
    Number(Operator, i64),
    Text(bool, String),
    Pattern(bool, Regex),
}

/// Binds a tree to columns. Every error of it is in `errors`.
pub(crate) fn bind(part: &str, tree: &Tree, scope: &Scope<'_>, errors: &mut Vec<SliceError>) -> Condition {
    let mut all = |trees: &[Tree]| trees.iter().map(|tree| bind(part, tree, scope, errors)).collect();
    match tree {
        Tree::Any(trees) => Condition::Any(all(trees)),
        Tree::All(trees) => Condition::All(all(trees)),
        Tree::Not(tree) => Condition::Not(Box::new(bind(part, tree, scope, errors))),
        Tree::Compare(comparison) => test(part, comparison, scope).unwrap_or_else(|error| {
            errors.push(error);
            Condition::All(Vec::new())
        }),
    }
}

fn test(part: &str, comparison: &Comparison, scope: &Scope<'_>) -> Result<Condition, SliceError> {
    let Comparison { column, operator, value, is_quoted } = comparison;
    let (origin, kind) = scope.find(part, &column.0).map_err(|error| error.at(column.1))?;
    let wrong =
        |(text, remedy): (String, String)| SliceError::new(part, format!("{}: {text}", column.0), remedy).at(value.1);
    let is_positive = matches!(operator, Operator::Equal | Operator::Matches);
    let test = match operator {
        Operator::Matches | Operator::NotMatches => {
            let pattern = pattern_of(part, &value.0).map_err(|error| error.at(value.1))?;
            Test::Pattern(is_positive, pattern)
        }
        Operator::Equal | Operator::NotEqual if value.0 == NONE && !is_quoted => Test::Known(!is_positive),
        Operator::Equal | Operator::NotEqual if kind == Kind::Text => Test::Text(is_positive, value.0.clone()),
        _ if kind == Kind::Text => {
            let text = format!("texts have no order, so `{}` says nothing", operator.text());
            return Err(
                SliceError::new(part, format!("{}: {text}", column.0), "compare it by = != ~ or !~").at(value.1)
            );
        }
        _ => Test::Number(
            *operator,
            literal::number(kind, &value.0).map_err(wrong).map_err(|error| classed(error, column, &value.0))?,
        ),
    };
    Ok(Condition::Test(origin, test))
}

/// `status=5xx` means the class.
fn classed(mut error: SliceError, column: &(String, usize), value: &str) -> SliceError {
    if column.0 == "status" && value.to_ascii_lowercase().ends_with("xx") {
        error.remedy = format!("write `class = {}`, or `status >= 500`", value.to_ascii_lowercase());
    }
    error
}

impl Condition {
    /// Columns of the source that it looks at itself.
    pub(crate) fn origins(&self, found: &mut Vec<Origin>) {
        match self {
            Self::Any(parts) | Self::All(parts) => parts.iter().for_each(|part| part.origins(found)),
            Self::Not(part) => part.origins(found),
            Self::Test(origin, _) => found.push(*origin),
        }
    }

    /// The numbers that a column is compared with.
    pub(crate) fn numbers(&self, column: Origin) -> Vec<i64> {
        match self {
            Self::Any(parts) | Self::All(parts) => parts.iter().flat_map(|part| part.numbers(column)).collect(),
            Self::Not(part) => part.numbers(column),
            Self::Test(origin, Test::Number(_, number)) if *origin == column => vec![*number],
            Self::Test(..) => Vec::new(),
        }
    }

    /// For which rows it holds.
    pub(crate) fn mask(&self, frame: &Frame<'_>) -> Vec<bool> {
        let rows = frame.chunk.rows;
        match self {
            Self::Not(part) => part.mask(frame).into_iter().map(|holds| !holds).collect(),
            Self::Any(parts) => joined(parts, frame, false, |a, b| a | b),
            Self::All(parts) => joined(parts, frame, true, |a, b| a & b),
            Self::Test(origin, test) => match frame.values(*origin) {
                Some(values) => test.mask(values),
                None => vec![test.holds_of_unknown(); rows],
            },
        }
    }

    /// The half-open span of a number column outside of which it never holds, where its parts on this column stand side by
    /// side; `None` where `or` or `not` stand around one.
    pub(crate) fn bounds(&self, column: Origin) -> Option<(i64, i64)> {
        const ALL: (i64, i64) = (i64::MIN, i64::MAX);
        match self {
            Self::All(parts) => parts.iter().try_fold(ALL, |(low, high), part| {
                let (from, to) = part.bounds(column)?;
                Some((low.max(from), high.min(to)))
            }),
            Self::Any(_) | Self::Not(_) => {
                let mut found = Vec::new();
                self.origins(&mut found);
                (!found.contains(&column)).then_some(ALL)
            }
            Self::Test(origin, _) if *origin != column => Some(ALL),
            Self::Test(_, Test::Number(operator, value)) => match operator {
                Operator::Less => Some((i64::MIN, *value)),
                Operator::AtMost => Some((i64::MIN, value.saturating_add(1))),
                Operator::More => Some((value.saturating_add(1), i64::MAX)),
                Operator::AtLeast => Some((*value, i64::MAX)),
                _ => None,
            },
            Self::Test(..) => None,
        }
    }
}

fn joined(parts: &[Condition], frame: &Frame<'_>, neutral: bool, join: fn(bool, bool) -> bool) -> Vec<bool> {
    let mut masks = parts.iter().map(|part| part.mask(frame));
    let mut all = masks.next().unwrap_or_else(|| vec![neutral; frame.chunk.rows]);
    for mask in masks {
        all.iter_mut().zip(mask).for_each(|(all, one)| *all = join(*all, one));
    }
    all
}

impl Test {
    fn holds_of_unknown(&self) -> bool {
        match self {
            Self::Known(wanted) | Self::Text(wanted, _) | Self::Pattern(wanted, _) => !wanted,
            Self::Number(operator, _) => *operator == Operator::NotEqual,
        }
    }

    fn mask(&self, values: &Values) -> Vec<bool> {
        match values {
            Values::Numbers(numbers) => self.of_numbers(numbers),
            Values::Texts { ids, names } => {
                let unknown = self.holds_of_unknown();
                // A dictionary may be larger than a chunk needs.
                let mut known: Vec<Option<bool>> = vec![None; names.len()];
                let mut holds = |id: u32| match known.get_mut(id as usize) {
                    Some(slot) => *slot.get_or_insert_with(|| self.of_text(&names[id as usize])),
                    None => unknown,
                };
                debug_assert!(names.len() < NO_TEXT as usize);
                ids.iter().map(|id| holds(*id)).collect()
            }
        }
    }

    fn of_text(&self, text: &str) -> bool {
        match self {
            Self::Known(wanted) => *wanted,
            Self::Text(wanted, value) => (text == value) == *wanted,
            Self::Pattern(wanted, pattern) => pattern.is_match(text) == *wanted,
            Self::Number(operator, _) => *operator == Operator::NotEqual,
        }
    }

    fn of_numbers(&self, numbers: &[i64]) -> Vec<bool> {
        let each = |holds: &dyn Fn(i64) -> bool| numbers.iter().map(|number| holds(*number)).collect();
        match self {
            Self::Known(wanted) => each(&|number| (number != UNKNOWN) == *wanted),
            Self::Text(wanted, _) => vec![!wanted; numbers.len()],
            Self::Pattern(wanted, pattern) => {
                let mut known: HashMap<i64, bool> = HashMap::new();
                let mut holds = |number: i64| match number {
                    UNKNOWN => !wanted,
                    _ => *known.entry(number).or_insert_with(|| pattern.is_match(&number.to_string()) == *wanted),
                };
                numbers.iter().map(|number| holds(*number)).collect()
            }
            Self::Number(operator, value) => {
                let value = *value;
                // A closure each, so that the compiler makes a loop of its own of each.
                match operator {
                    Operator::Equal => numbers.iter().map(|n| *n == value).collect(),
                    Operator::NotEqual => numbers.iter().map(|n| *n != value).collect(),
                    Operator::Less => numbers.iter().map(|n| *n != UNKNOWN && *n < value).collect(),
                    Operator::AtMost => numbers.iter().map(|n| *n != UNKNOWN && *n <= value).collect(),
                    Operator::More => numbers.iter().map(|n| *n > value).collect(),
                    Operator::AtLeast => numbers.iter().map(|n| *n >= value).collect(),
                    Operator::Matches | Operator::NotMatches => vec![false; numbers.len()],
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
