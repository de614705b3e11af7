//! The content of a reply: its body after the framing, plain once content codings are undone, kept as far as wanted.

use super::body::Body;
use super::{CodecError, Expected, KeepBody};
use crate::coding::{Codings, Decoder};

/// Bytes of kept content whose memory stays with an idle receiver.
pub(super) const IDLE_BYTES_MAX: usize = 4 * 1024;
/// Bytes kept of a body for the case that it breaks off. Nearly all such bodies become complete: this is little
/// enough to be held by every reply that is under way, and to stay with its receiver until that rests.
const BROKEN_BYTES_MAX: usize = IDLE_BYTES_MAX;

/// What came of the content, and what becomes of it.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Bytes after the framing, codings not undone.
    coded_bytes: u64,
    /// There only while a coded body comes.
    decoder: Option<Box<Decoder>>,
    plain: Plain,
    /// Bytes kept of a reply that does not become complete.
    keep_broken: usize,
    /// What is kept stays when the reply is complete.
    is_wanted: bool,
}

/// The content with its codings undone.
#[derive(Debug, Default)]
struct Plain {
    bytes: u64,
    kept: Vec<u8>,
    /// The most bytes of `kept`.
    keep: usize,
    /// The largest content, in bytes.
    limit: u64,
}

impl Content {
    /// Forgets the content before, and its memory when it was large and nothing like it is wanted.
    #[inline]
    pub(super) fn start(&mut self, expected: &Expected) {
        self.coded_bytes = 0;
        if self.decoder.is_some() {
            self.abort();
        }
        self.keep_broken = expected.keep_failed_bytes.min(BROKEN_BYTES_MAX);
        self.plain.bytes = 0;
        self.plain.limit = expected.body_limit;
        self.plain.kept.clear();
        if expected.keep_body == KeepBody::Discard {
            self.plain.release();
        }
    }

    /// The head is complete: keep `keep` bytes of what comes, and undo these codings.
    #[inline]
    pub(super) fn begin(&mut self, keep: usize, codings: Option<&Codings>) -> Result<(), CodecError> {
        self.is_wanted = keep > 0;
        self.plain.keep = keep;
        match codings {
            Some(codings) if codings.can_be_undone() => self.begin_coded(codings),
            _ => Ok(()),
        }
    }

    #[cold]
    fn begin_coded(&mut self, codings: &Codings) -> Result<(), CodecError> {
        self.decoder = Some(codings.decoder(self.plain.limit)?);
        if !self.is_wanted {
            // What a chunk decodes to is not there again later.
            self.plain.keep = self.keep_broken;
            self.plain.make_room(self.keep_broken);
        }
        Ok(())
    }

    /// Takes the next bytes of a body. Those after its end are an error.
    #[inline]
    pub(super) fn advance(&mut self, body: &mut Body, chunk: &[u8]) -> Result<(), CodecError> {
        if let Body::Length(left) = *body
            && left == chunk.len() as u64
            && self.decoder.is_none()
        {
            // Most bodies: as long as their head says, not coded, and all that is left of them is here.
            *body = Body::Done;
            self.coded_bytes = self.coded_bytes.saturating_add(left);
            self.plain.take(chunk)?;
            return self.finish();
        }
        self.advance_in_parts(body, chunk)
    }

    fn advance_in_parts(&mut self, body: &mut Body, chunk: &[u8]) -> Result<(), CodecError> {
        let before = *body;
        let advanced = body.advance(chunk, |data| self.take(data)).and_then(|used| {
            if !body.is_done() {
                Ok(())
            } else if used < chunk.len() {
                Err(CodecError::Surplus)
            } else {
                self.finish()
            }
        });
        // Bodies that end in the chunk in which they began are not copied. The others may never end.
        if self.plain.keep < self.keep_broken && !self.is_wanted && !(advanced.is_ok() && body.is_done()) {
            self.keep_again(before, chunk);
        }
        advanced
    }

    /// The body is complete: its coding must be as well.
    #[inline]
    pub(super) fn finish(&mut self) -> Result<(), CodecError> {
        if self.decoder.is_some() {
            self.finish_coded()?;
        }
        if !self.is_wanted {
            self.plain.kept.clear();
        }
        Ok(())
    }

    #[cold]
    fn finish_coded(&mut self) -> Result<(), CodecError> {
        self.decoder.take().map_or(Ok(()), |decoder| decoder.end())
    }

    /// Keeps what `chunk` brought to a body that was in the state `before`, and what came after its end.
    fn keep_again(&mut self, mut before: Body, chunk: &[u8]) {
        let (plain, most) = (&mut self.plain, self.keep_broken);
        if chunk.is_empty() || plain.kept.len() >= most {
            return;
        }
        plain.make_room(most);
        let used = before.advance(chunk, |data| {
            plain.keep_up_to(most, data);
            Ok(())
        });
        if let Ok(used) = used {
            plain.keep_up_to(most, &chunk[used..]);
        }
    }

    /// No more comes; what was kept stays.
    #[cold]
    pub(super) fn abort(&mut self) {
        self.decoder = None;
    }

    /// Gives memory back: that of a large body with what was kept of it, and that of an empty one.
    pub(super) fn rest(&mut self) {
        self.plain.release();
        if self.plain.kept.is_empty() {
            self.plain.kept = Vec::new();
        }
    }

    pub(super) fn coded_bytes(&self) -> u64 {
        self.coded_bytes
    }

    pub(super) fn plain_bytes(&self) -> u64 {
        self.plain.bytes
    }

    pub(super) fn kept(&self) -> &[u8] {
        &self.plain.kept
    }

    fn take(&mut self, data: &[u8]) -> Result<(), CodecError> {
        self.coded_bytes = self.coded_bytes.saturating_add(data.len() as u64);
        let limit = self.plain.limit;
        let plain = &mut self.plain;
        match &mut self.decoder {
            None => plain.take(data),
            Some(_) if self.coded_bytes > limit => Err(CodecError::BodyLimit(limit)),
            Some(decoder) => decoder.push(data, &mut |data| plain.take(data)),
        }
    }
}

impl Plain {
    #[inline]
    fn take(&mut self, data: &[u8]) -> Result<(), CodecError> {
        self.bytes = self.bytes.saturating_add(data.len() as u64);
        if self.bytes > self.limit {
            return Err(CodecError::BodyLimit(self.limit));
        }
        self.keep_up_to(self.keep, data);
        Ok(())
    }

    fn keep_up_to(&mut self, most: usize, data: &[u8]) {
        let room = most.saturating_sub(self.kept.len()).min(data.len());
        if room > 0 {
            self.kept.extend_from_slice(&data[..room]);
        }
    }

    /// Memory for `most` bytes at once: growing by doubling would take more than an idle receiver may hold.
    fn make_room(&mut self, most: usize) {
        self.kept.reserve_exact(most.saturating_sub(self.kept.len()));
    }

    /// Gives memory back that an idle visitor should not hold.
    fn release(&mut self) {
        if self.kept.capacity() > IDLE_BYTES_MAX {
            self.kept = Vec::new();
        }
    }
}
