//! Network interfaces: bytes, drops, errors, and how fast the link is.

use std::collections::BTreeMap;

use nmax_sources::figures;

use super::files::CachedFile;
use super::reading::{HostReading, Previous, per_s};

/// Interfaces that are shown.
const INTERFACES_MAX: usize = 16;
/// Looks between two at the speed of a link.
const SPEED_EVERY: u32 = 30;
/// Ends of containers' links; their bytes are those of a bridge or of the host's link as well.
const SKIPPED: [&str; 3] = ["veth", "cali", "lxc"];

/// Counters of one interface since it came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counters {
    received_bytes: u64,
    sent_bytes: u64,
    dropped: u64,
    errors: u64,
}

/// Interfaces that ever carried anything, by name: `/proc/net/dev`.
fn parse(text: &str) -> BTreeMap<String, Counters> {
    let row = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let name = name.trim();
        let mut fields = [0_u64; 12];
        let mut words = rest.split_ascii_whitespace();
        for field in &mut fields {
            *field = words.next()?.parse().ok()?;
        }
        let counters = Counters {
            received_bytes: fields[0],
            sent_bytes: fields[8],
            errors: fields[2].saturating_add(fields[10]),
            dropped: fields[3].saturating_add(fields[11]),
        };
        let is_used = counters.received_bytes > 0 || counters.sent_bytes > 0;
        let is_skipped = SKIPPED.iter().any(|skipped| name.starts_with(skipped));
        (is_used && !is_skipped).then(|| (name.to_owned(), counters))
    };
    text.lines().skip(2).filter_map(row).collect()
}

/// Megabits per second of a link; -1 where nobody knows.
fn parse_speed(text: &str) -> Option<f64> {
    let megabits: i64 = text.trim().parse().ok()?;
    (megabits > 0).then(|| megabits as f64 * 1e6 / 8.0)
}

/// All interfaces.
#[derive(Debug)]
pub(super) struct Net {
    file: CachedFile,
    before: Previous<BTreeMap<String, Counters>>,
    /// Bytes per second of each link.
    speeds: BTreeMap<String, Option<f64>>,
    looks: u32,
}

impl Net {
    pub(super) fn new() -> Self {
        Self { file: CachedFile::new("proc/net/dev"), before: Previous::default(), speeds: BTreeMap::new(), looks: 0 }
    }

    pub(super) fn read(&mut self, look: &mut HostReading<'_>) {
        let Ok(links) = self.file.read(look.files).map(parse) else {
            look.notes.note_once("network interfaces are not seen: /proc/net/dev cannot be read here");
            return;
        };
        if links.len() > INTERFACES_MAX {
            let text = format!("of {} network interfaces the first {INTERFACES_MAX} are shown", links.len());
            look.notes.note_once(&text);
        }
        if self.looks.is_multiple_of(SPEED_EVERY) {
            self.speeds.clear();
        }
        self.looks = self.looks.wrapping_add(1);
        let before = self.before.replace(look.now, links.clone());
        for (name, now) in links.iter().take(INTERFACES_MAX) {
            let source = format!("net {name}");
            let speed = *(self.speeds.entry(name.clone())).or_insert_with(|| {
                let path = format!("sys/class/net/{name}/speed");
                parse_speed(look.files.read(&path).ok()?)
            });
            look.put(&source, figures::SPEED_BYTES_PER_S, speed);
            let Some((span_s, before)) = &before else { continue };
            let Some(before) = before.get(name) else { continue };
            let rate = |field: fn(&Counters) -> u64| per_s(Some(field(now)), Some(field(before)), *span_s);
            let figures = [
                (figures::RECEIVED_BYTES_PER_S, rate(|link| link.received_bytes)),
                (figures::SENT_BYTES_PER_S, rate(|link| link.sent_bytes)),
                (figures::DROPPED_PER_S, rate(|link| link.dropped)),
                (figures::ERRORS_PER_S, rate(|link| link.errors)),
            ];
            look.put_all(&source, &figures);
        }
    }
}

#[cfg(test)]
mod tests;
