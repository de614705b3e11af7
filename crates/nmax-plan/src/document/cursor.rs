//! Reading single values of the tree: each function reports what is wrong and goes on.

use std::time::Duration;

use nmax_metrics::Metric;
use nmax_text::meant;

use super::Options;
use super::keys::{Shape, Table, Words, keywords};
use super::tree::{Entry, Node, NodePosition, Problem, Scalar, Value};
use crate::foreign;
use crate::template::{Names, Template};
use crate::units::{self, UnitError};

/// Collects problems while the tree is read.
pub struct Decoder<'a> {
    /// What the command adds.
    pub options: &'a Options<'a>,
    pub(crate) problems: Vec<Problem>,
    /// Metrics of the user's own until now.
    pub(crate) metrics: Vec<Metric>,
}

/// A map that was checked against its table.
#[derive(Clone, Copy)]
pub struct Fields<'n> {
    /// Where the map is.
    pub at: NodePosition,
    entries: &'n [Entry],
    table: &'static Table,
}

impl<'n> Fields<'n> {
    /// The value of a key of the table; `None` when it is absent or empty.
    pub fn get(&self, name: &str) -> Option<&'n Node> {
        self.entry(name).map(|entry| &entry.value)
    }

    /// Sets a value to what a key says, if it is there and right.
    pub fn set<T>(&self, value: &mut T, name: &str, read: impl FnOnce(&Node) -> Option<T>) {
        if let Some(read) = self.get(name).and_then(read) {
            *value = read;
        }
    }

    /// What a key says that may be absent; `None` when it is wrong.
    pub fn optional<T>(&self, name: &str, read: impl FnOnce(&Node) -> Option<T>) -> Option<Option<T>> {
        self.get(name).map_or(Some(None), |node| read(node).map(Some))
    }

    /// Those of these keys that are there, in the order of the document.
    pub fn in_order(&self, names: &[&str]) -> Vec<&'n Entry> {
        let mut entries: Vec<&Entry> = names.iter().filter_map(|name| self.entry(name)).collect();
        entries.sort_by_key(|entry| entry.key_at);
        entries
    }

    /// Whether its table has this key.
    pub fn knows(&self, name: &str) -> bool {
        self.table.keys.iter().any(|key| key.name == name)
    }

    /// The keys of the table that are there, without this one.
    pub fn others(&self, name: &str) -> Vec<&'n Entry> {
        let names: Vec<&str> = self.table.keys.iter().map(|key| key.name).collect();
        let mut entries = self.in_order(&names);
        entries.retain(|entry| entry.key != name);
        entries
    }

    /// Whether one of the keys, reported already, is likely this one.
    pub fn is_misspelled(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| self.table.suggestion(&entry.key) == Some(name))
    }

    /// The key with its place.
    pub fn entry(&self, name: &str) -> Option<&'n Entry> {
        debug_assert!(
            self.table.keys.iter().any(|key| key.name == name),
            "`{name}` is not in the table of {}",
            self.table.what
        );
        let entry = self.entries.iter().find(|entry| entry.key == name)?;
        let any = self.table.keys.iter().any(|key| key.name == name && matches!(key.shape, Shape::Any));
        (any || entry.value.value != Value::Null).then_some(entry)
    }
}

/// What becomes of a value whose problem was reported.
pub struct Refused;

impl Refused {
    /// No value, of the type that was wanted.
    pub const fn none<T>(self) -> Option<T> {
        None
    }
}

impl<'a> Decoder<'a> {
    /// Reports what is wrong at a place, and what to do.
    pub fn wrong(&mut self, at: NodePosition, message: impl Into<String>, remedy: impl Into<String>) -> Refused {
        self.problems.push(Problem { at, message: message.into(), remedy: remedy.into() });
        Refused
    }

