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
    let dead = dead.map(|file| finding(file, 1, "no `mod` reaches this file; name it or delete it".to_owned()));
    dead.chain(unnamed_tests(repo)).collect()
}

/// Where a manifest forbids cargo to look for tests itself, those that it does not name are not built.
fn unnamed_tests(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (_, manifest, _) in repo.manifests().filter(|(_, manifest, _)| manifest.text.contains("autotests = false")) {
        let folder = manifest.path.trim_end_matches("Cargo.toml");
        for file in repo.rust() {
            let Some(path) = file.path.strip_prefix(folder).filter(|path| path.starts_with("tests/")) else { continue };
            let is_root =
                path.matches('/').count() == 1 || path.matches('/').count() == 2 && path.ends_with("/main.rs");
            if is_root && !manifest.text.contains(&format!("path = \"{path}\"")) {
                findings.push(finding(file, 1, format!("{} has no [[test]] with this path", manifest.path)));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests;
