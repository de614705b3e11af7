//! Rules that keep the architecture: layers, purity, habits, files, dependencies.
//!
//! Each rule is a function from the repository's text ([`repo::Repo`]) to [`Finding`]s, so a
//! bad example in a test is data. `cargo test -p xtask` runs every rule on the repository,
//! `cargo xtask tidy` prints the findings.
//!
//! # Layout
//! - [`source`], [`manifest`], [`modules`], [`repo`]: what a rule looks at
//! - [`layers`], [`habits`], [`primitives`], [`shape`], [`files`], [`dependencies`], [`docs`]: the rules

pub(crate) mod dependencies;
pub(crate) mod docs;
pub(crate) mod files;
pub(crate) mod habits;
pub(crate) mod layers;
pub(crate) mod manifest;
pub(crate) mod modules;
pub(crate) mod primitives;
pub(crate) mod repo;
pub(crate) mod shape;
pub(crate) mod source;
pub(crate) mod words;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use repo::{File, Repo};

/// A place that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The file, from the root.
    pub(crate) path: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The rule and what to do instead.
    pub(crate) text: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.text)
    }
}

/// A rule: the repository in, what breaks it out.
pub(crate) type Rule = fn(&Repo) -> Vec<Finding>;

/// All rules, with their names.
pub(crate) const RULES: [(&str, Rule); 22] = [
    ("dependencies follow the table of layers", layers::dependencies_follow_the_table),
    ("the table of layers is drawn", layers::the_table_is_drawn),
    ("pure crates are pure", layers::pure_crates_are_pure),
    ("serde stays at the border", layers::serde_stays_at_the_border),
    ("one module prints", habits::one_module_prints),
    ("one function escapes", habits::one_function_escapes),
    ("few files start programs", habits::few_start_programs),
    ("no claim of a cause", habits::no_claim_of_a_cause),
    ("primitives exist once", primitives::primitives_exist_once),
    ("modules have docs", files::modules_have_docs),
    ("files are short", files::files_are_short),
    ("no foreign text", files::no_foreign_text),
    ("no dead files", files::no_dead_files),
    ("circles of files are small", shape::circles_are_small),
    ("impls of a type are together", shape::impls_are_together),
    ("dependencies are explained", dependencies::dependencies_are_explained),
    ("dependencies are shared", dependencies::dependencies_are_shared),
    ("links lead somewhere", docs::links_lead_somewhere),
    ("named tests exist", docs::named_tests_exist),
    ("sentences are plain", words::sentences_are_plain),
    ("sentences are short", words::sentences_are_short),
    ("names are terms", words::names_are_terms),
];

/// The directory above `xtask`.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_owned()
}

/// Every finding of every rule.
///
/// # Errors
/// When the repository cannot be read.
pub(crate) fn findings() -> std::io::Result<Vec<Finding>> {
    let repo = Repo::read(&root())?;
    Ok(RULES.iter().flat_map(|(_, rule)| rule(&repo)).collect())
}

fn finding(file: &File, line: usize, text: String) -> Finding {
    Finding { path: file.path.clone(), line, text }
}

/// Where code names one of `needles`, in its place or, where it is a path, by an import; each line once.
fn search<'a>(files: impl Iterator<Item = (&'a File, &'a str)>, needles: &[&str], instead: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, code) in files {
        let imports = source::imports(code);
        for needle in needles {
            // `use std::{fs, ..}` and, as `Duration as D`, a new name for it.
            let is_it = |import: &str| {
                let rest = import.strip_prefix(needle);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::") || rest.starts_with("as"))
            };
            let imported = imports.iter().filter(|(_, import)| is_it(import)).map(|(line, _)| *line);
            let lines: BTreeSet<usize> = source::lines_with(code, needle).into_iter().chain(imported).collect();
            findings.extend(lines.into_iter().map(|line| finding(file, line, format!("`{needle}`: {instead}"))));
        }
    }
    findings
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_rules;
