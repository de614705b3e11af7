//! Memory and swap of the whole host.

use rustix::param::page_size;

use nmax_sources::figures;

use super::files::Kept;
use super::look::{Look, Since, per_s};

/// `/proc/meminfo`, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Info {
    total: Option<u64>,
    /// What could be had without swapping, bytes.
    pub(crate) available: Option<u64>,
    swap_total: Option<u64>,
    swap_free: Option<u64>,
    dirty: Option<u64>,
}

pub(crate) fn parse_info(text: &str) -> Info {
    let mut info = Info::default();
    for line in text.lines() {
        let Some((name, rest)) = line.split_once(':') else {
            continue;
        };
        let field = match name {
            "MemTotal" => &mut info.total,
            "MemAvailable" => &mut info.available,
            "SwapTotal" => &mut info.swap_total,
            "SwapFree" => &mut info.swap_free,
            "Dirty" => &mut info.dirty,
            _ => continue,
        };
        let number = rest.trim().strip_suffix("kB").unwrap_or(rest).trim().parse::<u64>();
        *field = number.ok().map(|kib| kib.saturating_mul(1024));
    }
    info
}

/// Counters of `/proc/vmstat`: pages, faults, kills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counters {
    swap_in: Option<u64>,
    swap_out: Option<u64>,
    major_faults: Option<u64>,
    oom_kills: Option<u64>,
}

fn parse_counters(text: &str) -> Counters {
    let mut counters = Counters::default();
    for line in text.lines() {
        let Some((name, value)) = line.split_once(' ') else {
            continue;
        };
        let field = match name {
            "pswpin" => &mut counters.swap_in,
            "pswpout" => &mut counters.swap_out,
            "pgmajfault" => &mut counters.major_faults,
            "oom_kill" => &mut counters.oom_kills,
            _ => continue,
        };
        *field = value.trim().parse().ok();
    }
    counters
}

/// The host's memory.
#[derive(Debug)]
pub(super) struct Memory {
    info: Kept,
    counters: Kept,
    before: Since<Counters>,
    /// What was available at the last look, bytes.
    pub(super) available_bytes: Option<u64>,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self {
            info: Kept::new("proc/meminfo"),
            counters: Kept::new("proc/vmstat"),
            before: Since::default(),
            available_bytes: None,
        }
    }

    pub(super) fn read(&mut self, look: &mut Look<'_>) {
        let info = self.info.read(look.files).map(parse_info).unwrap_or_default();
        self.available_bytes = info.available;
        let number = |value: Option<u64>| value.map(|value| value as f64);
        let swapped = info.swap_total.zip(info.swap_free);
        let swapped = swapped.map(|(total, free)| total.saturating_sub(free));
        let figures = [
            (figures::TOTAL_BYTES, number(info.total)),
            (figures::AVAILABLE_BYTES, number(info.available)),
            (figures::SWAP_USED_BYTES, number(swapped)),
            (figures::DIRTY_BYTES, number(info.dirty)),
        ];
        look.put_all("memory", &figures);
        let Ok(now) = self.counters.read(look.files).map(parse_counters) else {
            return;
        };
        let Some((span_s, before)) = self.before.replace(look.now, now) else {
            return;
        };
        let pages = |now, before| per_s(now, before, span_s).map(|pages| pages * page_size() as f64);
        let figures = [
            (figures::SWAP_IN_BYTES_PER_S, pages(now.swap_in, before.swap_in)),
            (figures::SWAP_OUT_BYTES_PER_S, pages(now.swap_out, before.swap_out)),
            (figures::MAJOR_FAULTS_PER_S, per_s(now.major_faults, before.major_faults, span_s)),
            (figures::OOM_KILLS_PER_S, per_s(now.oom_kills, before.oom_kills, span_s)),
        ];
        look.put_all("memory", &figures);
    }
}

#[cfg(test)]
mod tests;
