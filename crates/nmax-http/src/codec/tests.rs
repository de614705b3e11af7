//! Replies from text, pushed in pieces.

mod content;
mod framing;
mod head;
mod invalid;
mod laws;

use super::*;

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
