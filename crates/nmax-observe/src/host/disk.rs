//! Disks: how long transfers take and wait, how many and how much.

use std::collections::BTreeMap;

use nmax_sources::figures;

use super::files::CachedFile;
use super::reading::{HostReading, Previous, growth, per_s};

/// Disks that are shown.
const DISKS_MAX: usize = 16;
/// Bytes of a sector in `/proc/diskstats`, whatever those of the disk are.
const SECTOR_BYTES: f64 = 512.0;
/// Devices that are no disks, or lie upon disks that are counted already.
const SKIPPED: [&str; 8] = ["loop", "ram", "zram", "dm-", "md", "sr", "fd", "mtdblock"];

/// Counters of one disk since boot (kernel: `Documentation/admin-guide/iostats.rst`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counters {
    reads: u64,
    read_sectors: u64,
    read_ms: u64,
    writes: u64,
    written_sectors: u64,
    write_ms: u64,
    busy_ms: u64,
    /// Time of all transfers together.
    queue_ms: u64,
}

impl Counters {
    fn is_used(&self) -> bool {
        self.reads > 0 || self.writes > 0
    }
}

/// Whole disks that were ever used, by name.
fn parse(text: &str) -> BTreeMap<String, Counters> {
    let rows: BTreeMap<&str, Counters> = text.lines().filter_map(row).collect();
    let is_shown = |name: &str, counters: &Counters| {
        let is_skipped = SKIPPED.iter().any(|skipped| name.starts_with(skipped));
        counters.is_used() && !is_skipped && !is_partition(name, &rows)
    };
    rows.iter()
        .filter(|(name, counters)| is_shown(name, counters))
        .map(|(name, counters)| ((*name).to_owned(), *counters))
        .collect()
}

fn row(line: &str) -> Option<(&str, Counters)> {
    let mut words = line.split_ascii_whitespace().skip(2);
    let name = words.next()?;
    let mut fields = [0_u64; 11];
    for field in &mut fields {
        *field = words.next()?.parse().ok()?;
    }
    let [reads, _, read_sectors, read_ms, writes, _, written_sectors, write_ms, _, busy_ms, queue_ms] = fields;
    let counters = Counters { reads, read_sectors, read_ms, writes, written_sectors, write_ms, busy_ms, queue_ms };
    Some((name, counters))
}

/// Whether another device is the disk that it is a part of: `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`.
fn is_partition(name: &str, rows: &BTreeMap<&str, Counters>) -> bool {
    let disk = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if disk.len() == name.len() {
        return false;
    }
    // A `p` stands between where the disk's name ends in a digit.
    match disk.strip_suffix('p') {
        Some(whole) if whole.ends_with(|c: char| c.is_ascii_digit()) => rows.contains_key(whole),
        _ => rows.contains_key(disk),
    }
}

/// All disks.
#[derive(Debug)]
pub(super) struct Disks {
    file: CachedFile,
    before: Previous<BTreeMap<String, Counters>>,
}

impl Disks {
    pub(super) fn new() -> Self {
        Self { file: CachedFile::new("proc/diskstats"), before: Previous::default() }
    }

    pub(super) fn read(&mut self, look: &mut HostReading<'_>) {
        let Ok(disks) = self.file.read(look.files).map(parse) else {
            look.notes.note_once("disks are not seen: /proc/diskstats cannot be read here");
            return;
        };
        if disks.len() > DISKS_MAX {
            let text = format!("of {} disks the first {DISKS_MAX} are shown", disks.len());
            look.notes.note_once(&text);
        }
        let Some((span_s, before)) = self.before.replace(look.now, disks.clone()) else {
            return;
        };
        let both = |name: &String, now: &Counters| Some((*now, *before.get(name)?));
        for (name, now) in disks.iter().take(DISKS_MAX) {
            if let Some((now, before)) = both(name, now) {
                show(look, &format!("disk {name}"), &now, &before, span_s);
            }
        }
        let sum = |field: fn(&Counters) -> u64| {
            let known = disks.iter().filter_map(|(name, now)| both(name, now));
            let rates = known.map(|(now, before)| per_s(Some(field(&now)), Some(field(&before)), span_s));
            rates.reduce(|all, one| Some(all? + one?)).flatten()
        };
        let (reads, writes) = (sum(|disk| disk.reads), sum(|disk| disk.writes));
        look.put("operations disk reads", figures::OPERATIONS_PER_S, reads);
        look.put("operations disk writes", figures::OPERATIONS_PER_S, writes);
    }
}

/// Figures of one disk, as `iostat` defines them:
///
/// ```text
/// await = Δ(time of reads and writes) / Δ(reads and writes)      queue = Δ(time of all transfers) / Δt
/// ```
fn show(look: &mut HostReading<'_>, source: &str, now: &Counters, before: &Counters, span_s: f64) {
    let grew = |field: fn(&Counters) -> u64| growth(Some(field(now)), Some(field(before)));
    let rate = |field: fn(&Counters) -> u64| per_s(Some(field(now)), Some(field(before)), span_s);
    let sum = |one: Option<f64>, other: Option<f64>| Some(one? + other?);
    let transfers = sum(grew(|disk| disk.reads), grew(|disk| disk.writes));
    let taken_ms = sum(grew(|disk| disk.read_ms), grew(|disk| disk.write_ms));
    let await_ms = taken_ms
        .zip(transfers)
        .filter(|(_, transfers)| *transfers > 0.0)
        .map(|(taken_ms, transfers)| taken_ms / transfers);
    let bytes = |sectors: Option<f64>| sectors.map(|sectors| sectors * SECTOR_BYTES);
    let figures = [
        (figures::AWAIT_MS, await_ms),
        (figures::QUEUE_COUNT, rate(|disk| disk.queue_ms).map(|ms| ms / 1e3)),
        (figures::READS_PER_S, rate(|disk| disk.reads)),
        (figures::WRITES_PER_S, rate(|disk| disk.writes)),
        (figures::READ_BYTES_PER_S, bytes(rate(|disk| disk.read_sectors))),
        (figures::WRITTEN_BYTES_PER_S, bytes(rate(|disk| disk.written_sectors))),
        (figures::BUSY_RATIO, rate(|disk| disk.busy_ms).map(|ms| (ms / 1e3).min(1.0))),
    ];
    look.put_all(source, &figures);
}

#[cfg(test)]
mod tests;
