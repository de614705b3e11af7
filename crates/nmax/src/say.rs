//! Standard output and standard error. A reader that left is no defect: `nmax show | head -1` ends quietly, and a run
//! goes on when nobody reads its progress any more. The macros of the standard library would panic.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::sync::OnceLock;

use crate::exit::Exit;

/// Why standard output lacks something, the first time.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Writes on standard output.
pub fn text(text: impl Display) {
    let mut stdout = io::stdout().lock();
    write!(stdout, "{text}").and_then(|()| stdout.flush()).unwrap_or_else(lost);
}

/// Remembers that standard output lacks something.
pub fn lost(error: io::Error) {
    if error.kind() != ErrorKind::BrokenPipe {
        let _ = LOST.set(error);
    }
}

/// Writes a line on standard output.
pub fn line(line: impl Display) {
    text(format_args!("{line}\n"));
}

/// Writes a line on standard error.
pub fn note(line: impl Display) {
    // Nobody is left to be told.
    let _ = writeln!(io::stderr(), "{line}");
}

/// How the program ends: a result that could not be written is none, whatever it said.
pub fn settle(exit: Exit) -> Exit {
    let Some(error) = LOST.get() else { return exit };
    note(format_args!("error: standard output: cannot write: {error}\n  help: see where it is redirected to"));
    match exit {
        Exit::Pass | Exit::Failed | Exit::Invalid => Exit::Unreachable,
        Exit::Internal | Exit::Usage | Exit::Unreachable | Exit::Interrupted => exit,
    }
}
