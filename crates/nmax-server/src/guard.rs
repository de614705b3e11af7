//! Who is let in: the Host and Origin of a request, its session, its token.

use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::{Method, StatusCode};

use crate::refusal::Refusal;
use crate::session::{Session, Sessions, is_same};

/// Name of the cookie.
pub(crate) const COOKIE_NAME: &str = "nmax-session";
/// What a page sends with everything that changes something.
pub(crate) const KEY_HEADER: HeaderName = HeaderName::from_static("x-nmax-key");
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What is known of all requests.
pub(crate) struct Guard {
    /// Names that this server goes by, besides addresses and `localhost`.
    pub(crate) hosts: Vec<String>,
    /// Whether only this machine reaches it.
    pub(crate) is_loopback: bool,
    /// What programs may show in place of a session.
    pub(crate) token: Option<String>,
    pub(crate) sessions: Sessions,
}

/// Whom a request comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caller {
    /// By cookie.
    pub(crate) session: Option<Session>,
    /// By the token of programs.
    pub(crate) has_token: bool,
}

impl Caller {
    /// Whether it came by the printed address, or knows the token.
    pub(crate) fn is_known(&self) -> bool {
        self.has_token || self.session.is_some()
    }
}

impl Guard {
    /// Whom this comes from, unless it comes by another site.
    pub(crate) fn admit(&self, method: &Method, headers: &HeaderMap, now_s: u64) -> Result<Caller, Refusal> {
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(&HOST).ok_or_else(|| Refusal::new(StatusCode::BAD_REQUEST, "no Host", ""))?;
        if !self.is_own(host) {
            let help = "use the printed address, or name the host with --host when nmax serve starts";
            return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, "this server does not go by that name", help));
        }
        let origin = text(&ORIGIN);
        let is_foreign = origin.is_some_and(|origin| {
            ![format!("http://{host}"), format!("https://{host}")].iter().any(|own| own == origin)
        }) || text(&FETCH_SITE).is_some_and(|site| matches!(site, "cross-site" | "same-site"));
        // A link on another site may lead here; nothing else of it is answered.
        if is_foreign && (method != Method::GET || origin.is_some()) {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "the request comes from another site", ""));
        }
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut cookies = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let sent = cookies.find(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value);
        let session = sent.and_then(|sent| self.sessions.verify(sent, now_s));
        let bearer = text(&AUTHORIZATION).and_then(|sent| sent.strip_prefix("Bearer "));
        let has_token = self.token.as_ref().zip(bearer).is_some_and(|(token, sent)| is_same(token, sent));
        Ok(Caller { session, has_token })
    }

    /// Whether the caller may read.
    pub(crate) fn may_read(&self, caller: &Caller) -> Result<(), Refusal> {
        if self.is_loopback || caller.is_known() {
            return Ok(());
        }
        let help = "open the printed address, or send the token as `Authorization: Bearer TOKEN`";
        Err(Refusal::new(StatusCode::UNAUTHORIZED, "beyond this machine, reading needs the token", help))
    }

    /// Whether the caller came by the printed address.
    pub(crate) fn must_be_known(&self, caller: &Caller) -> Result<(), Refusal> {
        let help = "open the address that `nmax serve` printed; it works once, and a new one is printed then";
        let refused = || Refusal::new(StatusCode::UNAUTHORIZED, "this browser may only read", help);
        caller.is_known().then_some(()).ok_or_else(refused)
    }

    /// Whether the caller may change something.
    pub(crate) fn may_change(&self, caller: &Caller, headers: &HeaderMap) -> Result<(), Refusal> {
        let sent = headers.get(KEY_HEADER).and_then(|value| value.to_str().ok());
        self.must_be_known(caller)?;
        let Some(session) = &caller.session else { return Ok(()) };
        if caller.has_token || sent.is_some_and(|sent| is_same(sent, &session.key)) {
            return Ok(());
        }
        let help = "GET /api/session says the key, which is sent as the header X-Nmax-Key";
        Err(Refusal::new(StatusCode::FORBIDDEN, "the key of the session is missing or another one", help))
    }

    /// Whether a Host is one of this server: an address, which no other site can take, or a name that it was given.
    fn is_own(&self, host: &str) -> bool {
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.split_once(']').map_or("", |(address, _)| address),
            None => host.rsplit_once(':').map_or(host, |(name, _)| name),
        };
        let is_address = name.parse::<std::net::IpAddr>().is_ok();
        is_address
            || name.eq_ignore_ascii_case("localhost")
            || self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}
