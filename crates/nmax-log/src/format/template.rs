//! Fields between fixed separators: what Apache's `LogFormat` and nginx's `log_format` compile to.

use super::draft::{Coding, Draft, Expected};
use super::error::{Problem, shown};
use super::field::Field;
use crate::record::Rejection;

/// A part of a format string.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// Fixed text.
    Text(Vec<u8>),
    /// A value.
    Field {
        /// What it means.
        field: Field,
        /// As the format string has it.
        name: String,
        /// Where in the format string, in bytes from 0.
        at: usize,
    },
}

/// A compiled format string.
#[derive(Clone, Debug)]
pub(super) struct Template {
    lead: Box<[u8]>,
    pieces: Vec<Piece>,
    /// What follows the last piece is not read, if a blank comes first.
    is_open: bool,
    escape: Escape,
}

#[derive(Clone, Debug)]
struct Piece {
    field: Field,
    name: Box<str>,
    until: Terminator,
}

/// Where a value ends, and which text is passed over then.
#[derive(Clone, Debug)]
enum Terminator {
    /// At the first `"` that no backslash escapes and that is the beginning of the text.
    Quote(Box<[u8]>),
    /// At the text; `key` is the place in it of the byte that is searched for.
    Text { text: Box<[u8]>, key: usize },
    /// Where the pattern of the stamp ends; then the text.
    Pattern(Box<[u8]>),
    /// Behind the letters, digits and `.-:[]_` of a host.
    Host,
    /// Before a blank, or at the end of the line.
    Word,
    /// At the end of the line.
    End,
}

/// How the writer kept the format apart from the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    /// With backslashes.
    Backslash,
    /// Not at all.
    None,
}

/// Why a line does not fit: the piece, the byte, and what is wrong.
struct Fault {
    piece: usize,
    at: usize,
    wrong: Wrong,
}

enum Wrong {
    /// The text in front of the first piece is missing.
    Lead,
    /// What ends the value is missing.
    Until,
    /// The value, which ends there, is not what it should be.
    Value(usize, Expected),
    /// There is more than the format has.
    Trailing,
}

