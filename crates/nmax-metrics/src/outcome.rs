//! How an exchange ended: *ok*, *failed* (a valid reply that is not ok) or *error* (no valid reply).

/// The end of an exchange.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// A valid reply with an expected status, and every check held.
    Ok,
    /// A valid reply that is not ok.
    Failed,
    /// No valid reply.
    Error(ErrorKind),
}

nmax_text::named! {
    /// Why there was no valid reply.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum ErrorKind {
        /// The host name did not resolve.
        Dns = "dns",
        /// The connection was refused or not reachable.
        Connect = "connect",
        /// The TLS handshake failed, a wrong certificate included.
        Tls = "tls",
        /// A time limit passed; the latency is right-censored at that limit.
        Timeout = "timeout",
        /// The connection was closed or reset before the reply was complete.
        Reset = "reset",
        /// The reply was not HTTP.
        Protocol = "protocol",
        /// The reply was larger than the limit.
        BodyLimit = "body_limit",
        /// The address may not be loaded under the safety rules.
        Blocked = "blocked",
        /// This host ran out of something (ports, descriptors): never the server's fault.
        Injector = "injector",
    }
    /// The name used in JSON, tables and thresholds.
    name
}

impl ErrorKind {
    /// Position in [`ErrorKind::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }

    /// What the person who reads the result can do about it.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Dns => "check the host name, or give the address",
            Self::Connect => "check that the server listens on this address and port, and that no firewall is between",
            Self::Tls => "check the certificate's host name, issuer and dates; `--ca FILE` trusts your own issuer",
            Self::Timeout => {
                "a time limit passed, which the text names: see what the server waits for, or raise that limit"
            }
            Self::Reset => "the server or something between closed the connection: see its log and its limits",
            Self::Protocol => {
                "the reply breaks the rules of HTTP/1.1: look at it with `nmax check URL --wire`; if nothing of it is HTTP, check scheme and port"
            }
            Self::BodyLimit => "the reply is larger than the limit: raise it, or ask for less",
            Self::Blocked => "see `nmax run --help`, section Safety, for what may be loaded and how to allow more",
            Self::Injector => {
                "this machine could not do its part: raise its limits, or see the examples of kind `injector`"
            }
        }
    }
}
