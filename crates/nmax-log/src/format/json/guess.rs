//! What the members of unknown objects mean, by their names and values.
//!
//! A name alone decides nothing: most values of the sample must be what the field wants. What is guessed is said in the notes.

use super::super::draft::METHOD_BYTES_MAX;
use super::super::field::{Field, Moment, UserAgentCoding, session_rank};
use super::super::number::{self, Unit, count};
use super::super::stamp;
use super::cursor::{Cursor, Value};
use super::map::needed;
use super::{DEPTH_MAX, Json, names};
use crate::record::Rejection;

/// A value with the names that lead to it.
pub(super) struct Leaf {
    pub(super) path: Vec<String>,
    pub(super) value: Vec<u8>,
}

/// All values of `line`, of arrays the first.
pub(super) fn leaves(line: &[u8]) -> Result<Vec<Leaf>, Rejection> {
    let mut cursor = Cursor::new(line);
    let mut out = Vec::new();
    if !cursor.open_object() {
        return Err(Rejection { reason: "no JSON object begins here".to_owned(), at: 0 });
    }
    walk(&mut cursor, &mut Vec::new(), &mut out)?;
    Ok(out)
}

fn walk(cursor: &mut Cursor<'_>, path: &mut Vec<String>, out: &mut Vec<Leaf>) -> Result<(), Rejection> {
    while let Some(key) = cursor.key()? {
        path.push(String::from_utf8_lossy(key).into_owned());
        let mut value = cursor.value()?;
        let is_array = value == Value::Array;
        if is_array {
            value = cursor.value()?;
        }
        match value {
            Value::Object if path.len() <= DEPTH_MAX && !is_array => walk(cursor, path, out)?,
            Value::Object | Value::Array => cursor.skip()?,
            Value::Text { at, .. } | Value::Bare(at) => {
                out.push(Leaf { path: path.clone(), value: cursor.line()[at].to_vec() });
            }
        }
        if is_array {
            cursor.skip()?;
        }
        path.pop();
    }
    Ok(())
}

/// A member and the values that the sample has of it.
struct Seen {
    path: Vec<String>,
    /// In lower case, without `_` and `-`, joined by dots.
    plain: String,
    values: Vec<Vec<u8>>,
}

impl Seen {
    /// `name` is the end of the path.
    fn is_named(&self, name: &str) -> bool {
        self.plain.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// Three of four values, of those that say something, are what `is` wants: logs have garbage in them.
    fn mostly(&self, is: impl Fn(&[u8]) -> bool) -> bool {
        let known: Vec<_> =
            self.values.iter().filter(|value| !matches!(value.as_slice(), b"" | b"-" | b"null")).collect();
        let count = known.iter().filter(|value| is(value)).count();
        count > 0 && 4 * count >= 3 * known.len()
    }
}

/// The map of the objects in `sample`.
///
/// # Errors
///
/// What is missing, in words.
pub(in super::super) fn guess(sample: &[&[u8]]) -> Result<Json, String> {
    let seen = seen(sample);
    if seen.is_empty() {
        return Err("no line is a JSON object".to_owned());
    }
    let mut guess = Guess { seen: &seen, json: Json::default() };
    guess.times();
    guess.requests();
    guess.spans();
    guess.texts();
    let mut json = guess.json;
    let problems = needed(&json);
    if problems.is_empty() {
        let taken = taken(&json, &seen);
        json.notes.insert(0, taken);
        return Ok(json);
    }
    let missing: Vec<_> = problems.into_iter().map(|problem| problem.what).collect();
    let names: Vec<_> = seen.iter().take(12).map(|seen| seen.path.join(".")).collect();
    Err(format!("{}; members are {}", missing.join("; "), names.join(", ")))
}

/// Which member is taken for what, and which for nothing.
fn taken(json: &Json, seen: &[Seen]) -> String {
    const UNUSED_MAX: usize = 12;
    let fields = json.fields();
    let taken: Vec<_> = fields.iter().map(|(field, name)| format!("{} = `{name}`", field.meaning())).collect();
    let names = seen.iter().map(|seen| seen.path.join("."));
    let unused: Vec<_> =
        names.filter(|name| !fields.iter().any(|(_, taken)| taken == name)).map(|name| format!("`{name}`")).collect();
    let more = unused.len().saturating_sub(UNUSED_MAX);
    let unused = match (unused.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!("; not used: {}", unused.join(", ")),
        (false, more) => format!("; not used: {} and {more} more", unused[..UNUSED_MAX].join(", ")),
    };
    format!("{}{unused}", taken.join(", "))
}

/// The members of the lines of `sample` that are objects, bounded in number.
fn seen(sample: &[&[u8]]) -> Vec<Seen> {
    const MEMBERS_MAX: usize = 500;
    let mut all: Vec<Seen> = Vec::new();
    for line in sample.iter().filter(|line| line.trim_ascii_start().starts_with(b"{")) {
        for Leaf { path, value } in leaves(line).unwrap_or_default() {
            if let Some(seen) = all.iter_mut().find(|seen| seen.path == path) {
                seen.values.push(value);
            } else if all.len() < MEMBERS_MAX {
                let plain = path.join(".").to_lowercase().replace(['_', '-'], "");
                all.push(Seen { path, plain, values: vec![value] });
            }
        }
    }
    all
}

/// A map in the making.
struct Guess<'s> {
    seen: &'s [Seen],
    json: Json,
}

