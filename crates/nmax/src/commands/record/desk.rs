//! What the person types while it records.

use std::io::BufRead;
use std::time::{SystemTime, UNIX_EPOCH};

use nmax_import::recording::Mark;

/// Longest name of a step, characters.
const NAME_CHARS_MAX: usize = 100;

/// What the person wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// It is enough.
    End,
    /// Something begins, and its name will be typed.
    Ask,
    /// What follows has this name.
    Mark(Mark),
}

/// Understands lines.
#[derive(Debug, Default)]
pub(super) struct Desk {
    /// When Enter was pressed, µs since 1970; the name follows.
    asked_us: Option<i64>,
}

impl Desk {
    /// A line now. An empty one marks a step whose name comes with the next; a name alone marks one, too.
    pub(super) fn typed(&mut self, line: &str) -> Wish {
        self.typed_at(line, now_us())
    }

    fn typed_at(&mut self, line: &str, now_us: i64) -> Wish {
        let name: String = line
            .trim()
            .chars()
            .filter(|c| !c.is_control())
            .take(NAME_CHARS_MAX)
            .collect();
        match (name.as_str(), self.asked_us.take()) {
            ("", _) => {
                self.asked_us = Some(now_us);
                Wish::Ask
            }
            ("q", None) => Wish::End,
            // What follows began when Enter was pressed, and not when its name was typed.
            (_, asked_us) => Wish::Mark(Mark {
                at_us: asked_us.unwrap_or(now_us),
                name,
            }),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a mark stands among exchanges by the calendar")]
fn now_us() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_micros()).unwrap_or(i64::MAX)
}

/// Reads lines on a thread of its own, which ends with the process, the input, or when nobody wants them any more.
pub(super) fn listen(take: impl Fn(String) -> bool + Send + 'static) {
    let thread = std::thread::Builder::new().name("nmax-desk".into());
    // Without it, Ctrl-C still ends the recording.
    let _ = thread.spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if !take(line) {
                return;
            }
        }
    });
}

#[cfg(test)]
mod tests;
