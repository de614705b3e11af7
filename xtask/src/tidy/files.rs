//! Rules about files: documented, reachable, of bearable length, free of what does not belong.

use super::modules::{Build, reached};
use super::repo::{File, Repo};
use super::{Finding, finding};

/// Above that many lines a file is split.
const LINES_MAX: usize = 800;

/// Texts that do not belong into the repository, and why. In pieces, so that this file passes.
const FOREIGN: [(&str, &str); 7] = [
    (concat!("/wo", "rk/"), "a path of one machine; write it relative to the repository"),
    (concat!("/ro", "ot/"), "a path of one machine; write it relative to the repository"),
    (concat!("static.crates", ".io"), "a registry's host; name the package instead"),
    (concat!("index.crates", ".io"), "a registry's host; name the package instead"),
    (concat!("proxy.golang", ".org"), "a registry's host; name the module instead"),
    (concat!("TO", "DO"), "finish it, or file an issue"),
    (concat!("FIX", "ME"), "fix it, or file an issue"),
];

/// Every module says what it is for. Test modules need not.
pub(crate) fn modules_have_docs(repo: &Repo) -> Vec<Finding> {
    let documented = |file: &File| {
        let first = file.text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("#!["));
        first.is_some_and(|line| line.starts_with("//!"))
    };
    let modules = repo.rust().filter(|file| repo.is_product(file) || file.krate() == "nmax-testkit");
    modules
        .filter(|file| !documented(file))
        .map(|file| finding(file, 1, "begin the module with `//!`: purpose, units, invariants".to_owned()))
        .collect()
}

/// Files stay short enough to be read.
pub(crate) fn files_are_short(repo: &Repo) -> Vec<Finding> {
    let long = repo.rust().map(|file| (file, file.text.lines().count())).filter(|(_, lines)| *lines > LINES_MAX);
    long.map(|(file, lines)| finding(file, LINES_MAX, format!("{lines} lines; split it below {LINES_MAX}"))).collect()
}

/// Nothing of one machine, no registry, no open end.
pub(crate) fn no_foreign_text(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    // The lock file names its registry by necessity.
    for file in repo.files.iter().filter(|file| file.path != "Cargo.lock") {
        for (number, line) in file.text.lines().enumerate() {
            for (text, instead) in FOREIGN {
                if line.contains(text) {
                    findings.push(finding(file, number + 1, format!("`{text}`: {instead}")));
                }
            }
        }
    }
    findings
}

/// Every Rust file is compiled: a crate root, or named by a `mod` of a file that is.
pub(crate) fn no_dead_files(repo: &Repo) -> Vec<Finding> {
    let reached = reached(&repo.files, Build::All);
    let dead = repo.rust().filter(|file| !reached.contains(&file.path));
    dead.map(|file| finding(file, 1, "no `mod` reaches this file; name it or delete it".to_owned())).collect()
}

#[cfg(test)]
mod tests;
