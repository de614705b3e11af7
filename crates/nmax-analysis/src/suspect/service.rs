//! What services say of themselves: pools, locks, dependencies, databases, collections of garbage.

use nmax_sources::figures;

use super::measured::{Measured, Role};
use super::rules::{
    CALL_LONG_S, CALLS_IDLE, CALLS_MIN, HIT_MIN, LIMIT_SHARE, PAUSE_MAX, POSTGRES, READS_MIN, USE, WAIT_SHARE_MIN,
    WAITERS_MIN, figure, percent, rule, said,
};
use super::span_readings::{SpanReadings, name_of};
use super::system::System;
use super::{Cell, Finding, Kind};
use crate::wording::{digits, share, time_ms};

/// Everything of these kinds on a host, whose processors and disks are `leaves`.
pub(super) fn measure(look: &SpanReadings, system: &System, host: &str, leaves: &[Measured]) -> Vec<Measured> {
    let each = |kind: &str| look.named(host, kind).into_iter();
    let pools = each("pool").filter_map(|source| pool(look, system, host, source));
    let locks = each("lock").filter_map(|source| lock(look, host, source));
    let dependencies = each("dependency").filter_map(|source| dependency(look, system, host, source));
    let databases = each("database").filter_map(|source| database(look, system, host, source, leaves));
    let collections = each("gc").filter_map(|source| collection(look, system, host, source));
    let limits = each("process").filter_map(|source| descriptors(look, host, source));
    let all = pools.chain(locks).chain(dependencies).chain(databases).chain(collections);
    all.chain(limits).chain(descriptors(look, host, "kernel")).collect()
}

fn pool(look: &SpanReadings, system: &System, host: &str, source: &str) -> Option<Measured> {
    let of = |metric| look.mean(host, source, metric);
    let (held, waiting) = (of(figures::IN_USE_COUNT), of(figures::WAITING_COUNT));
    let key = if waiting.is_some() { figures::WAITING_COUNT } else { figures::IN_USE_COUNT };
    let mut pool = Measured::new(look, Kind::Pool, host, name_of(source), (source, key));
    held.or(waiting)?;
    let (limit, timeouts) = (of(figures::LIMIT_COUNT).filter(|limit| *limit > 0.0), of(figures::TIMEOUTS_PER_S));
    pool.role = Role::Lender { held: held.unwrap_or(0.0) };
    pool.is_counted = waiting.is_some();
    pool.waiting = waiting.unwrap_or(0.0);
    pool.is_inner = is_of_cache(look, host, name_of(source));
    pool.utilization = held.zip(limit).map(|(held, limit)| held / limit);
    pool.servers = held.zip(limit);
    pool.is_pressed = pool.waiting >= WAITERS_MIN || timeouts.is_some_and(|timeouts| timeouts > 0.0);
    pool.is_mute = !pool.is_inner
        && look.max(host, source, figures::WAITING_COUNT).unwrap_or(0.0) <= 0.0
        && is_crowded(&pool, system);
    let of_limit = limit.map_or(String::new(), |limit| format!(" of {}", digits(limit)));
    if let Some(held) = held {
        let waiters = match (waiting, pool.is_mute) {
            (Some(_), true) | (None, _) => String::new(),
            (Some(waiting), false) => format!(", {} waiting", digits(waiting)),
        };
        pool.findings.push(said("utilization", format!("{}{of_limit} in use at a time{waiters}", digits(held))));
    }
    if let Some(used) = pool.utilization.filter(|used| *used >= LIMIT_SHARE) {
        pool.rules.push(rule(format!("{} of it was in use all the time", share(used)), USE));
    }
    if let Some(timeouts) = timeouts.filter(|timeouts| *timeouts > 0.0) {
        pool.rules.push(rule(format!("{} requests/s gave up waiting for it", digits(timeouts)), USE));
    }
    pool.cells = [
        percent(pool.utilization),
        match pool.utilization {
            _ if pool.is_mute => Cell::NotObserved,
            // With room for all nobody waits.
            Some(used) if waiting.is_none() && used < LIMIT_SHARE => Cell::None,
            _ => figure(waiting, "waiting"),
        },
        figure(timeouts, "timeouts/s"),
    ];
    Some(pool)
}

/// Whether all of a pool is lent, and requests enough are in the system that have none of it.
fn is_crowded(pool: &Measured, system: &System) -> bool {
    pool.servers.is_some_and(|(held, limit)| {
        held >= LIMIT_SHARE * limit && system.in_flight() - limit >= WAIT_SHARE_MIN * system.in_flight()
    })
}

