use super::*;
use crate::tidy::tests_of_rules::repo;

const WORKSPACE: &str = "[workspace.dependencies]\nnmax-plan = { path = \"p\" }\ntokio = \"1\"\n\"serde\" = \"1\"\n";

#[test]
fn unexplained_and_stale_dependencies_are_found() {
    let lines = |table: &str| -> Vec<(String, usize)> {
        let found = dependencies_are_explained(&repo(&[("Cargo.toml", WORKSPACE), (TABLE, table)]));
        found.into_iter().map(|finding| (finding.path, finding.line)).collect()
    };
    assert_eq!(lines("| `tokio` | why |\n| `serde` | why |"), []);
    assert_eq!(lines("| `tokio` | why |"), [("Cargo.toml".to_owned(), 4)]);
    let stale = lines("| `tokio` | why |\n| `serde` | why |\n| `gone` | why |");
    assert_eq!(stale, [(TABLE.to_owned(), 3)]);
    assert_eq!(dependencies_are_explained(&repo(&[("Cargo.toml", WORKSPACE)])).len(), 1, "no table");
}

#[test]
fn unshared_and_unused_dependencies_are_found() {
    let lines = |manifest: &str| -> Vec<(String, usize)> {
        let manifest = format!("{manifest}\n[lints]\nworkspace = true");
        let found = dependencies_are_shared(&repo(&[("Cargo.toml", WORKSPACE), ("crates/a/Cargo.toml", &manifest)]));
        found.into_iter().map(|finding| (finding.path, finding.line)).collect()
    };
    let own = |line: usize| ("crates/a/Cargo.toml".to_owned(), line);
    assert_eq!(lines("[dependencies]\ntokio.workspace = true\n[dev-dependencies]\nserde = { workspace = true }"), []);
    assert_eq!(lines("[dependencies]\ntokio = \"1\"\nserde.workspace = true"), [own(2)]);
    assert_eq!(lines("[dependencies]\ntokio.workspace = true"), [("Cargo.toml".to_owned(), 4)], "unused");
    let bare = repo(&[("crates/a/Cargo.toml", "[package]\n")]);
    assert_eq!(dependencies_are_shared(&bare).len(), 1, "no lints");
}

#[test]
fn trees_are_counted() {
    let tree = "nmax-analysis v0.1.0 (/here/crates/nmax-analysis)\nb v1.0.0\na v2.0.0\nb v1.0.0 (*)\n\n";
    assert_eq!(third_party_of_tree(tree), ["a", "b"]);
}
