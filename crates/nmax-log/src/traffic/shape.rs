//! What a text by itself tells: identifiers in paths, static content, robots.

use std::borrow::Cow;

use nmax_text::{is_uuid, percent};

/// Longest segment that may be a name.
const NAME_BYTES_MAX: usize = 64;
/// Longest extension of a file.
const EXTENSION_BYTES_MAX: usize = 5;
/// Letters and digits in a mixture are a token from this length on.
const TOKEN_BYTES_MIN: usize = 20;
/// Hexadecimal digits are a number from this length on.
const HEX_BYTES_MIN: usize = 8;
/// They are an identifier within a slug from this length on, letters and digits mixed.
const HEX_PIECE_BYTES_MIN: usize = 6;
/// Digits are an identifier within a slug from this length on: more than a year has.
const DIGITS_PIECE_BYTES_MIN: usize = 5;

/// Extensions of what browsers fetch with a page.
const STATIC: [&str; 36] = [
    "avif", "bmp", "br", "css", "cur", "eot", "gif", "ico", "jpeg", "jpg", "js", "jxl", "m4a", "m4s", "map", "mjs",
    "mp3", "mp4", "mpd", "ogg", "otf", "png", "svg", "swf", "tif", "tiff", "ts", "ttf", "wasm", "wav", "webm", "webp",
    "woff", "woff2", "m3u8", "webmanifest",
];

/// Parts of the agents of robots, in lower case.
const ROBOTS: [&[u8]; 22] = [
    b"bot", b"crawl", b"spider", b"slurp", b"monitor", b"pingdom", b"uptime", b"statuscake", b"healthcheck", b"elb-",
    b"kube-probe", b"googlehc", b"facebookexternalhit", b"mediapartners", b"feedfetcher", b"scanner", b"nmap",
    b"nikto", b"sqlmap", b"zgrab", b"archiver", b"preview",
];

/// A target whose bytes may all stand in a request line; the others are percent-encoded, as a browser would send them.
pub(crate) fn encoded(target: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(target) {
        Ok(text) if target.iter().all(u8::is_ascii_graphic) => Cow::Borrowed(text),
        _ => Cow::Owned(percent::encode_but(target, |byte| byte.is_ascii_graphic())),
    }
}

/// A path without its query and fragment, and the query. A URL is cut to its path.
pub(crate) fn split(target: &[u8]) -> (&[u8], &[u8]) {
    let target = path_of_url(target);
    let end = target.iter().position(|byte| matches!(byte, b'?' | b'#')).unwrap_or(target.len());
    let (path, rest) = target.split_at(end);
    let query = rest.strip_prefix(b"?").unwrap_or_default();
    let query = query.split(|byte| *byte == b'#').next().unwrap_or_default();
    (path, query)
}

/// What stands behind scheme and host of a URL; anything else is returned as it is.
pub(crate) fn path_of_url(text: &[u8]) -> &[u8] {
    if text.first() == Some(&b'/') {
        return text;
    }
    let rest = match text {
        [b'h' | b'H', b't' | b'T', b't' | b'T', b'p' | b'P', b':', b'/', b'/', rest @ ..]
        | [b'h' | b'H', b't' | b'T', b't' | b'T', b'p' | b'P', b's' | b'S', b':', b'/', b'/', rest @ ..] => rest,
        _ => return text,
    };
    match memchr::memchr(b'/', rest) {
        Some(at) => &rest[at..],
        None => b"/",
    }
}

/// Where the extension of a segment begins, dot included: 1 to 5 letters and digits, the first a letter.
fn extension_at(segment: &[u8]) -> Option<usize> {
    let dot = memchr::memrchr(b'.', segment)?;
    let extension = &segment[dot + 1..];
    let is_one = dot > 0
        && (1..=EXTENSION_BYTES_MAX).contains(&extension.len())
        && extension[0].is_ascii_alphabetic()
        && extension.iter().all(u8::is_ascii_alphanumeric);
    is_one.then_some(dot)
}

/// A segment in the place of which others stand as well: `{id}`, with the extension of the segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hole {
    bytes: [u8; 4 + 1 + EXTENSION_BYTES_MAX],
    length: usize,
}

impl Hole {
    /// The hole for a segment, whatever that looks like.
    pub(crate) fn for_segment(segment: &[u8]) -> Self {
        let extension = extension_at(segment).map_or(&b""[..], |at| &segment[at..]);
        let mut bytes = *b"{id}......";
        bytes[4..4 + extension.len()].copy_from_slice(extension);
        bytes[4..].make_ascii_lowercase();
        Self { bytes, length: 4 + extension.len() }
    }

