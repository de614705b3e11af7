//! Apache's `LogFormat` (mod_log_config, mod_logio) becomes tokens of a template.

use super::error::Problem;
use super::field::{Field, Moment};
use super::number::Unit;
use super::pattern::Pattern;
use super::template::Token;

/// The tokens of a format string.
///
/// # Errors
///
/// Directives that Apache does not have, with their columns.
pub(super) fn tokens(format: &str) -> Result<Vec<Token>, Vec<Problem>> {
    let mut scan = Scan { format, at: 0, tokens: Vec::new(), problems: Vec::new(), times: None };
    while let Some(&byte) = format.as_bytes().get(scan.at) {
        match byte {
            b'%' => scan.directive(),
            b'\\' => scan.escape(),
            _ => scan.text(byte),
        }
    }
    scan.end_times();
    if scan.problems.is_empty() { Ok(unambiguous(scan.tokens)) } else { Err(scan.problems) }
}

/// `tokens` in which what Apache writes with blanks, and twice, is told apart.
fn unambiguous(mut tokens: Vec<Token>) -> Vec<Token> {
    let is_status = |token: &Token, last: bool| matches!(token, Token::Field { field: Field::Status, name, .. } if name.contains('>') == last);
    let has_last = tokens.iter().any(|token| is_status(token, true));
    for token in &mut tokens {
        // The first status of a request that the server redirected inside itself, beside the last.
        let is_first = has_last && is_status(token, false);
        if let Token::Field { field, .. } = token
            && is_first
        {
            *field = Field::Skip;
        }
    }
    for index in 2..tokens.len() {
        // `%U` is decoded, so it may have blanks; what follows is always `HTTP/`.
        if let [Token::Field { field, .. }, Token::Text(text), Token::Field { name, .. }] =
            &mut tokens[index - 2..=index]
            && matches!(field, Field::Path | Field::MarkedQuery)
            && name == "%H"
            && text == b" "
        {
            text.extend_from_slice(b"HTTP/");
        }
    }
    tokens
}

/// Where the scan is, and what it found.
struct Scan<'a> {
    format: &'a str,
    at: usize,
    tokens: Vec<Token>,
    problems: Vec<Problem>,
    times: Option<Times>,
}

/// `%{...}t` directives that make one stamp together: `%{%F %T}t.%{usec_frac}t %{%z}t`.
struct Times {
    pattern: Pattern,
    moment: Moment,
    at: usize,
    /// End of the last directive in the format string; what follows may be text of the stamp or of the format.
    end: usize,
    /// Text behind the last directive.
    text: Vec<u8>,
}

