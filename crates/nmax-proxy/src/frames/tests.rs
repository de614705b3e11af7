use proptest::prelude::*;

use super::*;

fn read(bytes: &[u8], pieces: usize) -> Vec<FrameEvent> {
    let mut frames = Frames::default();
    let mut events = Vec::new();
    for piece in bytes.chunks(pieces.max(1)) {
        frames.push(piece, &mut |one| events.push(one));
    }
    events
}

/// A frame as RFC 6455, section 5.2, draws it.
fn frame(first: u8, mask: Option<[u8; 4]>, content: &[u8]) -> Vec<u8> {
    let bit = if mask.is_some() { 0x80 } else { 0 };
    let mut frame = vec![first];
    match content.len() {
        0..126 => frame.push(bit | content.len() as u8),
        126..65_536 => {
            frame.push(bit | 126);
            frame.extend((content.len() as u16).to_be_bytes());
        }
        _ => {
            frame.push(bit | 127);
            frame.extend((content.len() as u64).to_be_bytes());
        }
    }
    let key = mask.unwrap_or_default();
    frame.extend(mask.iter().flatten());
    frame.extend(content.iter().enumerate().map(|(at, byte)| byte ^ key[at % 4]));
    frame
}

proptest! {
    /// Law: what was written in frames, in any number of fragments with pings between them and in pieces of any size, is
    /// read as the same messages.
    #[test]
    fn messages_come_back(
        messages in prop::collection::vec((any::<bool>(), prop::collection::vec(".{0,40}", 1..4)), 0..5),
        large in 0..70_000_usize,
        mask in any::<Option<[u8; 4]>>(),
        pieces in 1..5_000_usize,
    ) {
        let mut bytes = frame(0x82, mask, &vec![7; large]);
        let mut want = vec![FrameEvent::Message(2, STANDARD.encode(vec![7; large]))];
        for (is_text, parts) in &messages {
            let opcode = if *is_text { 1 } else { 2 };
            for (index, part) in parts.iter().enumerate() {
                let last = if index + 1 == parts.len() { 0x80 } else { 0 };
                bytes.extend(frame(last | if index == 0 { opcode } else { 0 }, mask, part.as_bytes()));
                bytes.extend(frame(0x89, mask, b"still there?"));
            }
            want.push(message(opcode, parts.concat().into_bytes()));
        }
        prop_assert_eq!(read(&bytes, pieces), want);
    }

    /// Any bytes end in messages or in garbage, said once.
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..2_000), pieces in 1..50_usize) {
        let events = read(&bytes, pieces);
        prop_assert!(events.iter().filter(|one| **one == FrameEvent::Garbage).count() <= 1);
    }
}

#[test]
fn a_message_beyond_the_limit_is_left_out_and_the_next_one_is_not() {
    let mut bytes = frame(0x01, None, &vec![b'a'; MESSAGE_BYTES_MAX]);
    bytes.extend(frame(0x80, None, b"one more"));
    bytes.extend(frame(0x81, None, b"short"));
    assert_eq!(read(&bytes, 4_096), [FrameEvent::TooLong, FrameEvent::Message(1, "short".into())]);
}
