//! How requests will travel, in words: what changes the answer of a measurement and is easily overlooked.

use std::sync::Arc;

use crate::plan::{
    Call, Connection, Cookies, Defaults, Discover, Family, HostOverride, Page, Plan, Scenario, Step, Version, Visitor,
    Workload,
};
use crate::units::{format_duration, format_rate, format_share};

/// Topics and what the plan says about each, defaults included; those that the plan does not touch are left out.
///
/// Passwords are not shown. O(size of the plan).
pub fn policy(plan: &Plan) -> Vec<(&'static str, String)> {
    let defaults = &plan.defaults;
    let mut lines = Vec::new();
    lines.extend(in_place(plan).map(|words| ("workload", words)));
    lines.extend([
        ("connection", connection(defaults)),
        ("visitor", visitor(defaults.visitor)),
        ("cookies", cookies(defaults.cookies).to_owned()),
        ("redirects", redirects(plan)),
        ("compression", compression(plan)),
    ]);
    let files = requests(plan).filter(|request| !request.files().is_empty()).count();
    if files > 0 {
        lines.push(("files", format!("sent by {files} {}", steps(files))));
    }
    lines.extend(pages(plan).map(|pages| ("pages", pages)));
    lines.extend(run_fixtures(plan).map(|once| ("once", once)));
    lines.push(("names", names(defaults)));
    lines.extend(plan.hosts.iter().map(|host| ("host", self::host(host))));
    if !defaults.source_addresses.is_empty() {
        let sources: Vec<String> = defaults.source_addresses.iter().map(ToString::to_string).collect();
        lines.push(("source", format!("{}, in turn", sources.join(", "))));
    }
    if let Some(proxy) = &defaults.proxy {
        lines.push(("proxy", without_user(proxy)));
    }
    if defaults.client_certificate.is_some() {
        lines.push(("certificate", "a client certificate is shown to servers that ask".into()));
    }
    if defaults.insecure {
        lines.push(("insecure", "any certificate of a server is accepted".into()));
    }
    lines
}

/// What the profile puts in place of the workload that is written.
fn in_place(plan: &Plan) -> Option<String> {
    let users = |vus: u32| format!("{vus} {}", if vus == 1 { "user" } else { "users" });
    let words = |workload: &Workload| match workload {
        Workload::Open { rate_per_s, .. } => format_rate(*rate_per_s),
        Workload::Closed { vus } => users(*vus),
    };
    let (profile, written) = (plan.profile?, plan.written.as_ref()?);
    Some(format!(
        "{} by profile {}; its answer says what {} as written comes to",
        words(&plan.workload),
        profile.name(),
        words(written)
    ))
}

fn requests(plan: &Plan) -> impl Iterator<Item = &Call> {
    plan.all_scenarios().flat_map(Scenario::calls).map(Arc::as_ref)
}

/// What is fetched with pages.
fn pages(plan: &Plan) -> Option<String> {
    let pages: Vec<&Page> = requests(plan).filter_map(Call::page).collect();
    let listed: usize = pages.iter().map(|page| page.listed.len()).sum();
    let discovering = pages.iter().filter(|page| page.discover != Discover::Nothing).count();
    let mut with = Vec::new();
    if listed > 0 {
        with.push(format!("{listed} listed resources"));
    }
    if discovering > 0 {
        with.push(format!("what {discovering} of them name"));
    }
    let with = match with.as_slice() {
        [] => "no resources".to_owned(),
        with => format!("{}, in parallel, cached by each VU", with.join(" and ")),
    };
    let count = pages.len();
    (count > 0).then(|| format!("{count} {}, with {with}", steps(count)))
}

