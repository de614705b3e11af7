//! Pressure stall information: the part of time in which some or all tasks waited for a resource.

use nmax_sources::figures;

use super::files::{Absence, CachedFile, Files};
use super::reading::{HostReading, Previous, growth};

/// Time stalled since boot, µs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stalled {
    some_us: Option<u64>,
    full_us: Option<u64>,
}

/// `some avg10=.. avg60=.. avg300=.. total=µs`, and `full` alike (kernel: `Documentation/accounting/psi.rst`).
pub(super) fn parse(text: &str) -> Stalled {
    let total = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let word = line.split_ascii_whitespace().find_map(|word| word.strip_prefix("total="))?;
        word.parse().ok()
    };
    Stalled { some_us: total("some "), full_us: total("full ") }
}

/// Part of the time in which some, and in which all tasks stalled, 0 to 1, from two readings of the totals.
pub(super) fn ratios(now: Stalled, before: Stalled, span_s: f64) -> [Option<f64>; 2] {
    // Both clocks are read one after the other, so a little more than all of the time is all of it.
    let ratio = |now, before| growth(now, before).map(|stalled_us| (stalled_us / 1e6 / span_s).min(1.0));
    [ratio(now.some_us, before.some_us), ratio(now.full_us, before.full_us)]
}

/// Pressure on the whole host, for processors, memory and disks.
#[derive(Debug)]
pub(super) struct Pressure {
    all: [(&'static str, CachedFile, Previous<Stalled>); 3],
}

impl Pressure {
    pub(super) fn new() -> Self {
        let one = |source, path| (source, CachedFile::new(path), Previous::default());
        Self {
            all: [
                one("cpu", "proc/pressure/cpu"),
                one("memory", "proc/pressure/memory"),
                one("io", "proc/pressure/io"),
            ],
        }
    }

    pub(super) fn read(&mut self, look: &mut HostReading<'_>) {
        for (source, file, since) in &mut self.all {
            match file.read(look.files).map(parse) {
                Ok(stalled) => {
                    let before = since.replace(look.now, stalled);
                    let [some, full] = before.map_or([None; 2], |(span_s, before)| ratios(stalled, before, span_s));
                    look.put(source, figures::PRESSURE_SOME_RATIO, some);
                    look.put(source, figures::PRESSURE_FULL_RATIO, full);
                }
                Err(absence) => {
                    let text = absence_text(absence, look.files);
                    text.into_iter().for_each(|text| look.notes.note_once(text));
                }
            }
        }
    }
}

/// The three states of the kernel's feature, and what to do about them.
fn absence_text(absence: Absence, files: &Files) -> Option<&'static str> {
    match absence {
        Absence::Missing if files.path("proc/pressure").exists() => None,
        Absence::Missing => Some(
            "this kernel has no pressure stall information (/proc/pressure): how much tasks waited for processors, \
             memory and disks is not seen; it needs Linux 4.20 with CONFIG_PSI",
        ),
        Absence::Disabled => Some(
            "pressure stall information is switched off in this kernel: how much tasks waited for processors, memory and \
             disks is not seen; boot it with `psi=1`",
        ),
        Absence::Forbidden => Some("pressure stall information (/proc/pressure) may not be read here"),
        Absence::Failed => None,
    }
}

#[cfg(test)]
mod tests;
