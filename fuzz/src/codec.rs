//! Replies: whatever a server sends, in whatever pieces, is read the same way and in bounded memory.

use nmax_http::KeepBody;
use nmax_http::codec::{CodecError, Expected, HEAD_BYTES_MAX, REMAINS_BYTES_MAX, Receiver};

/// The largest body, in bytes.
const BODY_LIMIT: u64 = 1 << 16;
/// What is kept of a body when only a part is.
const KEPT_PART: usize = 16;

/// What a receiver made of a stream.
#[derive(PartialEq, Eq, Debug)]
struct Seen {
    status: Option<u16>,
    head: Vec<u8>,
    body: Vec<u8>,
    body_bytes: u64,
    decoded_bytes: u64,
    truncated: bool,
    informational: u16,
    persistent: bool,
}

/// Input: a line of control, then the stream. The control line is a byte whose bits choose the request, then the sizes
/// of the pieces, a byte each.
pub fn holds(input: &[u8]) {
    let (control, stream) = match input.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (&[][..], input),
    };
    let (choice, sizes) = control.split_first().map_or((0, &[][..]), |(first, rest)| (*first, rest));
    let expected = expected(choice);
    let mut receiver = Receiver::new();
    let whole = receive(&mut receiver, expected, stream, &[]);
    let again = receive(&mut receiver, expected, stream, &[]);
    agree(&whole, &again, "the same receiver a second time");
    let cut = receive(&mut receiver, expected, stream, sizes);
    agree(&whole, &cut, "cut into pieces");
    let trickled = receive(&mut Receiver::new(), expected, stream, &[1]);
    agree(&whole, &trickled, "byte by byte");
}

fn expected(choice: u8) -> Expected {
    Expected {
        is_head: choice & 1 != 0,
        keep_body: match choice >> 1 & 3 {
            0 => KeepBody::Discard,
            1 => KeepBody::UpTo(KEPT_PART),
            _ => KeepBody::UpTo(usize::MAX),
        },
        body_limit: BODY_LIMIT,
        decode: choice & 8 != 0,
        keep_failed_bytes: usize::from(choice >> 4),
    }
}

/// Pushes `stream` in pieces of the given sizes, in turn, then its end.
fn receive(receiver: &mut Receiver, expected: Expected, stream: &[u8], sizes: &[u8]) -> Result<Seen, CodecError> {
    receiver.start(expected);
    let result = push(receiver, stream, sizes);
    let reply = receiver.reply();
    assert_eq!(reply.status().is_some(), result.is_ok(), "a reply exactly when nothing is wrong");
    assert!(reply.fields().text().len() <= HEAD_BYTES_MAX, "a head of {} bytes", reply.fields().text().len());
    assert!(reply.body().len() <= kept_max(expected), "{} bytes kept", reply.body().len());
    let (head, body) = receiver.remains();
    let head = head.text();
    assert!(head.len() + body.len() <= REMAINS_BYTES_MAX, "{} and {} bytes remain", head.len(), body.len());
    if result.is_ok() {
        let counted = [receiver.body_bytes(), receiver.decoded_bytes()];
        assert!(counted.iter().all(|&bytes| bytes <= BODY_LIMIT), "{counted:?} bytes");
        if !reply.body_truncated() && kept_max(expected) > 0 && !reply.body().is_empty() {
            assert_eq!(reply.body().len() as u64, receiver.decoded_bytes(), "a whole body is kept whole");
        }
    }
    result.map(|()| Seen {
        status: reply.status(),
        head: reply.fields().text().to_vec(),
        body: reply.body().to_vec(),
        body_bytes: receiver.body_bytes(),
        decoded_bytes: receiver.decoded_bytes(),
        truncated: reply.body_truncated(),
        informational: receiver.informational(),
        persistent: receiver.is_persistent(),
    })
}

/// The most bytes of a body that may be kept.
fn kept_max(expected: Expected) -> usize {
    let asked = match expected.keep_body {
        KeepBody::Discard => 0,
        KeepBody::UpTo(most) => most,
    };
    asked.max(expected.keep_failed_bytes).min(BODY_LIMIT as usize)
}

fn push(receiver: &mut Receiver, stream: &[u8], sizes: &[u8]) -> Result<(), CodecError> {
    let mut rest = stream;
    let mut sizes = sizes.iter().cycle();
    let mut complete = false;
    while !rest.is_empty() {
        let size = sizes.next().map_or(rest.len(), |&size| usize::from(size).clamp(1, rest.len()));
        let (piece, after) = rest.split_at(size);
        rest = after;
        complete = receiver.push(piece)?;
    }
    if complete { Ok(()) } else { receiver.end() }
}

/// The same reply, or both wrong. What is wrong may be called differently where two things are: a stream that ends
/// inside broken bytes, and coded data that are damaged behind the limit of the body.
fn agree(one: &Result<Seen, CodecError>, other: &Result<Seen, CodecError>, how: &str) {
    let either = |error: &CodecError| {
        use CodecError::{Coding, EndedBeforeReply, EndedInside};
        matches!(error, EndedBeforeReply | EndedInside(_) | Coding { .. })
    };
    match (one, other) {
        (Err(one), Err(other)) => {
            assert!(one.kind() == other.kind() || either(one) || either(other), "{how}: {one} or {other}");
        }
        _ => assert_eq!(one, other, "{how}"),
    }
}
