//! How many workers a run has by default: a target on this host needs a core too. Where they may run.

use std::fs;
use std::net::{IpAddr, UdpSocket};

use nmax_http::Origin;
use nmax_plan::plan::Plan;
use rustix::thread::CpuSet;

use super::need::targets;

/// What this host calls itself.
const HOST_NAME: &str = "/proc/sys/kernel/hostname";
/// Names with addresses of their own.
const HOSTS: &str = "/etc/hosts";

/// Worker threads of a run: those that were asked for, else one per core, and one less beside a target on this host.
///
/// `origins` are all that the plan names, the target first.
pub fn workers(asked: Option<u32>, plan: &Plan, origins: &[Origin]) -> u32 {
    asked.unwrap_or_else(|| by_default(cores(), is_here(plan, origins)))
}

/// Cores that this process may use, at least one.
pub fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32)
}

/// Whether this process may run on these CPUs.
///
/// # Errors
/// On which it may not, and which there are.
pub fn pinnable(pin: &[usize]) -> Result<(), String> {
    let Ok(allowed) = rustix::thread::sched_getaffinity(None) else {
        return Ok(());
    };
    let is_allowed = |cpu: usize| cpu < CpuSet::MAX_CPU && allowed.is_set(cpu);
    let Some(wrong) = pin.iter().find(|cpu| !is_allowed(**cpu)) else {
        return Ok(());
    };
    let allowed: Vec<String> = (0..CpuSet::MAX_CPU).filter(|cpu| is_allowed(*cpu)).map(|cpu| cpu.to_string()).collect();
    Err(format!("--pin: this process may not run on CPU {wrong}\n  help: choose from {}", allowed.join(",")))
}

fn by_default(cores: u32, is_here: bool) -> u32 {
    cores.saturating_sub(u32::from(is_here)).max(1)
}

/// Whether the plan's target, or the proxy in its place, is on this host. Nothing is sent and no name server is asked.
fn is_here(plan: &Plan, origins: &[Origin]) -> bool {
    targets(plan, origins).iter().any(|(host, _)| match host.trim_matches(['[', ']']).parse() {
        Ok(address) => is_own(address),
        Err(_) => is_name_here(host),
    })
}

/// Whether a socket could have this address: only this host's own can be bound.
fn is_own(address: IpAddr) -> bool {
    address.is_loopback() || UdpSocket::bind((address, 0)).is_ok()
}

fn is_name_here(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let text = |file| fs::read_to_string(file).unwrap_or_default();
    name == "localhost"
        || name.ends_with(".localhost")
        || name == text(HOST_NAME).trim().to_ascii_lowercase()
        || in_hosts(&text(HOSTS), &name).any(is_own)
}

/// Addresses of a name in the text of a hosts file.
fn in_hosts<'a>(hosts: &'a str, name: &'a str) -> impl Iterator<Item = IpAddr> + 'a {
    hosts.lines().filter_map(move |line| {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let address = words.next()?.parse().ok()?;
        words.any(|alias| alias.eq_ignore_ascii_case(name)).then_some(address)
    })
}

#[cfg(test)]
mod tests;
