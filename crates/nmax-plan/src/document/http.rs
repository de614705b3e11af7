//! `defaults` and `hosts`: how requests travel.

use std::time::Duration;

use super::cursor::{Decoder, Fields};
use super::keys::{
    self, CODING_SETS, CODINGS, CONNECTION, COOKIES, DNS_CACHE, FAMILY, HONOR, REDIRECTS, VERSION, VISITOR,
};
use super::request;
use super::tree::{Node, Value};
use crate::addresses;
use crate::plan::{
    ClientCertificate, Coding, Defaults, Dns, Family, Feeder, HostOverride, PhaseTimeouts, REDIRECTS_MAX, TRACE_ID,
    Trace, Visitor,
};
use crate::template::Names;
use crate::units::format_duration;

/// Port of DNS servers that are written without one.
const DNS_PORT: u16 = 53;

/// `defaults`; what is absent or wrong keeps its default.
///
/// `shared` are the names of the values of the run's setup.
pub(super) fn defaults(
    decoder: &mut Decoder,
    node: Option<&Node>,
    feeders: &[Feeder],
    shared: &[String],
    target: &str,
) -> Defaults {
    let mut defaults = Defaults::default();
    let Some(fields) = node.and_then(|node| decoder.fields(node, &keys::DEFAULTS)) else {
        return defaults;
    };
    fields.set(&mut defaults.connection, "connection", |node| decoder.choose(node, CONNECTION));
    fields.set(&mut defaults.visitor, "visitor", |node| visitor(decoder, node));
    fields.set(&mut defaults.cookies, "cookies", |node| decoder.choose(node, COOKIES));
    fields.set(&mut defaults.redirects_max, "redirects", |node| redirects(decoder, node));
    fields.set(&mut defaults.compression, "compression", |node| compression(decoder, node));
    fields.set(&mut defaults.version, "version", |node| decoder.choose(node, VERSION));
    fields.set(&mut defaults.timeout, "timeout", |node| decoder.duration_above_zero(node));
    fields.set(&mut defaults.body_limit_bytes, "body_limit", |node| decoder.size(node));
    if let Some(fields) = fields.get("timeouts").and_then(|node| decoder.fields(node, &keys::TIMEOUTS)) {
        defaults.phase_timeouts = phase_timeouts(decoder, fields, defaults.timeout);
    }
    if let Some(node) = fields.get("headers") {
        let of_environment = Names::of_environment(decoder.options.env);
        let names = Names { shared: Some(shared), feeders, target: Some(target), ..of_environment };
        defaults.headers = request::headers(decoder, node, &names);
        request::refuse_accept_encoding(decoder, node, &defaults.compression);
    }
    if let Some(fields) = fields.get("tls").and_then(|node| decoder.fields(node, &keys::TLS)) {
        tls(decoder, fields, &mut defaults);
    }
    if let Some(fields) = fields.get("dns").and_then(|node| decoder.fields(node, &keys::DNS)) {
        defaults.dns = dns(decoder, fields);
    }
    sources(decoder, fields, &mut defaults);
    defaults.trace = fields.get("trace").and_then(|node| trace(decoder, node));
    defaults.proxy = fields.get("proxy").and_then(|node| decoder.unit(node, addresses::parse_proxy));
    defaults
}

fn trace(decoder: &mut Decoder, node: &Node) -> Option<Trace> {
    let all = Trace { share: 1.0, link: None, run: 0 };
    if !matches!(node.value, Value::Map(_)) {
        return decoder.bool(node)?.then_some(all);
    }
    let fields = decoder.fields(node, &keys::TRACE)?;
    let mut trace = all;
    if let Some(node) = fields.get("share") {
        trace.share = decoder.share(node)?;
        if trace.share > 1.0 {
            let message = "more than 100% of the iterations cannot be traced";
            decoder.wrong(node.at, message, "write a share from 0% to 100%");
        }
    }
    if let Some(node) = fields.get("link") {
        let link = decoder.expanded(node)?;
        if !link.contains(TRACE_ID) || !["http://", "https://"].iter().any(|scheme| link.starts_with(scheme)) {
            let help = format!("write a URL with `{TRACE_ID}` in it, such as `https://tempo.example/trace/{TRACE_ID}`");
            decoder.wrong(node.at, "`link` is not the URL of a trace", help);
        }
        trace.link = Some(link);
    }
    Some(trace)
}

