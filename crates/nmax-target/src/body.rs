//! Reply bodies: ready bytes, or a pattern made on the way, whole, chunked or slow.
//!
//! The pattern is the alphabet over and over, so a body of any size costs no memory and
//! byte `i` is always the same.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, ready};

use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};

use crate::timers::{Sleep, Timers};

/// Bytes of the pattern that are kept; a whole number of periods.
const BLOCK_BYTES: usize = PERIOD_BYTES * 2_520;

/// Letters before the pattern repeats.
const PERIOD_BYTES: usize = 26;

/// Parts that a slow body is sent in, at most.
const DRIP_PARTS: u64 = 100;

/// A reply's body.
pub(crate) enum Body {
    /// Bytes at hand; sent with their length.
    Ready(Bytes),
    /// `left_bytes` of the pattern, sent with their length.
    Sized { left_bytes: u64 },
    /// `left_bytes` of the pattern, sent in chunks without a length.
    Chunked { left_bytes: u64 },
    /// The pattern at an even pace, sent with its length.
    Drip(Drip),
}

/// A body that trickles: equal parts at equal intervals.
pub(crate) struct Drip {
    total_bytes: u64,
    sent_bytes: u64,
    parts: u64,
    parts_due: u64,
    start_ns: u64,
    for_ns: u64,
    timers: Timers,
    sleep: Sleep,
}

impl Drip {
    /// `bytes` of the pattern over `for_ns`, in up to 100 parts, each after its interval.
    pub(crate) fn new(timers: &Timers, now_ns: u64, bytes: u64, for_ns: u64) -> Self {
        let parts = bytes.clamp(1, DRIP_PARTS);
        Self {
            total_bytes: bytes,
            sent_bytes: 0,
            parts,
            parts_due: 0,
            start_ns: now_ns,
            for_ns,
            timers: timers.clone(),
            sleep: timers.sleep_until(now_ns.saturating_add(for_ns / parts)),
        }
    }

    fn left_bytes(&self) -> u64 {
        self.total_bytes - self.sent_bytes
    }

    /// The next piece; waits for the next part when the due ones are sent.
    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Bytes> {
        loop {
            let due_bytes = share(self.total_bytes, self.parts_due, self.parts);
            if self.sent_bytes < due_bytes {
                let piece = pattern(self.sent_bytes, due_bytes - self.sent_bytes);
                self.sent_bytes += piece.len() as u64;
                return Poll::Ready(piece);
            }
            ready!(Pin::new(&mut self.sleep).poll(context));
            self.parts_due += 1;
            let next_ns = share(self.for_ns, self.parts_due + 1, self.parts);
            self.sleep = self.timers.sleep_until(self.start_ns.saturating_add(next_ns));
        }
    }
}

/// `part / parts` of `whole`, rounded down. Both factors are bounded, so it cannot overflow.
fn share(whole: u64, part: u64, parts: u64) -> u64 {
    whole.saturating_mul(part) / parts
}

impl Body {
    /// A text or markup body.
    pub(crate) fn text(text: impl Into<Bytes>) -> Self {
        Self::Ready(text.into())
    }

    /// No body.
    pub(crate) fn empty() -> Self {
        Self::Ready(Bytes::new())
    }

    fn left_bytes(&self) -> u64 {
        match self {
            Self::Ready(bytes) => bytes.len() as u64,
            Self::Sized { left_bytes } | Self::Chunked { left_bytes } => *left_bytes,
            Self::Drip(drip) => drip.left_bytes(),
        }
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.left_bytes() == 0 {
            return Poll::Ready(None);
        }
        let piece = match &mut *self {
            Self::Ready(bytes) => std::mem::take(bytes),
            Self::Sized { left_bytes } | Self::Chunked { left_bytes } => next_piece(left_bytes),
            Self::Drip(drip) => ready!(drip.poll_piece(context)),
        };
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        // Asked before the head is written: an empty chunked body must not look like none.
        !matches!(self, Self::Chunked { .. }) && self.left_bytes() == 0
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            // An unknown size makes hyper send chunks, also for an empty body.
            Self::Chunked { .. } => SizeHint::default(),
            _ => SizeHint::with_exact(self.left_bytes()),
        }
    }
}

/// Up to `bytes` of the pattern from `position` on, as much as one block holds, uncopied.
pub(crate) fn pattern(position: u64, bytes: u64) -> Bytes {
    static BLOCK: OnceLock<Bytes> = OnceLock::new();
    let letters = || (0..BLOCK_BYTES).map(|index| b'a' + (index % PERIOD_BYTES) as u8);
    let block = BLOCK.get_or_init(|| letters().collect());
    let start = (position % PERIOD_BYTES as u64) as usize;
    let room = BLOCK_BYTES - start;
    let length = usize::try_from(bytes).map_or(room, |bytes| bytes.min(room));
    block.slice(start..start + length)
}

/// Takes the next piece off `left_bytes`. Pieces are whole blocks, so each starts at `a`.
fn next_piece(left_bytes: &mut u64) -> Bytes {
    let piece = pattern(0, *left_bytes);
    *left_bytes -= piece.len() as u64;
    piece
}
