//! The coding `gzip` (RFC 1952): members one after another, each with a header, a deflate stream and a checksum.

use flate2::{Crc, Decompress};

use super::deflate::inflate_into;
use super::{Sink, broken};
use crate::codec::CodecError;

pub(super) const NAME: &str = "gzip";

/// Bits of the header's fourth byte: which optional fields follow.
mod flag {
    pub(super) const HEADER_CRC: u8 = 1 << 1;
    pub(super) const EXTRA: u8 = 1 << 2;
    pub(super) const NAME: u8 = 1 << 3;
    pub(super) const COMMENT: u8 = 1 << 4;
    pub(super) const RESERVED: u8 = 0b1110_0000;
}

pub(super) struct Gzip {
    state: State,
    /// Optional fields of the header that are still to come.
    flags: u8,
    inflate: Decompress,
    /// Checksum and size of the plain bytes of this member.
    crc: Crc,
    /// The trailer so far.
    trailer: u64,
}

/// What the next byte is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// The byte of the fixed header with this index, 0 to 9.
    Fixed(u8),
    ExtraLengthLow,
    ExtraLengthHigh(u8),
    /// So many bytes of the extra field are left, at least one.
    Extra(u16),
    Name,
    Comment,
    HeaderCrcLow,
    HeaderCrcHigh,
    Data,
    /// The byte of the trailer with this index, 0 to 7.
    Trailer(u8),
}

impl Gzip {
    pub(super) fn new() -> Self {
        Self { state: State::Fixed(0), flags: 0, inflate: Decompress::new(false), crc: Crc::new(), trailer: 0 }
    }

    pub(super) fn push(&mut self, coded: &[u8], sink: &mut Sink<'_>) -> Result<(), CodecError> {
        let mut rest = coded;
        while let Some((&byte, after)) = rest.split_first() {
            if self.state == State::Data {
                let crc = &mut self.crc;
                let (used, is_done) = inflate_into(NAME, &mut self.inflate, rest, &mut |plain| {
                    crc.update(plain);
                    sink(plain)
                })?;
                rest = &rest[used..];
                if is_done {
                    self.state = State::Trailer(0);
                }
            } else {
                self.state = self.step(byte)?;
                rest = after;
            }
        }
        Ok(())
    }

    pub(super) fn may_end(&self) -> bool {
        self.state == State::Fixed(0)
    }

    /// The state after one byte outside of the data.
    fn step(&mut self, byte: u8) -> Result<State, CodecError> {
        Ok(match self.state {
            State::Fixed(index) => {
                self.check_fixed(index, byte)?;
                if index < 9 { State::Fixed(index + 1) } else { self.next_field() }
            }
            State::ExtraLengthLow => State::ExtraLengthHigh(byte),
            State::ExtraLengthHigh(low) => match u16::from_le_bytes([low, byte]) {
                0 => self.next_field(),
                length => State::Extra(length),
            },
            State::Extra(1) => self.next_field(),
            State::Extra(left) => State::Extra(left - 1),
            State::Name | State::Comment if byte != 0 => self.state,
            State::Name | State::Comment | State::HeaderCrcHigh => self.next_field(),
            State::HeaderCrcLow => State::HeaderCrcHigh,
            State::Data => State::Data,
            State::Trailer(index) => {
                self.trailer = self.trailer >> 8 | u64::from(byte) << 56;
                if index < 7 {
                    State::Trailer(index + 1)
                } else {
                    self.end_member()?;
                    State::Fixed(0)
                }
            }
        })
    }

    fn check_fixed(&mut self, index: u8, byte: u8) -> Result<(), CodecError> {
        let is_valid = match index {
            0 => byte == 0x1f,
            1 => byte == 0x8b,
            2 => byte == 8,
            3 => {
                self.flags = byte;
                byte & flag::RESERVED == 0
            }
            // Time, level and system say nothing that we need.
            _ => true,
        };
        if is_valid { Ok(()) } else { Err(broken(NAME, "its header is not that of gzip")) }
    }

    /// The state at the next optional field, in the order of the header, or at the data.
    fn next_field(&mut self) -> State {
        let fields = [
            (flag::EXTRA, State::ExtraLengthLow),
            (flag::NAME, State::Name),
            (flag::COMMENT, State::Comment),
            (flag::HEADER_CRC, State::HeaderCrcLow),
        ];
        for (flag, state) in fields {
            if self.flags & flag != 0 {
                self.flags &= !flag;
                return state;
            }
        }
        State::Data
    }

    /// Checks a member against its trailer, and is ready for another one.
    fn end_member(&mut self) -> Result<(), CodecError> {
        let made = u64::from(self.crc.sum()) | u64::from(self.crc.amount()) << 32;
        if self.trailer != made {
            return Err(broken(NAME, "its checksum is wrong"));
        }
        self.inflate.reset(false);
        self.crc.reset();
        Ok(())
    }
}
