//! The coding `deflate`: zlib's format as the standard says (RFC 9110 section 8.4.1.2), and the bare deflate
//! stream (RFC 1951) that some servers send under the same name.
//!
//! The first two bytes tell them apart: a zlib header is a multiple of 31 with the method 8, which as a bare stream
//! would be a stored block whose padding is not zero.

use flate2::{Decompress, FlushDecompress, Status};

use super::{OUTPUT_BYTES, Sink, broken};
use crate::codec::CodecError;

pub(super) const NAME: &str = "deflate";

pub(super) enum Deflate {
    Start,
    /// The first byte of what may be a zlib header.
    First(u8),
    Data(Decompress),
    Done,
}

impl Deflate {
    pub(super) fn new() -> Self {
        Self::Start
    }

    pub(super) fn push(&mut self, coded: &[u8], sink: &mut Sink<'_>) -> Result<(), CodecError> {
        let mut rest = coded;
        while let Some((&byte, after)) = rest.split_first() {
            match self {
                Self::Start => {
                    *self = Self::First(byte);
                    rest = after;
                }
                Self::First(first) => {
                    let first = *first;
                    let mut inflate = Decompress::new(is_zlib_header(first, byte));
                    // One byte is never a whole stream.
                    inflate_into(NAME, &mut inflate, &[first], sink)?;
                    *self = Self::Data(inflate);
                }
                Self::Data(inflate) => {
                    let (used, is_done) = inflate_into(NAME, inflate, rest, sink)?;
                    rest = &rest[used..];
                    if is_done {
                        *self = Self::Done;
                    }
                }
                Self::Done => return Err(broken(NAME, "more bytes come after its end")),
            }
        }
        Ok(())
    }

    pub(super) fn may_end(&self) -> bool {
        matches!(self, Self::Start | Self::Done)
    }
}

/// RFC 1950 section 2.2: method 8, a window of at most 32 KiB, and a checksum of five bits.
fn is_zlib_header(first: u8, second: u8) -> bool {
    first & 0x0f == 8 && first >> 4 <= 7 && u16::from_be_bytes([first, second]).is_multiple_of(31)
}

/// Inflates `coded` until it or the stream ends: how many bytes were used, and whether the stream ended.
pub(super) fn inflate_into(
    coding: &'static str,
    inflate: &mut Decompress,
    coded: &[u8],
    sink: &mut Sink<'_>,
) -> Result<(usize, bool), CodecError> {
    let damaged = || broken(coding, "it is damaged");
    let mut output = [0; OUTPUT_BYTES];
    let mut used = 0;
    loop {
        let (taken_before, made_before) = (inflate.total_in(), inflate.total_out());
        let status = inflate.decompress(&coded[used..], &mut output, FlushDecompress::None).map_err(|_| damaged())?;
        // Both fit: they are lengths of parts of slices.
        let taken = (inflate.total_in() - taken_before) as usize;
        let made = (inflate.total_out() - made_before) as usize;
        used += taken;
        if made > 0 {
            sink(&output[..made])?;
        }
        if status == Status::StreamEnd {
            return Ok((used, true));
        }
        // Plain bytes may still wait inside when all coded ones are used: only standing still says that there are none.
        if taken == 0 && made == 0 {
            return if used == coded.len() { Ok((used, false)) } else { Err(damaged()) };
        }
    }
}
