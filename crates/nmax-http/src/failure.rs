//! Why there was no valid reply: a kind to count by, and words for a person.
//!
//! Texts hold addresses and error names but no counts or times, so that equal causes have equal texts. One time is told:
//! how long a kept connection had been idle before it broke.

use std::borrow::Cow;
use std::error::Error as _;
use std::io;

use nmax_metrics::{ErrorKind, Nanos};
use rustix::io::Errno;
use tokio_rustls::rustls::{self, AlertDescription, CertificateError, InvalidMessage};

use crate::codec::CodecError;

#[cfg(test)]
mod tests;

/// The error that ended an exchange.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// How it is counted.
    pub kind: ErrorKind,
    /// What exactly happened: the address, the system's error, the reason of TLS.
    pub text: Cow<'static, str>,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: ErrorKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, text: text.into() }
    }

    /// `error` met while doing `what`, which counts as `kind` unless this host ran out of something.
    pub(crate) fn of_io(kind: ErrorKind, what: &str, error: &io::Error) -> Self {
        match exhausted(error) {
            Some(remedy) => Self::new(ErrorKind::Injector, format!("{what}: {remedy}")),
            None => Self::new(kind, format!("{what}: {error}")),
        }
    }

    /// `error` met while talking over an open connection.
    pub(crate) fn of_stream(error: &io::Error) -> Self {
        match tls_reason(error) {
            Some(reason) => Self::new(ErrorKind::Tls, reason),
            None => Self::of_io(ErrorKind::Reset, "the connection broke before the reply was complete", error),
        }
    }

    /// As met on a kept connection that had been idle for this long before the request. A server that closes it before a
    /// byte of the reply does so mostly because it was idle.
    pub(crate) fn on_kept(self, idle: Nanos, is_unanswered: bool) -> Self {
        if self.kind != ErrorKind::Reset {
            return self;
        }
        let ms = idle.0 as f64 / 1e6;
        let idle = if ms < 9_999.5 { format!("{ms:.0} ms") } else { format!("{:.1} s", ms / 1e3) };
        let text = match is_unanswered {
            true => format!(
                "the server closed the kept connection (idle for {idle}) before it answered; to avoid it, raise the \
                 server's idle limit above the pauses of users, or set `connection: per-request`"
            ),
            false => format!("{} (on a kept connection, idle for {idle} before the request)", self.text),
        };
        Self { text: text.into(), ..self }
    }

    /// `error` met during the TLS handshake with `host`.
    pub(crate) fn of_handshake(host: &str, error: &io::Error) -> Self {
        match tls_reason(error) {
            Some(reason) => Self::new(ErrorKind::Tls, format!("{host}: {reason}")),
            None => Self::of_io(ErrorKind::Tls, &format!("{host}: TLS handshake"), error),
        }
    }
}

impl From<CodecError> for Failure {
    fn from(error: CodecError) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

/// What this host ran out of, and how to get more; `None` for every other error.
fn exhausted(error: &io::Error) -> Option<&'static str> {
    Some(match Errno::from_io_error(error)? {
        Errno::MFILE => "this process has too many open files (EMFILE): raise its limit with `ulimit -n`",
        Errno::NFILE => "this machine has too many open files (ENFILE): raise `fs.file-max`",
        Errno::ADDRNOTAVAIL => {
            "no free local port or address (EADDRNOTAVAIL): keep connections alive, widen `net.ipv4.ip_local_port_range`, or give several source addresses"
        }
        Errno::NOBUFS => "the kernel has no buffer space (ENOBUFS): raise `net.ipv4.tcp_mem` or use fewer connections",
        Errno::NOMEM => "no memory (ENOMEM): use fewer connections",
        _ => return None,
    })
}

/// The reason when the error came from TLS, in words.
fn tls_reason(error: &io::Error) -> Option<String> {
    let mut source = error.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
    while let Some(inner) = source {
        if let Some(tls) = inner.downcast_ref::<rustls::Error>() {
            return Some(in_words(tls));
        }
        source = inner.source();
    }
    error.source().and_then(|inner| inner.downcast_ref::<rustls::Error>()).map(in_words)
}

fn in_words(error: &rustls::Error) -> String {
    use rustls::Error;
    match error {
        Error::InvalidCertificate(reason) => certificate_in_words(reason),
        Error::InvalidMessage(
            InvalidMessage::InvalidContentType
            | InvalidMessage::UnknownProtocolVersion
            | InvalidMessage::MessageTooLarge,
        ) => "the port does not speak TLS; it may speak plain HTTP: try http://".into(),
        Error::AlertReceived(AlertDescription::HandshakeFailure) => {
            "the server refused the TLS handshake: no cipher or version in common, or it wants a client certificate"
                .into()
        }
        Error::AlertReceived(AlertDescription::ProtocolVersion) => "the server speaks no TLS 1.2 or 1.3".into(),
        Error::AlertReceived(AlertDescription::UnrecognisedName) => "the server does not know this host name".into(),
        Error::AlertReceived(AlertDescription::CertificateRequired) => {
            "the server wants a client certificate, and none was given".into()
        }
        // Only our own certificate can be meant: it is the server who complains.
        Error::AlertReceived(AlertDescription::UnknownCA) => {
            "the server refuses the client certificate: it does not know its issuer".into()
        }
        Error::AlertReceived(AlertDescription::CertificateExpired) => {
            "the server refuses the client certificate: it has expired".into()
        }
        Error::AlertReceived(
            AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateUnknown
            | AlertDescription::DecryptError
            | AlertDescription::AccessDenied,
        ) => format!("the server refuses the client certificate, or wants one ({error})"),
        other => other.to_string(),
    }
}

fn certificate_in_words(reason: &CertificateError) -> String {
    match reason {
        CertificateError::UnknownIssuer => "the certificate has an unknown issuer".into(),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("the certificate is for another host name ({reason})")
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "the certificate has expired".into(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "the certificate is not valid yet".into()
        }
        CertificateError::Revoked => "the certificate is revoked".into(),
        other => format!("the certificate is not valid: {other}"),
    }
}
