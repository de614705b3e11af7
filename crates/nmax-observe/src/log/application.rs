//! What an application says of itself: lines by level, and errors by kind.
//!
//! Nothing is known of its format. A level is a word such as `ERROR` near the beginning of a line; a kind is the name of
//! an exception, such as `java.io.IOException` or `ValueError`, or that the program broke. Lines of a stack trace belong to
//! the line before them and count nothing; the line of the exception itself, which loggers write below their own without
//! indentation, tells what kind of error that was.

use std::collections::BTreeMap;

use nmax_log::format::lines::Cut;
use nmax_secrets::Redactor;
use nmax_sources::{Figure, Unit, figures};

/// Kinds that are told apart; the rest is `(other)`.
const KINDS_MAX: usize = 40;
/// Kinds whose first line is told.
const EXAMPLES_MAX: usize = 10;
/// Longest name of a kind, bytes.
const KIND_BYTES_MAX: usize = 100;
/// Of a line, what is looked at for a level, and for a kind, bytes.
const LEVEL_BYTES: usize = 200;
const KIND_BYTES: usize = 4_096;
/// Of an example, what is shown, characters.
const EXAMPLE_CHARS: usize = 200;
/// The kind of all beyond the most that are told apart.
const OTHER: &str = "(other)";
/// The kind of errors that name none.
const UNNAMED: &str = "(no kind)";

/// How bad a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Other,
    Warning,
    Error,
    Fatal,
}

/// Words of levels, in capital letters.
const LEVELS: [(&str, Level); 17] = [
    ("TRACE", Level::Other),
    ("DEBUG", Level::Other),
    ("INFO", Level::Other),
    ("NOTICE", Level::Other),
    ("LOG", Level::Other),
    ("WARN", Level::Warning),
    ("WARNING", Level::Warning),
    ("ERROR", Level::Error),
    ("ERR", Level::Error),
    ("SEVERE", Level::Error),
    ("FATAL", Level::Fatal),
    ("CRIT", Level::Fatal),
    ("CRITICAL", Level::Fatal),
    ("ALERT", Level::Fatal),
    ("EMERG", Level::Fatal),
    ("EMERGENCY", Level::Fatal),
    ("PANIC", Level::Fatal),
];
/// How PHP begins what it has to say, wherever in a line whoever passes it on puts that.
const OF_PHP: [(&str, Level); 6] = [
    ("PHP Fatal error: ", Level::Fatal),
    ("PHP Parse error: ", Level::Fatal),
    ("PHP Recoverable fatal error: ", Level::Error),
    ("PHP Warning: ", Level::Warning),
    ("PHP Notice: ", Level::Other),
    ("PHP Deprecated: ", Level::Other),
];
/// What PHP-FPM writes before a line of one of its processes; its own level says only that there was one.
const PASSED_ON: [&str; 2] = [" said into stderr: \"", " said into stdout: \""];
/// What says that a program broke, and how that is called.
const BREAKS: [(&str, &str); 5] = [
    ("panicked at", "panic"),
    ("panic: ", "panic"),
    ("Segmentation fault", "segmentation fault"),
    ("Out of memory", "out of memory"),
    ("Traceback (most recent call last)", TRACEBACK),
];
/// The kind of a stack trace whose exception stands below it.
const TRACEBACK: &str = "traceback";

/// Counts lines of a log.
#[derive(Default)]
pub(super) struct Application {
    lines: u64,
    levels: [u64; 4],
    /// Errors by kind since the last figures; a kind stays once it was there.
    kinds: BTreeMap<String, u64>,
    notes: Vec<String>,
    examples: usize,
    /// The warning or error that the next lines may tell more of.
    last: Option<Trouble>,
}

/// A warning or an error whose stack trace may follow.
struct Trouble {
    /// Its line; none once it was counted, or where it is a warning.
    line: Option<String>,
    kind: Option<String>,
    /// Whether the line of an exception may still follow.
    takes_exception: bool,
}

