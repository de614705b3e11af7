//! Small parsers for what users type: spans (`5ms`), shares (`1%`), `key=value` lists.

use std::fmt::{Debug, Display};
use std::str::FromStr;

/// A specification that cannot be understood, with what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} `{found}`: {problem}\n  help: write {remedy}")]
pub struct SpecError {
    what: &'static str,
    found: String,
    problem: String,
    remedy: &'static str,
}

impl SpecError {
    pub(crate) fn new(what: &'static str, found: &str, problem: impl Into<String>, remedy: &'static str) -> Self {
        Self { what, found: found.to_owned(), problem: problem.into(), remedy }
    }
}

/// Longest span that any specification accepts, in nanoseconds: one day.
pub(crate) const SPAN_MAX_NS: u64 = 24 * 3_600 * 1_000_000_000;

/// Parses a span such as `250us`, `5ms`, `1.5s`, `2m` or `1h` into nanoseconds.
///
/// The unit is required; at most one day.
pub fn parse_span(text: &str) -> Result<u64, SpecError> {
    let error = |problem: &str| SpecError::new("span", text, problem, "a number and a unit, such as `5ms`");
    let split = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(|| error("has no unit"))?;
    let (number, unit) = text.split_at(split);
    let unit_ns = match unit {
        "ns" => 1.0,
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "m" => 60e9,
        "h" => 3_600e9,
        _ => return Err(error("has a unit other than ns, us, ms, s, m, h")),
    };
    let number: f64 = number.parse().map_err(|_| error("does not start with a number"))?;
    let span_ns = (number * unit_ns).round();
    if !(0.0..=SPAN_MAX_NS as f64).contains(&span_ns) {
        return Err(error("is not between 0 and one day"));
    }
    Ok(span_ns as u64)
}

/// Parses a size such as `4096`, `64kB`, `2MB` or `1GB` into bytes; k, M and G are powers of 1000.
pub(crate) fn parse_size(text: &str) -> Option<u64> {
    let (number, scale) = [("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("B", 1.0), ("", 1.0)]
        .iter()
        .find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)))?;
    let bytes = number.trim().parse::<f64>().ok()? * scale;
    // 2^53: up to there every whole number is exact.
    (0.0..=9_007_199_254_740_992.0).contains(&bytes).then_some(bytes as u64)
}

/// The `key=value,key=value` part of a specification. Each key is taken once.
pub(crate) struct Fields<'a> {
    what: &'static str,
    text: &'a str,
    remedy: &'static str,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Fields<'a> {
    pub(crate) fn parse(
        what: &'static str,
        text: &'a str,
        list: &'a str,
        remedy: &'static str,
    ) -> Result<Self, SpecError> {
        let mut fields = Self { what, text, remedy, pairs: Vec::new() };
        for part in list.split(',') {
            let (key, value) =
                part.split_once('=').ok_or_else(|| fields.error(format!("`{part}` is not key=value")))?;
            let key = key.trim();
            if fields.pairs.iter().any(|(seen, _)| *seen == key) {
                return Err(fields.error(format!("`{key}` is given twice")));
            }
            fields.pairs.push((key, value.trim()));
        }
        Ok(fields)
    }

    pub(crate) fn error(&self, problem: impl Into<String>) -> SpecError {
        SpecError::new(self.what, self.text, problem, self.remedy)
    }

    /// The value of `key`, if given.
    pub(crate) fn take(&mut self, key: &str) -> Option<&'a str> {
        let position = self.pairs.iter().position(|(seen, _)| *seen == key)?;
        Some(self.pairs.swap_remove(position).1)
    }

    pub(crate) fn required(&mut self, key: &str) -> Result<&'a str, SpecError> {
        self.take(key).ok_or_else(|| self.error(format!("`{key}` is missing")))
    }

    pub(crate) fn span_ns(&mut self, key: &str) -> Result<u64, SpecError> {
        parse_span(self.required(key)?)
    }

    pub(crate) fn number<T: FromStr>(&mut self, key: &str) -> Result<T, SpecError>
    where
        T::Err: Debug,
    {
        let value = self.required(key)?;
        value.parse().map_err(|_| self.error(format!("`{key}={value}` is not a number")))
    }

    /// The whole number of a key, `usual` without it, from 1 to `max`.
    pub(crate) fn count(&mut self, key: &str, usual: usize, max: usize) -> Result<usize, SpecError> {
        let count = self.take(key).map_or(usual, |text| text.parse().unwrap_or(0));
        self.within(key, count, (1, max))
    }

    /// The value of a key, unless it is out of range.
    pub(crate) fn within<T>(&self, key: &str, value: T, (min, max): (T, T)) -> Result<T, SpecError>
    where
        T: PartialOrd + Display,
    {
        let is_within = min <= value && value <= max;
        if is_within { Ok(value) } else { Err(self.error(format!("{key} is not between {min} and {max}"))) }
    }

    /// The number of a key, which must be above 0.
    pub(crate) fn above_0(&mut self, key: &str) -> Result<f64, SpecError> {
        let number: f64 = self.number(key)?;
        if number.is_finite() && number > 0.0 { Ok(number) } else { Err(self.error(format!("{key} is not above 0"))) }
    }

    /// Refuses keys that nobody took.
    pub(crate) fn finish(self) -> Result<(), SpecError> {
        match self.pairs.first() {
            None => Ok(()),
            Some((key, _)) => Err(self.error(format!("`{key}` is not known here"))),
        }
    }
}
