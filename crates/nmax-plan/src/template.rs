//! Text with `${...}` holes, parsed once, rendered into a reused buffer.
//!
//! `${slot}`, `${feeder.column}`, `${iteration}` and `${vu}` are filled per exchange;
//! `${env.NAME}` is resolved when the plan is read; `$$` is a dollar sign. A dollar sign before anything
//! else is itself. Parsing is O(length); rendering allocates only when the buffer must grow.

use crate::nearest::nearest;
use crate::plan::Feeder;

mod function;
pub use function::Function;

mod render;
pub use render::{Escape, Values};

/// Names that are no slots.
pub const RESERVED_NAMES: [&str; 3] = ["iteration", "vu", "env"];

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
    /// Its arguments, as many as it takes.
    pub arguments: Vec<Template>,
}

impl Template {
    /// A template without holes.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Text(text.into())],
        }
    }

    /// Parses `text`; all errors at once.
    pub fn parse(text: &str, names: &Names) -> Result<Self, Vec<TemplateError>> {
        let mut parser = Parser {
            names,
            parts: Vec::new(),
            errors: Vec::new(),
        };
        parser.run(text);
        if parser.errors.is_empty() {
            Ok(Self { parts: parser.parts })
        } else {
            Err(parser.errors)
        }
    }

    /// The text that parses to this template again, given the names behind its indices.
    pub fn source(&self, slots: &[String], feeders: &[Feeder]) -> String {
        self.write(slots, feeders, "$$")
    }

    /// The text for people: dollar signs are not doubled.
    pub fn display(&self, slots: &[String], feeders: &[Feeder]) -> String {
        self.write(slots, feeders, "$")
    }

    /// Indices without a name, which validated plans do not have, are written as `${?}`.
    fn write(&self, slots: &[String], feeders: &[Feeder], dollar: &str) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(piece) => text.push_str(&piece.replace('$', dollar)),
                Part::Slot(slot) => text.push_str(&format!("${{{}}}", slots.get(*slot).map_or("?", String::as_str))),
                Part::Feeder { feeder, column } => {
                    let feeder = feeders.get(*feeder);
                    let column = feeder
                        .and_then(|feeder| feeder.columns.get(*column))
                        .map_or("?", String::as_str);
                    text.push_str(&format!("${{{}.{column}}}", feeder.map_or("?", |feeder| &feeder.name)));
                }
                Part::Iteration => text.push_str("${iteration}"),
                Part::Vu => text.push_str("${vu}"),
                Part::Shared(slot) => text.push_str(&format!("${{setup.{slot}}}")),
                Part::Call(call) => text.push_str(&format!("${{{}()}}", call.function.name())),
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

/// What a template may refer to.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Slots that earlier steps define; the position is the index of [`Part::Slot`].
    pub slots: &'a [String],
    /// Slots of the whole scenario, for a better message.
    pub slots_later: &'a [String],
    /// Data sources.
    pub feeders: &'a [Feeder],
    /// Environment of the command (`-e NAME=VALUE`).
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// How values of the environment enter the text.
    pub env_format: EnvFormat,
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
    /// Where the hole begins, in characters from the start of the text.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

struct Parser<'a> {
    names: &'a Names<'a>,
    parts: Vec<Part>,
    errors: Vec<TemplateError>,
}

