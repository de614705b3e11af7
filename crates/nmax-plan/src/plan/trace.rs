//! Traces of requests: which identity each carries to the system under test.
//!
//! An iteration of a virtual user is a trace, and each of its requests a span: what a visit caused stands together. Ids are pure
//! functions of run, seed, user and iteration, so an exchange that was kept with its user and iteration names its trace.
//!
//! Source: W3C, *Trace Context* (level 1): `traceparent` is `00-` trace id `-` parent id `-` flags, in small hexadecimal digits;
//! neither id is all zeros; flag 01 asks the system to keep the trace.

use std::fmt;

use crate::choice::{Choice, derive};

/// Whether requests carry a trace, and where people find it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Share of the iterations whose traces the system is asked to keep.
    pub share: f64,
    /// URL of a trace, in which `{trace_id}` stands for its id.
    pub link: Option<String>,
    /// Tells the traces of a run from those of others; 0 in documents.
    pub run: u64,
}

/// What `{trace_id}` is written as in a link.
pub const TRACE_ID: &str = "{trace_id}";
/// Key of the choices of traces under a seed.
const TRACES: u64 = 0x7472_6163_6573;

/// The trace of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    high: u64,
    low: u64,
    /// The system is asked to keep it.
    pub is_sampled: bool,
    choice: Choice,
}

impl Trace {
    /// The same in the run of this id.
    #[must_use]
    pub fn in_run(&self, id: &str) -> Self {
        let run = id.bytes().fold(TRACES, |key, byte| derive(key, byte.into()));
        Self { run, ..self.clone() }
    }

    /// The trace of an iteration: numbers of user and iteration as exchanges are kept with.
    #[inline]
    pub fn context(&self, seed: u64, vu: u32, iteration: u64) -> TraceContext {
        let choice = Choice::new(derive(derive(TRACES, self.run), seed), vu.into(), iteration, 0);
        // Both ids have a digit that is not zero.
        let (high, low) = (derive(TRACES, self.run).max(1), choice.u64(0).max(1));
        TraceContext { high, low, is_sampled: choice.unit(1) < self.share, choice }
    }

    /// Where people find a trace: its URL, or its id.
    pub fn place(&self, trace: TraceContext) -> String {
        match &self.link {
            Some(link) => link.replace(TRACE_ID, &trace.to_string()),
            None => trace.to_string(),
        }
    }
}

impl TraceContext {
    /// Appends the value of `traceparent` for the span of this number. Allocates only when the buffer must grow.
    pub fn write(self, span: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(b"00-");
        hexadecimal(self.high, out);
        hexadecimal(self.low, out);
        out.push(b'-');
        hexadecimal(self.choice.u64(span.wrapping_add(2)).max(1), out);
        out.extend_from_slice(if self.is_sampled { b"-01" } else { b"-00" });
    }
}

/// The id.
impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.high, self.low)
    }
}

fn hexadecimal(number: u64, out: &mut Vec<u8>) {
    let digit = |place: u32| b"0123456789abcdef"[(number >> (4 * place)) as usize & 15];
    out.extend((0..16).rev().map(digit));
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Law: the header is as the standard says, ids are those of run, user and iteration and differ for others, and the share of
    /// what is sampled is as asked.
    #[test]
    fn headers_are_those_of_the_standard() {
        let trace = Trace { share: 0.25, link: Some("https://tempo.test/{trace_id}?x".into()), run: 0 };
        let (one, other) = (trace.in_run("abc"), trace.in_run("abd"));
        let (mut ids, mut spans, mut sampled) = (HashSet::new(), HashSet::new(), 0);
        for iteration in 0..2_000 {
            for run in [&one, &other] {
                let context = run.context(7, (iteration % 3) as u32, iteration);
                assert_eq!(context, run.context(7, (iteration % 3) as u32, iteration));
                ids.insert(context.to_string());
                sampled += u32::from(context.is_sampled);
                let mut header = Vec::new();
                context.write(iteration, &mut header);
                let header = String::from_utf8(header).unwrap();
                let parts: Vec<&str> = header.split('-').collect();
                let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
                assert_eq!(lengths, [2, 32, 16, 2], "{header}");
                assert!(header.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-')), "{header}");
                assert_eq!((parts[0], parts[1]), ("00", context.to_string().as_str()));
                assert_eq!(parts[3], if context.is_sampled { "01" } else { "00" });
                spans.insert(parts[2].to_owned());
            }
        }
        assert_eq!((ids.len(), spans.len()), (4_000, 4_000));
        assert!((900..1_100).contains(&sampled), "a quarter of 4,000: {sampled}");
        let id = one.context(1, 2, 3);
        assert_eq!(one.place(id), format!("https://tempo.test/{id}?x"));
        let whole = Trace { share: 1.0, ..trace };
        assert!((0..100).all(|n| whole.context(1, 1, n).is_sampled), "all of a whole");
    }
}