fn visitor(decoder: &mut Decoder, node: &Node) -> Option<Visitor> {
    if !matches!(node.value, Value::Map(_)) {
        return decoder.choose(node, VISITOR);
    }
    let share = decoder.fields(node, &keys::NEW_VISITORS)?.get("new")?;
    match decoder.share(share)? {
        0.0 => Some(Visitor::Returning),
        1.0 => Some(Visitor::New),
        part if part < 1.0 => Some(Visitor::Mixed(part)),
        _ => decoder
            .wrong(
                share.at,
                "more than 100% of the iterations cannot be made by new visitors",
                "write a share from 0% to 100%",
            )
            .none(),
    }
}

/// A number of redirects, or a word for one; in `defaults` and in steps.
pub(super) fn redirects(decoder: &mut Decoder, node: &Node) -> Option<u32> {
    let text = decoder.expanded(node)?;
    let word = REDIRECTS.iter().find(|(word, _)| *word == text);
    let number = || text.parse::<u32>().ok().filter(|number| *number <= REDIRECTS_MAX);
    let found = word.map(|(_, number)| *number).or_else(number);
    if found.is_none() {
        decoder.wrong(
            node.at,
            format!("`{text}` is not a number of redirects"),
            format!("write `none`, `follow` (at most 10) or a number from 0 to {REDIRECTS_MAX}"),
        );
    }
    found
}

fn compression(decoder: &mut Decoder, node: &Node) -> Option<Vec<Coding>> {
    let Value::List(items) = &node.value else {
        let text = decoder.expanded(node)?;
        let set = CODING_SETS.iter().find(|(word, _)| *word == text);
        let single = CODINGS.iter().find(|(word, _)| *word == text);
        let found = set.map(|(_, codings)| codings.to_vec()).or_else(|| single.map(|(_, coding)| vec![*coding]));
        if found.is_none() {
            let words: Vec<&str> = keys::keywords(CODINGS).into_iter().chain(keys::keywords(CODING_SETS)).collect();
            decoder.not_a_choice(node.at, &text, &words);
        }
        return found;
    };
    let mut codings = Vec::new();
    for item in items {
        let Some(coding) = decoder.choose(item, CODINGS) else {
            continue;
        };
        if codings.contains(&coding) {
            decoder.wrong(item.at, format!("`{}` is here twice", coding.token()), "keep one of them");
        } else {
            codings.push(coding);
        }
    }
    Some(codings)
}

fn phase_timeouts(decoder: &mut Decoder, fields: Fields, whole: Duration) -> PhaseTimeouts {
    let mut limit = |name: &str| {
        let node = fields.get(name)?;
        let limit = decoder.duration_above_zero(node)?;
        if limit > whole {
            let (limit, whole) = (format_duration(limit), format_duration(whole));
            let message = format!("`timeouts.{name}` is {limit}, longer than `timeout`, which is {whole}");
            decoder.wrong(node.at, message, format!("write at most {whole}, or a longer `timeout`"));
        }
        Some(limit)
    };
    PhaseTimeouts {
        dns: limit("dns"),
        connect: limit("connect"),
        tls: limit("tls"),
        send: limit("send"),
        wait: limit("wait"),
        receive: limit("receive"),
    }
}

