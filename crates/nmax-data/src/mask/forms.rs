//! Values with rules of their own: dates, accounts, cards, identifiers, addresses of hosts.

use nmax_text::civil::{FIRST_DAY, LAST_DAY, date_of, day_of};

use super::alphabet::{Alphabet, DIGITS};
use super::cipher::Cipher;
use crate::digits;

/// Tweaks: each form has permutations of its own.
const IBAN: u64 = 1 << 60;
const CARD: u64 = 2 << 60;
const UUID: u64 = 3 << 60;
const IPV4: u64 = 4 << 60;

/// What comes first in a date with slashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slashes {
    MonthFirst,
    DayFirst,
}

/// How a date is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// 2024-12-31 or 2024/12/31, with the sign between.
    YearFirst(char),
    /// 31.12.2024
    Dots,
    /// 12/31/2024
    MonthFirst,
    /// 31/12/2024
    DayFirst,
    /// 20241231
    Bare,
}

/// From and to, in bytes.
type Span = (usize, usize);
/// A place and what stands there.
type Sign = (usize, char);

impl Layout {
    /// Bytes of year, month and day, and signs that must stand between, with their places.
    fn places(self) -> ([Span; 3], [Sign; 2]) {
        match self {
            Self::YearFirst(sign) => ([(0, 4), (5, 7), (8, 10)], [(4, sign), (7, sign)]),
            Self::Dots => ([(6, 10), (3, 5), (0, 2)], [(2, '.'), (5, '.')]),
            Self::MonthFirst => ([(6, 10), (0, 2), (3, 5)], [(2, '/'), (5, '/')]),
            Self::DayFirst => ([(6, 10), (3, 5), (0, 2)], [(2, '/'), (5, '/')]),
            Self::Bare => ([(0, 4), (4, 6), (6, 8)], [(0, ' '), (0, ' ')]),
        }
    }

    fn length(self) -> usize {
        if self == Self::Bare { 8 } else { 10 }
    }

    /// The day that `text` begins with.
    fn parse(self, text: &str) -> Option<i64> {
        let (fields, signs) = self.places();
        let bytes = text.as_bytes();
        let is_signed = self == Self::Bare || signs.iter().all(|(at, sign)| bytes.get(*at) == Some(&(*sign as u8)));
        let is_over = match self {
            Self::Bare => bytes.len() == 8,
            _ => !bytes.get(10).is_some_and(u8::is_ascii_digit),
        };
        let [year, month, day] = fields.map(|(from, to)| {
            let digits = text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
            digits.and_then(|digits| digits.parse().ok())
        });
        (is_signed && is_over).then_some(())?;
        day_of(year?, month?, day?)
    }

    fn write(self, day: i64, after: &str) -> String {
        let (year, month, day) = date_of(day);
        match self {
            Self::YearFirst(sign) => format!("{year:04}{sign}{month:02}{sign}{day:02}{after}"),
            Self::Dots => format!("{day:02}.{month:02}.{year:04}{after}"),
            Self::MonthFirst => format!("{month:02}/{day:02}/{year:04}{after}"),
            Self::DayFirst => format!("{day:02}/{month:02}/{year:04}{after}"),
            Self::Bare => format!("{year:04}{month:02}{day:02}{after}"),
        }
    }
}

/// Whether it begins with a date; a time may follow.
pub(super) fn is_date(value: &str, slashes: Slashes) -> bool {
    parse_layout(value, slashes).is_some()
}

fn parse_layout(value: &str, slashes: Slashes) -> Option<(Layout, i64)> {
    let with_slashes = match slashes {
        Slashes::MonthFirst => Layout::MonthFirst,
        Slashes::DayFirst => Layout::DayFirst,
    };
    [Layout::YearFirst('-'), Layout::YearFirst('/'), Layout::Dots, with_slashes, Layout::Bare]
        .into_iter()
        .find_map(|layout| Some((layout, layout.parse(value)?)))
}

/// The date moved back; days before year 1 come out at the end of year 9999, so that no two meet.
pub(super) fn date(value: &str, slashes: Slashes, days_back: i64) -> Option<String> {
    let (layout, day) = parse_layout(value, slashes)?;
    let moved = (day - FIRST_DAY - days_back).rem_euclid(LAST_DAY - FIRST_DAY + 1) + FIRST_DAY;
    Some(layout.write(moved, &value[layout.length()..]))
}

