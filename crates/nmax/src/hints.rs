//! What a plan says and what has no effect, or another one than it seems.

use std::sync::Arc;

use std::net::IpAddr;

use nmax_http::{Origin, Scheme};
use nmax_plan::addresses::is_absolute;
use nmax_plan::plan::{Family, HostOverride, Plan, Request, Scenario};
use nmax_plan::template::Part;

use crate::say;

/// A sentence for each thing that may not be what was meant; `origins` are all that the plan names.
pub fn warnings(plan: &Plan, origins: &[Origin]) -> Vec<String> {
    let defaults = &plan.defaults;
    let mut warnings: Vec<String> = Vec::new();
    if is_closed(plan) {
        let unused = plan.hosts.iter().filter(|given| !is_used(given, plan, origins));
        warnings.extend(unused.map(|given| {
            let port = given.port.map_or_else(String::new, |port| format!(":{port}"));
            format!(
                "no request goes to `{}{port}`, so the address given to it is not used",
                given.host
            )
        }));
    }
    if defaults.insecure && !defaults.ca_files.is_empty() {
        warnings.push("any certificate is accepted, so the issuers in `ca` change nothing".into());
    }
    let speaks_tls = origins.iter().any(|origin| origin.scheme == Scheme::Https);
    if defaults.client_certificate.is_some() && !speaks_tls && is_closed(plan) {
        warnings.push("no request goes to https://, so the client certificate is never shown".into());
    }
    for origin in origins {
        let (wanted, other) = match (defaults.dns.family, origin.host.parse::<IpAddr>()) {
            (Family::V6, Ok(IpAddr::V4(_))) => ("ipv6", "IPv4"),
            (Family::V4, Ok(IpAddr::V6(_))) => ("ipv4", "IPv6"),
            _ => continue,
        };
        warnings.push(format!(
            "{origin} is an {other} address: `family: {wanted}` chooses among the addresses of names only"
        ));
    }
    warnings
}

/// Says them on standard error.
pub fn say(warnings: &[String]) {
    warnings
        .iter()
        .for_each(|warning| say::note(format_args!("warning: {warning}")));
}

fn requests(plan: &Plan) -> impl Iterator<Item = &Request> {
    plan.all_scenarios().flat_map(Scenario::requests).map(Arc::as_ref)
}

/// Whether the plan alone says where its requests go: no server and no data does.
fn is_closed(plan: &Plan) -> bool {
    requests(plan).all(|request| {
        let is_known = match request.url.parts.first() {
            Some(Part::Text(text)) => !is_absolute(text) || request.url.as_constant().is_some(),
            _ => false,
        };
        is_known && request.redirects_max.unwrap_or(plan.defaults.redirects_max) == 0
    })
}

fn is_used(given: &HostOverride, plan: &Plan, origins: &[Origin]) -> bool {
    let proxy = nmax_engine::network::proxy(plan).ok().flatten();
    let proxy = proxy.iter().map(|proxy| &proxy.origin);
    origins.iter().chain(proxy).any(|origin| {
        origin.host.eq_ignore_ascii_case(&given.host) && given.port.is_none_or(|port| port == origin.port)
    })
}

#[cfg(test)]
mod tests;
