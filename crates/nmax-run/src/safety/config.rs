//! The allow list in the user's configuration file, `nmax/config.yaml` in the folder for configuration.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use nmax_plan::document::{self, DOCUMENT_BYTES_MAX, DocumentError, Location};

use super::policy::{Allowed, Given};
use super::target::{Pattern, TargetError};

/// The only key of the file.
const KEY: &str = "allow_targets";

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It is there and cannot be read.
    #[error("{file}: cannot be read: {error}\n  help: make it readable, or remove it")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// It says something wrong; each error has its place.
    #[error("{}", joined(.0))]
    Content(Vec<DocumentError>),
}

fn joined(errors: &[DocumentError]) -> String {
    let lines: Vec<String> = errors.iter().map(DocumentError::to_string).collect();
    lines.join("\n")
}

/// Where the file is, given the environment: below `$XDG_CONFIG_HOME`, else below `$HOME/.config`.
///
/// As the XDG specification says, a value that is no absolute path counts as absent.
pub fn path(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")));
    folder.map(|folder| folder.join("nmax/config.yaml"))
}

/// The entries of the file; none when there is no file.
pub fn load(path: &Path) -> Result<Vec<Allowed>, ConfigError> {
    let file = path.display().to_string();
    let text = match read(path) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(ConfigError::Unreadable { file, error }),
    };
    parse(&text, &file).map_err(ConfigError::Content)
}

/// Reads no more than is needed to see that a file is too long.
fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(DOCUMENT_BYTES_MAX as u64 + 1).read_to_string(&mut text)?;
    Ok(text)
}

/// Reads the text of the file called `file`: all errors at once.
pub fn parse(text: &str, file: &str) -> Result<Vec<Allowed>, Vec<DocumentError>> {
    let (mut allowed, mut errors) = (Vec::new(), Vec::new());
    for (at, entry) in document::texts(text, file, KEY)? {
        match entry.parse::<Pattern>() {
            Ok(what) => allowed.push(Allowed { what, given: Given::Config(file.to_owned()) }),
            Err(error) => errors.push(wrong(at, &entry, &error)),
        }
    }
    if errors.is_empty() { Ok(allowed) } else { Err(errors) }
}

fn wrong(at: Location, entry: &str, error: &TargetError) -> DocumentError {
    let shown: String = entry.chars().take(80).collect();
    DocumentError {
        at,
        message: format!("`{}` {error}", nmax_text::shown(&shown)),
        remedy: "an entry is a host name, an address or a network, such as `staging.lan` or `10.0.0.0/8`".into(),
    }
}

#[cfg(test)]
mod tests;
