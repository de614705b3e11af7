use super::*;
use crate::Redactor;

const HEAD: &str = "POST /a?token=s3cret1 HTTP/1.1\r\nhost: h\r\nAuthorization: Bearer s3cret2\r\nx-empty: \r\n\
                    cookie: sid=s3cret3; a=b\r\ncontent-type: application/json\r\n\r\n";
const BODY: &str = "{\"password\": \"s3cret4\", \"note\": \"kept\"}";

/// Where the fields of [`HEAD`] are, found with other means.
fn places() -> Vec<FieldSpans> {
    let lines = HEAD.trim_end().split("\r\n").skip(1);
    let place = |line: &str| {
        let start = HEAD.find(line).unwrap();
        let colon = start + line.find(": ").unwrap();
        (start..colon, colon + 2..start + line.len())
    };
    lines.map(place).collect()
}

/// Whoever wrote a head knows its fields, and gets what a search for them gives.
#[test]
fn known_fields_read_as_found_ones() {
    let whole = [HEAD, BODY].concat();
    let known = Message::new(HEAD.as_bytes(), places().into_iter(), BODY.as_bytes());
    let redactor = Redactor::default();
    let text = redactor.message(&known);
    assert_eq!(text, redactor.message(&Message::of_bytes(whole.as_bytes())));
    assert!(!text.contains("s3cret") && text.contains("kept") && text.contains("a?token=REDACTED HTTP"), "{text}");
    assert_eq!(known.bytes(), whole.len());
    assert_eq!(known.fields().count(), 5);
}

/// What is cut within a value is as secret as the whole.
#[test]
fn beginnings_hide_secrets_too() {
    let redactor = Redactor::default();
    for most in 0..HEAD.len() + BODY.len() {
        let message = Message::new(HEAD.as_bytes(), places().into_iter(), BODY.as_bytes()).first(most);
        let head = redactor.head(&message);
        assert_eq!(message.bytes(), most);
        assert!(head.lines().skip(1).all(|line| !line.contains("s3c")), "{most}: {head}");
        let is_cut = most > HEAD.len() - 4 && most < HEAD.len();
        assert!(!is_cut || head == redactor.head(&Message::of_bytes(HEAD.as_bytes())), "{most}: {head}");
    }
}

/// A head without fields, and bytes that are none, are searched.
#[test]
fn what_is_no_head_is_searched() {
    let cut = Message::new(b"HTTP/1.1 200 OK\r\nset-cookie: sid=s3cret", std::iter::empty(), b"");
    assert_eq!(Redactor::default().message(&cut), "HTTP/1.1 200 OK\nset-cookie: sid=REDACTED");
    let bare = Message::new(b"HTTP/1.1 200 OK\r\n\r\n", std::iter::empty(), b"ok");
    assert_eq!(Redactor::default().message(&bare), "HTTP/1.1 200 OK\n\nok");
    assert_eq!(Redactor::default().message(&Message::default()), "");
}
