//! Replies from bytes, without I/O: the head with `httparse`, the body by its framing.
//!
//! [`Receiver::push`] takes bytes as they come, in pieces of any size, and says when the reply is
//! complete; [`Receiver::end`] takes the end of the stream. Framing alone decides where a reply
//! ends (RFC 9112 section 6.3). Interim (1xx) replies are skipped and counted. The head is kept with
//! the places of its fields, and of the body what was asked for.
//! Content codings are undone when [`Expected::decode`] says so.
//!
//! O(1) work per byte and no allocation once the buffers have their size.

mod body;
mod content;
mod error;
mod head;
#[cfg(test)]
mod tests;

pub(crate) use error::CODINGS_MAX;
pub use error::CodecError;

use body::Body;
use content::{Content, IDLE_BYTES_MAX};
use head::{Head, parse_head};

use crate::message::{Fields, HeadText, KeepBody, Reply, ReplyHead};

/// The longest head, in bytes; twice what common servers send at most.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;
/// The most header lines in a head.
pub const HEADERS_MAX: usize = 100;
/// The most bytes of a reply that failed which [`Receiver::remains`] shows.
pub const REMAINS_BYTES_MAX: usize = 64 * 1024;
/// The most interim replies before one final reply, so that a server cannot hold us for ever.
pub const INFORMATIONAL_MAX: u16 = 100;

/// What a request decides about its reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The request was HEAD: its reply has no body, whatever its head says.
    pub is_head: bool,
    /// What to do with the body.
    pub keep_body: KeepBody,
    /// The largest body in bytes, as it came and after all decoding.
    pub body_limit: u64,
    /// Undo content codings. One that is not known, and a part of a body (206), stay as they came.
    pub decode: bool,
    /// Bytes of the body kept when the status is 400 or above, whatever `keep_body` says; of a body that would be
    /// discarded and breaks off at most 4 KiB.
    pub keep_failed_bytes: usize,
}

impl Expected {
    /// Whether the body of a complete reply with this status is kept, in part at least.
    fn is_kept(&self, status: u16) -> bool {
        self.keep_body != KeepBody::Discard || (status >= 400 && self.keep_failed_bytes > 0)
    }

    /// How much of it is kept, in bytes.
    fn keep_bytes(&self, status: u16) -> usize {
        let asked = match self.keep_body {
            KeepBody::Discard => 0,
            KeepBody::UpTo(most) => most,
        };
        if status >= 400 { asked.max(self.keep_failed_bytes) } else { asked }
    }
}

/// Receives one reply after another; its buffers are reused.
#[derive(Debug)]
pub struct Receiver {
    expected: Expected,
    stage: Stage,
    /// Raw bytes of the head: growing in `Stage::Head`, complete afterwards and with its fields.
    head: HeadText,
    /// What `head` says, once it is complete.
    parsed: Option<Head>,
    /// Whether `head` is still the one of the reply before. Most replies of a server begin with the same bytes, which then
    /// need not be parsed again.
    is_previous: bool,
    content: Content,
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
    pub fn new() -> Self {
        Self {
            expected: Expected {
                is_head: false,
                keep_body: KeepBody::Discard,
                body_limit: 0,
                decode: false,
                keep_failed_bytes: 0,
            },
            stage: Stage::Failed,
            head: HeadText::default(),
            parsed: None,
            is_previous: false,
            content: Content::default(),
            informational: 0,
            continued: false,
        }
    }

    /// Forgets the last reply and waits for the next one.
    #[inline]
    pub fn start(&mut self, expected: Expected) {
        self.is_previous = self.expected.is_head == expected.is_head && matches!(self.stage, Stage::Done);
        self.expected = expected;
        self.stage = Stage::Head;
        if !self.is_previous {
            self.forget_head();
            self.release_head();
        }
        self.content.start(&expected);
        self.informational = 0;
        self.continued = false;
    }

