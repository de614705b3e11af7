//! What a plan says of the way to its servers, as the client's settings: limits, names, addresses, proxy.

use std::sync::Arc;
use std::time::Duration;

use nmax_http::{Config, Family, HostOverride, NameRules, PhaseLimits, Proxy, Url};
use nmax_metrics::Nanos;
use nmax_plan::plan::{self, Plan};

use crate::error::ProgramError;
use crate::run::settings::Settings;

/// Bytes of a failed reply's body that are kept for the examples.
const KEEP_FAILED_BYTES: usize = 64 * 1024;

/// The client's settings for a plan.
pub fn config(settings: &Settings) -> Result<Config, ProgramError> {
    let defaults = &settings.plan.defaults;
    Ok(Config {
        ca_pem: settings.ca_pem.clone(),
        insecure: defaults.insecure,
        client_certificate: settings.identity.clone(),
        body_limit: defaults.body_limit_bytes,
        decode: !defaults.compression.is_empty(),
        keep_failed_bytes: KEEP_FAILED_BYTES,
        phase_limits: phase_limits(defaults.phase_timeouts),
        names: name_rules(&settings.plan),
        sources: defaults.source_addresses.clone(),
        proxy: proxy(&settings.plan)?,
        sockets: settings.sockets.clone(),
        wire: settings.wire.clone(),
        ..Config::new(Arc::clone(&settings.allow))
    })
}

fn phase_limits(limits: plan::PhaseTimeouts) -> PhaseLimits {
    let nanos = |limit: Option<Duration>| limit.map(Nanos::from);
    PhaseLimits {
        dns: nanos(limits.dns),
        connect: nanos(limits.connect),
        tls: nanos(limits.tls),
        send: nanos(limits.send),
        wait: nanos(limits.wait),
        receive: nanos(limits.receive),
    }
}

fn name_rules(plan: &Plan) -> NameRules {
    let dns = &plan.defaults.dns;
    let host = |given: &plan::HostOverride| HostOverride {
        host: given.host.to_ascii_lowercase(),
        port: given.port,
        addresses: given.addresses.clone(),
    };
    NameRules {
        ttl: dns.ttl.map(Nanos::from),
        per_visitor: dns.per_vu,
        family: match dns.family {
            plan::Family::Any => Family::Any,
            plan::Family::V4 => Family::V4,
            plan::Family::V6 => Family::V6,
        },
        servers: dns.servers.clone(),
        hosts: plan.hosts.iter().map(host).collect(),
    }
}

/// The proxy of a plan; user name and password in its URL become basic authorization (RFC 7617).
pub fn proxy(plan: &Plan) -> Result<Option<Proxy>, ProgramError> {
    let Some(text) = &plan.defaults.proxy else {
        return Ok(None);
    };
    let (user, bare) = split_user(text);
    let url =
        Url::parse(&bare).map_err(|error| ProgramError::Url { url: bare.clone(), reason: error.kind.to_string() })?;
    Ok(Some(Proxy { origin: url.origin, authorization: user.map(|user| basic(&user)) }))
}

/// User name and password before the host, percent-decoded, and the URL without them.
fn split_user(url: &str) -> (Option<Vec<u8>>, String) {
    let whole = || (None, url.to_owned());
    let Some((scheme, rest)) = url.split_once("://") else {
        return whole();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rsplit_once('@') {
        Some((user, host)) => (Some(percent_decoded(user)), format!("{scheme}://{host}{}", &rest[end..])),
        None => whole(),
    }
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes
            .get(at + 1..at + 3)
            .filter(|two| bytes[at] == b'%' && two.iter().all(u8::is_ascii_hexdigit))
            .and_then(|two| std::str::from_utf8(two).ok())
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        out.push(digits.unwrap_or(bytes[at]));
        at += if digits.is_some() { 3 } else { 1 };
    }
    out
}

/// `Basic` and the user in base64 (RFC 4648, section 4); a user without a password gets an empty one.
fn basic(user: &[u8]) -> String {
    let colon: &[u8] = if user.contains(&b':') { b"" } else { b":" };
    let user = [user, colon].concat();
    let mut value = String::from("Basic ");
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for three in user.chunks(3) {
        let byte = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            value.push(if digit <= three.len() {
                char::from(DIGITS[(word >> (18 - 6 * digit)) as usize & 63])
            } else {
                '='
            });
        }
    }
    value
}

#[cfg(test)]
mod tests;