impl Template {
    /// The template of the tokens of a format string.
    ///
    /// # Errors
    ///
    /// Fields that nothing separates, and what a record needs and no field tells.
    pub(super) fn build(tokens: Vec<Token>, escape: Escape, is_open: bool) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let mut tokens = joined(tokens, escape).into_iter().peekable();
        let lead = match tokens.peek() {
            Some(Token::Text(text)) => text.clone().into_boxed_slice(),
            _ => Box::default(),
        };
        let mut before: Box<[u8]> = lead.clone();
        let mut pieces: Vec<Piece> = Vec::new();
        while let Some(token) = tokens.next() {
            let Token::Field { field, name, at } = token else {
                continue;
            };
            let until = match tokens.peek() {
                Some(Token::Text(text)) => until(&field, &before, text, escape),
                Some(Token::Field { field: Field::Target | Field::UriArgs | Field::Path, .. }) => Terminator::Host,
                Some(Token::Field { name: next, .. }) => {
                    let what = format!("nothing separates `{name}` from `{next}`, so it is not known where one ends");
                    problems.push(Problem { at: Some(at), what });
                    Terminator::Word
                }
                None if matches!(field, Field::Pattern(..)) => Terminator::Pattern(Box::default()),
                None if field.has_blanks() && !(is_open && field == Field::Skip) => Terminator::End,
                None => Terminator::Word,
            };
            before = match tokens.peek() {
                Some(Token::Text(text)) => text.clone().into_boxed_slice(),
                _ => Box::default(),
            };
            pieces.push(Piece { field, name: name.into(), until });
        }
        let template = Self { lead, pieces, is_open, escape };
        problems.extend(lacking(template.fields()));
        if problems.is_empty() { Ok(template) } else { Err(problems) }
    }

    /// What its values mean.
    pub(super) fn fields(&self) -> impl Iterator<Item = &Field> + Clone {
        self.pieces.iter().map(|piece| &piece.field)
    }

    /// Reads `line` into `draft`.
    pub(super) fn read(&self, line: &[u8], draft: &mut Draft) -> Result<(), Rejection> {
        self.values(line, draft).map_err(|fault| self.rejection(line, &fault))
    }

    fn values(&self, line: &[u8], draft: &mut Draft) -> Result<(), Fault> {
        if !line.starts_with(&self.lead) {
            return Err(Fault { piece: 0, at: 0, wrong: Wrong::Lead });
        }
        let mut at = self.lead.len();
        for (index, piece) in self.pieces.iter().enumerate() {
            let fault = |at, wrong| Fault { piece: index, at, wrong };
            if let (Terminator::Pattern(then), Field::Pattern(moment, pattern)) = (&piece.until, &piece.field) {
                let (stamp, length) = pattern
                    .read(&line[at..], draft.zone_s)
                    .ok_or_else(|| fault(at, Wrong::Value(line.len(), "a time in the pattern of the format")))?;
                let next = at + length;
                if !line[next..].starts_with(then) {
                    return Err(fault(next, Wrong::Until));
                }
                draft.stamp(*moment, stamp);
                at = next + then.len();
                continue;
            }
            let found = piece.until.find(line, at, piece.field.is_list());
            let (end, next, is_escaped) = found.ok_or_else(|| fault(at, Wrong::Until))?;
            if matches!(piece.field, Field::Skip) {
                at = next;
                continue;
            }
            let is_escaped = is_escaped || self.may_escape(piece, &line[at..end]);
            let coding = if is_escaped { Coding::Backslash } else { Coding::Plain };
            draft
                .put(&piece.field, line, at..end, coding)
                .map_err(|expected| fault(at, Wrong::Value(end, expected)))?;
            at = next;
        }
        let rest = &line[at..];
        let is_fitting = rest.is_empty()
            || matches!(rest[0], b' ' | b'\t') && (self.is_open || rest.iter().all(u8::is_ascii_whitespace));
        if is_fitting { Ok(()) } else { Err(Fault { piece: self.pieces.len(), at, wrong: Wrong::Trailing }) }
    }

    /// A value without quotes has backslashes of the server in it.
    fn may_escape(&self, piece: &Piece, value: &[u8]) -> bool {
        self.escape == Escape::Backslash
            && !matches!(piece.until, Terminator::Quote(_))
            && piece.field.is_text()
            && memchr::memchr(b'\\', value).is_some()
    }

    #[cold]
    fn rejection(&self, line: &[u8], fault: &Fault) -> Rejection {
        let name = self.pieces.get(fault.piece).map_or("", |piece| &piece.name);
        let rest = line.get(fault.at..).unwrap_or_default();
        let reason = match &fault.wrong {
            Wrong::Lead => format!("the line should begin with `{}`", shown(&self.lead)),
            Wrong::Until if rest.is_empty() => format!("the line ends where `{name}` should be"),
            Wrong::Until => match self.pieces[fault.piece].until.text() {
                Some(text) => format!("no `{}` ends `{name}`", shown(text)),
                None => format!("nothing ends `{name}`"),
            },
            Wrong::Value(end, expected) => {
                format!("`{name}` should be {expected}, found `{}`", excerpt(&line[fault.at..*end]))
            }
            Wrong::Trailing => format!("more than the format has: `{}`", excerpt(rest)),
        };
        Rejection { reason, at: fault.at }
    }
}

impl Terminator {
    /// Where the value at `from` ends, where the next begins, and whether backslashes are in it.
    fn find(&self, line: &[u8], from: usize, is_list: bool) -> Option<(usize, usize, bool)> {
        match self {
            Self::Quote(text) => quoted(line, from, text),
            Self::Text { text, key } => {
                let end = if is_list { list(line, from, text, *key)? } else { search(line, from, text, *key)? };
                Some((end, end + text.len(), false))
            }
            Self::Host => {
                let is_host = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-:[]_".contains(byte);
                let end = from + line[from..].iter().take_while(is_host).count();
                Some((end, end, false))
            }
            Self::Word => {
                let length = memchr::memchr2(b' ', b'\t', &line[from..]).unwrap_or(line.len() - from);
                (length > 0).then_some((from + length, from + length, false))
            }
            Self::End | Self::Pattern(_) => Some((line.len(), line.len(), false)),
        }
    }

    /// The text that ends the value.
    fn text(&self) -> Option<&[u8]> {
        match self {
            Self::Quote(text) | Self::Text { text, .. } | Self::Pattern(text) => Some(text),
            Self::Host | Self::Word | Self::End => None,
        }
    }
}

/// Where `text`, which begins with a quote, follows an unescaped value that begins at `from`.
///
/// A quote that is not followed by the rest of the text belongs to the value: some writers do not escape it.
fn quoted(line: &[u8], from: usize, text: &[u8]) -> Option<(usize, usize, bool)> {
    let mut at = from;
    let mut is_escaped = false;
    loop {
        at += memchr::memchr2(b'"', b'\\', line.get(at..)?)?;
        if line[at] == b'\\' {
            is_escaped = true;
            at += 2;
        } else if line[at..].starts_with(text) {
            return Some((at, at + text.len(), is_escaped));
        } else {
            at += 1;
        }
    }
}

