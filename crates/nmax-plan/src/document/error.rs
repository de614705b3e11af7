//! What is wrong with a document, where, and what to do.

use std::fmt::{self, Display, Formatter};

/// One error of a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {message}\n  help: {remedy}")]
pub struct DocumentError {
    /// Where.
    pub at: Location,
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
