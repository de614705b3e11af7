//! Requests as bytes, rendered into a reused buffer.

use nmax_http::Url;
use nmax_plan::plan::{Body, Plan, Request, Version};
use nmax_plan::template::{Escape, Template, Values};

use crate::program::{Fixed, keeps_alive};

/// What a request says about its sender unless the plan says otherwise.
const USER_AGENT: &str = concat!("nmax/", env!("CARGO_PKG_VERSION"));

/// A request without holes, rendered once.
pub(crate) fn fixed(plan: &Plan, request: &Request, url: &Url, authority: &str) -> Fixed {
    let mut target = url.target.clone().into_bytes();
    query(&request.query, &NoValues, &mut target);
    let mut bytes = Vec::with_capacity(256);
    let mut body = Vec::new();
    let cookies_at = message(plan, request, &target, authority, &NoValues, &mut body, &mut bytes);
    Fixed {
        bytes,
        cookies_at,
        target: String::from_utf8_lossy(&target).into_owned(),
    }
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

/// Writes a whole request into `out`; `body` is a scratch buffer. Returns where a `cookie` line belongs.
pub(crate) fn message(
    plan: &Plan,
    request: &Request,
    target: &[u8],
    authority: &str,
    values: &impl Values,
    body: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> usize {
    let version: &[u8] = match plan.defaults.version {
        Version::Http10 => b" HTTP/1.0\r\n",
        Version::Http11 => b" HTTP/1.1\r\n",
    };
    for piece in [request.method.token().as_bytes(), b" ", target, version] {
        out.extend_from_slice(piece);
    }
    let given = |name: &str| {
        plan.defaults
            .headers
            .iter()
            .chain(&request.headers)
            .any(|(given, _)| given.eq_ignore_ascii_case(name))
    };
    let connection = if keeps_alive(plan) { "keep-alive" } else { "close" };
    let own = [
        ("host", authority),
        ("user-agent", USER_AGENT),
        ("accept", "*/*"),
        ("connection", connection),
    ];
    for (name, value) in own {
        if !given(name) {
            line(out, name, value.as_bytes());
        }
    }
    for (name, value) in &plan.defaults.headers {
        if !request.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name)) {
            templated_line(out, name, value, values);
        }
    }
    for (name, value) in &request.headers {
        templated_line(out, name, value, values);
    }
    body_lines(request, given("content-type"), values, body, out);
    let cookies_at = out.len();
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(body);
    cookies_at
}

fn body_lines(request: &Request, has_type: bool, values: &impl Values, body: &mut Vec<u8>, out: &mut Vec<u8>) {
    body.clear();
    let content_type = match &request.body {
        // A POST without a body says so (RFC 9110, 8.6).
        Body::Empty if request.method.is_idempotent() => return,
        Body::Empty => "",
        Body::Text(text) => {
            text.render(body, values, Escape::None);
            "text/plain; charset=utf-8"
        }
        Body::Json(text) => {
            text.render(body, values, Escape::Json);
            "application/json"
        }
        Body::Form(fields) => {
            for (index, (name, value)) in fields.iter().enumerate() {
                if index > 0 {
                    body.push(b'&');
                }
                name.render(body, values, Escape::Form);
                body.push(b'=');
                value.render(body, values, Escape::Form);
            }
            "application/x-www-form-urlencoded"
        }
        Body::Multipart(_) | Body::File(_) => "",
    };
    if !has_type && !content_type.is_empty() {
        line(out, "content-type", content_type.as_bytes());
    }
    out.extend_from_slice(b"content-length: ");
    decimal(out, body.len());
    out.extend_from_slice(b"\r\n");
}

fn line(out: &mut Vec<u8>, name: &str, value: &[u8]) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
}

/// A header line; line breaks that a hole brings in become spaces, so that data cannot add headers.
fn templated_line(out: &mut Vec<u8>, name: &str, value: &Template, values: &impl Values) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    let start = out.len();
    value.render(out, values, Escape::None);
    out[start..]
        .iter_mut()
        .filter(|byte| matches!(byte, b'\r' | b'\n' | 0))
        .for_each(|byte| *byte = b' ');
    out.extend_from_slice(b"\r\n");
}

fn decimal(out: &mut Vec<u8>, number: usize) {
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

/// The values of a request without holes.
struct NoValues;

impl Values for NoValues {
    fn slot(&self, _: usize) -> &str {
        ""
    }
    fn feeder(&self, _: usize, _: usize) -> &str {
        ""
    }
    fn iteration(&self) -> u64 {
        0
    }
    fn vu(&self) -> u32 {
        0
    }
}
