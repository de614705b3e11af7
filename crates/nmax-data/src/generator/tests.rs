use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;
use crate::digits;

fn generator(kind: &str, unique: Option<&str>) -> Generator {
    Generator::new(Spec { kind: kind.to_owned(), locale: None, unique: unique.map(str::to_owned) }).unwrap()
}

/// Cells of a record by the name of their column.
fn record(generator: &Generator, seed: u64, record: u64) -> HashMap<&'static str, String> {
    let cell = |column| {
        let mut out = String::new();
        generator.cell(seed, record, column, &mut out);
        out
    };
    generator.columns().iter().enumerate().map(|(at, name)| (*name, cell(at))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Law: cells hold nothing that CSV, JSON or SQL would have to quote, and something.
    #[test]
    fn cells_need_no_quotes(seed: u64, at: u64, kind in prop::sample::select(&Generator::KINDS[..])) {
        for (name, cell) in record(&generator(kind, None), seed, at) {
            prop_assert!(!cell.is_empty(), "{} is empty", name);
            prop_assert!(!cell.contains(['"', '\'', ',', '\\', ';']), "{}: {}", name, cell);
            prop_assert!(cell.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{}: {}", name, cell);
        }
    }

    /// Law: what never repeats is different for different records: numbers far apart, near, or equal.
    #[test]
    fn unique_columns_never_repeat(seed: u64, a in 0..1_u64 << 60, shift in 0..60_u32, add in 1..1000_u64) {
        let (a, b) = (a >> shift, (a >> shift) + add);
        for (kind, column) in [("person", "email"), ("person", "user_name"), ("email", "email"), ("uuid", "uuid")] {
            let generator = generator(kind, Some(column));
            prop_assert_ne!(&record(&generator, seed, a)[column], &record(&generator, seed, b)[column]);
        }
    }

    /// Law: account numbers have check digits that are right.
    #[test]
    fn accounts_check_out(seed: u64, at in 0..10_000_000_000_000_000_u64) {
        let account = record(&generator("account", None), seed, at);
        let iban = &account["iban"];
        prop_assert_eq!(iban.len(), 22);
        prop_assert_eq!(digits::iban(*b"DE", iban[4..].bytes()), iban[2..4].parse().ok());
        prop_assert!(iban.ends_with(&account["account_number"]));
        for column in ["account_number", "card"] {
            let digits: Vec<u8> = account[column].bytes().map(|byte| byte - b'0').collect();
            let (check, payload) = digits.split_last().unwrap();
            prop_assert_eq!(digits::luhn(payload.iter().copied()), *check);
        }
    }

    /// Law: the fields of a person fit each other.
    #[test]
    fn people_are_of_one_piece(seed: u64, at: u64) {
        let person = record(&generator("person", None), seed, at);
        let (first, last) = (person["first_name"].to_lowercase(), person["last_name"].to_lowercase());
        prop_assert_eq!(&person["full_name"], &format!("{} {}", person["first_name"], person["last_name"]));
        prop_assert!(person["email"].contains(&first) || person["email"].contains(&last), "{:?}", person);
        prop_assert!(person["email"].contains("@example."), "{:?}", person);
        let city = CITIES.with(|cities| cities[person["postcode"].as_str()]);
        prop_assert_eq!((city.0, city.1), (person["city"].as_str(), person["region"].as_str()));
        let (area, rest) = person["phone"].split_once('-').unwrap();
        prop_assert!(city.2.split(' ').any(|known| known == area), "{:?}", person);
        prop_assert!(rest.starts_with("555-01") && rest.len() == 8, "{:?}", person);
        let born: Vec<u32> = person["birth_date"].split('-').map(|part| part.parse().unwrap()).collect();
        prop_assert!(nmax_text::civil::day_of(born[0], born[1], born[2]).is_some(), "{:?}", person);
        prop_assert!((1930..=2008).contains(&born[0]), "{:?}", person);
    }
}

thread_local! {
    /// Postcode to city, state and area codes, read in another way than the generator does.
    static CITIES: HashMap<&'static str, (&'static str, &'static str, &'static str)> = {
        let all: &'static [String] = (0..100_000_u32).map(|code| format!("{code:05}")).collect::<Vec<_>>().leak();
        let mut cities = HashMap::new();
        for line in include_str!("../../data/cities.tsv").lines() {
            let fields: Vec<&'static str> = line.split('\t').collect();
            for range in fields[3].split(' ') {
                let from: usize = range[..5].parse().unwrap();
                let to: usize = range[range.len() - 5..].parse().unwrap();
                cities.extend(all[from..=to].iter().map(|code| (code.as_str(), (fields[0], fields[1], fields[2]))));
            }
        }
        cities
    };
}

