//! Pages of the recorder itself: what a client sees that opens its address in place of using it as a proxy, and the
//! certificate for clients, such as phones, that fetch it this way.

use hyper::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HeaderValue};
use hyper::{Method, Response, StatusCode};

use crate::authority::Ca;
use crate::body::{Passing, full};

/// The page at a path; `None` when there is none.
pub(crate) fn reply(method: &Method, path: &str, ca: &Ca, address: &str) -> Option<Response<Passing>> {
    if method != Method::GET && method != Method::HEAD {
        return None;
    }
    match path {
        "/" => Some(page("text/html; charset=utf-8", front(address), None)),
        "/ca.pem" => Some(page("application/x-pem-file", ca.pem.clone(), Some("nmax-recording-ca.pem"))),
        "/ca.crt" => Some(page("application/x-x509-ca-cert", ca.der.clone(), Some("nmax-recording-ca.crt"))),
        _ => None,
    }
}

/// For everything else that was asked of the recorder itself.
pub(crate) fn missing(address: &str) -> Response<Passing> {
    let text = format!(
        "This is a recording proxy (nmax), not a site.\n  help: set http://{address} as the HTTP proxy of the client; \
         its certificate is at /ca.pem and /ca.crt\n"
    );
    let mut reply = page("text/plain; charset=utf-8", text, None);
    *reply.status_mut() = StatusCode::NOT_FOUND;
    reply
}

pub(crate) fn page(
    kind: &'static str,
    content: impl Into<hyper::body::Bytes>,
    file: Option<&str>,
) -> Response<Passing> {
    let mut reply = Response::new(full(content));
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(value) = file.and_then(|file| HeaderValue::from_str(&format!("attachment; filename=\"{file}\"")).ok()) {
        headers.insert(CONTENT_DISPOSITION, value);
    }
    reply
}

fn front(address: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>nmax is recording</title></head>\n\
         <body><h1>nmax is recording</h1>\n\
         <p>Set <code>{address}</code> as the HTTP and HTTPS proxy of this device.</p>\n\
         <p>For HTTPS, let it trust the certificate of this recording: <a href=\"/ca.pem\">ca.pem</a>, or \
         <a href=\"/ca.crt\">ca.crt</a> for phones. It is valid for a day and only for the recorded hosts. Remove it when \
         the recording has ended.</p></body></html>\n"
    )
}
