//! What the rules look at: the repository's text files, as data.
//!
//! [`Repo::read`] takes them from disk, self-tests write them down. Paths are relative to
//! the root and use `/`. Files that are not UTF-8 are left out, and so is what git ignores
//! by name: build output, installed packages and runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use super::manifest::Manifest;
use super::modules::{Build, reached};
use super::source;

/// Directories that hold nothing written by hand; in a second work tree `.git` is a file.
const SKIPPED: [&str; 5] = [".git", "target", "node_modules", "dist", "__pycache__"];

/// The only `runs` that belong to the repository.
const RUNS: &str = "benchsuite/runs";

/// A text file.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// From the root, such as `crates/nmax-plan/src/lib.rs`.
    pub(crate) path: String,
    /// All of it.
    pub(crate) text: String,
    /// Of a Rust file: its code, without comments and strings.
    pub(crate) code: String,
}

/// All text files, ordered by path.
#[derive(Clone, Debug)]
pub(crate) struct Repo {
    /// The files.
    pub(crate) files: Vec<File>,
    /// The code of Rust files of the product, by path: no comments, strings or tests.
    product: BTreeMap<String, String>,
}

impl Repo {
    /// The repository below `root`.
    ///
    /// # Errors
    /// When a directory or file cannot be read.
    pub(crate) fn read(root: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        collect(root, "", &mut files)?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self::new(files))
    }

    /// The repository of these files.
    pub(crate) fn new(files: Vec<File>) -> Self {
        let reached = reached(&files, Build::Product);
        let is_product = |file: &&File| reached.contains(&file.path) && file.krate() != "nmax-testkit";
        let code = |file: &File| (file.path.clone(), source::without_tests(&file.code));
        let product = files.iter().filter(is_product).map(code).collect();
        Self { files, product }
    }

    /// Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.path.ends_with(".rs"))
    }

    /// Rust files of the product with their code: no comments, strings or tests. The testkit is no part of it.
    pub(crate) fn product(&self) -> impl Iterator<Item = (&File, &str)> {
        self.rust().filter_map(|file| Some((file, self.product.get(&file.path)?.as_str())))
    }

    /// Whether `file` is compiled without tests.
    pub(crate) fn is_product(&self, file: &File) -> bool {
        self.product.contains_key(&file.path)
    }

    /// The manifest of each crate below `crates/` and of `xtask`, with the crate's directory name.
    pub(crate) fn manifests(&self) -> impl Iterator<Item = (&str, &File, Manifest)> {
        self.files.iter().filter_map(|file| {
            let directory = file.path.strip_suffix("/Cargo.toml")?;
            let name = directory.strip_prefix("crates/").unwrap_or(directory);
            Some((name, file, Manifest::parse(&file.text)))
        })
    }

    /// The file at `path`.
    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }
}

impl File {
    /// The file at `path` with this text.
    pub(crate) fn new(path: String, text: String) -> Self {
        let code = if path.ends_with(".rs") { source::code(&text) } else { String::new() };
        Self { path, text, code }
    }

    /// The directory name of the crate it belongs to; `xtask` counts as one.
    pub(crate) fn krate(&self) -> &str {
        let path = self.path.strip_prefix("crates/").unwrap_or(&self.path);
        path.split('/').next().unwrap_or_default()
    }
}

fn collect(directory: &Path, prefix: &str, files: &mut Vec<File>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if SKIPPED.contains(&name.as_str()) {
            continue;
        }
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if name != "runs" || path == RUNS {
                collect(&entry.path(), &format!("{path}/"), files)?;
            }
        } else if kind.is_file() {
            match fs::read_to_string(entry.path()) {
                Ok(text) => files.push(File::new(path, text)),
                // A picture or the like has no text, and may be linked to.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    files.push(File::new(path, String::new()));
                }
                // A temporary file that is gone again.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}
