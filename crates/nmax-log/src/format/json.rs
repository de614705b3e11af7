//! Lines of JSON: one object per line, of which a map says what its members mean.
//!
//! The reader is more lenient than JSON, because servers paste values into templates: a value may be missing, `\xhh` is an
//! escape, and a comma may follow the object.

mod cursor;
mod guess;
mod map;
mod names;

pub(super) use cursor::Cursor;
pub(super) use guess::guess;
pub(super) use map::{caddy, of_names, of_template};

use self::cursor::Value;
use super::draft::{Coding, Draft};
use super::field::Field;
use super::template::excerpt;
use crate::record::Rejection;

/// Objects in objects beyond this depth are passed over.
const DEPTH_MAX: usize = 8;

/// What the members of the objects mean.
#[derive(Clone, Debug, Default)]
pub(super) struct Json {
    members: Members,
    notes: Vec<String>,
}

/// Members by name.
type Members = Vec<(Box<[u8]>, Member)>;

/// What a member means.
#[derive(Clone, Debug)]
enum Member {
    /// A value; the name is its whole path.
    Value(Field, Box<str>),
    /// An object of which some members mean something.
    Object(Members),
}

impl Json {
    /// What its values mean, with their paths.
    pub(super) fn fields(&self) -> Vec<(&Field, &str)> {
        let mut out = Vec::new();
        collect(&self.members, &mut out);
        out
    }

    /// What a person should know.
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The member at `path` means `field`. A member that means something already keeps its meaning.
    fn insert(&mut self, path: &[String], field: Field) {
        let name: Box<str> = path.join(".").into();
        let mut members = &mut self.members;
        let Some((last, objects)) = path.split_last() else {
            return;
        };
        for key in objects {
            let place = place_of(members, key, || Member::Object(Vec::new()));
            let Member::Object(inner) = place else { return };
            members = inner;
        }
        place_of(members, last, || Member::Value(field, name));
    }

    /// Reads `line` into `draft`. Lines of the server itself, between those of requests, are rejected.
    pub(super) fn read(&self, line: &[u8], draft: &mut Draft) -> Result<(), Rejection> {
        let mut reading = Reading { cursor: Cursor::new(line), draft, has_request: false };
        if !reading.cursor.open_object() {
            return Err(Rejection { reason: "no JSON object begins here".to_owned(), at: reading.cursor.at() });
        }
        reading.object(&self.members, 0)?;
        if !reading.cursor.is_at_end() {
            let at = reading.cursor.at();
            return Err(Rejection { reason: format!("more than one JSON object: `{}`", excerpt(&line[at..])), at });
        }
        if !reading.has_request {
            let names = self.fields().into_iter().filter(|(field, _)| field.is_request());
            let names: std::collections::BTreeSet<_> = names.map(|(_, name)| format!("`{name}`")).collect();
            let names: Vec<_> = names.into_iter().collect();
            return Err(Rejection {
                reason: format!("no request in this object: {} is missing", names.join(" or ")),
                at: 0,
            });
        }
        Ok(())
    }
}

/// The place of the member `key`, made if there is none.
fn place_of<'m>(members: &'m mut Members, key: &str, make: impl FnOnce() -> Member) -> &'m mut Member {
    let at = members.iter().position(|(name, _)| **name == *key.as_bytes()).unwrap_or_else(|| {
        members.push((key.as_bytes().into(), make()));
        members.len() - 1
    });
    &mut members[at].1
}

fn collect<'m>(members: &'m Members, out: &mut Vec<(&'m Field, &'m str)>) {
    for (_, member) in members {
        match member {
            Member::Value(field, name) => out.push((field, name)),
            Member::Object(inner) => collect(inner, out),
        }
    }
}

/// A line that is being read.
struct Reading<'l, 'd> {
    cursor: Cursor<'l>,
    draft: &'d mut Draft,
    has_request: bool,
}

impl Reading<'_, '_> {
    /// Reads the members of an object whose brace is behind the cursor.
    fn object(&mut self, members: &Members, depth: usize) -> Result<(), Rejection> {
        while let Some(key) = self.cursor.key()? {
            let member = members.iter().find(|(name, _)| **name == *key).map(|(_, member)| member);
            match (member, self.cursor.value()?) {
                (Some(Member::Object(inner)), Value::Object) if depth < DEPTH_MAX => self.object(inner, depth + 1)?,
                (Some(Member::Value(field, name)), Value::Array) => self.first_of_array(field, name)?,
                (Some(Member::Value(field, name)), value) => self.put(field, name, value)?,
                (_, Value::Object | Value::Array) => self.cursor.skip()?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes the first element of an array whose bracket is behind the cursor, as servers write headers.
    fn first_of_array(&mut self, field: &Field, name: &str) -> Result<(), Rejection> {
        let value = self.cursor.value()?;
        self.put(field, name, value)?;
        self.cursor.skip()
    }

    /// Takes a value.
    fn put(&mut self, field: &Field, name: &str, value: Value) -> Result<(), Rejection> {
        let (at, is_escaped) = match value {
            Value::Text { at, is_escaped } => (at, is_escaped),
            Value::Bare(at) => (at, false),
            Value::Object | Value::Array => return self.cursor.skip(),
        };
        let line = self.cursor.line();
        let text = &line[at.clone()];
        self.has_request |= field.is_request();
        if text.is_empty() || text == b"null" || text == b"-" {
            return Ok(());
        }
        let start = at.start;
        let coding = if is_escaped { Coding::Backslash } else { Coding::Plain };
        self.draft.put(field, line, at, coding).map_err(|expected| Rejection {
            reason: format!("`{name}` should be {expected}, found `{}`", excerpt(text)),
            at: start,
        })
    }
}
