//! Complete lines of a file, with their numbers. A last line without its end was torn by a kill and is left out.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Take};
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::files::Place;

/// Longest line that is read, bytes: far more than any that is written.
const LINE_BYTES_MAX: u64 = 64 << 20;

/// How far from the end the last line is looked for first, bytes.
const LAST_BYTES: u64 = 64 << 10;

/// Reads complete lines, up to the length that the file had when it was opened, or has [grown](Self::grow) to.
pub(crate) struct Lines {
    path: PathBuf,
    reader: Take<BufReader<File>>,
    /// Bytes of the file that are read, and still to be read.
    length: u64,
    buffer: Vec<u8>,
    /// The buffer holds the beginning of a line whose end is not there yet.
    is_torn: bool,
    /// The line in the buffer is to be read again.
    is_back: bool,
    number: u64,
    /// Bytes of the complete lines that were read.
    read: u64,
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
        let (path, buffer) = (path.to_owned(), Vec::new());
        Ok(Some(Self { path, reader, length, buffer, is_torn: false, is_back: false, number: 0, read: 0 }))
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

    /// Before the next line.
    pub(crate) fn place(&self) -> Place {
        Place { bytes: self.read, lines: self.number - u64::from(self.is_torn) }
    }

    /// Goes on to a place, which may be beyond the end.
    pub(crate) fn go_to(&mut self, place: Place) -> Result<(), StoreError> {
        let to = SeekFrom::Start(place.bytes);
        self.reader.get_mut().seek(to).map_err(StoreError::io("read", &self.path))?;
        self.reader.set_limit(self.length.saturating_sub(place.bytes));
        (self.read, self.number) = (place.bytes, place.lines);
        (self.is_torn, self.is_back) = (false, false);
        Ok(())
    }

    /// Goes to the last complete line of at most `bytes_max`, whose number is then not known; to the end without one.
    pub(crate) fn go_to_last(&mut self, bytes_max: u64) -> Result<(), StoreError> {
        let mut looked = LAST_BYTES.min(bytes_max);
        loop {
            let bytes = self.length.saturating_sub(looked);
            self.go_to(Place { bytes, lines: 0 })?;
            let mut end = Vec::new();
            self.reader.read_to_end(&mut end).map_err(StoreError::io("read", &self.path))?;
            let mut ends =
                end.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at as u64 + 1);
            let last = ends.next().unwrap_or(0);
            let before = ends.next().or((bytes == 0).then_some(0));
            if before.is_some() || looked >= bytes_max {
                return self.go_to(Place { bytes: bytes + before.unwrap_or(last), lines: 0 });
            }
            // Most lines are short, and the end of a run is looked for each second.
            looked = (looked * 16).min(bytes_max);
        }
    }

    /// Lets the line that was just read be the next one again.
    pub(crate) fn put_back(&mut self) {
        self.is_back = true;
    }

    /// The file, for messages.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The next complete line without its end, and its number from 1.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, &str)>, StoreError> {
        if std::mem::take(&mut self.is_back) {
            return self.text();
        }
        if !self.is_torn {
            self.buffer.clear();
            self.number += 1;
        }
        let mut bounded = self.reader.by_ref().take(LINE_BYTES_MAX - self.buffer.len() as u64);
        bounded.read_until(b'\n', &mut self.buffer).map_err(StoreError::io("read", &self.path))?;
        self.is_torn = self.buffer.pop_if(|last| *last == b'\n').is_none();
        if self.is_torn {
            return if self.buffer.len() as u64 == LINE_BYTES_MAX {
                self.buffer.clear();
                Err(StoreError::damaged(&self.path, Some(self.number), "this line has no end"))
            } else {
                Ok(None)
            };
        }
        self.read += self.buffer.len() as u64 + 1;
        self.text()
    }

    fn text(&self) -> Result<Option<(u64, &str)>, StoreError> {
        match std::str::from_utf8(&self.buffer) {
            Ok(line) => Ok(Some((self.number, line))),
            Err(_) => Err(StoreError::damaged(&self.path, Some(self.number), "this line is not UTF-8 text")),
        }
    }
}
