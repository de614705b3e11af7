//! URLs as a load generator needs them: an origin to connect to and a target to ask for.
//!
//! Only `http` and `https`. Host names are lower-cased; characters that RFC 3986 forbids in a path
//! or query are percent-encoded, but for `%` and brackets, which browsers send as they are: no URL can
//! break a request head. Fragments are dropped.

use std::fmt;
use std::net::Ipv6Addr;

#[cfg(test)]
mod tests;

/// The longest host name that DNS allows, in bytes.
const HOST_BYTES_MAX: usize = 253;
/// Characters of the offending URL that an error quotes.
const QUOTED_CHARS_MAX: usize = 80;

/// How to talk to an origin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scheme {
    /// Plain TCP.
    Http,
    /// TLS over TCP.
    Https,
}

impl Scheme {
    /// `http` or `https`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The port when a URL names none: 80 or 443.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// Where connections go. Two URLs with equal origins may share a connection.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    /// Plain or TLS.
    pub scheme: Scheme,
    /// Host name in lower case, or an address; IPv6 without brackets.
    pub host: String,
    /// TCP port, never 0 when parsed.
    pub port: u16,
}

impl Origin {
    /// The value of the `host` header: the port is left out when it is the scheme's own.
    pub fn authority(&self) -> String {
        let (open, close) = if self.host.contains(':') { ("[", "]") } else { ("", "") };
        let host = &self.host;
        if self.port == self.scheme.default_port() {
            format!("{open}{host}{close}")
        } else {
            format!("{open}{host}{close}:{}", self.port)
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.name(), self.authority())
    }
}

/// An absolute URL without user name and fragment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Url {
    /// Where to connect to.
    pub origin: Origin,
    /// Path and query, as the request line carries them; starts with `/`.
    pub target: String,
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.target)
    }
}

/// A text that is no usable URL.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` {kind}")]
pub struct UrlError {
    /// The beginning of the text.
    pub text: String,
    /// What is wrong, and what to write instead.
    pub kind: UrlErrorKind,
}

/// What is wrong with a URL.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UrlErrorKind {
    /// It does not start with a scheme.
    #[error("has no scheme: start it with `http://` or `https://`")]
    NoScheme,
    /// A scheme other than http and https.
    #[error("has the scheme `{0}`: only `http` and `https` can be loaded")]
    Scheme(String),
    /// Nothing between `//` and the path.
    #[error("has no host: write `http://HOST/PATH`")]
    NoHost,
    /// `user:password@` before the host.
    #[error("has a user name before the host: send an `authorization` header instead")]
    UserInfo,
    /// A host name in another script.
    #[error("has a host name outside ASCII: write it in its `xn--` form")]
    HostNotAscii,
    /// A character that no host name has.
    #[error("has {0:?} in its host name: use letters, digits, `-`, `_` and `.`")]
    HostCharacter(char),
    /// Longer than DNS allows.
    #[error("has a host name longer than 253 bytes")]
    HostTooLong,
    /// Brackets without an IPv6 address in them.
    #[error("has no valid IPv6 address in its brackets: write it like `http://[::1]/`")]
    Ipv6,
    /// Not a number from 1 to 65535.
    #[error("has no valid port: use a number from 1 to 65535")]
    Port,
}

impl Url {
    /// Reads an absolute URL. Dot segments stay as written; white space around it is ignored.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let text = text.trim();
        parse_absolute(text, Dots::Keep).map_err(|kind| error(text, kind))
    }

    /// Resolves a reference against this URL, as RFC 3986 section 5.2.2 says, strictly.
    pub fn join(&self, reference: &str) -> Result<Self, UrlError> {
        let text = reference.trim();
        self.resolve(text).map_err(|kind| error(text, kind))
    }

    fn resolve(&self, text: &str) -> Result<Self, UrlErrorKind> {
        if split_scheme(text).is_some() {
            return parse_absolute(text, Dots::Remove);
        }
        if let Some(rest) = text.strip_prefix("//") {
            return parse_authority(self.origin.scheme, rest, Dots::Remove);
        }
        let text = without_fragment(text);
        let base_path = self.target.split('?').next().unwrap_or("/");
        let (path, query) = split_query(text);
        let target = if text.is_empty() {
            self.target.clone()
        } else if path.is_empty() {
            encode(base_path, query)
        } else if path.starts_with('/') {
            encode(&remove_dot_segments(path), query)
        } else {
            let folder = base_path.rfind('/').map_or("/", |slash| &base_path[..=slash]);
            encode(&remove_dot_segments(&format!("{folder}{path}")), query)
        };
        Ok(Self { origin: self.origin.clone(), target })
    }
}