    /// Gives memory back, and with it a large body, or what came of a reply that will never be complete: its reader
    /// thinks, and will not look again. Only a start may follow.
    pub fn rest(&mut self) {
        self.content.rest();
        if !matches!(self.stage, Stage::Done) {
            self.abort();
            self.release_head();
        }
    }

    #[cold]
    fn forget_head(&mut self) {
        (self.parsed, self.is_previous) = (None, false);
        self.head.text.clear();
    }

    fn release_head(&mut self) {
        if self.head.text.capacity() > IDLE_BYTES_MAX {
            self.head = HeadText::default();
        }
    }

    /// Takes the next bytes of the stream; true when the reply is complete.
    ///
    /// After an error or a complete reply nothing more may be pushed before the next start.
    pub fn push(&mut self, chunk: &[u8]) -> Result<bool, CodecError> {
        let result = self.take(chunk).map_err(|error| self.explain(error));
        match result {
            Ok(true) => self.stage = Stage::Done,
            Err(_) => self.abort(),
            Ok(false) => {}
        }
        result
    }

    /// The stream ended: fine for a body that ends with the connection, an error elsewhere.
    pub fn end(&mut self) -> Result<(), CodecError> {
        let inside = match self.stage {
            Stage::Body(Body::UntilClose) => {
                let finished = self.content.finish();
                self.stage = if finished.is_ok() { Stage::Done } else { Stage::Failed };
                return finished;
            }
            Stage::Done => return Ok(()),
            Stage::Head if self.is_at_start() && self.informational == 0 => None,
            Stage::Head => Some("head"),
            Stage::Body(_) | Stage::Failed => Some("body"),
        };
        self.abort();
        Err(inside.map_or(CodecError::EndedBeforeReply, CodecError::EndedInside))
    }

    /// Gives up: whatever came is no reply.
    pub fn abort(&mut self) {
        self.stage = Stage::Failed;
        self.content.abort();
    }

    /// True while no byte of the current head has come; interim replies start over.
    pub fn is_at_start(&self) -> bool {
        matches!(self.stage, Stage::Head) && (self.head.text.is_empty() || self.is_previous)
    }

    /// Interim (1xx) replies skipped since the start.
    pub fn informational(&self) -> u16 {
        self.informational
    }

    /// True when the server asked for the rest of the request with `100 Continue`.
    pub fn has_continued(&self) -> bool {
        self.continued
    }

    /// Bytes of the body so far, after chunked decoding and before content codings are undone.
    pub fn body_bytes(&self) -> u64 {
        self.content.coded_bytes()
    }

    /// Bytes of the body so far once content codings are undone; as they came when there is nothing to undo.
    pub fn decoded_bytes(&self) -> u64 {
        self.content.plain_bytes()
    }

    /// True when the reply is complete and lets the connection live.
    pub fn is_persistent(&self) -> bool {
        matches!(self.stage, Stage::Done) && self.parsed.as_ref().is_some_and(|head| head.persistent)
    }

