//! Memory that this process may still use: the host's, or that of its control groups (version 2).

use std::fs;
use std::path::{Path, PathBuf};

/// Memory within some bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// All of it, bytes.
    pub total_bytes: u64,
    /// What could be had without swapping, caches of files included, bytes.
    pub available_bytes: u64,
}

impl Memory {
    /// The part that is available, 0 to 1.
    pub fn available_ratio(&self) -> f64 {
        self.available_bytes as f64 / self.total_bytes.max(1) as f64
    }
}

/// The tightest bound: that of the host, or of one of the groups that this process is in.
pub fn tightest(root: &Path) -> Option<Memory> {
    let groups = groups(root);
    let bounds = groups.iter().filter_map(|group| of_group(group)).chain(of_host(root));
    bounds.min_by_key(|memory| memory.available_bytes)
}

fn of_host(root: &Path) -> Option<Memory> {
    let text = fs::read_to_string(root.join("proc/meminfo")).ok()?;
    Some(Memory { total_bytes: kilobytes(&text, "MemTotal:")?, available_bytes: kilobytes(&text, "MemAvailable:")? })
}

/// `memory.max` and what is used of it; caches of files are given back when memory gets short.
fn of_group(group: &Path) -> Option<Memory> {
    let number = |name: &str| -> Option<u64> { fs::read_to_string(group.join(name)).ok()?.trim().parse().ok() };
    let (total_bytes, used) = (number("memory.max")?, number("memory.current")?);
    let stat = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = ["active_file ", "inactive_file "].iter().filter_map(|name| {
        let line = stat.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().parse::<u64>().ok()
    });
    let used = used.saturating_sub(cached.sum());
    Some(Memory { total_bytes, available_bytes: total_bytes.saturating_sub(used) })
}

/// The control groups (version 2) that this process is in, the innermost first.
pub fn groups(root: &Path) -> Vec<PathBuf> {
    let text = fs::read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let Some(path) = text.lines().find_map(|line| line.strip_prefix("0::")) else {
        return Vec::new();
    };
    let top = root.join("sys/fs/cgroup");
    let inner = Path::new(path.trim_start_matches('/'));
    inner.ancestors().map(|part| top.join(part)).collect()
}

/// Memory of this process that is on swap, bytes.
pub fn swapped_bytes(root: &Path) -> Option<u64> {
    kilobytes(&fs::read_to_string(root.join("proc/self/status")).ok()?, "VmSwap:")
}

/// Resident memory of this process, bytes.
pub fn resident_bytes(root: &Path) -> Option<u64> {
    kilobytes(&fs::read_to_string(root.join("proc/self/status")).ok()?, "VmRSS:")
}

/// The value of a line such as `VmRSS:  1234 kB`, bytes.
pub fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(number.saturating_mul(1024))
}
