//! Where a reply ends, and whether its connection lives on: the traps of other clients by name.

use super::*;

#[test]
fn framing_and_persistence() {
    // reply                                                        body     persistent  why
    let cases = [
        ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc", "abc", true, "by length"),
        ("HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 0\r\n\r\n", "", true, "names in any case"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\nContent-Length: 3\r\n\r\nabc", "abc", true, "equal lengths"),
        ("HTTP/1.1 200\r\ncontent-length: 1\r\n\r\na", "a", true, "no reason phrase"),
        ("HTTP/1.1 200 OK\r\n\r\nabc", "abc", false, "until the end"),
        ("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 1\r\n\r\na", "a", false, "close"),
        ("HTTP/1.1 200 OK\r\nconnection: x, Close\r\ncontent-length: 1\r\n\r\na", "a", false, "close in a list"),
        ("HTTP/1.1 200 OK\r\nx-connection: close\r\ncontent-length: 1\r\n\r\na", "a", true, "another header"),
        ("HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na", "a", false, "1.0 closes"),
        ("HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 1\r\n\r\na", "a", true, "unless it says not"),
        ("HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n", "", true, "204 has no body"),
        ("HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n", "", true, "304 has no body"),
        ("HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n", "", true, "whatever it says"),
        ("HTTP/1.1 101 Switching\r\n\r\n", "", false, "101 ends HTTP"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "abc", true, "chunked"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n1\r\na\r\n00\r\n\r\n", "a", true, "last coding"),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nabc", "abc", false, "not chunked: until the end"),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nA ;x=\"y\";z\r\n0123456789\r\n1\t\r\na\r\n0;e\r\nt: 1\r\nu: 2\r\n\r\n",
            "0123456789a",
            true,
            "extensions, blanks and trailers",
        ),
    ];
    for (stream, body, persistent, why) in cases {
        let seen = receive_text(stream).unwrap();
        assert_eq!((seen.body.as_slice(), seen.persistent), (body.as_bytes(), persistent), "{why}");
        assert_eq!(seen.informational, 0, "{why}");
    }
}

/// Rows of (head lines after the status line, persistent, why), for HTTP/1.1 and then for HTTP/1.0.
#[test]
fn connection_in_all_spellings() {
    let cases = [
        ("HTTP/1.1", "", true, "persistent unless it says not"),
        ("HTTP/1.1", "Connection: close\r\n", false, "close"),
        ("HTTP/1.1", "CONNECTION: CLOSE\r\n", false, "any case"),
        ("HTTP/1.1", "connection:close\r\n", false, "no blank"),
        ("HTTP/1.1", "connection: \t close \t\r\n", false, "blanks around"),
        ("HTTP/1.1", "connection: x-a,close,,x-b\r\n", false, "in a list"),
        ("HTTP/1.1", "connection: x-a\r\nconnection: close\r\n", false, "in a second line"),
        ("HTTP/1.1", "connection: close\r\nconnection: keep-alive\r\n", false, "in a first line"),
        ("HTTP/1.1", "connection: keep-alive, close\r\n", false, "close outranks keep-alive"),
        ("HTTP/1.1", "connection: Keep-Alive\r\nkeep-alive: timeout=5\r\n", true, "keep-alive"),
        ("HTTP/1.1", "connection:\r\n", true, "says nothing"),
        ("HTTP/1.1", "connection: closed, not-close, x=close\r\n", true, "no part of a word"),
        ("HTTP/1.1", "proxy-connection: close\r\n", true, "no header of the standard"),
        ("HTTP/1.1", "x-connection: close\r\n", true, "another header"),
        ("HTTP/1.1", "x: connection: close\r\n", true, "inside a value"),
        ("HTTP/1.1", "keep-alive: close\r\n", true, "only connection says so"),
        ("HTTP/1.0", "", false, "1.0 closes"),
        ("HTTP/1.0", "connection: keep-alive\r\n", true, "unless it says not"),
        ("HTTP/1.0", "Connection: Upgrade, KEEP-ALIVE\r\n", true, "in a list, in any case"),
        ("HTTP/1.0", "connection: x\r\nconnection: keep-alive\r\n", true, "in a second line"),
        ("HTTP/1.0", "proxy-connection: keep-alive\r\n", false, "no header of the standard"),
        ("HTTP/1.0", "keep-alive: timeout=5\r\n", false, "is not a word for it"),
        ("HTTP/1.0", "connection: keep-alive, close\r\n", false, "close outranks keep-alive"),
    ];
    for (version, lines, persistent, why) in cases {
        let stream = format!("{version} 200 OK\r\n{lines}content-length: 1\r\n\r\na");
        let seen = receive_text(&stream).unwrap();
        assert_eq!(seen.persistent, persistent, "{version} {why}: {lines:?}");
        assert_eq!(seen.body, b"a", "and the framing does not depend on it");
    }
}

