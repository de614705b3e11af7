//! Messages of a WebSocket, read from one direction of its bytes as they pass (RFC 6455). Nothing is changed or held up:
//! the bytes go on whatever stands in them. Pings, pongs and the closing handshake are no messages.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Bytes of one message that are kept; a longer one is left out.
const MESSAGE_BYTES_MAX: usize = 1 << 20;

/// What a direction said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FrameEvent {
    /// A whole message: opcode 1 (text) or 2 (binary, as base64).
    Message(u8, String),
    /// One that is too long to keep.
    TooLong,
    /// Bytes that are no WebSocket; nothing more will be read.
    Garbage,
}

/// Reads one direction.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    head: Vec<u8>,
    frame: Option<Frame>,
    /// Of the message that is being put together: opcode, content so far.
    message: Option<(u8, Vec<u8>)>,
    is_too_long: bool,
    is_garbage: bool,
}

#[derive(Debug)]
struct Frame {
    is_last: bool,
    opcode: u8,
    left: u64,
    mask: Option<[u8; 4]>,
    /// Position in the mask.
    at: usize,
}

impl Frames {
    /// Takes the next bytes, in pieces of any size.
    pub(crate) fn push(&mut self, mut bytes: &[u8], say: &mut dyn FnMut(FrameEvent)) {
        while !self.is_garbage {
            if self.frame.is_none() && !self.take_head(&mut bytes, say) {
                return;
            }
            let Some(frame) = &mut self.frame else { return };
            let count = usize::try_from(frame.left).unwrap_or(usize::MAX).min(bytes.len());
            let (part, rest) = bytes.split_at(count);
            bytes = rest;
            frame.left -= count as u64;
            let is_control = frame.opcode >= 8;
            if let (false, Some((_, content))) = (is_control, &mut self.message) {
                if content.len() + count > MESSAGE_BYTES_MAX {
                    self.is_too_long = true;
                    content.clear();
                }
                if !self.is_too_long {
                    let (mask, at) = (frame.mask, frame.at);
                    content.extend(part.iter().enumerate().map(|(index, byte)| match mask {
                        Some(mask) => byte ^ mask[(at + index) % 4],
                        None => *byte,
                    }));
                }
            }
            frame.at = (frame.at + count) % 4;
            if frame.left > 0 {
                return;
            }
            let is_end = frame.is_last && !is_control;
            self.frame = None;
            if is_end && let Some((opcode, content)) = self.message.take() {
                say(if std::mem::take(&mut self.is_too_long) { FrameEvent::TooLong } else { message(opcode, content) });
            }
        }
    }

    /// Reads a frame's head; `false` when it is not complete yet, or none.
    fn take_head(&mut self, bytes: &mut &[u8], say: &mut dyn FnMut(FrameEvent)) -> bool {
        loop {
            if let Some(frame) = head(&self.head) {
                let begins = frame.opcode == 1 || frame.opcode == 2;
                let fits = match frame.opcode {
                    0 => self.message.is_some(),
                    1 | 2 => self.message.is_none(),
                    8..=10 => frame.is_last && frame.left <= 125,
                    _ => false,
                };
                // Reserved bits belong to extensions, and none was offered.
                if !fits || self.head[0] & 0x70 != 0 {
                    self.is_garbage = true;
                    self.message = None;
                    say(FrameEvent::Garbage);
                    return false;
                }
                if begins {
                    self.message = Some((frame.opcode, Vec::new()));
                }
                self.head.clear();
                self.frame = Some(frame);
                return true;
            }
            let Some((first, rest)) = bytes.split_first() else {
                return false;
            };
            self.head.push(*first);
            *bytes = rest;
        }
    }
}

/// A head, when all of it is there.
fn head(bytes: &[u8]) -> Option<Frame> {
    let (&first, &second) = (bytes.first()?, bytes.get(1)?);
    let (length, at) = match second & 0x7f {
        126 => (u64::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)), 4),
        127 => (u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?), 10),
        short => (u64::from(short), 2),
    };
    let mask = if second & 0x80 != 0 { Some(bytes.get(at..at + 4)?.try_into().ok()?) } else { None };
    Some(Frame { is_last: first & 0x80 != 0, opcode: first & 0x0f, left: length, mask, at: 0 })
}

fn message(opcode: u8, content: Vec<u8>) -> FrameEvent {
    let data = match opcode {
        1 => String::from_utf8_lossy(&content).into_owned(),
        _ => STANDARD.encode(content),
    };
    FrameEvent::Message(opcode, data)
}

#[cfg(test)]
mod tests;