impl Application {
    /// Takes a line.
    pub(super) fn line(&mut self, cut: Cut<'_>) {
        let bytes = match cut {
            Cut::Line(line) => line,
            Cut::TooLong { start, .. } => start,
        };
        if bytes.trim_ascii().is_empty() {
            return;
        }
        self.lines += 1;
        if is_continuation(bytes) {
            return;
        }
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(KIND_BYTES)]);
        if is_link(&text) {
            // What follows is an exception behind the one before it, or the one in front of it.
            if let Some(last) = &mut self.last {
                last.takes_exception = true;
            }
            return;
        }
        let found = level_of(&text);
        let kind = kind_of(&text);
        if found.is_none() && self.is_of_last(&text, kind) {
            return;
        }
        self.close();
        // An exception without a level is one that nobody caught.
        let level = match (found, kind) {
            (None, Some(_)) => Level::Error,
            (found, _) => found.unwrap_or(Level::Other),
        };
        self.levels[level as usize] += 1;
        let is_error = level >= Level::Error;
        self.last = (level >= Level::Warning).then(|| Trouble {
            line: is_error.then(|| text.trim().to_owned()),
            kind: kind.map(str::to_owned),
            takes_exception: found.is_some() || kind == Some(TRACEBACK),
        });
    }

    /// Whether a line without a level is that of the exception of the line before; then that has its kind.
    fn is_of_last(&mut self, text: &str, kind: Option<&str>) -> bool {
        let (Some(last), Some(kind)) = (&mut self.last, kind) else {
            return false;
        };
        if !last.takes_exception || !(text.starts_with(kind) || kind == TRACEBACK) {
            return false;
        }
        last.takes_exception = kind == TRACEBACK;
        if last.kind.as_deref().is_none_or(|known| known == TRACEBACK) {
            last.kind = Some(kind.to_owned());
            if let Some(line) = &mut last.line {
                line.push(' ');
                line.push_str(text.trim());
            }
        }
        true
    }

    /// Counts the error whose lines have come; what comes after it may still be its exception.
    fn close(&mut self) {
        let Some(last) = &mut self.last else {
            return;
        };
        if let Some(line) = last.line.take() {
            let kind = last.kind.clone();
            self.count(kind.as_deref().unwrap_or(UNNAMED), &line);
        }
    }

    fn count(&mut self, kind: &str, text: &str) {
        let is_new = !self.kinds.contains_key(kind);
        let kind = if is_new && self.kinds.len() >= KINDS_MAX { OTHER } else { kind };
        if is_new && self.examples < EXAMPLES_MAX {
            self.examples += 1;
            let line = Redactor::default().data(text.trim());
            let shown: String = line.chars().take(EXAMPLE_CHARS).collect();
            let dots = if line.chars().count() > EXAMPLE_CHARS { "..." } else { "" };
            self.notes.push(format!("first error of the kind {kind}: {shown}{dots}"));
        }
        *self.kinds.entry(kind.to_owned()).or_default() += 1;
    }

    /// What a person should know, once.
    pub(super) fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    /// Name, value and unit of everything since the last call, which was `span_s` ago.
    pub(super) fn figures(&mut self, span_s: f64) -> Vec<(String, f64, Unit)> {
        self.close();
        let mut all = Vec::new();
        let mut rate = |figure: Figure, count: u64| {
            if span_s > 0.0 {
                all.push((figure.name.to_owned(), count as f64 / span_s, figure.unit));
            }
        };
        rate(figures::LINES_PER_S, self.lines);
        rate(figures::WARNINGS_PER_S, self.levels[Level::Warning as usize]);
        let fatal = self.levels[Level::Fatal as usize];
        rate(figures::ERRORS_PER_S, self.levels[Level::Error as usize] + fatal);
        rate(figures::FATAL_PER_S, fatal);
        // Counts, and no rates: they add up over any span, from the first error of a kind on.
        for (kind, count) in &mut self.kinds {
            let count = std::mem::take(count) as f64;
            let figure = figures::ERRORS_COUNT;
            all.push((figure.labeled("kind", kind), count, figure.unit));
        }
        (self.lines, self.levels) = (0, [0; 4]);
        all
    }
}