/// Whether a pool is the threads of a cache, which is read as a service of its own: `cache thread` beside
/// `operations cache commands`.
fn is_of_cache(look: &SpanReadings, host: &str, pool: &str) -> bool {
    let cache = pool.strip_suffix(" thread").or_else(|| pool.strip_suffix(" threads"));
    let has = |cache: &str, what: &str| look.has(host, &format!("operations {cache} {what}"));
    cache.is_some_and(|cache| has(cache, "commands") || has(cache, "gets"))
}

fn lock(look: &SpanReadings, host: &str, source: &str) -> Option<Measured> {
    let (waiting, held) =
        (look.mean(host, source, figures::WAITING_COUNT)?, look.mean(host, source, figures::HOLDING_COUNT));
    let mut lock = Measured::new(look, Kind::Lock, host, name_of(source), (source, figures::WAITING_COUNT));
    lock.role = Role::Lender { held: held.unwrap_or(1.0) };
    lock.is_counted = true;
    lock.waiting = waiting;
    lock.utilization = held;
    lock.servers = held.map(|held| (held, 1.0));
    lock.is_pressed = waiting >= WAITERS_MIN;
    let holding = held.map_or(String::new(), |held| format!(", held {} of the time", share(held)));
    lock.findings.push(said("utilization", format!("{} waiting at a time{holding}", digits(waiting))));
    if waiting >= 1.0 {
        lock.rules.push(rule(format!("{} wait for who holds it", digits(waiting)), USE));
    }
    lock.cells = [percent(held), figure(Some(waiting), "waiting"), Cell::None];
    Some(lock)
}

/// Whether calls are under way to speak of.
fn is_busy(system: &System, calls: f64) -> bool {
    calls >= CALLS_MIN || (calls >= CALLS_IDLE && system.seconds(calls) >= CALL_LONG_S)
}

fn dependency(look: &SpanReadings, system: &System, host: &str, source: &str) -> Option<Measured> {
    let of = |metric| look.mean(host, source, metric);
    let in_flight = of(figures::IN_FLIGHT_COUNT)?;
    let (calls, errors) = (of(figures::CALLS_PER_S), of(figures::ERRORS_PER_S));
    let mut dependency =
        Measured::new(look, Kind::Dependency, host, name_of(source), (source, figures::IN_FLIGHT_COUNT));
    dependency.role = Role::Outer;
    dependency.is_counted = true;
    dependency.service = in_flight;
    let per_call_s = calls.filter(|calls| *calls > 0.0).map(|calls| in_flight / calls);
    let sure = look.low(host, source, figures::IN_FLIGHT_COUNT).unwrap_or(0.0);
    dependency.is_pressed = is_busy(system, sure);
    let mut text = format!("{} calls under way at a time", digits(in_flight));
    if let (Some(calls), Some(per_call_s)) = (calls, per_call_s) {
        text += &format!(", {} calls/s, each {}", digits(calls), time_ms(per_call_s * 1e3));
    }
    dependency.findings.push(said("utilization", text));
    if let Some(errors) = errors.filter(|errors| *errors > 0.0) {
        dependency.rules.push(rule(format!("{} of its calls failed per second", digits(errors)), USE));
    }
    dependency.cells = [
        figure(Some(in_flight), "under way"),
        match per_call_s {
            Some(per_call_s) => Cell::Observed(format!("{} per call", time_ms(per_call_s * 1e3))),
            None => Cell::NotObserved,
        },
        figure(errors, "errors/s"),
    ];
    Some(dependency)
}

