//! Bytes as lines that a person can read and nothing can hide in: `\r\n` is shown, what does not print is hexadecimal.

use nmax_metrics::Nanos;
use nmax_plan::secret::is_secret_header;
use nmax_report::number;
use nmax_text::is_hidden;

use super::log::{Seen, What};
use super::parts::Parts;
use crate::secrets::Shown;

/// Bytes of one body that are shown.
const BODY_BYTES_MAX: usize = 4_000;
/// Characters of one line that are shown.
const LINE_CHARS_MAX: usize = 400;
/// A line of a head that does not end is broken here.
const LINE_BYTES_MAX: usize = 64 << 10;
/// What stands in the place of a secret.
const MASK: &str = "[redacted]";

/// Prints events; secrets are taken out unless asked for.
#[derive(Debug)]
pub struct Printer {
    shown: Shown,
    sent: Stream,
    received: Stream,
}

/// The bytes of one direction.
#[derive(Debug)]
struct Stream {
    mark: char,
    /// A line that has begun, and when.
    open: Vec<u8>,
    since: Nanos,
    is_head: bool,
    /// An interim reply: another head follows.
    is_interim: bool,
    parts: Parts,
    /// Bytes of this body that were shown, and that were not.
    seen: usize,
    hidden: u64,
}

impl Printer {
    /// Nothing came yet.
    pub fn new(shown: Shown) -> Self {
        let stream = |mark| Stream {
            mark,
            open: Vec::new(),
            since: Nanos::ZERO,
            is_head: true,
            is_interim: false,
            parts: Parts::default(),
            seen: 0,
            hidden: 0,
        };
        Self { shown, sent: stream('>'), received: stream('<') }
    }

    /// The lines that this event completes.
    pub fn event(&mut self, event: &Seen) -> String {
        let mut out = String::new();
        let shown = &self.shown;
        match &event.what {
            What::Sent(bytes) => {
                // A reply may come while its request is still being sent: only a note ends both.
                self.received.flush(shown, &mut out);
                self.sent.push(event.at, bytes, shown, &mut out);
            }
            What::Received(bytes) => {
                self.sent.flush(shown, &mut out);
                self.received.push(event.at, bytes, shown, &mut out);
            }
            What::Note(words) => {
                self.sent.close(shown, &mut out);
                self.received.close(shown, &mut out);
                line(event.at, '*', words, &mut out);
            }
        }
        out
    }

    /// What is left at the end.
    pub fn rest(&mut self) -> String {
        let mut out = String::new();
        self.sent.close(&self.shown, &mut out);
        self.received.close(&self.shown, &mut out);
        out
    }
}

impl Stream {
    fn push(&mut self, at: Nanos, bytes: &[u8], shown: &Shown, out: &mut String) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.is_head && self.seen >= BODY_BYTES_MAX {
                self.hidden += piece.len() as u64;
                continue;
            }
            if self.open.is_empty() {
                self.since = at;
            }
            self.open.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.open.len() >= self.room() {
                self.flush(shown, out);
            }
        }
    }

    /// Bytes of the open line that may wait for its end.
    fn room(&self) -> usize {
        if self.is_head { LINE_BYTES_MAX } else { BODY_BYTES_MAX.saturating_sub(self.seen) }
    }

    /// Prints the line that has begun.
    fn flush(&mut self, shown: &Shown, out: &mut String) {
        if self.open.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.open);
        let text = if shown.with_secrets() {
            cut(escaped_line(&bytes), &bytes)
        } else if self.is_head {
            self.parts.header(&bytes);
            masked_header(&bytes, shown)
        } else if self.parts.holds_secret(&bytes) {
            MASK.to_owned() + &escaped(line_end(&bytes))
        } else {
            masked(&bytes, shown)
        };
        line(self.since, self.mark, &text, out);
        if !self.is_head {
            self.seen += bytes.len();
            return;
        }
        if bytes.starts_with(b"HTTP/1.") {
            self.is_interim = bytes.get(8..10) == Some(b" 1") && !bytes[9..].starts_with(b"101");
        }
        if matches!(bytes.as_slice(), b"\r\n" | b"\n") {
            self.is_head = std::mem::take(&mut self.is_interim);
        }
    }

    /// Ends a message: what was not shown of it is counted.
    fn close(&mut self, shown: &Shown, out: &mut String) {
        self.flush(shown, out);
        if self.hidden > 0 {
            let hidden = number::count(self.hidden);
            out.push_str(&format!("            {} [{hidden} more bytes]\n", self.mark));
        }
        (self.is_head, self.is_interim, self.seen, self.hidden) = (true, false, 0, 0);
        self.parts = Parts::default();
    }
}

fn line(at: Nanos, mark: char, text: &str, out: &mut String) {
    out.push_str(&format!("{:>8.2} ms {mark} {text}\n", at.as_millis_f64()));
}

/// A line of a head, the value of a secret header taken out.
fn masked_header(bytes: &[u8], shown: &Shown) -> String {
    match escaped_line(bytes).split_once(':') {
        Some((name, _)) if is_secret_header(name.trim()) => format!("{name}: {MASK}{}", escaped(line_end(bytes))),
        _ => masked(bytes, shown),
    }
}

/// A line with the values of secret fields taken out.
fn masked(bytes: &[u8], shown: &Shown) -> String {
    cut(shown.text(&escaped_line(bytes)), bytes)
}

/// A line without its end, escaped.
fn escaped_line(bytes: &[u8]) -> String {
    escaped(&bytes[..bytes.len() - line_end(bytes).len()])
}

/// The text of a line, not too much of it, with its end.
fn cut(text: String, bytes: &[u8]) -> String {
    if text.chars().count() <= LINE_CHARS_MAX {
        return text + &escaped(line_end(bytes));
    }
    let short: String = text.chars().take(LINE_CHARS_MAX).collect();
    format!("{short}… [line of {} bytes]", number::count(bytes.len() as u64))
}

fn line_end(bytes: &[u8]) -> &[u8] {
    if bytes.ends_with(b"\r\n") {
        b"\r\n"
    } else if bytes.ends_with(b"\n") {
        b"\n"
    } else {
        b""
    }
}

/// Text stays; control characters, the backslash before them and bytes that are no text are escaped.
fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\r' => out.push_str("\\r"),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                // As bytes, for bytes are what came.
                c if is_hidden(c) => {
                    let mut buffer = [0; 4];
                    c.encode_utf8(&mut buffer).bytes().for_each(|byte| hex(byte, &mut out));
                }
                c => out.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| hex(*byte, &mut out));
    }
    out
}

fn hex(byte: u8, out: &mut String) {
    out.push_str(&format!("\\x{byte:02x}"));
}
