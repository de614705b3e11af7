//! What is kept of a body, and how its codings are undone.

use super::*;

fn remains(receiver: &Receiver) -> (&[u8], &[u8]) {
    let (head, body) = receiver.remains();
    (head.text(), body)
}
use crate::coding::tests::{BOMB_BR, brotli, bytes_of, gzip};
use nmax_metrics::ErrorKind;

/// A reply with these head lines and this body, framed by its length.
fn reply(status: u16, lines: &str, body: &[u8]) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 {status} X\r\n{lines}content-length: {}\r\n\r\n", body.len()).into_bytes();
    out.extend(body);
    out
}

/// The same in chunks of this size.
fn chunked(lines: &str, body: &[u8], size: usize) -> Vec<u8> {
    let mut out = format!("HTTP/1.1 200 OK\r\n{lines}transfer-encoding: chunked\r\n\r\n").into_bytes();
    for chunk in body.chunks(size) {
        out.extend(format!("{:x}\r\n", chunk.len()).bytes());
        out.extend(chunk);
        out.extend(b"\r\n");
    }
    out.extend(b"0\r\n\r\n");
    out
}

/// Pushes a stream in pieces until it is complete or broken; ends it when it is neither.
fn push(receiver: &mut Receiver, expected: Expected, stream: &[u8], size: usize) -> Result<(), CodecError> {
    receiver.start(expected);
    for piece in stream.chunks(size) {
        if receiver.push(piece)? {
            return Ok(());
        }
    }
    receiver.end()
}

#[test]
fn limits_of_bodies() {
    let (by_length, until_end) = ("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nabcd", "HTTP/1.1 200 OK\r\n\r\nabcd");
    for stream in [by_length, until_end] {
        let limited = |body_limit| receive(Expected { body_limit, ..ALL }, stream.as_bytes(), &[]);
        assert_eq!(limited(4).unwrap().body, b"abcd");
        assert_eq!(limited(3), Err(CodecError::BodyLimit(3)));
    }
    for (most, truncated) in [(0, true), (3, true), (4, false), (5, false)] {
        let mut receiver = Receiver::new();
        receiver.start(Expected { keep_body: KeepBody::UpTo(most), ..ALL });
        assert_eq!(receiver.push(by_length.as_bytes()), Ok(true));
        let reply = receiver.reply();
        assert_eq!((reply.body(), reply.body_truncated()), (&b"abcd"[..most.min(4)], truncated));
    }
}

#[test]
fn a_failed_reply_is_empty() {
    let mut receiver = Receiver::new();
    assert_eq!(receiver.reply().status(), None, "before the first");
    receiver.start(ALL);
    receiver.push(b"HTTP/1.1 200 OK\r\nx: y\r\ncontent-length: 1\r\n\r\nab").unwrap_err();
    let reply = receiver.reply();
    assert_eq!((reply.status(), reply.headers().count(), reply.body()), (None, 0, &b""[..]));
}

const GZIP: &str = "Content-Encoding: gzip\r\n";
const TEXT: &[u8] = b"twelve bytestwelve bytestwelve bytestwelve bytes";

