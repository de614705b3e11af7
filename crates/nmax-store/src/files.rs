//! Whole files written at once, and append-only streams that never keep half a record on purpose.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nmax_json::records;

use crate::StoreError;

/// Mode of files that are made to be shared.
pub(crate) const MODE_SHARED: u32 = 0o644;

records! {
    /// A place between two lines of a file.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) read Place {
        bytes: u64, "Bytes before it.";
        lines: u64, "Lines before it.";
    }
    /// Lines of a file.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) read Span {
        from: Place, "Where they begin.";
        to: Place, "Where they end.";
    }
}

/// Writes a whole file: under a temporary name, synced, then renamed. Readers see the old file or the new one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let temporary = temporary_of(path);
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    if let Err(source) = written {
        // The partial file is of no use; that it may remain does no harm.
        let _ = fs::remove_file(&temporary);
        return Err(StoreError::Io { action: "write", path: path.to_owned(), source });
    }
    publish(&temporary, path)
}

/// Whether some process has this stream open for writing.
pub(crate) fn is_being_written(path: &Path) -> bool {
    let attempt = File::open(path).map(|file| file.try_lock_shared());
    matches!(attempt, Ok(Err(TryLockError::WouldBlock)))
}

/// Gives a finished temporary file its name, durably.
pub(crate) fn publish(temporary: &Path, path: &Path) -> Result<(), StoreError> {
    if temporary == path {
        return Ok(());
    }
    // A link stays, and what it leads to is replaced.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    fs::rename(temporary, path).map_err(StoreError::io("rename to", path))?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(parent).and_then(|parent| parent.sync_all()).map_err(StoreError::io("sync", parent))
}

/// Reads a whole file that every run has.
pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, StoreError> {
    fs::read(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => StoreError::Missing { path: path.to_owned() },
        _ => StoreError::Io { action: "read", path: path.to_owned(), source },
    })
}

/// The name under which a file is written before it is complete. A device or a pipe is written itself.
pub(crate) fn temporary_of(path: &Path) -> PathBuf {
    if path.metadata().is_ok_and(|known| !known.is_file()) {
        return path.to_owned();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    name.into()
}

/// What a stream writes to. A border for tests, which inject failures.
pub(crate) trait Sink: Write + Send {
    /// Cuts the sink to this length, bytes.
    fn cut(&mut self, length: u64) -> io::Result<()>;
    /// Waits until everything is on the disk.
    fn sync(&mut self) -> io::Result<()>;
}

impl Sink for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// A file that only grows, by whole blocks of lines.
///
/// Invariant: unless the machine or the process dies, the file ends after a whole block. A failed write is cut off
/// again and closes the stream for good.
pub(crate) struct Stream {
    path: PathBuf,
    sink: Box<dyn Sink>,
    /// Its end.
    place: Place,
    is_broken: bool,
}

impl Stream {
    /// Creates the file, which must not exist, with this mode as far as the umask allows.
    pub(crate) fn create(path: PathBuf, mode: u32) -> Result<Self, StoreError> {
        let mut options = OpenOptions::new();
        let opened = options.append(true).create_new(true).mode(mode).open(&path);
        let file = opened.map_err(StoreError::io("create", &path))?;
        // Held as long as the stream lives. A file system without locks only costs the sign that a run goes on.
        let _ = file.try_lock();
        Ok(Self::over(path, Box::new(file)))
    }

    /// A stream over an empty sink; `path` is for messages.
    pub(crate) fn over(path: PathBuf, sink: Box<dyn Sink>) -> Self {
        Self { path, sink, place: Place::default(), is_broken: false }
    }

    /// Its end.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// Whether blocks can still be appended.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if self.is_broken { Err(StoreError::Broken { path: self.path.clone() }) } else { Ok(()) }
    }

    /// Appends one block with one write: all of it or, on an error, nothing.
    pub(crate) fn append(&mut self, block: &[u8]) -> Result<(), StoreError> {
        self.check()?;
        if block.is_empty() {
            return Ok(());
        }
        if let Err(source) = self.sink.write_all(block).and_then(|()| self.sink.flush()) {
            self.is_broken = true;
            // When even this fails, readers still ignore the torn line.
            let _ = self.sink.cut(self.place.bytes);
            return Err(StoreError::Io { action: "write to", path: self.path.clone(), source });
        }
        self.place.bytes += block.len() as u64;
        self.place.lines += block.iter().filter(|byte| **byte == b'\n').count() as u64;
        Ok(())
    }

    /// Waits until everything is on the disk.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        self.sink.sync().map_err(StoreError::io("sync", &self.path))
    }
}

#[cfg(test)]
mod tests;
