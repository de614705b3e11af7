use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

/// Characters that reach no terminal and no page as they are: controls, separators, annotations, and what Unicode calls
/// ignorable (Default_Ignorable_Code_Point of Unicode 16) but for what scripts and emoji need.
fn hidden() -> Vec<char> {
    let ignorable = [
        0xad..=0xad,
        0x34f..=0x34f,
        0x61c..=0x61c,
        0x115f..=0x1160,
        0x17b4..=0x17b5,
        0x180b..=0x180f,
        0x200b..=0x200f,
        0x202a..=0x202e,
        0x2060..=0x206f,
        0x3164..=0x3164,
        0xfe00..=0xfe0f,
        0xfeff..=0xfeff,
        0xffa0..=0xffa0,
        0xfff0..=0xfff8,
        0x1bca0..=0x1bca3,
        0x1d173..=0x1d17a,
        0xe0000..=0xe0fff,
    ];
    let needed = [0x17b4, 0x17b5, 0x180b, 0x180c, 0x180d, 0x180f, 0x200c, 0x200d];
    let is_needed = |code: &u32| needed.contains(code) || (0xfe00..=0xfe0f).contains(code);
    let others = [0..=0x1f, 0x7f..=0x9f, 0x2028..=0x2029, 0xfff9..=0xfffb];
    let codes = ignorable.into_iter().flatten().filter(|code| !is_needed(code)).chain(others.into_iter().flatten());
    codes.filter_map(char::from_u32).collect()
}

#[test]
fn every_hidden_character_is_escaped_and_no_other() {
    let hidden: HashSet<char> = hidden().into_iter().collect();
    for c in (0..=0x10_ffff).filter_map(char::from_u32) {
        assert_eq!(is_hidden(c), hidden.contains(&c), "U+{:04X}", u32::from(c));
    }
    for (text, want) in [
        ("\u{1b}]0;title\u{7}", "\\u001b]0;title\\u0007"),
        ("a\u{202e}b\u{9b}31m\u{7f}", "a\\u202eb\\u009b31m\\u007f"),
        ("\u{e0041}", "\\udb40\\udc41"),
        ("a\r\n\tb\rc", "a\\r\\n\\tb\\rc"),
        ("Müller 日本 👩\u{200d}💻", "Müller 日本 👩\u{200d}💻"),
    ] {
        assert_eq!(shown(text), want, "{text:?}");
    }
    assert_eq!(shown_lines("a\r\n\tb\rc\u{85}\n"), "a\r\n\tb\\rc\\u0085\n");
}

/// A sequence that nmax itself writes is escaped when it comes with a text.
#[test]
fn only_colors_of_nmax_itself_are_sequences() {
    let own = Painted::inked("PASS", Ink::Good, true);
    assert_eq!(&*own, "\u{1b}[1;32mPASS\u{1b}[0m");
    let theirs = own.to_string();
    for painted in [
        Painted::from(theirs.as_str()),
        Painted::from(theirs.clone()),
        Painted::from(format_args!("{own}")),
        Painted::default() + theirs.as_str(),
        Painted::inked(&theirs, Ink::Plain, true),
    ] {
        assert_eq!(&*painted, "\\u001b[1;32mPASS\\u001b[0m");
    }
    let inside = Painted::inked(&theirs, Ink::Bad, true);
    assert_eq!(inside.matches('\u{1b}').count(), 2, "{inside:?}");
    assert_eq!(&*Painted::inked("PASS", Ink::Good, false), "PASS");
    assert_eq!(&*own.mapped(|c| if c == 'P' { '\u{1b}' } else { c.to_ascii_lowercase() }), "\u{1b}[1;32mPass\u{1b}[0m");
}

#[test]
fn help_keeps_its_styles_and_nothing_else() {
    let help = Painted::help("\u{1b}[1m\u{1b}[4mUsage:\u{1b}[0m nmax \u{1b}[2J\u{1b}]0;x\u{7} \u{1b}[");
    assert_eq!(&*help, "\u{1b}[1m\u{1b}[4mUsage:\u{1b}[0m nmax \\u001b[2J\\u001b]0;x\\u0007 \\u001b[");
}

proptest! {
    /// Whatever the text, nothing hidden is left; what was escaped once is not escaped again.
    #[test]
    fn nothing_hidden_is_left(text in any::<String>(), hidden in prop::sample::select(hidden())) {
        let text = format!("{text}{hidden}{text}");
        let line = shown(&text);
        prop_assert!(!line.contains(is_hidden), "{line:?}");
        prop_assert_eq!(shown(&line), line.clone());
        let lines = Painted::from(text.as_str());
        prop_assert!(!lines.replace("\r\n", "").contains(|c| is_hidden(c) && c != '\n' && c != '\t'), "{lines:?}");
        prop_assert_eq!(lines.matches('\n').count(), text.matches('\n').count());
    }
}
