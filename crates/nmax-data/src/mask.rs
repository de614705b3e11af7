//! Values replaced by others of the same form, the same one always by the same one.
//!
//! In: a value and what it is. Out: another value. For a key, each kind is a bijection of texts: equal values stay
//! equal, different ones different, so joins, distinct counts and frequencies are those of the original
//! (`masking_is_injective`). Nothing is remembered; memory is constant.
//!
//! This is obfuscation, not anonymization: what is rare stays rare, and who knows how often a value occurs may know
//! which one it was.
//!
//! # Layout
//! - `cipher`: permutations of texts of one pattern; `alphabet`: which letters are of a kind
//! - `names`, `forms` (dates, accounts, addresses): values with rules of their own
//! - `detect`: which column of a file is what

mod alphabet;
mod cipher;
mod detect;
mod forms;
mod names;

#[cfg(test)]
mod tests;

use cipher::Cipher;
pub use detect::{Detected, detect};
use names::NameTable;

use crate::sip::SipKey;

nmax_text::named! {
    /// What a value is, and so how it is masked.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MaskKind {
        /// Letters to letters of the same script and case, digits to digits; length and all else are kept.
        Text = "text",
        /// Word by word; names of the census become other names of the same length, all else is as [`MaskKind::Text`].
        Name = "name",
        /// The part before the `@` as a name, the domain, whatever its case, as text below `example.com`.
        Email = "email",
        /// Moved back by a number of weeks that the key decides; with slashes, the month comes first.
        Date = "date",
        /// The same; with slashes, the day comes first.
        DateDayFirst = "date-dmy",
        /// Country kept, account replaced, check digits right.
        Iban = "iban",
        /// First two digits kept, the others replaced, check digit right.
        Card = "card",
        /// Version and variant kept; in capitals or in small letters, as it was.
        Uuid = "uuid",
        /// Four numbers up to 255; addresses of private networks stay in theirs.
        Ipv4 = "ipv4",
        /// Nothing is done.
        Keep = "keep",
    }
    /// As it is written on the command line.
    name
}

impl MaskKind {
    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// What it does, in a few words.
    pub const fn effect(self) -> &'static str {
        match self {
            Self::Keep => "left alone",
            Self::Text => "letters to letters, digits to digits",
            Self::Name => "names to names of the same length",
            Self::Email => "addresses at example.com",
            Self::Date | Self::DateDayFirst => "moved back by whole weeks, the same for all",
            Self::Iban => "country kept, check digits right",
            Self::Card => "first two digits kept, check digit right",
            Self::Uuid => "hexadecimal digits, version kept",
            Self::Ipv4 => "another address, of the same network if private",
        }
    }
}

/// Masks values under one key.
#[derive(Debug)]
pub struct Masker {
    cipher: Cipher,
    names: NameTable,
    /// Days that dates move back; a multiple of 7.
    days_back: i64,
}

impl Masker {
    /// For a secret of 16 bytes.
    pub fn new(key: [u8; 16]) -> Self {
        let key = SipKey::new(key);
        Self {
            cipher: Cipher::new(key),
            names: NameTable::new(),
            // One week to ten years.
            days_back: 7 * (1 + (key.hash_text("days back") % 520) as i64),
        }
    }

    /// Appends the masked `value`.
    ///
    /// What has not the form of its kind is masked as text, until the result has not the form either: so both halves
    /// of the values keep to themselves and nothing meets.
    pub fn mask(&self, kind: MaskKind, value: &str, out: &mut String) {
        let masked = match kind {
            MaskKind::Keep => Some(value.to_owned()),
            MaskKind::Text => Some(self.cipher.text(value)),
            MaskKind::Name => Some(self.names.mask(&self.cipher, value)),
            MaskKind::Email => self.email(value),
            MaskKind::Date => forms::date(value, forms::Slashes::MonthFirst, self.days_back),
            MaskKind::DateDayFirst => forms::date(value, forms::Slashes::DayFirst, self.days_back),
            MaskKind::Iban => forms::iban(&self.cipher, value),
            MaskKind::Card => forms::card(&self.cipher, value),
            MaskKind::Uuid => forms::uuid(&self.cipher, value),
            MaskKind::Ipv4 => forms::ipv4(&self.cipher, value),
        };
        match masked {
            Some(masked) => out.push_str(&masked),
            None => out.push_str(&self.cipher.walk(value, |text| self.has_form(kind, text))),
        }
    }

    fn email(&self, value: &str) -> Option<String> {
        let (local, domain) = forms::email(value)?;
        let local = self.names.mask(&self.cipher, local);
        // The case of a domain means nothing (RFC 4343), so it decides nothing; it is kept as it was.
        let masked = self.cipher.text(&domain.to_ascii_lowercase());
        let with_case = |(before, after): (char, char)| match before.is_ascii_uppercase() {
            true => after.to_ascii_uppercase(),
            false => after,
        };
        let domain: String = domain.chars().zip(masked.chars()).map(with_case).collect();
        Some(format!("{local}@{domain}.example.com"))
    }

    fn has_form(&self, kind: MaskKind, text: &str) -> bool {
        match kind {
            MaskKind::Keep | MaskKind::Text | MaskKind::Name => true,
            MaskKind::Email => forms::email(text).is_some(),
            MaskKind::Date => forms::is_date(text, forms::Slashes::MonthFirst),
            MaskKind::DateDayFirst => forms::is_date(text, forms::Slashes::DayFirst),
            MaskKind::Iban => forms::is_iban(text),
            MaskKind::Card => forms::is_card(text),
            MaskKind::Uuid => forms::is_uuid(text),
            MaskKind::Ipv4 => forms::parse_ipv4(text).is_some(),
        }
    }
}
