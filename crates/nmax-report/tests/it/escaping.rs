//! Nothing that comes from a server becomes markup, a formula or a control sequence.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nmax_report::terminal::Style;
use nmax_report::{csv, html, junit, terminal};
use nmax_text::{is_hidden, shown_lines};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

use crate::sample::{Run, Shape};

const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;]]>\u{1b}[31m\u{0}\u{202e}";

fn hostile(name: &str, text: &str) -> Run {
    let names = vec![name.to_owned(), "GET /".to_owned()];
    let mut run = Run::new(&Shape { names, hold_s: 3, rate_per_s: 10.0, text: text.to_owned(), ..Shape::default() });
    run.info.name = text.to_owned();
    run.info.note = text.to_owned();
    run.info.tags = vec![text.to_owned()];
    run.info.command = text.to_owned();
    run.info.plan_yaml = text.to_owned();
    run.info.machine = vec![(text.to_owned(), text.to_owned())];
    run.catalog.checks = vec![text.to_owned()];
    run.catalog.scenarios = vec![text.to_owned(), name.to_owned()];
    run.judgement.reasons[0].text = text.to_owned();
    run.judgement.thresholds[0].condition = text.to_owned();
    run.judgement.gates[0].text = text.to_owned();
    run.judgement.gates[0].holds = false;
    run.catalog.pages = vec![text.to_owned(), name.to_owned()];
    run.catalog.transitions = vec![format!("{text} -> {name}"), text.to_owned()];
    run.catalog.locations = vec![text.to_owned(), name.to_owned()];
    run.observed[0].name = text.to_owned();
    run.judgement.effects[0].text = text.to_owned();
    run.judgement.effects[0].happened.name = text.to_owned();
    run.judgement.effects[0].happened.error = Some(text.to_owned());
    if let Some(answer) = &mut run.judgement.answer {
        answer.headline = text.to_owned();
        answer.findings[0].text = text.to_owned();
    }
    if let Some(steadiness) = &mut run.judgement.steadiness {
        steadiness.text = text.to_owned();
    }
    for failure in &mut run.failures {
        failure.kind = text.to_owned();
        failure.scenario = text.to_owned();
    }
    run
}

/// Without the colors of nmax itself.
fn without_colors(text: &str) -> String {
    let mut plain = text.to_owned();
    for code in ["0", "1", "2", "1;32", "1;31", "1;33", "36"] {
        plain = plain.replace(&format!("\u{1b}[{code}m"), "");
    }
    plain
}

/// Tags of a text in their order; a `<` that is no tag, an unclosed tag or a wrong end is an error.
pub(crate) fn check_nesting(xml: &str, void: &[&str]) {
    let mut open = Vec::new();
    let mut rest = xml;
    while let Some(at) = rest.find('<') {
        let tag_and_rest = &rest[at + 1..];
        let end = tag_and_rest.find('>').expect("a tag ends");
        let tag = &tag_and_rest[..end];
        rest = &tag_and_rest[end + 1..];
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        assert!(
            name.starts_with(['?', '!']) || name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'),
            "tag <{tag}>"
        );
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes of <{tag}>");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "end of <{tag}>");
        } else if !tag.ends_with('/') && !tag.starts_with(['?', '!']) && !void.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
}

/// The page without its style, whose selectors hold `>`.
pub(crate) fn body(page: &str) -> String {
    let (head, rest) = page.split_once("<style>").unwrap();
    format!("{head}<style>{}", rest.split_once("</style>").map(|(_, rest)| format!("</style>{rest}")).unwrap())
}

/// A page without its style and its one script, which is the last thing in it, comes from nmax alone, and is the only one
/// that the content policy knows.
pub(crate) fn markup(page: &str) -> String {
    const SCRIPT: &str = include_str!("../../src/html/report.js");
    let end = format!("<script>{SCRIPT}</script></body></html>\n");
    let before = page.strip_suffix(&end).expect("the script of nmax, then the end");
    let hash = STANDARD.encode(Sha256::digest(SCRIPT));
    assert_eq!(page.matches("http-equiv").count(), 1, "one policy");
    assert!(
        before.contains(&format!(
            "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; "
        ))
    );
    body(&format!("{before}</body></html>\n"))
}

/// Every id of a page is there once, and every link leads to one of them.
pub(crate) fn check_links(page: &str) {
    let values = |attribute: &str| {
        let values = page.split(attribute).skip(1);
        values.map(|rest| rest.split('"').next().unwrap()).collect::<Vec<_>>()
    };
    let mut ids = values(" id=\"");
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "ids are unique");
    for link in values(" href=\"") {
        let target = link.strip_prefix('#').expect("links stay on the page");
        assert!(ids.binary_search(&target).is_ok(), "{link} leads nowhere");
    }
}

