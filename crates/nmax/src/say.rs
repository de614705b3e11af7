//! Standard output and standard error. All that nmax prints goes through here and is a [`Painted`]: what comes from servers,
//! plans, logs and files is escaped, only colors of nmax's own stay. A reader that left is no defect: `nmax show | head -1`
//! ends quietly, and a run goes on when nobody reads its progress any more. The macros of the standard library would panic.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use nmax_text::{Painted, shown_lines};

use crate::exit::Exit;

/// Why standard output lacks something, the first time.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Writes on standard output.
pub fn text(text: impl Into<Painted>) {
    let mut stdout = io::stdout().lock();
    if let Err(error) = stdout.write_all(text.into().as_bytes()).and_then(|()| stdout.flush())
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = LOST.set(error);
    }
}

/// Writes a line on standard output.
pub fn line(line: impl Into<Painted>) {
    text(line.into() + "\n");
}

/// Writes a line on standard error.
pub fn note(line: impl Into<Painted>) {
    write_error(&(line.into() + "\n"));
}

/// Replaces the `drawn` lines drawn before on standard error, a terminal.
pub fn redraw(drawn: &mut usize, lines: &[Painted]) {
    let mut text = String::new();
    if *drawn > 0 {
        text.push_str(&format!("\x1b[{drawn}A\r\x1b[J"));
    }
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    *drawn = lines.len();
    write_error(&text);
}

/// Replaces the line on standard error, a terminal, that the cursor is in.
pub fn rewrite(line: impl Into<Painted>) {
    write_error(&format!("\r\x1b[K{}", line.into()));
}

/// Says why the program panics, as the standard library would.
pub fn panics() {
    std::panic::set_hook(Box::new(|info| {
        let thread = std::thread::current();
        note(format_args!("thread '{}' {info}", thread.name().unwrap_or("<unnamed>")));
        let trace = std::backtrace::Backtrace::capture();
        match trace.status() {
            std::backtrace::BacktraceStatus::Captured => note(format_args!("stack backtrace:\n{trace}")),
            _ => note("note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace"),
        }
    }));
}

fn write_error(text: &str) {
    // Nobody is left to be told.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Standard output for data, which programs read: as it is, and on a terminal escaped.
pub fn data() -> Box<dyn Write> {
    let stdout = io::stdout().lock();
    if stdout.is_terminal() { Box::new(Shown(stdout)) } else { Box::new(stdout) }
}

/// Escapes what is written; each piece ends with whole characters.
struct Shown<W>(W);

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0.write_all(shown_lines(&String::from_utf8_lossy(piece)).as_bytes())?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// How the program ends: a result that could not be written is not a success.
pub fn settle(exit: Exit) -> Exit {
    let Some(error) = LOST.get() else { return exit };
    note(format_args!("error: standard output: cannot write: {error}\n  help: see where it is redirected to"));
    if exit == Exit::Pass { Exit::Internal } else { exit }
}
