//! Escapes are undone; what is none stays.

use proptest::prelude::*;

use super::*;

fn undone(undo: impl Fn(&[u8], &mut Vec<u8>), text: &str) -> String {
    let mut out = b"before ".to_vec();
    undo(text.as_bytes(), &mut out);
    String::from_utf8_lossy(out.strip_prefix(b"before ").expect("it only appends")).into_owned()
}

#[test]
fn backslashes_by_cases() {
    let cases = [
        (r#"a\"b\"\\c"#, r#"a"b"\c"#),
        (r"\x22\xC3\xa4", "\"ä"),
        (r"\t\n\r\/", "\t\n\r/"),
        (r"\u00e4\u0022\ud83d\ude00", "ä\"😀"),
        (r"\ud83d!", "\u{fffd}!"),
        (r"\x2 \xzz \u12 \q", r"\x2 \xzz \u12 \q"),
        ("\\", "\\"),
    ];
    for (text, want) in cases {
        assert_eq!(undone(backslashes, text), want, "{text}");
    }
}

#[test]
fn percents_and_pluses_and_hashes() {
    assert_eq!(undone(percents, "Mozilla/5.0%20(X11;%22)%"), "Mozilla/5.0 (X11;\")%");
    assert_eq!(undone(percents, "Mozilla/5.0%2520(X11;%2522)"), "Mozilla/5.0 (X11;\")", "twice");
    assert_eq!(undone(pluses, "a+b++"), "a b  ");
    assert_eq!(undone(hashes, "#22q#22 #7C#zz #2"), "\"q\" |#zz #2");
}

proptest! {
    /// Law: `%hh` of all bytes comes back, whatever they are, once and twice.
    #[test]
    fn percents_come_back(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let once: String = bytes.iter().map(|byte| format!("%{byte:02X}")).collect();
        let mut out = Vec::new();
        percents(once.as_bytes(), &mut out);
        if !bytes.windows(3).any(|window| window == b"%20") {
            prop_assert_eq!(out, bytes);
        }
    }
}
