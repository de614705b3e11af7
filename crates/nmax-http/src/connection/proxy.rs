//! The way through an HTTP proxy: absolute targets for `http`, tunnels for `https` (RFC 9112, 3.2.2 and 3.2.3).

use std::fmt;

use nmax_metrics::ErrorKind;
use nmax_reactor::Socket;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::failure::Failure;
use crate::message::RequestText;
use crate::url::{Origin, Scheme};
use crate::wire::WireEvent;

/// The longest reply to CONNECT, in bytes.
const REPLY_BYTES_MAX: usize = 16 * 1024;
/// Header lines that such a reply may have.
const HEADERS_MAX: usize = 64;

/// An HTTP proxy. Requests are rendered as for the server itself: the client makes them absolute.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// Where it listens, without TLS.
    pub origin: Origin,
    /// Value of `proxy-authorization`.
    pub authorization: Option<String>,
}

/// The authorization is a secret.
impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy")
            .field("origin", &self.origin)
            .field("authorization", &self.authorization.is_some())
            .finish()
    }
}

impl Proxy {
    /// What is wrong with these settings, if anything.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        if self.origin.scheme != Scheme::Http {
            return Some("only proxies at http:// are supported; https:// servers behind them are");
        }
        let is_visible = |text: &String| text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if !self.authorization.as_ref().is_none_or(is_visible) {
            return Some("its authorization has characters that no header can hold");
        }
        None
    }

    /// A request for `origin` in the form that a proxy takes. A target in another form stays as it is.
    pub(crate) fn absolute(&self, request: &RequestText, origin: &Origin) -> RequestText {
        let mut out = RequestText::new();
        let base = if request.target().starts_with(b"/") { origin.to_string() } else { String::new() };
        out.begin(request.method(), &[base.as_bytes(), request.target()].concat(), request.version());
        if let Some(value) = &self.authorization {
            out.field("proxy-authorization", value.as_bytes());
        }
        request.fields().iter().for_each(|(name, value)| out.field(name, value));
        out.end(request.body());
        out
    }

    /// Asks the proxy, over a fresh connection, to pass everything on to `origin` from now on. `tell` hears both sides.
    pub(crate) async fn tunnel(
        &self,
        stream: &mut Socket,
        origin: &Origin,
        tell: impl Fn(WireEvent<'_>),
    ) -> Result<(), Failure> {
        let host = with_port(origin);
        let broken = |error: &std::io::Error| {
            Failure::of_io(ErrorKind::Connect, &format!("proxy {}: CONNECT {host}", self.place()), error)
        };
        let mut request = format!("CONNECT {host} HTTP/1.1\r\nhost: {host}\r\n").into_bytes();
        if let Some(value) = &self.authorization {
            request.extend(format!("proxy-authorization: {value}\r\n").into_bytes());
        }
        request.extend(b"\r\n");
        stream.write_all(&request).await.map_err(|error| broken(&error))?;
        tell(WireEvent::Sent(&request));
        let mut reply = Vec::with_capacity(512);
        loop {
            match status_of(&reply) {
                Ok(Some((status, surplus))) => return self.judge(status, surplus, &host),
                Ok(None) if reply.len() < REPLY_BYTES_MAX => {}
                Ok(None) => return Err(self.refusal(&host, "its reply is too long")),
                Err(reason) => return Err(self.refusal(&host, &reason.to_string())),
            }
            let known = reply.len();
            if stream.read_buf(&mut reply).await.map_err(|error| broken(&error))? == 0 {
                tell(WireEvent::ClosedByServer);
                return Err(self.refusal(&host, "it closed the connection"));
            }
            tell(WireEvent::Received(&reply[known..]));
        }
    }

    fn judge(&self, status: u16, surplus: usize, host: &str) -> Result<(), Failure> {
        match status {
            200..=299 if surplus == 0 => Ok(()),
            // The server speaks only when the client has, so these bytes are not from it.
            200..=299 => Err(self.refusal(host, "bytes follow its reply")),
            407 => {
                let what = if self.authorization.is_some() {
                    "it refuses the credentials (status 407)"
                } else {
                    "it wants credentials (status 407): write `http://user:password@host:port`"
                };
                Err(self.refusal(host, what))
            }
            status => Err(self.refusal(host, &format!("it answered with status {status}"))),
        }
    }

    fn refusal(&self, host: &str, what: &str) -> Failure {
        let text = format!("proxy {} makes no tunnel to {host}: {what}", self.place());
        Failure::new(ErrorKind::Connect, text)
    }

    fn place(&self) -> String {
        with_port(&self.origin)
    }
}

/// Host and port, also when it is the scheme's own.
fn with_port(origin: &Origin) -> String {
    if origin.host.contains(':') {
        format!("[{}]:{}", origin.host, origin.port)
    } else {
        format!("{}:{}", origin.host, origin.port)
    }
}

/// Status of the final reply in `bytes` and the number of bytes behind its head; `None` when it is not complete.
fn status_of(mut bytes: &[u8]) -> Result<Option<(u16, usize)>, httparse::Error> {
    loop {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut reply = httparse::Response::new(&mut headers);
        let httparse::Status::Complete(length) = reply.parse(bytes)? else {
            return Ok(None);
        };
        bytes = &bytes[length..];
        match reply.code {
            Some(100..=199) => {}
            status => return Ok(Some((status.unwrap_or_default(), bytes.len()))),
        }
    }
}

#[cfg(test)]
mod tests;
