//! What is wrong with a named format, and why a sample has none.

use std::fmt;

/// How to name a format; the end of every message.
const HOW: &str = "name it: common, combined, apache, nginx, vhost_combined, iis, haproxy, alb, elb, s3, cloudfront, caddy or json; \
     or give the format string of the server's configuration: Apache's LogFormat ('%h %l %u %t \"%r\" %>s %b'), \
     nginx's log_format ('$remote_addr [$time_local] \"$request\" $status'), a '#Fields: date time ...' line, \
     or the names in JSON lines ('json time=ts method=verb target=url status=code duration=took:ms')";

/// Longest part of a line that a message shows, in bytes.
const SHOWN_BYTES_MAX: usize = 120;

/// What is wrong with a format that a person gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// The format as given.
    pub spec: String,
    /// All that is wrong with it, in the order of the columns.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong with a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Byte in the format, from 0; `None` where the whole is meant.
    pub at: Option<usize>,
    /// What is wrong, and what to do.
    pub what: String,
}

impl FormatError {
    /// The error of a format that is neither a name nor a format string.
    pub(super) fn unknown(spec: &str) -> Self {
        let what = "is neither the name of a format nor a format string with fields".to_owned();
        Self { spec: spec.to_owned(), problems: vec![Problem { at: None, what }] }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "log format `{}`", shown(self.spec.as_bytes()))?;
        for problem in &self.problems {
            match problem.at {
                Some(at) => write!(f, "\n  column {}: {}", at + 1, problem.what)?,
                None => write!(f, "\n  {}", problem.what)?,
            }
        }
        write!(f, "\n  help: {HOW}")
    }
}

impl std::error::Error for FormatError {}

/// A sample of lines that no format reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DetectError {
    /// The first lines, cut and made printable.
    pub lines: Vec<String>,
    /// What was tried, with how many lines it read and why it did not read the first of the others.
    pub tried: Vec<String>,
    /// What the bytes look like instead: compressed, UTF-16, nothing at all.
    pub hint: Option<String>,
}

impl DetectError {
    /// The error of `sample`, for which `tried` was tried.
    pub(super) fn for_sample(sample: &[&[u8]], tried: Vec<String>) -> Self {
        let lines = sample.iter().filter(|line| !line.trim_ascii().is_empty()).take(3);
        Self { lines: lines.map(|line| shown(line)).collect(), tried, hint: hint(sample) }
    }
}

impl fmt::Display for DetectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no known log format fits these lines")?;
        if let Some(hint) = &self.hint {
            write!(f, ": {hint}")?;
        }
        for line in &self.lines {
            write!(f, "\n  | {line}")?;
        }
        for tried in &self.tried {
            write!(f, "\n  tried {tried}")?;
        }
        write!(f, "\n  help: {HOW}")
    }
}

impl std::error::Error for DetectError {}

/// What bytes that are no log look like.
fn hint(sample: &[&[u8]]) -> Option<String> {
    let first = sample.iter().find(|line| !line.is_empty());
    let Some(first) = first else {
        return Some("there are no lines".to_owned());
    };
    let compressed = [
        (&[0x1f, 0x8b][..], "gzip"),
        (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"),
        (b"BZh", "bzip2"),
        (&[0xfd, b'7', b'z', b'X', b'Z'], "xz"),
        (b"PK\x03\x04", "zip"),
    ];
    if let Some((_, name)) = compressed.iter().find(|(magic, _)| first.starts_with(magic)) {
        return Some(format!("they are compressed with {name}"));
    }
    let nul = first.iter().filter(|&&byte| byte == 0).count();
    if first.starts_with(&[0xff, 0xfe]) || first.starts_with(&[0xfe, 0xff]) || nul * 3 > first.len() {
        return Some("they look like UTF-16; convert the file to UTF-8 first".to_owned());
    }
    None
}

/// `text` cut to what fits a message, with bytes that are no text made visible.
pub(super) fn shown(text: &[u8]) -> String {
    let cut = &text[..text.len().min(SHOWN_BYTES_MAX)];
    let mut out = nmax_text::shown(&String::from_utf8_lossy(cut)).into_owned();
    if cut.len() < text.len() {
        out.push('…');
    }
    out
}
