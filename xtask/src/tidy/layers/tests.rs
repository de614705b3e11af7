use super::*;
use crate::tidy::tests_of_rules::{check, repo};

#[test]
fn a_foreign_dependency_is_found() {
    let manifest = |text: &str| text.to_owned();
    // path                              manifest                                             line found
    let cases = [
        ("crates/nmax-plan/Cargo.toml", "[dependencies]\ntokio.workspace = true", Some(2)),
        ("crates/nmax-plan/Cargo.toml", "[dependencies]\nthiserror.workspace = true", None),
        ("crates/nmax-plan/Cargo.toml", "[dependencies.nmax-engine]\nworkspace = true", Some(1)),
        ("crates/nmax-plan/Cargo.toml", "[target.'cfg(unix)'.dependencies]\nrustix = \"1\"", Some(2)),
        ("crates/nmax-plan/Cargo.toml", "[build-dependencies]\nregex = \"1\"", Some(2)),
        ("crates/nmax-plan/Cargo.toml", "[dev-dependencies]\nproptest.workspace = true", None),
        ("crates/nmax-plan/Cargo.toml", "[dev-dependencies]\ntokio.workspace = true", Some(2)),
        ("crates/nmax-http/Cargo.toml", "[dev-dependencies]\nrcgen.workspace = true", None),
        ("crates/nmax-http/Cargo.toml", "[dependencies]\nnmax-plan.workspace = true", Some(2)),
        ("crates/nmax-engine/Cargo.toml", "[dependencies]\nnmax-store.workspace = true", Some(2)),
        ("crates/nmax-novel/Cargo.toml", "[package]\n", Some(1)),
    ];
    for (path, text, want) in cases {
        check(dependencies_follow_the_table, path, &manifest(text), want);
    }
}

#[test]
fn a_table_that_points_outwards_is_found() {
    let row = |name, layer, own| Row { name, layer, own, third: "" };
    let pure = row("nmax-a", Layer::Pure, "");
    let shell = row("nmax-b", Layer::Shell, "a");
    let program = row("nmax-d", Layer::Program, "b");
    let problems = |table: &[Row]| table_points_inwards(table).len();
    assert_eq!(problems(&[pure, shell, program]), 0);
    assert_eq!(problems(&[shell, pure]), 1, "below");
    assert_eq!(problems(&[pure]), 0);
    assert_eq!(problems(&[shell]), 1, "no row");
    assert_eq!(problems(&[pure, shell, row("nmax-c", Layer::Pure, "b")]), 1, "a pure crate knows a shell");
    assert_eq!(problems(&[pure, shell, program, row("nmax-e", Layer::Shell, "d")]), 1, "a shell knows a program");
}

#[test]
fn impure_code_is_found() {
    let path = "crates/nmax-plan/src/lib.rs";
    let cases = [
        ("use std::fs;", Some(1)),
        ("\nuse std::{fmt, time::{Duration, Instant}};", Some(2)),
        ("use std::time::SystemTime as Now;", Some(1)),
        ("fn f() { std::fs::read(\"a\"); }", Some(1)),
        ("fn f() {\n std::env::var(\"A\"); }", Some(2)),
        ("fn f() { tokio::spawn(async {}); }", Some(1)),
        ("fn f() { rand::rng(); }", Some(1)),
        ("use std::time::Duration;", None),
        ("//! Not `std::fs`.\nconst A: &str = \"std::net\";", None),
        ("#[cfg(test)]\nmod tests { use std::fs; }", None),
        ("use std::fmt;", None),
    ];
    for (text, want) in cases {
        check(pure_crates_are_pure, path, text, want);
    }
    check(pure_crates_are_pure, "crates/nmax-store/src/lib.rs", "use std::fs;", None);
    check(pure_crates_are_pure, "crates/nmax-plan/tests/it/main.rs", "use std::fs;", None);
}

#[test]
fn serde_inside_is_found() {
    let text = "\n#[derive(Serialize)]\nstruct A;";
    check(serde_stays_at_the_border, "crates/nmax-metrics/src/lib.rs", text, Some(2));
    check(serde_stays_at_the_border, "crates/nmax-engine/src/lib.rs", "use serde::Serialize;", Some(1));
    check(serde_stays_at_the_border, "crates/nmax-store/src/lib.rs", text, None);
    check(serde_stays_at_the_border, "crates/nmax-report/src/lib.rs", "use serde_json::Value;", None);
}

#[test]
fn a_finding_names_place_and_rule() {
    let repo = repo(&[("crates/nmax-plan/Cargo.toml", "[dependencies]\ntokio = \"1\"")]);
    let text = dependencies_follow_the_table(&repo)[0].to_string();
    assert!(text.starts_with("crates/nmax-plan/Cargo.toml:2: nmax-plan must not know tokio"), "{text}");
}