/// A client that finds headers by substring takes a length from the wrong line.
#[test]
fn headers_are_not_found_by_substring() {
    let lines = [
        "x-content-length: 1",
        "content-length-hint: 1",
        "x: content-length: 1",
        "x-transfer-encoding: chunked",
        "x: transfer-encoding: chunked",
        "x-content-encoding: gzip",
        "content-encodings: gzip",
    ];
    for line in lines {
        let seen = receive_text(&format!("HTTP/1.1 200 OK\r\n{line}\r\ncontent-length: 3\r\n\r\nabc")).unwrap();
        assert_eq!((seen.body, seen.persistent), (b"abc".to_vec(), true), "{line}");
        let seen = receive_text(&format!("HTTP/1.1 200 OK\r\n{line}\r\n\r\nabc")).unwrap();
        assert_eq!((seen.body, seen.persistent), (b"abc".to_vec(), false), "{line} alone");
    }
}

/// Sizes, extensions and trailers in the forms that servers use.
#[test]
fn chunked_bodies_in_all_spellings() {
    let cases = [
        ("3\r\nabc\r\n0\r\n\r\n", "abc", "plain"),
        ("0\r\n\r\n", "", "empty"),
        ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789", "upper case"),
        ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789", "lower case"),
        ("0000000000000000003\r\nabc\r\n000\r\n\r\n", "abc", "leading zeros"),
        ("3;x\r\nabc\r\n0\r\n\r\n", "abc", "an extension"),
        ("3;x=y;z=\"a;b\"\r\nabc\r\n0;last\r\n\r\n", "abc", "extensions with values"),
        ("3 ; x\r\nabc\r\n0 \t\r\n\r\n", "abc", "blanks before them"),
        ("3\r\na\r\n\r\n0\r\n\r\n", "a\r\n", "line ends are data"),
        ("5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n", "as is what looks like the end"),
        ("1\r\na\r\n2\r\nbc\r\n0\r\nx: y\r\n\r\n", "abc", "a trailer"),
        ("0\r\ncontent-length: 5\r\nconnection: close\r\n\r\n", "", "trailers frame nothing"),
    ];
    for (chunks, body, why) in cases {
        for coding in ["chunked", "Chunked", " CHUNKED\t", ", chunked,"] {
            let stream = format!("HTTP/1.1 200 OK\r\ntransfer-encoding:{coding}\r\n\r\n{chunks}");
            let seen = receive_text(&stream).unwrap();
            assert_eq!((seen.body.as_slice(), seen.persistent), (body.as_bytes(), true), "{why}");
        }
    }
}

/// Lines may end with a line feed alone, as RFC 9112 section 2.2 lets a client read them.
#[test]
fn heads_with_bare_line_feeds_are_read() {
    let seen = receive_text("HTTP/1.1 200 OK\nX: y\ncontent-length: 1\n\na").unwrap();
    assert_eq!((seen.status, seen.body.as_slice(), seen.persistent), (Some(200), &b"a"[..], true));
    assert_eq!(seen.headers[0], ("X".to_owned(), b"y".to_vec()));
    let seen = receive_text("HTTP/1.1 200 OK\r\nx: y\ncontent-length: 1\r\n\na").unwrap();
    assert_eq!(seen.body, b"a", "and mixed");
}

/// Head lines that frame a body, well or badly. Where there is none they do not matter (RFC 9112 section 6.3, rule 1).
const NO_MATTER: [&str; 8] = [
    "content-length: 5",
    "content-length: 0",
    "transfer-encoding: chunked",
    "x: y",
    "content-encoding: gzip",
    "content-length: 1\r\ntransfer-encoding: chunked",
    "content-length: 1\r\ncontent-length: 2",
    "transfer-encoding: chunked, gzip",
];

#[test]
fn a_reply_to_head_has_no_body() {
    for framing in NO_MATTER {
        let stream = format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n");
        let seen = receive(Expected { is_head: true, body_limit: 1, ..ALL }, stream.as_bytes(), &[]).unwrap();
        assert_eq!((seen.body.len(), seen.persistent), (0, true), "{framing}");
    }
}

#[test]
fn replies_without_a_body_by_status() {
    for status in [204, 304] {
        for framing in NO_MATTER {
            for coding in ["x: y", "content-encoding: gzip", "content-encoding: zstd, br"] {
                let stream = format!("HTTP/1.1 {status} X\r\n{framing}\r\n{coding}\r\n\r\n");
                let seen = receive_text(&stream).unwrap();
                assert_eq!((seen.body.len(), seen.persistent), (0, true), "{status} {framing} {coding}");
            }
        }
    }
}

#[test]
fn interim_replies_are_skipped_and_counted() {
    let stream = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n\
                  HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na";
    let seen = receive_text(stream).unwrap();
    assert_eq!((seen.status, seen.informational), (Some(200), 2));
    assert_eq!(seen.headers.len(), 1, "only those of the final reply");
    for code in [100, 102, 103, 110, 199] {
        let stream = format!("HTTP/1.1 {code} X\r\ncontent-length: 7\r\n\r\nHTTP/1.1 204 No\r\n\r\n");
        let seen = receive_text(&stream).unwrap();
        assert_eq!((seen.status, seen.informational), (Some(204), 1), "{code} has no body, whatever it says");
    }
    let switched = receive_text("HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n").unwrap();
    assert_eq!((switched.status, switched.informational), (Some(101), 0), "101 is the last reply");
    let endless = "HTTP/1.1 100 Continue\r\n\r\n".repeat(usize::from(INFORMATIONAL_MAX) + 1);
    assert_eq!(receive_text(&endless), Err(CodecError::TooManyInformational));
}
