//! The coverage matrix: what was watched, and a row for all that nobody watched, with what would.

use std::collections::BTreeSet;

use nmax_plan::plan::INJECTOR;

use super::charge::Unwatched;
use super::measured::Measured;
use super::system::System;
use super::{Cell, Coverage, Kind, Resource};

/// Kinds that every host has.
const OF_HOSTS: [Kind; 4] = [Kind::Cpu, Kind::Memory, Kind::Disk, Kind::Network];
/// Kinds that applications have or not, which only they can tell.
const OF_SERVICES: [Kind; 5] = [Kind::Pool, Kind::Dependency, Kind::Database, Kind::Lock, Kind::Gc];

/// Rows of all that was measured, then of what was not.
pub(super) fn rows(all: &[Measured], system: &System) -> Vec<Coverage> {
    let mut rows: Vec<Coverage> = all.iter().map(Measured::coverage).collect();
    rows.extend(unwatched(all, system).into_iter().map(row));
    rows.sort_by(|a, b| a.resource.cmp(&b.resource));
    rows
}

/// Resources that nobody watched: each kind of each host of the system, and each kind of services once. Those come first
/// that the most is watched around: one figure that is missing there is the likelier hole.
pub(super) fn unwatched(all: &[Measured], system: &System) -> Vec<Resource> {
    let seen: BTreeSet<(&str, Kind)> = all
        .iter()
        .filter(|one| !one.is_blind() && !one.is_inner)
        .map(|one| (one.resource.host.as_str(), one.resource.kind))
        .collect();
    let resource = |host: &str, kind: Kind| Resource { host: host.to_owned(), kind, name: String::new() };
    let mut hosts: Vec<&String> = system.hosts.iter().collect();
    hosts.sort_by_key(|host| *host != &system.target);
    // A host that only services were read of may be one that is watched under another name.
    let is_host = |host: &str| host == system.target || OF_HOSTS.iter().any(|kind| seen.contains(&(host, *kind)));
    let of_hosts = hosts.into_iter().filter(|host| is_host(host)).flat_map(|host| {
        let missing = OF_HOSTS.iter().filter(|kind| !seen.contains(&(host.as_str(), **kind)));
        missing.map(|kind| resource(host, *kind)).collect::<Vec<_>>()
    });
    let of_services = OF_SERVICES.iter().filter(|kind| !seen.iter().any(|(_, known)| known == *kind));
    of_hosts.chain(of_services.map(|kind| resource(&system.target, *kind))).collect()
}

/// What may be behind the holders of a pool or lock and is not watched.
pub(super) fn behind(missing: &[Resource]) -> Unwatched {
    let is_missing = |kind: Kind| missing.iter().any(|resource| resource.kind == kind);
    let host = [Kind::Cpu, Kind::Memory, Kind::Disk].into_iter().any(is_missing);
    let (dependency, database) = (is_missing(Kind::Dependency), is_missing(Kind::Database));
    Unwatched { host, services: dependency && database, any: host || dependency || database }
}

fn row(resource: Resource) -> Coverage {
    Coverage {
        utilization: Cell::NotObserved,
        saturation: Cell::NotObserved,
        errors: Cell::NotObserved,
        remedy: remedy(&resource),
        resource,
    }
}

/// What would watch it: a line of the plan.
pub(super) fn remedy(resource: &Resource) -> String {
    let host = &resource.host;
    let mapped = |kind: &str, figures: &str| {
        format!("`observe: [{{ prometheus: URL, resources: {{ NAME: {{ kind: {kind}, {figures} }} }} }}]`")
    };
    match resource.kind {
        Kind::Cpu | Kind::Memory | Kind::Disk | Kind::Network if host == INJECTOR => {
            format!("this host does not show it; see the notes of source `{}` in the events", resource.kind.name())
        }
        Kind::Cpu | Kind::Memory | Kind::Disk | Kind::Network => {
            format!("`nmax agent` on {host}, and `observe: [{{ agent: \"http://{host}:9797\" }}]`")
        }
        Kind::Pool => mapped("pool", "in_use: METRIC, waiting: METRIC, limit: METRIC"),
        Kind::Lock => mapped("lock", "waiting: METRIC, holding: METRIC"),
        Kind::Dependency => mapped("dependency", "in_flight: METRIC, calls: METRIC"),
        Kind::Database => "`observe: [{ postgres: \"postgres://USER@HOST/DATABASE\" }]`".to_owned(),
        Kind::Gc => mapped("gc", "pause: METRIC"),
    }
}