/// Whether a line belongs to the one before: of a stack trace, or what caused it.
fn is_continuation(line: &[u8]) -> bool {
    let is_marked = ["Caused by:", "Suppressed:", "stack backtrace:", "goroutine "]
        .iter()
        .any(|mark| line.starts_with(mark.as_bytes()));
    line[0].is_ascii_whitespace() || is_marked
}

/// Whether a line says that the exceptions of two stack traces belong together, as Python does.
fn is_link(text: &str) -> bool {
    ["During handling of the above exception", "The above exception was the direct cause"]
        .iter()
        .any(|words| text.starts_with(words))
}

/// How bad a line is, if it says so. Where it passes on what another program said, that decides.
pub(super) fn level_of(text: &str) -> Option<Level> {
    let of_php = OF_PHP.iter().filter_map(|(words, level)| Some((text.find(words)?, *level))).min_by_key(|(at, _)| *at);
    if let Some((_, level)) = of_php {
        return Some(level);
    }
    let inner = PASSED_ON.iter().find_map(|words| text.split_once(words));
    inner.and_then(|(_, inner)| word_of_level(inner)).or_else(|| word_of_level(text))
}

/// The first word of a level near the beginning of a line: in capital letters, or in small ones within brackets, after
/// `level=` or as JSON has it.
fn word_of_level(text: &str) -> Option<Level> {
    let bytes = text.as_bytes();
    let end = bytes.len().min(LEVEL_BYTES);
    let mut at = 0;
    while at < end {
        let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if length == 0 {
            at += 1;
            continue;
        }
        let word = &text[at..at + length];
        let is_alone = |index: Option<&u8>| index.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        if is_alone(before) && is_alone(bytes.get(at + length)) {
            let known = LEVELS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, level)| *level);
            let is_capital = word.bytes().all(|byte| byte.is_ascii_uppercase());
            if known.is_some() && (is_capital || is_marked(bytes, at, length)) {
                return known;
            }
        }
        at += length;
    }
    None
}

/// Whether a word in small letters stands where levels do: `[error]`, `level=error`, `"level":"error"`, `<error>`.
fn is_marked(bytes: &[u8], at: usize, length: usize) -> bool {
    let before = &bytes[..at];
    let after = bytes.get(at + length).copied().unwrap_or(b' ');
    let is_bracket = matches!((before.last(), after), (Some(b'['), b']') | (Some(b'<'), b'>') | (Some(b'('), b')'));
    let before = before.strip_suffix(b"\"").unwrap_or(before).trim_ascii_end();
    let is_named = before
        .strip_suffix(b"=")
        .or_else(|| before.strip_suffix(b":"))
        .map(|name| name.trim_ascii_end())
        .map(|name| name.strip_suffix(b"\"").unwrap_or(name))
        .is_some_and(|name| {
            ["level", "lvl", "severity", "levelname"]
                .iter()
                .any(|word| name.to_ascii_lowercase().ends_with(word.as_bytes()))
        });
    is_bracket || is_named
}

/// The kind of error that a line names: `java.io.IOException`, `ValueError`, `panic`.
pub(super) fn kind_of(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$');
    let named = text.split(|c: char| !is_part(c)).find(|word| is_exception(word));
    let named = named.map(|word| &word[..word.len().min(KIND_BYTES_MAX)]);
    named.or_else(|| {
        let broke = BREAKS.iter().find(|(words, _)| text.contains(words));
        broke.map(|(_, kind)| *kind)
    })
}

/// Whether a word is the name of an exception: its last part begins with a capital letter, has small ones, and says more
/// than `Error`.
fn is_exception(word: &str) -> bool {
    let word = word.trim_matches('.');
    let last = word.rsplit(['.', '$']).next().unwrap_or_default();
    let rest = last.strip_suffix("Exception").or_else(|| last.strip_suffix("Error"));
    let begins = last.starts_with(|c: char| c.is_ascii_uppercase());
    begins && rest.is_some_and(|rest| !rest.is_empty() || word.len() > last.len() || last == "Exception")
}

#[cfg(test)]
mod tests;
