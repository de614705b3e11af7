//! The shape inside of a crate: circles of files, and types whose code is spread over files.
//!
//! A file points at another when its product code names an item of it, by `use` or by a path; names that a module
//! imports from elsewhere are followed to where they are. What a module declares is the vocabulary of the modules below it, so a
//! pointer to an ancestor is no part of a circle, unless the ancestor is the root of the crate.

use std::collections::{BTreeMap, BTreeSet};

use super::repo::{File, Repo};
use super::{Finding, finding, source};

/// Files that may know each other.
const CIRCLE_MAX: usize = 2;

/// Files that may hold the code of one type.
const IMPL_FILES_MAX: usize = 3;

/// The names of a module below its crate's root.
type Module = Vec<String>;

/// What a rule knows of a file.
struct Source<'a> {
    file: &'a File,
    code: &'a str,
    /// Paths that it names.
    named: Vec<Module>,
    /// Names that it imports, and the paths that they stand for: modules below it see them as its own.
    imported: BTreeMap<String, Module>,
}

type Sources<'a> = BTreeMap<Module, Source<'a>>;

/// Files know each other in pairs at most: larger circles are one file in many pieces.
pub(crate) fn circles_are_small(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for sources in crates(repo).values() {
        let arrows: BTreeMap<&Module, BTreeSet<&Module>> =
            sources.iter().map(|(module, source)| (module, pointed_at(sources, module, source))).collect();
        let reach: BTreeMap<&Module, BTreeSet<&Module>> =
            arrows.keys().map(|module| (*module, reached(&arrows, module))).collect();
        let mut seen = BTreeSet::new();
        for (module, source) in sources {
            let is_mutual = |other: &&&Module| reach[**other].contains(module);
            let circle: Vec<&Module> = reach[module].iter().filter(is_mutual).copied().collect();
            if circle.len() > CIRCLE_MAX && seen.insert(circle.clone()) {
                let arrow = |from: &&Module| {
                    let to: Vec<_> =
                        arrows[*from].iter().filter(|to| circle.contains(to)).map(|to| shown(to)).collect();
                    format!("{} -> {}", shown(from), to.join(", "))
                };
                let arrows: Vec<String> = circle.iter().map(arrow).collect();
                let text = format!("a circle of {} files; cut it: {}", circle.len(), arrows.join("; "));
                findings.push(finding(source.file, 1, text));
            }
        }
    }
    findings
}

/// The code of a type is found in few files.
pub(crate) fn impls_are_together(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    for sources in crates(repo).values() {
        let mut types: BTreeMap<String, Vec<&File>> = BTreeMap::new();
        for source in sources.values() {
            let names: BTreeSet<String> = source.code.lines().filter_map(implemented).collect();
            for name in names {
                types.entry(name).or_default().push(source.file);
            }
        }
        // Modules may each declare a type of that name for themselves.
        let declares = |file: &&&File, name: &str| {
            ["struct", "enum"].iter().any(|kind| !source::lines_with(&file.code, &format!("{kind} {name}")).is_empty())
        };
        let count = |name: &str, files: &[&File]| {
            let own = files.iter().filter(|file| declares(file, name)).count();
            files.len() - own.saturating_sub(1)
        };
        for (name, files) in types.iter().filter(|(name, files)| count(name, files) > IMPL_FILES_MAX) {
            let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
            let text = format!("`{name}` is implemented in {} files: {}", files.len(), paths.join(", "));
            findings.push(finding(files[0], 1, text));
        }
    }
    findings
}

/// The product's files of each crate.
fn crates(repo: &Repo) -> BTreeMap<&str, Sources<'_>> {
    let mut crates: BTreeMap<&str, Sources<'_>> = BTreeMap::new();
    for (file, code) in repo.product() {
        let Some(module) = module_of(file) else { continue };
        let mut source = Source { file, named: paths(code), imported: BTreeMap::new(), code };
        for (_, import) in source::imports(source.code) {
            let (path, name) = import_of(&import);
            source.imported.insert(name, path.clone());
            source.named.push(path);
        }
        crates.entry(file.krate()).or_default().insert(module, source);
    }
    crates
}

/// The module that a file below `src` is.
fn module_of(file: &File) -> Option<Module> {
    let (_, path) = file.path.split_once("/src/")?;
    let mut names: Module = path.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        names.pop();
    }
    Some(names)
}

/// The path that an import names, and the name that it gets.
fn import_of(import: &str) -> (Module, String) {
    // Blanks are gone: a new name follows the last part without one, as in `FromasOther`.
    let mut path: Module = import.split("::").map(str::to_owned).collect();
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = path.last().cloned().unwrap_or_default();
    (path, name)
}

/// Paths of two names and more that stand in `code` outside of imports.
fn paths(code: &str) -> Vec<Module> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let words = code.split(|c: char| !is_name(c) && c != ':').filter(|word| word.contains("::"));
    words.map(|word| word.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect()).collect()
}

/// The modules with items that `module` names.
fn pointed_at<'a>(sources: &'a Sources<'_>, module: &Module, source: &Source<'_>) -> BTreeSet<&'a Module> {
    let found = source.named.iter().filter_map(|path| resolve(sources, module, path, 0));
    found.filter(|to| *to != module && (to.is_empty() || !module.starts_with(to))).collect()
}

/// The module with the item at `path` as `module` names it. Re-exports may be nested.
fn resolve<'a>(sources: &'a Sources<'_>, module: &Module, path: &[String], depth: usize) -> Option<&'a Module> {
    const DEPTH_MAX: usize = 8;
    let first = path.first()?;
    let full: Module = match first.as_str() {
        "crate" => path[1..].to_vec(),
        "self" => [module, &path[1..]].concat(),
        "super" => {
            let up = path.iter().take_while(|name| *name == "super").count();
            [module.get(..module.len().checked_sub(up)?)?, &path[up..]].concat()
        }
        _ => [module, path].concat(),
    };
    let is_child = !["crate", "self", "super"].contains(&first.as_str());
    let known = (0..=full.len()).rev().find(|length| sources.contains_key(&full[..*length]))?;
    if known == full.len() || depth > DEPTH_MAX || is_child && known <= module.len() {
        return None;
    }
    let (inner, source) = sources.get_key_value(&full[..known])?;
    match source.imported.get(&full[known]) {
        Some(path) => resolve(sources, inner, &[path, &full[known + 1..]].concat(), depth + 1),
        None => Some(inner),
    }
}

/// All modules that arrows lead to from `from`, over any number of them.
fn reached<'a>(arrows: &BTreeMap<&'a Module, BTreeSet<&'a Module>>, from: &Module) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&Module> = arrows[from].iter().copied().collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(&arrows[module]);
        }
    }
    reached
}

fn shown(module: &Module) -> String {
    if module.is_empty() { "lib".to_owned() } else { module.join("/") }
}

/// The type that a line begins to implement, if it does.
fn implemented(line: &str) -> Option<String> {
    let mut rest = line.trim_start().strip_prefix("impl")?;
    if rest.starts_with('<') {
        let mut depth = 0;
        let end = rest.bytes().enumerate().find_map(|(at, byte)| {
            depth += i32::from(byte == b'<') - i32::from(byte == b'>' && rest.as_bytes()[at - 1] != b'-');
            (depth == 0).then_some(at)
        })?;
        rest = &rest[end + 1..];
    }
    let named = rest.rsplit(" for ").next()?.trim_start().trim_start_matches('&');
    let path = named.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next()?;
    let name = path.rsplit("::").next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests;
