//! What NATS, its configuration or the way to it refuse, and what to do about it.

use async_nats::ConnectErrorKind;

/// The oldest server that a fleet can use: per-message TTL came with 2.11, the fixes of its expiry with 2.12.
pub const VERSION_MIN: (u32, u32) = (2, 12);

/// Why something cannot be done with NATS.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NatsError {
    /// No server answers.
    #[error(
        "no NATS server answers at {urls}: {reason}\n  help: start one (`nmax fleet key` writes its fleet.conf), or give the address of one that runs"
    )]
    Unreachable {
        /// Where it was tried.
        urls: String,
        /// What the last one failed with.
        reason: String,
    },
    /// The connection was lost.
    #[error(
        "the connection to NATS at {urls} is lost\n  help: nmax connects again by itself; what is not sent stays on the injector's disk"
    )]
    Cut {
        /// Where it was.
        urls: String,
    },
    /// Results cannot be kept on the injector's disk.
    #[error(
        "the spool {path} keeps nothing: {reason}\n  help: make room; what is not kept is lost, and named so in the report"
    )]
    Spool {
        /// Its file.
        path: String,
        /// Why.
        reason: String,
    },
    /// The server does not know the user.
    #[error(
        "the NATS server at {urls} refuses these credentials: {reason}\n  help: give the fleet.key or fleet.trust that this server's fleet.conf was made with, or --creds FILE"
    )]
    Credentials {
        /// Where it was tried.
        urls: String,
        /// What the server or the file says.
        reason: String,
    },
    /// The encrypted connection fails.
    #[error(
        "TLS to the NATS server at {urls} fails: {reason}\n  help: use the keys that this server's certificate was made with, or --tls-ca FILE, and connect by a name in it"
    )]
    Tls {
        /// Where it was tried.
        urls: String,
        /// What is wrong.
        reason: String,
    },
    /// Traffic would leave the machine unprotected.
    #[error(
        "{host} is not on this machine, and {missing}\n  help: connect with TLS and credentials: results and plans travel over this connection"
    )]
    Unprotected {
        /// The server.
        host: String,
        /// What protection lacks.
        missing: &'static str,
    },
    /// The server lacks what leases need.
    #[error(
        "the NATS server has version {version}, and a fleet needs {}.{} or later\n  help: update nats-server; leases need its per-message TTL", VERSION_MIN.0, VERSION_MIN.1
    )]
    Old {
        /// Its version.
        version: String,
    },
    /// There is nothing that keeps messages.
    #[error(
        "the NATS server does not offer JetStream: {reason}\n  help: start it with `-js` or a `jetstream` block, and enable JetStream for the account"
    )]
    NoJetStream {
        /// What it says.
        reason: String,
    },
    /// A stream is missing or differs from what a fleet needs.
    #[error("the stream {stream} {reason}\n  help: {help}")]
    Stream {
        /// Its name.
        stream: String,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        help: String,
    },
    /// A stream takes nothing more.
    #[error(
        "the stream {stream} is full: {reason}\n  help: raise its max_bytes, or delete old runs; what is not sent stays on the injector's disk"
    )]
    Full {
        /// Its name, or subject.
        stream: String,
        /// What the server says.
        reason: String,
    },
    /// The user may not do this.
    #[error(
        "the user may not use `{what}`\n  help: `nmax fleet key` writes users with their permissions into fleet.conf; start the server with it"
    )]
    Denied {
        /// A subject.
        what: String,
    },
    /// A message is larger than the server takes.
    #[error(
        "a message of {bytes} bytes is larger than the server takes ({max})\n  help: raise `max_payload` of the server"
    )]
    Large {
        /// Its length.
        bytes: usize,
        /// `max_payload` of the server.
        max: usize,
    },
    /// No answer came in time, or the connection is down.
    #[error("no answer for `{what}`: {reason}\n  help: nmax tries again when the server is back")]
    Lost {
        /// A subject.
        what: String,
        /// What failed.
        reason: String,
    },
    /// Another wrote first.
    #[error("another wrote `{what}` first")]
    Raced {
        /// A subject.
        what: String,
    },
    /// A file is not there, or is another than its name says.
    #[error("the file {hash} of the run {reason}\n  help: order the run again")]
    File {
        /// SHA-256, hex.
        hash: String,
        /// What is wrong.
        reason: String,
    },
    /// The server refuses for another reason.
    #[error("NATS refuses `{what}`: {reason}")]
    Refused {
        /// A subject or an operation.
        what: String,
        /// What the server says.
        reason: String,
    },
}

impl NatsError {
    /// A stream that those who order runs make.
    pub(crate) fn missing(stream: &str) -> Self {
        let help = "`nmax fleet check` or the first `nmax fleet run` makes it, with fleet.key";
        Self::Stream { stream: stream.into(), reason: "is missing".into(), help: help.into() }
    }

    /// What a failed connection means.
    pub(crate) fn connecting(urls: &str, error: &async_nats::ConnectError) -> Self {
        let (urls, reason) = (urls.to_owned(), chain(error));
        match error.kind() {
            ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                Self::Credentials { urls, reason }
            }
            ConnectErrorKind::Tls => Self::Tls { urls, reason },
            _ if reason.contains("certificate") => Self::Tls { urls, reason },
            // What answers in plain text.
            _ if reason.contains("corrupt message") => {
                Self::Tls { urls, reason: "the server does not speak it".into() }
            }
            _ => Self::Unreachable { urls, reason },
        }
    }

    /// What an error of the client for an operation means.
    pub(crate) fn of_operation(what: &str, error: &dyn std::error::Error) -> Self {
        Self::Refused { what: what.into(), reason: chain(error) }
    }
}

/// An error with its causes, each once.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}