    /// The hole for a segment that can only be an identifier.
    pub(crate) fn of_identifier(segment: &[u8]) -> Option<Self> {
        let stem = extension_at(segment).map_or(segment, |at| &segment[..at]);
        // A digest in the name of a style sheet tells versions of it apart.
        let has_one = || !is_static(segment) && has_identifier(stem);
        (is_identifier(stem) || has_one()).then(|| Self::for_segment(segment))
    }

    pub(crate) fn name(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Whether a text can only be an identifier: digits with signs between them, a UUID, hexadecimal digits, a long mixture.
///
/// ```text
/// 17   2024-01-31   1.2   550e8400-e29b-41d4-a716-446655440000   4f3a9b21   dQw4w9WgXcQdQw4w9WgXcQ
/// ```
pub(crate) fn is_identifier(text: &[u8]) -> bool {
    if text.len() > NAME_BYTES_MAX {
        return true;
    }
    let (mut digits, mut hex, mut letters, mut signs, mut others) = (0, 0, 0, 0, 0);
    let (mut changes, mut last_is_digit) = (0, false);
    for byte in text {
        let is_digit = byte.is_ascii_digit();
        match byte {
            b'0'..=b'9' => digits += 1,
            b'a'..=b'f' | b'A'..=b'F' => hex += 1,
            b'g'..=b'z' | b'G'..=b'Z' => letters += 1,
            b'-' | b'_' | b'.' | b':' | b',' | b'~' => signs += 1,
            _ => others += 1,
        }
        changes += usize::from(is_digit != last_is_digit);
        last_is_digit = is_digit;
    }
    if digits == 0 || others > 0 {
        return false;
    }
    let is_number = hex + letters == 0;
    let is_hex = letters == 0 && digits + hex >= HEX_BYTES_MIN && (signs == 0 || is_uuid(text));
    // Words with a number (`top-10-songs-of-2024`) change between letters and digits a few times only.
    let is_token = text.len() >= TOKEN_BYTES_MIN && changes >= 5;
    is_number || is_hex || is_token
}

/// Whether a slug has an identifier between its signs: `p6-9d1c81`, `oak-table-120817`.
fn has_identifier(slug: &[u8]) -> bool {
    let is_one = |piece: &[u8]| {
        let digits = piece.iter().filter(|byte| byte.is_ascii_digit()).count();
        let changes = piece.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
        let is_hex = piece.len() >= HEX_PIECE_BYTES_MIN && piece.iter().all(u8::is_ascii_hexdigit);
        // `facade1` is a word with a number.
        let is_mixed = changes >= 2 || changes == 1 && digits >= 2;
        is_hex && is_mixed || digits == piece.len() && digits >= DIGITS_PIECE_BYTES_MIN
    };
    slug.split(|byte| b"-_~".contains(byte)).any(is_one)
}

/// Whether a name is of words or numbers with signs between them, or of both: a slug, as articles have.
pub(crate) fn is_slug(name: &[u8]) -> bool {
    let stem = extension_at(name).map_or(name, |at| &name[..at]);
    stem.iter().any(|byte| byte.is_ascii_digit() || b"-_~".contains(byte))
}

/// Whether a path names static content, by its extension.
pub(crate) fn is_static(path: &[u8]) -> bool {
    let from = memchr::memrchr(b'/', path).map_or(0, |at| at + 1);
    let Some(dot) = memchr::memrchr(b'.', &path[from..]) else {
        return false;
    };
    let extension = &path[from + dot + 1..];
    STATIC.iter().any(|known| extension.eq_ignore_ascii_case(known.as_bytes()))
}

/// Who asks, by the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientKind {
    /// Somebody.
    Visitor,
    /// A robot that says so.
    Robot,
    /// A load test by nmax.
    LoadTest,
}

/// Who an agent says that it is.
pub(crate) fn client_kind(agent: &[u8]) -> ClientKind {
    if agent == b"nmax" || agent.starts_with(b"nmax/") {
        return ClientKind::LoadTest;
    }
    let lower: Vec<u8> = agent.iter().map(u8::to_ascii_lowercase).collect();
    if ROBOTS.iter().any(|part| memchr::memmem::find(&lower, part).is_some()) {
        ClientKind::Robot
    } else {
        ClientKind::Visitor
    }
}

#[cfg(test)]
mod tests;
