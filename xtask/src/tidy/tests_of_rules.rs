//! Helpers for the rules' own tests: repositories written down as text.

use super::Rule;
use super::repo::{File, Repo};

/// A repository of these paths and texts.
pub(crate) fn repo(files: &[(&str, &str)]) -> Repo {
    let file = |(path, text): &(&str, &str)| File::new((*path).to_owned(), (*text).to_owned());
    Repo::new(files.iter().map(file).collect())
}

/// `rule` finds exactly the line `want` in a repository of one file, or nothing.
#[track_caller]
pub(crate) fn check(rule: Rule, path: &str, text: &str, want: Option<usize>) {
    let mut lines: Vec<usize> = rule(&repo(&[(path, text)])).iter().map(|finding| finding.line).collect();
    lines.dedup();
    assert_eq!(lines, Vec::from_iter(want), "{path}:\n{text}");
}