fn check_all(run: &Run) {
    let view = run.view();
    let page = html::page(&view);
    let lower = markup(&page).to_lowercase();
    assert!(
        !lower.contains("<script") && !lower.contains("<img") && !lower.contains("<iframe") && !lower.contains("<link")
    );
    check_nesting(&markup(&page), &["meta"]);
    check_links(&page);
    let xml = junit::xml(&view);
    check_nesting(&xml, &[]);
    let forbidden = |c: char| is_hidden(c) && !matches!(c, '\t' | '\n' | '\r');
    assert!(!xml.contains(forbidden) && !page.contains(forbidden));
    assert!(!csv::requests(&view).contains(forbidden));
    let table = terminal::table(&view, Style::default());
    assert!(!table.contains(|c: char| is_hidden(c) && c != '\n'), "{table:?}");
    // Colors are the only sequences, and there are no more of them than without hostile text.
    let colored = terminal::table(&view, Style { color: true, ..Style::default() });
    assert_eq!(without_colors(&colored), *table);
}

#[test]
fn hostile_text_stays_text() {
    let run = hostile(HOSTILE, HOSTILE);
    check_all(&run);
    let page = html::page(&run.view());
    assert!(page.contains("&lt;script&gt;alert(1)"), "it is still there to read");
    assert!(page.contains("\\u001b[31m\\u0000\\u202e"), "and what would hide is shown");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Law: any text at all leaves all outputs well-formed.
    #[test]
    fn any_text_is_escaped(name in any::<String>(), text in "[<>&\"'\\x00-\\x1f\\x7f-\\x9f`=/ a-z\u{2028}\u{202e}\u{2066}\u{61c}\u{fffe}日]{0,40}") {
        check_all(&hostile(&name, &text));
    }

    /// Law: a reader that knows RFC 4180 only gets the names back, and every row has the same number of cells.
    #[test]
    fn csv_reads_back(name in "[a-z\",\r\n 日]{1,20}") {
        let names = vec![name.clone()];
        let view = Run::new(&Shape { names, hold_s: 2, rate_per_s: 5.0, ..Shape::default() }).view();
        let rows = read_csv(&csv::requests(&view));
        prop_assert_eq!(rows.len(), 3);
        prop_assert!(rows.iter().all(|row| row.len() == rows[0].len()));
        let harmless = if name.starts_with('\r') { format!("'{name}") } else { name };
        prop_assert_eq!(&*rows[1][0], &*shown_lines(&harmless));
    }
}

#[test]
fn names_do_not_become_formulas() {
    let names = vec!["=cmd()".to_owned()];
    let view = Run::new(&Shape { names, hold_s: 2, rate_per_s: 5.0, ..Shape::default() }).view();
    assert!(csv::requests(&view).contains("\r\n'=cmd(),"));
}

pub(crate) fn read_csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {
                assert_eq!(rest.next(), Some('\n'));
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    assert!(cell.is_empty() && row.is_empty(), "the last line ends too");
    rows
}
