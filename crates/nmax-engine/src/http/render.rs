//! Requests as bytes, rendered into a reused buffer.

use nmax_http::{Piece, RequestText, Url};
use nmax_plan::plan::{Body, HttpCall, Method, Plan, Version};
use nmax_plan::template::{Escape, Template, Values};

use crate::http::multipart;
use crate::http::prepared::{Fixed, HttpPrepared, keeps_alive};
use crate::user::values::NoValues;

/// What a request says about its sender unless the plan says otherwise.
const USER_AGENT: &str = concat!("nmax/", env!("CARGO_PKG_VERSION"));
/// Headers that another origin must not see, and the name of the origin itself.
const OF_ORIGIN: [&str; 4] = ["authorization", "cookie", "proxy-authorization", "host"];
/// Headers that say something about a body, beside those that begin with `content-`.
const OF_BODY: [&str; 2] = ["expect", "transfer-encoding"];

/// How a request goes out: as its step says, or as redirects left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) method: Method,
    /// A redirect may have taken the body, and what headers say about it.
    pub(crate) has_body: bool,
    /// A redirect to another origin takes what only the first one may see.
    pub(crate) has_credentials: bool,
}

impl Form {
    /// As the step says.
    pub(crate) fn from_call(request: &HttpCall) -> Self {
        Self { method: request.method, has_body: true, has_credentials: true }
    }

    /// Whether a header that the plan gives goes out.
    fn sends(self, header: &str) -> bool {
        let is_one_of = |list: &[&str]| list.iter().any(|name| name.eq_ignore_ascii_case(header));
        (self.has_credentials || !is_one_of(&OF_ORIGIN))
            && (self.has_body || !(is_about_body(header) || is_one_of(&OF_BODY)))
    }
}

fn is_about_body(header: &str) -> bool {
    header.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("content-"))
}

/// A request to be written.
pub(crate) struct Message<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) request: &'a HttpCall,
    pub(crate) prepared: &'a HttpPrepared,
    pub(crate) form: Form,
    /// `host` header of the origin.
    pub(crate) authority: &'a str,
    /// Path and query.
    pub(crate) target: &'a [u8],
}

/// A body on its way: its bytes, and where files belong in them.
#[derive(Debug, Default)]
pub(crate) struct BodyBuffer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) marks: Vec<usize>,
}

impl BodyBuffer {
    /// All up to the first file: what is written along with the head.
    pub(crate) fn beginning(&self) -> &[u8] {
        &self.bytes[..self.marks.first().copied().unwrap_or(self.bytes.len())]
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.marks.clear();
    }
}

/// A request without holes, rendered once.
pub(crate) fn fixed(plan: &Plan, request: &HttpCall, prepared: &HttpPrepared, url: &Url) -> Fixed {
    let mut target = url.target.clone().into_bytes();
    query(&request.query, &NoValues, &mut target);
    let (mut text, mut body) = (RequestText::new(), BodyBuffer::default());
    let message = Message {
        plan,
        request,
        prepared,
        form: Form::from_call(request),
        authority: &prepared.authority,
        target: &target,
    };
    message.write(&NoValues, &mut body, &mut text);
    text.end(body.beginning());
    if body.marks.is_empty() {
        body = BodyBuffer::default();
    }
    Fixed { text, body: body.bytes, marks: body.marks }
}

/// What follows the bytes of a request whose body has files: each file, and what comes after it.
pub(crate) fn pieces<'a>(prepared: &'a HttpPrepared, body: &'a [u8], marks: &[usize]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let ends = marks.iter().skip(1).copied().chain([body.len()]);
    for ((file, from), to) in prepared.files.iter().zip(marks).zip(ends) {
        pieces.push(Piece::File { name: &file.name, file: &file.file, length: file.length });
        if *from < to {
            pieces.push(Piece::Bytes(&body[*from..to]));
        }
    }
    pieces
}

/// Whether the body waits for `100 Continue`. HTTP/1.0 does not know it, and without a body there is nothing to wait
/// for (RFC 9110, 10.1.1).
#[inline]
pub(crate) fn waits_for_continue(plan: &Plan, request: &HttpCall, form: Form) -> bool {
    request.expect_continue && form.has_body && request.body != Body::Empty && plan.defaults.version == Version::Http11
}

/// Appends the parameters of a step to a path; encoded, with `?` or `&` as needed.
pub(crate) fn query(pairs: &[(Template, Template)], values: &impl Values, out: &mut Vec<u8>) {
    for (name, value) in pairs {
        out.push(if out.contains(&b'?') { b'&' } else { b'?' });
        name.render(out, values, Escape::Url);
        out.push(b'=');
        value.render(out, values, Escape::Url);
    }
}

