use super::*;
use nmax_metrics::ErrorKind;
use proptest::prelude::*;

const ALL: Expected = Expected {
    is_head: false,
    keep_body: KeepBody::UpTo(usize::MAX),
    body_limit: u64::MAX,
    decode: true,
    keep_failed_bytes: 0,
};

/// What a receiver makes of a whole stream.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Seen {
    status: Option<u16>,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    informational: u16,
    persistent: bool,
}

/// Pushes `stream` in pieces of the given sizes (in turn), then its end.
fn receive(expected: Expected, stream: &[u8], sizes: &[usize]) -> Result<Seen, CodecError> {
    let mut receiver = Receiver::new();
    receiver.start(expected);
    let (mut rest, mut complete) = (stream, false);
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let size = sizes.next().map_or(rest.len(), |&s| s.clamp(1, rest.len()));
        let (piece, after) = rest.split_at(size);
        rest = after;
        complete = receiver.push(piece)?;
    }
    if !complete {
        receiver.end()?;
    }
    let reply = receiver.reply();
    Ok(Seen {
        status: reply.status(),
        headers: reply.headers().map(|(n, v)| (n.to_owned(), v.to_vec())).collect(),
        body: reply.body().to_vec(),
        informational: receiver.informational(),
        persistent: receiver.is_persistent(),
    })
}

fn receive_text(stream: &str) -> Result<Seen, CodecError> {
    receive(ALL, stream.as_bytes(), &[])
}

#[test]
fn framing_and_persistence() {
    // reply                                                        body     persistent  why
    let cases = [
        (
            "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc",
            "abc",
            true,
            "by length",
        ),
        (
            "HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 0\r\n\r\n",
            "",
            true,
            "names in any case",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\nContent-Length: 3\r\n\r\nabc",
            "abc",
            true,
            "equal lengths",
        ),
        (
            "HTTP/1.1 200\r\ncontent-length: 1\r\n\r\na",
            "a",
            true,
            "no reason phrase",
        ),
        ("HTTP/1.1 200 OK\r\n\r\nabc", "abc", false, "until the end"),
        (
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 1\r\n\r\na",
            "a",
            false,
            "close",
        ),
        (
            "HTTP/1.1 200 OK\r\nconnection: x, Close\r\ncontent-length: 1\r\n\r\na",
            "a",
            false,
            "close in a list",
        ),
        (
            "HTTP/1.1 200 OK\r\nx-connection: close\r\ncontent-length: 1\r\n\r\na",
            "a",
            true,
            "another header",
        ),
        (
            "HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na",
            "a",
            false,
            "1.0 closes",
        ),
        (
            "HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 1\r\n\r\na",
            "a",
            true,
            "unless it says not",
        ),
        (
            "HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n",
            "",
            true,
            "204 has no body",
        ),
        (
            "HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n",
            "",
            true,
            "304 has no body",
        ),
        (
            "HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n",
            "",
            true,
            "whatever it says",
        ),
        ("HTTP/1.1 101 Switching\r\n\r\n", "", false, "101 ends HTTP"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            "abc",
            true,
            "chunked",
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n1\r\na\r\n00\r\n\r\n",
            "a",
            true,
            "last coding",
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nabc",
            "abc",
            false,
            "not chunked: until the end",
        ),
        (
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nA ;x=\"y\";z\r\n0123456789\r\n1\t\r\na\r\n0;e\r\nt: 1\r\nu: 2\r\n\r\n",
            "0123456789a",
            true,
            "extensions, blanks and trailers",
        ),
    ];
    for (stream, body, persistent, why) in cases {
        let seen = receive_text(stream).unwrap();
        assert_eq!(
            (seen.body.as_slice(), seen.persistent),
            (body.as_bytes(), persistent),
            "{why}"
        );
        assert_eq!(seen.informational, 0, "{why}");
    }
}

#[test]
fn a_reply_to_head_has_no_body() {
    for framing in ["content-length: 5", "transfer-encoding: chunked", "x: y"] {
        let stream = format!("HTTP/1.1 200 OK\r\n{framing}\r\n\r\n");
        let seen = receive(
            Expected {
                is_head: true,
                body_limit: 1,
                ..ALL
            },
            stream.as_bytes(),
            &[],
        )
        .unwrap();
        assert_eq!((seen.body.len(), seen.persistent), (0, true), "{framing}");
    }
}

