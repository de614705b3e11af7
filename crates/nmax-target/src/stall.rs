//! Scheduled stalls: spans in which the target answers nothing.

use std::str::FromStr;

use crate::spec::{Fields, SpecError, parse_span};

const REMEDY: &str = "`at=10s,for=1s` or `at=10s,for=1s,every=30s`";

/// A stall, once or repeated, relative to the start of the target or its last reset.
///
/// Requests that arrive in it start at its end; replies that become ready in it are
/// handed over at its end, like in a garbage collector's pause.
///
/// Written `at=10s,for=1s[,every=30s]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    at_ns: u64,
    for_ns: u64,
    every_ns: Option<u64>,
}

impl Stall {
    /// A stall from `at_ns` for `for_ns`, repeated each `every_ns` when given.
    ///
    /// A repeated stall must be shorter than its period, or nothing would ever be answered.
    pub fn new(at_ns: u64, for_ns: u64, every_ns: Option<u64>) -> Result<Self, SpecError> {
        if every_ns.is_some_and(|every_ns| every_ns <= for_ns) {
            let found = format!("at={at_ns}ns,for={for_ns}ns,every=..");
            let problem = "`every` is not longer than `for`, so it would never end";
            return Err(SpecError::new("stall", &found, problem, REMEDY));
        }
        Ok(Self { at_ns, for_ns, every_ns })
    }

    /// The end of the stall that `offset_ns` falls into, if any. Both since the origin.
    ///
    /// A stall covers [at, at + for): its end is outside, so waiting until it ends the wait.
    pub fn end_ns(&self, offset_ns: u64) -> Option<u64> {
        let since_first_ns = offset_ns.checked_sub(self.at_ns)?;
        let into_ns = match self.every_ns {
            Some(every_ns) => since_first_ns % every_ns,
            None => since_first_ns,
        };
        (into_ns < self.for_ns).then(|| offset_ns - into_ns + self.for_ns)
    }
}

impl FromStr for Stall {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut fields = Fields::parse("stall", text, text, REMEDY)?;
        let at_ns = fields.span_ns("at")?;
        let for_ns = fields.span_ns("for")?;
        let every_ns = fields.take("every").map(parse_span).transpose()?;
        fields.finish()?;
        Self::new(at_ns, for_ns, every_ns)
    }
}

#[cfg(test)]
mod tests;
