//! The options of curl: which take a value, and what they mean for a request.

/// What an option means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    Method,
    Header,
    /// Data that may be `@FILE`.
    Data,
    /// Data as it is.
    RawData,
    UrlencodedData,
    Json,
    Form,
    FormText,
    Cookie,
    Agent,
    Referer,
    User,
    Bearer,
    Get,
    Head,
    Url,
    Query,
    Upload,
    Range,
    Compressed,
    /// Redirects are followed.
    Redirects,
    /// Redirects are followed, and whoever they lead to is told who asks.
    TrustedRedirects,
    /// What follows is another request.
    Next,
    /// How the reply is shown or stored: said nowhere.
    Output,
    /// Something that a plan decides in its own way: said once.
    Noted(&'static str),
    /// Something that changes the request and cannot be done.
    Refused(&'static str),
}

impl Means {
    /// Whether the value stands in a header as it is.
    pub(super) fn is_header(self) -> bool {
        use Means::{Agent, Bearer, Cookie, Header, Range, Referer};
        matches!(self, Header | Agent | Referer | Bearer | Range | Cookie)
    }
}

/// An option by its names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) short: Option<char>,
    pub(super) long: &'static str,
    pub(super) takes_value: bool,
    pub(super) means: Means,
}

const fn with(short: Option<char>, long: &'static str, means: Means) -> Known {
    Known { short, long, takes_value: true, means }
}

const fn flag(short: Option<char>, long: &'static str, means: Means) -> Known {
    Known { short, long, takes_value: false, means }
}

const REDIRECTS: Means = Means::Noted(
    "a step follows at most 10 redirects or as many as its `redirects` says, and asks by GET after 301 to 303",
);
const TIMES: Means = Means::Noted("a plan has its own `timeout`");
const RETRIES: Means = Means::Noted("nmax never sends a request again by itself: each one counts");
const TRUST: Means =
    Means::Noted("a run checks certificates unless it is started with `--insecure`, or trusts more with `--ca`");
const PROXIES: Means = Means::Noted("a plan has its own `proxy`");
const NETWORK: Means = Means::Noted("how names are looked up and connections made is for the plan's `defaults` to say");
const JAR: Means = Means::Noted("each user has a cookie jar of its own");
const VERSION: Means = Means::Noted("nmax speaks HTTP/1.1");
const SPEED: Means = Means::Noted("the line of a user is set by `network` in the plan");
const DIGEST: Means =
    Means::Refused("nmax cannot log in by this scheme; send the header `authorization` of a request that worked");
const CERTIFICATE: Means =
    Means::Refused("nmax has no certificates of users; leave the option out if the server does without");
const CONFIG: Means = Means::Refused("write the options of the file into the command");
const OTHER: Means = Means::Refused("nmax cannot send such a request; leave the option out if the server does without");

