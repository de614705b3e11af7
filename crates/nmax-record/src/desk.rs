//! What the person types while it records.

use std::io::{BufRead, ErrorKind};
use std::time::{SystemTime, UNIX_EPOCH};

use nmax_import::recording::Mark;

/// Longest name of a step, characters.
const NAME_CHARS_MAX: usize = 100;
/// Longest line that is kept, bytes: a name of the widest characters, and room for spaces.
const LINE_BYTES_MAX: usize = 1_000;

/// What the person wants.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum UserCommand {
    /// It is enough.
    End,
    /// Something begins, and its name will be typed.
    Ask,
    /// Nothing begins after all.
    Cancel,
    /// What follows has this name.
    Mark(Mark),
}

/// Understands lines.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    /// When Enter was pressed, µs since 1970; the name follows.
    asked_us: Option<i64>,
}

impl Desk {
    /// A line now. An empty one begins a step whose name comes with the next, unless that is empty, too; a name alone marks
    /// one as well. `q` ends it at any time, so that nobody has to know whether a name is asked for.
    pub(crate) fn typed(&mut self, line: &str) -> UserCommand {
        self.typed_at(line, now_us())
    }

    fn typed_at(&mut self, line: &str, now_us: i64) -> UserCommand {
        let name: String = line.trim().chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
        if let Some(mark) = mark_at(&name) {
            return UserCommand::Mark(mark);
        }
        match (name.as_str(), self.asked_us.take()) {
            ("", None) => {
                self.asked_us = Some(now_us);
                UserCommand::Ask
            }
            ("", Some(_)) => UserCommand::Cancel,
            ("q", _) => UserCommand::End,
            // What follows began when Enter was pressed, and not when its name was typed.
            (_, asked_us) => UserCommand::Mark(Mark { at_us: asked_us.unwrap_or(now_us), name }),
        }
    }
}

/// `@1767225600000000 log in`, of a program: what came from that instant on has this name, which may be empty to take one back.
fn mark_at(line: &str) -> Option<Mark> {
    let (at, name) = line.strip_prefix('@')?.split_once(' ').unwrap_or((line.strip_prefix('@')?, ""));
    Some(Mark { at_us: at.parse().ok()?, name: name.trim().to_owned() })
}

#[expect(clippy::disallowed_methods, reason = "a mark stands among exchanges by the calendar")]
fn now_us() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(now.as_micros()).unwrap_or(i64::MAX)
}

/// Reads lines on a thread of its own, which ends with the process, the input, or when nobody wants them any more.
pub(crate) fn listen(take: impl Fn(String) -> bool + Send + 'static) {
    let thread = std::thread::Builder::new().name("nmax-desk".into());
    // Without it, Ctrl-C still ends the recording.
    let _ = thread.spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Some(line) = next_line(&mut input) {
            if !take(line) {
                return;
            }
        }
    });
}

/// The next line without its end; `None` when there is none. What is not UTF-8 is taken as far as it can be, and what
/// nobody types is cut.
fn next_line(input: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    let mut is_over = false;
    while !is_over {
        let piece = match input.fill_buf() {
            Ok([]) if line.is_empty() => return None,
            Ok([]) => break,
            Ok(piece) => piece,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        let end = piece.iter().position(|&byte| byte == b'\n');
        let part = &piece[..end.unwrap_or(piece.len())];
        let room = LINE_BYTES_MAX - line.len();
        line.extend_from_slice(&part[..part.len().min(room)]);
        let taken = end.map_or(piece.len(), |at| at + 1);
        is_over = end.is_some();
        input.consume(taken);
    }
    Some(String::from_utf8_lossy(&line).into_owned())
}

#[cfg(test)]
mod tests;
