use super::*;
use crate::tidy::tests_of_rules::repo;

const LIB: (&str, &str) = ("crates/a/src/lib.rs", "mod b;\nmod c;\nmod d;\npub use b::B;");

fn texts(found: Vec<Finding>) -> Vec<String> {
    found.into_iter().map(|finding| finding.text).collect()
}

#[test]
fn circles_of_three_are_found() {
    let ring = |d: &str| {
        let files = [
            LIB,
            ("crates/a/src/b.rs", "use crate::{c::C, d};\npub struct B;"),
            ("crates/a/src/c.rs", "struct C; fn f() { super::d::g() }"),
            ("crates/a/src/d.rs", d),
        ];
        texts(circles_are_small(&repo(&files)))
    };
    let want = ["a circle of 3 files; cut it: b -> c; c -> d; d -> b"];
    assert_eq!(ring("use crate::b::B;"), want);
    assert_eq!(ring("use super::b::{self, B};"), want);
    assert_eq!(ring("use crate::B;"), want, "a re-export is followed");
    assert_eq!(ring("fn g() { crate::b::B }"), want);
    assert_eq!(ring("use crate::b;"), [""; 0], "the module alone is not an item");
    assert_eq!(ring("// use crate::b::B;"), [""; 0]);
    assert_eq!(ring("#[cfg(test)]\nmod tests { use crate::b::B; }"), [""; 0]);
    assert_eq!(ring("use crate::c::C;"), [""; 0], "a pair is allowed");
}

#[test]
fn what_a_module_declares_is_for_those_below_it() {
    let files = [
        ("crates/a/src/lib.rs", "mod b;"),
        ("crates/a/src/b.rs", "mod c;\nmod d;\nstruct Shared; fn f() { c::g(); d::h() }"),
        ("crates/a/src/b/c.rs", "use super::Shared;"),
        ("crates/a/src/b/d.rs", "use super::Shared;"),
    ];
    assert_eq!(texts(circles_are_small(&repo(&files))), [""; 0]);
    let mut files = [
        ("crates/a/src/lib.rs", "mod b;\nmod c;\nstruct Shared; fn f() { b::g(); c::h() }"),
        ("crates/a/src/b.rs", "use crate::Shared;"),
        ("crates/a/src/c.rs", "use crate::Shared;"),
    ];
    assert_eq!(
        texts(circles_are_small(&repo(&files))),
        ["a circle of 3 files; cut it: lib -> b, c; b -> lib; c -> lib"]
    );
    let shared = ("crates/a/src/shared.rs", "pub(crate) struct Shared;");
    files[0].1 = "mod b;\nmod c;\nmod shared;\nuse shared::Shared; fn f() { b::g(); c::h() }";
    assert_eq!(texts(circles_are_small(&repo(&[&files[..], &[shared]].concat()))), [""; 0]);
}

#[test]
fn types_in_many_files_are_found() {
    let spread = |last: &str| {
        let files = [
            ("crates/a/src/lib.rs", "mod b;\nmod c;\nmod d;\nimpl<R: Fn() -> Vec<u8>> Vu<R> {}"),
            ("crates/a/src/b.rs", "impl Drop for Vu<'_> {}\nimpl Other {}"),
            ("crates/a/src/c.rs", "    impl fmt::Display for super::Vu {}"),
            ("crates/a/src/d.rs", last),
        ];
        texts(impls_are_together(&repo(&files)))
    };
    let paths = ["src/lib.rs", "src/b.rs", "src/c.rs", "src/d.rs"].map(|path| format!("crates/a/{path}")).join(", ");
    assert_eq!(spread("impl Vu<Real> {}"), [format!("`Vu` is implemented in 4 files: {paths}")]);
    assert_eq!(spread("struct Vu;\nimpl Vu {}").len(), 1, "the only declaration");
    for other in ["impl Vulcan {}", "// impl Vu {}", "fn f() -> impl Vu {}", "impl From<Vu> for Other {}"] {
        assert_eq!(spread(other), [""; 0], "{other}");
    }
}
