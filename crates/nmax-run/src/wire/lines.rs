//! Bytes as lines that a person can read and nothing can hide in: `\r\n` is shown, what does not print is hexadecimal.

use std::ops::Range;

use nmax_metrics::Nanos;
use nmax_report::number;
use nmax_secrets::MASK;
use nmax_text::is_hidden;

use super::log::{Seen, WireEntry};
use crate::secrets::Shown;

/// Bytes of one body that are shown.
const BODY_BYTES_MAX: usize = 4_000;
/// Characters of one line that are shown.
const LINE_CHARS_MAX: usize = 400;
/// A line of a head that does not end is broken here.
const LINE_BYTES_MAX: usize = 64 << 10;

/// Prints events; secrets are taken out unless asked for.
#[derive(Debug)]
pub(crate) struct Printer {
    shown: Shown,
    sent: Stream,
    received: Stream,
}

/// The bytes of one direction.
#[derive(Debug)]
struct Stream {
    mark: char,
    /// A line of the head that has begun, and when.
    open: Vec<u8>,
    since: Nanos,
    is_head: bool,
    /// No line of this head has come.
    is_first: bool,
    /// An interim reply: another head follows.
    is_interim: bool,
    content_type: String,
    /// Frames of chunks stand in the body.
    is_chunked: bool,
    body: Body,
}

/// The beginning of a body. Its secrets may be in several lines, so it is printed once it has come, or what comes next.
#[derive(Debug, Default)]
struct Body {
    bytes: Vec<u8>,
    /// Where each piece begins, and when it came.
    pieces: Vec<(usize, Nanos)>,
    /// Bytes that are printed.
    printed: usize,
    /// Bytes beyond those that are kept.
    hidden: u64,
}

impl Printer {
    /// Nothing came yet.
    pub(crate) fn new(shown: Shown) -> Self {
        let stream = |mark| Stream {
            mark,
            open: Vec::new(),
            since: Nanos::ZERO,
            is_head: true,
            is_first: true,
            is_interim: false,
            content_type: String::new(),
            is_chunked: false,
            body: Body::default(),
        };
        Self { shown, sent: stream('>'), received: stream('<') }
    }

    /// The lines that this event completes.
    pub(crate) fn event(&mut self, event: &Seen) -> String {
        let mut out = String::new();
        let shown = &self.shown;
        match &event.what {
            WireEntry::Sent(bytes) => {
                // A reply may come while its request is still being sent: only a note ends both.
                self.received.flush(shown, &mut out);
                self.sent.push(event.at, bytes, shown, &mut out);
            }
            WireEntry::Received(bytes) => {
                self.sent.flush(shown, &mut out);
                self.received.push(event.at, bytes, shown, &mut out);
            }
            WireEntry::Note(words) => {
                self.sent.close(shown, &mut out);
                self.received.close(shown, &mut out);
                line(event.at, '*', words, &mut out);
            }
        }
        out
    }

    /// What is left at the end.
    pub(crate) fn rest(&mut self) -> String {
        let mut out = String::new();
        self.sent.close(&self.shown, &mut out);
        self.received.close(&self.shown, &mut out);
        out
    }
}

