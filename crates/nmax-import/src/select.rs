//! What is a part of the user's behaviour, and what is not: third parties, analytics, the browser's own noise.
//!
//! The site is the registrable domain of the first document. Whatever is left out is listed with a reason.

use std::collections::HashSet;

use crate::kind::kind;
use crate::options::Options;
use crate::parts::{resolve, split, without_login};
use crate::recording::{Entry, Kind, Recording, Skipped, header};

mod noise;

/// What is kept of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Positions in the recording's list, in order of sending.
    pub kept: Vec<usize>,
    /// What was left out, with the reason.
    pub skipped: Vec<Skipped>,
    /// What the person should know.
    pub warnings: Vec<String>,
}

/// Methods that plans have.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/// What takes requests without a reply.
const WITHOUT_REPLIES: &str = "`nmax import har --without-replies` takes such requests";
/// Hosts of other sites that a warning names.
const HOSTS_NAMED_MAX: usize = 10;

/// Decides for each exchange whether the user's behaviour includes it. O(entries).
pub fn select(recording: &Recording, options: &Options) -> Selection {
    let mut selection = Selection::default();
    let mut order: Vec<usize> = (0..recording.entries.len()).collect();
    order.sort_by_key(|&index| recording.entries[index].sent_us);
    let sites = Sites::from_recording(recording, &order, options);
    for index in order {
        let entry = &recording.entries[index];
        match reason(entry, &sites, options) {
            None => selection.kept.push(index),
            Some(reason) => selection.skipped.push(Skipped {
                recording: 0,
                number: entry.number,
                url: entry.request.url.clone(),
                reason,
            }),
        }
    }
    warn_of_other_sites(recording, &sites, &mut selection);
    selection
}

/// The host whose registrable domain is the site: that of the first document.
fn first_host(recording: &Recording, order: &[usize], options: &Options) -> Option<String> {
    let usable = || {
        let entries = order.iter().map(|&index| &recording.entries[index]);
        entries.filter(|entry| unusable(entry, options).is_none())
    };
    let is_noise = |entry: &&Entry| noise::of_host(&host(entry)).is_some();
    let is_document = |entry: &&Entry| kind(entry) == Kind::Document;
    let found = usable().find(|entry| is_document(entry) && !is_noise(entry));
    let found = found.or_else(|| usable().find(|entry| !is_noise(entry)));
    // A listed host may be the very one that is tested.
    found.or_else(|| usable().find(is_document)).map(host)
}

fn host(entry: &Entry) -> String {
    split(&entry.request.url).host.to_ascii_lowercase()
}

/// Hosts that belong to the behaviour.
struct Sites {
    /// Registrable domain of the first document, or its host where it has none.
    main: String,
    /// More, by option.
    more: Vec<String>,
}

impl Sites {
    fn from_recording(recording: &Recording, order: &[usize], options: &Options) -> Self {
        let more = options.hosts.iter().map(|host| {
            let host = host.trim_start_matches("*.").trim_start_matches('.');
            host.to_ascii_lowercase()
        });
        Self {
            main: first_host(recording, order, options).map_or_else(String::new, |host| site(&host).to_owned()),
            more: more.filter(|host| !host.is_empty()).collect(),
        }
    }

    /// It was named by the person.
    fn is_asked_for(&self, host: &str) -> bool {
        self.more.iter().any(|own| is_within(host, own))
    }

    fn is_own(&self, host: &str) -> bool {
        site(host) == self.main || self.is_asked_for(host)
    }
}

