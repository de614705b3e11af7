//! The grammar of RFC 9535, by descent: each character is looked at once, nesting is counted.

use super::{Comparison, DEPTH_MAX, Number, Operand, PARTS_MAX, Query, Segment, Selector, Test};
use crate::json::hex4;

/// Largest index (RFC 9535, 2.1): integers that every JSON implementation knows exactly.
const INTEGER_MAX: i64 = (1 << 53) - 1;

/// What is wrong, and before which byte.
type Wrong = (usize, &'static str);

pub(super) fn path(text: &str) -> Result<Vec<Segment>, String> {
    let mut reader = Reader { text, at: 0, depth: 0, parts: 0 };
    let read = |reader: &mut Reader<'_>| {
        if !reader.eat("$") {
            return Err(reader.wrong("a path begins with `$`"));
        }
        let segments = reader.segments()?;
        if reader.at < text.len() { Err(reader.wrong("`.` or `[` is expected")) } else { Ok(segments) }
    };
    read(&mut reader).map_err(|(at, what)| format!("at character {}, {what}", text[..at].chars().count() + 1))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    parts: usize,
}

impl Reader<'_> {
    fn wrong(&self, what: &'static str) -> Wrong {
        (self.at, what)
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let is_there = self.rest().starts_with(wanted);
        if is_there {
            self.at += wanted.len();
        }
        is_there
    }

    fn blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn expect(&mut self, wanted: &str, what: &'static str) -> Result<(), Wrong> {
        self.blanks();
        if self.eat(wanted) { Ok(()) } else { Err(self.wrong(what)) }
    }

    /// Counts a part of the path.
    fn part(&mut self) -> Result<(), Wrong> {
        self.parts += 1;
        if self.parts > PARTS_MAX { Err(self.wrong("the path has more than 1,000 parts")) } else { Ok(()) }
    }

    /// Reads what is within brackets or parentheses.
    fn within<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.depth == DEPTH_MAX {
            return Err(self.wrong("the path is nested more than 100 deep"));
        }
        self.depth += 1;
        let inner = read(self);
        self.depth -= 1;
        inner
    }

    /// Segments as long as there are any; blanks behind the last one are not read.
    fn segments(&mut self) -> Result<Vec<Segment>, Wrong> {
        let mut segments = Vec::new();
        loop {
            let before = self.at;
            self.blanks();
            let descends = self.eat("..");
            let selectors = if self.rest().starts_with('[') {
                self.within(Self::brackets)?
            } else if descends || self.eat(".") {
                self.part()?;
                vec![if self.eat("*") { Selector::Wild } else { Selector::Name(self.short_name()?) }]
            } else {
                self.at = before;
                return Ok(segments);
            };
            segments.push(Segment { descends, selectors });
        }
    }

    fn short_name(&mut self) -> Result<String, Wrong> {
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
        let rest = self.rest();
        let end = rest.find(|c: char| !is_first(c) && !c.is_ascii_digit()).unwrap_or(rest.len());
        if !rest.starts_with(is_first) {
            return Err(self.wrong("a name or `*` is expected"));
        }
        let name = rest[..end].to_owned();
        self.at += end;
        Ok(name)
    }

    fn brackets(&mut self) -> Result<Vec<Selector>, Wrong> {
        self.expect("[", "`[` is expected")?;
        let mut selectors = Vec::new();
        loop {
            self.blanks();
            self.part()?;
            selectors.push(self.selector()?);
            self.blanks();
            if !self.eat(",") {
                self.expect("]", "`,` or `]` is expected")?;
                return Ok(selectors);
            }
        }
    }

    fn selector(&mut self) -> Result<Selector, Wrong> {
        match self.peek() {
            Some('"' | '\'') => Ok(Selector::Name(self.string()?)),
            Some('*') => {
                self.at += 1;
                Ok(Selector::Wild)
            }
            Some('?') => {
                self.at += 1;
                Ok(Selector::Filter(self.test()?))
            }
            Some(':' | '-' | '0'..='9') => self.index_or_slice(),
            _ => Err(self.wrong("a name in quotes, a number, `*`, `?` or a slice is expected")),
        }
    }

    fn index_or_slice(&mut self) -> Result<Selector, Wrong> {
        let start = self.integer()?;
        let behind_start = self.at;
        self.blanks();
        if !self.eat(":") {
            self.at = behind_start;
            return start.map(Selector::Index).ok_or_else(|| self.wrong("a number is expected"));
        }
        self.blanks();
        let end = self.integer()?;
        self.blanks();
        let mut step = 1;
        if self.eat(":") {
            self.blanks();
            step = self.integer()?.unwrap_or(1);
        }
        Ok(Selector::Slice { start, end, step })
    }

    /// `0`, or digits that do not begin with it, with a sign or not.
    fn integer(&mut self) -> Result<Option<i64>, Wrong> {
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (digits, is_negative) = (&digits[..end], digits.len() < rest.len());
        if digits.is_empty() && !is_negative {
            return Ok(None);
        }
        let is_written_well = digits == "0" && !is_negative || !digits.starts_with('0');
        let number = digits.parse().ok().filter(|number: &i64| is_written_well && *number <= INTEGER_MAX);
        let Some(number) = number else {
            return Err(self.wrong("a whole number without leading zeros, of 53 bits, is expected"));
        };
        self.at += end + usize::from(is_negative);
        Ok(Some(if is_negative { -number } else { number }))
    }

    fn string(&mut self) -> Result<String, Wrong> {
        let quote = self.peek().unwrap_or_default();
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                c if c == quote => return Ok(text),
                '\\' => text.push(self.escape(quote)?),
                c if c < ' ' => return Err(self.wrong("a control character stands in quotes")),
                c => text.push(c),
            }
        }
        Err(self.wrong("the closing quote is missing"))
    }

    fn escape(&mut self, quote: char) -> Result<char, Wrong> {
        let wrong = (self.at, "there is no such escape");
        let c = self.peek().ok_or(wrong)?;
        self.at += c.len_utf8();
        Ok(match c {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '/' | '\\' => c,
            c if c == quote => c,
            'u' => {
                let first = self.hex().ok_or(wrong)?;
                if !(0xd800..0xdc00).contains(&first) {
                    return char::from_u32(first).ok_or(wrong);
                }
                let second = if self.eat("\\u") { self.hex() } else { None };
                let second = second.filter(|second| (0xdc00..0xe000).contains(second)).ok_or(wrong)?;
                char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + second - 0xdc00).ok_or(wrong)?
            }
            _ => return Err(wrong),
        })
    }

    fn hex(&mut self) -> Option<u32> {
        let unit = hex4(self.rest())?;
        self.at += 4;
        Some(unit)
    }

    /// Tests joined by `||`.
    fn test(&mut self) -> Result<Test, Wrong> {
        let mut any = vec![self.all()?];
        loop {
            self.blanks();
            if !self.eat("||") {
                return Ok(if any.len() == 1 { any.remove(0) } else { Test::Any(any) });
            }
            any.push(self.all()?);
        }
    }

    /// Tests joined by `&&`.
    fn all(&mut self) -> Result<Test, Wrong> {
        let mut all = vec![self.basic()?];
        loop {
            self.blanks();
            if !self.eat("&&") {
                return Ok(if all.len() == 1 { all.remove(0) } else { Test::All(all) });
            }
            all.push(self.basic()?);
        }
    }

    fn basic(&mut self) -> Result<Test, Wrong> {
        self.blanks();
        let is_not = self.eat("!");
        self.blanks();
        let test = if self.eat("(") {
            let inner = self.within(Self::test)?;
            self.expect(")", "`)` is expected")?;
            inner
        } else {
            let start = self.at;
            let operand = self.operand()?;
            self.test_of(operand, start, is_not)?
        };
        Ok(if is_not { Test::Not(Box::new(test)) } else { test })
    }

    /// An operand as a test: compared with another one, or a path by itself.
    fn test_of(&mut self, operand: Operand, start: usize, is_not: bool) -> Result<Test, Wrong> {
        let behind = self.at;
        self.blanks();
        let Some(comparison) = self.comparison().filter(|_| !is_not) else {
            self.at = behind;
            return match operand {
                Operand::Query(query) => Ok(Test::Exists(query)),
                _ => Err((start, "a value is not a test: compare it with another one")),
            };
        };
        let left = single(operand, start)?;
        self.blanks();
        Ok(Test::Compare(left, comparison, self.argument()?))
    }

    fn comparison(&mut self) -> Option<Comparison> {
        let all = [
            ("==", Comparison::Equal),
            ("!=", Comparison::Unequal),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        all.into_iter().find(|(sign, _)| self.eat(sign)).map(|(_, comparison)| comparison)
    }

    fn operand(&mut self) -> Result<Operand, Wrong> {
        self.part()?;
        Ok(match self.peek() {
            Some('@' | '$') => Operand::Query(self.query()?),
            Some('"' | '\'') => Operand::Text(self.string()?),
            Some('-' | '0'..='9') => Operand::Number(self.number()?),
            Some('a'..='z') => self.word()?,
            _ => return Err(self.wrong("`@`, `$`, a value, a function or `(` is expected")),
        })
    }

    fn query(&mut self) -> Result<Query, Wrong> {
        let is_absolute = self.eat("$");
        if !is_absolute && !self.eat("@") {
            return Err(self.wrong("`@` or `$` is expected"));
        }
        Ok(Query { is_absolute, segments: self.segments()? })
    }

    fn number(&mut self) -> Result<Number, Wrong> {
        let rest = self.rest();
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        let written = &rest[..end];
        let digits = written.strip_prefix('-').unwrap_or(written);
        let whole = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let is_whole_well = whole > 0 && (whole == 1 || !digits.starts_with('0'));
        let fraction = digits[whole..].strip_prefix('.');
        let is_fraction_well = fraction.is_none_or(|fraction| fraction.starts_with(|c: char| c.is_ascii_digit()));
        let number = Number::read(written).filter(|_| is_whole_well && is_fraction_well);
        let number = number.ok_or_else(|| self.wrong("a number is expected"))?;
        self.at += end;
        Ok(number)
    }

    /// `true`, `false`, `null` or a function.
    fn word(&mut self) -> Result<Operand, Wrong> {
        let (rest, start) = (self.rest(), self.at);
        let end = rest.find(|c: char| !matches!(c, 'a'..='z' | '0'..='9' | '_')).unwrap_or(rest.len());
        let word = rest[..end].to_owned();
        self.at += end;
        if !self.eat("(") {
            return match word.as_str() {
                "true" => Ok(Operand::Bool(true)),
                "false" => Ok(Operand::Bool(false)),
                "null" => Ok(Operand::Null),
                _ => Err((start, "`@`, `$`, a value, a function or `(` is expected")),
            };
        }
        let operand = self.within(|reader| {
            reader.blanks();
            match word.as_str() {
                "length" => reader.argument().map(|operand| Operand::Length(Box::new(operand))),
                "count" => reader.query().map(Operand::Count),
                "value" => reader.query().map(Operand::ValueOf),
                _ => Err((start, "there is no such function; there are length, count and value")),
            }
        })?;
        self.expect(")", "`)` is expected behind the argument")?;
        Ok(operand)
    }

    /// An operand that gives at most one value.
    fn argument(&mut self) -> Result<Operand, Wrong> {
        let start = self.at;
        let operand = self.operand()?;
        single(operand, start)
    }
}

fn single(operand: Operand, start: usize) -> Result<Operand, Wrong> {
    let is_single = |segment: &Segment| {
        !segment.descends && matches!(segment.selectors.as_slice(), [Selector::Name(_) | Selector::Index(_)])
    };
    match &operand {
        Operand::Query(query) if !query.segments.iter().all(is_single) => {
            Err((start, "this may select more than one value, which cannot be compared"))
        }
        _ => Ok(operand),
    }
}
