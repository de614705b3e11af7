//! A condition as pieces with their places.

use crate::SliceError;

nmax_text::named! {
    /// How a condition compares.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Operator {
        Equal = "=",
        NotEqual = "!=",
        Less = "<",
        AtMost = "<=",
        More = ">",
        AtLeast = ">=",
        Matches = "~",
        NotMatches = "!~",
    }
    /// How it is written.
    text
}

/// A piece of a condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    /// A name or a bare value.
    Word(String),
    /// A text between quotes.
    Quoted(String),
    Operator(Operator),
    And,
    Or,
    Not,
    Open,
    Close,
}

/// A piece and the character where it begins, from 1.
pub(crate) type LocatedToken = (Token, usize);

/// The operators, the longer ones first. A doubled `=` is forgiven.
const OPERATORS: [(&str, Operator); 11] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<>", Operator::NotEqual),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("!~", Operator::NotMatches),
    ("=~", Operator::Matches),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::More),
    ("~", Operator::Matches),
];

/// The pieces of `text`. `part` names it in errors.
pub(crate) fn tokens(part: &str, text: &str) -> Result<Vec<LocatedToken>, SliceError> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let place = text[..text.len() - rest.len()].chars().count() + 1;
        if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (token, length) = next(part, rest, first).map_err(|error| error.at(place))?;
        found.push((token, place));
        rest = &rest[length..];
    }
    Ok(found)
}

/// The piece that `rest` begins with, and its length in bytes.
fn next(part: &str, rest: &str, first: char) -> Result<(Token, usize), SliceError> {
    if first == '"' || first == '\'' {
        return quoted(part, rest, first);
    }
    if let Some((text, operator)) = OPERATORS.iter().find(|(text, _)| rest.starts_with(text)) {
        return Ok((Token::Operator(*operator), text.len()));
    }
    for (text, token) in [("&&", Token::And), ("||", Token::Or), ("&", Token::And), ("|", Token::Or)] {
        if rest.starts_with(text) {
            return Ok((token, text.len()));
        }
    }
    match first {
        '!' => return Ok((Token::Not, 1)),
        '(' => return Ok((Token::Open, 1)),
        ')' => return Ok((Token::Close, 1)),
        _ => {}
    }
    let is_end = |c: char| c.is_whitespace() || "=<>!~()&|'\"".contains(c);
    let end = rest.find(is_end).unwrap_or(rest.len());
    let word = &rest[..end];
    let token = match word.to_ascii_lowercase().as_str() {
        "and" => Token::And,
        "or" => Token::Or,
        "not" => Token::Not,
        _ => Token::Word(word.to_owned()),
    };
    Ok((token, end))
}

/// A text between quotes; a backslash before such a quote takes its meaning away, before anything else it stays, so regular
/// expressions can be written as they are.
fn quoted(part: &str, rest: &str, quote: char) -> Result<(Token, usize), SliceError> {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => match letters.next_if(|(_, next)| *next == quote) {
                Some((_, next)) => text.push(next),
                None => text.push('\\'),
            },
            letter if letter == quote => return Ok((Token::Quoted(text), at + 1)),
            letter => text.push(letter),
        }
    }
    let text = format!("the quote {quote} is not closed");
    Err(SliceError::new(part, text, format!("write {quote} at the end of the text as well")))
}
