use super::*;
use crate::tidy::tests_of_rules::repo;

#[track_caller]
fn finds(rule: fn(&Repo) -> Vec<Finding>, files: &[(&str, &str)], want: &[usize]) {
    let lines: Vec<usize> = rule(&repo(files)).iter().map(|finding| finding.line).collect();
    assert_eq!(lines, want, "{files:?}");
}

#[test]
fn links_that_lead_nowhere_are_found() {
    let page = |text: &str, want: &[usize]| {
        let files = [
            ("README.md", "# One page\n\n```sh\n# Not a heading\n```\n## What it (not) does: a `b`"),
            ("docs/how-to/a.md", text),
            ("docs/how-to/b.md", "# B"),
            ("examples/shop/open.yaml", ""),
        ];
        finds(links_lead_somewhere, &files, want);
    };
    page("[b](b.md), [up](../../README.md) and [shop](../../examples/shop)", &[]);
    page("[b](b.md#b), [up](../../README.md#what-it-not-does-a-b), [far](https://a.test/c.md)", &[]);
    page("first\n[c](c.md) and [b](b.md)", &[2]);
    page("[b](../b.md)", &[1]);
    page("[out](../../../b.md)", &[1]);
    page("[b](b.md#c)", &[1]);
    page("# A\n[here](#a)\n[gone](#b)", &[3]);
    page("[up](../../README.md#not-a-heading)", &[1]);
    page("```text\n[c](c.md)\n```\n[c](c.md)", &[4]);
}

#[test]
fn tests_that_do_not_exist_are_found() {
    let code = "#[test]\n/// Law.\nfn one() {}\n#[tokio::test]\nasync fn two() {}\nfn helper() {}\n\
                proptest! {\n    #[test]\n    fn three(a in 0..9) {}\n}\n// #[test]\nfn four() {}\nconst A: &str = \"#[test] fn five()\";";
    let page = |path: &str, cell: &str, want: &[usize]| {
        let text = format!("# A\n\n| trap | `gone` | tests |\n|---|---|---|\n| `gone` | | {cell} |\n\n`gone`\n");
        let files = [("crates/nmax-a/src/tests.rs", code), ("xtask/src/main.rs", "#[test] fn six() {}"), (path, &text)];
        finds(named_tests_exist, &files, want);
    };
    let methods = "docs/methods/a.md";
    page(methods, "`one`, `two`, `three` (nmax-a); `six` (xtask)", &[]);
    page(methods, "none", &[]);
    for gone in ["`helper` (nmax-a)", "`four` (nmax-a)", "`five` (nmax-a)", "`on` (nmax-a)", "`one` (xtask)"] {
        page(methods, gone, &[5]);
    }
    page(methods, "`one` (nmax-a), `two`", &[5]);
    page("docs/how-to/a.md", "`gone` (nmax-a)", &[]);
}

#[test]
fn tests_that_sentences_name_are_looked_for() {
    let sentence = |text: &str, want: &[usize]| {
        let files = [("crates/nmax-a/src/tests.rs", "#[test]\nfn one() {}\n"), ("docs/methods/a.md", text)];
        finds(named_tests_exist, &files, want);
    };
    sentence("It is `so`. Tests: `one` (nmax-a). And `more`\n", &[1]);
    sentence("It is `so`. Tests: `one` (nmax-a). And more.\n", &[]);
    sentence("\nTests: `gone`, `one` (nmax-a).\n", &[2]);
    sentence("Tests: none of `these`\n", &[]);
}
