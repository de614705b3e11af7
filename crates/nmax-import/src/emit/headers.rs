//! Headers: what a browser sends with everything stands in `defaults`, what a script set stands at its step, and what
//! follows from the connection, the jar or the moment is left to nmax.

use nmax_plan::document::write::Yaml;
use nmax_plan::plan::Coding;

use super::Told;
use super::fill::{Changes, literal};
use crate::kind::kind;
use crate::parts::{Part, Place, essence, of};
use crate::recording::{Entry, Kind, Request, header};

/// Headers of the browser's profile.
const PROFILE: [&str; 3] = ["user-agent", "accept-language", "accept"];
/// Headers that the program, the jar, the cache or the network writes.
const LEFT_OUT: [&str; 36] = [
    "accept-encoding",
    "age",
    "alt-used",
    "cache-control",
    "connection",
    "content-length",
    "cookie",
    "cookie2",
    "device-memory",
    "dnt",
    "downlink",
    "dpr",
    "ect",
    "expect",
    "forwarded",
    "host",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "keep-alive",
    "pragma",
    "priority",
    "proxy-authorization",
    "proxy-connection",
    "purpose",
    "referer",
    "rtt",
    "save-data",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "upgrade-insecure-requests",
    "via",
    "viewport-width",
    "width",
];
/// Beginnings of such names.
const LEFT_OUT_BEGINNINGS: [&str; 5] = ["sec-", "x-forwarded-", "cf-", ":", "x-real-"];
/// Names that number a request, which would be wrong when many have them; they are sent when something makes them anew.
const TRACES: [&str; 12] = [
    "traceparent",
    "tracestate",
    "baggage",
    "newrelic",
    "sentry-trace",
    "x-amzn-trace-id",
    "x-b3-traceid",
    "x-b3-spanid",
    "x-b3-sampled",
    "x-cloud-trace-context",
    "x-correlation-id",
    "x-request-id",
];

/// What the browser sends with every request.
pub(super) struct Profile {
    headers: Vec<(String, String)>,
    codings: Vec<&'static str>,
    /// Cookies are written at the requests, so that a jar would send a second line of them.
    has_own_cookies: bool,
}

impl Profile {
    /// That of the first document, else of the first request.
    pub(super) fn of(told: &[Told<'_>]) -> Self {
        let entries = || {
            let steps = told
                .iter()
                .flat_map(|told| told.journey.steps.iter().map(move |step| (told, step.entry)));
            steps.map(|(told, entry)| &told.recording.entries[entry])
        };
        let first = entries()
            .find(|entry| kind(entry) == Kind::Document)
            .or_else(|| entries().next());
        let Some(first) = first else {
            return Self {
                headers: Vec::new(),
                codings: Vec::new(),
                has_own_cookies: false,
            };
        };
        let own = |name: &&str| {
            let value = header(&first.request.headers, name).map(str::trim)?;
            is_sendable(value).then(|| ((*name).to_owned(), value.to_owned()))
        };
        Self {
            headers: PROFILE.iter().filter_map(own).collect(),
            codings: codings(first),
            has_own_cookies: told.iter().any(|told| {
                let has_some = |entry: &Entry| header(&entry.request.headers, "cookie").is_some();
                told.recording.is_command && told.recording.entries.iter().any(has_some)
            }),
        }
    }

    /// `defaults` of the plan.
    pub(super) fn defaults(&self) -> Yaml {
        let mut map = vec![("redirects".to_owned(), Yaml::plain("none"))];
        if self.has_own_cookies {
            map.push(("cookies".to_owned(), Yaml::plain("ignore")));
        }
        if !self.codings.is_empty() {
            let codings = self.codings.iter().map(Yaml::plain).collect();
            map.push(("compression".to_owned(), Yaml::List(codings).on_one_line()));
        }
        if !self.headers.is_empty() {
            let own = |(name, value): &(String, String)| (name.clone(), Yaml::text(literal(value)));
            let headers = Yaml::Map(self.headers.iter().map(own).collect());
            map.push((
                "headers".to_owned(),
                headers.with_note("what the browser said of itself with every request"),
            ));
        }
        Yaml::Map(map)
    }

    fn has(&self, name: &str, value: &str) -> bool {
        self.headers.iter().any(|(own, known)| own == name && known == value)
    }
}

/// Content codings that the browser took and nmax undoes.
fn codings(entry: &Entry) -> Vec<&'static str> {
    let accepted = header(&entry.request.headers, "accept-encoding")
        .unwrap_or_default()
        .to_ascii_lowercase();
    let mut codings: Vec<&'static str> = Vec::new();
    for wanted in accepted.split(',') {
        let (name, quality) = wanted.split_once(';').unwrap_or((wanted, ""));
        let is_refused = quality.replace(' ', "").trim_start_matches("q=").parse() == Ok(0.0);
        let known = Coding::ALL
            .iter()
            .map(|coding| coding.token())
            .find(|token| *token == name.trim());
        if let Some(known) = known.filter(|known| !is_refused && !codings.contains(known)) {
            codings.push(known);
        }
    }
    codings
}

