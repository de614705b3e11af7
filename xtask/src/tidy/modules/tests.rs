use super::*;
use crate::tidy::tests_of_rules::repo;

#[test]
fn only_the_product_is_product() {
    let files = repo(&[
        ("crates/a/src/lib.rs", "mod b;\n#[cfg(test)]\nmod testing;\n#[cfg(test)]\n#[path = \"odd.rs\"]\nmod c;"),
        ("crates/a/src/b.rs", "#[cfg(test)]\nmod tests;"),
        ("crates/a/src/b/tests.rs", ""),
        ("crates/a/src/odd.rs", ""),
        ("crates/a/src/testing.rs", ""),
        ("crates/a/tests/it/main.rs", ""),
    ])
    .files;
    let product: Vec<String> = reached(&files, Build::Product).into_iter().collect();
    assert_eq!(product, ["crates/a/src/b.rs", "crates/a/src/lib.rs"]);
    assert_eq!(reached(&files, Build::All).len(), files.len());
}
