//! Replies from bytes, without I/O: the head with `httparse`, the body by its framing.
//!
//! [`Receiver::push`] takes bytes as they come, in pieces of any size, and says when the reply is
//! complete; [`Receiver::end`] takes the end of the stream. Framing alone decides where a reply
//! ends (RFC 9112 section 6.3). Interim (1xx) replies are skipped and counted. Only the raw head
//! is kept, and of the body what was asked for; [`Reply`] reads the head again when someone looks.
//!
//! O(1) work per byte and no allocation once the buffers have their size.

mod body;
mod head;
mod reply;
#[cfg(test)]
mod tests;

pub use reply::Reply;

use body::Body;
use head::{Head, parse_head};
use nmax_metrics::ErrorKind;

/// The longest head, in bytes; twice what common servers send at most.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;
/// The most header lines in a head.
pub const HEADERS_MAX: usize = 100;
/// The most interim replies before one final reply, so that a server cannot hold us for ever.
pub const INFORMATIONAL_MAX: u16 = 100;

/// What becomes of a reply's body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeepBody {
    /// Counted, not copied.
    Discard,
    /// The first so many bytes are kept, the rest is counted.
    UpTo(usize),
}

/// Why bytes are no valid reply.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CodecError {
    /// The first bytes are not those of HTTP/1.
    #[error("the reply is not HTTP/1.1, it starts with \"{0}\"")]
    NotHttp(String),
    /// A status line or header that cannot be read.
    #[error("the head of the reply is broken: {0}")]
    BrokenHead(String),
    /// A head beyond [`HEAD_BYTES_MAX`].
    #[error("the head of the reply is larger than {HEAD_BYTES_MAX} bytes")]
    HeadTooLarge,
    /// More header lines than [`HEADERS_MAX`].
    #[error("the reply has more than {HEADERS_MAX} header lines")]
    TooManyHeaders,
    /// More interim replies than [`INFORMATIONAL_MAX`].
    #[error("more than {INFORMATIONAL_MAX} interim (1xx) replies and no final one")]
    TooManyInformational,
    /// Not a number of bytes.
    #[error("the reply has an invalid content-length")]
    ContentLength,
    /// Two different lengths.
    #[error("the reply has two content-length values that differ")]
    ContentLengthConflict,
    /// Two kinds of framing at once.
    #[error("the reply has both content-length and transfer-encoding")]
    LengthAndTransferEncoding,
    /// `chunked` twice, or not in the last place.
    #[error("the reply has an invalid transfer-encoding")]
    TransferEncoding,
    /// A chunk without a readable size line or line end.
    #[error("the chunked body of the reply is broken: {0}")]
    Chunk(&'static str),
    /// Bytes that nobody asked for.
    #[error("the server sent more bytes after a complete reply")]
    Surplus,
    /// A body beyond the limit, in bytes.
    #[error("the body of the reply is larger than the limit of {0} bytes")]
    BodyLimit(u64),
    /// The stream ended before a byte of the reply.
    #[error("the server closed the connection before it replied")]
    EndedBeforeReply,
    /// The stream ended inside the reply.
    #[error("the server closed the connection in the middle of the {0} of its reply")]
    EndedInside(&'static str),
}

impl CodecError {
    /// How the error is counted.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::BodyLimit(_) => ErrorKind::BodyLimit,
            Self::EndedBeforeReply | Self::EndedInside(_) => ErrorKind::Reset,
            _ => ErrorKind::Protocol,
        }
    }
}

/// What a request decides about its reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The request was HEAD: its reply has no body, whatever its head says.
    pub is_head: bool,
    /// What to do with the body.
    pub keep_body: KeepBody,
    /// The largest body in bytes, after chunked decoding.
    pub body_limit: u64,
}

/// Receives one reply after another; its buffers are reused.
#[derive(Debug)]
pub struct Receiver {
    expected: Expected,
    stage: Stage,
    /// Raw bytes of the head: growing in `Stage::Head`, complete afterwards.
    head: Vec<u8>,
    /// What `head` says, while it is still the one of the reply before. Most replies of a server begin with the
    /// same bytes, which then need not be parsed again.
    previous: Option<Head>,
    /// The kept part of the body.
    body: Vec<u8>,
    body_bytes: u64,
    /// What `head` says, once it is complete.
    parsed: Option<Head>,
    informational: u16,
    /// A `100 Continue` was among the interim replies.
    continued: bool,
}

#[derive(Debug)]
enum Stage {
    Head,
    Body(Body),
    Done,
    Failed,
}

impl Default for Receiver {
    fn default() -> Self {
        Self::new()
    }
}

impl Receiver {
    /// A receiver with empty buffers, which holds no reply; call [`Receiver::start`] before bytes come.
    pub const fn new() -> Self {
        Self {
            expected: Expected {
                is_head: false,
                keep_body: KeepBody::Discard,
                body_limit: 0,
            },
            stage: Stage::Failed,
            head: Vec::new(),
            previous: None,
            body: Vec::new(),
            body_bytes: 0,
            parsed: None,
            informational: 0,
            continued: false,
        }
    }

    /// Forgets the last reply and waits for the next one.
    pub fn start(&mut self, expected: Expected) {
        let is_same_kind = self.expected.is_head == expected.is_head && matches!(self.stage, Stage::Done);
        self.expected = expected;
        self.stage = Stage::Head;
        self.previous = self.parsed.take().filter(|_| is_same_kind);
        if self.previous.is_none() {
            self.head.clear();
        }
        self.body.clear();
        self.body_bytes = 0;
        self.informational = 0;
        self.continued = false;
    }

