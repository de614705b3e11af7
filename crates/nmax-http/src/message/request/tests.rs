use super::*;

fn written(fields: &[(&str, &str)], body: &str) -> RequestText {
    let mut text = RequestText::new();
    text.begin(b"POST", b"/a?b=c", "HTTP/1.1");
    fields.iter().for_each(|(name, value)| text.field(name, value.as_bytes()));
    text.end(body.as_bytes());
    text
}

#[test]
fn parts_are_where_they_were_written() {
    let text = written(&[("host", "shop.test"), ("x-empty", ""), ("Host-Like", "y")], "x: y\r\n");
    let bytes = b"POST /a?b=c HTTP/1.1\r\nhost: shop.test\r\nx-empty: \r\nHost-Like: y\r\n\r\nx: y\r\n";
    assert_eq!(text.bytes(), bytes);
    let origin = Origin { scheme: Scheme::Https, host: "other.test".into(), port: 443 };
    let request = Request {
        origin: &origin,
        text: &text,
        rest: &[],
        waits: false,
        is_head: false,
        idempotent: false,
        keep_alive: true,
        keep_body: KeepBody::Discard,
    };
    let head = request.head();
    assert_eq!((head.method, head.target), (b"POST".as_slice(), b"/a?b=c".as_slice()));
    assert_eq!((head.scheme, head.authority), (Scheme::Https, b"shop.test".as_slice()));
    let fields: Vec<_> = head.fields.iter().collect();
    assert_eq!(fields, [("host", b"shop.test".as_slice()), ("x-empty", b""), ("Host-Like", b"y")]);
    assert_eq!(text.body(), b"x: y\r\n");
}

/// Cookies come after everything else, in a copy of what was written once.
#[test]
fn a_copy_takes_further_fields() {
    let first = written(&[("host", "h")], "body");
    let mut copy = written(&[("of", "another")], "request");
    copy.begin_as(&first);
    copy.field_from("taken-back", |out| {
        out.extend_from_slice(b"half");
        false
    });
    copy.field_from("cookie", |out| {
        out.extend_from_slice(b"a=1");
        true
    });
    copy.end(first.body());
    assert_eq!(copy, written(&[("host", "h"), ("cookie", "a=1")], "body"));
}
