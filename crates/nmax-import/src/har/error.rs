//! Why a file is no recording.

/// A file that holds no recording: what it is, where that shows, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}:{column}: {kind}\n  help: {}", kind.remedy())]
pub struct HarError {
    /// Name of the file.
    pub name: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub kind: Kind,
}

/// What is wrong with a file that holds no recording.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Kind {
    /// It has no content.
    #[error("the file is empty")]
    Empty,
    /// It is packed.
    #[error("this is {what}, not a HAR file")]
    Packed {
        /// How, with an article: `a gzip file`.
        what: &'static str,
        /// The command that unpacks it.
        unpack: &'static str,
    },
    /// It is something else.
    #[error("a HAR file begins with `{{`, and this with {found}")]
    NotJson {
        /// What it begins with.
        found: String,
    },
    /// It ends, or breaks off being JSON, before the entries.
    #[error("the file {what} before its list of entries")]
    Broken {
        /// What it does.
        what: &'static str,
    },
    /// It is JSON of another kind.
    #[error("no list `log.entries`{found}")]
    NoEntries {
        /// What is there instead, in words.
        found: String,
    },
}

impl Kind {
    fn remedy(&self) -> String {
        match self {
            Self::Empty | Self::Broken { .. } => {
                "record again, and wait until the browser or proxy has written the whole file".into()
            }
            Self::Packed { unpack, .. } => format!("unpack it first: `{unpack}`"),
            Self::NotJson { .. } | Self::NoEntries { .. } => {
                "give a HAR 1.2 file: in a browser's developer tools, tab \
                Network, save all as HAR; `nmax import log` reads access logs, `nmax import curl` a copied command"
                    .into()
            }
        }
    }
}