#[test]
fn interim_replies_are_skipped_and_counted() {
    let stream = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n\
                  HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na";
    let seen = receive_text(stream).unwrap();
    assert_eq!((seen.status, seen.informational), (Some(200), 2));
    assert_eq!(seen.headers.len(), 1, "only those of the final reply");
    let endless = "HTTP/1.1 100 Continue\r\n\r\n".repeat(usize::from(INFORMATIONAL_MAX) + 1);
    assert_eq!(receive_text(&endless), Err(CodecError::TooManyInformational));
}

#[test]
fn invalid_streams() {
    use CodecError as E;
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let with = |head: &str| format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n");
    let cases = [
        ("".into(), E::EndedBeforeReply),
        ("HTTP/1.1 200".into(), E::EndedInside("head")),
        ("HTTP/1.1 100 Continue\r\n\r\n".into(), E::EndedInside("head")),
        (with("content-length: 2") + "a", E::EndedInside("body")),
        (chunked.to_owned() + "3\r\nab", E::EndedInside("body")),
        (chunked.to_owned() + "0\r\n", E::EndedInside("body")),
        ("SSH-2.0-x\u{1}\r\n".into(), E::NotHttp("SSH-2.0-x\\x01\\r\\n".into())),
        (
            "HTTP/2 200 OK\r\n\r\n".into(),
            E::NotHttp("HTTP/2 200 OK\\r\\n\\r\\n".into()),
        ),
        ("HTTP/1.1 099 Low\r\n\r\n".into(), E::BrokenHead("status 099".into())),
        (
            with("content-length: 1\r\ntransfer-encoding: chunked"),
            E::LengthAndTransferEncoding,
        ),
        (with("content-length: 1\r\ncontent-length: 2"), E::ContentLengthConflict),
        (with("content-length: 1, 2"), E::ContentLengthConflict),
        (with("content-length: -1"), E::ContentLength),
        (with("content-length: +1"), E::ContentLength),
        (with("content-length:"), E::ContentLength),
        (with("content-length: 18446744073709551616"), E::ContentLength),
        (with("transfer-encoding: chunked, chunked"), E::TransferEncoding),
        (with("transfer-encoding: chunked, gzip"), E::TransferEncoding),
        (with("content-length: 1") + "ab", E::Surplus),
        (with("content-length: 0") + "\r\n", E::Surplus),
        ("HTTP/1.1 204 No\r\n\r\na".into(), E::Surplus),
        (chunked.to_owned() + "0\r\n\r\na", E::Surplus),
        (chunked.to_owned() + "\r\n", E::Chunk("a chunk has no size")),
        (chunked.to_owned() + "g\r\n", E::Chunk("a chunk has no size")),
        (
            chunked.to_owned() + "1g\r\n",
            E::Chunk("a size is not a hexadecimal number"),
        ),
        (
            chunked.to_owned() + "1 1\r\n",
            E::Chunk("a size is not a hexadecimal number"),
        ),
        (
            chunked.to_owned() + "1\n",
            E::Chunk("a size is not a hexadecimal number"),
        ),
        (chunked.to_owned() + "1\r\nab", E::Chunk("no line end after a chunk")),
        (
            chunked.to_owned() + "11111111111111111\r\n",
            E::Chunk("a size is too large"),
        ),
        (
            chunked.to_owned() + "1;" + &"x".repeat(5000),
            E::Chunk("a size line is too long"),
        ),
        (
            chunked.to_owned() + "0\r\n" + &"x".repeat(HEAD_BYTES_MAX + 1),
            E::Chunk("its trailers are too long"),
        ),
        (with(&format!("x: {}", "y".repeat(HEAD_BYTES_MAX))), E::HeadTooLarge),
        (with(&"x: y\r\n".repeat(HEADERS_MAX + 1)), E::TooManyHeaders),
    ];
    for (stream, want) in cases {
        assert_eq!(
            receive_text(&stream).unwrap_err(),
            want,
            "{:.60}",
            stream.escape_debug()
        );
    }
}

