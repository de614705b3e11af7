//! Headers: what a browser sends with everything stands in `defaults`, what a script set stands at its step, and what
//! follows from the connection, the jar or the moment is left to nmax.

use nmax_plan::document::write::Yaml;
use nmax_plan::plan::Coding;

use super::AnalysedRecording;
use super::fill::{Changes, literal};
use crate::kind::kind;
use crate::parts::{Part, Target, ValueLocation, essence, request_parts, split};
use crate::recording::{Entry, Kind, Recording, Request, header, is_header_name};

/// Headers of the browser's profile.
const PROFILE: [&str; 3] = ["user-agent", "accept-language", "accept"];
/// Headers that the program, the jar, the cache or the network writes.
const LEFT_OUT: [&str; 36] = [
    "accept-encoding", "age", "alt-used", "cache-control", "connection", "content-length", "cookie", "cookie2",
    "device-memory", "dnt", "downlink", "dpr", "ect", "expect", "forwarded", "host", "if-modified-since",
    "if-none-match", "if-range", "keep-alive", "pragma", "priority", "proxy-authorization", "proxy-connection",
    "purpose", "referer", "rtt", "save-data", "te", "trailer", "transfer-encoding", "upgrade",
    "upgrade-insecure-requests", "via", "viewport-width", "width",
];
/// Beginnings of such names.
const LEFT_OUT_BEGINNINGS: [&str; 5] = ["sec-", "x-forwarded-", "cf-", ":", "x-real-"];
/// Headers that follow from the plan's connection, jar and body also where somebody wrote them.
const OF_NMAX: [&str; 12] = [
    "accept-encoding", "connection", "content-length", "cookie", "expect", "keep-alive", "proxy-authorization",
    "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
];
/// Names that number a request, which would be wrong when many have them; they are sent when something makes them anew.
const TRACES: [&str; 12] = [
    "traceparent", "tracestate", "baggage", "newrelic", "sentry-trace", "x-amzn-trace-id", "x-b3-traceid",
    "x-b3-spanid", "x-b3-sampled", "x-cloud-trace-context", "x-correlation-id", "x-request-id",
];

/// Who wrote the headers of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Author {
    /// A browser: most of them say something about the moment.
    Browser,
    /// A person, in a command: each of them is meant.
    Person,
}

impl Author {
    pub(super) fn from_recording(recording: &Recording) -> Self {
        match recording.is_command {
            true => Self::Person,
            false => Self::Browser,
        }
    }
}

/// Headers of a step, and what is to be said of those that it does not have.
#[derive(Default)]
pub(super) struct Own {
    pub(super) headers: Vec<(String, Yaml)>,
    /// Names that no request can carry, or whose values none can.
    pub(super) unsendable: Vec<String>,
    /// What somebody wrote and nmax does in its own way, in sentences.
    pub(super) notes: Vec<String>,
}

/// What the browser sends with every request.
pub(super) struct Profile {
    headers: Vec<(String, String)>,
    codings: Vec<&'static str>,
    /// Cookies are written at the requests, so that a jar would send a second line of them.
    has_own_cookies: bool,
    /// The visits begin with an empty cache, as somebody's first one does.
    is_new: bool,
}

