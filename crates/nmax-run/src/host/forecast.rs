//! Whether a host has what a plan asks, before anything is sent.
//!
//! An error only where the run surely cannot work; what depends on the target's speed is a warning.

use std::path::Path;

use nmax_engine::measure::watch::ports::{REUSE_AGE_S, Range, Reuse, TIME_WAIT_S};
use nmax_report::number::{bytes, count, digits, time};

use super::checks::{REUSE_PORTS, WIDEN_PORTS};
use super::files::reserve;
use super::{Finding, Host, Level, Need};

/// Open files besides one per connection, more with many workers: the run's directory, runtimes, names being resolved.
const OTHER_FILES: u64 = 100;
/// Memory of a virtual user with one idle connection, its sockets in the kernel included, bytes: an assumption on the
/// safe side of what the tests allow the process, and as much for the kernel.
const USER_BYTES: u64 = 8 << 10;
/// What TLS adds to that, bytes: a buffer of one record for each direction, and the session. An estimate.
const TLS_BYTES: u64 = 40 << 10;

/// What a plan will run into. Nothing is found where nothing is known.
pub fn forecast(host: &Host, need: &Need) -> Vec<Finding> {
    [
        files(host, need),
        ports_at_once(host, need),
        ports_in_time_wait(host, need),
        memory(host, need),
        workers(host, need),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Holds a plan against this host: what may spoil the run.
///
/// # Errors
/// Why it surely cannot work.
pub fn fits(need: &Need) -> Result<Vec<Finding>, String> {
    let found = forecast(&Host::read(Path::new("/")), need);
    let of = |level: Level| found.iter().filter(move |finding| finding.level == level);
    let errors: Vec<String> = of(Level::Error).map(Finding::says).collect();
    if !errors.is_empty() {
        return Err(errors.join("\nerror: "));
    }
    Ok(of(Level::Warning).cloned().collect())
}

/// Users as the plan names them.
fn users(need: &Need) -> String {
    let noun = if need.is_closed { "virtual user" } else { "iteration" };
    let plural = if need.users == 1 { "" } else { "s" };
    let behind = if need.is_closed { "" } else { " in flight" };
    format!("{} {noun}{plural}{behind}", need.users)
}

fn connections(need: &Need) -> String {
    let plural = if need.connections == 1 { "" } else { "s" };
    format!("{} connection{plural}", count(need.connections))
}

fn files(host: &Host, need: &Need) -> Option<Finding> {
    let limit = host.files_soft?;
    let others = OTHER_FILES.max(reserve(need.workers));
    let files = need.connections.saturating_add(others);
    let who = users(need);
    let verb = verb(need, "need");
    let (level, remedy) = match (files <= limit, need.is_sure) {
        (true, _) => (Level::Ok, String::new()),
        (false, true) => (Level::Error, raise_files(files)),
        (false, false) => (Level::Warning, raise_files(files)),
    };
    Some(Finding {
        code: "FORECAST_OPEN_FILES",
        level,
        what: "open files",
        value: format!("{} of {}", count(files), count(limit)),
        meaning: format!("{who} {verb} {files} open files, and this process may have {limit}"),
        figure: Some(files as f64),
        limit: Some(limit as f64),
        remedy,
    })
}

/// The verb of [`users`].
fn verb(need: &Need, verb: &str) -> String {
    match (need.is_sure, need.users) {
        (true, 1) => format!("{verb}s"),
        (true, _) => verb.to_owned(),
        (false, _) => format!("may {verb}"),
    }
}

fn raise_files(files: u64) -> String {
    format!("raise the limit with `ulimit -n {files}`, or use fewer of them")
}

/// Ports of all pairs of source address and destination that the target's connections can have.
fn ports(range: &Range, need: &Need) -> u64 {
    range.count().saturating_mul(need.sources).saturating_mul(need.destinations)
}

fn ports_at_once(host: &Host, need: &Need) -> Option<Finding> {
    let ports = ports(host.ports.as_ref()?, need);
    let is_tight = need.connections > ports;
    let level = match (is_tight, need.is_sure && need.is_literal) {
        (false, _) => Level::Ok,
        (true, true) => Level::Error,
        (true, false) => Level::Warning,
    };
    let verb = verb(need, "hold");
    Some(Finding {
        code: "FORECAST_PORTS",
        level,
        what: "local ports",
        value: format!("{} of {}", count(need.connections), count(ports)),
        meaning: format!(
            "{} {verb} {} at once, and {} local ports lead to the target",
            users(need),
            connections(need),
            count(ports)
        ),
        figure: Some(need.connections as f64),
        limit: Some(ports as f64),
        remedy: if is_tight { more_ports() } else { String::new() },
    })
}

fn more_ports() -> String {
    format!("leave from more addresses (`--source`), or widen the range: `{WIDEN_PORTS}`")
}

/// Connections that are closed again and again leave their ports in TIME_WAIT, when nmax closes first.
fn ports_in_time_wait(host: &Host, need: &Need) -> Option<Finding> {
    let ports = ports(host.ports.as_ref()?, need);
    if !need.closes {
        return None;
    }
    let is_reused = host.reuse.is_some_and(|reuse| reuse.holds_for(need.is_loopback));
    let rest_s = if is_reused { REUSE_AGE_S } else { TIME_WAIT_S };
    let sustained = ports as f64 / rest_s as f64;
    let why = match (host.reuse, is_reused) {
        (Some(Reuse::Loopback), true) => "tcp_tw_reuse=2 gives ports out again after 1 s on the loopback".to_owned(),
        (_, true) => "tcp_tw_reuse=1 gives ports out again after 1 s".to_owned(),
        (_, false) => format!("each port rests for {TIME_WAIT_S} s when nmax closes first"),
    };
    let remedy = |is_tight: bool| match (is_tight, is_reused) {
        (false, _) => String::new(),
        (true, true) => format!("`connection: keep-alive` where users keep theirs; else {}", more_ports()),
        (true, false) => {
            format!("`connection: keep-alive` where users keep theirs; else `{REUSE_PORTS}`, or {}", more_ports())
        }
    };
    let Some(per_s) = need.opened_per_s else {
        // The target decides: say from which speed on the ports do not last.
        let least_s = need.users as f64 / sustained.max(1e-9);
        return Some(Finding {
            code: "FORECAST_TIME_WAIT",
            level: Level::Note,
            what: "new connections",
            value: format!("at most {} per second", digits(sustained)),
            meaning: format!(
                "{why}: users whose new connections are less than {} apart use up {} ports",
                time(least_s * 1e9),
                count(ports)
            ),
            figure: None,
            limit: Some(sustained),
            remedy: String::new(),
        });
    };
    let length_s = need.length.map_or(f64::INFINITY, |length| length.as_secs_f64());
    let taken = per_s * length_s.min(rest_s as f64);
    let is_tight = taken > ports as f64;
    Some(Finding {
        code: "FORECAST_TIME_WAIT",
        level: if is_tight { Level::Warning } else { Level::Ok },
        what: "new connections",
        value: format!("{} of {} per second", digits(per_s), digits(sustained)),
        meaning: format!(
            "up to {} new connection{} per second take {} of {} ports, as {why}",
            digits(per_s),
            if digits(per_s) == "1" { "" } else { "s" },
            count(taken.ceil() as u64),
            count(ports)
        ),
        figure: Some(per_s),
        limit: Some(sustained),
        remedy: remedy(is_tight),
    })
}

fn memory(host: &Host, need: &Need) -> Option<Finding> {
    let available = host.memory?.available_bytes;
    let each = USER_BYTES + if need.is_tls { TLS_BYTES } else { 0 };
    let bytes_needed = need.connections.max(need.users).saturating_mul(each);
    let is_tight = bytes_needed > available;
    Some(Finding {
        code: "FORECAST_MEMORY",
        level: if is_tight { Level::Warning } else { Level::Ok },
        what: "memory",
        value: format!("{} of {}", bytes(bytes_needed as f64), bytes(available as f64)),
        meaning: format!("about {} for each of {}, bodies not counted", bytes(each as f64), connections(need)),
        figure: Some(bytes_needed as f64),
        limit: Some(available as f64),
        remedy: if is_tight {
            "use fewer virtual users (with a rate: a lower in-flight limit), or a larger machine".into()
        } else {
            String::new()
        },
    })
}

fn workers(host: &Host, need: &Need) -> Option<Finding> {
    let cores = host.cores()?;
    let is_many = need.workers as f64 > cores.max(1.0);
    Some(Finding {
        code: "FORECAST_WORKERS",
        level: if is_many { Level::Warning } else { Level::Ok },
        what: "workers",
        value: format!("{} on {} cores", need.workers, digits(cores)),
        meaning: "workers that share a core wait for each other, and their users with them".into(),
        figure: Some(need.workers as f64),
        limit: Some(cores),
        remedy: if is_many { format!("use `--workers {}`", (cores.floor() as u64).max(1)) } else { String::new() },
    })
}

#[cfg(test)]
mod tests;
