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
    UserAgent,
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
        use Means::{Bearer, Cookie, Header, Range, Referer, UserAgent};
        matches!(self, Header | UserAgent | Referer | Bearer | Range | Cookie)
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

/// Options of curl 8 that have to do with HTTP, by what they mean: `X:request=` is `-X` and `--request` with a value.
const OPTIONS: &[(Means, &str)] = &[
    (Means::Method, "X:request="),
    (Means::Header, "H:header="),
    (Means::Data, "d:data= data-ascii= data-binary="),
    (Means::RawData, "data-raw="),
    (Means::UrlencodedData, "data-urlencode="),
    (Means::Json, "json="),
    (Means::Form, "F:form="),
    (Means::FormText, "form-string="),
    (Means::Cookie, "b:cookie="),
    (Means::UserAgent, "A:user-agent="),
    (Means::Referer, "e:referer="),
    (Means::User, "u:user="),
    (Means::Bearer, "oauth2-bearer="),
    (Means::Get, "G:get"),
    (Means::Head, "I:head"),
    (Means::Url, "url="),
    (Means::Query, "url-query="),
    (Means::Upload, "T:upload-file="),
    (Means::Range, "r:range="),
    (Means::Compressed, "compressed"),
    (Means::Next, "::next"),
    (
        Means::Output,
        "o:output= output-dir= w:write-out= D:dump-header= trace= trace-ascii= stderr= O:remote-name remote-name-all \
         J:remote-header-name R:remote-time create-dirs s:silent S:show-error v:verbose i:include i:show-headers \
         #:progress-bar progress-meter N:no-buffer f:fail fail-with-body fail-early styled-output trace-time \
         trace-ids q:disable Z:parallel parallel-max= g:globoff path-as-is M:manual",
    ),
    (Means::Redirects, "L:location"),
    (Means::TrustedRedirects, "location-trusted"),
    (REDIRECTS, "post301 post302 post303 max-redirs="),
    (TIMES, "m:max-time= connect-timeout= expect100-timeout= y:speed-time= Y:speed-limit="),
    (RETRIES, "retry= retry-delay= retry-max-time= retry-connrefused retry-all-errors"),
    (
        TRUST,
        "k:insecure proxy-insecure cacert= capath= ca-native pinnedpubkey= ssl-no-revoke ciphers= tls13-ciphers= \
         tls-max= 1:tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3",
    ),
    (PROXIES, "x:proxy= preproxy= U:proxy-user= proxy-header= noproxy= p:proxytunnel socks5= socks5-hostname="),
    (
        NETWORK,
        "resolve= connect-to= interface= local-port= dns-servers= keepalive-time= 4:ipv4 6:ipv6 tcp-nodelay \
         tcp-fastopen keepalive alpn",
    ),
    (JAR, "c:cookie-jar= j:junk-session-cookies"),
    (VERSION, "0:http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only"),
    (SPEED, "limit-rate="),
    (Means::Output, "basic"),
    (DIGEST, "digest ntlm negotiate anyauth aws-sigv4= n:netrc"),
    (CERTIFICATE, "E:cert= key="),
    (CONFIG, "K:config="),
    (OTHER, "unix-socket= abstract-unix-socket= C:continue-at= z:time-cond= etag-compare="),
];

/// All options, in the order of the table.
pub(super) fn all() -> impl Iterator<Item = Known> {
    let one = |means: Means, spec: &'static str| {
        let (short, name) = match spec.split_at_checked(2) {
            Some((letter, name)) if letter.ends_with(':') => (letter.chars().next(), name),
            _ => (None, spec),
        };
        Known { short, long: name.trim_end_matches('='), takes_value: name.ends_with('='), means }
    };
    OPTIONS.iter().flat_map(move |(means, specs)| specs.split(' ').map(move |spec| one(*means, spec)))
}

/// The option of a long name; `no-` in front of a flag turns it off.
pub(super) fn long(name: &str) -> Option<(Known, bool)> {
    let find = |name: &str| all().find(|known| known.long == name);
    if let Some(known) = find(name) {
        return Some((known, true));
    }
    let known = name.strip_prefix("no-").and_then(find);
    known.filter(|known| !known.takes_value).map(|known| (known, false))
}

/// The option of a letter.
pub(super) fn short(letter: char) -> Option<Known> {
    all().find(|known| known.short == Some(letter))
}
