//! Which windows of a run share a stretch.

use std::ops::Range;

/// Cuts the windows of a run into stretches. A pure function of the number of a window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// Windows per stretch at the beginning.
    windows: u64,
    /// After that many stretches of one width the next ones are twice as wide; `None` keeps the width.
    doubles_after: Option<u64>,
}

impl Grid {
    /// Of a run of `windows`, in at most `stretches_max` stretches.
    ///
    /// A run of unknown length begins with stretches of one window, and they become wider as it goes on: quantiles of
    /// two neighbors cannot be joined without their distributions, so what is complete is never joined. Memory then
    /// grows with the logarithm of the length.
    pub(super) fn new(windows: Option<u64>, stretches_max: u64) -> Self {
        Self {
            windows: windows.map_or(1, |windows| windows.div_ceil(stretches_max).max(1)),
            doubles_after: windows.is_none().then_some(stretches_max.div_ceil(2)),
        }
    }

    /// The windows that share a stretch with this one. O(log index).
    pub(super) fn stretch(self, index: u64) -> Range<u64> {
        let (mut base, mut windows) = (0_u64, self.windows);
        if let Some(count) = self.doubles_after {
            while index - base >= windows.saturating_mul(count) {
                base += windows * count;
                windows *= 2;
            }
        }
        let first = base + (index - base) / windows * windows;
        first..first.saturating_add(windows)
    }
}
