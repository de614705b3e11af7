//! Content codings of replies, undone while the bytes come: gzip, deflate, br, zstd, also several in a row.
//!
//! A [`Decoder`] takes coded bytes in pieces of any size and hands plain ones on in pieces of at most
//! [`OUTPUT_BYTES`], so what a bomb unpacks to is seen and limited before it is held. With several codings the bytes
//! between them have a limit of their own: those that never become plain would otherwise be seen by nobody. A decoder
//! lives as long as one reply: the windows of 100,000 idle visitors would be gigabytes.
//!
//! Bytes after the end of the coded data and data that end too early are errors, as damaged ones are. No byte at
//! all is fine: servers label empty bodies too.

mod brotli;
mod deflate;
mod gzip;
#[cfg(test)]
pub(crate) mod tests;
mod zstd;

use crate::codec::{CODINGS_MAX, CodecError};
use brotli::Brotli;
use deflate::Deflate;
use gzip::Gzip;
use zstd::Zstd;

/// Plain bytes that are handed on at once.
const OUTPUT_BYTES: usize = 16 * 1024;

/// Takes plain bytes; an error ends the decoding.
type Sink<'a> = dyn FnMut(&[u8]) -> Result<(), CodecError> + 'a;

/// A content coding that can be undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// What the `content-encoding` lines of a head list, in the order in which the server applied it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Codings {
    list: [Coding; CODINGS_MAX],
    /// All that were named, also those for which `list` has no room.
    count: u8,
    /// One of them is not known, so none can be undone.
    has_unknown: bool,
}

impl Default for Codings {
    fn default() -> Self {
        Self { list: [Coding::Gzip; CODINGS_MAX], count: 0, has_unknown: false }
    }
}

impl Codings {
    /// Adds what one line lists.
    pub(crate) fn add(&mut self, value: &[u8]) {
        for name in value.split(|&b| b == b',').map(<[u8]>::trim_ascii) {
            if name.is_empty() || name.eq_ignore_ascii_case(b"identity") {
                continue;
            }
            match coding(name) {
                Some(coding) => {
                    if let Some(place) = self.list.get_mut(usize::from(self.count)) {
                        *place = coding;
                    }
                    self.count = self.count.saturating_add(1);
                }
                None => self.has_unknown = true,
            }
        }
    }

    /// Whether there is any, and all are known.
    pub(crate) fn can_be_undone(&self) -> bool {
        self.count > 0 && !self.has_unknown
    }

    /// What undoes them, with at most `limit` bytes between them.
    pub(crate) fn decoder(&self, limit: u64) -> Result<Box<Decoder>, CodecError> {
        let applied = self.list.get(..usize::from(self.count)).ok_or(CodecError::TooManyCodings)?;
        let stages = applied.iter().rev().map(|&coding| Stage::new(coding)).collect();
        let between = Between { bytes: 0, limit };
        Ok(Box::new(Decoder { stages, between }))
    }
}

fn coding(name: &[u8]) -> Option<Coding> {
    let named = |wanted: &str| name.eq_ignore_ascii_case(wanted.as_bytes());
    if named("gzip") || named("x-gzip") {
        Some(Coding::Gzip)
    } else if named("deflate") {
        Some(Coding::Deflate)
    } else if named("br") {
        Some(Coding::Brotli)
    } else if named("zstd") {
        Some(Coding::Zstd)
    } else {
        None
    }
}

/// Undoes the codings of one body.
pub(crate) struct Decoder {
    /// The coding applied last comes first.
    stages: Vec<Stage>,
    between: Between,
}

/// What stages handed to the next stage, all of them together.
struct Between {
    bytes: u64,
    /// The most bytes.
    limit: u64,
}

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoder").field("stages", &self.stages.len()).finish_non_exhaustive()
    }
}

