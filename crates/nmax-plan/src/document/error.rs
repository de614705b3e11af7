//! What is wrong with a document, where, and what to do.

use std::fmt::{self, Display, Formatter};

/// One error of a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {message}\n  help: {remedy}")]
pub struct DocumentError {
    /// Where.
    pub at: Location,
    /// Which kind of error.
    pub kind: Kind,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

/// Where an error is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the document.
    File {
        /// Name as given to the command.
        file: String,
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
    },
    /// In an argument of the command, such as `--set seed=x`.
    Flag(String),
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { file, line, column } => write!(f, "{file}:{line}:{column}"),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// Kinds of errors, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Not YAML, or a part of YAML that plans do not use.
    Syntax,
    /// A key that no version knows.
    UnknownKey,
    /// A key of a later version.
    Unsupported,
    /// A required key is absent.
    Missing,
    /// A value of the wrong shape or out of its range.
    Value,
    /// Two keys that exclude each other, or one key twice.
    Conflict,
    /// A name that nothing defines.
    Undefined,
    /// A data file that cannot be used.
    Data,
    /// Larger than this version accepts.
    Limit,
}
