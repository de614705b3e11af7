//! Stamps as `strftime` wrote them, read back.

use super::stamp::{self, S, Stamp, checked, four, fraction_of, month, offset, two};

/// A compiled `strftime` pattern. A stamp tells its own length, since it may have any byte in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pattern {
    items: Vec<Item>,
}

/// One part of a pattern.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Text(u8),
    Blanks,
    Year,
    YearOfCentury,
    Month,
    MonthName,
    Day,
    DayOfYear,
    Hour,
    HourOfHalf,
    Half,
    Minute,
    Second,
    Zone,
    ZoneName,
    Word,
    Epoch,
    Fraction(usize),
}

/// What was read so far.
#[derive(Default)]
struct Parts {
    year: u32,
    month: u32,
    day: u32,
    day_of_year: Option<u32>,
    hour: u32,
    is_half: bool,
    is_afternoon: bool,
    minute: u32,
    second: u32,
    fraction: Option<(i64, u32)>,
    zone_s: Option<i32>,
    epoch_s: Option<i64>,
}

/// Longer forms of single letters.
const LONGER: [(u8, &str); 7] = [
    (b'T', "%H:%M:%S"),
    (b'R', "%H:%M"),
    (b'F', "%Y-%m-%d"),
    (b'D', "%m/%d/%y"),
    (b'r', "%I:%M:%S %p"),
    (b'c', "%a %b %e %H:%M:%S %Y"),
    (b'x', "%m/%d/%y"),
];

impl Pattern {
    /// A pattern of nothing, to append to.
    pub(super) fn new() -> Self {
        Self { items: Vec::new() }
    }

    /// Appends what `text` means to `strftime`. The error is the conversion that cannot be read back.
    pub(super) fn push(&mut self, text: &str) -> Result<(), String> {
        let mut rest = text.as_bytes();
        while let [byte, after @ ..] = rest {
            rest = after;
            if *byte != b'%' {
                self.literal(*byte);
                continue;
            }
            // GNU's flags and the modifiers of POSIX change how a number is padded, not what it is.
            let skipped = rest.iter().take_while(|byte| b"-_0^#EO:".contains(byte)).count();
            let Some(&letter) = rest.get(skipped) else {
                return Err("%".to_owned());
            };
            rest = &rest[skipped + 1..];
            if let Some((_, longer)) = LONGER.iter().find(|(name, _)| *name == letter) {
                self.push(longer)?;
                continue;
            }
            self.items.push(item(letter).ok_or_else(|| format!("%{}", char::from(letter)))?);
        }
        Ok(())
    }

    /// Appends a literal byte; blanks stand for any number of them.
    fn literal(&mut self, byte: u8) {
        self.items.push(if byte == b' ' { Item::Blanks } else { Item::Text(byte) });
    }

    /// Appends the fraction of a second, of so many digits.
    pub(super) fn push_fraction(&mut self, digits: usize) {
        self.items.push(Item::Fraction(digits));
    }

    /// The stamps tell their time zone.
    pub(super) fn has_zone(&self) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Zone | Item::Epoch))
    }

    /// The stamps have all that makes a point in time.
    pub(super) fn is_complete(&self) -> bool {
        let has = |wanted: &[Item]| self.items.iter().any(|item| wanted.contains(item));
        let has_date = has(&[Item::Year, Item::YearOfCentury])
            && (has(&[Item::DayOfYear]) || has(&[Item::Month, Item::MonthName]) && has(&[Item::Day]));
        has(&[Item::Epoch]) || has_date && has(&[Item::Hour, Item::HourOfHalf])
    }

    /// The stamp that `text` begins with, and its length.
    pub(super) fn read(&self, text: &[u8], zone_s: i32) -> Option<(Stamp, usize)> {
        let mut parts = Parts::default();
        let mut at = 0;
        for item in &self.items {
            at += parts.read(item, text.get(at..)?)?;
        }
        Some((parts.stamp(zone_s)?, at))
    }
}

