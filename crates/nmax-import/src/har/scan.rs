//! The structure of a HAR file found without parsing it as a whole, so that what is whole in a damaged file is used and
//! memory stays near the file's size.
//!
//! Brackets and strings are matched; whether an entry is JSON is for who visits it to say.

use std::ops::Range;

/// Keys that an entry begins with in the files of browsers and proxies; where to look for the next one after damage.
const FIRST_KEYS: [&str; 10] = [
    "_connectionId", "_initiator", "_priority", "_fromCache", "_fetchType", "pageref", "startedDateTime", "connection",
    "cache", "time",
];
/// U+FEFF, which stands between files that were joined.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// How often the next entry is looked for after damage; each look may read the rest of the file.
const LOOKS_MAX: usize = 32;

/// What a file is made of, without its entries.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// How many lists of entries there are.
    pub(super) lists: usize,
    /// Members beside the entries, by name: creator, browser, marks.
    pub(super) members: Vec<(String, Range<usize>)>,
    /// Names of the outermost members.
    pub(super) keys: Vec<String>,
    /// Where an entry began that could not be used.
    pub(super) damaged: Vec<usize>,
    /// Where the file ended or broke off too early.
    pub(super) cut: Option<usize>,
}

/// Goes through a file. `visit` gets each entry's text and position, and says whether it is one.
pub(super) fn scan<'a>(text: &'a str, visit: &mut dyn FnMut(&'a str, usize) -> bool) -> Layout {
    let mut scan = Scan { text, at: 0, looks: 0, first_keys: Vec::new(), layout: Layout::default(), visit };
    while matches!(scan.peek(), Some(b'{' | b'[')) && scan.layout.cut.is_none() {
        scan.document();
        scan.eat(b',');
    }
    if scan.layout.cut.is_none() && scan.peek().is_some() {
        scan.layout.cut = Some(scan.at);
    }
    scan.layout
}

struct Scan<'a, 'v> {
    text: &'a str,
    at: usize,
    looks: usize,
    /// What the entries of this file began with.
    first_keys: Vec<&'a str>,
    layout: Layout,
    visit: &'v mut dyn FnMut(&'a str, usize) -> bool,
}

impl<'a> Scan<'a, '_> {
    /// The next byte that is not blank.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            // NULs fill up some files, U+001E stands before texts of a sequence (RFC 7464).
            let is_blank = |byte: &&u8| byte.is_ascii_whitespace() || matches!(byte, 0 | 0x1e);
            let blanks = rest.iter().take_while(is_blank).count();
            self.at += blanks;
            if !rest[blanks..].starts_with(BYTE_ORDER_MARK) {
                return rest.get(blanks).copied();
            }
            self.at += BYTE_ORDER_MARK.len();
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// An object with a log or its content, or a bare list of entries.
    fn document(&mut self) {
        if self.peek() == Some(b'[') {
            self.layout.lists += 1;
            self.list();
        } else {
            self.object(0);
        }
    }

    /// The members of a file (`depth` 0) or of its log (1).
    fn object(&mut self, depth: usize) {
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {}
                Some(b',') => {
                    self.at += 1;
                    continue;
                }
                Some(b'}') => {
                    self.at += 1;
                    return;
                }
                _ => return self.cut(),
            }
            let start = self.at;
            let Some(end) = string_end(self.text.as_bytes(), start) else {
                return self.cut();
            };
            let key = &self.text[start + 1..end - 1];
            self.at = end;
            if !self.eat(b':') {
                return self.cut();
            }
            if depth == 0 && self.layout.keys.len() < LOOKS_MAX {
                self.layout.keys.push(key.to_owned());
            }
            match (key, self.peek()) {
                ("log", Some(b'{')) if depth == 0 => self.object(1),
                ("entries", Some(b'[')) => {
                    self.layout.lists += 1;
                    self.list();
                }
                (_, Some(_)) => match value_end(self.text.as_bytes(), self.at) {
                    Some(end) => {
                        self.layout.members.push((key.to_owned(), self.at..end));
                        self.at = end;
                    }
                    None => return self.cut(),
                },
                (_, None) => return self.cut(),
            }
            if self.layout.cut.is_some() {
                return;
            }
        }
    }

    fn cut(&mut self) {
        self.layout.cut = Some(self.at.min(self.text.len()));
    }

    /// A list of entries.
    fn list(&mut self) {
        self.at += 1;
        loop {
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return;
                }
                Some(b',') => self.at += 1,
                Some(b'{') => {
                    if !self.entry() {
                        return self.cut();
                    }
                }
                Some(_) => match value_end(self.text.as_bytes(), self.at) {
                    Some(end) => {
                        self.layout.damaged.push(self.at);
                        self.at = end.max(self.at + 1);
                    }
                    None => return self.cut(),
                },
                None => return self.cut(),
            }
        }
    }

    /// An entry; after a damaged one, goes on where the next one seems to begin. False when there is none.
    fn entry(&mut self) -> bool {
        let (start, end) = (self.at, value_end(self.text.as_bytes(), self.at));
        if let Some(end) = end
            && (self.visit)(&self.text[start..end], start)
        {
            self.at = end;
            let key = first_key(&self.text[start..]).filter(|key| !self.first_keys.contains(key));
            self.first_keys.extend(key.filter(|_| self.first_keys.len() < LOOKS_MAX));
            return true;
        }
        // What ends where the next entry follows has ended well, whatever is wrong inside.
        let follows = |end: usize| self.text[end..].trim_start().strip_prefix(',').map(str::trim_start);
        let sound = end.filter(|end| follows(*end).is_some_and(|text| self.begins_entry(text)));
        let next = self.next_entry(start + 1).filter(|next| sound.is_none_or(|end| *next < end));
        if end.is_some() || next.is_some() {
            self.layout.damaged.push(start);
        }
        match next.or(sound).or(end) {
            Some(at) => self.at = at,
            None => return false,
        }
        true
    }

    /// Where an entry seems to begin, from a position on.
    fn next_entry(&mut self, from: usize) -> Option<usize> {
        self.looks += 1;
        if self.looks > LOOKS_MAX {
            return None;
        }
        let rest = self.text.get(from..)?;
        let mut places = rest.match_indices('{').map(|(at, _)| from + at);
        places.find(|at| self.begins_entry(&self.text[*at..]))
    }

    /// Whether an entry seems to begin here: with a key that entries of browsers and proxies, or of this file, begin with.
    fn begins_entry(&self, text: &str) -> bool {
        let key = first_key(text);
        key.is_some_and(|key| FIRST_KEYS.contains(&key) || self.first_keys.contains(&key))
    }
}

/// The first key of an object.
fn first_key(text: &str) -> Option<&str> {
    let after = text.strip_prefix('{')?.trim_start().strip_prefix('"')?;
    after.split('"').next()
}

/// Where a string ends that begins here, behind its quote.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// Where a value ends that begins here.
fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0usize);
    loop {
        match bytes.get(at)? {
            b'"' => at = string_end(bytes, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at += 1;
            }
            byte if depth == 0 => {
                let is_bare = |byte: &&u8| !matches!(byte, b',' | b'}' | b']' | b'"' | b'{' | b'[');
                at += bytes[at..].iter().take_while(is_bare).count();
                if *byte == b',' || at >= bytes.len() {
                    return None;
                }
            }
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
}
