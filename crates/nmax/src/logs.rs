//! How far the reading of logs is, on standard error.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use nmax_report::number;
use nmax_run::compare;
use nmax_run::logs::Listener;

use crate::say::{self, Drawn};

/// Between two looks at a terminal, and between two lines elsewhere.
const PERIODS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(10));

/// What was read so far, shown now and then.
pub struct Progress {
    bytes: u64,
    lines: u64,
    is_quiet: bool,
    is_terminal: bool,
    shown: Instant,
    drawn: Drawn,
}

#[expect(clippy::disallowed_methods, reason = "progress is shown in real time")]
fn now() -> Instant {
    Instant::now()
}

impl Progress {
    /// Nothing was read yet.
    pub fn new(is_quiet: bool) -> Self {
        Self {
            bytes: 0,
            lines: 0,
            is_quiet,
            is_terminal: std::io::stderr().is_terminal(),
            shown: now(),
            drawn: Drawn::default(),
        }
    }
}

impl Listener for Progress {
    fn read(&mut self, bytes: u64, lines: u64) {
        self.bytes += bytes;
        self.lines += lines;
        if self.is_quiet {
            return;
        }
        let period = if self.is_terminal { PERIODS.0 } else { PERIODS.1 };
        let now = now();
        if now.duration_since(self.shown) < period {
            return;
        }
        self.shown = now;
        let mega = number::count(self.bytes / 1_000_000);
        let text = format!("read {mega} MB, {} lines", number::count(self.lines));
        if self.is_terminal {
            self.drawn.redraw(&[text.into()]);
        } else {
            say::note(text);
        }
    }

    /// Takes it away.
    fn ended(&mut self) {
        if self.is_terminal {
            self.drawn.redraw(&[]);
        }
        // Another log may follow.
        (self.bytes, self.lines, self.shown) = (0, 0, now());
    }
}

impl compare::Listener for Progress {
    fn note(&mut self, text: &str) {
        say::note(format_args!("note: {text}"));
    }

    fn warning(&mut self, text: &str) {
        say::warning(text);
    }
}

/// Says what a person should know, on standard error.
pub fn warn(warnings: &[String]) {
    warnings.iter().for_each(say::warning);
}