/// Options of curl 8 that have to do with HTTP.
pub(super) const OPTIONS: &[Known] = &[
    with(Some('X'), "request", Means::Method),
    with(Some('H'), "header", Means::Header),
    with(Some('d'), "data", Means::Data),
    with(None, "data-ascii", Means::Data),
    with(None, "data-binary", Means::Data),
    with(None, "data-raw", Means::RawData),
    with(None, "data-urlencode", Means::UrlencodedData),
    with(None, "json", Means::Json),
    with(Some('F'), "form", Means::Form),
    with(None, "form-string", Means::FormText),
    with(Some('b'), "cookie", Means::Cookie),
    with(Some('A'), "user-agent", Means::Agent),
    with(Some('e'), "referer", Means::Referer),
    with(Some('u'), "user", Means::User),
    with(None, "oauth2-bearer", Means::Bearer),
    flag(Some('G'), "get", Means::Get),
    flag(Some('I'), "head", Means::Head),
    with(None, "url", Means::Url),
    with(None, "url-query", Means::Query),
    with(Some('T'), "upload-file", Means::Upload),
    with(Some('r'), "range", Means::Range),
    flag(None, "compressed", Means::Compressed),
    flag(Some(':'), "next", Means::Next),
    with(Some('o'), "output", Means::Output),
    with(None, "output-dir", Means::Output),
    with(Some('w'), "write-out", Means::Output),
    with(Some('D'), "dump-header", Means::Output),
    with(None, "trace", Means::Output),
    with(None, "trace-ascii", Means::Output),
    with(None, "stderr", Means::Output),
    flag(Some('O'), "remote-name", Means::Output),
    flag(None, "remote-name-all", Means::Output),
    flag(Some('J'), "remote-header-name", Means::Output),
    flag(Some('R'), "remote-time", Means::Output),
    flag(None, "create-dirs", Means::Output),
    flag(Some('s'), "silent", Means::Output),
    flag(Some('S'), "show-error", Means::Output),
    flag(Some('v'), "verbose", Means::Output),
    flag(Some('i'), "include", Means::Output),
    flag(Some('i'), "show-headers", Means::Output),
    flag(Some('#'), "progress-bar", Means::Output),
    flag(None, "progress-meter", Means::Output),
    flag(Some('N'), "no-buffer", Means::Output),
    flag(Some('f'), "fail", Means::Output),
    flag(None, "fail-with-body", Means::Output),
    flag(None, "fail-early", Means::Output),
    flag(None, "styled-output", Means::Output),
    flag(None, "trace-time", Means::Output),
    flag(None, "trace-ids", Means::Output),
    flag(Some('q'), "disable", Means::Output),
    flag(Some('Z'), "parallel", Means::Output),
    with(None, "parallel-max", Means::Output),
    flag(Some('g'), "globoff", Means::Output),
    flag(None, "path-as-is", Means::Output),
    flag(Some('M'), "manual", Means::Output),
    flag(Some('L'), "location", Means::Redirects),
    flag(None, "location-trusted", Means::TrustedRedirects),
    flag(None, "post301", REDIRECTS),
    flag(None, "post302", REDIRECTS),
    flag(None, "post303", REDIRECTS),
    with(None, "max-redirs", REDIRECTS),
    with(Some('m'), "max-time", TIMES),
    with(None, "connect-timeout", TIMES),
    with(None, "expect100-timeout", TIMES),
    with(Some('y'), "speed-time", TIMES),
    with(Some('Y'), "speed-limit", TIMES),
    with(None, "retry", RETRIES),
    with(None, "retry-delay", RETRIES),
    with(None, "retry-max-time", RETRIES),
    flag(None, "retry-connrefused", RETRIES),
    flag(None, "retry-all-errors", RETRIES),
    flag(Some('k'), "insecure", TRUST),
    flag(None, "proxy-insecure", TRUST),
    with(None, "cacert", TRUST),
    with(None, "capath", TRUST),
    flag(None, "ca-native", TRUST),
    with(None, "pinnedpubkey", TRUST),
    flag(None, "ssl-no-revoke", TRUST),
    with(None, "ciphers", TRUST),
    with(None, "tls13-ciphers", TRUST),
    with(None, "tls-max", TRUST),
    flag(Some('1'), "tlsv1", TRUST),
    flag(None, "tlsv1.0", TRUST),
    flag(None, "tlsv1.1", TRUST),
    flag(None, "tlsv1.2", TRUST),
    flag(None, "tlsv1.3", TRUST),
    with(Some('x'), "proxy", PROXIES),
    with(None, "preproxy", PROXIES),
    with(Some('U'), "proxy-user", PROXIES),
    with(None, "proxy-header", PROXIES),
    with(None, "noproxy", PROXIES),
    flag(Some('p'), "proxytunnel", PROXIES),
    with(None, "socks5", PROXIES),
    with(None, "socks5-hostname", PROXIES),
    with(None, "resolve", NETWORK),
    with(None, "connect-to", NETWORK),
    with(None, "interface", NETWORK),
    with(None, "local-port", NETWORK),
    with(None, "dns-servers", NETWORK),
    with(None, "keepalive-time", NETWORK),
    flag(Some('4'), "ipv4", NETWORK),
    flag(Some('6'), "ipv6", NETWORK),
    flag(None, "tcp-nodelay", NETWORK),
    flag(None, "tcp-fastopen", NETWORK),
    flag(None, "keepalive", NETWORK),
    flag(None, "alpn", NETWORK),
    with(Some('c'), "cookie-jar", JAR),
    flag(Some('j'), "junk-session-cookies", JAR),
    flag(Some('0'), "http1.0", VERSION),
    flag(None, "http1.1", VERSION),
    flag(None, "http2", VERSION),
    flag(None, "http2-prior-knowledge", VERSION),
    flag(None, "http3", VERSION),
    flag(None, "http3-only", VERSION),
    with(None, "limit-rate", SPEED),
    flag(None, "basic", Means::Output),
    flag(None, "digest", DIGEST),
    flag(None, "ntlm", DIGEST),
    flag(None, "negotiate", DIGEST),
    flag(None, "anyauth", DIGEST),
    with(None, "aws-sigv4", DIGEST),
    flag(Some('n'), "netrc", DIGEST),
    with(Some('E'), "cert", CERTIFICATE),
    with(None, "key", CERTIFICATE),
    with(Some('K'), "config", CONFIG),
    with(None, "unix-socket", OTHER),
    with(None, "abstract-unix-socket", OTHER),
    with(Some('C'), "continue-at", OTHER),
    with(Some('z'), "time-cond", OTHER),
    with(None, "etag-compare", OTHER),
];

/// The option of a long name; `no-` in front of a flag turns it off.
pub(super) fn long(name: &str) -> Option<(Known, bool)> {
    let find = |name: &str| OPTIONS.iter().find(|known| known.long == name).copied();
    if let Some(known) = find(name) {
        return Some((known, true));
    }
    let known = name.strip_prefix("no-").and_then(find);
    known.filter(|known| !known.takes_value).map(|known| (known, false))
}

/// The option of a letter.
pub(super) fn short(letter: char) -> Option<Known> {
    OPTIONS.iter().find(|known| known.short == Some(letter)).copied()
}
