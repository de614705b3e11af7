//! Why bytes are no valid reply.

use nmax_metrics::ErrorKind;

use super::{HEAD_BYTES_MAX, HEADERS_MAX, INFORMATIONAL_MAX};

/// The most content codings in a row; a real server uses one.
pub(crate) const CODINGS_MAX: usize = 4;

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
    /// Bytes of another protocol.
    #[error("the server left HTTP with status 101 and went on in another protocol, which nmax does not speak")]
    Switched,
    /// A body beyond the limit, in bytes.
    #[error("the body of the reply is larger than the limit of {0} bytes")]
    BodyLimit(u64),
    /// More content codings than [`CODINGS_MAX`].
    #[error("the reply has more than {CODINGS_MAX} content codings")]
    TooManyCodings,
    /// The body is not what its content coding says.
    #[error("the {coding} data of the reply cannot be undone: {problem}")]
    Coding {
        /// The coding that found out.
        coding: &'static str,
        /// What it found.
        problem: &'static str,
    },
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