impl Parser<'_> {
    fn run(&mut self, text: &str) {
        let mut rest = text;
        while let Some(dollar) = rest.find('$') {
            self.text(&rest[..dollar]);
            let at = &rest[dollar..];
            let offset = text[..text.len() - at.len()].chars().count();
            if let Some(after) = at.strip_prefix("$$") {
                self.text("$");
                rest = after;
            } else if let Some(inside) = at.strip_prefix("${") {
                let Some(end) = inside.find('}') else {
                    let remedy = "end it with `}`, or write `$$` for a dollar sign";
                    return self.error(offset, "`${` without its `}`".into(), remedy.into());
                };
                self.hole(offset, inside[..end].trim());
                rest = &inside[end + 1..];
            } else {
                self.text("$");
                rest = &at[1..];
            }
        }
        self.text(rest);
    }

    fn text(&mut self, piece: &str) {
        if let Some(Part::Text(text)) = self.parts.last_mut() {
            text.push_str(piece);
        } else if !piece.is_empty() {
            self.parts.push(Part::Text(piece.to_owned()));
        }
    }

    fn error(&mut self, offset: usize, message: String, remedy: String) {
        self.errors.push(TemplateError {
            offset,
            message,
            remedy,
        });
    }

    fn hole(&mut self, offset: usize, name: &str) {
        match name.split_once('.') {
            None if name == "iteration" => self.parts.push(Part::Iteration),
            None if name == "vu" => self.parts.push(Part::Vu),
            None => self.slot(offset, name),
            Some(("env", variable)) => self.env(offset, variable),
            Some((feeder, column)) => self.feeder(offset, feeder, column),
        }
    }

    fn slot(&mut self, offset: usize, name: &str) {
        if let Some(slot) = self.names.slots.iter().position(|slot| slot == name) {
            return self.parts.push(Part::Slot(slot));
        }
        if self.names.slots_later.iter().any(|slot| slot == name) {
            let message = format!("`${{{name}}}` is read before a step defines it");
            return self.error(offset, message, "extract it in an earlier step".into());
        }
        if let Some(feeder) = self.names.feeders.iter().find(|feeder| feeder.name == name) {
            let message = format!("`${{{name}}}` names data without a column");
            let column = feeder.columns.first().map_or("column", String::as_str);
            return self.error(offset, message, format!("write `${{{name}.{column}}}`"));
        }
        let known = self.names.slots.iter().map(String::as_str).chain(RESERVED_NAMES);
        let remedy = match nearest(name, known) {
            Some(near) => format!("did you mean `${{{near}}}`?"),
            None => format!(
                "add `extract: {{ {name}: ... }}` to an earlier step, or write `$${{{name}}}` for the text itself"
            ),
        };
        self.error(offset, format!("`${{{name}}}` is not defined"), remedy);
    }

    fn env(&mut self, offset: usize, variable: &str) {
        let Some(value) = (self.names.env)(variable) else {
            let message = format!("the environment has no `{variable}`");
            return self.error(offset, message, format!("add `-e {variable}=VALUE` to the command"));
        };
        match self.names.env_format {
            EnvFormat::Verbatim => self.text(&value),
            EnvFormat::JsonString => {
                let mut escaped = Vec::new();
                render::escape_into(&mut escaped, &value, Escape::Json);
                self.text(&String::from_utf8_lossy(&escaped));
            }
        }
    }

    fn feeder(&mut self, offset: usize, name: &str, column: &str) {
        let feeders = self.names.feeders;
        let Some(index) = feeders.iter().position(|feeder| feeder.name == name) else {
            let known = feeders.iter().map(|feeder| feeder.name.as_str()).chain(["env"]);
            let remedy = match nearest(name, known) {
                Some(near) => format!("did you mean `${{{near}.{column}}}`?"),
                None => format!("add `{name}: {{ csv: {name}.csv }}` to `data`"),
            };
            return self.error(offset, format!("there is no data named `{name}`"), remedy);
        };
        let columns = &feeders[index].columns;
        if columns.is_empty() {
            return self.parts.push(Part::Feeder {
                feeder: index,
                column: 0,
            }); // its file was reported already
        }
        match columns.iter().position(|known| known == column) {
            Some(column) => self.parts.push(Part::Feeder { feeder: index, column }),
            None => {
                let remedy = match nearest(column, columns.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `${{{name}.{near}}}`?"),
                    None => format!("its columns are: {}", columns.join(", ")),
                };
                self.error(offset, format!("data `{name}` has no column `{column}`"), remedy);
            }
        }
    }
}

#[cfg(test)]
mod tests;
