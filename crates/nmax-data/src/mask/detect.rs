//! What a column is, from its name and a sample of its values.

use super::MaskKind;
use super::forms::{self, Slashes};

/// Share of the sample that must have a form.
const MOST: f64 = 0.9;

/// What a column seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detected {
    /// How it should be masked.
    pub kind: MaskKind,
    /// What told it.
    pub why: &'static str,
}

/// Words in names of columns, and what they stand for; the first that fits decides.
const WORDS: [(&[&str], MaskKind); 8] = [
    (&["email", "mail"], MaskKind::Email),
    (&["iban"], MaskKind::Iban),
    (&["card", "pan", "creditcard"], MaskKind::Card),
    (&["birth", "birthday", "birthdate", "dob", "born", "geburtsdatum"], MaskKind::Date),
    (&["phone", "tel", "telephone", "telefon", "mobile", "cell", "fax", "telefax"], MaskKind::Text),
    (
        &[
            "firstname", "lastname", "fullname", "surname", "forename", "vorname", "nachname", "login", "nickname",
            "username", "maiden",
        ],
        MaskKind::Name,
    ),
    (
        &[
            "street", "strasse", "straße", "address", "addr", "adresse", "postcode", "postal", "zip", "zipcode", "plz",
            "city", "town", "ort", "house", "account", "konto", "kontonummer", "ssn", "tax", "taxid", "passport",
            "social", "licence", "license", "password", "passwort", "secret", "token", "pin", "comment", "comments",
            "note", "notes", "remark", "remarks",
        ],
        MaskKind::Text,
    ),
    (&["ip", "ipv4"], MaskKind::Ipv4),
];

/// Words beside `name` that make it the name of no person.
const THINGS: [&str; 14] = [
    "file", "host", "table", "product", "brand", "event", "category", "country", "domain", "column", "class", "type",
    "department", "plan",
];

/// What a column is; `sample` are some of its values, empty ones left out.
pub fn detect(name: &str, sample: &[&str]) -> Detected {
    let words = split_words(name);
    let has = |word: &str| words.iter().any(|own| own == word);
    let named = WORDS
        .into_iter()
        .find(|(known, _)| known.iter().any(|word| has(word)))
        .map(|(_, kind)| kind)
        .or_else(|| (has("name") && !THINGS.iter().any(|thing| has(thing))).then_some(MaskKind::Name));
    let by_name = |kind| Detected { kind, why: "its name" };
    let by_values = |kind| Detected { kind, why: "its values" };
    match (named, shape(sample)) {
        // Whatever it is called here: elsewhere it may be called `id`, and both are to be joined afterwards.
        (_, Some(MaskKind::Uuid)) => by_values(MaskKind::Uuid),
        // `mail` may hold a flag and `card` a colour; then the values decide.
        (Some(MaskKind::Email | MaskKind::Iban | MaskKind::Card | MaskKind::Ipv4), shape) => match shape {
            Some(kind) => by_values(kind),
            None => by_name(MaskKind::Text),
        },
        (Some(MaskKind::Date), _) => by_name(date_kind(sample)),
        (Some(kind), None) => by_name(kind),
        (_, Some(kind)) => by_values(kind),
        (None, None) => Detected { kind: MaskKind::Keep, why: "nothing personal seen" },
    }
}

/// The words of a name, in small letters: `firstName`, `first_name` and `FIRST-NAME` are two.
fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (was_lower && character.is_uppercase()) {
            words.push(String::new());
        }
        was_lower = character.is_lowercase();
        if let (true, Some(word)) = (character.is_alphanumeric(), words.last_mut()) {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What most values look like, when that tells something.
fn shape(sample: &[&str]) -> Option<MaskKind> {
    let are = |test: &dyn Fn(&str) -> bool| share(sample, test) >= MOST;
    if sample.is_empty() {
        None
    } else if are(&|value| forms::email(value).is_some_and(|(_, domain)| domain.contains('.'))) {
        Some(MaskKind::Email)
    } else if are(&forms::is_iban) {
        Some(MaskKind::Iban)
    } else if are(&forms::is_card) {
        Some(MaskKind::Card)
    } else if are(&forms::is_uuid) {
        Some(MaskKind::Uuid)
    } else if are(&|value| forms::parse_ipv4(value).is_some()) {
        Some(MaskKind::Ipv4)
    } else if are(&is_phone) {
        Some(MaskKind::Text)
    } else {
        None
    }
}

fn share(sample: &[&str], test: &dyn Fn(&str) -> bool) -> f64 {
    sample.iter().filter(|value| test(value)).count() as f64 / sample.len() as f64
}

/// An international telephone number.
fn is_phone(value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    value.starts_with('+')
        && (8..=15).contains(&digits)
        && value[1..].chars().all(|c| c.is_ascii_digit() || " -()/.".contains(c))
}

/// Whether the day or the month comes first; the month when both could.
fn date_kind(sample: &[&str]) -> MaskKind {
    let dates = |slashes| share(sample, &|value| forms::is_date(value, slashes));
    if dates(Slashes::DayFirst) > dates(Slashes::MonthFirst) { MaskKind::DateDayFirst } else { MaskKind::Date }
}
