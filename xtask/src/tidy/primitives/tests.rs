use super::super::tests_of_rules::{check, repo};
use super::*;

const OWN: &str = "crates/nmax-log/src/lib.rs";

#[test]
fn private_copies_are_found() {
    // the copy as somebody writes it, and the line that shows it
    let copies = [
        ("fn f(byte: u8) -> String {\n format!(\"%{byte:02X}\")\n}", 2),
        ("fn f(b: &[u8]) {\n if b[0] == b'%' {\n  let n = u8::from_str_radix(d, 16);\n }\n}", 2),
        ("fn f(b: &[u8]) {\n match b[0] {\n  b'%' => char::from(b[1]).to_digit(16),\n }\n}", 3),
        ("const D: &[u8] = b\"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_\";", 1),
        ("\nfn edit_distance(one: &str, two: &str) -> usize { 0 }", 2),
        ("fn f(day: i64) -> i64 {\n day / 146_097\n}", 2),
        ("fn f(z: u64) -> u64 {\n z * 0xBF58_476D_1CE4_E5B9\n}", 2),
        ("fn f(cell: &str) -> String {\n cell.replace('\"', \"\\\"\\\"\")\n}", 2),
        ("fn f(cell: &str) -> bool { cell.starts_with(['=', '+']) }", 1),
        ("fn f(c: char) {\n match c {\n  '&' => \"&amp;\",\n  '<' => \"&lt;\",\n }\n}", 3),
        ("fn f(n: usize) {\n if n.is_multiple_of(3) {\n  text.push(',');\n }\n}", 2),
        ("fn f(t: &str) -> &str { t.trim_end_matches('0').trim_end_matches('.') }", 1),
        ("const BARS: [char; 2] = ['▁', '▂'];", 1),
        ("fn ln_gamma(x: f64) -> f64 { x }", 1),
        ("fn f(url: &str) {\n url.split_once(\"://\");\n}", 2),
    ];
    for (text, line) in copies {
        check(primitives_exist_once, OWN, text, Some(line));
        check(primitives_exist_once, OWN, &format!("#[cfg(test)]\nmod tests {{\n{text}\n}}"), None);
        check(primitives_exist_once, "crates/nmax-log/tests/it/main.rs", text, None);
    }
}

#[test]
fn what_only_looks_alike_is_fine() {
    for text in [
        "// 146_097 days, `split_once(\"://\")`",
        "fn f(byte: u8) -> bool { byte == b'%' }",
        "fn f(n: usize) -> bool { n.is_multiple_of(3) }",
        "fn f(text: &str) -> bool { text.contains(\"://\") }",
    ] {
        check(primitives_exist_once, OWN, text, None);
    }
}

#[test]
fn exceptions_have_a_reason_that_holds() {
    let found = |text: &str| {
        let root = ("crates/nmax-data/src/lib.rs", "mod choice;");
        primitives_exist_once(&repo(&[root, ("crates/nmax-data/src/choice.rs", text)])).len()
    };
    assert_eq!(found("const A: u64 = 0xbf58_476d_1ce4_e5b9;"), 0);
    assert_eq!(found("const A: u64 = 1;"), 1, "an exception that nothing needs");
    for primitive in &PRIMITIVES {
        assert!(primitive.allowed.iter().all(|(_, reason)| !reason.is_empty()), "{}", primitive.instead);
    }
}
