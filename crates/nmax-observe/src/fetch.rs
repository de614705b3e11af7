//! One page over HTTP, in bounded time and size: what metrics and status pages are read with, and what is sent to servers that
//! collect them.
//!
//! Each page has a connection of its own, so a server that was restarted is seen as it is. Redirects are not followed, and
//! proxies of the environment are not used: a plan names what is read. User and password of a URL are sent as basic
//! authorization; neither they nor the secrets of a query appear in a message.

use std::sync::OnceLock;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Error};

use crate::Trouble;
use crate::address::{Forbidden, may_connect};
use crate::reach::{plain, server_text};
use crate::service_address::{shown, split_user};

/// Longest time for a page, from looking up the name to its last byte.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// Largest page.
pub(crate) const PAGE_BYTES_MAX: u64 = 8 << 20;
/// Largest head of a reply.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// Longest reply to what is sent of which the text is kept.
const REPLY_BYTES_MAX: u64 = 64 << 10;

/// A page that can be fetched, or sent to, again and again.
pub struct Fetcher {
    agent: Agent,
    patience: Duration,
    /// Without user and password.
    url: String,
    /// The URL as messages show it.
    shown: String,
    accept: &'static str,
    authorization: Option<String>,
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// Its content type, in small letters; empty when the server does not say.
    pub(crate) content_type: String,
    /// What the server calls itself, where it does.
    pub(crate) server: Option<String>,
    /// The page.
    pub(crate) text: String,
}

impl Fetcher {
    /// A page at `url`. `accept`: the formats that are understood. `token` is sent as `Bearer`; without one, user and
    /// password of the URL are.
    pub(crate) fn new(url: &str, accept: &'static str, token: Option<&str>) -> Self {
        Self::patient(url, accept, token, PATIENCE)
    }

