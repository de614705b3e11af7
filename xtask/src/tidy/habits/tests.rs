use super::*;
use crate::tidy::tests_of_rules::check;

const LIBRARY: &str = "crates/nmax-engine/src/lib.rs";
const PROGRAM: &str = "crates/nmax/src/main.rs";

#[test]
fn printing_is_found() {
    let print = one_module_prints;
    check(print, LIBRARY, "fn f() {\n println!(\"a\");\n}", Some(2));
    check(print, LIBRARY, "fn f() { dbg!(1); }", Some(1));
    check(print, PROGRAM, "fn f() { eprint!(\"a\"); }", Some(1));
    check(print, PROGRAM, "fn f() {\n std::io::stdout().write_all(b\"a\");\n}", Some(2));
    check(print, PROGRAM, "fn f() { writeln!(io::stderr(), \"a\"); }", Some(1));
    check(print, PROGRAM, "fn f() { io::stdout().is_terminal() && tcgetwinsize(io::stderr()) }", None);
    check(print, PROGRAM, r#"fn f() { say::note("\x1b[31m") }"#, Some(1));
    check(print, LIBRARY, r#"fn f() -> &str { "\u{1b}[31m" }"#, Some(1));
    check(print, "crates/nmax/src/say.rs", r#"fn f() { io::stdout().write("\x1b[31m") }"#, None);
    check(print, "crates/nmax-engine/tests/it/main.rs", "fn f() { println!(\"a\"); }", None);
    check(print, LIBRARY, "//! println!()\nfn f() { writeln!(a); my_println!(); }", None);
}

#[test]
fn a_second_escaping_is_found() {
    let escape = one_function_escapes;
    check(escape, LIBRARY, "fn f() {\n a.escape_debug()\n}", Some(2));
    check(escape, PROGRAM, "fn f() { a.chars().map(|c| if c.is_control() { ' ' } else { c }) }", Some(1));
    check(escape, PROGRAM, "fn f() { match c {\n c if c.is_control() => b,\n c => c } }", Some(2));
    check(escape, PROGRAM, "fn f() {\n match c { c if nmax_text::is_hidden(c) => b, c => c } }", Some(2));
    check(escape, PROGRAM, "use nmax_text::{Ink, is_hidden};", Some(1));
    check(escape, LIBRARY, "fn f() { a.contains(|c: char| c.is_control()) }", None);
    check(escape, "crates/nmax-text/src/lib.rs", "fn f() { a.escape_debug() }", None);
}

#[test]
fn programs_that_are_started_are_found() {
    check(few_start_programs, LIBRARY, "use std::process::Command;\nfn f() { Command::new(\"sh\"); }", Some(1));
    check(few_start_programs, LIBRARY, "use std::process::{Child, Command};", Some(1));
    check(few_start_programs, LIBRARY, "fn f() {\n std::process::Command::new(a)\n}", Some(2));
    check(
        few_start_programs,
        LIBRARY,
        "use std::process::{ExitCode, Stdio};\nfn f() { clap::Command::new(\"a\"); }",
        None,
    );
    check(few_start_programs, LIBRARY, "#[cfg(test)]\nmod tests {\n use std::process::Command;\n}", None);
    check(few_start_programs, "crates/nmax-engine/tests/it/main.rs", "use std::process::Command;", None);
    STARTING.iter().for_each(|path| check(few_start_programs, path, "use std::process::Command;", None));
}

#[test]
fn claims_of_a_cause_are_found() {
    let claim = |between: &str| format!("A disk is\nthe Root{between}cause of it.");
    check(no_claim_of_a_cause, "docs/methods/suspects.md", &claim(" "), Some(2));
    check(no_claim_of_a_cause, LIBRARY, &claim("-"), Some(2));
    check(no_claim_of_a_cause, LIBRARY, &claim("\n"), Some(2));
    check(no_claim_of_a_cause, LIBRARY, "// the root of it is the cause", None);
}
