//! Follows a file that others append to: from its end, over rotations, in bounded memory and time.
//!
//! In: a path. Out: the lines that were appended since the turn before. A rotation by renaming is seen by the number of
//! the file behind the path, one by truncating by its length; what is written to the renamed file in the next turns is
//! still read, since servers go on with it until they are told. A file that is truncated and grows beyond its old length
//! within one turn looks as if it had been appended to.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use nmax_log::format::lines::{Cut, Lines};

/// Most bytes that a turn reads, of the file and of the one before it.
const TURN_BYTES_MAX: u64 = 16 << 20;
/// How far reading may fall behind; beyond it, it goes on at the end.
const BEHIND_BYTES_MAX: u64 = 128 << 20;
/// What is looked at of the end of a file that is there at the beginning, to know its format.
const SAMPLE_BYTES: u64 = 64 << 10;
/// Bytes that are read at a time.
const CHUNK_BYTES: usize = 64 << 10;
/// Turns in which a renamed file is still read.
const TURNS_AFTER: u8 = 5;
/// How files packed by gzip begin.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What happened to the file between two turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is there now.
    Appeared,
    /// Another file has its name.
    Rotated,
    /// It is shorter than it was.
    Truncated,
    /// Reading was too far behind: so many bytes were passed over.
    Skipped(u64),
}

/// Why a file cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// There is none.
    #[error("there is no such file")]
    Missing,
    /// It is a folder, a pipe or a device.
    #[error("it is not a regular file")]
    NoFile,
    /// It is packed.
    #[error("it is packed by gzip, so nothing is appended to it")]
    Packed,
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// How long a file was at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Device and number; `None` where there was no file.
    id: Option<(u64, u64)>,
    length: u64,
}

impl Mark {
    /// That of the file at this path, now.
    pub fn new(path: &Path) -> Self {
        let about = path.metadata().ok();
        Self { id: about.as_ref().map(id_of), length: about.map_or(0, |about| about.len()) }
    }
}

/// An open file and how far it was read.
struct OpenFile {
    file: File,
    /// Device and number.
    id: (u64, u64),
    at: u64,
    lines: Lines,
    /// What comes first is the rest of a line.
    is_torn: bool,
}

/// A file that is followed.
pub struct Follow {
    path: PathBuf,
    place: Option<OpenFile>,
    /// The file that had the name before, and in how many turns it is still read.
    before: Option<(OpenFile, u8)>,
    /// Whether there was a turn yet.
    has_begun: bool,
    chunk: Vec<u8>,
}