/// The two parts of an e-mail address.
pub(super) fn email(value: &str) -> Option<(&str, &str)> {
    let (local, domain) = value.rsplit_once('@')?;
    let is_plain = |text: &str| !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '@');
    (is_plain(local) && is_plain(domain)).then_some((local, domain))
}

/// Without the spaces that people put in; `None` when there is anything else.
fn packed(value: &str, is_wanted: impl Fn(u8) -> bool, fillers: &[char]) -> Option<String> {
    let packed: String = value.chars().filter(|c| !fillers.contains(c)).collect();
    packed.bytes().all(is_wanted).then_some(packed)
}

/// `packed` with the fillers of `value` where they were.
fn unpacked(value: &str, packed: &str, fillers: &[char]) -> String {
    let mut characters = packed.chars();
    let filled = |c: char| {
        if fillers.contains(&c) { c } else { characters.next().unwrap_or(c) }
    };
    value.chars().map(filled).collect()
}

/// Whether it is an IBAN with the right check digits.
pub(super) fn is_iban(value: &str) -> bool {
    packed_iban(value).is_some()
}

fn packed_iban(value: &str) -> Option<String> {
    let packed = packed(value, |byte| byte.is_ascii_digit() || byte.is_ascii_uppercase(), &[' '])?;
    let bytes = packed.as_bytes();
    let is_headed = (15..=34).contains(&bytes.len()) && bytes[..2].iter().all(u8::is_ascii_uppercase);
    let check: u8 = packed.get(2..4).filter(|check| check.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()?;
    (is_headed && digits::iban([bytes[0], bytes[1]], bytes[4..].iter().copied()) == Some(check)).then_some(packed)
}

/// Another account of the same country.
pub(super) fn iban(cipher: &Cipher, value: &str) -> Option<String> {
    let packed = packed_iban(value)?;
    let (country, bban) = (&packed[..2], &packed[4..]);
    let bytes = country.as_bytes();
    let tweak = IBAN | u64::from(bytes[0]) << 8 | u64::from(bytes[1]);
    let bban = cipher.permuted(bban, tweak, |_, character| Alphabet::containing(character));
    let check = digits::iban([bytes[0], bytes[1]], bban.bytes())?;
    Some(unpacked(value, &format!("{country}{check:02}{bban}"), &[' ']))
}

/// Whether it is a number of a card with the right check digit.
pub(super) fn is_card(value: &str) -> bool {
    packed_card(value).is_some()
}

fn packed_card(value: &str) -> Option<String> {
    let packed = packed(value, |byte| byte.is_ascii_digit(), &[' ', '-'])?;
    let (payload, check) = packed.split_at_checked(packed.len().checked_sub(1)?)?;
    let right = digits::luhn(payload.bytes().map(|byte| byte - b'0'));
    ((13..=19).contains(&packed.len()) && check.parse() == Ok(right)).then_some(packed)
}

/// Another card whose first two digits, which tell the brand, are the same.
pub(super) fn card(cipher: &Cipher, value: &str) -> Option<String> {
    let packed = packed_card(value)?;
    let payload = &packed[..packed.len() - 1];
    let payload = cipher.permuted(payload, CARD, |at, _| (at >= 2).then_some(DIGITS));
    let check = digits::luhn(payload.bytes().map(|byte| byte - b'0'));
    Some(unpacked(value, &format!("{payload}{check}"), &[' ', '-']))
}

/// Whether it is a UUID, in small letters or in capitals, not in both.
pub(super) fn is_uuid(value: &str) -> bool {
    let has = |is_wanted: fn(&u8) -> bool| value.as_bytes().iter().any(is_wanted);
    nmax_text::is_uuid(value.as_bytes()) && !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase))
}

/// Places of a UUID's version and variant.
const FIXED: [usize; 2] = [14, 19];