/// Where `text` is in `line` from `from` on; `key` is the place in it of its rarest byte.
fn search(line: &[u8], from: usize, text: &[u8], key: usize) -> Option<usize> {
    /// Most values are shorter than what a vector search costs to begin.
    const NEAR: usize = 8;
    let byte = text[key];
    let mut at = from + key;
    loop {
        let rest = line.get(at..)?;
        let near = rest.iter().take(NEAR).position(|&other| other == byte);
        at += match near {
            Some(length) => length,
            None => NEAR + memchr::memchr(byte, rest.get(NEAR..)?)?,
        };
        let start = at - key;
        if text.len() == 1 || line[start..].starts_with(text) {
            return Some(start);
        }
        at += 1;
    }
}

/// As [`search`], behind a list with blanks after its commas and around its colons.
fn list(line: &[u8], from: usize, text: &[u8], key: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let end = search(line, at, text, key)?;
        if end > from && line[end - 1] == b',' {
            at = end + 1;
        } else if line[end..].starts_with(b" : ") {
            at = end + 3;
        } else {
            return Some(end);
        }
    }
}

/// Where the value of `field` ends that stands between `before` and `text`.
fn until(field: &Field, before: &[u8], text: &[u8], escape: Escape) -> Terminator {
    let text: Box<[u8]> = text.into();
    if matches!(field, Field::Pattern(..)) {
        return Terminator::Pattern(text);
    }
    if escape == Escape::Backslash && before.last() == Some(&b'"') && text.first() == Some(&b'"') {
        return Terminator::Quote(text);
    }
    let rarity = |byte: u8| match byte {
        b' ' => 0,
        b'-' | b'.' | b'/' | b':' => 1,
        _ if byte.is_ascii_alphanumeric() => 1,
        _ => 2,
    };
    let key = (0..text.len()).rev().max_by_key(|&at| rarity(text[at])).unwrap_or(0);
    Terminator::Text { text, key }
}

/// `tokens` with texts joined, and with fields joined that are one value: path and query, several that nobody needs.
fn joined(tokens: Vec<Token>, escape: Escape) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    for token in tokens {
        match (out.last_mut(), token) {
            (_, Token::Text(text)) if text.is_empty() => {}
            (Some(Token::Text(had)), Token::Text(text)) => had.extend_from_slice(&text),
            (Some(Token::Field { field, name, .. }), Token::Field { field: next, name: next_name, .. })
                if is_one_value(field, name, &next, &next_name) =>
            {
                *field = match field {
                    Field::Path if next == Field::Query && name.contains("$is_args") && escape == Escape::Backslash => {
                        Field::UriArgs
                    }
                    Field::Path if matches!(next, Field::Query | Field::MarkedQuery) => Field::Target,
                    _ => field.clone(),
                };
                name.push_str(&next_name);
            }
            (_, token) => out.push(token),
        }
    }
    out
}

/// Two fields with nothing between them are one value.
fn is_one_value(field: &Field, name: &str, next: &Field, next_name: &str) -> bool {
    match (field, next) {
        (Field::Skip, Field::Skip) => !name.ends_with("$is_args"),
        (Field::Path | Field::Target, Field::Skip) => next_name.ends_with("is_args") || next_name.ends_with("is_args}"),
        (Field::Path | Field::Target, Field::Query | Field::MarkedQuery) => true,
        _ => false,
    }
}

/// What a record needs and no field tells.
pub(super) fn lacking<'a>(fields: impl Iterator<Item = &'a Field> + Clone) -> Vec<Problem> {
    let mut problems = Vec::new();
    if !fields.clone().any(Field::is_stamp) {
        let what = "no field tells the time of the request: add %t (Apache), $time_local or $msec (nginx)".to_owned();
        problems.push(Problem { at: None, what });
    }
    if !fields.clone().any(Field::is_request) {
        let what = "no field tells what was asked for: add \"%r\" (Apache) or \"$request\" (nginx)".to_owned();
        problems.push(Problem { at: None, what });
    }
    problems
}

/// The first bytes of `text`, for a message.
pub(super) fn excerpt(text: &[u8]) -> String {
    const BYTES: usize = 40;
    let mut out = shown(&text[..text.len().min(BYTES)]);
    if text.len() > BYTES {
        out.push('…');
    }
    out
}