impl Stream {
    fn push(&mut self, at: Nanos, bytes: &[u8], shown: &Shown, out: &mut String) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.is_head {
                self.body.push(at, piece);
                continue;
            }
            if self.open.is_empty() {
                self.since = at;
            }
            self.open.extend_from_slice(piece);
            if piece.ends_with(b"\n") || self.open.len() >= LINE_BYTES_MAX {
                self.flush(shown, out);
            }
        }
    }

    /// Prints what has come: the line of the head that has begun, or the body.
    fn flush(&mut self, shown: &Shown, out: &mut String) {
        self.body.print(self.mark, (&self.content_type, self.is_chunked), shown, out);
        if self.open.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.open);
        let text = escaped_line(&bytes);
        let text = match text.split_once(':') {
            _ if std::mem::take(&mut self.is_first) => shown.first_line(&text),
            Some((name, value)) => {
                let rest = value.trim_start();
                if name.trim().eq_ignore_ascii_case("content-type") {
                    rest.clone_into(&mut self.content_type);
                }
                self.is_chunked |= name.trim().eq_ignore_ascii_case("transfer-encoding");
                format!("{name}:{}{}", &value[..value.len() - rest.len()], shown.header(name, rest))
            }
            None => shown.text(&text),
        };
        line(self.since, self.mark, &cut(text, &bytes), out);
        if bytes.starts_with(b"HTTP/1.") {
            self.is_interim = bytes.get(8..10) == Some(b" 1") && !bytes[9..].starts_with(b"101");
        }
        if matches!(bytes.as_slice(), b"\r\n" | b"\n") {
            self.is_head = std::mem::take(&mut self.is_interim);
            self.is_first = self.is_head;
        }
    }

    /// Ends a message: what was not shown of it is counted.
    fn close(&mut self, shown: &Shown, out: &mut String) {
        self.flush(shown, out);
        let body = std::mem::take(&mut self.body);
        if body.hidden > 0 {
            let hidden = number::count(body.hidden);
            out.push_str(&format!("            {} [{hidden} more bytes]\n", self.mark));
        }
        (self.is_head, self.is_first, self.is_interim) = (true, true, false);
        self.content_type.clear();
        self.is_chunked = false;
    }
}

impl Body {
    fn push(&mut self, at: Nanos, piece: &[u8]) {
        let kept = piece.len().min(BODY_BYTES_MAX - self.bytes.len());
        if kept > 0 {
            self.pieces.push((self.bytes.len(), at));
            self.bytes.extend_from_slice(&piece[..kept]);
        }
        self.hidden += (piece.len() - kept) as u64;
    }

    /// Prints the lines that are not printed yet, without their secrets.
    fn print(&mut self, mark: char, (content_type, is_chunked): (&str, bool), shown: &Shown, out: &mut String) {
        if self.printed == self.bytes.len() {
            return;
        }
        let mut secrets = shown.secrets_in(&self.bytes, content_type);
        if is_chunked {
            // A secret may be in two chunks.
            let (plain, places) = unchunked(&self.bytes);
            let within = shown.secrets_in(&plain, content_type).into_iter();
            secrets.extend(within.map(|range| places[range.start]..places[range.end - 1] + 1));
            secrets.sort_by_key(|range| range.start);
        }
        for bytes in self.bytes[self.printed..].split_inclusive(|byte| *byte == b'\n') {
            let range = self.printed..self.printed + bytes.len();
            let piece = self.pieces.partition_point(|(start, _)| *start <= range.start);
            let at = self.pieces.get(piece.saturating_sub(1)).map_or(Nanos::ZERO, |(_, at)| *at);
            self.printed = range.end;
            line(at, mark, &cut(masked(&self.bytes, range, &secrets), bytes), out);
        }
    }
}

/// The content of chunks (RFC 9112, 7.1), as far as it came, and where each byte of it stands.
pub(super) fn unchunked(bytes: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut places, mut at) = (Vec::new(), 0);
    while let Some(length) = bytes[at..].iter().position(|byte| *byte == b'\n') {
        let size = String::from_utf8_lossy(&bytes[at..at + length]);
        let size = size.split(';').next().unwrap_or_default().trim();
        let Ok(size) = usize::from_str_radix(size, 16) else { break };
        let start = at + length + 1;
        let end = bytes.len().min(start.saturating_add(size));
        places.extend(start..end);
        at = bytes.len().min(end + 2);
        if size == 0 {
            break;
        }
    }
    (places.iter().map(|place| bytes[*place]).collect(), places)
}

/// The line in this range of a body, without its end, with masks in the place of secrets.
fn masked(body: &[u8], line: Range<usize>, secrets: &[Range<usize>]) -> String {
    let end = line.end - line_end(&body[line.clone()]).len();
    let (mut text, mut from) = (String::new(), line.start);
    for secret in secrets.iter().filter(|secret| secret.start < end && line.start < secret.end) {
        text.push_str(&escaped(&body[from..secret.start.max(from)]));
        text.push_str(MASK);
        from = from.max(secret.end.min(end));
    }
    text + &escaped(&body[from..end])
}

fn line(at: Nanos, mark: char, text: &str, out: &mut String) {
    out.push_str(&format!("{:>8.2} ms {mark} {text}\n", at.as_millis_f64()));
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
