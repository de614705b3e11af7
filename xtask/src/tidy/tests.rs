//! The rules on this repository. Each has its bad examples in its own module's tests.

use std::process::Command;
use std::sync::LazyLock;

use super::*;

static REPO: LazyLock<Repo> = LazyLock::new(|| Repo::read(&root()).unwrap());

#[track_caller]
fn holds(rule: Rule) {
    assert!(REPO.product().count() > 20, "the repository was not found");
    let found: Vec<String> = rule(&REPO).iter().map(Finding::to_string).collect();
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
}

#[test]
fn dependencies_follow_the_table_of_layers() {
    holds(layers::dependencies_follow_the_table);
}

#[test]
fn the_table_of_layers_is_drawn() {
    holds(layers::the_table_is_drawn);
}

#[test]
fn the_table_of_layers_points_inwards() {
    assert_eq!(layers::table_points_inwards(layers::TABLE), [""; 0]);
}

#[test]
fn pure_crates_are_pure() {
    holds(layers::pure_crates_are_pure);
}

#[test]
fn primitives_exist_once() {
    holds(primitives::primitives_exist_once);
}

#[test]
fn serde_stays_at_the_border() {
    holds(layers::serde_stays_at_the_border);
}

#[test]
fn one_module_prints() {
    holds(habits::one_module_prints);
}

#[test]
fn one_function_escapes() {
    holds(habits::one_function_escapes);
}

#[test]
fn few_files_start_programs() {
    holds(habits::few_start_programs);
}

#[test]
fn modules_have_docs() {
    holds(files::modules_have_docs);
}

#[test]
fn files_are_short() {
    holds(files::files_are_short);
}

#[test]
fn no_foreign_text() {
    holds(files::no_foreign_text);
}

#[test]
fn no_dead_files() {
    holds(files::no_dead_files);
}

#[test]
fn dependencies_are_explained() {
    holds(dependencies::dependencies_are_explained);
}

#[test]
fn dependencies_are_shared() {
    holds(dependencies::dependencies_are_shared);
}

#[test]
fn links_lead_somewhere() {
    holds(docs::links_lead_somewhere);
}

#[test]
fn named_tests_exist() {
    holds(docs::named_tests_exist);
}

#[test]
fn sentences_are_plain() {
    holds(words::sentences_are_plain);
}

#[test]
fn sentences_are_short() {
    holds(words::sentences_are_short);
}

#[test]
fn names_are_terms() {
    holds(words::names_are_terms);
}

/// The judgement stays cheap to build: what `cargo check -p nmax-analysis` compiles of others.
///
/// Procedural macros run in the compiler and are not counted. A third of the crates come with `serde_json`, a quarter with
/// `regex`, by which the redactor that a plan carries knows the shapes of secrets.
#[test]
fn analysis_stays_light() {
    let arguments = ["tree", "--offline", "-p", "nmax-analysis", "-e", "normal,no-proc-macro", "--prefix", "none"];
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names = dependencies::third_party_of_tree(&String::from_utf8(output.stdout).unwrap());
    assert!(names.len() <= 20, "{} crates, 20 are allowed: {names:?}", names.len());
    assert!(names.iter().any(|name| name == "hdrhistogram"), "the tree was not understood: {names:?}");
}

#[test]
fn circles_of_files_are_small() {
    holds(shape::circles_are_small);
}

#[test]
fn impls_of_a_type_are_together() {
    holds(shape::impls_are_together);
}