    /// Takes the next bytes of the stream; true when the reply is complete.
    ///
    /// After an error or a complete reply nothing more may be pushed before the next start.
    pub fn push(&mut self, chunk: &[u8]) -> Result<bool, CodecError> {
        let result = self.take(chunk);
        match result {
            Ok(true) => self.stage = Stage::Done,
            Err(_) => self.stage = Stage::Failed,
            Ok(false) => {}
        }
        result
    }

    /// The stream ended: fine for a body that ends with the connection, an error elsewhere.
    pub fn end(&mut self) -> Result<(), CodecError> {
        let inside = match self.stage {
            Stage::Body(Body::UntilClose) => {
                self.stage = Stage::Done;
                return Ok(());
            }
            Stage::Done => return Ok(()),
            Stage::Head if self.is_at_start() && self.informational == 0 => None,
            Stage::Head => Some("head"),
            Stage::Body(_) | Stage::Failed => Some("body"),
        };
        self.stage = Stage::Failed;
        Err(inside.map_or(CodecError::EndedBeforeReply, CodecError::EndedInside))
    }

    /// Gives up: whatever came is no reply.
    pub fn abort(&mut self) {
        self.stage = Stage::Failed;
    }

    /// True while no byte of the current head has come; interim replies start over.
    pub fn is_at_start(&self) -> bool {
        matches!(self.stage, Stage::Head) && (self.head.is_empty() || self.previous.is_some())
    }

    /// Interim (1xx) replies skipped since the start.
    pub fn informational(&self) -> u16 {
        self.informational
    }

    /// True when the server asked for the rest of the request with `100 Continue`.
    pub fn has_continued(&self) -> bool {
        self.continued
    }

    /// True when the reply is complete and lets the connection live.
    pub fn is_persistent(&self) -> bool {
        matches!(self.stage, Stage::Done) && self.parsed.is_some_and(|head| head.persistent)
    }

    /// The complete reply; an empty one while there is none.
    pub fn reply(&self) -> Reply<'_> {
        match (&self.stage, self.parsed) {
            (Stage::Done, Some(parsed)) => Reply {
                status: Some(parsed.status),
                head: &self.head,
                body: &self.body,
                body_truncated: self.expected.keep_body != KeepBody::Discard
                    && self.body_bytes > self.body.len() as u64,
                sets_cookies: parsed.sets_cookies,
            },
            _ => Reply {
                status: None,
                head: &[],
                body: &[],
                body_truncated: false,
                sets_cookies: false,
            },
        }
    }

    fn take(&mut self, mut chunk: &[u8]) -> Result<bool, CodecError> {
        while let Stage::Head = self.stage {
            match self.take_head(chunk)? {
                Some(used) => chunk = &chunk[used..],
                None => return Ok(false),
            }
        }
        let Stage::Body(body) = &mut self.stage else {
            return if chunk.is_empty() {
                Ok(true)
            } else {
                Err(CodecError::Surplus)
            };
        };
        let limit = self.expected.body_limit;
        let (bytes, kept) = (&mut self.body_bytes, &mut self.body);
        let keep = match self.expected.keep_body {
            KeepBody::Discard => 0,
            KeepBody::UpTo(most) => most,
        };
        let used = body.advance(chunk, |data| {
            *bytes = bytes.saturating_add(data.len() as u64);
            if *bytes > limit {
                return Err(CodecError::BodyLimit(limit));
            }
            let room = keep.saturating_sub(kept.len()).min(data.len());
            kept.extend_from_slice(&data[..room]);
            Ok(())
        })?;
        if body.is_done() && used < chunk.len() {
            return Err(CodecError::Surplus);
        }
        Ok(body.is_done())
    }

    /// Bytes of `chunk` that end the current head; `None` when all of them belong to it and more must come.
    fn take_head(&mut self, chunk: &[u8]) -> Result<Option<usize>, CodecError> {
        if chunk.is_empty() {
            return Ok(None);
        }
        if let Some(head) = self.previous.take() {
            if chunk.starts_with(&self.head) {
                return self.begin_body(head).map(|()| Some(head.len));
            }
            self.head.clear();
        }
        let before = self.head.len();
        let parsed = if before == 0 {
            parse_head(chunk, self.expected.is_head)?
        } else {
            self.head.extend_from_slice(chunk);
            // Only a line end can complete a head: slow trickles are not parsed again and again.
            if chunk.contains(&b'\n') {
                parse_head(&self.head, self.expected.is_head)?
            } else {
                None
            }
        };
        let Some(head) = parsed else {
            if before == 0 {
                self.head.extend_from_slice(chunk);
            }
            return if self.head.len() > HEAD_BYTES_MAX {
                Err(CodecError::HeadTooLarge)
            } else {
                Ok(None)
            };
        };
        if head.len > HEAD_BYTES_MAX {
            return Err(CodecError::HeadTooLarge);
        }
        if head.is_interim() {
            self.head.clear();
            self.informational += 1;
            self.continued |= head.status == 100;
            if self.informational > INFORMATIONAL_MAX {
                return Err(CodecError::TooManyInformational);
            }
            return Ok(Some(head.len - before));
        }
        if before == 0 {
            self.head.extend_from_slice(&chunk[..head.len]);
        } else {
            self.head.truncate(head.len);
        }
        self.begin_body(head)?;
        Ok(Some(head.len - before))
    }

    /// Takes what a complete head says.
    fn begin_body(&mut self, head: Head) -> Result<(), CodecError> {
        if let Body::Length(length) = head.body
            && length > self.expected.body_limit
        {
            return Err(CodecError::BodyLimit(self.expected.body_limit));
        }
        self.parsed = Some(head);
        self.stage = Stage::Body(head.body);
        Ok(())
    }
}