impl Decoder {
    /// Takes the next coded bytes; `sink` gets all plain bytes that they make known.
    pub(crate) fn push(&mut self, coded: &[u8], sink: &mut Sink<'_>) -> Result<(), CodecError> {
        push_through(&mut self.stages, &mut self.between, coded, sink)
    }

    /// The body ended: fine between streams, an error within one.
    pub(crate) fn end(&self) -> Result<(), CodecError> {
        self.stages.iter().try_for_each(Stage::end)
    }
}

fn push_through(
    stages: &mut [Stage],
    between: &mut Between,
    coded: &[u8],
    sink: &mut Sink<'_>,
) -> Result<(), CodecError> {
    if coded.is_empty() {
        return Ok(());
    }
    match stages {
        [] => sink(coded),
        [last] => last.push(coded, sink),
        [stage, rest @ ..] => stage.push(coded, &mut |made| {
            between.add(made.len())?;
            push_through(rest, between, made, sink)
        }),
    }
}

impl Between {
    fn add(&mut self, bytes: usize) -> Result<(), CodecError> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.bytes > self.limit {
            return Err(CodecError::BodyLimit(self.limit));
        }
        Ok(())
    }
}

/// One coding being undone.
enum Stage {
    Gzip(Gzip),
    Deflate(Deflate),
    Brotli(Brotli),
    Zstd(Box<Zstd>),
}

impl Stage {
    fn new(coding: Coding) -> Self {
        match coding {
            Coding::Gzip => Self::Gzip(Gzip::new()),
            Coding::Deflate => Self::Deflate(Deflate::new()),
            Coding::Brotli => Self::Brotli(Brotli::new()),
            Coding::Zstd => Self::Zstd(Box::new(Zstd::new())),
        }
    }

    fn push(&mut self, coded: &[u8], sink: &mut Sink<'_>) -> Result<(), CodecError> {
        match self {
            Self::Gzip(gzip) => gzip.push(coded, sink),
            Self::Deflate(deflate) => deflate.push(coded, sink),
            Self::Brotli(brotli) => brotli.push(coded, sink),
            Self::Zstd(zstd) => zstd.push(coded, sink),
        }
    }

    fn end(&self) -> Result<(), CodecError> {
        let (coding, may_end) = match self {
            Self::Gzip(gzip) => (gzip::NAME, gzip.may_end()),
            Self::Deflate(deflate) => (deflate::NAME, deflate.may_end()),
            Self::Brotli(brotli) => (brotli::NAME, brotli.may_end()),
            Self::Zstd(zstd) => (zstd::NAME, zstd.may_end()),
        };
        if may_end { Ok(()) } else { Err(broken(coding, "it ends too early")) }
    }
}

/// Plain bytes of a body, or of its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// As far as they could be made known.
    pub bytes: Vec<u8>,
    /// What is wrong with the rest; nothing when the body ended where its codings do.
    pub problem: Option<CodecError>,
}

/// Undoes the codings that these `content-encoding` lines list, all at once and up to a number of plain bytes; `None`
/// when there is no coding, or one that is not known.
pub fn undo<'a>(lines: impl IntoIterator<Item = &'a [u8]>, coded: &[u8], bytes_max: usize) -> Option<Undone> {
    let mut codings = Codings::default();
    for line in lines {
        codings.add(line);
    }
    if !codings.can_be_undone() {
        return None;
    }
    let mut bytes = Vec::new();
    let limit = u64::try_from(bytes_max).unwrap_or(u64::MAX);
    let outcome = codings.decoder(limit).and_then(|mut decoder| {
        decoder.push(coded, &mut |plain| {
            let room = bytes_max - bytes.len();
            bytes.extend_from_slice(&plain[..plain.len().min(room)]);
            if plain.len() > room {
                return Err(CodecError::BodyLimit(limit));
            }
            Ok(())
        })?;
        decoder.end()
    });
    Some(Undone { bytes, problem: outcome.err() })
}

fn broken(coding: &'static str, problem: &'static str) -> CodecError {
    CodecError::Coding { coding, problem }
}
