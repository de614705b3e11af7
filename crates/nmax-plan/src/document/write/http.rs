//! `defaults` and `hosts`.

use core::net::{IpAddr, SocketAddr};

use super::request::headers;
use super::{Scope, Yaml, duration, entry, expanded, given, listed, named, plain, word};
use crate::document::keys::{CODINGS, CONNECTION, COOKIES, DNS_CACHE, FAMILY, HONOR, VERSION, VISITOR};
use crate::plan::{Coding, Defaults, Dns, HostOverride, Plan, Trace, Visitor};
use crate::template::Labels;
use crate::units::{format_duration, format_share, format_size};

/// `defaults`, in full except for limits, files and addresses that are not there.
pub(super) fn defaults(plan: &Plan) -> (String, Yaml) {
    let defaults = &plan.defaults;
    let mut map = vec![
        entry("connection", word(CONNECTION, &defaults.connection)),
        entry("visitor", visitor(&defaults.visitor)),
        entry("cookies", word(COOKIES, &defaults.cookies)),
        entry("redirects", redirects(defaults.redirects_max)),
        entry("compression", compression(&defaults.compression)),
        entry("version", word(VERSION, &defaults.version)),
        entry("timeout", duration(defaults.timeout)),
    ];
    let limits = &defaults.phase_timeouts;
    let limits = [
        ("dns", limits.dns),
        ("connect", limits.connect),
        ("tls", limits.tls),
        ("send", limits.send),
        ("wait", limits.wait),
        ("receive", limits.receive),
    ];
    map.extend(named("timeouts", limits.into_iter().filter_map(|(name, limit)| given(name, limit, duration))));
    map.push(entry("body_limit", Yaml::Plain(format_size(defaults.body_limit_bytes))));
    let scope = Scope(Labels { slots: &[], feeders: &plan.feeders, shared: plan.shared_names() }, &plan.tags);
    map.extend(headers(&defaults.headers, &scope));
    map.extend(named("tls", tls(defaults).into_iter()));
    map.push(entry("dns", dns(&defaults.dns)));
    map.extend(texts("source_addresses", &defaults.source_addresses));
    map.extend(given("trace", defaults.trace.as_ref(), trace));
    map.extend(given("proxy", defaults.proxy.as_deref(), expanded));
    entry("defaults", Yaml::Map(map))
}

fn texts(key: &str, items: &[impl ToString]) -> Option<(String, Yaml)> {
    listed(key, items.iter().map(|item| expanded(&item.to_string())))
}

fn trace(trace: &Trace) -> Yaml {
    let mut map = vec![entry("share", Yaml::Plain(format_share(trace.share)))];
    map.extend(given("link", trace.link.as_deref(), expanded));
    Yaml::Map(map)
}

fn visitor(visitor: &Visitor) -> Yaml {
    match visitor {
        Visitor::Mixed(share) => Yaml::Map(vec![entry("new", Yaml::Plain(format_share(*share)))]),
        one => word(VISITOR, one),
    }
}

/// A number of redirects, or the word for none.
pub(super) fn redirects(redirects_max: u32) -> Yaml {
    match redirects_max {
        0 => plain("none"),
        number => plain(number),
    }
}

fn compression(codings: &[Coding]) -> Yaml {
    match codings {
        [] => plain("none"),
        codings => Yaml::List(codings.iter().map(|coding| word(CODINGS, coding)).collect()),
    }
}

fn tls(defaults: &Defaults) -> Vec<(String, Yaml)> {
    let mut tls: Vec<_> = texts("ca", &defaults.ca_files).into_iter().collect();
    if defaults.insecure {
        tls.push(entry("insecure", plain(true)));
    }
    if let Some(client) = &defaults.client_certificate {
        tls.push(entry("certificate", expanded(&client.certificate_file)));
        tls.push(entry("key", expanded(&client.key_file)));
    }
    tls
}

fn dns(dns: &Dns) -> Yaml {
    let ttl = dns.ttl.map_or_else(|| HONOR.to_owned(), format_duration);
    let mut map = vec![
        entry("ttl", plain(ttl)),
        entry("cache", word(DNS_CACHE, &dns.per_vu)),
        entry("family", word(FAMILY, &dns.family)),
    ];
    map.extend(texts("servers", &dns.servers));
    Yaml::Map(map)
}

/// A host with the list of its addresses.
pub(super) fn host(host: &HostOverride) -> (String, Yaml) {
    let name = match host.port {
        Some(port) => format!("{}:{port}", host.host),
        None => host.host.clone(),
    };
    let address = |(address, port): &(IpAddr, Option<u16>)| match port {
        Some(port) => SocketAddr::new(*address, *port).to_string(),
        None => address.to_string(),
    };
    (name, Yaml::List(host.addresses.iter().map(|one| expanded(&address(one))).collect()))
}
