//! What was recorded: exchanges in the order in which they were sent, with all that is known of them.

use std::time::Duration;

use crate::parts::essence;

/// A recorded visit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Short name: the file's, or the host's.
    pub name: String,
    /// What wrote it, such as `Firefox 140.0`; empty when it does not say.
    pub creator: String,
    /// Exchanges, by instant of sending.
    pub entries: Vec<Entry>,
    /// Names that the person gave to what followed, by instant.
    pub marks: Vec<Mark>,
    /// It is a copied command, not a visit: its cookies and files are what the person has. No file can say so.
    pub is_command: bool,
}

/// A name given while recording: it holds for what is sent from then on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When, in µs since 1970 (UTC).
    pub at_us: i64,
    /// The name, such as `log in`.
    pub name: String,
}

/// A request, its reply, and when.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Position in the file it came from, from 1; how messages name it.
    pub number: usize,
    /// When it was sent, in µs since 1970 (UTC).
    pub sent_us: i64,
    /// How long it took, where that is known.
    pub timings: Timings,
    /// What was sent.
    pub request: Request,
    /// What came back; `None` when nothing did.
    pub response: Option<Response>,
    /// The page that it belongs to, as the file calls it.
    pub page: Option<String>,
    /// What the browser fetched it as.
    pub kind: Kind,
    /// Whoever sent it was to follow redirects, and nothing says where they led (`curl -L`). No file can say so.
    pub is_to_follow: bool,
    /// URL of the document or script that caused it.
    pub initiator: Option<String>,
    /// The browser took it from its own cache.
    pub is_from_cache: bool,
    /// Messages of a WebSocket, or events of a stream.
    pub messages: Vec<Message>,
    /// What the recorder's tool says about it, such as `net::ERR_ABORTED`; empty when nothing.
    pub comment: String,
}

impl Entry {
    /// When its last byte had come, in µs since 1970 (UTC); the instant of sending when that is not known.
    pub fn done_us(&self) -> i64 {
        let total = self.timings.total.unwrap_or_default();
        self.sent_us.saturating_add(i64::try_from(total.as_micros()).unwrap_or(i64::MAX))
    }
}

/// Phases of an exchange; `None` = not known or not applicable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Waiting in the browser for a connection.
    pub blocked: Option<Duration>,
    /// Looking up the name.
    pub dns: Option<Duration>,
    /// Connecting, TLS included (HAR 1.2).
    pub connect: Option<Duration>,
    /// TLS handshake, a part of `connect`.
    pub tls: Option<Duration>,
    /// Sending the request.
    pub send: Option<Duration>,
    /// Until the first byte of the reply.
    pub wait: Option<Duration>,
    /// From the first byte of the reply to its last.
    pub receive: Option<Duration>,
    /// From sending to the last byte.
    pub total: Option<Duration>,
}

/// What a browser fetched something as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A page that a person sees, or a frame.
    Document,
    /// A style sheet.
    Style,
    /// A script.
    Script,
    /// An image.
    Image,
    /// A font.
    Font,
    /// Sound or film.
    Media,
    /// Asked for by a script: XHR, fetch.
    Call,
    /// A WebSocket.
    Socket,
    /// A stream of events (SSE).
    Events,
    /// A beacon, ping or report that nobody waits for.
    Beacon,
    /// A CORS preflight.
    Preflight,
    /// Not known.
    #[default]
    Other,
}

/// A request as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Method, in capitals.
    pub method: String,
    /// Absolute URL, without a fragment.
    pub url: String,
    /// `HTTP/1.1`, `h2`, ..; empty when unknown.
    pub version: String,
    /// Headers in order, without pseudo headers of HTTP/2.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: Option<Body>,
}

/// A reply as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// `HTTP/1.1`, `h2`, ..; empty when unknown.
    pub version: String,
    /// Headers in order; repeated ones are repeated.
    pub headers: Vec<(String, String)>,
    /// Its body, content codings undone; `None` when the recording does not have it.
    pub body: Option<Body>,
    /// Bytes of the body on the wire.
    pub bytes: Option<u64>,
}

impl Response {
    /// Its content type without parameters, in small letters; empty when unknown.
    pub fn mime(&self) -> String {
        let of_body = || self.body.as_ref().map(|body| body.mime.as_str());
        essence(header(&self.headers, "content-type").or_else(of_body).unwrap_or_default())
    }

    /// Whether it is a page of HTML.
    pub(crate) fn is_html(&self) -> bool {
        matches!(self.mime().as_str(), "text/html" | "application/xhtml+xml")
    }
}

/// A body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Content type, with parameters; empty when unknown.
    pub mime: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Fields of a form, in order, decoded: what [`crate::form::fields`] finds in the bytes.
    pub fields: Vec<Field>,
    /// Its bytes are those of this file, which the recording does not have (`curl -d @FILE`).
    pub file: Option<String>,
    /// Only its beginning was kept.
    pub is_cut: bool,
}

/// A field of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// Name, decoded.
    pub name: String,
    /// Value, decoded.
    pub value: String,
    /// Name of the uploaded file.
    pub file_name: Option<String>,
    /// Type of the uploaded file.
    pub content_type: Option<String>,
}

/// A message of a WebSocket or an event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The client sent it.
    pub is_sent: bool,
    /// When, in µs since 1970 (UTC).
    pub at_us: i64,
    /// Opcode of RFC 6455: 1 text, 2 binary.
    pub opcode: u8,
    /// Its content; base64 of it when the opcode says binary.
    pub data: String,
}

/// First header of that name, in any case.
pub fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Whether a request can carry a header of this name: a token (RFC 9110, 5.6.2) that is not too long.
pub(crate) fn is_header_name(text: &str) -> bool {
    const BYTES_MAX: usize = 200;
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.len() <= BYTES_MAX && text.bytes().all(is_sign)
}

/// Something that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Position of its recording among those of a plan, from 0.
    pub recording: usize,
    /// Number of the entry in its file, from 1.
    pub number: usize,
    /// Its URL, or what stands in its place.
    pub url: String,
    /// Why, in words.
    pub reason: String,
}
