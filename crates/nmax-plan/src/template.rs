//! Text with `${...}` holes, parsed once, rendered into a reused buffer.
//!
//! `${slot}`, `${feeder.column}`, `${iteration}` and `${vu}` are filled per exchange, `${setup.NAME}` is a value of the
//! run's setup; `${env.NAME}` and `${target}` are resolved when the plan is read; `$$` is a dollar sign. A dollar sign before anything
//! else is itself. `${NAME(ARGUMENT, ...)}` calls a function; an argument is a text in quotes, a number, a name as above,
//! or another call. Parsing is O(length); rendering plain holes allocates only when the buffer must grow.

use crate::plan::Feeder;

mod cursor;
pub(crate) use cursor::{hole_length, quote, unquote};

mod function;
pub use function::{Function, is_json_number};

mod parse;
use parse::{Parser, is_number};

mod render;
pub use render::{Escape, Values};

/// Names that are no slots.
pub const RESERVED_NAMES: [&str; 4] = ["iteration", "vu", "env", "setup"];

/// Text with holes.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Template {
    /// Pieces in order; adjacent texts are merged.
    pub parts: Vec<Part>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Sent as it is.
    Text(String),
    /// A value that an earlier step extracted: index into [`crate::plan::Scenario::slots`].
    Slot(usize),
    /// A cell of the iteration's row: indices of feeder and column.
    Feeder {
        /// Index into [`crate::plan::Plan::feeders`].
        feeder: usize,
        /// Index into [`crate::plan::Feeder::columns`].
        column: usize,
    },
    /// The iteration's number in the run, from 0.
    Iteration,
    /// The VU's number, from 0.
    Vu,
    /// A value that the run's setup defined: index into its slots.
    Shared(usize),
    /// What a function makes of its arguments.
    Call(Box<Call>),
}

/// A call of a function: `${hmac('sha256', KEY, TEXT)}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What is called.
    pub function: Function,
    /// Its arguments, as many as it takes; each is one part, or none for the empty text.
    pub arguments: Vec<Template>,
}

impl Template {
    /// A template without holes.
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Text(text.into())] }
    }

    /// Lets `change` change what is written out.
    pub fn change_texts(&mut self, change: &dyn Fn(&mut String)) {
        for part in &mut self.parts {
            if let Part::Text(text) = part {
                change(text);
            }
        }
    }

    /// Parses `text`; all errors at once.
    pub fn parse(text: &str, names: &Names) -> Result<Self, Vec<TemplateError>> {
        let mut parser = Parser { names, parts: Vec::new(), errors: Vec::new() };
        parser.run(text);
        if parser.errors.is_empty() { Ok(Self { parts: parser.parts }) } else { Err(parser.errors) }
    }

    /// The text that parses to this template again.
    pub fn source(&self, labels: Labels) -> String {
        self.write(labels, "$$")
    }

    /// The text for people: dollar signs are not doubled.
    pub fn display(&self, labels: Labels) -> String {
        self.write(labels, "$")
    }

    fn write(&self, labels: Labels, dollar: &str) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(piece) => text.push_str(&piece.replace('$', dollar)),
                hole => {
                    text.push_str("${");
                    labels.write(hole, &mut text);
                    text.push('}');
                }
            }
        }
        text
    }

    /// The text when there is no hole.
    pub fn as_constant(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// The names behind the indices of templates. Indices without a name, which validated plans do not have, are written as
/// `?`.
#[derive(Clone, Copy, Default)]
pub struct Labels<'a> {
    /// Slots of the scenario.
    pub slots: &'a [String],
    /// Data sources.
    pub feeders: &'a [Feeder],
    /// Slots of the run's setup.
    pub shared: &'a [String],
}

impl Labels<'_> {
    /// The inside of a hole; of a text, as an argument.
    fn write(self, part: &Part, out: &mut String) {
        let name = |names: &[String], index: usize| names.get(index).map_or("?", String::as_str).to_owned();
        match part {
            Part::Text(text) if is_number(text) => out.push_str(text),
            Part::Text(text) => out.push_str(&quote(text)),
            Part::Slot(slot) => out.push_str(&name(self.slots, *slot)),
            Part::Feeder { feeder, column } => {
                let feeder = self.feeders.get(*feeder);
                let column = feeder.map_or_else(|| "?".into(), |feeder| name(&feeder.columns, *column));
                out.push_str(&format!("{}.{column}", feeder.map_or("?", |feeder| &feeder.name)));
            }
            Part::Iteration => out.push_str("iteration"),
            Part::Vu => out.push_str("vu"),
            Part::Shared(slot) => out.push_str(&format!("setup.{}", name(self.shared, *slot))),
            Part::Call(call) => {
                out.push_str(call.function.name());
                out.push('(');
                for (index, argument) in call.arguments.iter().enumerate() {
                    out.push_str(if index > 0 { ", " } else { "" });
                    match argument.parts.first() {
                        Some(part) => self.write(part, out),
                        None => out.push_str("''"),
                    }
                }
                out.push(')');
            }
        }
    }
}

/// What a template may refer to.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Slots that earlier steps define; the position is the index of [`Part::Slot`].
    pub slots: &'a [String],
    /// The slots from the first to before the second of these indices cannot be read: those of iterations, in a teardown.
    pub slots_hidden: (usize, usize),
    /// Slots of the whole scenario, for a better message.
    pub slots_later: &'a [String],
    /// Slots of the run's setup; `None` in the setup itself.
    pub shared: Option<&'a [String]>,
    /// Data sources.
    pub feeders: &'a [Feeder],
    /// Scheme, host and port of the target; `None` where they are not known.
    pub target: Option<&'a str>,
    /// Environment of the command (`-e NAME=VALUE`).
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// How values of the environment enter the text.
    pub env_format: EnvFormat,
}

impl<'a> Names<'a> {
    /// No names but those of the environment.
    pub fn of_environment(env: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self {
            slots: &[],
            slots_hidden: (0, 0),
            slots_later: &[],
            shared: None,
            feeders: &[],
            target: None,
            env,
            env_format: EnvFormat::Verbatim,
        }
    }

    /// The slot of this name that can be read.
    pub fn slot(&self, name: &str) -> Option<usize> {
        let is_hidden = |index: usize| (self.slots_hidden.0..self.slots_hidden.1).contains(&index);
        let mut slots = self.slots.iter().enumerate();
        slots.find(|(index, slot)| *slot == name && !is_hidden(*index)).map(|(index, _)| index)
    }

    /// The names alone.
    pub fn labels(&self) -> Labels<'a> {
        Labels { slots: self.slots, feeders: self.feeders, shared: self.shared.unwrap_or_default() }
    }
}

/// How values of the environment enter the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvFormat {
    /// As they are.
    Verbatim,
    /// Escaped for the inside of a JSON string.
    JsonString,
}

/// A hole that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TemplateError {
    /// Where it is, in characters from the start of the text.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

#[cfg(test)]
mod tests;