impl Profile {
    /// That of the first document, else of the first request.
    pub(super) fn from_recordings(analysed: &[AnalysedRecording<'_>]) -> Self {
        let entries = || {
            let steps = analysed
                .iter()
                .flat_map(|analysed| analysed.journey.steps.iter().map(move |step| (analysed, step.entry)));
            steps.map(|(analysed, entry)| &analysed.recording.entries[entry])
        };
        let first = entries().find(|entry| kind(entry) == Kind::Document).or_else(|| entries().next());
        let Some(first) = first else {
            return Self { headers: Vec::new(), codings: Vec::new(), has_own_cookies: false, is_new: false };
        };
        let own = |name: &&str| {
            let value = header(&first.request.headers, name).map(str::trim)?;
            is_sendable(value).then(|| ((*name).to_owned(), value.to_owned()))
        };
        Self {
            headers: PROFILE.iter().filter_map(own).collect(),
            codings: codings(&first.request),
            has_own_cookies: analysed.iter().any(|analysed| {
                let has_some = |entry: &Entry| header(&entry.request.headers, "cookie").is_some();
                analysed.recording.is_command && analysed.recording.entries.iter().any(has_some)
            }),
            is_new: analysed.iter().all(|analysed| {
                let mut entries = analysed.recording.entries.iter();
                !analysed.recording.is_command && !entries.any(is_cached)
            }),
        }
    }

    /// `defaults` of the plan.
    pub(super) fn defaults(&self) -> Yaml {
        let mut map = vec![("redirects".to_owned(), Yaml::plain("none"))];
        if self.has_own_cookies {
            map.push(("cookies".to_owned(), Yaml::plain("ignore")));
        }
        if self.is_new {
            let visitor = Yaml::plain("new");
            let visitor =
                visitor.with_note("each visit begins as the recorded one: no cache, no cookies, no connections");
            map.push(("visitor".to_owned(), visitor));
        }
        if !self.codings.is_empty() {
            let codings = self.codings.iter().map(Yaml::plain).collect();
            map.push(("compression".to_owned(), Yaml::List(codings).on_one_line()));
        }
        if !self.headers.is_empty() {
            let own = |(name, value): &(String, String)| (name.clone(), Yaml::text(literal(value)));
            let headers = Yaml::Map(self.headers.iter().map(own).collect());
            map.push(("headers".to_owned(), headers.with_note("what the browser said of itself with every request")));
        }
        Yaml::Map(map)
    }

    /// Whether the plan says by other means what a header says. Codings that nmax does not know are sent as they are.
    fn leaves_out(&self, name: &str, request: &Request) -> bool {
        let is_unknown = name == "accept-encoding" && self.codings.is_empty() && codings(request).is_empty();
        OF_NMAX.contains(&name) && !is_unknown
    }

    fn has(&self, name: &str, value: &str) -> bool {
        self.headers.iter().any(|(own, known)| own == name && known == value)
    }
}

/// Whether the browser knew a reply from an earlier visit.
fn is_cached(entry: &Entry) -> bool {
    entry.is_from_cache || entry.response.as_ref().is_some_and(|response| response.status == 304)
}

/// Content codings that the browser took and nmax undoes.
fn codings(request: &Request) -> Vec<&'static str> {
    let accepted = header(&request.headers, "accept-encoding").unwrap_or_default().to_ascii_lowercase();
    let mut codings: Vec<&'static str> = Vec::new();
    for wanted in accepted.split(',') {
        let (name, quality) = wanted.split_once(';').unwrap_or((wanted, ""));
        let is_refused = quality.replace(' ', "").trim_start_matches("q=").parse() == Ok(0.0);
        let known = Coding::ALL.iter().map(|coding| coding.token()).find(|token| *token == name.trim());
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
    (profile, author): (&Profile, Author),
    implied: Option<&str>,
) -> Own {
    let mut own = Own::default();
    for part in request_parts(request) {
        let ValueLocation::Header(name) = &part.place else { continue };
        let is_changed = changes.has(entry, &part.place);
        let value = part.value.trim();
        if name == "content-type" {
            if implied.is_none_or(|implied| is_same_type(implied, value)) {
                continue;
            }
        } else if author == Author::Browser && is_browsers(name, request, is_changed) {
            continue;
        } else if author == Author::Person && profile.leaves_out(name, request) {
            own.notes.extend(note(name, value, profile, request));
            continue;
        }
        if !is_changed && profile.has(name, value) {
            continue;
        }
        let is_empty = value.is_empty();
        if !is_header_name(name) || !(is_sendable(value) || is_empty) {
            own.unsendable.push(name.clone());
            continue;
        }
        if is_empty && author == Author::Browser {
            continue;
        }
        let text = match name.as_str() {
            // The site's own address follows when another target is given.
            "origin" if !is_changed && value == target => "${target}".to_owned(),
            _ => changes.text(entry, &part.place, &part.value).trim().to_owned(),
        };
        own.headers.push((name.clone(), Yaml::text(text)));
    }
    own
}

/// Whether a header is the browser's own, the connection's or the moment's.
fn is_browsers(name: &str, request: &Request, is_changed: bool) -> bool {
    match name {
        // Servers compare it with their own address before they take a form.
        "origin" => matches!(request.method.as_str(), "GET" | "HEAD"),
        name if TRACES.contains(&name) => !is_changed,
        name => LEFT_OUT.contains(&name) || LEFT_OUT_BEGINNINGS.iter().any(|start| name.starts_with(start)),
    }
}

/// What is said of a header that somebody wrote and the plan does not have; nothing where nmax sends the same.
fn note(name: &str, value: &str, profile: &Profile, request: &Request) -> Option<String> {
    let is_same = match name {
        "content-length" | "cookie" | "keep-alive" => true,
        "connection" => value.eq_ignore_ascii_case("keep-alive"),
        "accept-encoding" => codings(request) == profile.codings,
        _ => false,
    };
    (!is_same).then(|| {
        let more = match name {
            "connection" => ", as `connection` in the plan's `defaults` says",
            "expect" => ", where a step says `expect_continue: true`",
            _ => "",
        };
        format!("the header `{name}` is not taken over: nmax writes it by itself{more}")
    })
}

/// The name of a host that is asked for in place of that in the URL: a virtual host that is reached by another name or
/// address.
pub(super) fn host(request: &Request) -> Option<&str> {
    let asked = header(&request.headers, "host")?.trim();
    let Target { scheme, place, .. } = split(&request.url);
    let usual = if scheme == "https" { ":443" } else { ":80" };
    let bare = |host: &str| host.strip_suffix(usual).unwrap_or(host).to_ascii_lowercase();
    let is_host = nmax_plan::addresses::origin(&format!("{scheme}://{asked}")).is_ok();
    (is_host && bare(asked) != bare(place)).then_some(asked)
}

/// The cookies of a copied command, which no jar has.
pub(super) fn cookies(entry: usize, request: &Request, changes: &Changes<'_>) -> Option<(String, Yaml)> {
    let pair = |part: Part| match &part.place {
        ValueLocation::Cookie(name) if is_sendable(&part.value) => {
            Some(format!("{}={}", literal(name), changes.text(entry, &part.place, &part.value)))
        }
        _ => None,
    };
    let pairs: Vec<String> = request_parts(request).into_iter().filter_map(pair).collect();
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
