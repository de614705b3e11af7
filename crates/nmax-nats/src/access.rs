//! Where NATS is, as whom nmax connects, and how the connection is protected.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::time::Duration;

use async_nats::{ConnectOptions, ServerAddr, ServerInfo};

use crate::error::NatsError;

/// How long a server has for its greeting.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// How long an answer may take: twice the longest gap after the leader of three was killed would be 15 s, but what is not
/// answered is asked again.
pub(crate) const ANSWER_MAX: Duration = Duration::from_secs(5);
/// A connection that is silent for twice as long is given up.
const PING: Duration = Duration::from_secs(5);
/// The longest pause between attempts to connect again.
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// How to connect.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// One server or several of a cluster: `nats://host:port`, `tls://host:port`.
    pub urls: Vec<String>,
    /// As whom.
    pub credentials: Credentials,
    /// Certificates.
    pub tls: Tls,
    /// Which servers of the cluster are used.
    pub servers: Servers,
    /// What connections beyond this machine need.
    pub protection: Protection,
}

/// As whom nmax connects.
#[derive(Clone, Default)]
pub enum Credentials {
    /// As the URL says, or as an unknown user.
    #[default]
    None,
    /// A credentials file: a user's JWT and seed.
    File(PathBuf),
    /// The seed of an nkey (`SU..`).
    Nkey(String),
    /// A token.
    Token(String),
    /// A name and a password.
    User(String, String),
}

/// Secrets stay out of logs.
impl std::fmt::Debug for Credentials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::File(_) => "File(..)",
            Self::Nkey(_) => "Nkey(..)",
            Self::Token(_) => "Token(..)",
            Self::User(..) => "User(..)",
        })
    }
}

/// Certificates of the connection.
#[derive(Clone, Debug, Default)]
pub struct Tls {
    /// Authorities that sign servers, as PEM; none for those of the machine.
    pub authorities: Vec<PathBuf>,
    /// The client's certificate and key, as PEM.
    pub client: Option<(PathBuf, PathBuf)>,
}

/// Which servers of a cluster a connection may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Servers {
    /// The named ones, and those that they tell of.
    #[default]
    Discovered,
    /// The named ones only: what servers behind NAT tell cannot be reached.
    Named,
}

/// What a connection beyond this machine needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protection {
    /// TLS and credentials.
    #[default]
    Required,
    /// Nothing: the network itself is trusted.
    TrustedNetwork,
}

impl Access {
    /// A server without credentials, as on the own machine.
    pub fn to(url: &str) -> Self {
        Self { urls: vec![url.into()], ..Self::default() }
    }

    /// The URLs as users read them, without passwords.
    pub fn shown(&self) -> String {
        self.urls.iter().filter_map(|url| url.rsplit('@').next()).collect::<Vec<_>>().join(", ")
    }

    /// The servers, each with the protection that it needs, and the options.
    pub(crate) async fn options(&self) -> Result<(Vec<ServerAddr>, ConnectOptions), NatsError> {
        let unreachable = |reason: String| NatsError::Unreachable { urls: self.shown(), reason };
        let mut addresses = Vec::new();
        for url in &self.urls {
            addresses.push(url.parse::<ServerAddr>().map_err(|error| unreachable(error.to_string()))?);
        }
        let refused = |error: std::io::Error| NatsError::Credentials { urls: self.shown(), reason: error.to_string() };
        let mut options = ConnectOptions::new();
        options = match &self.credentials {
            Credentials::None => options,
            Credentials::File(path) => options.credentials_file(path).await.map_err(refused)?,
            Credentials::Nkey(seed) => options.nkey(seed.clone()),
            Credentials::Token(token) => options.token(token.clone()),
            Credentials::User(user, password) => options.user_and_password(user.clone(), password.clone()),
        };
        let far = addresses.iter().find(|address| !is_loopback(address.host()));
        if let (Some(far), Protection::Required) = (far, self.protection) {
            let has_url_user = addresses.iter().all(ServerAddr::has_user_pass);
            if matches!(self.credentials, Credentials::None) && self.tls.client.is_none() && !has_url_user {
                let missing = "no credentials are given";
                return Err(NatsError::Unprotected { host: far.host().into(), missing });
            }
            options = options.require_tls(true);
        }
        for path in &self.tls.authorities {
            options = options.add_root_certificates(path.clone());
        }
        if let Some((certificate, key)) = &self.tls.client {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        if self.servers == Servers::Named {
            options = options.ignore_discovered_servers();
        }
        let options = options
            .name("nmax")
            .connection_timeout(CONNECT_MAX)
            .request_timeout(Some(ANSWER_MAX))
            .ping_interval(PING)
            .reconnect_delay_callback(pause);
        Ok((addresses, options))
    }
}

/// The pause before an attempt, from 10 ms doubling to [`PAUSE_MAX`], of which a part differs between processes, so that they
/// do not all return at once. The first comes at once.
pub(crate) fn pause(attempts: usize) -> Duration {
    if attempts <= 1 {
        return Duration::ZERO;
    }
    let whole = Duration::from_millis(10 << attempts.min(8)).min(PAUSE_MAX);
    // The keys of a hash differ between processes and calls.
    let share = RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64;
    whole.mul_f64(0.5 + share / 2.0)
}

impl Access {
    /// A server beyond this machine that everybody may use, where that is not wanted.
    pub(crate) fn is_open(&self, info: &ServerInfo) -> Option<NatsError> {
        let is_far = |url: &&String| url.parse::<ServerAddr>().is_ok_and(|address| !is_loopback(address.host()));
        let far = self.urls.iter().find(is_far).filter(|_| self.protection == Protection::Required)?;
        let missing = "the server asks for no credentials";
        let host = far.parse::<ServerAddr>().map_or_else(|_| far.clone(), |address| address.host().to_owned());
        (!info.auth_required).then_some(NatsError::Unprotected { host, missing })
    }
}

fn is_loopback(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
