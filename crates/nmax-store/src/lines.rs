//! Complete lines of a file, with their numbers. A last line without its end was torn by a kill and is left out.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};
use std::path::{Path, PathBuf};

use crate::StoreError;

/// Longest line that is read, bytes: far more than any that is written.
const LINE_BYTES_MAX: u64 = 64 << 20;

/// Reads complete lines, up to the length that the file had when it was opened, or has [grown](Self::grow) to.
pub(crate) struct Lines {
    path: PathBuf,
    reader: Take<BufReader<File>>,
    /// Bytes of the file that are read, and still to be read.
    length: u64,
    buffer: Vec<u8>,
    /// The buffer holds the beginning of a line whose end is not there yet.
    is_torn: bool,
    number: u64,
}

impl Lines {
    /// Opens a file that every run has.
    pub(crate) fn open(path: PathBuf) -> Result<Self, StoreError> {
        match Self::open_any(&path)? {
            Some(lines) => Ok(lines),
            None => Err(StoreError::Missing { path }),
        }
    }

    /// Opens a file that may be absent.
    pub(crate) fn open_any(path: &Path) -> Result<Option<Self>, StoreError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(StoreError::Io { action: "read", path: path.to_owned(), source });
            }
        };
        let length = file.metadata().map_err(StoreError::io("read", path))?.len();
        let reader = BufReader::new(file).take(length);
        Ok(Some(Self { path: path.to_owned(), reader, length, buffer: Vec::new(), is_torn: false, number: 0 }))
    }

    /// Reads on, up to the length that the file has now; whether that is more than before.
    pub(crate) fn grow(&mut self) -> Result<bool, StoreError> {
        let file = self.reader.get_ref().get_ref();
        let length = file.metadata().map_err(StoreError::io("read", &self.path))?.len();
        let more = length.saturating_sub(self.length);
        self.reader.set_limit(self.reader.limit() + more);
        self.length += more;
        Ok(more > 0)
    }

    /// The file, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The next complete line without its end, and its number from 1.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, &str)>, StoreError> {
        if !self.is_torn {
            self.buffer.clear();
            self.number += 1;
        }
        let mut bounded = self.reader.by_ref().take(LINE_BYTES_MAX - self.buffer.len() as u64);
        bounded.read_until(b'\n', &mut self.buffer).map_err(StoreError::io("read", &self.path))?;
        self.is_torn = self.buffer.pop_if(|last| *last == b'\n').is_none();
        if self.is_torn {
            return if self.buffer.len() as u64 == LINE_BYTES_MAX {
                Err(StoreError::damaged(&self.path, Some(self.number), "this line has no end"))
            } else {
                Ok(None)
            };
        }
        match std::str::from_utf8(&self.buffer) {
            Ok(line) => Ok(Some((self.number, line))),
            Err(_) => Err(StoreError::damaged(&self.path, Some(self.number), "this line is not UTF-8 text")),
        }
    }
}
