//! What a value of a line means.

use super::number::Unit;
use super::pattern::Pattern;

/// Which end of an exchange a stamp tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// The request arrived.
    Begin,
    /// The reply was done, or the line was written.
    End,
}

/// What one value of a line is, and how it is written.
///
/// Of alternatives the better one wins, whatever their order: a stamp of arrival over one of the end, a finer stamp over a
/// coarser, the header `Host` over the name of the server, bytes of the body over all bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    /// Nothing that a record has.
    Skip,
    /// `10/Oct/2000:13:55:36 -0700`, with or without fraction and zone; some write others of the forms below in its place.
    Clf(Moment),
    /// `2000-10-10T13:55:36.123Z` and its relatives.
    Iso(Moment),
    /// A number since 1970, in the unit or, without one, by its magnitude.
    Epoch(Moment, Option<Unit>),
    /// As `strftime` wrote it.
    Pattern(Moment, Pattern),
    /// Any of the above, told by its looks.
    AnyStamp(Moment),
    /// The part of a stamp behind the second, in units of 10^-digits s.
    Fraction(u32),
    /// `2000-10-10`; the end of the exchange together with `Clock`.
    Day,
    /// `13:55:36`, UTC or in the zone of the reader.
    Clock,
    /// How long the server took. A decimal point with `AutoMs` makes it seconds.
    Duration(Unit),
    /// Milliseconds, or seconds where there is a decimal point.
    DurationAuto,
    /// A part of the duration; all parts make it.
    Part(Unit),
    /// A part of the duration that is also that of the server behind.
    UpstreamPart(Unit),
    /// Time to the first byte.
    FirstByte(Unit),
    /// Time of the server behind; a list is summed.
    Upstream(Unit),
    /// `GET /path?query HTTP/1.1`.
    Request,
    /// Method.
    Method,
    /// Path with query, or absolute URL.
    Target,
    /// nginx's `$uri$is_args$args`: path and query, and a `-` behind the path where there is no query.
    UriArgs,
    /// Path without query; the query comes in another value.
    Path,
    /// Query without its `?`.
    Query,
    /// Query with its `?`, or nothing.
    MarkedQuery,
    /// Status code.
    Status,
    /// Bytes of the body.
    Body,
    /// Bytes of the whole reply.
    All,
    /// Address of the client; of a list, the first.
    Client,
    /// Address of the client with its port.
    ClientPort,
    /// Addresses that the request was forwarded for; the first is the client.
    Forwarded,
    /// Authenticated user.
    User,
    /// User agent.
    UserAgent(UserAgentCoding),
    /// Referer.
    Referer,
    /// Host that was asked for.
    Host,
    /// The server's own name, where nothing tells the host.
    Server,
    /// All cookies.
    Cookies,
    /// A cookie or id that tells sessions apart; the smallest rank wins.
    Session(u8),
}

/// How a user agent is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UserAgentCoding {
    /// As it is.
    Plain,
    /// `+` instead of blanks.
    Plus,
    /// Percent-encoded, perhaps twice.
    Percent,
}

