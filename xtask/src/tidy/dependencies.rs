//! Rules about dependencies: each is shared, used and explained, and the core stays light.

use super::manifest::Manifest;
use super::repo::Repo;
use super::{Finding, finding};

/// Where dependencies are explained.
pub(crate) const TABLE: &str = "docs/dependencies.md";

/// Every dependency of the workspace has its row in [`TABLE`], and every row its dependency.
pub(crate) fn dependencies_are_explained(repo: &Repo) -> Vec<Finding> {
    let (Some(workspace), Some(table)) = (repo.file("Cargo.toml"), repo.file(TABLE)) else {
        return vec![Finding {
            path: TABLE.to_owned(),
            line: 1,
            text: "Cargo.toml or the table is missing".to_owned(),
        }];
    };
    let manifest = Manifest::parse(&workspace.text);
    let third: Vec<_> = third_party(&manifest).collect();
    let mut findings = Vec::new();
    for (name, line) in &third {
        if !table.text.lines().any(|row| row.starts_with(&format!("| `{name}` |"))) {
            let text = format!("{name} has no row in {TABLE}; say why, its cost and the alternative");
            findings.push(finding(workspace, *line, text));
        }
    }
    for (number, row) in table.text.lines().enumerate() {
        let name = row.strip_prefix("| `").and_then(|row| row.split_once("` |"));
        if let Some((name, _)) = name.filter(|(name, _)| !third.iter().any(|(known, _)| known == name)) {
            findings.push(finding(table, number + 1, format!("{name} is not a dependency of the workspace any more")));
        }
    }
    findings
}

/// Versions are said once, in the workspace; every shared dependency has a user; lints apply everywhere.
pub(crate) fn dependencies_are_shared(repo: &Repo) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut used = Vec::new();
    for (_, file, manifest) in repo.manifests() {
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for entry in manifest.section(section) {
                used.push(entry.key.clone());
                if !entry.rest.is_empty() && !entry.rest.replace(' ', "").contains("workspace=true") {
                    let text = format!("{}: write `workspace = true`; its version stands in Cargo.toml", entry.key);
                    findings.push(finding(file, entry.line, text));
                }
            }
        }
        if !manifest.section("lints").any(|entry| entry.key == "workspace") {
            findings.push(finding(file, 1, "add `[lints]` with `workspace = true`".to_owned()));
        }
    }
    if let Some(workspace) = repo.file("Cargo.toml") {
        let manifest = Manifest::parse(&workspace.text);
        for (name, line) in third_party(&manifest).filter(|(name, _)| !used.contains(name)) {
            findings.push(finding(workspace, line, format!("no crate uses {name}; remove it")));
        }
    }
    findings
}

/// The crates of others in the output of `cargo tree --prefix none`, without this workspace's own, each once.
#[cfg(test)]
pub(crate) fn third_party_of_tree(tree: &str) -> Vec<String> {
    let names = tree.lines().filter(|line| !line.contains("(/")).filter_map(|line| line.split(' ').next());
    let mut names: Vec<String> = names.filter(|name| !name.is_empty()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// Name and line of each dependency that is not a crate of this workspace.
fn third_party(manifest: &Manifest) -> impl Iterator<Item = (String, usize)> {
    let shared = manifest.section("workspace.dependencies");
    let third = shared.filter(|entry| !entry.key.starts_with("nmax-"));
    third.map(|entry| (entry.key.clone(), entry.line))
}

#[cfg(test)]
mod tests;