/// The item that a conversion is.
fn item(letter: u8) -> Option<Item> {
    Some(match letter {
        b'Y' | b'G' => Item::Year,
        b'y' | b'g' => Item::YearOfCentury,
        b'm' => Item::Month,
        b'b' | b'B' | b'h' => Item::MonthName,
        b'd' | b'e' => Item::Day,
        b'j' => Item::DayOfYear,
        b'H' | b'k' => Item::Hour,
        b'I' | b'l' => Item::HourOfHalf,
        b'p' | b'P' => Item::Half,
        b'M' => Item::Minute,
        b'S' => Item::Second,
        b'z' => Item::Zone,
        b'Z' => Item::ZoneName,
        b'a' | b'A' | b'u' | b'w' | b'U' | b'W' | b'V' | b'C' => Item::Word,
        b's' => Item::Epoch,
        b'%' => Item::Text(b'%'),
        b'n' | b't' => Item::Blanks,
        _ => return None,
    })
}

/// The number of up to two digits that `text` begins with, perhaps behind a blank, and its length.
fn short(text: &[u8]) -> Option<(u32, usize)> {
    if let Some(value) = two(text, 0) {
        return Some((value, 2));
    }
    let blanks = usize::from(text.first() == Some(&b' '));
    let digit = text.get(blanks).filter(|byte| byte.is_ascii_digit())?;
    Some((u32::from(digit - b'0'), blanks + 1))
}

/// Length of the letters and digits that `text` begins with.
fn word(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// A value with its length becomes the length; the value goes where it belongs.
fn store<T>(read: Option<(T, usize)>, place: &mut T) -> Option<usize> {
    let (value, length) = read?;
    *place = value;
    Some(length)
}

impl Parts {
    /// Reads `item` at the beginning of `text` and tells how long it is.
    fn read(&mut self, item: &Item, text: &[u8]) -> Option<usize> {
        match item {
            Item::Text(byte) => (text.first() == Some(byte)).then_some(1),
            Item::Blanks => Some(text.iter().take_while(|byte| byte.is_ascii_whitespace()).count()),
            Item::Year => store(four(text, 0).map(|year| (year, 4)), &mut self.year),
            Item::YearOfCentury => {
                let (year, length) = two(text, 0).map(|year| (year, 2))?;
                self.year = year + if year < 70 { 2000 } else { 1900 };
                Some(length)
            }
            Item::Month => store(short(text), &mut self.month),
            Item::MonthName => store(month(text, 0).map(|month| (month, word(text))), &mut self.month),
            Item::Day => store(short(text), &mut self.day),
            Item::DayOfYear => {
                self.day_of_year = Some(two(text, 0)? * 10 + two(text, 1)? % 10);
                Some(3)
            }
            Item::Hour => store(short(text), &mut self.hour),
            Item::HourOfHalf => {
                self.is_half = true;
                store(short(text), &mut self.hour)
            }
            Item::Half => {
                self.is_afternoon = matches!(text.first()?, b'P' | b'p');
                Some(2)
            }
            Item::Minute => store(short(text), &mut self.minute),
            Item::Second => store(short(text), &mut self.second),
            Item::Zone => store(offset(text).map(|(zone_s, length)| (Some(zone_s), length)), &mut self.zone_s),
            Item::ZoneName => Some(word(text)),
            Item::Word => Some(word(text)),
            Item::Epoch => {
                let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
                self.epoch_s = Some(i64::try_from(super::number::count(&text[..digits])?).ok()?);
                Some(digits)
            }
            Item::Fraction(digits) => {
                self.fraction = Some(fraction_of(text.get(..*digits)?)?);
                Some(*digits)
            }
        }
    }

    /// The point in time that the parts are.
    fn stamp(self, zone_s: i32) -> Option<Stamp> {
        let (below_us, resolution_us) = self.fraction.unwrap_or((0, 1_000_000));
        if let Some(epoch_s) = self.epoch_s {
            return checked(epoch_s.checked_mul(S)?.checked_add(below_us)?, resolution_us);
        }
        let hour = match (self.is_half, self.hour) {
            (false, hour) => hour,
            (true, hour @ 1..=12) => hour % 12 + if self.is_afternoon { 12 } else { 0 },
            (true, _) => return None,
        };
        let days = match self.day_of_year {
            Some(number @ 1..=366) => stamp::days(self.year, 1, 1)? + i64::from(number) - 1,
            Some(_) => return None,
            None => stamp::days(self.year, self.month, self.day)?,
        };
        let local_us = days * 86400 * S + stamp::clock_us(hour, self.minute, self.second)? + below_us;
        checked(local_us - i64::from(self.zone_s.unwrap_or(zone_s)) * S, resolution_us)
    }
}

#[cfg(test)]
mod tests;