/// What becomes of `.` and `..` in a path.
#[derive(Clone, Copy)]
enum Dots {
    Keep,
    Remove,
}

fn error(text: &str, kind: UrlErrorKind) -> UrlError {
    let mut quoted: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    if quoted.len() < text.len() {
        quoted.push_str("...");
    }
    UrlError { text: quoted, kind }
}

fn parse_absolute(text: &str, dots: Dots) -> Result<Url, UrlErrorKind> {
    let (name, rest) = split_scheme(text).ok_or(UrlErrorKind::NoScheme)?;
    let scheme = if name.eq_ignore_ascii_case("http") {
        Scheme::Http
    } else if name.eq_ignore_ascii_case("https") {
        Scheme::Https
    } else if rest.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(UrlErrorKind::NoScheme); // `localhost:8080`
    } else {
        return Err(UrlErrorKind::Scheme(name.to_owned()));
    };
    let rest = rest.strip_prefix("//").ok_or(UrlErrorKind::NoHost)?;
    parse_authority(scheme, rest, dots)
}

/// Reads what follows `//`.
fn parse_authority(scheme: Scheme, text: &str, dots: Dots) -> Result<Url, UrlErrorKind> {
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    let (authority, rest) = text.split_at(end);
    if authority.contains('@') {
        return Err(UrlErrorKind::UserInfo);
    }
    let (host, port) = if let Some(bracketed) = authority.strip_prefix('[') {
        let (host, port) = bracketed.split_once(']').ok_or(UrlErrorKind::Ipv6)?;
        let address: Ipv6Addr = host.parse().map_err(|_| UrlErrorKind::Ipv6)?;
        (address.to_string(), port)
    } else {
        let (host, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
        (host_name(host)?, port)
    };
    let origin = Origin { scheme, host, port: parse_port(scheme, port)? };
    let (path, query) = split_query(without_fragment(rest));
    let path = if path.is_empty() { "/" } else { path };
    let target = match dots {
        Dots::Keep => encode(path, query),
        Dots::Remove => encode(&remove_dot_segments(path), query),
    };
    Ok(Url { origin, target })
}

fn host_name(host: &str) -> Result<String, UrlErrorKind> {
    if host.is_empty() {
        return Err(UrlErrorKind::NoHost);
    }
    if !host.is_ascii() {
        return Err(UrlErrorKind::HostNotAscii);
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if let Some(bad) = host.chars().find(|&c| !allowed(c)) {
        return Err(UrlErrorKind::HostCharacter(bad));
    }
    if host.len() > HOST_BYTES_MAX {
        return Err(UrlErrorKind::HostTooLong);
    }
    Ok(host.to_ascii_lowercase())
}

/// `text` is empty or starts with `:`; an empty port is the scheme's own.
fn parse_port(scheme: Scheme, text: &str) -> Result<u16, UrlErrorKind> {
    if text.is_empty() || text == ":" {
        return Ok(scheme.default_port());
    }
    let digits = text.strip_prefix(':').ok_or(UrlErrorKind::Port)?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(UrlErrorKind::Port); // `+80` would parse
    }
    match digits.parse() {
        Ok(0) | Err(_) => Err(UrlErrorKind::Port),
        Ok(port) => Ok(port),
    }
}

/// The scheme and what follows its colon, when the text starts with one.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(':')?;
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let continues = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    (starts && continues).then_some((name, rest))
}

fn without_fragment(text: &str) -> &str {
    text.split('#').next().unwrap_or("")
}

fn split_query(text: &str) -> (&str, Option<&str>) {
    match text.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (text, None),
    }
}

/// RFC 3986 section 5.2.4, for a path that starts with `/`.
fn remove_dot_segments(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            other => kept.push(other),
        }
    }
    format!("/{}", kept.join("/"))
}

/// Path and query with what must not stand in a request line percent-encoded: blanks, controls, quotes and what is not
/// ASCII. All else stays as written, as browsers send it: escapes, a `%` that begins none, brackets.
fn encode(path: &str, query: Option<&str>) -> String {
    let encoded = |text: &str| nmax_text::percent::encode_but(text.as_bytes(), is_legal);
    match query {
        Some(query) => format!("{}?{}", encoded(path), encoded(query)),
        None => encoded(path),
    }
}

/// `pchar`, `/` and `?` of RFC 3986, and `%`, `[` and `]`, which the sets of the URL Standard (WHATWG) leave alone; `?`
/// reaches here only inside a query.
fn is_legal(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*')
        || matches!(byte, b'+' | b',' | b';' | b'=' | b':' | b'@' | b'/' | b'?' | b'%' | b'[' | b']')
}