impl<'s> Guess<'s> {
    /// The member with the first of `names` whose values are what `is` wants.
    fn find(&self, names: &[&str], is: impl Fn(&[u8]) -> bool) -> Option<&'s Seen> {
        let seen = self.seen;
        names.iter().find_map(|name| {
            let named = seen.iter().filter(|seen| seen.is_named(name) && seen.mostly(&is));
            named.min_by_key(|seen| seen.path.len())
        })
    }

    /// That member means `field`.
    fn take(&mut self, names: &[&str], is: impl Fn(&[u8]) -> bool, field: Field) -> Option<&'s Seen> {
        let seen = self.find(names, is)?;
        self.json.insert(&seen.path, field);
        Some(seen)
    }

    fn times(&mut self) {
        // A small number is a duration; no log that anybody reads is older than this century.
        let is_stamp = |value: &[u8]| stamp::any(value, 0).is_some_and(|stamp| stamp.us > 946_684_800 * stamp::S);
        let begin = self.take(names::BEGIN, is_stamp, Field::AnyStamp(Moment::Begin));
        let end = self.take(names::END, is_stamp, Field::AnyStamp(Moment::End));
        if begin.is_none() && end.is_none() {
            self.take(&["date"], |value| value.len() == 10 && stamp::day(value, 0).is_some(), Field::Day);
            self.take(&["time"], |value| stamp::clock(value, 0).is_some(), Field::Clock);
        }
        if let (None, Some(end)) = (begin, end) {
            let name = end.path.join(".");
            self.json.notes.push(format!(
                "`{name}` is taken as the time of the end; if it is that of the arrival, name it: begin={name}"
            ));
        }
    }

    fn requests(&mut self) {
        let is_method = |value: &[u8]| {
            value.len() <= METHOD_BYTES_MAX && value.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-')
        };
        let is_target =
            |value: &[u8]| value.starts_with(b"/") || value.starts_with(b"http") || value == b"*" || value == b"\\/";
        let is_request = |value: &[u8]| {
            memchr::memmem::find(value, b" HTTP/").is_some() || memchr::memmem::find(value, b" HTTP\\/").is_some()
        };
        self.take(names::METHOD, is_method, Field::Method);
        let query = self.find(names::QUERY, |_| true);
        match self.find(names::TARGET, |value| is_target(value) || value.starts_with(b"\\/")) {
            Some(target) if query.is_some() && target.mostly(|value| memchr::memchr(b'?', value).is_none()) => {
                self.json.insert(&target.path, Field::Path);
                if let Some(query) = query {
                    let is_marked = query.mostly(|value| value.starts_with(b"?"));
                    self.json.insert(&query.path, if is_marked { Field::MarkedQuery } else { Field::Query });
                }
            }
            Some(target) => self.json.insert(&target.path, Field::Target),
            None => {
                self.take(names::REQUEST, is_request, Field::Request);
            }
        }
        let is_status =
            |value: &[u8]| value.len() == 3 && count(value).is_some_and(|code| code >= 100) || value == b"0";
        self.take(names::STATUS, is_status, Field::Status);
    }

    fn spans(&mut self) {
        for (list, is_whole) in [(names::DURATION, true), (names::UPSTREAM, false)] {
            let mut names = list.iter().flat_map(|(unit, names)| names.iter().map(move |name| (name, unit)));
            let found = names.find_map(|(name, unit)| {
                let seen = self.seen.iter().filter(|seen| seen.mostly(|value| number::list(value, Unit::Ns).is_some()));
                seen.filter_map(|seen| Some((seen, span_unit(seen, name)?.or(*unit)))).next()
            });
            let Some((seen, unit)) = found else { continue };
            let name = seen.path.join(".");
            let unit = unit.unwrap_or_else(|| {
                let (unit, median) = by_magnitude(&seen.values);
                if let Some(median) = median {
                    let (is, meaning) = (unit.name(), if is_whole { "duration" } else { "upstream" });
                    self.json.notes.push(format!(
                        "`{name}` names no unit; it is taken as {is}, since its median is {median}; else name it: {meaning}={name}:s"
                    ));
                }
                unit
            });
            self.json.insert(&seen.path, if is_whole { Field::Duration(unit) } else { Field::Upstream(unit) });
        }
    }

    fn texts(&mut self) {
        let is_count = |value: &[u8]| count(value).is_some() || value == b"-1";
        let is_text = |value: &[u8]| !matches!(value, b"true" | b"false");
        self.take(names::BODY, is_count, Field::Body);
        self.take(names::ALL, is_count, Field::All);
        let is_address = |value: &[u8]| is_text(value) && !value.contains(&b' ');
        // Such names may be of anything.
        let is_sure = |value: &[u8]| value.iter().any(|byte| b".:".contains(byte)) && !value.contains(&b'/');
        let client = self.find(names::CLIENT, is_address);
        let client = client.or_else(|| self.find(names::CLIENT_PERHAPS, |value| is_address(value) && is_sure(value)));
        if let Some(client) = client {
            let has_port = client
                .mostly(|value| value.starts_with(b"[") || value.iter().filter(|byte| **byte == b':').count() == 1);
            self.json.insert(&client.path, if has_port { Field::ClientPort } else { Field::Client });
        }
        self.take(names::FORWARDED, is_text, Field::Forwarded);
        self.take(names::USER, is_text, Field::User);
        self.take(names::AGENT, is_text, Field::UserAgent(UserAgentCoding::Plain));
        if self.take(names::REFERER, is_text, Field::Referer).is_none() {
            let is_url = |value: &[u8]| value.starts_with(b"http") || value.starts_with(b"/");
            self.take(names::REFERER_PERHAPS, is_url, Field::Referer);
        }
        self.take(names::HOST, is_address, Field::Host);
        self.take(names::COOKIES, |value| value.contains(&b'='), Field::Cookies);
        if self.take(names::SESSION, is_text, Field::Session(0)).is_none() {
            let ranked = self.seen.iter().filter(|seen| seen.plain.contains("cookie") && seen.mostly(is_text));
            let best = ranked
                .filter_map(|seen| Some((session_rank(seen.path.last()?.as_bytes())?, seen)))
                .min_by_key(|(rank, _)| *rank);
            if let Some((rank, seen)) = best {
                self.json.insert(&seen.path, Field::Session(rank));
            }
        }
    }
}