/// The host itself or one below it.
fn is_within(host: &str, domain: &str) -> bool {
    host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// Whether browsers ask this host by themselves, whatever a person does in them: for updates, safety lists, telemetry.
pub fn is_browsers_own(host: &str) -> bool {
    noise::is_browsers_own(host)
}

/// The registrable domain of a host; an address and a name without a public suffix are their own.
pub fn site(host: &str) -> &str {
    let is_number = |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
    // No top-level domain is a number, so what ends in one is an address.
    let is_address = host.starts_with('[') || host.rsplit('.').next().is_some_and(is_number);
    if is_address {
        return host;
    }
    nmax_domain::registrable(host).unwrap_or(host)
}

/// Why an exchange is left out.
fn reason(entry: &Entry, sites: &Sites, options: &Options) -> Option<String> {
    let host = host(entry);
    let is_asked_for = sites.is_asked_for(&host);
    if !is_asked_for
        && site(&host) != sites.main
        && let Some(why) = noise::of_host(&host)
    {
        return Some(why.to_owned());
    }
    if let Some(why) = unusable(entry, options) {
        return Some(why);
    }
    if !sites.is_own(&host) {
        return Some(format!("another site than {}: `--host {host}` adds it", sites.main));
    }
    if is_asked_for { None } else { noise::of_path(split(&entry.request.url).path).map(str::to_owned) }
}

/// Why nothing can be made of an exchange, whatever its host is.
fn unusable(entry: &Entry, options: &Options) -> Option<String> {
    let request = &entry.request;
    let url = request.url.to_ascii_lowercase();
    let kind = kind(entry);
    if kind == Kind::Socket || url.starts_with("ws:") || url.starts_with("wss:") {
        return Some("a WebSocket: plans do not speak it; its messages stay in the recording".to_owned());
    }
    if kind == Kind::Events {
        return Some("a stream of events: plans do not wait for them; they stay in the recording".to_owned());
    }
    if request.method == "CONNECT" {
        return Some("a tunnel through the proxy, no request of its own".to_owned());
    }
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let scheme = url.split(':').next().unwrap_or_default();
        return Some(format!("`{scheme}:` is not fetched over HTTP"));
    }
    if let Err(why) = nmax_plan::addresses::origin(split(&url).origin) {
        return Some(format!("its URL cannot be requested: {why}"));
    }
    let is_preflight = kind == Kind::Preflight
        || request.method == "OPTIONS" && header(&request.headers, "access-control-request-method").is_some();
    if is_preflight {
        return Some("a CORS preflight, which the browser sends by itself".to_owned());
    }
    if kind == Kind::Beacon {
        return Some("a beacon or report that no user waits for".to_owned());
    }
    if !METHODS.contains(&request.method.as_str()) {
        return Some(format!("plans have no method `{}`", request.method));
    }
    match entry.response.as_ref().map(|response| response.status) {
        // A copied command: it was not sent yet.
        None if entry.comment.is_empty() => None,
        None | Some(0) if options.without_replies => None,
        Some(0) if entry.comment.is_empty() => Some(format!("no reply was recorded: {WITHOUT_REPLIES}")),
        None | Some(0) => Some(format!("no reply was recorded ({}): {WITHOUT_REPLIES}", entry.comment)),
        Some(status) if !(200..600).contains(&status) => Some(format!("status {status} is not an answer to a request")),
        Some(_) => None,
    }
}

/// Says when the user's way leads through a site that was left out.
fn warn_of_other_sites(recording: &Recording, sites: &Sites, selection: &mut Selection) {
    let mut seen: HashSet<String> = HashSet::new();
    for &index in &selection.kept {
        let entry = &recording.entries[index];
        let Some(location) = location(entry) else { continue };
        let host = split(&location).host.to_ascii_lowercase();
        let is_left_out = !host.is_empty() && !sites.is_own(&host) && noise::of_host(&host).is_none();
        if is_left_out && seen.len() < HOSTS_NAMED_MAX && seen.insert(host.clone()) {
            selection.warnings.push(format!(
                "entry {}: the site leads to {host}, which is left out as another site; when the user's way goes through \
                 it (a log-in, a payment), add `--host {host}`",
                entry.number
            ));
        }
    }
}

/// Where a redirect leads, as an absolute URL.
pub(crate) fn location(entry: &Entry) -> Option<String> {
    let response = entry.response.as_ref()?;
    let is_redirect = matches!(response.status, 301 | 302 | 303 | 307 | 308);
    let location = header(&response.headers, "location").filter(|_| is_redirect)?;
    let location = resolve(&entry.request.url, location);
    // What stands before the host is sent as a header.
    Some(without_login(&location).map_or(location, |(bare, _)| bare))
}

#[cfg(test)]
mod tests;
