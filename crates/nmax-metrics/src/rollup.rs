//! Consecutive windows added up to wider ones, by which a long run is read.
//!
//! A rollup adds counts and merges distributions, each section for itself: one that holds the end of a ramp and the
//! beginning of the hold says of both what its windows say.

use std::borrow::Cow;

use crate::{Nanos, Window};

/// Widths of rollups, and their names.
pub const ROLLUPS: [(Nanos, &str); 3] =
    [(Nanos::from_secs(10), "10s"), (Nanos::from_secs(60), "1min"), (Nanos::from_secs(600), "10min")];
/// The widest of them.
pub const WIDEST: Nanos = ROLLUPS[ROLLUPS.len() - 1].0;
/// Beyond these lengths of a run its windows are too many, and the rollups of the same place are read.
const LENGTHS: [Nanos; 3] = [Nanos::from_secs(3_600), Nanos::from_secs(6 * 3_600), Nanos::from_secs(72 * 3_600)];

/// How wide the windows are by which a run of `length` is read: at most a few thousand.
///
/// - `window`: width of its own
/// - `finer`: by how many widths finer, for what needs it
pub fn width_for(length: Nanos, window: Nanos, finer: usize) -> Nanos {
    let exceeded = LENGTHS.iter().filter(|most| length > **most).count();
    let width = exceeded.checked_sub(finer + 1).map(|place| ROLLUPS[place].0);
    width.filter(|width| width.0.is_multiple_of(window.0.max(1))).unwrap_or(window)
}

/// Adds up windows that come in order.
#[derive(Clone, Debug)]
pub struct Rollup {
    width: Nanos,
    open: Option<Rolled<'static>>,
}

/// Windows added up.
#[derive(Clone, Debug)]
pub struct Rolled<'a> {
    /// Their sum, in the place of the rollup.
    pub window: Cow<'a, Window>,
    /// End of the last of them.
    pub end: Nanos,
    /// Length of all of them together; less than the width of the sum where some are missing.
    pub measured: Nanos,
}

impl<'a> Rolled<'a> {
    /// One window that stands for itself.
    pub fn from_window(window: &'a Window) -> Self {
        Self { end: window.end(), measured: window.width, window: Cow::Borrowed(window) }
    }

    /// Whether no window is missing.
    pub fn is_whole(&self) -> bool {
        self.measured == self.window.width
    }
}

impl Rollup {
    /// Nothing yet of rollups of this width, which is a multiple of that of the windows.
    pub fn new(width: Nanos) -> Self {
        Self { width, open: None }
    }

    /// Width of a rollup.
    pub fn width(&self) -> Nanos {
        self.width
    }

    /// What is not complete yet.
    pub fn open(&self) -> Option<&Rolled<'static>> {
        self.open.as_ref()
    }

    /// Whether a window is the first of its rollup that comes.
    pub fn begins_with(&self, window: &Window) -> bool {
        self.open.as_ref().is_none_or(|open| open.window.index != self.index_of(window))
    }

    fn index_of(&self, window: &Window) -> u64 {
        window.start().0 / self.width.0.max(1)
    }

    /// Adds a window; hands over what is complete with it, or will never be. One that is as wide as a rollup is one.
    pub fn push<'a>(&mut self, window: &'a Window, mut take: impl FnMut(Rolled<'a>)) {
        let index = self.index_of(window);
        if let Some(open) = self.open.take_if(|open| open.window.index != index) {
            take(open);
        }
        if window.width >= self.width {
            return take(Rolled::from_window(window));
        }
        let open = self.open.get_or_insert_with(|| Rolled {
            window: Cow::Owned(Window::new(index, self.width)),
            end: Nanos::ZERO,
            measured: Nanos::ZERO,
        });
        open.window.to_mut().aggregate.merge(&window.aggregate);
        open.end = window.end();
        open.measured = open.measured + window.width;
        if let Some(complete) = self.open.take_if(|open| open.end >= open.window.end()) {
            take(complete);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Law: rollups of rollups are rollups, and what is whole is the sum of all its windows.
        #[test]
        fn rollups_are_sums(windows in testing::window(0).prop_flat_map(|_| (0..12_u64).map(testing::window).collect::<Vec<_>>()),
                            missing in 0..14_u64) {
            let windows: Vec<Window> = windows.into_iter().filter(|window| window.index != missing).collect();
            fn rolled(windows: &[Window], seconds: u64) -> Vec<Rolled<'_>> {
                let (mut rollup, mut all) = (Rollup::new(Nanos::from_secs(seconds)), Vec::new());
                windows.iter().for_each(|window| rollup.push(window, |rolled| all.push(rolled)));
                all.extend(rollup.open().cloned());
                all
            }
            let twos: Vec<Window> = rolled(&windows, 2).into_iter().map(|rolled| rolled.window.into_owned()).collect();
            let (direct, twice) = (rolled(&windows, 6), rolled(&twos, 6));
            prop_assert_eq!(direct.len(), twice.len());
            for (direct, twice) in direct.iter().zip(&twice) {
                prop_assert_eq!(&direct.window, &twice.window);
                let inside = |index: u64| index / 6 == direct.window.index;
                let mut sum = Window::new(direct.window.index, Nanos::from_secs(6));
                windows.iter().filter(|w| inside(w.index)).for_each(|w| sum.aggregate.merge(&w.aggregate));
                prop_assert_eq!(&*direct.window, &sum);
                prop_assert_eq!(direct.is_whole(), !inside(missing));
            }
        }
    }

    #[test]
    fn long_runs_are_read_by_a_few_thousand_windows() {
        let (hour, second) = (3_600, Nanos::from_secs(1));
        // hours  finer  width    why this row
        let cases = [
            (1, 0, 1, "an hour is read as it is"),
            (2, 0, 10, "more is not"),
            (24, 0, 60, "a day"),
            (24, 1, 10, "a day of which details matter"),
            (2, 1, 1, "nothing is finer than the windows"),
            (200, 0, 600, "more than three days"),
        ];
        for (hours, finer, width_s, why) in cases {
            assert_eq!(width_for(Nanos::from_secs(hours * hour), second, finer), Nanos::from_secs(width_s), "{why}");
        }
        let odd = Nanos::from_secs(7);
        assert_eq!(width_for(Nanos::from_secs(24 * hour), odd, 0), odd, "windows of 7 s fit in no minute");
    }
}