impl Message<'_> {
    /// Writes the head into `out`, which its caller ends, and the whole body into `body`.
    pub(crate) fn write(&self, values: &impl Values, body: &mut BodyBuffer, out: &mut RequestText) {
        let (plan, request) = (self.plan, self.request);
        let version = match plan.defaults.version {
            Version::Http10 => "HTTP/1.0",
            Version::Http11 => "HTTP/1.1",
        };
        out.begin(self.form.method.token().as_bytes(), self.target, version);
        let own = [
            ("host", self.authority),
            ("user-agent", USER_AGENT),
            ("accept", "*/*"),
            ("connection", if keeps_alive(plan) { "keep-alive" } else { "close" }),
        ];
        for (name, value) in own {
            if !self.is_given(name) {
                out.field(name, value.as_bytes());
            }
        }
        self.accept_encoding(out);
        for (name, value) in &plan.defaults.headers {
            let is_replaced = request.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
            if !is_replaced && self.sends(name) {
                templated(out, name, value, values);
            }
        }
        for (name, value) in &request.headers {
            if self.sends(name) {
                templated(out, name, value, values);
            }
        }
        body.clear();
        if self.form.has_body {
            self.body_fields(values, body, out);
        }
    }

    /// Whether the plan gives this header itself.
    fn is_given(&self, name: &str) -> bool {
        let mut given = self.plan.defaults.headers.iter().chain(&self.request.headers);
        given.any(|(given, _)| given.eq_ignore_ascii_case(name)) && self.sends(name)
    }

    /// Whether a header that the plan gives goes out. A type of its own would hide the boundary of a multipart body.
    fn sends(&self, name: &str) -> bool {
        let hides_boundary =
            matches!(self.request.body, Body::Multipart(_)) && name.eq_ignore_ascii_case("content-type");
        !hides_boundary && self.form.sends(name)
    }

    fn accept_encoding(&self, out: &mut RequestText) {
        let codings = &self.plan.defaults.compression;
        if codings.is_empty() || self.is_given("accept-encoding") {
            return;
        }
        out.field_from("accept-encoding", |out| {
            for (index, coding) in codings.iter().enumerate() {
                out.extend_from_slice(if index > 0 { b", " } else { b"" });
                out.extend_from_slice(coding.token().as_bytes());
            }
            true
        });
    }

    /// Renders the body, and writes the fields that say what it is.
    fn body_fields(&self, values: &impl Values, body: &mut BodyBuffer, out: &mut RequestText) {
        let bytes = &mut body.bytes;
        let content_type = match &self.request.body {
            // A POST without a body says so (RFC 9110, 8.6).
            Body::Empty if self.form.method.is_idempotent() => return,
            Body::Empty => "",
            Body::Text(text) => {
                text.render(bytes, values, Escape::None);
                "text/plain; charset=utf-8"
            }
            Body::Json(text) => {
                text.render(bytes, values, Escape::Json);
                "application/json"
            }
            Body::Form(fields) => {
                form(fields, values, bytes);
                "application/x-www-form-urlencoded"
            }
            Body::Multipart(parts) => {
                multipart::write(parts, &self.prepared.boundary, values, body);
                "multipart/form-data; boundary="
            }
            Body::File(_) => {
                body.marks.push(0);
                "application/octet-stream"
            }
        };
        if !content_type.is_empty() && !self.is_given("content-type") {
            out.field_from("content-type", |out| {
                out.extend_from_slice(content_type.as_bytes());
                out.extend_from_slice(self.prepared.boundary.as_bytes());
                true
            });
        }
        let files: u64 = self.prepared.files.iter().map(|file| file.length).sum();
        out.field_from("content-length", |out| {
            decimal(out, body.bytes.len() as u64 + files);
            true
        });
        if waits_for_continue(self.plan, self.request, self.form) && !self.is_given("expect") {
            out.field("expect", b"100-continue");
        }
    }
}

/// `application/x-www-form-urlencoded`.
fn form(fields: &[(Template, Template)], values: &impl Values, out: &mut Vec<u8>) {
    for (index, (name, value)) in fields.iter().enumerate() {
        if index > 0 {
            out.push(b'&');
        }
        name.render(out, values, Escape::Form);
        out.push(b'=');
        value.render(out, values, Escape::Form);
    }
}

/// A header; line breaks that a hole brings in become spaces, so that data cannot add headers.
fn templated(out: &mut RequestText, name: &str, value: &Template, values: &impl Values) {
    out.field_from(name, |out| {
        let start = out.len();
        value.render(out, values, Escape::None);
        out[start..].iter_mut().filter(|byte| matches!(byte, b'\r' | b'\n' | 0)).for_each(|byte| *byte = b' ');
        true
    });
}

fn decimal(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