impl Follow {
    /// Nothing is opened before the first turn.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), place: None, before: None, has_begun: false, chunk: Vec::new() }
    }

    /// Begins at the end of the file, where there is one, or at what was its end at the mark; the end of what is there
    /// already, for a look at its format.
    pub fn begin(&mut self, mark: Option<Mark>) -> Result<Vec<u8>, FollowError> {
        self.has_begun = true;
        let mut place = self.open()?;
        let length = place.file.metadata()?.len();
        let mut sample = Vec::new();
        // What is there since the mark is read by the first turn; another file, or one that became shorter, came since.
        let start = mark
            .map_or(length, |mark| if mark.id == Some(place.id) && mark.length <= length { mark.length } else { 0 });
        let start = if length - start > TURN_BYTES_MAX { length } else { start };
        let from = start.saturating_sub(SAMPLE_BYTES);
        place.file.seek(SeekFrom::Start(from))?;
        Read::by_ref(&mut place.file).take(start - from).read_to_end(&mut sample)?;
        place.at = from + sample.len() as u64;
        place.is_torn = !sample.is_empty() && sample.last() != Some(&b'\n');
        if from > 0 {
            // The first line is cut.
            let end = sample.iter().position(|byte| *byte == b'\n').map_or(sample.len(), |at| at + 1);
            sample.drain(..end);
        }
        self.place = Some(place);
        Ok(sample)
    }

    /// Gives every line that was appended since the turn before to `each`, and tells what happened to the file.
    pub fn turn(&mut self, mut each: impl FnMut(Cut<'_>)) -> Result<Vec<Change>, FollowError> {
        let mut changes = Vec::new();
        let mut budget = TURN_BYTES_MAX;
        self.chunk.resize(CHUNK_BYTES, 0);
        if let Some((mut place, turns)) = self.before.take() {
            // What cannot be read of it any more must not keep anybody from the new file.
            let is_read = place.read(&mut self.chunk, &mut budget, &mut each).is_ok();
            if is_read && turns > 1 {
                self.before = Some((place, turns - 1));
            } else {
                place.lines.finish(&mut each);
            }
        }
        if self.place.is_none() {
            self.place = Some(self.open()?);
            if self.has_begun {
                changes.push(Change::Appeared);
            }
            self.has_begun = true;
        }
        let Some(place) = &mut self.place else {
            return Ok(changes);
        };
        changes.extend(place.check_length()?);
        place.read(&mut self.chunk, &mut budget, &mut each)?;
        let is_at_end = budget > 0;
        if is_at_end && self.is_another()? {
            // It was read to its end; more may come while its writer has not noticed.
            let new = self.open()?;
            if let Some(old) = self.place.replace(new) {
                self.before = Some((old, TURNS_AFTER));
            }
            changes.push(Change::Rotated);
            if let Some(place) = &mut self.place {
                place.read(&mut self.chunk, &mut budget, &mut each)?;
            }
        }
        Ok(changes)
    }

    /// Whether the path leads to another file than the one that is read. A path that leads nowhere does not: the new
    /// file comes later.
    fn is_another(&self) -> Result<bool, FollowError> {
        let known = self.place.as_ref().map(|place| place.id);
        match self.path.metadata() {
            Ok(about) => Ok(about.is_file() && known.is_some_and(|known| known != id_of(&about))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn open(&self) -> Result<OpenFile, FollowError> {
        let missing = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => FollowError::Missing,
            _ => FollowError::Io(error),
        };
        // Opening a pipe would wait for its other end.
        if !self.path.metadata().map_err(missing)?.is_file() {
            return Err(FollowError::NoFile);
        }
        let mut file = File::open(&self.path).map_err(missing)?;
        let mut first = Vec::new();
        Read::by_ref(&mut file).take(2).read_to_end(&mut first)?;
        if first == GZIP {
            return Err(FollowError::Packed);
        }
        file.seek(SeekFrom::Start(0))?;
        let about = file.metadata()?;
        Ok(OpenFile { id: id_of(&about), file, at: 0, lines: Lines::new(), is_torn: false })
    }
}

impl OpenFile {
    /// Sees whether the file became shorter, or too long to catch up with.
    fn check_length(&mut self) -> Result<Option<Change>, FollowError> {
        let length = self.file.metadata()?.len();
        if length < self.at {
            self.go_to(0)?;
            return Ok(Some(Change::Truncated));
        }
        let behind = length - self.at;
        if behind > BEHIND_BYTES_MAX {
            let from = length - TURN_BYTES_MAX / 2;
            let skipped = from - self.at;
            self.go_to(from)?;
            self.is_torn = true;
            return Ok(Some(Change::Skipped(skipped)));
        }
        Ok(None)
    }

    fn go_to(&mut self, at: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.at = at;
        self.lines = Lines::new();
        self.is_torn = false;
        Ok(())
    }

    /// Reads to the end, or until the budget is used up.
    fn read(&mut self, chunk: &mut [u8], budget: &mut u64, each: &mut impl FnMut(Cut<'_>)) -> io::Result<()> {
        while *budget > 0 {
            let room = chunk.len().min(usize::try_from(*budget).unwrap_or(usize::MAX));
            let count = self.file.read(&mut chunk[..room])?;
            if count == 0 {
                break;
            }
            self.at += count as u64;
            *budget -= count as u64;
            let is_torn = &mut self.is_torn;
            self.lines.feed(&chunk[..count], |line| {
                if !std::mem::take(is_torn) {
                    each(line);
                }
            });
        }
        Ok(())
    }
}

fn id_of(about: &Metadata) -> (u64, u64) {
    (about.dev(), about.ino())
}

#[cfg(test)]
mod tests;
