//! People whose fields fit each other.

use nmax_text::civil;

use super::{Words, below};
use crate::choice::mix64;
use crate::names::{FEMALE, MALE, Name, SURNAMES};
use crate::permute::spread;
use crate::places::{City, UNITED_STATES, push_street};
use crate::text::{push_number, push_two};

nmax_text::named! {
    /// A column of a person.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Field {
        FirstName = "first_name",
        LastName = "last_name",
        FullName = "full_name",
        Gender = "gender",
        BirthDate = "birth_date",
        Email = "email",
        UserName = "user_name",
        Password = "password",
        Phone = "phone",
        Street = "street",
        HouseNumber = "house_number",
        Postcode = "postcode",
        City = "city",
        Region = "region",
        Country = "country",
    }
    /// Its name in records.
    name
}

/// What the fields of a person follow from. Random words: 0 gender and number of the area code, 1 first name,
/// 2 last name, 3 postcode, 4 street, 5 house number, 6 e-mail, 7 user name, 8 password, 9 birth date, 10 phone.
#[derive(Debug)]
pub(super) struct Person {
    words: Words,
    is_female: bool,
    first: Name,
    last: Name,
    postcode: u32,
    city: &'static City,
    unique: Unique,
}

/// Which field never repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unique {
    None,
    Email,
    UserName,
}

impl Person {
    pub(super) fn new(words: Words, unique: Option<&str>) -> Self {
        let is_female = words.word(0) & 1 == 0;
        let (postcode, city) = UNITED_STATES.pick(words.word(3));
        Self {
            words,
            is_female,
            first: if is_female { &FEMALE } else { &MALE }.pick(words.word(1)),
            last: SURNAMES.pick(words.word(2)),
            postcode,
            city,
            unique: match unique {
                Some("email") => Unique::Email,
                Some("user_name") => Unique::UserName,
                _ => Unique::None,
            },
        }
    }

    pub(super) fn push(&self, field: Field, out: &mut Vec<u8>) {
        let word = |number| self.words.word(number);
        match field {
            Field::FirstName => self.first.push(out),
            Field::LastName => self.last.push(out),
            Field::FullName => {
                self.first.push(out);
                out.push(b' ');
                self.last.push(out);
            }
            Field::Gender => out.push(if self.is_female { b'F' } else { b'M' }),
            Field::BirthDate => push_birth_date(word(9), out),
            Field::Email => {
                self.push_login(word(6), self.unique == Unique::Email, out);
                out.extend_from_slice(domain(word(6)));
            }
            Field::UserName => self.push_login(word(7), self.unique == Unique::UserName, out),
            Field::Password => push_password(word(8), out),
            Field::Phone => {
                let word = word(10);
                out.extend_from_slice(self.city.area(word >> 32).as_bytes());
                // 555-0100 to 555-0199 are kept free for fiction by the North American Numbering Plan.
                out.extend_from_slice(b"-555-01");
                push_two(below(word << 32, 100), out);
            }
            Field::Street => push_street(word(4), out),
            Field::HouseNumber => {
                // A product of two uniforms: low numbers are common, as streets are short.
                let word = word(5);
                push_number(1 + (((((word >> 32) * (word & 0xffff_ffff)) >> 32) * 10_000) >> 32), 1, out);
            }
            Field::Postcode => push_number(u64::from(self.postcode), 5, out),
            Field::City => out.extend_from_slice(self.city.name.as_bytes()),
            Field::Region => out.extend_from_slice(self.city.state.as_bytes()),
            Field::Country => out.extend_from_slice(b"US"),
        }
    }

    /// A name for logging in, in the forms that people choose; with `is_unique` one that ends in a number of its own,
    /// and since names have no digits, no other record has it.
    fn push_login(&self, word: u64, is_unique: bool, out: &mut Vec<u8>) {
        if is_unique {
            self.push_names(b'.', out);
            push_number(spread(mix64(self.words.seed), self.words.record), 1, out);
            return;
        }
        match word % 100 {
            0..30 => self.push_names(b'.', out),
            30..45 => {
                self.push_names(b'.', out);
                push_two(word >> 32 & 63, out);
            }
            45..65 => {
                let from = out.len();
                self.first.push_lower(out);
                out.truncate(from + 1);
                self.last.push_lower(out);
            }
            65..85 => {
                self.first.push_lower(out);
                push_number(1950 + (word >> 32) % 60, 4, out);
            }
            _ => self.push_names(b'_', out),
        }
    }

    fn push_names(&self, between: u8, out: &mut Vec<u8>) {
        self.first.push_lower(out);
        out.push(between);
        self.last.push_lower(out);
    }
}

/// RFC 2606 keeps these domains from everybody, so that nobody gets the mail.
fn domain(word: u64) -> &'static [u8] {
    match word >> 56 {
        0..150 => b"@example.com",
        150..215 => b"@example.net",
        _ => b"@example.org",
    }
}

/// 18 to 95 years before the first day of 2026: level up to 65, then fewer and fewer.
fn push_birth_date(word: u64, out: &mut Vec<u8>) {
    const TODAY: i64 = 20_454;
    let unit = ((word >> 32) as u32) as f64 * f64::powi(2.0, -32);
    let years =
        if (word as u32) < 0xc000_0000 { 18.0 + 47.0 * unit } else { 65.0 + 30.0 * (1.0 - (1.0 - unit).sqrt()) };
    let (year, month, day) = civil::date_of(TODAY - (years * 365.2425) as i64);
    push_two(u64::from(year / 100), out);
    push_two(u64::from(year), out);
    out.push(b'-');
    push_two(u64::from(month), out);
    out.push(b'-');
    push_two(u64::from(day), out);
}

/// Ten of 32 small letters and digits, then a sign, a capital and a digit, which most rules ask for.
fn push_password(mut word: u64, out: &mut Vec<u8>) {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut password = *b"..........-A0";
    for letter in &mut password[..10] {
        *letter = LETTERS[(word & 31) as usize];
        word >>= 5;
    }
    password[11] = b'A' + (word % 26) as u8;
    password[12] = b'0' + (word / 26 % 10) as u8;
    out.extend_from_slice(&password);
}
