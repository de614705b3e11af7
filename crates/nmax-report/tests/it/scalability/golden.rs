//! The text of a published data set, as a person sees it.

use nmax_report::terminal::Glyphs;

use super::*;

pub(crate) fn is_golden(name: &str, fresh: &str) {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, fresh).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == fresh, "stale: run the tests of nmax-report once with UPDATE=1\n{fresh}");
}

#[test]
fn text_of_memcached() {
    let view = fit("memcached 1.2.8", &published(MEMCACHED));
    is_golden("memcached-1.2.8.txt", &crate::written::text::fit(&view, plain(80), Glyphs::Unicode));
}

#[test]
fn text_of_cisco_in_ascii() {
    let view = fit("Cisco", &published(CISCO));
    let text = crate::written::text::fit(&view, plain(60), Glyphs::Ascii);
    assert!(text.is_ascii(), "{text}");
    is_golden("cisco-ascii.txt", &text);
}
