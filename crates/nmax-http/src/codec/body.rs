//! The body of a reply, by its framing. Data is handed on in place, never copied here.

use super::{CodecError, HEAD_BYTES_MAX};

/// The longest chunk size line, in bytes, extensions included.
const SIZE_LINE_BYTES_MAX: usize = 4096;

/// What is still to come of a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body {
    /// Nothing.
    Done,
    /// So many bytes, at least one.
    Length(u64),
    /// Chunks.
    Chunked(Chunked),
    /// All until the stream ends.
    UntilClose,
}

impl Body {
    pub(super) fn is_done(&self) -> bool {
        matches!(self, Self::Done)
    }

    /// Takes what belongs to the body from the start of `input`; returns how many bytes that were.
    pub(super) fn advance(
        &mut self,
        input: &[u8],
        mut on_data: impl FnMut(&[u8]) -> Result<(), CodecError>,
    ) -> Result<usize, CodecError> {
        let used = match self {
            Self::Done => 0,
            Self::Length(left) => {
                let now = within(input, *left);
                on_data(now)?;
                *left -= now.len() as u64;
                if *left == 0 {
                    *self = Self::Done;
                }
                now.len()
            }
            Self::Chunked(chunked) => {
                let used = chunked.advance(input, on_data)?;
                if chunked.state == State::Done {
                    *self = Self::Done;
                }
                used
            }
            Self::UntilClose => {
                on_data(input)?;
                input.len()
            }
        };
        Ok(used)
    }
}

/// The first `left` bytes of `input`, or all when there are fewer.
fn within(input: &[u8], left: u64) -> &[u8] {
    let take = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
    &input[..take]
}

/// Decoder of the chunked coding (RFC 9112 section 7.1). Extensions and trailers are skipped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunked {
    state: State,
    /// Bytes left of the current chunk; while its size line is read, its size so far.
    left: u64,
    /// Bytes of the current size line, or of all trailers.
    line_bytes: usize,
}

/// What the next byte is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// First digit of a size.
    Size,
    /// A further digit, or what ends them.
    SizeDigits,
    /// Blank space after the size.
    SizeBlank,
    /// Part of an extension.
    Extension,
    /// Line feed of the size line.
    SizeLf,
    Data,
    /// Carriage return after the data.
    DataCr,
    DataLf,
    /// First byte of a trailer line, or of the last, empty one.
    Trailer,
    TrailerLine,
    TrailerLf,
    /// Line feed of the empty line.
    EndLf,
    Done,
}

impl Chunked {
    pub(super) const fn new() -> Self {
        Self { state: State::Size, left: 0, line_bytes: 0 }
    }

    fn advance(
        &mut self,
        input: &[u8],
        mut on_data: impl FnMut(&[u8]) -> Result<(), CodecError>,
    ) -> Result<usize, CodecError> {
        let mut at = 0;
        while at < input.len() && self.state != State::Done {
            if self.state == State::Data {
                let now = within(&input[at..], self.left);
                on_data(now)?;
                at += now.len();
                self.left -= now.len() as u64;
                if self.left == 0 {
                    self.state = State::DataCr;
                }
            } else {
                self.state = self.step(input[at])?;
                at += 1;
            }
        }
        Ok(at)
    }

    /// The state after one byte outside of data.
    fn step(&mut self, byte: u8) -> Result<State, CodecError> {
        match self.state {
            State::Size | State::SizeDigits | State::SizeBlank | State::Extension | State::SizeLf => {
                self.step_size(byte)
            }
            State::DataCr => expect(byte, b'\r', State::DataLf, "no line end after a chunk"),
            State::DataLf => expect(byte, b'\n', State::Size, "no line end after a chunk"),
            State::Trailer if byte == b'\r' => Ok(State::EndLf),
            State::Trailer | State::TrailerLine => {
                self.count(HEAD_BYTES_MAX, "its trailers are too long")?;
                match byte {
                    b'\r' => Ok(State::TrailerLf),
                    b'\n' => Err(CodecError::Chunk("a line feed alone in its trailers")),
                    _ => Ok(State::TrailerLine),
                }
            }
            State::TrailerLf => expect(byte, b'\n', State::Trailer, "a carriage return alone in its trailers"),
            State::EndLf => expect(byte, b'\n', State::Done, "no line feed at its end"),
            State::Data | State::Done => Ok(self.state),
        }
    }

    /// The state after one byte of a size line.
    fn step_size(&mut self, byte: u8) -> Result<State, CodecError> {
        if self.state == State::Size {
            self.left = 0;
            self.line_bytes = 0;
        }
        self.count(SIZE_LINE_BYTES_MAX, "a size line is too long")?;
        match (self.state, byte) {
            (State::Size | State::SizeDigits, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = char::from(byte).to_digit(16).unwrap_or(0);
                let shifted = self.left.checked_mul(16).ok_or(CodecError::Chunk("a size is too large"))?;
                self.left = shifted | u64::from(digit);
                Ok(State::SizeDigits)
            }
            (State::Size, _) => Err(CodecError::Chunk("a chunk has no size")),
            (State::SizeLf, b'\n') if self.left > 0 => Ok(State::Data),
            (State::SizeLf, b'\n') => {
                self.line_bytes = 0;
                Ok(State::Trailer)
            }
            (State::SizeLf, _) => Err(CodecError::Chunk("a carriage return alone in a size line")),
            (_, b'\r') => Ok(State::SizeLf),
            (State::Extension, b'\n') => Err(CodecError::Chunk("a line feed alone in a size line")),
            (State::Extension, _) | (_, b';') => Ok(State::Extension),
            (_, b' ' | b'\t') => Ok(State::SizeBlank),
            _ => Err(CodecError::Chunk("a size is not a hexadecimal number")),
        }
    }

    fn count(&mut self, most: usize, reason: &'static str) -> Result<(), CodecError> {
        self.line_bytes += 1;
        if self.line_bytes > most { Err(CodecError::Chunk(reason)) } else { Ok(()) }
    }
}

fn expect(byte: u8, wanted: u8, next: State, otherwise: &'static str) -> Result<State, CodecError> {
    if byte == wanted { Ok(next) } else { Err(CodecError::Chunk(otherwise)) }
}
