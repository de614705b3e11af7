//! What took the injector's time, in words, with advice that fits: the machine below, a control group, other processes,
//! nmax itself, or none of them.

use crate::InjectorFacts;
use crate::wording::{digits, share, time_ms};

/// Share of the host's processors from which steal is named.
pub const STEAL_SHARE_MIN: f64 = 0.01;
/// Share of the time from which being held back by a control group is named.
pub const HELD_SHARE_MIN: f64 = 0.005;
/// Processors from which other processes are named, used on average.
pub const CORES_MIN: f64 = 0.1;
/// Share of idle processors below which the host counts as busy.
pub const IDLE_SHARE_MIN: f64 = 0.1;
/// Share of a core from which a worker counts as short of it.
pub const OWN_SHARE_MIN: f64 = 0.9;
/// Processes that are named.
const NAMED_MAX: usize = 3;

/// What used the processors of the injector's host during the hold, in processors on average.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Culprits {
    /// Length of what was looked at, s.
    pub span_s: f64,
    /// Processors of the host.
    pub cores: f64,
    /// Taken away by the machine below.
    pub steal_cores: f64,
    /// Idle.
    pub idle_cores: f64,
    /// Used by nmax.
    pub own_cores: f64,
    /// Time for which the quota of nmax's control group held it back, s.
    pub throttled_s: f64,
    /// Time for which its control group was frozen, s.
    pub frozen_s: f64,
    /// Other processes, those that used most first.
    pub processes: Vec<Neighbour>,
    /// Used by all other processes together.
    pub others_cores: f64,
}

/// Processes of one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// The name.
    pub name: String,
    /// Processors used.
    pub cores: f64,
    /// It serves the target's port.
    pub is_target: bool,
}

/// What took the injector's time, and what to do; `None` where nothing was looked at.
pub fn told(injector: &InjectorFacts) -> Option<String> {
    let culprits = injector.culprits.as_ref().filter(|culprits| culprits.span_s > 0.0 && culprits.cores > 0.0)?;
    let (mut causes, mut advice) = (Vec::new(), Vec::new());
    let steal = culprits.steal_cores / culprits.cores;
    if steal >= STEAL_SHARE_MIN {
        causes.push(format!("steal {} (the host of this virtual machine)", percent(steal)));
        advice.push("use another machine or dedicated cores".to_owned());
    }
    if culprits.frozen_s >= HELD_SHARE_MIN * culprits.span_s {
        causes.push(format!("nmax's control group was frozen for {}", seconds(culprits.frozen_s)));
        advice.push("let nothing freeze nmax during a run".to_owned());
    }
    if culprits.throttled_s >= HELD_SHARE_MIN * culprits.span_s {
        let held = seconds(culprits.throttled_s);
        causes.push(format!("the quota of nmax's control group held it back for {held}"));
        advice.push("raise the quota, or lower the rate".to_owned());
    }
    culprits.name_processes(&mut causes, &mut advice);
    let is_short = injector.cpu_utilization_max.is_some_and(|busiest| busiest >= OWN_SHARE_MIN);
    if is_short {
        causes.push(format!("nmax itself {} cores", cores(culprits.own_cores)));
        let has_room = f64::from(injector.workers) < culprits.cores - 1.0 && culprits.idle_cores >= 1.0;
        advice.push(if has_room { "use more workers or a lower rate" } else { "use a lower rate" }.to_owned());
    }
    if causes.is_empty() {
        let idle = percent(culprits.idle_cores / culprits.cores);
        causes.push(format!(
            "no process and no steal, {idle} of the processors were idle: the timers of this machine, or something that stopped \
             nmax (a signal, a paused virtual machine)"
        ));
        advice.push("`nmax doctor` measures how late this machine wakes a thread; use one that is on time".to_owned());
    }
    Some(format!("what took nmax's time in the hold: {}; {}", causes.join(", "), advice.join("; ")))
}

impl Culprits {
    /// Other processes, where they could have been in the way: those that used a good part of a core.
    fn name_processes(&self, causes: &mut Vec<String>, advice: &mut Vec<String>) {
        let is_busy = self.idle_cores < IDLE_SHARE_MIN * self.cores;
        let large = self.processes.iter().filter(|process| process.cores >= CORES_MIN).take(NAMED_MAX);
        let (targets, foreign): (Vec<_>, Vec<_>) = large.partition(|process| process.is_target);
        let unit = |first: bool| if first { " cores" } else { "" };
        let mut names: Vec<String> = Vec::new();
        for process in foreign.iter().chain(&targets) {
            let role = if process.is_target { " (the target)" } else { "" };
            names.push(format!("{}{role} {}{}", process.name, cores(process.cores), unit(names.is_empty())));
        }
        if self.others_cores >= CORES_MIN {
            names.push(format!("other processes {}{}", cores(self.others_cores), unit(names.is_empty())));
        }
        causes.extend(names);
        match foreign.as_slice() {
            [] if self.others_cores >= CORES_MIN && targets.is_empty() => {
                advice.push("stop other processes".to_owned())
            }
            [] => {}
            all => {
                let names: Vec<&str> = all.iter().map(|process| process.name.as_str()).collect();
                advice.push(format!("stop {}", names.join(" and ")));
            }
        }
        if !targets.is_empty() && (is_busy || foreign.is_empty()) {
            advice.push("move the target to another machine, or keep it and the workers apart (`--pin`)".to_owned());
        }
    }
}

/// `1.1`, `0.04`
fn cores(value: f64) -> String {
    if value >= 0.1 { digits((value * 10.0).round() / 10.0) } else { digits((value * 100.0).round() / 100.0) }
}

/// A share in whole percent from 1 % on.
fn percent(ratio: f64) -> String {
    if ratio >= 0.01 { share((ratio * 100.0).round() / 100.0) } else { share(ratio) }
}

fn seconds(s: f64) -> String {
    time_ms(s * 1e3)
}

#[cfg(test)]
mod tests;
