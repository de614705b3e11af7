//! A command line taken apart into words, as `bash` and `cmd.exe` would. Nothing is run, and no variable is known.

use super::CurlError;

/// A word, and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Such as `character 17` or `argument 3`.
    pub(super) at: String,
}

/// A text taken apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Split {
    /// Each command as its words.
    pub(super) commands: Vec<Vec<Word>>,
    /// What a shell would have done and is not done here, in sentences.
    pub(super) notes: Vec<String>,
}

/// The commands of a text. O(length).
pub(super) fn split(text: &str) -> Result<Split, CurlError> {
    if is_cmd(text) {
        return Ok(Split { commands: cmd(text), notes: Vec::new() });
    }
    Shell::new(text).commands()
}

/// Whether a text was copied for `cmd.exe`, which escapes with `^`.
fn is_cmd(text: &str) -> bool {
    text.contains("^\"") || text.lines().any(|line| line.trim_end().ends_with(" ^"))
}

fn character(index: usize) -> String {
    format!("character {}", index + 1)
}

/// Words as `bash` makes them: quotes, `$'..'`, backslashes, comments; what separates commands.
#[derive(Default)]
struct Shell {
    chars: Vec<char>,
    at: usize,
    split: Split,
    words: Vec<Word>,
    /// What follows is another program's, up to the end of the command.
    is_piped: bool,
    /// The next word names a file.
    is_redirected: bool,
}

impl Shell {
    fn new(text: &str) -> Self {
        Self { chars: text.replace("\r\n", "\n").chars().collect(), ..Self::default() }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek();
        self.at += 1;
        c
    }

    fn note(&mut self, note: &str) {
        if self.split.notes.iter().all(|known| known != note) {
            self.split.notes.push(note.to_owned());
        }
    }

    fn commands(mut self) -> Result<Split, CurlError> {
        while let Some(c) = self.peek() {
            match c {
                '\n' | ';' | '&' => {
                    self.at += 1;
                    self.end();
                }
                '|' => self.pipe(),
                '>' | '<' => self.redirect(c),
                '\\' if self.chars.get(self.at + 1) == Some(&'\n') => self.at += 2,
                '#' => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                c if c.is_whitespace() => self.at += 1,
                _ => {
                    let at = character(self.at);
                    let text = self.word()?;
                    self.take(Word { text, at });
                }
            }
        }
        self.end();
        Ok(self.split)
    }

    /// A word of the command, unless it is another program's or names a file.
    fn take(&mut self, word: Word) {
        let is_file = std::mem::take(&mut self.is_redirected);
        let is_number = word.text.bytes().all(|byte| byte.is_ascii_digit());
        // `2>`: which of its outputs.
        let is_output = is_number && matches!(self.peek(), Some('>' | '<'));
        if !(self.is_piped || is_file || is_output) {
            self.words.push(word);
        }
    }

    /// `|`, `||`, `|&`.
    fn pipe(&mut self) {
        self.at += 1;
        if self.peek() == Some('&') {
            self.at += 1;
        }
        self.is_piped = true;
        self.note("what follows `|` is left out: nmax reads commands and does not run them");
    }

    /// `>`, `>>`, `>&`, `<` and the like.
    fn redirect(&mut self, sign: char) {
        while matches!(self.peek(), Some('>' | '<' | '&')) {
            self.at += 1;
        }
        self.is_redirected = true;
        if sign == '<' && !self.is_piped {
            self.note("what follows `<` is left out: nmax does not read the standard input of commands");
        }
    }

    fn end(&mut self) {
        (self.is_piped, self.is_redirected) = (false, false);
        if !self.words.is_empty() {
            self.split.commands.push(std::mem::take(&mut self.words));
        }
    }

    fn word(&mut self) -> Result<String, CurlError> {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            match c {
                c if c.is_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>') => break,
                '\'' => self.single(&mut text)?,
                '"' => self.double(&mut text)?,
                '$' if self.chars.get(self.at + 1) == Some(&'\'') => self.ansi(&mut text)?,
                '\\' => {
                    self.at += 1;
                    match self.next() {
                        Some('\n') | None => {}
                        Some(c) => text.push(c),
                    }
                }
                c => {
                    self.expanded()?;
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        Ok(text)
    }

    /// Refuses what a shell would run here, and tells what it would know.
    fn expanded(&mut self) -> Result<(), CurlError> {
        if self.is_piped {
            return Ok(());
        }
        let is_name = |c: char| c == '_' || c.is_ascii_alphanumeric();
        let rest = &self.chars[self.at.min(self.chars.len())..];
        let what = match rest {
            ['`', ..] => "`",
            ['$', '(', ..] => "$(",
            ['$', '{', name @ ..] | ['$', name @ ..] if name.first().is_some_and(|c| is_name(*c)) => {
                let name: String = name.iter().take_while(|c| is_name(**c)).collect();
                self.note(&format!(
                    "`${name}` is sent as it is written: a shell would put a value there that nmax does not know"
                ));
                return Ok(());
            }
            _ => return Ok(()),
        };
        Err(CurlError {
            at: character(self.at),
            what: format!("command substitution (`{what}`) is not supported"),
            help: "write what it prints in its place; or let the shell do it: nmax import curl curl ..".to_owned(),
        })
    }

    fn unclosed(start: usize, quote: &str) -> CurlError {
        CurlError {
            at: character(start),
            what: format!("the quote {quote} is never closed"),
            help: "copy the whole command; in `nmax import curl '..'` write inner quotes as '\\''".to_owned(),
        }
    }

    fn single(&mut self, text: &mut String) -> Result<(), CurlError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.next() {
                Some('\'') => return Ok(()),
                Some(c) => text.push(c),
                None => return Err(Self::unclosed(start, "'")),
            }
        }
    }