#[test]
fn limits_of_bodies() {
    let (by_length, until_end) = (
        "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabcd",
        "HTTP/1.1 200 OK\r\n\r\nabcd",
    );
    for stream in [by_length, until_end] {
        let limited = |body_limit| receive(Expected { body_limit, ..ALL }, stream.as_bytes(), &[]);
        assert_eq!(limited(4).unwrap().body, b"abcd");
        assert_eq!(limited(3), Err(CodecError::BodyLimit(3)));
    }
    for (most, truncated) in [(0, true), (3, true), (4, false), (5, false)] {
        let mut receiver = Receiver::new();
        receiver.start(Expected {
            keep_body: KeepBody::UpTo(most),
            ..ALL
        });
        assert_eq!(receiver.push(by_length.as_bytes()), Ok(true));
        let reply = receiver.reply();
        assert_eq!(
            (reply.body(), reply.body_truncated()),
            (&b"abcd"[..most.min(4)], truncated)
        );
    }
}

#[test]
fn a_failed_reply_is_empty() {
    let mut receiver = Receiver::new();
    assert_eq!(receiver.reply().status(), None, "before the first");
    receiver.start(ALL);
    receiver
        .push(b"HTTP/1.1 200 OK\r\nx: y\r\ncontent-length: 1\r\n\r\nab")
        .unwrap_err();
    let reply = receiver.reply();
    assert_eq!(
        (reply.status(), reply.headers().count(), reply.body()),
        (None, 0, &b""[..])
    );
}

#[test]
fn headers_of_a_reply() {
    let mut receiver = Receiver::new();
    receiver.start(ALL);
    let head = b"\r\nHTTP/1.1 200 a: b\r\nSet-Cookie: a=1, b\r\nX:\t y z \t\r\nEmpty:\nset-cookie: c=2\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(receiver.push(head), Ok(true));
    let reply = receiver.reply();
    assert_eq!(reply.set_cookies().collect::<Vec<_>>(), [&b"a=1, b"[..], b"c=2"]);
    assert_eq!(reply.header("x"), Some(&b"y z"[..]));
    assert_eq!(reply.header("EMPTY"), Some(&b""[..]));
    assert_eq!(reply.header("a"), None, "the status line is no header");
    assert_eq!(reply.head(), head);
}

/// How a generated body is framed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Framed {
    Length,
    Chunked(usize),
    UntilEnd,
}

/// Writes a reply the slow and plain way.
fn render(interim: u16, status: u16, headers: &[(String, String)], body: &[u8], framed: Framed) -> Vec<u8> {
    let mut out = b"HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n".repeat(usize::from(interim));
    out.extend(format!("HTTP/1.1 {status} Some Reason\r\n").bytes());
    for (name, value) in headers {
        out.extend(format!("{name}: {value}\r\n").bytes());
    }
    match framed {
        Framed::Length => out.extend(format!("content-length: {}\r\n\r\n", body.len()).bytes()),
        Framed::Chunked(_) => out.extend(b"transfer-encoding: chunked\r\n\r\n"),
        Framed::UntilEnd => out.extend(b"\r\n"),
    }
    if let Framed::Chunked(size) = framed {
        for chunk in body.chunks(size) {
            out.extend(format!("{:x};ext\r\n", chunk.len()).bytes());
            out.extend(chunk);
            out.extend(b"\r\n");
        }
        out.extend(b"0\r\ntrailer: z\r\n\r\n");
    } else {
        out.extend(body);
    }
    out
}

fn framed() -> impl Strategy<Value = Framed> {
    prop_oneof![
        Just(Framed::Length),
        (1..40_usize).prop_map(Framed::Chunked),
        Just(Framed::UntilEnd)
    ]
}

