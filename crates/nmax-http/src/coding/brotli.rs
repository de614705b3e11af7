//! The coding `br` (RFC 7932), with windows of at most 16 MiB.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::{OUTPUT_BYTES, Sink, broken};
use crate::codec::CodecError;

pub(super) const NAME: &str = "br";

type State = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

pub(super) struct Brotli {
    state: Box<State>,
    progress: Progress,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Progress {
    Start,
    Data,
    Done,
}

impl Brotli {
    pub(super) fn new() -> Self {
        // Strict: no stream may ask for the gigabyte of a "large window".
        let state = State::new_strict(StandardAlloc::default(), StandardAlloc::default(), StandardAlloc::default());
        Self { state: Box::new(state), progress: Progress::Start }
    }

    pub(super) fn push(&mut self, coded: &[u8], sink: &mut Sink<'_>) -> Result<(), CodecError> {
        if self.progress == Progress::Done {
            return Err(broken(NAME, "more bytes come after its end"));
        }
        self.progress = Progress::Data;
        let mut output = [0; OUTPUT_BYTES];
        let (mut left, mut used, mut total) = (coded.len(), 0, 0);
        loop {
            let (mut room, mut made) = (output.len(), 0);
            let result = BrotliDecompressStream(
                &mut left, &mut used, coded, &mut room, &mut made, &mut output, &mut total, &mut self.state,
            );
            if made > 0 {
                sink(&output[..made])?;
            }
            match result {
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::NeedsMoreInput => return Ok(()),
                BrotliResult::ResultSuccess if left > 0 => return Err(broken(NAME, "more bytes come after its end")),
                BrotliResult::ResultSuccess => {
                    self.progress = Progress::Done;
                    return Ok(());
                }
                BrotliResult::ResultFailure => return Err(broken(NAME, "it is damaged")),
            }
        }
    }

    pub(super) fn may_end(&self) -> bool {
        self.progress != Progress::Data
    }
}
