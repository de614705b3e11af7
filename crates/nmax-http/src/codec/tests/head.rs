//! What is read from a head, and from one like the head before.

use super::*;

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
    assert_eq!(reply.header("a"), None, "the status line is not a header");
    assert_eq!(reply.fields().text(), head);
}

/// A head equal to the one before is not parsed again, and means the same; a different one is.
#[test]
fn repeated_heads_give_the_same_reply() {
    let expected = |is_head| Expected { is_head, keep_body: KeepBody::UpTo(100), body_limit: 100, ..ALL };
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
    assert!(!receiver.push(&same[..same.len() - 2]).unwrap(), "and a GET request with one");
}