/// The unit that the name of the member has behind `name`: `Some(None)` when it has none, `None` when it is another name.
fn span_unit(seen: &Seen, name: &str) -> Option<Option<Unit>> {
    if seen.is_named(name) {
        return Some(None);
    }
    let start = seen.plain.rfind(name)?;
    let is_begin = start == 0 || seen.plain.as_bytes()[start - 1] == b'.';
    let unit = Unit::from_name(seen.plain[start + name.len()..].trim_start_matches("in"))?;
    is_begin.then_some(Some(unit))
}

/// The unit that makes numbers durations of requests, and their median where it was the numbers that told.
///
/// A decimal point below 30 is of seconds, above of milliseconds; whole numbers are milliseconds up to 20,000 (20 s),
/// microseconds up to 20,000,000, nanoseconds above.
fn by_magnitude(values: &[Vec<u8>]) -> (Unit, Option<f64>) {
    let is_bare = |value: &&Vec<u8>| value.iter().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(byte));
    let texts: Vec<_> = values.iter().filter(is_bare).filter_map(|value| std::str::from_utf8(value).ok()).collect();
    let mut numbers: Vec<f64> =
        texts.iter().filter_map(|text| text.parse().ok()).filter(|number| *number > 0.0).collect();
    if numbers.is_empty() {
        // Values that bring their unit, such as `12ms`, or nothing but zeros.
        return (Unit::Ms, None);
    }
    numbers.sort_by(f64::total_cmp);
    let median = numbers[numbers.len() / 2];
    let has_point = texts.iter().any(|text| text.contains(['.', 'e']));
    let unit = match (has_point, median) {
        (true, ..30.0) => Unit::S,
        (true, _) | (false, ..20_000.0) => Unit::Ms,
        (false, ..20_000_000.0) => Unit::Us,
        _ => Unit::Ns,
    };
    (unit, Some(median))
}
