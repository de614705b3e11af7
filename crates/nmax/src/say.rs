//! Standard output and standard error. All that nmax prints goes through here and is a [`Painted`]: what comes from servers,
//! plans, logs and files is escaped, only colors of nmax's own stay. A reader that left is no defect: `nmax show | head -1`
//! ends quietly, and a run goes on when nobody reads its progress any more. The macros of the standard library would panic.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use nmax_plan::plan::Plan;
use nmax_report::doc::Document;
use nmax_report::terminal::{self, printed_width};
use nmax_run::Exit;
use nmax_secrets::Redactor;
use nmax_text::{Painted, shown_lines};

use crate::keys;
use crate::live::{style, terminal_columns, terminal_width};

/// Why standard output lacks something, the first time.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// What takes secrets out of errors: that of the plan, once there is one.
static REDACTOR: OnceLock<Redactor> = OnceLock::new();

/// Errors say no secret of this plan from now on.
pub fn keep_secrets(plan: &Plan) {
    let _ = REDACTOR.set(plan.redactor.clone());
}

/// A line of an error without its secrets.
pub fn without_secrets(line: &str) -> String {
    REDACTOR.get().cloned().unwrap_or_default().text(line)
}

/// Writes on standard output.
pub fn text(text: impl Into<Painted>) {
    bytes(text.into().as_bytes());
}

/// Writes on standard output what is not text, such as a PDF: not for a terminal.
pub fn bytes(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).unwrap_or_else(lost);
}

/// Writes a document on standard output, as fits it.
pub fn document(document: &Document, wide: bool) {
    text(terminal::write(document, style(80, wide)));
}

/// Remembers that standard output lacks something.
pub fn lost(error: io::Error) {
    if error.kind() != ErrorKind::BrokenPipe {
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

/// Says on standard error what may not be as it was meant.
pub fn warning(text: impl std::fmt::Display) {
    note(format_args!("warning: {text}"));
}

/// Lines on standard error, a terminal, that the next ones take the place of: the columns of each.
#[derive(Debug, Default)]
pub struct Drawn(Vec<usize>);

impl Drawn {
    /// Replaces the lines drawn before.
    pub fn redraw(&mut self, lines: &[Painted]) {
        let columns = terminal_columns().unwrap_or(usize::MAX);
        let rows = self.rows(columns);
        let up = |rows: usize| if rows > 0 { format!("\x1b[{rows}A") } else { String::new() };
        let mut text = up(rows);
        // Line by line: tmux keeps what is erased down to the end of the screen.
        for line in lines {
            text.push_str(&format!("\r\x1b[K{}\n", &**line));
        }
        self.0 = lines.iter().map(|line| printed_width(line)).collect();
        let left = rows.saturating_sub(self.rows(columns));
        text.push_str(&"\r\x1b[K\n".repeat(left));
        text.push_str(&up(left));
        write_error(&text);
    }

    /// Leaves them where they are: somebody else has written below them.
    pub fn leave(&mut self) {
        self.0.clear();
    }

    /// Rows that they take on a terminal of so many columns, which may have become fewer: longer lines go over several.
    fn rows(&self, columns: usize) -> usize {
        self.0.iter().map(|width| width.div_ceil(columns).max(1)).sum()
    }
}

/// Replaces the line on standard error, a terminal, that the cursor is in.
pub fn rewrite(line: &str) {
    // A line that goes over two rows is not taken away whole.
    let line: String = line.chars().take(terminal_width() - 1).collect();
    write_error(&format!("\r\x1b[K{}", Painted::from(line)));
}

/// Asks for a line on standard error and standard input, both terminals; `None` when nothing is typed.
pub fn ask(question: &str) -> Option<String> {
    rewrite(question);
    let mut line = String::new();
    let count = io::stdin().read_line(&mut line).unwrap_or(0);
    if count == 0 {
        note("");
    }
    Some(line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// Says why the program panics, as the standard library would.
pub fn panics() {
    std::panic::set_hook(Box::new(|info| {
        keys::restore();
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

/// How the program ends: a result that could not be written is none, whatever it said.
pub fn finish(exit: Exit) -> Exit {
    let Some(error) = LOST.get() else { return exit };
    note(format_args!("error: standard output: cannot write: {error}\n  help: see where it is redirected to"));
    match exit {
        Exit::Pass | Exit::Failed | Exit::Invalid => Exit::Unreachable,
        Exit::Internal | Exit::Usage | Exit::Unreachable | Exit::Interrupted => exit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cursor goes up as many rows as lines take on the terminal, also on one that was made narrower meanwhile.
    #[test]
    fn long_lines_take_several_rows() {
        // columns of the lines, of the terminal, rows
        let cases: [(&[usize], usize, usize); 6] =
            [(&[], 20, 0), (&[0], 20, 1), (&[20], 20, 1), (&[21], 20, 2), (&[60, 5, 41], 20, 7), (&[60, 5, 41], 80, 3)];
        for (drawn, columns, rows) in cases {
            assert_eq!(Drawn(drawn.to_vec()).rows(columns), rows, "{drawn:?} on {columns}");
        }
    }
}