    /// The same, with another limit of time.
    pub fn patient(url: &str, accept: &'static str, token: Option<&str>, patience: Duration) -> Self {
        let (url, user, password) = split_user(url);
        let basic = (user.is_some() || password.is_some()).then(|| {
            let pair = format!("{}:{}", user.unwrap_or_default(), password.unwrap_or_default());
            format!("Basic {}", STANDARD.encode(pair))
        });
        let config = Agent::config_builder()
            .timeout_global(Some(patience))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0)
            .max_response_header_size(HEAD_BYTES_MAX)
            .proxy(None)
            .user_agent(concat!("nmax/", env!("CARGO_PKG_VERSION")));
        let is_tls = url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"));
        let config = if is_tls { config.tls_config(tls()) } else { config };
        Self {
            agent: Agent::with_parts(config.build(), DefaultConnector::default(), Addresses::default()),
            patience,
            shown: shown(&url),
            url,
            accept,
            authorization: token.map(|token| format!("Bearer {token}")).or(basic),
        }
    }

    /// The same, which messages show like this.
    #[must_use]
    pub fn shown_as(self, shown: String) -> Self {
        Self { shown, ..self }
    }

    /// Where it is, as it may be shown.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Fetches it. Takes at most [`PATIENCE`].
    pub(crate) fn fetch(&self) -> Result<Fetched, Trouble> {
        let mut request = self.agent.get(&self.url).header("accept", self.accept);
        if let Some(authorization) = &self.authorization {
            request = request.header("authorization", authorization);
        }
        let mut response = request.call().map_err(|error| self.trouble(&error))?;
        self.judge(response.status().as_u16())?;
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let content_type = header("content-type").unwrap_or_default().to_ascii_lowercase();
        let server = header("server").map(|name| server_text(name.as_bytes(), None));
        let body = response.body_mut().with_config().limit(PAGE_BYTES_MAX).read_to_vec();
        let body = body.map_err(|error| self.trouble(&error))?;
        let text = String::from_utf8(body)
            .map_err(|_| Trouble::passing(format!("{} gave bytes that are not text (UTF-8)", self.shown)))?;
        Ok(Fetched { content_type, server, text })
    }

    /// Sends a body with these headers: the status of the reply, and its text where it is one of at most 64 KiB. Takes as long as
    /// a page.
    ///
    /// # Errors
    /// Why there is no reply.
    pub fn post(&self, headers: &[(&str, &str)], body: &[u8]) -> Result<(u16, String), Trouble> {
        let mut request = self.agent.post(&self.url).header("accept", self.accept);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let is_named = |(name, _): &(&str, &str)| name.eq_ignore_ascii_case("authorization");
        if let Some(authorization) = self.authorization.as_ref().filter(|_| !headers.iter().any(is_named)) {
            request = request.header("authorization", authorization);
        }
        let mut response = request.send(body).map_err(|error| self.trouble(&error))?;
        let text = response.body_mut().with_config().limit(REPLY_BYTES_MAX).read_to_string();
        Ok((response.status().as_u16(), text.unwrap_or_default()))
    }

    /// What a status means for what is read.
    fn judge(&self, status: u16) -> Result<(), Trouble> {
        let url = &self.shown;
        match status {
            200 => Ok(()),
            401 | 403 => {
                let what = if self.authorization.is_some() {
                    "it takes neither the given user nor token"
                } else {
                    "it wants to know who asks; write `token:`, or user and password into the URL"
                };
                Err(Trouble::lasting(format!("{url} answered {status}: {what}")))
            }
            300..=399 => Err(Trouble::passing(format!(
                "{url} answered {status} and leads elsewhere; write the URL that it leads to"
            ))),
            404 => Err(Trouble::passing(format!("{url} answered 404: there is no such page"))),
            status => Err(Trouble::passing(format!("{url} answered {status}"))),
        }
    }

    fn trouble(&self, error: &Error) -> Trouble {
        let url = &self.shown;
        if let Error::Other(other) = error
            && let Some(forbidden) = other.downcast_ref::<Forbidden>()
        {
            return forbidden.trouble(url);
        }
        match error {
            Error::Timeout(_) => {
                let patience_s = self.patience.as_secs();
                Trouble::passing(format!("{url} did not answer in full within {patience_s} s"))
            }
            Error::BodyExceedsLimit(_) => {
                let limit_mib = PAGE_BYTES_MAX >> 20;
                Trouble::passing(format!("{url} gives more than {limit_mib} MiB"))
            }
            Error::LargeResponseHeader(..) => Trouble::passing(format!("{url} gives a reply without end in its head")),
            Error::HostNotFound => Trouble::passing(format!("{url}: its name is not found")),
            Error::BadUri(_) | Error::Http(_) => {
                Trouble::lasting(format!("{url} is not a URL; write it as `http://127.0.0.1:9100/metrics`"))
            }
            Error::Rustls(error) => Trouble::passing(format!("{url}: {error}")),
            Error::Protocol(error) => Trouble::passing(format!("{url} does not speak HTTP: {error}")),
            Error::Io(error) => Trouble::passing(format!("{url}: {}", plain(error))),
            error => Trouble::passing(format!("{url}: {error}")),
        }
    }
}

/// The system's resolver, without addresses that no source may connect to. It is asked for each connection.
#[derive(Debug, Default)]
struct Addresses(DefaultResolver);

impl Resolver for Addresses {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let addresses = self.0.resolve(uri, config, timeout)?;
        may_connect(addresses.iter().copied()).map_err(|forbidden| Error::Other(Box::new(forbidden)))?;
        Ok(addresses)
    }
}

/// Trusts whom the machine trusts.
fn tls() -> TlsConfig {
    static TLS: OnceLock<TlsConfig> = OnceLock::new();
    let make = || {
        let roots: Vec<_> =
            nmax_tls::machine_issuers().iter().map(|root| Certificate::from_der(root).to_owned()).collect();
        TlsConfig::builder()
            .root_certs(RootCerts::new_with_certs(&roots))
            .unversioned_rustls_crypto_provider(nmax_tls::provider())
            .build()
    };
    TLS.get_or_init(make).clone()
}

#[cfg(test)]
mod tests;
