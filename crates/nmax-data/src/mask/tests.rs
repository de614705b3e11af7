use std::collections::HashSet;
use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;

/// Maskers of three keys.
static MASKERS: LazyLock<Vec<Masker>> = LazyLock::new(|| (0..3).map(|key| Masker::new([key; 16])).collect());

fn masked(key: u8, kind: MaskKind, value: &str) -> String {
    let mut out = String::new();
    MASKERS[usize::from(key)].mask(kind, value, &mut out);
    out
}

/// Values that have, nearly have, and have not the forms that kinds look for.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 .@'-]{0,12}",
        "[a-z]{1,3}",
        "-?[0-9]{1,5}(\\.[0-9]{1,2})?",
        "[a-zéÀßłŠя漢가-]{1,8}",
        prop::sample::select(vec![
            "Smith", "smith", "SMITH", "Mary", "Mary Smith", "mary.smith84", "McDonald", "Mcdonald"
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,5}@[a-z]{1,3}\\.(com|de)",
        "[0-3][0-9]/[0-1][0-9]/20[0-9]{2}",
        "(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]( 12:00)?",
        "(19|20)[0-9]{2}[01][0-9][0-3][0-9]",
        "[0-3][0-9]\\.[01][0-9]\\.0[0-9]{3}",
        "4[0-9]{12,15}",
        (0..1_000_000_000_000_000_u64).prop_map(card),
        "[0-9]{18}".prop_map(|bban| iban("DE", &bban)),
        "[A-Z]{4}[0-9]{14}".prop_map(|bban| iban("GB", &bban)),
        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}",
        "[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-8[0-9A-F]{3}-[0-9A-F]{12}",
        "0{8}-0{4}-4000-8000-0{10}[0-9]{2}",
        "(10|127|172|192)\\.(16|31|168)\\.[0-9]{1,3}\\.[0-9]{1,3}",
        "[a-zA-Z]{1,3}@[a-zA-Z]{1,2}\\.(com|COM)",
        "[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}",
    ]
}

fn card(payload: u64) -> String {
    let payload = format!("4{payload:015}");
    let check = crate::digits::luhn(payload.bytes().map(|byte| byte - b'0'));
    format!("{payload}{check}")
}

fn iban(country: &str, bban: &str) -> String {
    let bytes = country.as_bytes();
    let check = crate::digits::iban([bytes[0], bytes[1]], bban.bytes()).unwrap();
    let packed = format!("{country}{check:02}{bban}");
    // In groups of four, as on paper.
    packed.as_bytes().chunks(4).map(|four| std::str::from_utf8(four).unwrap()).collect::<Vec<_>>().join(" ")
}

