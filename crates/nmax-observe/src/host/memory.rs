//! Memory and swap of the whole host.

use rustix::param::page_size;

use nmax_sources::figures;

use super::cgroup::field;
use super::files::CachedFile;
use super::reading::{HostReading, Previous, rates};

/// A row of `/proc/meminfo`, such as `MemTotal:  1000 kB`, in bytes.
fn bytes(info: &str, name: &str) -> Option<u64> {
    let rest = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let kib: u64 = rest.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib.saturating_mul(1024))
}

/// The host's memory.
#[derive(Debug)]
pub(super) struct Memory {
    info: CachedFile,
    counters: CachedFile,
    /// Pages swapped in and out, faults, kills.
    before: Previous<[Option<u64>; 4]>,
    /// What was available at the last look, bytes.
    pub(super) available_bytes: Option<u64>,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self {
            info: CachedFile::new("proc/meminfo"),
            counters: CachedFile::new("proc/vmstat"),
            before: Previous::default(),
            available_bytes: None,
        }
    }

    pub(super) fn read(&mut self, look: &mut HostReading<'_>) {
        let text = self.info.read(look.files).unwrap_or_default();
        let names = ["MemTotal", "MemAvailable", "SwapTotal", "SwapFree", "Dirty"];
        let [total, available, swap_total, swap_free, dirty] = names.map(|name| bytes(text, name));
        self.available_bytes = available;
        let number = |value: Option<u64>| value.map(|value| value as f64);
        let swapped = swap_total.zip(swap_free).map(|(total, free)| total.saturating_sub(free));
        let figures = [
            (figures::TOTAL_BYTES, number(total)),
            (figures::AVAILABLE_BYTES, number(available)),
            (figures::SWAP_USED_BYTES, number(swapped)),
            (figures::DIRTY_BYTES, number(dirty)),
        ];
        look.put_all("memory", &figures);
        let Ok(text) = self.counters.read(look.files) else {
            return;
        };
        let now = ["pswpin", "pswpout", "pgmajfault", "oom_kill"].map(|name| field(text, name));
        let Some((span_s, before)) = self.before.replace(look.now, now) else {
            return;
        };
        let [pages_in, pages_out, faults, kills] = rates(now, before, span_s);
        let pages = |pages: Option<f64>| pages.map(|pages| pages * page_size() as f64);
        let figures = [
            (figures::SWAP_IN_BYTES_PER_S, pages(pages_in)),
            (figures::SWAP_OUT_BYTES_PER_S, pages(pages_out)),
            (figures::MAJOR_FAULTS_PER_S, faults),
            (figures::OOM_KILLS_PER_S, kills),
        ];
        look.put_all("memory", &figures);
    }
}

#[cfg(test)]
mod tests;