fn tls(decoder: &mut Decoder, fields: Fields, defaults: &mut Defaults) {
    if let Some(node) = fields.get("ca") {
        let files = decoder.one_or_many(node).iter().filter_map(|file| decoder.file(file));
        defaults.ca_files = files.collect();
    }
    defaults.insecure = fields.get("insecure").and_then(|node| decoder.bool(node)).unwrap_or(false);
    match (fields.entry("certificate"), fields.entry("key")) {
        (Some(certificate), Some(key)) => {
            let (certificate, key) = (decoder.file(&certificate.value), decoder.file(&key.value));
            if let (Some(certificate_file), Some(key_file)) = (certificate, key) {
                defaults.client_certificate = Some(ClientCertificate { certificate_file, key_file });
            }
        }
        (Some(alone), None) => {
            decoder.wrong(alone.key_at, "`certificate` is here without its private key", "add `key: FILE`");
        }
        (None, Some(alone)) => {
            decoder.wrong(alone.key_at, "`key` is here without its certificate", "add `certificate: FILE`");
        }
        (None, None) => {}
    }
}

fn dns(decoder: &mut Decoder, fields: Fields) -> Dns {
    let mut dns = Dns::default();
    if let Some(node) = fields.get("ttl")
        && decoder.expanded(node).is_none_or(|text| text != HONOR)
    {
        dns.ttl = decoder.duration(node);
    }
    fields.set(&mut dns.per_vu, "cache", |node| decoder.choose(node, DNS_CACHE));
    fields.set(&mut dns.family, "family", |node| decoder.choose(node, FAMILY));
    if let Some(node) = fields.get("servers") {
        let servers =
            decoder.one_or_many(node).iter().filter_map(|server| decoder.unit(server, addresses::parse_endpoint));
        dns.servers = servers.map(|(address, port)| (address, port.unwrap_or(DNS_PORT)).into()).collect();
    }
    dns
}

fn sources(decoder: &mut Decoder, fields: Fields, defaults: &mut Defaults) {
    let Some(node) = fields.get("source_addresses") else {
        return;
    };
    for item in decoder.one_or_many(node) {
        let Some(address) = decoder.unit(item, addresses::parse_source) else {
            continue;
        };
        let family = match defaults.dns.family {
            Family::V4 if address.is_ipv6() => Some("ipv4"),
            Family::V6 if address.is_ipv4() => Some("ipv6"),
            _ => None,
        };
        if let Some(family) = family {
            decoder.wrong(
                item.at,
                format!("`{address}` reaches no address of the family that `dns` asks for, which is {family}"),
                "write addresses of that family, or remove `family`",
            );
        }
        if defaults.source_addresses.contains(&address) {
            decoder.wrong(item.at, format!("`{address}` is here twice"), "keep one of them");
        }
        defaults.source_addresses.push(address);
    }
}

/// `hosts`: names, and where connections to them go.
pub(super) fn hosts(decoder: &mut Decoder, node: &Node) -> Vec<HostOverride> {
    let mut hosts: Vec<HostOverride> = Vec::new();
    for entry in decoder.map(node, "`hosts`") {
        let (host, port) = match addresses::parse_host(&entry.key) {
            Ok(host) => host,
            Err(error) => {
                decoder.wrong(entry.key_at, error.message, error.remedy);
                continue;
            }
        };
        if hosts.iter().any(|known| known.host == host && known.port == port) {
            let message = format!("host `{}` is here twice", entry.key);
            decoder.wrong(entry.key_at, message, "keep one of them; several addresses are a list");
        }
        let items = match &entry.value.value {
            Value::Null => &[],
            _ => decoder.one_or_many(&entry.value),
        };
        if items.is_empty() {
            let message = format!("host `{}` has no address", entry.key);
            decoder.wrong(entry.key_at, message, "write one, such as `10.0.0.1`");
        }
        let addresses = items.iter().filter_map(|item| decoder.unit(item, addresses::parse_endpoint));
        let addresses = addresses.collect();
        hosts.push(HostOverride { host, port, addresses });
    }
    hosts
}
