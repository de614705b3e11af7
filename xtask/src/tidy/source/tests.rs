use super::*;

#[test]
fn code_keeps_code_and_lines() {
    // text                                        what stays (blanks squeezed)           why this row
    let cases = [
        ("a(); // b()\nc();", "a(); c();", "line comments"),
        ("a(); /* b() /* c() */ d() */ e();", "a(); e();", "block comments nest"),
        ("a(\"// b\", 'c', b\"d\");", "a( , , );", "strings and characters"),
        ("a(r#\"b \" c\"#, \"\\\"d\", '\\'');", "a( , , );", "raw strings and escapes"),
        ("fn a<'b>(c: &'b str) {}", "fn a<'b>(c: &'b str) {}", "lifetimes are not characters"),
        ("let é = r#type + crab;", "let é = r#type + crab;", "names that look like prefixes"),
        ("//! use x;\nuse y;", "use y;", "doc comments"),
    ];
    for (text, want, why) in cases {
        let got = code(text);
        assert_eq!(got.len(), text.len(), "{why}");
        assert_eq!(got.lines().count(), text.lines().count(), "{why}");
        assert_eq!(got.split_whitespace().collect::<Vec<_>>().join(" "), want, "{why}");
    }
}

#[test]
fn tests_are_left_out() {
    let text =
        "a();\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n  fn b() { c(); }\n}\nd();\n#[cfg(test)]\nmod tests;\ne();";
    let left = without_tests(&code(text));
    assert_eq!(left.split_whitespace().collect::<String>(), "a();d();e();");
    assert_eq!(lines_with(&left, "d()"), [7]);
}

#[test]
fn imports_are_expanded() {
    let text = "use std::{fs, time::{Instant, Duration as D}};\n\npub use self::a::*;\nfn reuse() {}";
    let want = [(1, "std::fs"), (1, "std::time::Instant"), (1, "std::time::DurationasD"), (3, "self::a::*")];
    let want: Vec<_> = want.map(|(line, path)| (line, path.to_owned())).into();
    assert_eq!(imports(text), want);
}

#[test]
fn names_are_whole() {
    assert_eq!(lines_with("unsafe_code\nunsafe {\nnot_unsafe", "unsafe"), [2]);
    assert_eq!(lines_with("eprintln!()\nprintln!()", "println!"), [2]);
    assert_eq!(lines_with("a.unwrap_or(b)\na.unwrap()", ".unwrap()"), [2]);
}
