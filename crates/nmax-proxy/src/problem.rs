//! Why there is no reply, in words, with what may help; and as a page for the person in front of the browser.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use hyper::header::{ACCEPT, HeaderMap};
use hyper::{Response, StatusCode};
use nmax_text::html::escape;

use crate::body::Passing;
use crate::own::page;

/// Why a server could not be asked; most begin with its host and port.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("the name {0} cannot be resolved: {1}")]
    Resolve(String, io::Error),
    #[error("{0} cannot be reached: {1}")]
    Connect(String, io::Error),
    #[error("{0} did not answer within {wait} s", wait = .1.as_secs())]
    Slow(String, Duration),
    #[error("{0} is not trusted: {1}")]
    Certificate(String, String),
    #[error("TLS with {0} failed: {1}")]
    Tls(String, String),
    #[error("{0} is this recorder itself")]
    Loop(String),
    #[error("{0} sent no valid reply: {1}")]
    Reply(String, String),
    #[error("{0} is at {1}, which only the recorder's own host may reach: it is not lent to clients of other hosts")]
    NotLent(String, IpAddr),
    #[error("the request names no host: {0}")]
    NoHost(String),
    #[error("{0} is asked by browsers themselves, which is not wanted here")]
    Refused(String),
    #[error("the recording has ended")]
    Ended,
}

impl Problem {
    /// What the client gets.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Slow(..) => StatusCode::GATEWAY_TIMEOUT,
            Self::Loop(..) => StatusCode::LOOP_DETECTED,
            Self::NoHost(_) => StatusCode::BAD_REQUEST,
            Self::Refused(_) | Self::NotLent(..) => StatusCode::FORBIDDEN,
            Self::Ended => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::BAD_GATEWAY,
        }
    }

    /// What may help.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Self::Resolve(..) => "check the spelling of the name, and that this machine can resolve it",
            Self::Connect(_, source) if source.kind() == io::ErrorKind::ConnectionRefused => {
                "nothing listens there: start the server, or check the port"
            }
            Self::Connect(..) => "check the address, the network and the firewall between this machine and the server",
            Self::Slow(..) => "check that the server runs, and that no firewall swallows the connection",
            Self::Certificate(..) => {
                "record with --upstream-ca FILE, a PEM file with this certificate or with that of its issuer, or with \
                 --insecure to take any certificate"
            }
            Self::Tls(..) => "check that the server speaks TLS 1.2 or 1.3 on this port; plain HTTP has http:// URLs",
            Self::Loop(..) => "open the site that is to be recorded, not the address of the recorder",
            Self::Reply(..) => "try again; if it stays so, look into the server's log",
            Self::NotLent(..) => {
                "record with --host and this name when it belongs to the site, or use a client on the recorder's own host"
            }
            Self::NoHost(_) => "set this address as the HTTP proxy of the client",
            Self::Refused(_) => "record with --host and this name when it belongs to the site",
            Self::Ended => "start a new one with `nmax record`",
        }
    }

    /// What it is and what may help, for the recording.
    pub(crate) fn told(&self) -> String {
        format!("{self}: {}", self.remedy())
    }

    /// The page, or the text for clients that do not want HTML.
    pub(crate) fn page(&self, headers: &HeaderMap) -> Response<Passing> {
        let wants_html = headers.get(ACCEPT).is_some_and(|accept| accept.as_bytes().starts_with(b"text/html"));
        let (kind, text) = if wants_html {
            let (what, help) = (escape(&self.to_string()), escape(self.remedy()));
            let text = format!(
                "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>No reply</title></head>\n\
                 <body><h1>No reply</h1>\n<p>{what}.</p>\n<p>What may help: {help}.</p>\n\
                 <p>This page comes from the recorder (nmax), not from the site.</p></body></html>\n"
            );
            ("text/html; charset=utf-8", text)
        } else {
            let text = format!("error: {self}\n  help: {}\n(from the recorder, nmax)\n", self.remedy());
            ("text/plain; charset=utf-8", text)
        };
        let mut page = page(kind, text, None);
        *page.status_mut() = self.status();
        page
    }
}
