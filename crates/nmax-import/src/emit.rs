//! The plan as a document, its data files, and the evidence for its correlations.

/// A file beside the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its name, without folders.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// It holds secrets: mode 0600, and named in a `.gitignore` beside it.
    pub is_secret: bool,
}
