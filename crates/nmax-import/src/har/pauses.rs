//! Instants of a file that hardly come from one visit: other zones, hours in which nothing was sent.

use std::time::Duration;

use nmax_plan::units::format_duration;

use crate::recording::Entry;

/// Nobody waits this long in front of one page.
const PAUSE_US: i64 = 3_600_000_000;

/// Says when nothing was sent for hours; the entries are in the order of sending.
pub(super) fn warning(entries: &[Entry], has_zones: bool) -> Option<String> {
    let mut last = entries.first()?;
    let (mut longest_us, mut around) = (0, (0, 0));
    for entry in entries {
        let pause_us = entry.sent_us.saturating_sub(last.done_us());
        if pause_us > longest_us {
            (longest_us, around) = (pause_us, (last.number, entry.number));
        }
        if entry.done_us() > last.done_us() {
            last = entry;
        }
    }
    if longest_us < PAUSE_US {
        return None;
    }
    let long = format_duration(Duration::from_secs(longest_us.unsigned_abs() / 60_000_000 * 60));
    let why = if has_zones {
        "their zones differ, so one of the clocks may be wrong"
    } else {
        "when these are several visits, import each from a file of its own"
    };
    Some(format!("nothing was sent for {long} between the entries {} and {}: {why}", around.0, around.1))
}
