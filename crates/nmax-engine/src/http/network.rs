//! What a plan says of the way to its servers, as the client's settings: limits, names, addresses, proxy.

use std::sync::Arc;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use nmax_http::{Config, Family, HostOverride, NameRules, PhaseLimits, Proxy, Url};
use nmax_metrics::Nanos;
use nmax_plan::plan::{self, Plan};
use nmax_text::percent;
use nmax_text::url::split;

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
    let proxy = split(text);
    let bare = format!("{}://{}", proxy.scheme, proxy.place);
    let url =
        Url::parse(&bare).map_err(|error| ProgramError::Url { url: bare.clone(), reason: error.kind.to_string() })?;
    Ok(Some(Proxy { origin: url.origin, authorization: proxy.login.map(basic) }))
}

/// `Basic` and the user, percent-decoded, in base64 (RFC 4648, section 4); a user without a password gets an empty one.
fn basic(login: &str) -> String {
    let mut user: Vec<u8> = percent::decode(login.as_bytes()).collect();
    if !user.contains(&b':') {
        user.push(b':');
    }
    format!("Basic {}", BASE64_STANDARD.encode(user))
}

#[cfg(test)]
mod tests;
