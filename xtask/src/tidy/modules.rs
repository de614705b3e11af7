//! Which Rust files are compiled, and for what: follows `mod` declarations from the crate roots.
//!
//! A `mod` inside an inline module is looked up beside the file, not in a directory of the inline module.

use std::collections::BTreeSet;

use super::repo::File;
use super::source;

/// What is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Build {
    /// Libraries and programs, without `#[cfg(test)]`.
    Product,
    /// Everything, tests included.
    All,
}

/// The paths of the Rust files of `files` that `build` compiles.
pub(crate) fn reached(files: &[File], build: Build) -> BTreeSet<String> {
    let known = |path: &str| files.iter().find(|file| file.path == path && path.ends_with(".rs"));
    let mut reached = BTreeSet::new();
    let mut open: Vec<&File> = files.iter().filter(|file| is_root(&file.path, build)).collect();
    while let Some(file) = open.pop() {
        if reached.insert(file.path.clone()) {
            open.extend(declared(file, build).iter().filter_map(|path| known(path)));
        }
    }
    reached
}

/// Whether cargo itself compiles the file at `path` as the root of a crate.
fn is_root(path: &str, build: Build) -> bool {
    let below_crates = path.strip_prefix("crates/").unwrap_or(path);
    let inner = below_crates.split_once('/').map_or("", |(_, inner)| inner);
    let below = |directory: &str| {
        let rest = inner.strip_prefix(directory).filter(|rest| rest.ends_with(".rs"));
        rest.is_some_and(|rest| !rest.contains('/') || rest.matches('/').count() == 1 && rest.ends_with("/main.rs"))
    };
    ["build.rs", "src/lib.rs", "src/main.rs"].contains(&inner)
        || below("src/bin/")
        || build == Build::All && ["tests/", "benches/", "examples/", "fuzz_targets/"].into_iter().any(below)
}

/// The files that the `mod name;` declarations of `file` may mean.
fn declared(file: &File, build: Build) -> Vec<String> {
    let (directory, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let own = name.trim_end_matches(".rs");
    let base = if own == "mod" || is_root(&file.path, Build::All) { directory } else { &format!("{directory}/{own}") };
    let code = source::code(&file.text);
    let code = if build == Build::Product { source::without_tests(&code) } else { code };
    let mut paths = Vec::new();
    for (declaration, text) in code.lines().zip(file.text.lines()) {
        let words: Vec<&str> = declaration.split([' ', ';', '\t']).collect();
        if let Some(at) = words.iter().position(|word| *word == "mod")
            && declaration.contains(';')
            && let Some(module) = words.get(at + 1)
        {
            paths.push(format!("{base}/{module}.rs"));
            paths.push(format!("{base}/{module}/mod.rs"));
        }
        // The path itself is a string, so it is only in the text; the attribute is in the code.
        if declaration.trim_start().starts_with("#[path")
            && let Some(path) = text.split('"').nth(1)
        {
            paths.push(resolve(directory, path));
        }
    }
    paths
}

/// `path` relative to `directory`, with `..` taken back.
fn resolve(directory: &str, path: &str) -> String {
    let mut parts: Vec<&str> = directory.split('/').collect();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests;