/// A directive in its parts: `%!200{name}>X`.
struct Directive<'a> {
    argument: Option<&'a str>,
    letter: &'a str,
    source: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    /// A byte of fixed text.
    fn text(&mut self, byte: u8) {
        self.at += 1;
        match (&mut self.times, self.tokens.last_mut()) {
            (Some(times), _) => times.text.push(byte),
            (None, Some(Token::Text(text))) => text.push(byte),
            _ => self.tokens.push(Token::Text(vec![byte])),
        }
    }

    /// A backslash of the configuration file.
    fn escape(&mut self) {
        let byte = match self.format.as_bytes().get(self.at + 1) {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(&byte @ (b'"' | b'\\')) => byte,
            _ => return self.text(b'\\'),
        };
        self.at += 1;
        self.text(byte);
    }

    /// A directive.
    fn directive(&mut self) {
        if self.format[self.at..].starts_with("%%") {
            self.at += 1;
            return self.text(b'%');
        }
        let start = self.at;
        let Some(directive) = split(self.format, start) else {
            self.problems.push(Problem { at: Some(start), what: "`%` begins a directive that has no end".to_owned() });
            self.at = self.format.len();
            return;
        };
        self.at = start + directive.source.len();
        if directive.letter == "t"
            && let Some(argument) = directive.argument
        {
            return self.time(argument, &directive);
        }
        self.end_times();
        match field(&directive) {
            Ok(field) => self.field(field, &directive),
            Err(what) => self.problems.push(Problem { at: Some(start), what }),
        }
    }

    /// A field.
    fn field(&mut self, field: Field, directive: &Directive<'_>) {
        // `%t` brings its brackets.
        let is_clf = matches!(field, Field::Clf(_));
        if is_clf {
            self.tokens.push(Token::Text(b"[".to_vec()));
        }
        self.tokens.push(Token::Field { field, name: directive.source.to_owned(), at: directive.at });
        if is_clf {
            self.tokens.push(Token::Text(b"]".to_vec()));
        }
    }

    /// `%{argument}t`.
    fn time(&mut self, argument: &str, directive: &Directive<'_>) {
        let (moment, format) = match argument.split_once(':') {
            Some(("begin", rest)) => (Moment::Begin, rest),
            Some(("end", rest)) => (Moment::End, rest),
            _ if argument == "end" => (Moment::End, ""),
            _ if argument == "begin" => (Moment::Begin, ""),
            _ => (Moment::Begin, argument),
        };
        let unit = match format {
            "" => {
                self.end_times();
                return self.field(Field::Clf(moment), directive);
            }
            "sec" => Some(Unit::S),
            "msec" => Some(Unit::Ms),
            "usec" => Some(Unit::Us),
            _ => None,
        };
        if unit.is_some() {
            self.end_times();
            return self.field(Field::Epoch(moment, unit), directive);
        }
        self.time_part(moment, format, directive);
    }

    /// A part of a stamp: `strftime`, `msec_frac`, `usec_frac`.
    fn time_part(&mut self, moment: Moment, format: &str, directive: &Directive<'_>) {
        let digits = match format {
            "msec_frac" => Some(3),
            "usec_frac" => Some(6),
            _ => None,
        };
        if self.times.as_ref().is_some_and(|times| times.moment != moment) {
            self.end_times();
        }
        if let (None, Some(digits)) = (&self.times, digits) {
            // A fraction of a stamp that stands elsewhere in the line.
            return self.field(Field::Fraction(digits), directive);
        }
        let end = self.at;
        let times = self.times.get_or_insert_with(|| Times {
            pattern: Pattern::new(),
            moment,
            at: directive.at,
            end,
            text: Vec::new(),
        });
        let text = String::from_utf8_lossy(&std::mem::take(&mut times.text)).replace('%', "%%");
        let pushed = times.pattern.push(&text).and_then(|()| match digits {
            Some(digits) => {
                times.pattern.push_fraction(digits as usize);
                Ok(())
            }
            None => times.pattern.push(format),
        });
        times.end = end;
        if let Err(conversion) = pushed {
            let what = format!("`{conversion}` in `{}` cannot be read back as a time", directive.source);
            self.problems.push(Problem { at: Some(directive.at), what });
        }
    }

    /// The stamp that the last directives made is over.
    fn end_times(&mut self) {
        let Some(times) = self.times.take() else { return };
        let name = self.format[times.at..times.end].to_owned();
        let field = if times.pattern.is_complete() { Field::Pattern(times.moment, times.pattern) } else { Field::Skip };
        self.tokens.push(Token::Field { field, name, at: times.at });
        if !times.text.is_empty() {
            self.tokens.push(Token::Text(times.text));
        }
    }
}

/// The directive of `format` at `at`, where a `%` is.
fn split(format: &str, at: usize) -> Option<Directive<'_>> {
    let bytes = format.as_bytes();
    let mut end = at + 1;
    let mut argument = None;
    loop {
        match bytes.get(end)? {
            b'!' | b',' | b'<' | b'>' | b'0'..=b'9' => end += 1,
            b'{' => {
                let length = memchr::memchr(b'}', &bytes[end..])?;
                argument = Some(&format[end + 1..end + length]);
                end += length + 1;
            }
            _ => break,
        }
    }
    // `^FB`, `^ti` and `^to` have three letters.
    let length = if bytes[end] == b'^' { 3 } else { 1 };
    let letter = format.get(end..end + length)?;
    Some(Directive { argument, letter, source: &format[at..end + length], at })
}

/// What the value of a directive means.
fn field(directive: &Directive<'_>) -> Result<Field, String> {
    let argument = directive.argument.unwrap_or_default();
    Ok(match directive.letter {
        "a" | "h" => Field::Client,
        "B" | "b" => Field::Body,
        "O" => Field::All,
        "C" => Field::of_cookie(argument),
        "D" => Field::Duration(Unit::Us),
        "H" | "l" | "k" | "X" | "P" | "p" | "L" | "A" | "f" | "R" | "I" | "S" | "e" | "o" | "c" | "^ti" | "^to" => {
            Field::Skip
        }
        "i" => Field::of_header(argument),
        "m" => Field::Method,
        "n" => Field::of_cookie(argument),
        "q" => Field::MarkedQuery,
        "r" => Field::Request,
        "s" => Field::Status,
        "T" if argument.is_empty() => Field::Duration(Unit::S),
        "T" => match argument {
            "s" | "ms" | "us" => Field::Duration(Unit::from_name(argument).ok_or("no unit")?),
            _ => return Err(format!("`{argument}` is not a unit of %T: write s, ms or us")),
        },
        "t" => Field::Clf(Moment::Begin),
        "U" => Field::Path,
        "u" => Field::User,
        "V" | "v" => Field::Server,
        "^FB" => Field::FirstByte(Unit::Us),
        "x" if argument == "Varnish:time_firstbyte" => Field::FirstByte(Unit::S),
        "x" => Field::Skip,
        _ => return Err(format!("`{}` is not a directive of Apache's LogFormat", directive.source)),
    })
}
