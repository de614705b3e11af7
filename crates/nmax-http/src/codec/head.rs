//! The head of a reply: its status and how its body is framed.

use std::mem::MaybeUninit;

use super::body::{Body, Chunked};
use super::{CodecError, HEADERS_MAX};
use crate::coding::Codings;
use crate::message::Field;

/// Bytes quoted from something that is not HTTP.
const QUOTED_BYTES_MAX: usize = 32;

/// What the hot path needs of a head.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// Bytes, with the empty line.
    pub(super) len: usize,
    pub(super) status: u16,
    pub(super) body: Body,
    /// The connection may carry another exchange afterwards.
    pub(super) persistent: bool,
    /// It has a `set-cookie` header.
    pub(super) sets_cookies: bool,
    /// How the content is coded.
    pub(super) codings: Codings,
}

impl Head {
    /// 1xx, except 101: after it the connection speaks another protocol, so nothing follows.
    pub(super) fn is_interim(&self) -> bool {
        self.status < 200 && self.status != 101
    }
}

/// Reads a head from the start of `bytes`; `None` when it is not complete yet. Of a complete one, `fields` gets all.
pub(super) fn parse_head(bytes: &[u8], is_head: bool, fields: &mut Vec<Field>) -> Result<Option<Head>, CodecError> {
    let mut headers = [const { MaybeUninit::uninit() }; HEADERS_MAX];
    let mut reply = httparse::Response::new(&mut []);
    let parsed = httparse::ParserConfig::default().parse_response_with_uninit_headers(&mut reply, bytes, &mut headers);
    let len = match parsed {
        Ok(httparse::Status::Complete(len)) => len,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(error) => return Err(explain(error, bytes)),
    };
    let status = reply.code.unwrap_or(0);
    if status < 100 {
        return Err(CodecError::BrokenHead(format!("status {status:03}")));
    }
    fields.clear();
    fields.extend(reply.headers.iter().map(|header| Field::parsed(bytes, header)));
    let mut facts = Facts::from_headers(reply.headers);
    let is_http_1_1 = reply.version == Some(1);
    let has_no_body = is_head || status < 200 || matches!(status, 204 | 304);
    let body = if has_no_body { Body::Done } else { facts.body()? };
    let ends_with_connection = matches!(body, Body::UntilClose) || status == 101;
    let persistent =
        !facts.close && !ends_with_connection && (is_http_1_1 || (facts.keep_alive && !facts.transfer_encoding));
    Ok(Some(Head { len, status, body, persistent, sets_cookies: facts.sets_cookies, codings: facts.codings }))
}

fn explain(error: httparse::Error, bytes: &[u8]) -> CodecError {
    if error == httparse::Error::TooManyHeaders {
        CodecError::TooManyHeaders
    } else if bytes.starts_with(b"HTTP/1.") {
        CodecError::BrokenHead(error.to_string())
    } else {
        let first = &bytes[..bytes.len().min(QUOTED_BYTES_MAX)];
        CodecError::NotHttp(first.escape_ascii().to_string())
    }
}

/// The headers that frame a message, summed up.
#[derive(Default)]
struct Facts {
    length: Option<u64>,
    transfer_encoding: bool,
    /// The last transfer coding seen is `chunked`.
    chunked: bool,
    close: bool,
    keep_alive: bool,
    sets_cookies: bool,
    codings: Codings,
    /// Why the body cannot be framed. A reply without a body ends at its head, whatever its headers say.
    problem: Option<CodecError>,
}

impl Facts {
    fn from_headers(headers: &[httparse::Header<'_>]) -> Self {
        let mut facts = Self::default();
        for header in headers {
            // The length tells nearly all other headers apart without a look at their letters.
            match header.name.len() {
                14 if header.name.eq_ignore_ascii_case("content-length") => facts.add_length(header.value),
                16 if header.name.eq_ignore_ascii_case("content-encoding") => facts.codings.add(header.value),
                17 if header.name.eq_ignore_ascii_case("transfer-encoding") => facts.add_coding(header.value),
                10 if header.name.eq_ignore_ascii_case("connection") => facts.add_connection(header.value),
                10 => facts.sets_cookies |= header.name.eq_ignore_ascii_case("set-cookie"),
                _ => {}
            }
        }
        facts
    }

    /// A list of equal lengths counts as one (RFC 9112 section 6.3, rule 5).
    fn add_length(&mut self, value: &[u8]) {
        for item in value.split(|&b| b == b',') {
            match (decimal(item.trim_ascii()), self.length) {
                (None, _) => self.problem = Some(CodecError::ContentLength),
                (Some(length), Some(other)) if length != other => {
                    self.problem = Some(CodecError::ContentLengthConflict);
                }
                (length, _) => self.length = length,
            }
        }
    }

    fn add_coding(&mut self, value: &[u8]) {
        self.transfer_encoding = true;
        for coding in value.split(|&b| b == b',').map(<[u8]>::trim_ascii) {
            if coding.is_empty() {
                continue;
            }
            if self.chunked {
                self.problem = Some(CodecError::TransferEncoding);
            }
            self.chunked = coding.eq_ignore_ascii_case(b"chunked");
        }
    }

    fn add_connection(&mut self, value: &[u8]) {
        for option in value.split(|&b| b == b',').map(<[u8]>::trim_ascii) {
            self.close |= option.eq_ignore_ascii_case(b"close");
            self.keep_alive |= option.eq_ignore_ascii_case(b"keep-alive");
        }
    }

    fn body(&mut self) -> Result<Body, CodecError> {
        if let Some(problem) = self.problem.take() {
            return Err(problem);
        }
        match (self.transfer_encoding, self.length) {
            (true, Some(_)) => Err(CodecError::LengthAndTransferEncoding),
            (true, None) if self.chunked => Ok(Body::Chunked(Chunked::new())),
            (true, None) | (false, None) => Ok(Body::UntilClose),
            (false, Some(0)) => Ok(Body::Done),
            (false, Some(length)) => Ok(Body::Length(length)),
        }
    }
}

/// A number of at least one digit and nothing else; `None` when it does not fit either.
fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |sum, &digit| {
        let value = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        sum.checked_mul(10)?.checked_add(value)
    })
}