/// Sessions of a database by what they wait for. Those that run or wait for I/O are at processors and disks of its host, as
/// far as these are watched and have anyone in them.
fn database(look: &SpanReadings, system: &System, host: &str, source: &str, leaves: &[Measured]) -> Option<Measured> {
    let of = |metric| look.mean(host, source, metric);
    let active = of(figures::ACTIVE_COUNT)?;
    let mut database = Measured::new(look, Kind::Database, host, name_of(source), (source, figures::ACTIVE_COUNT));
    let number = |leaf: &Measured| leaf.number() + leaf.others[0] + leaf.others[1];
    let at = |kind: Kind| {
        let of_kind = leaves.iter().filter(|leaf| leaf.resource.kind == kind);
        of_kind.map(number).sum::<f64>()
    };
    let known = |metric| of(metric).unwrap_or(0.0);
    let locks = known(figures::WAIT_LOCK_COUNT) + known(figures::WAIT_LWLOCK_COUNT);
    let (io, client) = (known(figures::WAIT_IO_COUNT), known(figures::WAIT_CLIENT_COUNT));
    let others = locks + io + client + known(figures::WAIT_OTHER_COUNT);
    let running = of(figures::RUNNING_COUNT).unwrap_or_else(|| (active - others).max(0.0));
    database.contained = running.min(at(Kind::Cpu)) + io.min(at(Kind::Disk) + at(Kind::Memory));
    database.role = Role::Outer;
    database.is_counted = true;
    database.waiting = locks.min(active);
    database.service = (active - client - database.waiting - database.contained).max(0.0);
    let limit = of(figures::CONNECTIONS_LIMIT_COUNT).filter(|limit| *limit > 0.0);
    database.utilization = of(figures::CONNECTIONS_COUNT).zip(limit).map(|(used, limit)| used / limit);
    let sure = look.low(host, source, figures::ACTIVE_COUNT).unwrap_or(0.0);
    database.is_pressed = locks >= WAITERS_MIN || is_busy(system, database.number().min(sure));
    let classes = [
        (figures::RUNNING_COUNT, "running"),
        (figures::WAIT_IO_COUNT, "waiting for I/O"),
        (figures::WAIT_LOCK_COUNT, "for locks"),
        (figures::WAIT_LWLOCK_COUNT, "for its own structures"),
        (figures::WAIT_CLIENT_COUNT, "for the client"),
        (figures::WAIT_OTHER_COUNT, "for something else"),
    ];
    let parts = classes.into_iter().filter_map(|(metric, words)| {
        let number = of(metric).filter(|number| *number >= 0.005)?;
        Some(format!("{} {words}", digits(number)))
    });
    let parts = parts.collect::<Vec<_>>().join(", ");
    let list = if parts.is_empty() { String::new() } else { format!(": {parts}") };
    let waits = [
        known(figures::WAIT_LOCK_COUNT),
        known(figures::WAIT_LWLOCK_COUNT),
        io,
        running + known(figures::WAIT_OTHER_COUNT),
    ];
    database.experiment = Some(database_experiment(name_of(source), waits, of(figures::BLOCKS_READ_PER_S)));
    database.findings.push(Finding {
        kind: "utilization",
        text: format!("{} sessions active at a time{list}", digits(active)),
        source: POSTGRES,
    });
    database_rules(look, host, source, locks, &mut database);
    database.cells = [
        figure(Some(active), "active"),
        figure(Some(locks), "waiting for locks"),
        figure(of(figures::ROLLBACKS_PER_S), "rollbacks/s"),
    ];
    Some(database)
}

/// What to change in a database, by what most of its sessions do: wait for locks, for its own structures, for I/O, or run.
/// Larger buffers help where blocks are read, and nowhere else.
fn database_experiment(name: &str, sessions: [f64; 4], read_per_s: Option<f64>) -> String {
    let [locks, structures, io, running] = sessions;
    let most = sessions.into_iter().fold(0.0, f64::max);
    if locks > 0.0 && locks >= most {
        return format!(
            "shorten or split the transactions that hold locks in database {name}, or let all of them take their rows in the \
             same order"
        );
    }
    if structures > 0.0 && structures >= most {
        return format!("let fewer sessions at a time ask database {name} (a smaller pool)");
    }
    // Some servers tell neither who waits for I/O nor how many blocks they read.
    let is_reading = match read_per_s {
        Some(read) => read >= READS_MIN,
        None => io > 0.0,
    };
    if is_reading && io >= running {
        return format!("give database {name} larger buffers, or let its statements read fewer blocks (an index)");
    }
    let buffers = if is_reading { ", or give it larger buffers" } else { "" };
    format!("leave out the requests whose statements take long in database {name}{buffers}")
}