/// Headers of a step, in the order in which they were sent. `implied` is the content type that nmax writes by itself;
/// `None` when there is no body, or when its own must not be written.
pub(super) fn own(
    entry: usize,
    request: &Request,
    (changes, target): (&Changes<'_>, &str),
    profile: &Profile,
    implied: Option<&str>,
) -> Vec<(String, Yaml)> {
    let mut found: Vec<(String, Yaml)> = Vec::new();
    for part in of(request) {
        let Place::Header(name) = &part.place else { continue };
        let is_changed = changes.has(entry, &part.place);
        let value = part.value.trim();
        let is_plain_get = matches!(request.method.as_str(), "GET" | "HEAD");
        let is_left_out = match name.as_str() {
            "content-type" => implied.is_none_or(|implied| is_same_type(implied, value)),
            // Servers compare it with their own address before they take a form.
            "origin" => is_plain_get,
            name if TRACES.contains(&name) => !is_changed,
            name => LEFT_OUT.contains(&name) || LEFT_OUT_BEGINNINGS.iter().any(|start| name.starts_with(start)),
        };
        let is_known = !is_changed && profile.has(name, value);
        if is_left_out || is_known || !is_token(name) || !is_sendable(value) {
            continue;
        }
        let text = match name.as_str() {
            // The site's own address follows when another target is given.
            "origin" if !is_changed && value == target => "${target}".to_owned(),
            _ => changes.text(entry, &part.place, &part.value).trim().to_owned(),
        };
        found.push((name.clone(), Yaml::text(text)));
    }
    found
}

/// The cookies of a copied command, which no jar has.
pub(super) fn cookies(entry: usize, request: &Request, changes: &Changes<'_>) -> Option<(String, Yaml)> {
    let pair = |part: Part| match &part.place {
        Place::Cookie(name) if is_sendable(&part.value) => Some(format!(
            "{}={}",
            literal(name),
            changes.text(entry, &part.place, &part.value)
        )),
        _ => None,
    };
    let pairs: Vec<String> = of(request).into_iter().filter_map(pair).collect();
    (!pairs.is_empty()).then(|| ("cookie".to_owned(), Yaml::text(pairs.join("; "))))
}

/// Whether two content types mean the same.
fn is_same_type(a: &str, b: &str) -> bool {
    let plain = |text: &str| text.replace([' ', '"'], "").to_ascii_lowercase();
    let (a, b) = (plain(a), plain(b));
    // JSON and forms are UTF-8 whether they say so or not.
    let bare = |text: &str| text.trim_end_matches(";charset=utf-8").to_owned();
    a == b || (essence(&a) != "text/plain" && bare(&a) == bare(&b))
}

fn is_sendable(value: &str) -> bool {
    !value.is_empty() && !value.contains(|c: char| c.is_control() && c != '\t')
}

/// A token of RFC 9110, 5.6.2.
fn is_token(text: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.len() <= 200 && text.bytes().all(is_sign)
}