#[test]
fn coded_bodies_are_undone_and_both_sizes_known() {
    let coded = gzip(TEXT);
    let twice = brotli(&coded);
    let until_end = [b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n", coded.as_slice()].concat();
    let cases = [
        (reply(200, GZIP, &coded), coded.len(), "by length"),
        (reply(500, "content-encoding: X-GZIP\r\n", &coded), coded.len(), "any status, x-gzip"),
        (chunked(GZIP, &coded, 5), coded.len(), "in chunks"),
        (until_end, coded.len(), "until the end"),
        (reply(200, "content-encoding: gzip, br\r\n", &twice), twice.len(), "two codings"),
        (reply(200, "content-encoding: gzip\r\ncontent-encoding: br\r\n", &twice), twice.len(), "in two lines"),
        (reply(200, "content-encoding: identity\r\n", TEXT), TEXT.len(), "no coding"),
    ];
    let mut receiver = Receiver::new();
    for (stream, coded_bytes, why) in cases {
        for size in [1, 3, stream.len()] {
            push(&mut receiver, ALL, &stream, size).unwrap();
            assert_eq!(receiver.reply().body(), TEXT, "{why} by {size}");
            let sizes = (receiver.body_bytes(), receiver.decoded_bytes());
            assert_eq!(sizes, (coded_bytes as u64, TEXT.len() as u64), "{why} by {size}");
        }
    }
}

#[test]
fn bodies_that_stay_as_they_came() {
    let coded = gzip(TEXT);
    let off = Expected { decode: false, ..ALL };
    let cases = [
        (off, reply(200, GZIP, &coded), "nobody asked for decoding"),
        (ALL, reply(206, GZIP, &coded), "a part cannot be decoded"),
        (ALL, reply(200, "content-encoding: compress\r\n", &coded), "an unknown coding"),
        (ALL, reply(200, "content-encoding: gzip, compress\r\n", &coded), "one of them unknown"),
        (ALL, reply(200, "", &coded), "no label"),
    ];
    for (expected, stream, why) in cases {
        let mut receiver = Receiver::new();
        push(&mut receiver, expected, &stream, 7).unwrap();
        assert_eq!(receiver.reply().body(), coded, "{why}");
        assert_eq!(receiver.decoded_bytes(), receiver.body_bytes(), "{why}");
    }
}

/// Servers label empty bodies as well.
#[test]
fn an_empty_body_with_a_coding_is_fine() {
    let until_end = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n".to_vec();
    for lines in [GZIP, "content-encoding: br\r\n", "content-encoding: zstd, deflate\r\n"] {
        for stream in [reply(200, lines, b""), chunked(lines, b"", 1), until_end.clone()] {
            let seen = receive(ALL, &stream, &[]).unwrap();
            assert_eq!(seen.body, b"", "{lines}");
        }
    }
}

#[test]
fn broken_codings_are_errors_of_the_protocol() {
    let coded = gzip(TEXT);
    let cut = &coded[..coded.len() - 1];
    let until_end = [b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n", cut].concat();
    let broken = |problem| CodecError::Coding { coding: "gzip", problem };
    let cases = [
        (reply(200, GZIP, cut), broken("it ends too early")),
        (chunked(GZIP, cut, 9), broken("it ends too early")),
        (until_end, broken("it ends too early")),
        (reply(200, GZIP, TEXT), broken("its header is not that of gzip")),
        (reply(200, &GZIP.repeat(5), TEXT), CodecError::TooManyCodings),
    ];
    for (stream, want) in cases {
        for size in [1, stream.len()] {
            for keep_body in [KeepBody::Discard, KeepBody::UpTo(9)] {
                let mut receiver = Receiver::new();
                let error = push(&mut receiver, Expected { keep_body, ..ALL }, &stream, size).unwrap_err();
                assert_eq!((&error, error.kind()), (&want, ErrorKind::Protocol));
                assert_eq!(receiver.reply().status(), None);
            }
        }
    }
}

/// The limit holds for the bytes that come and for those that they become; a bomb costs no memory beyond it.
#[test]
fn the_body_limit_holds_for_decoded_bytes() {
    let limited = |body_limit, stream: &[u8]| {
        let mut receiver = Receiver::new();
        let result = push(&mut receiver, Expected { body_limit, ..ALL }, stream, 5);
        (result, receiver.reply().body().len())
    };
    let stream = reply(200, GZIP, &gzip(TEXT));
    let size = TEXT.len() as u64;
    assert_eq!(limited(size, &stream), (Ok(()), TEXT.len()));
    assert_eq!(limited(size - 1, &stream), (Err(CodecError::BodyLimit(size - 1)), 0));
    let grown = gzip(b"x");
    for stream in [reply(200, GZIP, &grown), chunked(GZIP, &grown, 3)] {
        assert_eq!(limited(2, &stream), (Err(CodecError::BodyLimit(2)), 0), "coded bytes count too");
    }
    let bomb = reply(200, "content-encoding: br\r\n", &bytes_of(BOMB_BR));
    let limit = 100_000;
    let mut seen = None;
    let memory = allocation_counter::measure(|| seen = Some(limited(limit, &bomb)));
    assert_eq!(seen, Some((Err(CodecError::BodyLimit(limit)), 0)));
    // A window of 4 MiB, as the stream says, and little beside it.
    assert!(memory.bytes_max < 5 << 20, "{} bytes for 16 MiB of zeros", memory.bytes_max);
}

/// 100,000 idle visitors: what decoding and large failed bodies took is given back.
#[test]
fn an_idle_receiver_holds_little_memory() {
    let large = vec![b'x'; 200_000];
    let expected = Expected { keep_body: KeepBody::Discard, keep_failed_bytes: 64 * 1024, ..ALL };
    let streams = [
        reply(200, GZIP, &gzip(&large)),
        reply(200, "content-encoding: br\r\n", &brotli(&large)),
        reply(200, "", &large),
        reply(200, "content-encoding: gzip, br\r\n", &brotli(&gzip(&large))),
    ];
    let broken = reply(200, GZIP, &large);
    for (index, stream) in streams.iter().enumerate() {
        let mut receiver = Receiver::new();
        let memory = allocation_counter::measure(|| {
            push(&mut receiver, expected, stream, 10_000).unwrap();
            receiver.rest();
        });
        assert!(memory.bytes_current < 1000, "{index}: {} bytes stay", memory.bytes_current);
    }
    let mut receiver = Receiver::new();
    let memory = allocation_counter::measure(|| {
        push(&mut receiver, expected, &broken, 10_000).unwrap_err();
        push(&mut receiver, expected, &reply(500, "", &large), 10_000).unwrap();
        assert_eq!(receiver.reply().body().len(), 64 * 1024);
        receiver.start(expected);
    });
    assert!(memory.bytes_current < 1000, "{} bytes stay", memory.bytes_current);
}

/// An exchange that is given up leaves no decoder, no window and no long head with a visitor who thinks.
#[test]
fn a_reply_that_was_given_up_holds_no_memory() {
    let large = [b'x'; 200_000];
    let long_head = [b"HTTP/1.1 200 OK\r\nx: ".as_slice(), &[b'x'; 50_000]].concat();
    let streams = [
        reply(200, "content-encoding: br\r\n", &brotli(&large)),
        reply(200, "content-encoding: zstd\r\n", &bytes_of("28b52ffda40000100054000010000001")),
        long_head,
        vec![b'x'; 50_000],
    ];
    for (index, stream) in streams.iter().enumerate() {
        let mut receiver = Receiver::new();
        let memory = allocation_counter::measure(|| {
            receiver.start(ALL);
            let _ = receiver.push(&stream[..stream.len() - 4]);
            receiver.rest();
        });
        assert!(memory.bytes_current < 1000, "{index}: {} bytes stay", memory.bytes_current);
    }
}

/// Pages come in several segments, and what is kept of each in case that it breaks off is little.
#[test]
fn a_body_in_pieces_costs_no_allocation() {
    let stream = reply(200, "", &[b'x'; 20_000]);
    let expected = Expected { keep_body: KeepBody::Discard, keep_failed_bytes: 64 * 1024, ..ALL };
    let mut receiver = Receiver::new();
    push(&mut receiver, expected, &stream, 1400).unwrap();
    let memory = allocation_counter::measure(|| push(&mut receiver, expected, &stream, 1400).unwrap());
    assert_eq!((memory.count_total, receiver.body_bytes()), (0, 20_000));
}

/// A head equal to the one before is not parsed again; its body is decoded all the same.
#[test]
fn equal_heads_decode_each_time() {
    let stream = reply(200, GZIP, &gzip(TEXT));
    let plain = reply(200, "content-encoding: none\r\n", TEXT);
    let mut receiver = Receiver::new();
    for stream in [&stream, &stream, &plain, &stream, &stream] {
        for size in [stream.len(), 4] {
            push(&mut receiver, ALL, stream, size).unwrap();
            assert_eq!(receiver.reply().body(), TEXT);
        }
    }
    let off = Expected { decode: false, ..ALL };
    push(&mut receiver, off, &stream, 1000).unwrap();
    assert_eq!(receiver.reply().body(), gzip(TEXT), "the same head, not to be decoded");
}

/// Rows of (status, what is kept otherwise, what is kept).
#[test]
fn bodies_of_failed_replies_are_kept() {
    let cases = [
        (399, KeepBody::Discard, "", false),
        (400, KeepBody::Discard, "abcde", true),
        (599, KeepBody::Discard, "abcde", true),
        (500, KeepBody::UpTo(3), "abcde", true),
        (500, KeepBody::UpTo(7), "abcdefg", true),
        (500, KeepBody::UpTo(8), "abcdefgh", false),
        (200, KeepBody::UpTo(3), "abc", true),
        (200, KeepBody::UpTo(0), "", true),
    ];
    for (status, keep_body, want, truncated) in cases {
        let expected = Expected { keep_body, keep_failed_bytes: 5, ..ALL };
        for (lines, body) in [("", b"abcdefgh".to_vec()), (GZIP, gzip(b"abcdefgh"))] {
            let stream = reply(status, lines, &body);
            for size in [1, 9, stream.len()] {
                let mut receiver = Receiver::new();
                push(&mut receiver, expected, &stream, size).unwrap();
                let reply = receiver.reply();
                let seen = (reply.body(), reply.body_truncated());
                assert_eq!(seen, (want.as_bytes(), truncated), "{status} {keep_body:?} {lines} by {size}");
            }
        }
    }
    let mut receiver = Receiver::new();
    let none = Expected { keep_body: KeepBody::Discard, ..ALL };
    push(&mut receiver, none, &reply(500, "", b"abc"), 100).unwrap();
    assert_eq!((receiver.reply().body(), receiver.reply().body_truncated()), (&b""[..], false));
}

/// What a failed exchange left is there to be shown: raw bytes, a broken head, or head and body so far.
#[test]
fn remains_of_broken_replies() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n";
    let in_chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let coded = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\ncontent-encoding: deflate\r\n\r\n";
    let cases = [
        ("SSH-2.0-OpenSSH_9.6\r\n".to_owned(), "SSH-2.0-OpenSSH_9.6\r\n", "", "no HTTP"),
        ("HTTP/1.1 099 X\r\n\r\n".to_owned(), "HTTP/1.1 099 X\r\n\r\n", "", "a broken head"),
        ("HTTP/1.1 20".to_owned(), "HTTP/1.1 20", "", "a head cut off"),
        ("HTTP/1.1 100 C\r\n\r\nHTTP/1.1 2x".to_owned(), "HTTP/1.1 2x", "", "after an interim reply"),
        (format!("{head}abc"), head, "abc", "a body cut off"),
        (format!("{in_chunks}3\r\nabc\r\n2\r\nd"), in_chunks, "abcd", "chunks cut off"),
        (format!("{in_chunks}3\r\nabc\r\nx"), in_chunks, "abc", "broken chunks"),
        // A stored block of three bytes, which is cut off.
        (format!("{coded}\0\u{3}\0"), coded, "", "coded data cut off"),
    ];
    let expected = Expected { keep_body: KeepBody::Discard, keep_failed_bytes: 1000, ..ALL };
    let good = reply(200, "", b"good");
    for (stream, head, body, why) in cases {
        let mut receiver = Receiver::new();
        push(&mut receiver, expected, &good, 1000).unwrap();
        push(&mut receiver, expected, stream.as_bytes(), stream.len()).unwrap_err();
        assert_eq!(remains(&receiver), (head.as_bytes(), body.as_bytes()), "{why}");
        assert_eq!(receiver.reply().status(), None);
        // Byte by byte an error may be found sooner.
        push(&mut receiver, expected, stream.as_bytes(), 1).unwrap_err();
        let (first, then) = remains(&receiver);
        assert!(!first.is_empty() && head.as_bytes().starts_with(first), "{why}");
        assert_eq!(then, body.as_bytes(), "{why}");
        receiver.start(expected);
        assert_eq!(remains(&receiver), (&b""[..], &b""[..]), "forgotten at the next start");
    }
}

#[test]
fn bytes_after_a_complete_reply_are_shown() {
    let expected = Expected { keep_body: KeepBody::Discard, keep_failed_bytes: 1000, ..ALL };
    let mut receiver = Receiver::new();
    receiver.start(expected);
    assert_eq!(receiver.push(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\na"), Ok(false));
    assert_eq!(receiver.push(b"bcHTTP/1.1"), Err(CodecError::Surplus));
    assert_eq!(receiver.remains().1, b"abcHTTP/1.1");
}

#[test]
fn remains_are_bounded() {
    let noise = vec![b'x'; 2 * REMAINS_BYTES_MAX];
    let cut_body = [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &noise].concat();
    let long_head = [b"HTTP/1.1 200 OK\r\nx: ".as_slice(), &noise].concat();
    for (stream, size, keep_body, most) in [
        (&noise, noise.len(), KeepBody::Discard, REMAINS_BYTES_MAX),
        (&cut_body, 5000, KeepBody::UpTo(usize::MAX), REMAINS_BYTES_MAX),
        (&cut_body, 5000, KeepBody::Discard, 19 + 4 * 1024),
        (&long_head, 5000, KeepBody::Discard, REMAINS_BYTES_MAX),
        (&long_head, 1 << 20, KeepBody::Discard, REMAINS_BYTES_MAX),
    ] {
        let mut receiver = Receiver::new();
        receiver.start(Expected { keep_body, keep_failed_bytes: usize::MAX, ..ALL });
        for piece in stream.chunks(size) {
            if receiver.push(piece).is_err() {
                break;
            }
        }
        receiver.abort();
        let (head, body) = remains(&receiver);
        assert_eq!(head.len() + body.len(), most);
    }
}