    /// The one of these keys that is given. A second is a conflict, told as `both` says of the two; without any the value is
    /// incomplete, told as `none` says, unless one of them was misspelled, which was reported.
    pub fn only<'n>(
        &mut self,
        fields: Fields<'n>,
        keys: &[&str],
        both: impl FnOnce(&Entry, &Entry) -> (String, &'static str),
        none: (&str, &str),
    ) -> Option<&'n Entry> {
        match fields.in_order(keys).as_slice() {
            [only] => Some(only),
            [first, second, ..] => {
                let (message, remedy) = both(first, second);
                self.wrong(second.key_at, message, remedy).none()
            }
            [] if keys.iter().any(|key| fields.is_misspelled(key)) => None,
            [] => self.wrong(fields.at, none.0, none.1).none(),
        }
    }

    /// Checks a map's keys against the table.
    pub fn fields<'n>(&mut self, node: &'n Node, table: &'static Table) -> Option<Fields<'n>> {
        let Value::Map(entries) = &node.value else {
            let keys: Vec<&str> = table.keys.iter().map(|key| key.name).take(6).collect();
            let message = format!("{} is a map, this is {}", table.what, node.describe());
            return self.wrong(node.at, message, format!("write keys such as: {}", keys.join(", "))).none();
        };
        for entry in entries {
            self.known(entry, table);
        }
        let fields = Fields { at: node.at, entries, table };
        for key in table.keys.iter().filter(|key| key.required) {
            if !entries.iter().any(|entry| entry.key == key.name) && !fields.is_misspelled(key.name) {
                let message = format!("{} has no `{}`", table.what, key.name);
                self.wrong(node.at, message, format!("add `{}: ...`. {}", key.name, key.about));
            }
        }
        Some(fields)
    }

    fn known(&mut self, entry: &Entry, table: &'static Table) {
        let name = entry.key.as_str();
        if let Some(key) = table.keys.iter().find(|key| key.name == name) {
            if entry.value.value == Value::Null && !matches!(key.shape, Shape::Any) {
                self.wrong(
                    entry.key_at,
                    format!("`{name}` has no value"),
                    format!("write one, or remove the key. {}", key.about),
                );
            }
        } else if let Some((_, instead)) = table.later.iter().find(|(later, _)| *later == name) {
            self.wrong(
                entry.key_at,
                format!("`{name}` in {} is not supported yet by this version", table.what),
                *instead,
            );
        } else {
            let names: Vec<&str> = table.keys.iter().map(|key| key.name).collect();
            let remedy =
                foreign::key(table.what, name).map_or_else(|| meant(name, &names, "known keys are"), str::to_owned);
            self.wrong(entry.key_at, format!("{} has no key `{name}`", table.what), remedy);
        }
    }

    /// A map whose keys the user chooses.
    pub fn map<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Entry] {
        if let Value::Map(entries) = &node.value {
            return entries;
        }
        self.wrong(node.at, format!("{what} is a map, this is {}", node.describe()), "write `NAME: VALUE` lines");
        &[]
    }

    /// The items of a list.
    pub fn list<'n>(&mut self, node: &'n Node, what: &str) -> &'n [Node] {
        if let Value::List(items) = &node.value {
            return items;
        }
        self.wrong(
            node.at,
            format!("{what} is a list, this is {}", node.describe()),
            "write one item per line, each after `- `",
        );
        &[]
    }

    /// A single value, or each of a list.
    pub fn one_or_many<'n>(&mut self, node: &'n Node) -> &'n [Node] {
        match &node.value {
            Value::List(items) => items,
            _ => std::slice::from_ref(node),
        }
    }

    fn scalar<'n>(&mut self, node: &'n Node) -> Option<&'n Scalar> {
        if let Value::Scalar(scalar) = &node.value {
            return Some(scalar);
        }
        self.wrong(
            node.at,
            format!("expected a single value, found {}", node.describe()),
            "write one value; quote texts with special characters",
        )
        .none()
    }

    /// A text as it is written.
    pub fn text(&mut self, node: &Node) -> Option<String> {
        self.scalar(node).map(|scalar| scalar.text.clone())
    }

    /// A text in which `${env.NAME}` is replaced.
    pub fn expanded(&mut self, node: &Node) -> Option<String> {
        let scalar = self.scalar(node)?;
        if !scalar.text.contains("${env.") {
            return Some(scalar.text.clone());
        }
        let template = self.template(node, &Names::of_environment(self.options.env))?;
        template.as_constant().map(str::to_owned)
    }

    /// A text with holes.
    pub(crate) fn template(&mut self, node: &Node, names: &Names) -> Option<Template> {
        let scalar = self.scalar(node)?;
        self.template_of(&scalar.text, node.at, scalar.shift, names)
    }

    /// A text with holes that begins `shift` characters after `at`.
    pub(crate) fn template_of(
        &mut self,
        text: &str,
        at: NodePosition,
        shift: Option<u32>,
        names: &Names,
    ) -> Option<Template> {
        match Template::parse(text, names) {
            Ok(template) => Some(template),
            Err(errors) => {
                for error in errors {
                    let offset = shift.map_or(0, |shift| shift.saturating_add(error.offset as u32));
                    let at = NodePosition { column: at.column.saturating_add(offset), ..at };
                    self.wrong(at, error.message, error.remedy);
                }
                None
            }
        }
    }

    /// A text that `parse` understands.
    pub fn unit<T>(&mut self, node: &Node, parse: fn(&str) -> Result<T, UnitError>) -> Option<T> {
        let text = self.expanded(node)?;
        match parse(&text) {
            Ok(value) => Some(value),
            Err(error) => self.wrong(node.at, error.message, error.remedy).none(),
        }
    }

    /// A duration, such as `30s`.
    pub fn duration(&mut self, node: &Node) -> Option<Duration> {
        self.unit(node, units::parse_duration)
    }

    /// A duration above zero.
    pub fn duration_above_zero(&mut self, node: &Node) -> Option<Duration> {
        let duration = self.duration(node)?;
        if duration.is_zero() {
            return self.wrong(node.at, "the duration is zero", "write a duration above zero, such as `30s`").none();
        }
        Some(duration)
    }

    /// The name of a file that is there.
    pub fn file(&mut self, node: &Node) -> Option<String> {
        let file = self.expanded(node)?;
        if let Err(why) = (self.options.exists)(&file) {
            self.wrong(node.at, format!("cannot read `{file}`: {why}"), "write its path relative to the plan");
        }
        Some(file)
    }

    /// A rate per second, such as `200/s`.
    pub fn rate(&mut self, node: &Node) -> Option<f64> {
        self.unit(node, units::parse_rate)
    }

    /// Bytes, such as `64kB`.
    pub fn size(&mut self, node: &Node) -> Option<u64> {
        self.unit(node, units::parse_size)
    }

    /// A share from 0 to 1, written as `30%`.
    pub fn share(&mut self, node: &Node) -> Option<f64> {
        self.unit(node, units::parse_share)
    }

    /// A whole number in this range.
    pub fn whole(&mut self, node: &Node, min: u64, max: u64) -> Option<u64> {
        let text = self.expanded(node)?;
        match text.parse::<u64>() {
            Ok(number) if (min..=max).contains(&number) => Some(number),
            _ => {
                let message = format!("`{text}` is not a whole number from {min} to {max}");
                self.wrong(node.at, message, "write the digits only").none()
            }
        }
    }

    /// A number from 0 to 10^12.
    pub fn number(&mut self, node: &Node) -> Option<f64> {
        let text = self.expanded(node)?;
        let plain = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        match text.parse::<f64>() {
            Ok(number) if plain && number <= 1e12 => Some(number),
            _ => self
                .wrong(
                    node.at,
                    format!("`{text}` is not a number from 0 to 10^12"),
                    "write a number such as `90` or `0.5`",
                )
                .none(),
        }
    }

    /// `true` or `false`.
    pub fn bool(&mut self, node: &Node) -> Option<bool> {
        self.choose(node, &[("true", true), ("false", false)])
    }

    /// One of a few words.
    pub fn choose<T: Copy>(&mut self, node: &Node, choices: Words<T>) -> Option<T> {
        let text = self.expanded(node)?;
        if let Some((_, value)) = choices.iter().find(|(word, _)| *word == text) {
            return Some(*value);
        }
        self.not_a_choice(node.at, &text, &keywords(choices)).none()
    }

    /// Reports a word that is none of the choices.
    pub fn not_a_choice(&mut self, at: NodePosition, text: &str, choices: &[&str]) -> Refused {
        self.wrong(at, format!("`{text}` is not a choice here"), meant(text, choices, "write one of"))
    }

    /// A name of the user's choice that appears in `${...}`.
    pub(crate) fn identifier(&mut self, entry: &Entry, what: &str, reserved: &[&str]) {
        self.name(&entry.key, entry.key_at, what, reserved);
    }

    /// A name like that of [`Self::identifier`], which is at this place.
    pub(crate) fn name(&mut self, name: &str, at: NodePosition, what: &str, reserved: &[&str]) {
        let legal =
            name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) && !name.is_empty() && name.len() <= 64;
        if !legal {
            self.wrong(
                at,
                format!("`{name}` cannot be the name of {what}"),
                "use up to 64 letters, digits, `_` and `-`",
            );
        } else if reserved.contains(&name) {
            self.wrong(
                at,
                format!("`{name}` has a meaning of its own, so it cannot name {what}"),
                format!("choose another name, such as `my-{name}`"),
            );
        }
    }
}
