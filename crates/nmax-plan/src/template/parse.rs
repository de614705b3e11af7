//! Parsing: text to parts. Holes hold a name or a call; calls may hold calls.

use nmax_text::{meant, nearest};

use super::cursor::{Cursor, constant, hole_length, is_call};
use super::render::escape_into;
use super::{Call, EnvFormat, Escape, Function, Names, Part, Template, TemplateError};
use crate::foreign;

/// Deepest nesting of calls.
const CALL_DEPTH_MAX: usize = 8;
/// Arguments after which the rest of a call is not read.
const ARGUMENTS_MAX: usize = 8;
/// Names of which a hole may consist, besides slots.
const WORDS: [&str; 3] = ["iteration", "vu", "target"];

/// The hole cannot be read on; why has been reported.
struct Broken;

/// Where a name stands.
#[derive(Clone, Copy, PartialEq)]
enum NameContext {
    Hole,
    Argument,
}

pub(super) struct Parser<'a> {
    pub names: &'a Names<'a>,
    pub parts: Vec<Part>,
    pub errors: Vec<TemplateError>,
}

impl Parser<'_> {
    pub(super) fn run(&mut self, text: &str) {
        let (mut rest, mut offset) = (text, 0);
        while let Some(dollar) = rest.find('$') {
            self.text(&rest[..dollar]);
            offset += rest[..dollar].chars().count();
            let at = &rest[dollar..];
            let taken = if at.starts_with("$$") {
                self.text("$");
                2
            } else if at.starts_with("${") {
                let Some(length) = hole_length(at) else {
                    return self.unclosed(offset, at);
                };
                self.hole(offset, &at[2..length - 1]);
                length
            } else {
                self.text("$");
                1
            };
            offset += at[..taken].chars().count();
            rest = &at[taken..];
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

    /// Reports what is wrong; there is no part then.
    fn error(&mut self, offset: usize, message: impl Into<String>, remedy: impl Into<String>) -> Option<Part> {
        self.errors.push(TemplateError { offset, message: message.into(), remedy: remedy.into() });
        None
    }

    fn unclosed(&mut self, offset: usize, hole: &str) {
        let remedy = if is_call(&hole[2..]) {
            "close its quotes and brackets and end it with `}`"
        } else {
            "end it with `}`, or write `$$` for a dollar sign"
        };
        self.error(offset, "`${` without its `}`", remedy);
    }

    fn hole(&mut self, offset: usize, inside: &str) {
        if !is_call(inside) {
            match self.name(offset, inside.trim(), NameContext::Hole) {
                Some(Part::Text(text)) => self.text(&text),
                other => self.parts.extend(other),
            }
            return;
        }
        let mut cursor = Cursor::new(inside, offset + 2);
        let Ok(call) = self.call(&mut cursor, 1) else { return };
        cursor.skip_spaces();
        if !cursor.rest().is_empty() {
            let message = format!("`{}` follows the call", cursor.rest().trim_end());
            self.error(cursor.offset(), message, "remove it; texts stand outside of `${...}`");
        }
        self.parts.extend(call.map(|call| Part::Call(Box::new(call))));
    }

    /// `None` when the call is well written but cannot be made; why has been reported.
    fn call(&mut self, cursor: &mut Cursor, depth: usize) -> Result<Option<Call>, Broken> {
        cursor.skip_spaces();
        let offset = cursor.offset();
        let name = cursor.identifier();
        cursor.skip_spaces();
        cursor.eat('(');
        if depth > CALL_DEPTH_MAX {
            let message = format!("calls are nested deeper than {CALL_DEPTH_MAX}");
            self.error(offset, message, "give inner ones a name with `set` in an earlier step");
            return Err(Broken);
        }
        let function = self.function(offset, name);
        let arguments = self.arguments(cursor, name, depth)?;
        let Some(function) = function else { return Ok(None) };
        let (fewest, most) = function.arguments();
        if !(fewest..=most).contains(&arguments.len()) {
            let wanted = match (fewest, most) {
                (0, 0) => "no argument".to_owned(),
                (1, 1) => "1 argument".to_owned(),
                (fewest, most) if fewest == most => format!("{fewest} arguments"),
                (fewest, most) => format!("{fewest} to {most} arguments"),
            };
            let message = format!("`{name}` takes {wanted}, here it has {}", arguments.len());
            self.error(offset, message, format!("write `{}`", function.usage()));
            return Ok(None);
        }
        let (offsets, arguments): (Vec<usize>, Vec<Option<Template>>) = arguments.into_iter().unzip();
        let Some(arguments) = arguments.into_iter().collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        for fault in function.check(&arguments) {
            self.error(offsets[fault.argument], fault.message, fault.remedy);
        }
        Ok(Some(Call { function, arguments }))
    }

    fn function(&mut self, offset: usize, name: &str) -> Option<Function> {
        let found = Function::ALL.into_iter().find(|function| function.name() == name);
        if found.is_none() {
            let remedy = meant(name, &Function::ALL.map(Function::name), "functions are");
            self.error(offset, format!("there is no function `{name}`"), remedy);
        }
        found
    }

    /// Arguments with their offsets, up to and with the closing bracket.
    fn arguments(
        &mut self,
        cursor: &mut Cursor,
        name: &str,
        depth: usize,
    ) -> Result<Vec<(usize, Option<Template>)>, Broken> {
        let mut arguments = Vec::new();
        cursor.skip_spaces();
        if cursor.eat(')') {
            return Ok(arguments);
        }
        while arguments.len() < ARGUMENTS_MAX {
            cursor.skip_spaces();
            let offset = cursor.offset();
            arguments.push((offset, self.argument(cursor, depth)?));
            cursor.skip_spaces();
            if cursor.eat(')') {
                return Ok(arguments);
            }
            if !cursor.eat(',') {
                let message = format!("the arguments of `{name}` do not go on with `,` or end with `)`");
                let remedy = "separate them by `,` and end them with `)`; texts stand in quotes";
                self.error(cursor.offset(), message, remedy);
                return Err(Broken);
            }
        }
        let message = format!("`{name}` has more than {ARGUMENTS_MAX} arguments");
        self.error(cursor.offset(), message, "no function takes that many");
        Err(Broken)
    }

    fn argument(&mut self, cursor: &mut Cursor, depth: usize) -> Result<Option<Template>, Broken> {
        let offset = cursor.offset();
        if let Some(text) = cursor.quoted() {
            return Ok(Some(constant(text)));
        }
        if is_call(cursor.rest()) {
            let call = self.call(cursor, depth + 1)?;
            return Ok(call.map(|call| Template { parts: vec![Part::Call(Box::new(call))] }));
        }
        let name = cursor.bare();
        if name.is_empty() {
            self.error(offset, "an argument is missing", "write a 'text' in quotes, a number or a name");
            return Err(Broken);
        }
        if is_number(name) {
            return Ok(Some(Template::text(name)));
        }
        Ok(self.name(offset, name, NameContext::Argument).map(|part| match part {
            Part::Text(text) => constant(text),
            hole => Template { parts: vec![hole] },
        }))
    }

    fn name(&mut self, offset: usize, name: &str, place: NameContext) -> Option<Part> {
        if let Some(ours) = foreign::variable(name).filter(|_| self.names.slot(name).is_none()) {
            return self.error(offset, format!("`${{{name}}}` is not defined"), ours);
        }
        match name.split_once('.') {
            None if name == "iteration" => Some(Part::Iteration),
            None if name == "vu" => Some(Part::Vu),
            None => self.slot(offset, name, place),
            Some(("env", variable)) => self.env(offset, variable, place),
            Some(("setup", slot)) => self.shared(offset, slot),
            Some((feeder, column)) => self.feeder(offset, feeder, column),
        }
    }

    fn slot(&mut self, offset: usize, name: &str, place: NameContext) -> Option<Part> {
        if let Some(slot) = self.names.slot(name) {
            return Some(Part::Slot(slot));
        }
        let is_known = |slots: &[String]| slots.iter().any(|slot| slot == name);
        if let Some(target) = self.names.target
            && name == "target"
            && !is_known(self.names.slots)
            && !is_known(self.names.slots_later)
        {
            return Some(Part::Text(target.to_owned()));
        }
        if self.names.slots.iter().any(|slot| slot == name) {
            let message =
                format!("`${{{name}}}` is a value of an iteration, and the teardown comes after the last one");
            return self.error(offset, message, "extract or `set` it in `setup`, or in the teardown itself");
        }
        if self.names.slots_later.iter().any(|slot| slot == name) {
            let message = format!("`${{{name}}}` is read before a step defines it");
            return self.error(offset, message, "extract or `set` it in an earlier step");
        }
        if let Some(feeder) = self.names.feeders.iter().find(|feeder| feeder.name == name) {
            let message = format!("`${{{name}}}` names data without a column");
            let column = feeder.columns.first().map_or("column", String::as_str);
            return self.error(offset, message, format!("write `${{{name}.{column}}}`"));
        }
        if let Some(after) = [("env", "NAME"), ("setup", "NAME")].iter().find(|(word, _)| *word == name) {
            let message = format!("`${{{name}}}` is not complete");
            return self.error(offset, message, format!("write `${{{name}.{}}}`", after.1));
        }
        let known = self.names.slots.iter().map(String::as_str).chain(WORDS);
        let remedy = match (nearest(name, known), place) {
            (Some(near), NameContext::Hole) => format!("did you mean `${{{near}}}`?"),
            (Some(near), NameContext::Argument) => {
                format!("did you mean `{near}`? A text stands in quotes: `'{name}'`")
            }
            (None, NameContext::Hole) => format!(
                "add `extract: {{ {name}: ... }}` to an earlier step, or write `$${{{name}}}` for the text itself"
            ),
            (None, NameContext::Argument) => format!("write `'{name}'` for the text itself"),
        };
        self.error(offset, format!("`${{{name}}}` is not defined"), remedy)
    }

    fn env(&mut self, offset: usize, variable: &str, place: NameContext) -> Option<Part> {
        let Some(value) = (self.names.env)(variable) else {
            let message = format!("the environment has no `{variable}`");
            return self.error(offset, message, format!("add `-e {variable}=VALUE` to the command"));
        };
        // What a function makes of an argument is escaped later, as a whole.
        Some(Part::Text(match (self.names.env_format, place) {
            (EnvFormat::JsonString, NameContext::Hole) => {
                let mut escaped = Vec::new();
                escape_into(&mut escaped, &value, Escape::Json);
                String::from_utf8_lossy(&escaped).into_owned()
            }
            _ => value,
        }))
    }

    fn shared(&mut self, offset: usize, name: &str) -> Option<Part> {
        let Some(shared) = self.names.shared else {
            let message = format!("`${{setup.{name}}}` is read in the setup itself");
            let remedy = format!("write `${{{name}}}` for a value of an earlier step of it");
            return self.error(offset, message, remedy);
        };
        let found = shared.iter().position(|slot| slot == name);
        if found.is_none() {
            let remedy = match nearest(name, shared.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `${{setup.{near}}}`?"),
                None => format!("extract or `set` `{name}` in a step of the plan's `setup`"),
            };
            self.error(offset, format!("the plan's setup defines no `{name}`"), remedy);
        }
        found.map(Part::Shared)
    }

    fn feeder(&mut self, offset: usize, name: &str, column: &str) -> Option<Part> {
        let feeders = self.names.feeders;
        let Some(feeder) = feeders.iter().position(|feeder| feeder.name == name) else {
            let known = feeders.iter().map(|feeder| feeder.name.as_str()).chain(["env", "setup"]);
            let remedy = match nearest(name, known) {
                Some(near) => format!("did you mean `${{{near}.{column}}}`?"),
                None => format!("add `{name}: {{ csv: {name}.csv }}` to `data`"),
            };
            return self.error(offset, format!("there is no data named `{name}`"), remedy);
        };
        let columns = &feeders[feeder].columns;
        if columns.is_empty() {
            return Some(Part::Feeder { feeder, column: 0 }); // its file was reported already
        }
        let found = columns.iter().position(|known| known == column);
        if found.is_none() {
            let remedy = match nearest(column, columns.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `${{{name}.{near}}}`?"),
                None => format!("its columns are: {}", columns.join(", ")),
            };
            self.error(offset, format!("data `{name}` has no column `{column}`"), remedy);
        }
        found.map(|column| Part::Feeder { feeder, column })
    }
}

/// Whether a text without quotes is a number: digits, with or without sign and fraction.
pub(super) fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    match text.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(text),
    }
}
