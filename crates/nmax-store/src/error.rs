//! What can go wrong with a run's directory: what, where, and what to do.

use std::io;
use std::path::{Path, PathBuf};

/// An error of the store. Its text ends with a `help:` line.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system refused a file operation.
    #[error("{}: cannot {action}: {source}\n  help: {}", path.display(), remedy(source))]
    Io {
        /// What was tried: `create`, `write to`, `read`, ...
        action: &'static str,
        /// File or directory.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// An earlier write to this file failed, so nothing more is added to it.
    #[error(
        "{}: an earlier write failed, nothing more is added\n  help: what was written before it can be read; \
         start a new run", path.display()
    )]
    Broken {
        /// The file.
        path: PathBuf,
    },
    /// The directory of the run exists already.
    #[error("{}: this run exists already\n  help: a run's directory is never reused; give the run another id", path.display())]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// A field of the manifest cannot be used.
    #[error("manifest: {field} `{found}` cannot be used\n  help: {remedy}")]
    Manifest {
        /// Field name.
        field: &'static str,
        /// What it held.
        found: String,
        /// What to give instead.
        remedy: &'static str,
    },
    /// A window or sample refers to a name that the catalog does not have.
    #[error("{what} {id} has no name in the catalog\n  help: this is a defect of the program; please report it")]
    Unnamed {
        /// `request`, `scenario` or `check`.
        what: &'static str,
        /// Its number.
        id: usize,
    },
    /// A file that every run has is not there.
    #[error("{}: not found\n  help: is this the directory of a run? `nmax runs` lists runs", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// A file does not hold what it should.
    #[error("{}{}: {text}\n  help: the file was changed or damaged after the run; restore it from a copy", path.display(), at_line(*line))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Line, from 1; `None` when the file as a whole is meant.
        line: Option<u64>,
        /// What is wrong.
        text: String,
    },
    /// The run was written by a later version of the program.
    #[error(
        "{}: schema version {found} is newer than {known}, the latest this program reads\n  \
         help: use a newer nmax to read this run", path.display()
    )]
    Newer {
        /// The manifest.
        path: PathBuf,
        /// Version in the file.
        found: u64,
        /// Latest known version.
        known: u64,
    },
    /// No run answers to this argument.
    #[error("no run `{asked}` in {}\n  help: {}", root.display(), choose(candidates))]
    NotFound {
        /// The argument.
        asked: String,
        /// Where runs were looked for.
        root: PathBuf,
        /// Ids of the newest runs there.
        candidates: Vec<String>,
    },
    /// Several runs answer to this argument.
    #[error("`{asked}` stands for several runs in {}\n  help: {}", root.display(), choose(candidates))]
    Ambiguous {
        /// The argument.
        asked: String,
        /// Where runs were looked for.
        root: PathBuf,
        /// Their directory names.
        candidates: Vec<String>,
    },
    /// The program was built without Parquet.
    #[cfg(not(feature = "parquet"))]
    #[error("{}: this nmax was built without Parquet\n  help: build it whole: `make build`, or `cargo build --release --package nmax`", path.display())]
    WithoutParquet {
        /// The file of raw exchanges.
        path: PathBuf,
    },
    /// The Parquet encoder failed for a reason other than the file system.
    #[cfg(feature = "parquet")]
    #[error("{}: cannot encode samples: {source}\n  help: this is a defect of the program; please report it", path.display())]
    Parquet {
        /// The segment.
        path: PathBuf,
        /// The encoder's reason.
        source: parquet::errors::ParquetError,
    },
}

impl StoreError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    /// What is damaged and where, without the path of the run; the whole text of any other error.
    pub fn in_short(&self) -> String {
        let Self::Damaged { path, line, text } = self else {
            return self.to_string();
        };
        let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
        let folder =
            folder.filter(|name| name.starts_with("rollup-")).map_or_else(String::new, |name| format!("{name}/"));
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        format!("{folder}{file}{}: {text}", at_line(*line))
    }

    pub(crate) fn damaged(path: &Path, line: Option<u64>, text: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), line, text: text.into() }
    }
}

fn at_line(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(":{line}"))
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full: free space or choose a directory on another disk; what was written can be read"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a directory that you may write to, or change its permissions"
        }
        io::ErrorKind::NotADirectory => "a part of this path is a file: choose another directory",
        io::ErrorKind::NotFound => "check the path",
        _ => "check the disk and the path; what was written before can be read",
    }
}

fn choose(candidates: &[String]) -> String {
    if candidates.is_empty() {
        "there are no runs there; check the directory".to_owned()
    } else {
        format!("choose one of: {}", candidates.join(", "))
    }
}