/// What is done once.
fn run_fixtures(plan: &Plan) -> Option<String> {
    let of_vus = |list: fn(&Scenario) -> &[Step]| plan.scenarios.iter().any(|scenario| !list(scenario).is_empty());
    let mut parts = Vec::new();
    if plan.setup.is_some() {
        parts.push("the plan's setup before the run");
    }
    if plan.teardown.is_some() {
        parts.push("its teardown after the run");
    }
    if of_vus(|scenario| &scenario.setup) {
        parts.push("a scenario's setup by each VU");
    }
    if of_vus(|scenario| &scenario.teardown) {
        parts.push("a scenario's teardown by each VU");
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn steps(count: usize) -> &'static str {
    if count == 1 { "step" } else { "steps" }
}

fn connection(defaults: &Defaults) -> String {
    let (kept, header) = match defaults.connection {
        Connection::KeepAlive => ("kept across iterations", "keep-alive"),
        Connection::PerIteration => ("closed after each iteration", "keep-alive"),
        Connection::PerRequest => ("closed after each request", "close"),
    };
    let version = match defaults.version {
        Version::Http10 => "1.0",
        Version::Http11 => "1.1",
    };
    format!("HTTP/{version}, {kept}; `connection: {header}`")
}

fn visitor(visitor: Visitor) -> String {
    match visitor {
        Visitor::Returning => "returning: connections and TLS sessions stay".into(),
        Visitor::New => "new in each iteration: connections and TLS sessions are not reused".into(),
        Visitor::Mixed(share) => format!("new in {} of the iterations, returning in the others", format_share(share)),
    }
}

fn cookies(cookies: Cookies) -> &'static str {
    match cookies {
        Cookies::PerIteration => "kept within an iteration",
        Cookies::Kept => "kept as long as a VU is the same visitor",
        Cookies::Ignored => "neither kept nor sent",
    }
}

fn redirects(plan: &Plan) -> String {
    let default = plan.defaults.redirects_max;
    let differs = |request: &&Call| request.redirects_max(&plan.defaults) != default;
    let others = requests(plan).filter(differs).count();
    let text = match default {
        0 => "not followed".to_owned(),
        number => format!("followed, at most {number} in a step"),
    };
    match others {
        0 => text,
        count => format!("{text}; {count} {} otherwise", steps(count)),
    }
}

fn compression(plan: &Plan) -> String {
    let own = |headers: &[(String, _)]| headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept-encoding"));
    let tokens: Vec<&str> = plan.defaults.compression.iter().map(|coding| coding.token()).collect();
    if !tokens.is_empty() {
        format!("`accept-encoding: {}`; replies are decoded", tokens.join(", "))
    } else if own(&plan.defaults.headers) || requests(plan).filter_map(Call::http).any(|request| own(&request.headers))
    {
        "as the plan's own `accept-encoding` says; replies are not decoded".into()
    } else {
        "not asked for".into()
    }
}

fn names(defaults: &Defaults) -> String {
    let dns = &defaults.dns;
    let who = if dns.per_vu { "by each VU" } else { "once for all VUs" };
    let long = match dns.ttl {
        None => "believed as long as servers say".to_owned(),
        Some(ttl) if ttl.is_zero() => "for every connection".to_owned(),
        Some(ttl) => format!("believed for {}", format_duration(ttl)),
    };
    let family = match dns.family {
        Family::Any => "",
        Family::V4 => ", IPv4 only",
        Family::V6 => ", IPv6 only",
    };
    let servers: Vec<String> = dns.servers.iter().map(ToString::to_string).collect();
    let asked = match servers.as_slice() {
        [] => String::new(),
        servers => format!(", asking {}", servers.join(", ")),
    };
    format!("resolved {who}, {long}{family}{asked}")
}

fn host(host: &HostOverride) -> String {
    let port = |port: Option<u16>| port.map_or_else(String::new, |port| format!(":{port}"));
    let addresses: Vec<String> = host
        .addresses
        .iter()
        .map(|(address, own)| match own {
            Some(own) => core::net::SocketAddr::new(*address, *own).to_string(),
            None => address.to_string(),
        })
        .collect();
    format!("{}{} is {}", host.host, port(host.port), addresses.join(", "))
}

/// A URL without name and password.
fn without_user(url: &str) -> String {
    let proxy = nmax_text::url::split(url);
    let name = if proxy.login.is_some() { ", with a name" } else { "" };
    format!("{}://{}{name}", proxy.scheme, proxy.place)
}
