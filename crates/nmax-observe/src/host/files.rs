//! Small files of the kernel, read again and again into one buffer.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit};

/// A longer file is not read: that of a host with some twenty thousand sockets.
const BYTES_MAX: usize = 4 << 20;
/// Room at first.
const BYTES_MIN: usize = 16 << 10;
/// Names of a folder that are looked at.
const NAMES_MAX: usize = 50_000;
/// Files of the kernel that stay open between readings, with room for one more.
const KEPT: u64 = 20;
/// A process that may open fewer files than this keeps none of them open.
const LIMIT_MIN: u64 = 256;
/// `EOPNOTSUPP`: what a kernel says of a feature that it has and that is switched off.
const NOT_SUPPORTED: i32 = 95;

/// What reading took, counted and not timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Files and folders opened.
    pub opens: u64,
    /// Reads of them.
    pub reads: u64,
    /// Bytes that came.
    pub bytes: u64,
}

/// Why there is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// No such file.
    Missing,
    /// It may not be read.
    Forbidden,
    /// The kernel has it and it is switched off.
    Disabled,
    /// Another error, which may pass.
    Failed,
}

impl Absence {
    fn from_error(error: &io::Error) -> Self {
        match (error.kind(), error.raw_os_error()) {
            (_, Some(NOT_SUPPORTED)) => Self::Disabled,
            (ErrorKind::NotFound, _) => Self::Missing,
            (ErrorKind::PermissionDenied, _) => Self::Forbidden,
            _ => Self::Failed,
        }
    }
}

/// Descriptors that the reading of a host holds all the time; none where the limit of open files is low.
pub fn kept_files() -> u64 {
    match getrlimit(Resource::Nofile).current {
        Some(limit) if limit < LIMIT_MIN => 0,
        _ => KEPT,
    }
}

/// Files below a root, and the buffer that they are read into.
#[derive(Debug)]
pub(crate) struct Files {
    root: PathBuf,
    buffer: Vec<u8>,
    keeps: bool,
    /// What all reading took until now.
    pub(crate) spent: Spent,
}

impl Files {
    /// Below `root`, which is `/` but in tests and where a host is mounted in a container.
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), buffer: vec![0; BYTES_MIN], keeps: kept_files() > 0, spent: Spent::default() }
    }

    /// Where a path below the root is.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// Opens a file, reads all of it and closes it.
    pub(crate) fn read(&mut self, path: &str) -> Result<&str, Absence> {
        let file = self.open(path)?;
        let length = self.fill(&file).map_err(|error| Absence::from_error(&error))?;
        Ok(text(&self.buffer[..length]))
    }

    /// Names in a folder, in the order in which the system gives them; `None` when it cannot be read.
    pub(crate) fn list(&mut self, path: &str) -> Option<Vec<String>> {
        self.spent.opens += 1;
        let entries = fs::read_dir(self.path(path)).ok()?;
        let names = entries.flatten().take(NAMES_MAX).filter_map(|entry| entry.file_name().into_string().ok());
        Some(names.collect())
    }

    /// Entries of a folder of `/proc`, without reading it where the kernel tells (Linux 6.2 and later).
    pub(crate) fn count(&mut self, path: &str) -> Option<u64> {
        self.spent.opens += 1;
        let path = self.path(path);
        match fs::metadata(&path).ok()?.len() {
            0 => Some(fs::read_dir(&path).ok()?.count() as u64),
            // A folder of a real file system has a size in bytes.
            length if path.starts_with("/proc") => Some(length),
            _ => Some(fs::read_dir(&path).ok()?.count() as u64),
        }
    }

    fn open(&mut self, path: &str) -> Result<File, Absence> {
        self.spent.opens += 1;
        File::open(self.path(path)).map_err(|error| Absence::from_error(&error))
    }

    /// Reads from the beginning to the end; how many bytes there are.
    fn fill(&mut self, file: &File) -> io::Result<usize> {
        let mut length = 0;
        loop {
            if length == self.buffer.len() {
                if length >= BYTES_MAX {
                    return Err(io::Error::from(ErrorKind::FileTooLarge));
                }
                self.buffer.resize(2 * length, 0);
            }
            self.spent.reads += 1;
            match file.read_at(&mut self.buffer[length..], length as u64) {
                Ok(0) => return Ok(length),
                Ok(count) => {
                    length += count;
                    self.spent.bytes += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The part of it that is text.
fn text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// A file that stays open where there is room. Its content is made anew at each reading.
#[derive(Debug)]
pub(crate) struct CachedFile {
    path: &'static str,
    file: Option<File>,
}

impl CachedFile {
    /// Opened at the first reading.
    pub(crate) const fn new(path: &'static str) -> Self {
        Self { path, file: None }
    }

    /// All of it. After an error it is opened again.
    pub(crate) fn read<'a>(&mut self, files: &'a mut Files) -> Result<&'a str, Absence> {
        let file = match self.file.take() {
            Some(file) => file,
            None => files.open(self.path)?,
        };
        let length = files.fill(&file).map_err(|error| Absence::from_error(&error))?;
        self.file = Some(file).filter(|_| files.keeps);
        Ok(text(&files.buffer[..length]))
    }
}