proptest! {
    /// Law: a rendered reply comes back, however the stream is cut.
    #[test]
    fn rendered_replies_come_back(
        interim in 0..3_u16,
        status in (200..600_u16).prop_filter("these have no body", |s| !matches!(s, 204 | 304)),
        headers in prop::collection::vec(("x-[a-z]{1,8}", "([!-~]([ -~]{0,10}[!-~])?)?"), 0..5),
        body in prop::collection::vec(any::<u8>(), 0..200),
        framed in framed(),
        sizes in prop::collection::vec(1..30_usize, 1..6),
    ) {
        let stream = render(interim, status, &headers, &body, framed);
        let seen = receive(ALL, &stream, &sizes).unwrap();
        prop_assert_eq!(seen.status, Some(status));
        prop_assert_eq!(&seen.body, &body);
        prop_assert_eq!(seen.informational, interim);
        prop_assert_eq!(seen.persistent, framed != Framed::UntilEnd);
        let sent: Vec<_> = headers.into_iter().map(|(n, v)| (n, v.into_bytes())).collect();
        let own: Vec<_> = seen.headers.into_iter().filter(|(n, _)| n.starts_with("x-")).collect();
        prop_assert_eq!(own, sent);
    }

    /// Law: a cut-off reply that says its length is never taken for a complete one.
    #[test]
    fn cut_replies_are_errors(body in prop::collection::vec(any::<u8>(), 1..50), chunked: bool, cut: prop::sample::Index) {
        let framed = if chunked { Framed::Chunked(7) } else { Framed::Length };
        let stream = render(0, 200, &[], &body, framed);
        let error = receive(ALL, &stream[..cut.index(stream.len())], &[]).unwrap_err();
        prop_assert_eq!(error.kind(), ErrorKind::Reset);
    }

    /// Law: no bytes panic, and where the stream is cut makes no difference.
    #[test]
    fn cuts_make_no_difference(
        start in prop::sample::select(vec![
            "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n", "HTTP/1.1 100 C\r\n\r\n",
        ]),
        rest in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..60),
            prop::collection::vec(prop::sample::select(b"0123af;\r\n: x".to_vec()), 0..60),
        ],
        sizes in prop::collection::vec(1..9_usize, 1..6),
    ) {
        let mut stream = start.as_bytes().to_vec();
        stream.extend(rest);
        let (whole, cut) = (receive(ALL, &stream, &[]), receive(ALL, &stream, &sizes));
        prop_assert_eq!(whole.ok(), cut.ok());
    }

    /// Law: the lines we split are the headers that the parser accepted.
    #[test]
    fn headers_agree_with_the_parser(lines in prop::collection::vec("[A-Za-z-]{1,5}:[ -~\t]{0,8}\r?", 0..6)) {
        let stream = format!("HTTP/1.1 204 No\r\n{}\r\n", lines.iter().map(|l| format!("{l}\n")).collect::<String>());
        let mut fields = [httparse::EMPTY_HEADER; 16];
        let mut parsed = httparse::Response::new(&mut fields);
        prop_assume!(parsed.parse(stream.as_bytes()).is_ok());
        let want: Vec<_> = parsed.headers.iter().map(|h| (h.name.to_owned(), h.value.to_vec())).collect();
        if let Ok(seen) = receive_text(&stream) {
            prop_assert_eq!(seen.headers, want);
        }
    }
}

/// A head equal to the one before is not parsed again, and means the same; a different one is.
#[test]
fn repeated_heads_give_the_same_reply() {
    let expected = |is_head| Expected {
        is_head,
        keep_body: KeepBody::UpTo(100),
        body_limit: 100,
        ..ALL
    };
    let same: &[u8] = b"HTTP/1.1 200 OK\r\nset-cookie: a=1\r\ncontent-length: 2\r\n\r\nhi";
    let other: &[u8] = b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 3\r\n\r\nabc";
    let interim: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nyo";
    let mut receiver = Receiver::new();
    let rounds = [
        (same, 200, "hi", true),
        (same, 200, "hi", true),
        (other, 404, "abc", false),
        (interim, 200, "yo", true),
        (same, 200, "hi", true),
    ];
    for (bytes, status, body, persistent) in rounds {
        for split in [0, 1, 20, bytes.len() - 1] {
            receiver.start(expected(false));
            assert!(receiver.is_at_start());
            assert!(split == 0 || !receiver.push(&bytes[..split]).unwrap());
            assert!(receiver.push(&bytes[split..]).unwrap(), "{status} split at {split}");
            let reply = receiver.reply();
            assert_eq!((reply.status(), reply.body()), (Some(status), body.as_bytes()));
            assert_eq!(reply.has_set_cookie(), reply.set_cookies().next().is_some());
            assert_eq!(receiver.is_persistent(), persistent);
        }
    }
    // The same head answers a HEAD request without a body.
    receiver.start(expected(true));
    assert!(receiver.push(&same[..same.len() - 2]).unwrap());
    receiver.start(expected(false));
    assert!(
        !receiver.push(&same[..same.len() - 2]).unwrap(),
        "and a GET request with one"
    );
}