/// Another UUID of the same version and variant, the same one in capitals and in small letters.
///
/// Those of digits alone, which are neither, keep to themselves, so that the two ways of writing never meet.
pub(super) fn uuid(cipher: &Cipher, value: &str) -> Option<String> {
    is_uuid(value).then_some(())?;
    let has_letter = |text: &str| text.bytes().any(|byte| byte.is_ascii_alphabetic());
    if !has_letter(value) {
        return Some(cipher.permuted(value, UUID, |at, _| (!FIXED.contains(&at)).then_some(DIGITS)));
    }
    let mut masked = hexadecimal(cipher, &value.to_ascii_lowercase())?;
    // There is an end, because the walk would come back to `value`.
    while !has_letter(&masked) {
        masked = hexadecimal(cipher, &masked)?;
    }
    if value.bytes().any(|byte| byte.is_ascii_uppercase()) {
        masked.make_ascii_uppercase();
    }
    Some(masked)
}

/// 30 hexadecimal digits are two numbers of 60 bits, each shifted in turn by what the other says.
fn hexadecimal(cipher: &Cipher, value: &str) -> Option<String> {
    let is_free = |at: usize, character: char| character != '-' && !FIXED.contains(&at);
    let free: String = value.char_indices().filter(|(at, c)| is_free(*at, *c)).map(|(_, c)| c).collect();
    let (left, right) = free.split_at(15);
    let (mut left, mut right) = (u64::from_str_radix(left, 16).ok()?, u64::from_str_radix(right, 16).ok()?);
    let fixed = value.as_bytes();
    let tweak = UUID | u64::from(fixed[FIXED[0]]) << 8 | u64::from(fixed[FIXED[1]]);
    const MASK: u64 = (1 << 60) - 1;
    for round in 0..4 {
        left ^= cipher.word([tweak, 2 * round, right]) & MASK;
        right ^= cipher.word([tweak, 2 * round + 1, left]) & MASK;
    }
    let masked = format!("{left:015x}{right:015x}");
    let mut digits = masked.chars();
    let replaced = |(at, c)| if is_free(at, c) { digits.next().unwrap_or(c) } else { c };
    Some(value.char_indices().map(replaced).collect())
}

/// An address of version 4 as it is usually written: no leading zeros.
pub(super) fn parse_ipv4(value: &str) -> Option<u32> {
    let parts: Vec<&str> = value.split('.').collect();
    let is_plain = |part: &&str| !part.starts_with(['+', '0']) || *part == "0";
    (parts.len() == 4 && parts.iter().all(is_plain)).then_some(())?;
    parts.iter().try_fold(0, |number, part| Some(number << 8 | u32::from(part.parse::<u8>().ok()?)))
}

/// Networks that nobody owns, first address and bits of the network: this host, private and shared ones, loopback,
/// link-local, and what is no single host (RFC 6890, RFC 5771).
const SPECIAL: [(u32, u32); 8] = [
    (0, 8),
    (0x0a00_0000, 8),
    (0x6440_0000, 10),
    (0x7f00_0000, 8),
    (0xa9fe_0000, 16),
    (0xac10_0000, 12),
    (0xc0a8_0000, 16),
    (0xe000_0000, 3),
];

/// The network of [`SPECIAL`] that an address is in: its number, first address and how many addresses it has.
fn special(address: u32) -> Option<(usize, u32, u64)> {
    let is_in = |&(_, &(first, bits)): &(usize, &(u32, u32))| address >> (32 - bits) == first >> (32 - bits);
    let (number, (first, bits)) = SPECIAL.iter().enumerate().find(is_in)?;
    Some((number, *first, 1 << (32 - bits)))
}

/// Another address: of the same network when nobody owns it, else a public one.
pub(super) fn ipv4(cipher: &Cipher, value: &str) -> Option<String> {
    let address = parse_ipv4(value)?;
    let masked = match special(address) {
        Some((number, first, size)) => {
            let tweak = IPV4 | (1 + number as u64);
            first + cipher.index(tweak, size, u64::from(address - first)) as u32
        }
        None => {
            let another = |address| cipher.index(IPV4, 1 << 32, u64::from(address)) as u32;
            let mut masked = another(address);
            // There is an end, because the walk would come back to `address`.
            while special(masked).is_some() {
                masked = another(masked);
            }
            masked
        }
    };
    let [a, b, c, d] = masked.to_be_bytes();
    Some(format!("{a}.{b}.{c}.{d}"))
}
