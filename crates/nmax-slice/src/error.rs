//! What is wrong with a request: where, and what to do.

use std::fmt;

/// An error of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceError {
    /// The part of the request: `--where`, `--by`, a file of saved slices.
    pub part: String,
    /// Character in it, from 1; `None` when all of it is meant.
    pub column: Option<usize>,
    /// What is wrong.
    pub text: String,
    /// What to do.
    pub remedy: String,
}

impl SliceError {
    pub(crate) fn new(part: &str, text: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { part: part.to_owned(), column: None, text: text.into(), remedy: remedy.into() }
    }

    pub(crate) fn at(mut self, column: usize) -> Self {
        self.column = Some(column);
        self
    }
}

impl SliceError {
    /// Errors as one text.
    pub fn joined(errors: &[Self]) -> String {
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        texts.join("\nerror: ")
    }
}

impl fmt::Display for SliceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.part)?;
        if let Some(column) = self.column {
            write!(f, ", column {column}")?;
        }
        write!(f, ": {}\n  help: {}", self.text, self.remedy)
    }
}

impl std::error::Error for SliceError {}

/// What an unknown name should have been: the nearest of `known`, then all of them.
pub(crate) fn instead_of(name: &str, known: &[&str]) -> String {
    let nearest = nmax_text::nearest(name, known.iter().copied());
    let all = known.join(", ");
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`? there are {all}"),
        None => format!("there are {all}"),
    }
}
