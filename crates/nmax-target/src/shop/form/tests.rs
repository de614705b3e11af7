use proptest::prelude::*;

use super::*;

#[test]
fn decodes_fields() {
    let form = decode("a=1&b=x+y%21&&c&a=2&d=%zz%4&e=%C3%A4");
    let cases = [
        ("a", Some("1"), "the first of two"),
        ("b", Some("x y!"), "plus and escape"),
        ("c", Some(""), "no value"),
        ("d", Some("%zz%4"), "broken escapes stay"),
        ("e", Some("ä"), "UTF-8"),
        ("f", None, "absent"),
    ];
    for (name, want, why) in cases {
        assert_eq!(form.get(name), want, "{why}");
    }
}

proptest! {
    /// Law: decoding what was escaped byte by byte returns it.
    #[test]
    fn unescape_inverts_escape(text in "\\PC{0,30}") {
        let escaped: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let form = decode(&format!("q={escaped}"));
        prop_assert_eq!(form.get("q"), Some(text.as_str()));
    }
}
