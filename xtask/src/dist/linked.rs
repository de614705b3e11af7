//! The crates that are in the programs: no build script, no procedural macro, no test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::facts::{Facts, output};

/// A crate in a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) version: String,
    /// SPDX expression.
    pub(super) license: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) repository: Option<String>,
    /// Whether it is of this workspace.
    pub(super) is_own: bool,
    /// Its sources on this machine.
    pub(super) folder: PathBuf,
    /// SHA-256 of its package in the registry, from `Cargo.lock`.
    pub(super) checksum: Option<String>,
    /// Names and versions of the crates that it uses, those in the programs only.
    pub(super) uses: Vec<(String, String)>,
}

type Key = (String, String);

/// The crates in these programs, sorted by name and version.
pub(super) fn crates(root: &Path, facts: &Facts, programs: &[&str]) -> Result<Vec<Crate>, String> {
    let mut tree = vec!["tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none"];
    tree.extend(["--format", "{p}", "--target", &facts.target]);
    programs.iter().for_each(|program| tree.extend(["--package", program]));
    let linked = of_tree(&output(root, "cargo", &tree)?);
    let metadata = ["metadata", "--locked", "--format-version", "1", "--filter-platform", &facts.target];
    let metadata: Value = serde_json::from_str(&output(root, "cargo", &metadata)?)
        .map_err(|error| format!("`cargo metadata` printed no JSON: {error}"))?;
    let checksums = of_lock(&super::text(&root.join("Cargo.lock"))?);
    let crates = of_metadata(&metadata, &linked, &checksums);
    let found: BTreeSet<Key> = crates.iter().map(key).collect();
    match linked.difference(&found).next() {
        None => Ok(crates),
        Some((name, version)) => Err(format!("`cargo metadata` does not know {name} {version} of `cargo tree`")),
    }
}

fn key(one: &Crate) -> Key {
    (one.name.clone(), one.version.clone())
}

/// Lines such as `ahash v0.8.12` or `nmax v0.1.0 (/path)`.
fn of_tree(tree: &str) -> BTreeSet<Key> {
    let key = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
    };
    tree.lines().filter_map(key).collect()
}

/// Checksums of `Cargo.lock`.
fn of_lock(lock: &str) -> BTreeMap<Key, String> {
    let packages = lock.split("[[package]]").skip(1);
    let key = |package: &str| {
        let value = |name: &str| {
            let line = package.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "))?;
            Some(line.trim_matches('"').to_owned())
        };
        Some(((value("name")?, value("version")?), value("checksum")?))
    };
    packages.filter_map(key).collect()
}

fn of_metadata(metadata: &Value, linked: &BTreeSet<Key>, checksums: &BTreeMap<Key, String>) -> Vec<Crate> {
    let texts = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut by_id: BTreeMap<&str, Crate> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let (Some(id), Some(name), Some(version)) =
            (package["id"].as_str(), text(&package["name"]), text(&package["version"]))
        else {
            continue;
        };
        let key = (name, version);
        if !linked.contains(&key) {
            continue;
        }
        let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap_or_default());
        let one = Crate {
            license: text(&package["license"]).map(|license| license.replace('/', " OR ")),
            authors: texts(&package["authors"]),
            repository: text(&package["repository"]),
            is_own: package["source"].is_null(),
            folder: manifest.parent().unwrap_or(&manifest).to_owned(),
            checksum: checksums.get(&key).cloned(),
            name: key.0,
            version: key.1,
            uses: Vec::new(),
        };
        by_id.insert(id, one);
    }
    let mut crates = by_id.clone();
    for node in metadata["resolve"]["nodes"].as_array().into_iter().flatten() {
        let Some(one) = node["id"].as_str().and_then(|id| crates.get_mut(id)) else { continue };
        let is_linked =
            |edge: &&Value| edge["dep_kinds"].as_array().into_iter().flatten().any(|kind| kind["kind"].is_null());
        let edges = node["deps"].as_array().into_iter().flatten().filter(is_linked);
        one.uses = edges.filter_map(|edge| by_id.get(edge["pkg"].as_str()?).map(key)).collect();
        one.uses.sort();
        one.uses.dedup();
    }
    let mut crates: Vec<Crate> = crates.into_values().collect();
    crates.sort();
    crates
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys(list: &[(&str, &str)]) -> BTreeSet<Key> {
        list.iter().map(|(name, version)| ((*name).to_owned(), (*version).to_owned())).collect()
    }

    #[test]
    fn the_tree_names_crates_once() {
        let tree = "nmax v0.1.0 (/home/me/nmax)\na v1.0.0\nb v2.0.0+x (*)\n\na v1.0.0 (*)\n";
        assert_eq!(of_tree(tree), keys(&[("nmax", "0.1.0"), ("a", "1.0.0"), ("b", "2.0.0+x")]));
    }

    #[test]
    fn the_lock_has_checksums_of_what_others_made() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"r\"\nchecksum = \"ff\"\n\n\
                    [[package]]\nname = \"nmax\"\nversion = \"0.1.0\"\n";
        let want = (("a".to_owned(), "1.0.0".to_owned()), "ff".to_owned());
        assert_eq!(of_lock(lock).into_iter().collect::<Vec<_>>(), [want]);
    }

    #[test]
    fn what_is_only_built_with_is_left_out() {
        let package = |name: &str, source: Value| {
            json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "authors": ["me"],
                "repository": null, "source": source, "manifest_path": format!("/src/{name}/Cargo.toml") })
        };
        let edge = |to: &str, kind: Value| json!({ "pkg": to, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [package("nmax", Value::Null), package("b", json!("r")), package("macro", json!("r"))],
            "resolve": { "nodes": [
                { "id": "nmax", "deps": [edge("b", Value::Null), edge("macro", Value::Null)] },
                { "id": "b", "deps": [edge("nmax", json!("dev"))] },
            ] },
        });
        let linked = keys(&[("nmax", "1.0.0"), ("b", "1.0.0")]);
        let crates = of_metadata(&metadata, &linked, &BTreeMap::new());
        let seen: Vec<_> = crates.iter().map(|one| (one.name.as_str(), one.is_own, one.uses.len())).collect();
        assert_eq!(seen, [("b", false, 0), ("nmax", true, 1)]);
        assert_eq!(crates[0].license.as_deref(), Some("MIT OR Apache-2.0"));
        assert_eq!(crates[0].folder, Path::new("/src/b"));
    }
}