/// What must be the same before and after.
fn pattern(value: &str) -> Vec<(bool, bool, bool, char)> {
    let class =
        |c: char| (c.is_ascii_digit(), c.is_uppercase(), c.is_lowercase(), if c.is_alphanumeric() { 'x' } else { c });
    value.chars().map(class).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Law: for each kind and key, different values are different masked, and equal ones equal.
    #[test]
    fn masking_is_injective(a in value(), b in value(), kind in prop::sample::select(&MaskKind::ALL[..]), key in 0..3_u8) {
        prop_assert_eq!(masked(key, kind, &a) == masked(key, kind, &b), a == b, "{} and {} as {:?}", a, b, kind);
    }

    /// Law: length, case, digits and separators are kept by all kinds but the e-mail's domain, UUIDs and addresses.
    #[test]
    fn formats_are_kept(value in value(), kind in prop::sample::select(vec![MaskKind::Text, MaskKind::Name, MaskKind::Date, MaskKind::Iban, MaskKind::Card])) {
        prop_assert_eq!(pattern(&value), pattern(&masked(0, kind, &value)), "{} as {:?}", value, kind);
    }

    /// Law: what has the form of its kind has it afterwards, and what has not has not.
    #[test]
    fn forms_are_kept(value in value(), kind in prop::sample::select(&MaskKind::ALL[..])) {
        let masker = &MASKERS[1];
        let masked = masked(1, kind, &value);
        prop_assert_eq!(masker.has_form(kind, &masked), masker.has_form(kind, &value), "{} as {:?}: {}", value, kind, masked);
    }

    /// Law: the distances of dates are kept, and so is their order.
    #[test]
    fn dates_keep_their_distances(a in 0..20_000_i64, b in 0..20_000_i64) {
        let text = |day| { let (y, m, d) = nmax_text::civil::date_of(day); format!("{y:04}-{m:02}-{d:02}") };
        let moved = |day| {
            let masked = masked(2, MaskKind::Date, &text(day));
            let parts: Vec<u32> = masked.split('-').map(|part| part.parse().unwrap()).collect();
            nmax_text::civil::day_of(parts[0], parts[1], parts[2]).unwrap()
        };
        prop_assert_eq!(moved(a) - moved(b), a - b);
        prop_assert_eq!((moved(a) - a) % 7, 0, "weekdays are kept");
        prop_assert!(moved(a) < a);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Law: what is the same thing in capitals is the same thing masked, and is written in capitals still.
    #[test]
    fn capitals_join(uuid in "[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", local in "[a-z]{1,9}[0-9]{0,4}", domain in "[a-z0-9]{1,9}(\\.[a-z]{2,4}){1,2}") {
        prop_assert_eq!(masked(0, MaskKind::Uuid, &uuid.to_uppercase()), masked(0, MaskKind::Uuid, &uuid).to_uppercase());
        let email = format!("{local}@{domain}");
        let (small, large) = (masked(0, MaskKind::Email, &email), masked(0, MaskKind::Email, &email.to_uppercase()));
        prop_assert_eq!(&small, &large.to_lowercase());
        prop_assert_eq!(large.replace(".example.com", ""), small.replace(".example.com", "").to_uppercase());
    }

    /// Law: an address is private before and after, in the same network, or neither. The oracle is the standard library.
    #[test]
    fn private_addresses_stay_private(any in any::<[u8; 4]>(), network in 0..5, key in 0..3_u8) {
        let [a, b, c, d] = any;
        let before = std::net::Ipv4Addr::from(match network {
            0 => any,
            1 => [10, b, c, d],
            2 => [172, 16 | b & 15, c, d],
            3 => [192, 168, c, d],
            _ => [a, 0, 0, d],
        });
        let after: std::net::Ipv4Addr = masked(key, MaskKind::Ipv4, &before.to_string()).parse().unwrap();
        prop_assert_eq!(before.is_private(), after.is_private(), "{} to {}", before, after);
        prop_assert_eq!(before.is_loopback(), after.is_loopback(), "{} to {}", before, after);
        prop_assert_eq!(before.is_link_local(), after.is_link_local(), "{} to {}", before, after);
        prop_assert_eq!(before.octets()[0] >= 224, after.octets()[0] >= 224, "{} to {}", before, after);
        if before.is_private() {
            prop_assert_eq!(before.octets()[0], after.octets()[0]);
        }
    }
}

/// Law: every text of a small pattern is met once. Counted, where the law above only draws.
#[test]
fn small_patterns_are_permuted_as_a_whole() {
    for kind in [MaskKind::Text, MaskKind::Name] {
        let pairs = (b'a'..=b'z').flat_map(|a| (b'a'..=b'z').map(move |b| String::from_utf8(vec![a, b]).unwrap()));
        let all: HashSet<String> = pairs.map(|pair| masked(0, kind, &pair)).collect();
        assert_eq!(all.len(), 26 * 26, "{kind:?}");
    }
    let numbers: HashSet<String> = (0..1000).map(|n| masked(0, MaskKind::Text, &n.to_string())).collect();
    assert_eq!(numbers.len(), 1000);
    assert!(numbers.iter().all(|n| n.parse::<u32>().unwrap().to_string() == *n), "no zero comes in front");
}

/// A name is found again in a full name, in an e-mail address, in capitals.
#[test]
fn people_are_of_one_piece_afterwards() {
    let name = |value: &str| masked(0, MaskKind::Name, value);
    let (first, last) = (name("Mary"), name("Smith"));
    assert_ne!((first.as_str(), last.as_str()), ("Mary", "Smith"));
    assert_eq!(name("Mary Smith"), format!("{first} {last}"));
    assert_eq!(name("SMITH, Mary"), format!("{}, {first}", last.to_uppercase()));
    assert_eq!(name("XYZZY").to_lowercase(), name("xyzzy"), "no name of the census");
    let email = masked(0, MaskKind::Email, "mary.smith@shop.test");
    assert!(email.starts_with(&format!("{}.{}@", first.to_lowercase(), last.to_lowercase())), "{email}");
    assert!(email.ends_with(".example.com"), "{email}");
}

#[test]
fn keys_decide() {
    for (kind, value) in [
        (MaskKind::Text, "A long text, with 1234567890 and more than sixty bits"),
        (MaskKind::Name, "Johnson"),
        (MaskKind::Date, "2024-02-29"),
        (MaskKind::Uuid, "6f2c1f3e-0f52-4a55-9d0b-0d3c41b0d7a1"),
    ] {
        let all: HashSet<String> = (0..3).map(|key| masked(key, kind, value)).collect();
        assert_eq!(all.len(), 3, "{all:?}");
        assert!(!all.contains(value), "{value}");
    }
}

#[test]
fn columns_are_recognized() {
    // name             values                                     kind              why this row
    let cases: [(&str, &[&str], MaskKind, &str); 20] = [
        ("email", &["a@b.de", "c@d.org"], MaskKind::Email, "name and values"),
        ("contact", &["a@b.de", "c@d.org"], MaskKind::Email, "values alone"),
        ("email_opt_in", &["yes", "no"], MaskKind::Text, "a flag; better masked than not"),
        ("firstName", &["Mary"], MaskKind::Name, "capitals part words"),
        ("LAST_NAME", &["Smith"], MaskKind::Name, "capitals only"),
        ("file_name", &["a.txt"], MaskKind::Keep, "no person"),
        ("birth_date", &["1980-01-31"], MaskKind::Date, "a date"),
        ("dob", &["31/12/1980", "01/02/1990"], MaskKind::DateDayFirst, "only days go to 31"),
        ("dob", &["12/31/1980"], MaskKind::Date, "the month first"),
        ("created_at", &["2024-01-01"], MaskKind::Keep, "no date of a person"),
        ("konto", &["DE89 3704 0044 0532 0130 00"], MaskKind::Iban, "values go before the name"),
        ("x", &["4111 1111 1111 1111"], MaskKind::Card, "values alone"),
        ("id", &["6f2c1f3e-0f52-4a55-9d0b-0d3c41b0d7a1"], MaskKind::Uuid, "identifiers, too, lead to people"),
        ("account", &["6F2C1F3E-0F52-4A55-9D0B-0D3C41B0D7A1"], MaskKind::Uuid, "it is an `id` elsewhere"),
        ("id", &["1", "2"], MaskKind::Keep, "a number"),
        ("client", &["10.0.0.1", "192.168.7.9"], MaskKind::Ipv4, "values alone"),
        ("number", &["+49 30 1234567"], MaskKind::Text, "a telephone"),
        ("zip", &["02134"], MaskKind::Text, "an address"),
        ("total", &["12.50"], MaskKind::Keep, "a number"),
        ("email", &[], MaskKind::Text, "no values"),
    ];
    for (name, sample, kind, why) in cases {
        assert_eq!(detect(name, sample).kind, kind, "{why}: {name} {sample:?}");
    }
}
