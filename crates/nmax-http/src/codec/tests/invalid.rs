//! Streams that are no reply, each with its reason.

use super::*;

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
        ("HTTP/2 200 OK\r\n\r\n".into(), E::NotHttp("HTTP/2 200 OK\\r\\n\\r\\n".into())),
        ("HTTP/1.1 099 Low\r\n\r\n".into(), E::BrokenHead("status 099".into())),
        (with("content-length: 1\r\ntransfer-encoding: chunked"), E::LengthAndTransferEncoding),
        (with("content-length: 1\r\ncontent-length: 2"), E::ContentLengthConflict),
        (with("content-length: 1, 2"), E::ContentLengthConflict),
        (with("content-length: 1\r\nx: y\r\nCONTENT-LENGTH: 01, 2"), E::ContentLengthConflict),
        (with("transfer-encoding: chunked\r\ncontent-length: 1"), E::LengthAndTransferEncoding),
        (with("transfer-encoding: gzip\r\ncontent-length: 1"), E::LengthAndTransferEncoding),
        (with("content-length: 1,"), E::ContentLength),
        (with("content-length: 1 1"), E::ContentLength),
        (with("content-length: 0x1"), E::ContentLength),
        (with("content-length: -1"), E::ContentLength),
        (with("content-length: +1"), E::ContentLength),
        (with("content-length:"), E::ContentLength),
        (with("content-length: 18446744073709551616"), E::ContentLength),
        (with("transfer-encoding: chunked, chunked"), E::TransferEncoding),
        (with("transfer-encoding: chunked, gzip"), E::TransferEncoding),
        (with("transfer-encoding: chunked\r\ntransfer-encoding: chunked"), E::TransferEncoding),
        (with("content-length: 1") + "ab", E::Surplus),
        (with("content-length: 1") + "aHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na", E::Surplus),
        ("HTTP/1.1 304 X\r\n\r\na".into(), E::Surplus),
        ("HTTP/1.1 101 X\r\n\r\na".into(), E::Switched),
        (with("content-length: 0") + "\r\n", E::Surplus),
        ("HTTP/1.1 204 No\r\n\r\na".into(), E::Surplus),
        (chunked.to_owned() + "0\r\n\r\na", E::Surplus),
        (chunked.to_owned() + "\r\n", E::Chunk("a chunk has no size")),
        (chunked.to_owned() + "g\r\n", E::Chunk("a chunk has no size")),
        (chunked.to_owned() + "1g\r\n", E::Chunk("a size is not a hexadecimal number")),
        (chunked.to_owned() + "1 1\r\n", E::Chunk("a size is not a hexadecimal number")),
        (chunked.to_owned() + "1\n", E::Chunk("a size is not a hexadecimal number")),
        (chunked.to_owned() + "1\r\nab", E::Chunk("no line end after a chunk")),
        (chunked.to_owned() + "11111111111111111\r\n", E::Chunk("a size is too large")),
        (chunked.to_owned() + "1;" + &"x".repeat(5000), E::Chunk("a size line is too long")),
        (chunked.to_owned() + "0\r\n" + &"x".repeat(HEAD_BYTES_MAX + 1), E::Chunk("its trailers are too long")),
        (with(&format!("x: {}", "y".repeat(HEAD_BYTES_MAX))), E::HeadTooLarge),
        (with(&"x: y\r\n".repeat(HEADERS_MAX + 1)), E::TooManyHeaders),
    ];
    for (stream, want) in cases {
        assert_eq!(receive_text(&stream).unwrap_err(), want, "{:.60}", stream.escape_debug());
    }
}

/// A line that begins with a blank continued the one before, once (RFC 9112 section 5.2).
#[test]
fn folded_lines_are_refused() {
    for fold in [" ", "\t", "  \t"] {
        let stream = format!("HTTP/1.1 200 OK\r\nx: a\r\n{fold}b\r\ncontent-length: 0\r\n\r\n");
        assert_eq!(
            receive_text(&stream).unwrap_err(),
            CodecError::BrokenHead("invalid header name".into()),
            "{fold:?}"
        );
    }
}

/// Names and values that would let a line be read in two ways.
#[test]
fn broken_header_lines_are_refused() {
    for line in ["x : y", " x: y", "x", ": y", "x y: z", "x: a\0b", "x: a\rb", "x\u{1}: y"] {
        let error = receive_text(&format!("HTTP/1.1 200 OK\r\n{line}\r\n\r\n")).unwrap_err();
        assert!(matches!(error, CodecError::BrokenHead(_)), "{line:?}: {error}");
    }
}
