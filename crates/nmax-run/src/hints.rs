//! What a plan says and what has no effect, or another one than it seems.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use nmax_http::{Origin, Scheme};
use nmax_plan::plan::{Action, Address, Call, Family, HostOverride, Intervention, Plan, Scenario};
use nmax_plan::units::format_duration;

mod unmet;

/// A sentence for each thing that may not be what was meant; `origins` are all that the plan names.
pub fn warnings(plan: &Plan, origins: &[Origin]) -> Vec<String> {
    let defaults = &plan.defaults;
    let mut warnings: Vec<String> = Vec::new();
    if is_closed(plan) {
        let unused = plan.hosts.iter().filter(|given| !is_used(given, plan, origins));
        warnings.extend(unused.map(|given| {
            let port = given.port.map_or_else(String::new, |port| format!(":{port}"));
            format!("no request goes to `{}{port}`, so the address given to it is not used", given.host)
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
    warnings.extend(short_stage(plan));
    warnings.extend(unmet::unmet(plan));
    warnings
}

/// A compressed stage that is shorter than a window of measurements shows nothing of its own.
fn short_stage(plan: &Plan) -> Option<String> {
    let lengths = plan.stages.iter().filter_map(|stage| stage.length_ns);
    let shortest = lengths.map(Duration::from_nanos).min()?;
    (plan.compress > 1.0 && shortest < plan.window).then(|| {
        format!(
            "compressed {} times, a stage lasts {}, less than a window of measurements ({}): compress less, or write a \
             shorter `window`",
            plan.compress,
            format_duration(shortest),
            format_duration(plan.window)
        )
    })
}

/// The interventions that act on this host, by a command or a signal; only `--allow-exec` lets them.
pub fn acts_here(plan: &Plan) -> impl Iterator<Item = &Intervention> {
    let acts = |action: &Action| !matches!(action, Action::Http { .. });
    plan.timeline.iter().filter(move |item| acts(&item.action) || item.undo.as_ref().is_some_and(acts))
}

fn requests(plan: &Plan) -> impl Iterator<Item = &Call> {
    plan.all_scenarios().flat_map(Scenario::calls).map(Arc::as_ref)
}

/// Whether the plan alone says where its requests go: no server, no data and no script does.
fn is_closed(plan: &Plan) -> bool {
    let is_declared = plan.all_scenarios().all(Scenario::is_declared);
    is_declared && requests(plan).all(|request| !request.addresses(&plan.defaults).contains(&Address::Unknown))
}

fn is_used(given: &HostOverride, plan: &Plan, origins: &[Origin]) -> bool {
    let proxy = nmax_engine::http::network::proxy(plan).ok().flatten();
    let proxy = proxy.iter().map(|proxy| &proxy.origin);
    origins.iter().chain(proxy).any(|origin| {
        origin.host.eq_ignore_ascii_case(&given.host) && given.port.is_none_or(|port| port == origin.port)
    })
}

#[cfg(test)]
mod tests;
