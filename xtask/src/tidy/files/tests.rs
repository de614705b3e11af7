use super::*;
use crate::tidy::tests_of_rules::{check, repo};

#[test]
fn modules_without_docs_are_found() {
    check(modules_have_docs, "crates/a/src/lib.rs", "use b;\n//! late", Some(1));
    check(modules_have_docs, "crates/a/src/lib.rs", "", Some(1));
    check(modules_have_docs, "crates/a/src/lib.rs", "/// Of the next item.\nfn f() {}", Some(1));
    check(modules_have_docs, "crates/a/src/lib.rs", "#![no_std]\n\n//! For b.\nfn f() {}", None);
    check(modules_have_docs, "crates/a/tests/it/main.rs", "use b;", None);
}

#[test]
fn long_files_are_found() {
    check(files_are_short, "crates/a/src/lib.rs", &"\n".repeat(LINES_MAX), None);
    check(files_are_short, "crates/a/src/lib.rs", &"\n".repeat(LINES_MAX + 1), Some(LINES_MAX));
}

#[test]
fn foreign_text_is_found() {
    for (text, _) in FOREIGN {
        check(no_foreign_text, "docs/a.md", &format!("first\nsee {text}b"), Some(2));
        check(no_foreign_text, "Cargo.lock", &format!("first\nsee {text}b"), None);
    }
    check(no_foreign_text, "docs/a.md", "the work/home balance is to do", None);
}

#[test]
fn files_that_nobody_names_are_found() {
    let dead = |files: &[(&str, &str)]| -> Vec<String> {
        no_dead_files(&repo(files)).into_iter().map(|finding| finding.path).collect()
    };
    let good = [
        ("crates/a/src/lib.rs", "pub mod b;\n#[cfg(test)] mod tests;\n#[path = \"odd/../else.rs\"]\nmod c;"),
        ("crates/a/src/b.rs", "mod d;"),
        ("crates/a/src/b/d/mod.rs", "pub(crate) mod e;"),
        ("crates/a/src/b/d/e.rs", ""),
        ("crates/a/src/else.rs", ""),
        ("crates/a/src/tests.rs", ""),
        ("crates/a/tests/it/main.rs", "mod cases;"),
        ("crates/a/tests/it/cases.rs", ""),
        ("crates/a/build.rs", ""),
        ("xtask/src/main.rs", ""),
    ];
    assert_eq!(dead(&good), [""; 0]);
    let mut bad = good;
    bad[1].1 = "// mod d;";
    assert_eq!(dead(&bad), ["crates/a/src/b/d/mod.rs", "crates/a/src/b/d/e.rs"]);
    assert_eq!(dead(&[("crates/a/src/lib.rs", ""), ("crates/a/src/b.rs", "mod b;")]), ["crates/a/src/b.rs"]);
    assert_eq!(dead(&[("crates/a/tests/it/cases.rs", "")]), ["crates/a/tests/it/cases.rs"]);
}
