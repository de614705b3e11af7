//! Bytes as lines that a person can read and nothing can hide in: `\r\n` is shown, what does not print is hexadecimal.

use nmax_engine::{is_secret_header, redact_fields};
use nmax_metrics::Nanos;
use nmax_report::number;

use super::log::{Seen, What};

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
    show_secrets: bool,
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
    /// Bytes of this body that were shown, and that were not.
    shown: usize,
    hidden: u64,
}

impl Printer {
    /// Nothing came yet.
    pub fn new(show_secrets: bool) -> Self {
        let stream = |mark| Stream {
            mark,
            open: Vec::new(),
            since: Nanos::ZERO,
            is_head: true,
            is_interim: false,
            shown: 0,
            hidden: 0,
        };
        Self {
            show_secrets,
            sent: stream('>'),
            received: stream('<'),
        }
    }

    /// The lines that this event completes.
    pub fn event(&mut self, event: &Seen) -> String {
        let mut out = String::new();
        let show_secrets = self.show_secrets;
        match &event.what {
            What::Sent(bytes) => {
                // A request begins where the last reply ended.
                if self.received.shown > 0 || self.received.hidden > 0 || !self.received.is_head {
                    self.received.close(show_secrets, &mut out);
                    self.sent.close(show_secrets, &mut out);
                }
                self.sent.push(event.at, bytes, show_secrets, &mut out);
            }
            What::Received(bytes) => {
                self.sent.flush(show_secrets, &mut out);
                self.received.push(event.at, bytes, show_secrets, &mut out);
            }
            What::Note(words) => {
                self.sent.close(show_secrets, &mut out);
                self.received.close(show_secrets, &mut out);
                line(event.at, '*', words, &mut out);
            }
        }
        out
    }

    /// What is left at the end.
    pub fn rest(&mut self) -> String {
        let mut out = String::new();
        self.sent.close(self.show_secrets, &mut out);
        self.received.close(self.show_secrets, &mut out);
        out
    }
}

impl Stream {
    fn push(&mut self, at: Nanos, bytes: &[u8], show_secrets: bool, out: &mut String) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.is_head && self.shown >= BODY_BYTES_MAX {
                self.hidden += piece.len() as u64;
                continue;
            }
            if self.open.is_empty() {
                self.since = at;
            }
            self.open.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.open.len() >= self.room() {
                self.flush(show_secrets, out);
            }
        }
    }

    /// Bytes of the open line that may wait for its end.
    fn room(&self) -> usize {
        if self.is_head {
            LINE_BYTES_MAX
        } else {
            BODY_BYTES_MAX.saturating_sub(self.shown)
        }
    }

    /// Prints the line that has begun.
    fn flush(&mut self, show_secrets: bool, out: &mut String) {
        if self.open.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.open);
        let text = shown(&bytes, self.is_head && !show_secrets, !show_secrets);
        line(self.since, self.mark, &text, out);
        if !self.is_head {
            self.shown += bytes.len();
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
    fn close(&mut self, show_secrets: bool, out: &mut String) {
        self.flush(show_secrets, out);
        if self.hidden > 0 {
            let hidden = number::count(self.hidden);
            out.push_str(&format!("            {} [{hidden} more bytes]\n", self.mark));
        }
        (self.is_head, self.is_interim, self.shown, self.hidden) = (true, false, 0, 0);
    }
}

fn line(at: Nanos, mark: char, text: &str, out: &mut String) {
    out.push_str(&format!("{:>8.2} ms {mark} {text}\n", at.as_millis_f64()));
}

/// The bytes of a line, escaped; the values of secret headers and fields taken out.
fn shown(bytes: &[u8], is_header: bool, is_redacted: bool) -> String {
    let end = bytes.len() - line_end(bytes).len();
    let (text, end) = (escaped(&bytes[..end]), escaped(line_end(bytes)));
    let text = match text.split_once(':') {
        Some((name, _)) if is_header && is_secret_header(name.trim()) => format!("{name}: {MASK}"),
        _ if is_redacted => redact_fields(&text),
        _ => text,
    };
    if text.chars().count() <= LINE_CHARS_MAX {
        return text + &end;
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
                // What turns the direction of text or has no width can hide text.
                c if c.is_control()
                    || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}') =>
                {
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
