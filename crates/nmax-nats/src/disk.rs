//! Spools as files of a folder, each with one writer.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use nmax_fleet::spool::Disk;

use crate::broker::Broker;
use crate::coordinator::token;
use crate::error::NatsError;
use crate::troubles::Troubles;

/// How files of spools end.
const EXTENSION: &str = "spool";

/// What is said of spools.
const SPOOL: &str = "the spool";

/// A folder of spools. Several processes may use it.
#[derive(Clone, Debug)]
pub struct SpoolFolder {
    path: PathBuf,
    troubles: Troubles,
}

/// A file of batches that one process writes.
#[derive(Debug)]
pub struct SpoolFile {
    file: File,
    path: PathBuf,
    troubles: Troubles,
}

/// A spool of a process that ended.
#[derive(Debug)]
pub struct LeftOver {
    /// Id of the run.
    pub run: String,
    /// The file.
    pub file: SpoolFile,
    /// Its length, bytes.
    pub length: u64,
}

impl SpoolFolder {
    /// A folder, which is made where it is not there.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn open(path: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(path)?;
        Ok(Self { path: path.into(), troubles: Troubles::default() })
    }

    /// What cannot be kept is said to who listens to the broker.
    #[must_use]
    pub fn heard_by(self, broker: &Broker) -> Self {
        Self { troubles: broker.link.troubles.clone(), ..self }
    }

    /// A new spool of a run, for one injector.
    ///
    /// # Errors
    /// When it cannot be made, or is there already.
    pub fn create(&self, run: &str, injector: &str) -> io::Result<SpoolFile> {
        let name = |name| token(name).map_err(|error| io::Error::new(ErrorKind::InvalidInput, error.to_string()));
        let path = self.path.join(format!("{}.{}.{EXTENSION}", name(run)?, name(injector)?));
        let _guard = self.lock()?;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        file.lock()?;
        // The name of the file has to survive too.
        File::open(&self.path)?.sync_all()?;
        Ok(SpoolFile { file, path, troubles: self.troubles.clone() })
    }

    /// Spools whose processes ended before all was acknowledged. They belong to the caller from now on.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn left_over(&self) -> io::Result<Vec<LeftOver>> {
        let _guard = self.lock()?;
        let mut left = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let path = entry?.path();
            if path.extension().is_none_or(|extension| extension != EXTENSION) {
                continue;
            }
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            let Some((run, _)) = name.split_once('.') else { continue };
            let run = run.to_owned();
            let file = OpenOptions::new().read(true).write(true).open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(error),
            }
            let length = file.metadata()?.len();
            left.push(LeftOver { run, file: SpoolFile { file, path, troubles: self.troubles.clone() }, length });
        }
        left.sort_by(|a, b| a.file.path.cmp(&b.file.path));
        Ok(left)
    }

    /// Keeps others out while a file has a name and is not locked.
    fn lock(&self) -> io::Result<File> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(self.path.join("lock"))?;
        file.lock()?;
        Ok(file)
    }
}

impl SpoolFile {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Disk for SpoolFile {
    fn append(&mut self, at: u64, bytes: &[u8]) -> Result<(), String> {
        let kept = self.file.write_all_at(bytes, at).and_then(|()| self.file.set_len(at + bytes.len() as u64));
        let kept = kept.and_then(|()| self.file.sync_data()).map_err(|error| error.to_string());
        match &kept {
            Ok(()) => self.troubles.works(SPOOL),
            Err(reason) => {
                let (path, reason) = (self.path.display().to_string(), reason.clone());
                self.troubles.failed(SPOOL, NatsError::Spool { path, reason });
            }
        }
        kept.map_err(|error| format!("{}: {error}", self.path.display()))
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0; (range.end.saturating_sub(range.start)) as usize];
        let read = self.file.read_exact_at(&mut bytes, range.start);
        read.map(|()| bytes).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk that is full keeps what it has, and takes more when there is room.
    #[test]
    fn a_full_disk_is_named_and_takes_nothing_back() {
        let full = OpenOptions::new().read(true).write(true).open("/dev/full").unwrap();
        let mut file = SpoolFile { file: full, path: "/dev/full".into(), troubles: Troubles::default() };
        let error = file.append(0, b"a batch").unwrap_err();
        assert!(error.contains("/dev/full") && error.contains("space"), "{error}");
        assert!(matches!(&file.troubles.now()[..], [NatsError::Spool { .. }]));
    }
}