fn database_rules(look: &SpanReadings, host: &str, source: &str, locks: f64, database: &mut Measured) {
    let of = |metric| look.mean(host, source, metric);
    if locks >= 1.0 {
        database.rules.push(rule(format!("{} sessions wait for locks at a time", digits(locks)), POSTGRES));
    }
    if let Some(used) = database.utilization.filter(|used| *used >= LIMIT_SHARE) {
        database.rules.push(rule(format!("{} of its connections are in use", share(used)), USE));
    }
    if let Some(deadlocks) = of(figures::DEADLOCKS_PER_S).filter(|deadlocks| *deadlocks > 0.0) {
        database.rules.push(rule(format!("{} deadlocks/s", digits(deadlocks)), POSTGRES));
    }
    // The share over the phase, not the mean of the seconds' shares: quiet seconds are not as many blocks as busy ones.
    let found = of(figures::BLOCKS_HIT_PER_S).zip(of(figures::BLOCKS_READ_PER_S));
    let found = found.filter(|(hit, read)| hit + read > 0.0);
    let hit = found.map(|(hit, read)| hit / (hit + read)).or(of(figures::HIT_RATIO));
    if let Some((hit, read)) = hit.zip(of(figures::BLOCKS_READ_PER_S))
        && hit < HIT_MIN
        && read >= READS_MIN
    {
        let text = format!("only {} of its blocks were in its buffers, {} blocks/s were not", share(hit), digits(read));
        database.rules.push(rule(text, POSTGRES));
    }
    if let Some(bytes) = of(figures::TEMP_BYTES_PER_S).filter(|bytes| *bytes > 0.0) {
        let text = format!("{} bytes/s went to temporary files", digits(bytes));
        database.findings.push(Finding { kind: "rule", text, source: POSTGRES });
    }
}

/// While a collection stops the world, every request in the system waits, and those that come pile up.
///
/// ```text
/// N_gc = p·(N + (1−p)·λ·L/2),  L = p / f
/// ```
///
/// - p: share of the time in pauses, 0 to 1; `pause_ratio`
/// - N: mean number of requests in the system; N_gc of those that wait for a pause to end
/// - λ: requests that come in pauses as well, 1/s; 0 where users wait for replies
/// - f: pauses per second; L: their mean length, s. Where f is not known, L counts as 0
///
/// With N₀ in the system outside of pauses, N = N₀ + p·λ·L/2 and N_gc = p·(N₀ + λ·L/2). Pauses of unequal lengths hold up
/// more. Tests: `a_pause_holds_up_what_comes_in_it`, `the_bottleneck_is_first`.
pub(super) fn held_up(paused: f64, pauses_per_s: Option<f64>, in_flight: f64, arrivals_per_s: f64) -> f64 {
    let paused = paused.clamp(0.0, 1.0);
    let length_s = pauses_per_s.filter(|rate| *rate > 0.0).map_or(0.0, |rate| paused / rate);
    let come = (1.0 - paused) * arrivals_per_s * length_s / 2.0;
    (paused * (in_flight + come)).min(in_flight)
}

/// Collections that stop the world.
fn collection(look: &SpanReadings, system: &System, host: &str, source: &str) -> Option<Measured> {
    let paused = look.mean(host, source, figures::PAUSE_RATIO)?;
    let mut gc = Measured::new(look, Kind::Gc, host, name_of(source), (source, figures::PAUSE_RATIO));
    gc.is_counted = true;
    let pauses_per_s = look.mean(host, source, figures::PAUSES_PER_S);
    gc.waiting = held_up(paused, pauses_per_s, system.in_flight(), system.arrivals_per_s);
    gc.utilization = Some(paused);
    gc.is_pressed = paused >= PAUSE_MAX;
    gc.findings.push(said("utilization", format!("the world stood still in {} of the time", share(paused))));
    if paused >= PAUSE_MAX {
        gc.rules.push(rule(format!("collections stopped everything for {} of the time", share(paused)), USE));
    }
    gc.cells = [percent(Some(paused)), figure(pauses_per_s, "pauses/s"), Cell::None];
    Some(gc)
}

/// Descriptors of a process or of the kernel, where they come to their limit: a pool like any other.
fn descriptors(look: &SpanReadings, host: &str, source: &str) -> Option<Measured> {
    let used = look.max(host, source, figures::OPEN_FILES_COUNT)?;
    let limit = look.mean(host, source, figures::OPEN_FILES_LIMIT_COUNT).filter(|limit| *limit > 0.0)?;
    if used < LIMIT_SHARE * limit {
        return None;
    }
    let name = match name_of(source) {
        "" => "open files".to_owned(),
        name => format!("open files of {name}"),
    };
    let mut files = Measured::new(look, Kind::Pool, host, &name, (source, figures::OPEN_FILES_COUNT));
    files.role = Role::Aside;
    files.utilization = Some(used / limit);
    let text = format!("{} of {} descriptors were in use", digits(used), digits(limit));
    files.rules.push(rule(text, USE));
    files.cells = [percent(files.utilization), Cell::NotObserved, Cell::NotObserved];
    Some(files)
}
