//! Where the text of a document may be cut before the tokenizer gets it, and how many attributes its tags have.
//!
//! The tokenizer compares each attribute with all before it in its tag, and says nothing before the tag ends. So tags
//! are measured here first, by the same rules (HTML, 13.2.5).

/// What a part of a document is to the tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Text, which it hands on at once.
    Text,
    /// A tag with so many attributes, which it hands on at the end.
    Tag(usize),
    /// A comment, or the like.
    Comment,
}

/// The part that begins at `at`, and where it ends. `raw` is the element whose end tag alone ends the text.
pub(super) fn part(html: &str, at: usize, raw: Option<&str>) -> (usize, Part) {
    let rest = &html[at..];
    let text = |from: usize| (at + rest[from..].find('<').map_or(rest.len(), |end| from + end), Part::Text);
    let bytes = rest.as_bytes();
    if bytes.first() != Some(&b'<') {
        return text(0);
    }
    let name_at = 1 + usize::from(bytes.get(1) == Some(&b'/'));
    if let Some(raw) = raw {
        let name = rest.get(2..2 + raw.len()).filter(|_| name_at == 2 && !raw.is_empty());
        let is_end = name.is_some_and(|name| name.eq_ignore_ascii_case(raw))
            && bytes.get(2 + raw.len()).is_some_and(|byte| is_blank(*byte) || matches!(byte, b'/' | b'>'));
        return if is_end { tag(html, at + 2) } else { text(1) };
    }
    match bytes.get(name_at) {
        Some(byte) if byte.is_ascii_alphabetic() => tag(html, at + name_at),
        _ if rest.starts_with("<!--") => (at + comment_end(rest), Part::Comment),
        Some(b'!' | b'?') => (at + rest.find('>').map_or(rest.len(), |end| end + 1), Part::Comment),
        Some(_) if name_at == 2 => (at + rest.find('>').map_or(rest.len(), |end| end + 1), Part::Comment),
        _ => text(1),
    }
}

/// Where a comment ends that `rest` begins with.
fn comment_end(rest: &str) -> usize {
    // `<!-->` and `<!--->` are comments too.
    let usual = rest[2..].find("-->").map(|at| 2 + at + 3);
    let odd = rest[4..usual.unwrap_or(rest.len()).max(4)].find("--!>").map(|at| 4 + at + 4);
    odd.or(usual).unwrap_or(rest.len())
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r')
}

/// The tag whose name begins at `at`. O(its length).
fn tag(html: &str, at: usize) -> (usize, Part) {
    let bytes = html.as_bytes();
    let find = |from: usize, is_end: &dyn Fn(u8) -> bool| {
        bytes[from..].iter().position(|byte| is_end(*byte)).map_or(bytes.len(), |length| from + length)
    };
    let mut at = find(at, &|byte| is_blank(byte) || matches!(byte, b'/' | b'>'));
    let mut attributes = 0;
    loop {
        at = find(at, &|byte| !is_blank(byte) && byte != b'/');
        match bytes.get(at) {
            None => return (bytes.len(), Part::Tag(attributes)),
            Some(b'>') => return (at + 1, Part::Tag(attributes)),
            Some(_) => {}
        }
        attributes += 1;
        // A name may begin with `=`.
        at = find(at + 1, &|byte| is_blank(byte) || matches!(byte, b'/' | b'>' | b'='));
        let value = find(at, &|byte| !is_blank(byte));
        if bytes.get(value) != Some(&b'=') {
            continue;
        }
        at = find(value + 1, &|byte| !is_blank(byte));
        at = match bytes.get(at) {
            Some(quote @ (b'"' | b'\'')) => (find(at + 1, &|byte| byte == *quote) + 1).min(bytes.len()),
            _ => find(at, &|byte| is_blank(byte) || byte == b'>'),
        };
    }
}

/// Words of a text that may turn out to be attributes: never fewer than there are.
pub(super) fn count_words(text: &str) -> usize {
    text.bytes().filter(|byte| is_blank(*byte) || matches!(byte, b'/' | b'"' | b'\'')).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_where_the_standard_says() {
        use Part::{Comment, Tag, Text};
        let cases: [(&str, Option<&str>, usize, Part); 19] = [
            ("ab<c>", None, 2, Text),
            ("< a<b>", None, 3, Text),
            ("<a>b", None, 3, Tag(0)),
            ("</a b>c", None, 6, Tag(1)),
            (r#"<a b="x>y" c='>'d=e/f>g"#, None, 22, Tag(3)),
            (r#"<a b="never closed> c"#, None, 21, Tag(1)),
            ("<a =b c = d>e", None, 12, Tag(2)),
            ("<a/b/c>d", None, 7, Tag(2)),
            ("<a b=>c", None, 6, Tag(1)),
            ("<!-- a > b --> c", None, 14, Comment),
            ("<!--> b", None, 5, Comment),
            ("<!---> b", None, 6, Comment),
            ("<!-- a --!> b --> c", None, 11, Comment),
            ("<!-- a", None, 6, Comment),
            ("<!doctype html>a", None, 15, Comment),
            ("</ a>b", None, 5, Comment),
            ("<b>c</script>", Some("script"), 4, Text),
            ("</scripts>", Some("script"), 10, Text),
            ("</SCRIPT a>b", Some("script"), 11, Tag(1)),
        ];
        for (html, raw, end, want) in cases {
            assert_eq!(part(html, 0, raw), (end, want), "{html}");
        }
    }
}
