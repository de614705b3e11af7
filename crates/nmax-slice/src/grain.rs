//! Slices of sources that have sums of windows: their instants are multiples of a window's width.

use std::time::Duration;

use nmax_plan::units::format_duration;

use crate::SliceError;
use crate::condition::Origin;
use crate::slice::Slice;

impl Slice {
    /// The same slice for a source whose rows stand for windows of `width_ns`, and what a reader should know of it.
    /// Bounds of time within a window mean its end.
    ///
    /// # Errors
    ///
    /// Spans of time that are no whole number of windows.
    pub fn on_windows(mut self, width_ns: i64) -> Result<(Self, Vec<String>), Vec<SliceError>> {
        self.grain = width_ns.max(1);
        let when = Origin::Column(self.when);
        let keys = self.keys.iter().filter(|key| key.origin == when);
        let spans = keys.filter_map(|key| Some((key.label.as_str(), "--by", key.width?)));
        let every = self.every.map(|every| ("a point of time", "--every", every));
        let errors: Vec<SliceError> = spans
            .chain(every)
            .filter(|(.., span)| self.whole(*span) != *span)
            .map(|(what, part, span)| {
                let text = format!(
                    "{what} is {} wide, and there are only sums of windows of {}",
                    duration_text(span),
                    duration_text(self.grain)
                );
                let help = format!(
                    "take {}, or another multiple of {}",
                    duration_text(self.whole(span)),
                    duration_text(self.grain)
                );
                SliceError::new(part, text, help)
            })
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let bounds = self.condition.as_ref().map(|condition| condition.numbers(when));
        let is_within = |bound: &i64| self.whole(*bound) != *bound;
        let notes = if bounds.is_some_and(|bounds| bounds.iter().any(is_within)) {
            vec![format!(
                "there are only sums of windows of {}: a `time` within one means the end of it",
                duration_text(self.grain)
            )]
        } else {
            Vec::new()
        };
        Ok((self, notes))
    }

    /// The next instant, this or later, at which a window begins.
    pub(crate) fn whole(&self, instant: i64) -> i64 {
        match instant.rem_euclid(self.grain) {
            0 => instant,
            over => instant.saturating_add(self.grain - over),
        }
    }
}

fn duration_text(ns: i64) -> String {
    format_duration(Duration::from_nanos(u64::try_from(ns).unwrap_or(0)))
}

#[cfg(test)]
mod tests;