    fn double(&mut self, text: &mut String) -> Result<(), CurlError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.next() {
                Some('"') => return Ok(()),
                Some('\\') => match self.next() {
                    Some('\n') => {}
                    Some(c @ ('"' | '\\' | '$' | '`')) => text.push(c),
                    Some(c) => text.extend(['\\', c]),
                    None => return Err(Self::unclosed(start, "\"")),
                },
                Some(c) => {
                    self.at -= 1;
                    self.expanded()?;
                    self.at += 1;
                    text.push(c);
                }
                None => return Err(Self::unclosed(start, "\"")),
            }
        }
    }

    /// `$'..'` with the escapes of C.
    fn ansi(&mut self, text: &mut String) -> Result<(), CurlError> {
        let start = self.at;
        self.at += 2;
        // `\x` and octal escapes are bytes, which make characters together.
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            let c = self.next().ok_or_else(|| Self::unclosed(start, "$'"))?;
            let mut push = |c: char| bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            match c {
                '\'' => break,
                '\\' => match self.next().ok_or_else(|| Self::unclosed(start, "$'"))? {
                    'n' => push('\n'),
                    'r' => push('\r'),
                    't' => push('\t'),
                    'a' => push('\u{7}'),
                    'b' => push('\u{8}'),
                    'e' | 'E' => push('\u{1b}'),
                    'f' => push('\u{c}'),
                    'v' => push('\u{b}'),
                    'x' => bytes.extend(self.number(16, 2).and_then(|code| u8::try_from(code).ok())),
                    'u' => {
                        let c = self.unit();
                        push(c);
                    }
                    'U' => {
                        let c = self.number(16, 8).and_then(char::from_u32);
                        push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    '0'..='7' => {
                        self.at -= 1;
                        bytes.extend(self.number(8, 3).map(|code| (code & 0xff) as u8));
                    }
                    c => push(c),
                },
                c => push(c),
            }
        }
        text.push_str(&String::from_utf8_lossy(&bytes));
        Ok(())
    }

    /// `\uXXXX` behind its `u`; Chrome writes characters beyond 16 bits as two of them.
    fn unit(&mut self) -> char {
        let high = self.number(16, 4).unwrap_or_default();
        if (0xd800..0xdc00).contains(&high) && self.chars[self.at.min(self.chars.len())..].starts_with(&['\\', 'u']) {
            self.at += 2;
            let low = self.number(16, 4).unwrap_or_default();
            if (0xdc00..0xe000).contains(&low) {
                return char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
                    .unwrap_or(char::REPLACEMENT_CHARACTER);
            }
        }
        char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// A number of at most so many digits.
    fn number(&mut self, radix: u32, digits: usize) -> Option<u32> {
        let mut value = None;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            value = Some(value.unwrap_or_default() * radix + digit);
            self.at += 1;
        }
        value
    }
}

/// Words as `cmd.exe` hands them on and C programs on Windows read them.
fn cmd(text: &str) -> Vec<Vec<Word>> {
    let chars = without_carets(text);
    let (mut commands, mut words) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some((c, is_escaped)) = chars.get(at).map(|(c, is_escaped, _)| (*c, *is_escaped)) {
        if !is_escaped && matches!(c, '\n' | '&') {
            at += 1;
            if !words.is_empty() {
                commands.push(std::mem::take(&mut words));
            }
        } else if c.is_whitespace() {
            at += 1;
        } else {
            let start = chars[at].2;
            let text = cmd_word(&chars, &mut at);
            words.push(Word { text, at: character(start) });
        }
    }
    if !words.is_empty() {
        commands.push(words);
    }
    commands
}

/// A character, whether a caret stood before it, and where it was.
type Marked = (char, bool, usize);

/// The characters behind their carets. A caret at the end of a line joins it with the next one; an empty line there is
/// a line feed.
fn without_carets(text: &str) -> Vec<Marked> {
    let all: Vec<char> = text.replace("\r\n", "\n").chars().collect();
    let mut chars = Vec::with_capacity(all.len());
    let mut at = 0;
    while let Some(&c) = all.get(at) {
        if c == '^' && at + 1 < all.len() {
            at += 1;
            match all[at] {
                '\n' if all.get(at + 1) == Some(&'\n') => {
                    at += 1;
                    chars.push(('\n', true, at));
                }
                '\n' => {}
                c => chars.push((c, true, at)),
            }
        } else {
            chars.push((c, false, at));
        }
        at += 1;
    }
    chars
}

/// A word by the rules of C programs on Windows, but two backslashes are always one: so the browser meant them.
fn cmd_word(chars: &[Marked], at: &mut usize) -> String {
    let mut text = String::new();
    let mut is_quoted = false;
    while let Some((c, is_escaped, _)) = chars.get(*at).copied() {
        let is_end = c.is_whitespace() || (c == '&' && !is_escaped);
        if is_end && !is_quoted {
            break;
        }
        *at += 1;
        match c {
            '\\' => {
                let more = chars[*at..].iter().take_while(|(c, ..)| *c == '\\').count();
                let count = more + 1;
                *at += more;
                let before_quote = chars.get(*at).is_some_and(|(c, ..)| *c == '"');
                let kept = count / 2 + if before_quote { 0 } else { count % 2 };
                text.extend(std::iter::repeat_n('\\', kept));
                if before_quote && count % 2 == 1 {
                    text.push('"');
                    *at += 1;
                }
            }
            '"' if is_quoted && chars.get(*at).is_some_and(|(c, ..)| *c == '"') => {
                text.push('"');
                *at += 1;
            }
            '"' => is_quoted = !is_quoted,
            c => text.push(c),
        }
    }
    text
}