impl Field {
    /// What the value is, in a word.
    pub(super) fn meaning(&self) -> &'static str {
        match self.moment() {
            Some(Moment::Begin) => return "arrival",
            Some(Moment::End) => return "time",
            None => {}
        }
        match self {
            Self::Day | Self::Clock | Self::Fraction(_) => "time",
            Self::Duration(_) | Self::DurationAuto | Self::Part(_) | Self::UpstreamPart(_) => "duration",
            Self::FirstByte(_) | Self::Upstream(_) => "upstream",
            Self::Request => "request",
            Self::Method => "method",
            Self::Target | Self::UriArgs => "target",
            Self::Path => "path",
            Self::Query | Self::MarkedQuery => "query",
            Self::Status => "status",
            Self::Body | Self::All => "bytes",
            Self::Client | Self::ClientPort => "client",
            Self::Forwarded => "forwarded client",
            Self::User => "user",
            Self::UserAgent(_) => "agent",
            Self::Referer => "referer",
            Self::Host | Self::Server => "host",
            Self::Cookies => "cookies",
            Self::Session(_) => "session",
            _ => "nothing",
        }
    }

    /// The value may be a list with blanks behind its commas.
    pub(super) fn is_list(&self) -> bool {
        matches!(self, Self::Client | Self::Forwarded | Self::Upstream(_) | Self::FirstByte(_))
    }

    /// The value may have blanks in it.
    pub(super) fn has_blanks(&self) -> bool {
        matches!(self, Self::Request | Self::UserAgent(_) | Self::Referer | Self::Cookies | Self::Skip)
            || self.is_list() && *self != Self::Client
    }

    /// The value is text of the client, which the server may have escaped.
    pub(super) fn is_text(&self) -> bool {
        matches!(
            self,
            Self::Request
                | Self::Method
                | Self::Target
                | Self::UriArgs
                | Self::Path
                | Self::Query
                | Self::MarkedQuery
                | Self::User
                | Self::UserAgent(_)
                | Self::Referer
                | Self::Host
                | Self::Cookies
                | Self::Session(_)
        )
    }

    /// The value tells when.
    pub(super) fn is_stamp(&self) -> bool {
        self.moment().is_some() || *self == Self::Clock
    }

    /// Which end of the exchange the value tells.
    pub(super) fn moment(&self) -> Option<Moment> {
        match self {
            Self::Clf(moment)
            | Self::Iso(moment)
            | Self::Epoch(moment, _)
            | Self::Pattern(moment, _)
            | Self::AnyStamp(moment) => Some(*moment),
            _ => None,
        }
    }

    /// The value tells what was asked for.
    pub(super) fn is_request(&self) -> bool {
        matches!(self, Self::Request | Self::Target | Self::UriArgs | Self::Path)
    }

    /// The value tells how long the exchange took.
    pub(super) fn is_duration(&self) -> bool {
        matches!(self, Self::Duration(_) | Self::DurationAuto | Self::Part(_))
    }

    /// The stamp may lack its time zone.
    pub(super) fn may_lack_zone(&self) -> bool {
        match self {
            Self::Pattern(_, pattern) => !pattern.has_zone(),
            _ => false,
        }
    }

    /// What the header `name` of a request means.
    pub(super) fn of_header(name: &str) -> Self {
        let name = name.to_ascii_lowercase().replace('_', "-");
        match name.as_str() {
            "user-agent" => Self::UserAgent(UserAgentCoding::Plain),
            "referer" | "referrer" => Self::Referer,
            "host" | "x-forwarded-host" => Self::Host,
            "cookie" => Self::Cookies,
            "x-forwarded-for" | "x-real-ip" | "true-client-ip" | "cf-connecting-ip" => Self::Forwarded,
            "x-remote-user" | "x-user" | "x-user-id" | "remote-user" => Self::User,
            other if other.contains("session") => Self::Session(5),
            _ => Self::Skip,
        }
    }

    /// What the cookie `name` means.
    pub(super) fn of_cookie(name: &str) -> Self {
        match session_rank(name.as_bytes()) {
            Some(rank) => Self::Session(rank),
            None => Self::Skip,
        }
    }
}

/// How well the cookie `name` tells sessions apart: 0 is best, `None` not at all. It allocates nothing.
pub(super) fn session_rank(name: &[u8]) -> Option<u8> {
    let has = |part: &[u8]| name.windows(part.len()).any(|window| window.eq_ignore_ascii_case(part));
    let ends = |part: &[u8]| name.len() >= part.len() && name[name.len() - part.len()..].eq_ignore_ascii_case(part);
    if has(b"sess") {
        return Some(0);
    }
    if ends(b"sid") {
        return Some(1);
    }
    if name.eq_ignore_ascii_case(b"uid") || has(b"auth") || has(b"user") || has(b"visitor") {
        return Some(2);
    }
    None
}
