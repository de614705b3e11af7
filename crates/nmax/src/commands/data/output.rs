//! Where results go: a file, or standard output. A reader that left is no trouble, a full disk is.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::Trouble;
use crate::say;

/// Bytes that are collected before they are written.
const PIECE: usize = 1 << 17;

/// A sink of bytes.
pub struct Output {
    file: Option<PathBuf>,
    sink: Box<dyn Write>,
    text: Vec<u8>,
    is_closed: bool,
    /// Whether somebody watches standard error.
    shows_progress: bool,
}

impl Output {
    /// Opens it. `input` is the file that is read, which must not be written over.
    pub fn open(file: Option<&Path>, input: Option<&Path>) -> Result<Self, Trouble> {
        let sink: Box<dyn Write> = match file {
            None => say::data(),
            Some(path) => {
                if input.is_some_and(|input| is_same(input, path)) {
                    let text = format!("{}: is the file that is read", path.display());
                    return Err(Trouble::usage(text, "give another name after -o"));
                }
                let file = File::create(path);
                Box::new(file.map_err(|error| {
                    let text = format!("{}: cannot write: {error}", path.display());
                    Trouble::usage(text, "give a file in a folder that you may write to")
                })?)
            }
        };
        Ok(Self {
            file: file.map(Path::to_owned),
            sink,
            text: Vec::with_capacity(PIECE + (1 << 16)),
            is_closed: false,
            shows_progress: io::stderr().is_terminal() && (file.is_some() || !io::stdout().is_terminal()),
        })
    }

    /// The bytes to append to.
    pub fn text(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    /// Writes what was collected, if it is much. False when nobody reads on.
    pub fn flush_if_full(&mut self) -> Result<bool, Trouble> {
        if self.text.len() >= PIECE {
            self.flush()?;
        }
        Ok(!self.is_closed)
    }

    /// Writes the rest.
    pub fn finish(mut self) -> Result<(), Trouble> {
        self.flush()?;
        if self.shows_progress {
            say::rewrite("");
        }
        Ok(())
    }

    /// Says how far it is, in place of what was said before.
    pub fn progress(&self, text: &str) {
        if self.shows_progress {
            say::rewrite(text);
        }
    }

    fn flush(&mut self) -> Result<(), Trouble> {
        let written = self.sink.write_all(&self.text).and_then(|()| self.sink.flush());
        self.text.clear();
        match written {
            Err(error) if error.kind() == ErrorKind::BrokenPipe && self.file.is_none() => {
                self.is_closed = true;
                Ok(())
            }
            other => other.map_err(|error| {
                let file = self.file.as_deref().map_or("standard output".into(), Path::to_string_lossy);
                let help = "what is there is not complete; make room and start again";
                Trouble::unreachable(format!("{file}: cannot write: {error}\n  help: {help}"))
            }),
        }
    }
}

fn is_same(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| path.metadata().map(|data| (data.dev(), data.ino())).ok();
    id(a).is_some_and(|a| id(b) == Some(a))
}

/// A line on standard error.
pub fn note(line: impl Into<nmax_text::Painted>) {
    say::note(line);
}
