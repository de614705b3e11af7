//! The coding `zstd` (RFC 8878): frames one after another, with windows of at most 8 MiB (RFC 9659).
//!
//! The library decodes block by block and wants each one whole, so the units of a frame (its header, the header of
//! a block, a block with what follows it) are gathered until they are complete; the largest is a little over
//! 128 KiB.

use std::io::Read;

use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{OUTPUT_BYTES, Sink, broken};
use crate::codec::CodecError;

pub(super) const NAME: &str = "zstd";

/// The largest window that the content coding may use, in bytes.
const WINDOW_BYTES_MAX: u64 = 8 << 20;
/// The largest block, in bytes.
const BLOCK_BYTES_MAX: usize = 128 << 10;
const MAGIC: u32 = 0xfd2f_b528;
/// Frames to skip: these sixteen values.
const SKIPPABLE: u32 = 0x184d_2a50;

pub(super) struct Zstd {
    frame: FrameDecoder,
    unit: Unit,
    /// What came of the unit.
    gathered: Vec<u8>,
    /// Bytes that the unit has, as far as is known.
    wanted: usize,
    /// The frame ends with a checksum.
    has_checksum: bool,
    /// The size that the frame says it has, in bytes.
    content_size: Option<u64>,
    /// Plain bytes of this frame.
    made: u64,
}

/// What is being gathered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unit {
    Magic,
    /// Magic and the byte that tells how long the header is.
    HeaderStart,
    Header,
    BlockHeader,
    /// A block with its header, and the checksum after the last one.
    Block,
    /// Length of a frame to skip.
    SkipLength,
    /// So many bytes are to be skipped, at least one.
    Skip(u32),
}

impl Zstd {
    pub(super) fn new() -> Self {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(WINDOW_BYTES_MAX);
        Self {
            frame,
            unit: Unit::Magic,
            gathered: Vec::new(),
            wanted: 4,
            has_checksum: false,
            content_size: None,
            made: 0,
        }
    }

    pub(super) fn push(&mut self, coded: &[u8], sink: &mut Sink<'_>) -> Result<(), CodecError> {
        let mut rest = coded;
        while !rest.is_empty() {
            if let Unit::Skip(left) = self.unit {
                let now = rest.len().min(left as usize);
                rest = &rest[now..];
                // `now` is at most `left`.
                self.skip(left - now as u32);
                continue;
            }
            let now = rest.len().min(self.wanted - self.gathered.len());
            self.gathered.extend_from_slice(&rest[..now]);
            rest = &rest[now..];
            while self.is_complete() {
                self.take_unit(sink)?;
            }
        }
        Ok(())
    }

    pub(super) fn may_end(&self) -> bool {
        self.unit == Unit::Magic && self.gathered.is_empty()
    }

    /// A block may have no byte beside its header, so one unit can complete the next.
    fn is_complete(&self) -> bool {
        self.gathered.len() == self.wanted && !matches!(self.unit, Unit::Skip(_))
    }

    /// Takes a complete unit and says what comes next.
    fn take_unit(&mut self, sink: &mut Sink<'_>) -> Result<(), CodecError> {
        match self.unit {
            Unit::Magic => match little_endian(&self.gathered) {
                MAGIC => self.want_more(Unit::HeaderStart, 1),
                magic if magic & !0xf == SKIPPABLE => self.want(Unit::SkipLength, 4),
                _ => return Err(broken(NAME, "its header is not that of zstd")),
            },
            Unit::HeaderStart => {
                let descriptor = self.gathered[4];
                self.want_more(Unit::Header, header_bytes(descriptor));
            }
            Unit::Header => self.take_header()?,
            Unit::BlockHeader => self.take_block_header()?,
            Unit::Block => self.take_block(sink)?,
            Unit::SkipLength => self.skip(little_endian(&self.gathered)),
            Unit::Skip(_) => {}
        }
        Ok(())
    }

    fn take_header(&mut self) -> Result<(), CodecError> {
        let descriptor = self.gathered[4];
        self.has_checksum = descriptor & 0b100 != 0;
        self.frame
            .reset(self.gathered.as_slice())
            .map_err(|_| broken(NAME, "its header is damaged, or asks for a dictionary or a window above 8 MiB"))?;
        // Without both flags the header has no such field.
        self.content_size = (descriptor & 0b1110_0000 != 0).then(|| self.frame.content_size());
        self.made = 0;
        self.want(Unit::BlockHeader, 3);
        Ok(())
    }

    fn take_block_header(&mut self) -> Result<(), CodecError> {
        let header = little_endian(&self.gathered);
        let (is_last, kind, size) = (header & 1 == 1, header >> 1 & 0b11, (header >> 3) as usize);
        if size > BLOCK_BYTES_MAX {
            return Err(broken(NAME, "a block is too large"));
        }
        // A run is one byte, however long it is.
        let block = if kind == 1 { 1 } else { size };
        let checksum = if is_last && self.has_checksum { 4 } else { 0 };
        self.want_more(Unit::Block, block + checksum);
        Ok(())
    }

    fn take_block(&mut self, sink: &mut Sink<'_>) -> Result<(), CodecError> {
        let is_last = self
            .frame
            .decode_blocks(self.gathered.as_slice(), BlockDecodingStrategy::UptoBlocks(1))
            .map_err(|_| broken(NAME, "it is damaged"))?;
        let mut output = [0; OUTPUT_BYTES];
        loop {
            let made = self.frame.read(&mut output).map_err(|_| broken(NAME, "it is damaged"))?;
            if made == 0 {
                break;
            }
            self.made += made as u64;
            sink(&output[..made])?;
        }
        if !is_last {
            self.want(Unit::BlockHeader, 3);
            return Ok(());
        }
        if self.has_checksum && self.frame.get_checksum_from_data() != self.frame.get_calculated_checksum() {
            return Err(broken(NAME, "its checksum is wrong"));
        }
        if self.content_size.is_some_and(|size| size != self.made) {
            return Err(broken(NAME, "its length is not the size in the frame header"));
        }
        self.want(Unit::Magic, 4);
        Ok(())
    }

    fn skip(&mut self, left: u32) {
        if left == 0 {
            self.want(Unit::Magic, 4);
        } else {
            self.want(Unit::Skip(left), 0);
        }
    }

    /// Gathers a unit of this size from its start.
    fn want(&mut self, unit: Unit, bytes: usize) {
        self.gathered.clear();
        self.wanted = 0;
        self.want_more(unit, bytes);
    }

    /// Gathers so many bytes beside those that are there.
    fn want_more(&mut self, unit: Unit, bytes: usize) {
        self.unit = unit;
        self.wanted += bytes;
    }
}

/// Bytes of a frame's header after its descriptor (RFC 8878 section 3.1.1.1).
fn header_bytes(descriptor: u8) -> usize {
    let is_single_segment = descriptor & 0b10_0000 != 0;
    let window = usize::from(!is_single_segment);
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 0b11)];
    let content_size = match descriptor >> 6 {
        0 => usize::from(is_single_segment),
        flag => 1 << flag,
    };
    window + dictionary + content_size
}

/// The first bytes as a number, at most four.
fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rev().fold(0, |sum, &byte| sum << 8 | u32::from(byte))
}