    /// The complete reply; an empty one while there is none.
    #[inline]
    pub fn reply(&self) -> Reply<'_> {
        match (&self.stage, &self.parsed) {
            (Stage::Done, Some(parsed)) => {
                let (status, body) = (parsed.status, self.content.kept());
                let is_cut = self.expected.is_kept(status) && self.content.plain_bytes() > body.len() as u64;
                Reply::received(ReplyHead { status, fields: self.head.fields() }, body, is_cut, parsed.sets_cookies)
            }
            _ => Reply::default(),
        }
    }

    /// The status of the complete reply.
    #[inline]
    pub fn status(&self) -> Option<u16> {
        self.parsed.as_ref().filter(|_| matches!(self.stage, Stage::Done)).map(|head| head.status)
    }

    /// What came since the start, whether a reply or not: its head, or bytes that are none and have no fields, and the
    /// start of its body as far as it was kept. Together at most [`REMAINS_BYTES_MAX`]. For showing what a server sent.
    pub fn remains(&self) -> (Fields<'_>, &[u8]) {
        if self.is_previous {
            return (Fields::default(), &[]);
        }
        let (head, body) = (&self.head.text, self.content.kept());
        let head = match self.parsed {
            Some(_) => self.head.fields(),
            None => Fields::new(&head[..head.len().min(REMAINS_BYTES_MAX)], &[]),
        };
        (head, &body[..body.len().min(REMAINS_BYTES_MAX - head.text().len())])
    }

    /// Bytes after 101 are those of another protocol.
    #[cold]
    fn explain(&self, error: CodecError) -> CodecError {
        match (error, self.parsed) {
            (CodecError::Surplus, Some(Head { status: 101, .. })) => CodecError::Switched,
            (error, _) => error,
        }
    }

    fn take(&mut self, mut chunk: &[u8]) -> Result<bool, CodecError> {
        while let Stage::Head = self.stage {
            match self.take_head(chunk) {
                Ok(Some(used)) => chunk = &chunk[used..],
                Ok(None) => return Ok(false),
                Err(error) => {
                    if self.head.text.is_empty() {
                        let first = chunk.len().min(REMAINS_BYTES_MAX);
                        self.head.text.extend_from_slice(&chunk[..first]);
                    }
                    return Err(error);
                }
            }
        }
        match &mut self.stage {
            Stage::Body(body) => {
                self.content.advance(body, chunk)?;
                Ok(body.is_done())
            }
            _ if chunk.is_empty() => Ok(true),
            _ => Err(CodecError::Surplus),
        }
    }

    /// Bytes of `chunk` that end the current head; `None` when all of them belong to it and more must come.
    fn take_head(&mut self, chunk: &[u8]) -> Result<Option<usize>, CodecError> {
        if chunk.is_empty() {
            return Ok(None);
        }
        if self.is_previous {
            self.is_previous = false;
            if let Some(head) = self.parsed
                && chunk.starts_with(&self.head.text)
            {
                return self.begin_body(&head).map(|()| Some(head.len));
            }
            self.forget_head();
        }
        let before = self.head.text.len();
        let parsed = if before == 0 {
            parse_head(chunk, self.expected.is_head, &mut self.head.fields)?
        } else {
            self.head.text.extend_from_slice(chunk);
            // Only a line end can complete a head: slow trickles are not parsed again and again.
            if chunk.contains(&b'\n') {
                parse_head(&self.head.text, self.expected.is_head, &mut self.head.fields)?
            } else {
                None
            }
        };
        let Some(head) = parsed else {
            if before == 0 {
                self.head.text.extend_from_slice(chunk);
            }
            return if self.head.text.len() > HEAD_BYTES_MAX { Err(CodecError::HeadTooLarge) } else { Ok(None) };
        };
        if head.len > HEAD_BYTES_MAX {
            return Err(CodecError::HeadTooLarge);
        }
        if head.is_interim() {
            self.head.text.clear();
            self.informational += 1;
            self.continued |= head.status == 100;
            if self.informational > INFORMATIONAL_MAX {
                return Err(CodecError::TooManyInformational);
            }
            return Ok(Some(head.len - before));
        }
        if before == 0 {
            self.head.text.extend_from_slice(&chunk[..head.len]);
        } else {
            self.head.text.truncate(head.len);
        }
        self.parsed = Some(head);
        self.begin_body(&head)?;
        Ok(Some(head.len - before))
    }

    /// Takes what a complete head says. One whose body cannot be taken is not a head of a reply.
    #[inline]
    fn begin_body(&mut self, head: &Head) -> Result<(), CodecError> {
        let begun = match head.body {
            Body::Length(length) if length > self.expected.body_limit => {
                Err(CodecError::BodyLimit(self.expected.body_limit))
            }
            _ => {
                // A part of a coded body cannot be decoded on its own.
                let is_coded = self.expected.decode && !head.body.is_done() && head.status != 206;
                self.content.begin(self.expected.keep_bytes(head.status), is_coded.then_some(&head.codings))
            }
        };
        match begun {
            Ok(()) => self.stage = Stage::Body(head.body),
            Err(_) => self.parsed = None,
        }
        begun
    }
}