/// Without the wish, e-mail addresses repeat as in reality; with it, they do not.
#[test]
fn uniqueness_is_what_was_asked_for() {
    for (unique, repeats) in [(None, true), (Some("email"), false)] {
        let generator = generator("person", unique);
        let seen: HashSet<String> = (0..30_000).map(|at| record(&generator, 1, at)["email"].clone()).collect();
        assert_eq!(seen.len() < 30_000, repeats, "{unique:?}: {} of 30000", seen.len());
    }
    let ibans: HashSet<String> = (0..5000)
        .chain(999_999_000..1_000_001_000)
        .map(|at| record(&generator("account", None), 1, at)["iban"].clone())
        .collect();
    assert_eq!(ibans.len(), 7000);
}

#[test]
fn searches_have_their_classes() {
    let generator = generator("search_term", None);
    let (mut classes, mut terms): (HashMap<String, u32>, HashMap<String, HashSet<String>>) = Default::default();
    for at in 0..20_000 {
        let search = record(&generator, 5, at);
        *classes.entry(search["class"].clone()).or_default() += 1;
        terms.entry(search["q"].clone()).or_default().insert(search["class"].clone());
    }
    for (class, percent) in [("many", 22), ("some", 70), ("none", 8)] {
        assert!(classes[class].abs_diff(percent * 200) < 300, "{classes:?}");
    }
    assert!(terms.values().all(|classes| classes.len() == 1), "a term is of one class");
    assert!(terms.len() > 5000, "{}", terms.len());
}

#[test]
fn records_depend_on_seed_and_number_only() {
    let generator = generator("person", None);
    let alone = record(&generator, 3, 1_000_000);
    let _ = record(&generator, 3, 999_999);
    assert_eq!(record(&generator.clone(), 3, 1_000_000), alone);
    assert_ne!(record(&generator, 4, 1_000_000), alone);
    assert_ne!(record(&generator, 3, 1_000_001), alone);
}

#[test]
fn errors_help() {
    let spec = |kind: &str, locale: Option<&str>, unique: Option<&str>| Spec {
        kind: kind.to_owned(),
        locale: locale.map(str::to_owned),
        unique: unique.map(str::to_owned),
    };
    // spec                                     key         message and remedy hold
    let cases = [
        (spec("persons", None, None), "generate", "`persons`", "did you mean `person`?"),
        (spec("person", Some("de_DE"), None), "locale", "no weights of names for `de_DE`", "en_US"),
        (spec("person", None, Some("mail")), "unique", "no column `mail`", "`email`"),
        (spec("person", None, Some("phone")), "unique", "`phone` repeats", "email, user_name"),
        (spec("phone", None, Some("phone")), "unique", "`phone` repeats", "leave `unique` out"),
    ];
    for (spec, key, message, remedy) in cases {
        let error = Generator::new(spec.clone()).unwrap_err();
        assert_eq!(error.key, key, "{spec:?}");
        assert!(error.message.contains(message), "{}", error.message);
        assert!(error.remedy.contains(remedy), "{}", error.remedy);
    }
    assert!(Generator::new(spec("account", Some("en_US"), Some("iban"))).is_ok());
}
