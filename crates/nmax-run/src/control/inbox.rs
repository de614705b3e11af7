//! The run's side of `control.jsonl`: what is new in it since the last look.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{FILE, LINE_BYTES_MAX, Ledger, WISHES_MAX, Wish};

/// Most bytes that one look reads.
const READ_MAX: u64 = 64 << 10;

/// Keeps its place in the file. A look at a file without anything new costs one `stat`.
pub(crate) struct Inbox {
    path: PathBuf,
    /// The file that `read` is of: its number and birth. Another one in its place begins anew.
    file: Option<(u64, Option<SystemTime>)>,
    /// Bytes read.
    read: u64,
    ledger: Ledger,
    /// A line that is too long goes on.
    is_skipping: bool,
}

impl Inbox {
    /// Of the run in this directory.
    pub(crate) fn new(directory: &Path) -> Self {
        Self { path: directory.join(FILE), file: None, read: 0, ledger: Ledger::default(), is_skipping: false }
    }

    /// The lines that are new: wishes, and why others are none.
    pub(crate) fn look(&mut self) -> Vec<Result<Wish, String>> {
        let Ok(about) = fs::symlink_metadata(&self.path) else {
            self.file = None;
            return Vec::new();
        };
        let file = Some((about.ino(), about.created().ok()));
        if file != self.file || about.size() < self.read {
            (self.file, self.read, self.is_skipping) = (file, 0, false);
            self.ledger = Ledger::default();
        }
        if about.size() == self.read || !about.is_file() || self.ledger.lines > WISHES_MAX {
            return Vec::new();
        }
        match self.bytes() {
            Ok(bytes) => self.lines(&bytes),
            Err(error) => {
                self.read = about.size();
                vec![Err(format!("{FILE} cannot be read: {error}"))]
            }
        }
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.read))?;
        let mut bytes = Vec::new();
        file.take(READ_MAX).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Takes whole lines; the rest is read again at the next look, unless it is too long for a line.
    fn lines(&mut self, bytes: &[u8]) -> Vec<Result<Wish, String>> {
        let mut found = Vec::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = line.ends_with(b"\n");
            if !is_whole && line.len() <= LINE_BYTES_MAX {
                break;
            }
            self.read += line.len() as u64;
            if !std::mem::replace(&mut self.is_skipping, !is_whole) && self.ledger.lines < WISHES_MAX {
                found.push(self.ledger.take(line.trim_ascii_end()));
            }
        }
        if self.ledger.lines == WISHES_MAX && !found.is_empty() {
            self.ledger.lines += 1;
            found.push(Err(format!("{FILE} has {WISHES_MAX} lines, and no more are read")));
        }
        found
    }
}
