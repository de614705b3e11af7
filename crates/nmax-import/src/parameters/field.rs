//! What a field is for, from its name, from the form that was shown, and from its value.

pub(crate) use nmax_secrets::names::split_words;

use crate::parts::{Part, ValueLocation};

/// What a field is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Field {
    Email,
    UserName,
    Password,
    FirstName,
    LastName,
    FullName,
    Phone,
    Street,
    HouseNumber,
    Postcode,
    City,
    Region,
    BirthDate,
    Search,
    Quantity,
    Iban,
}

/// What the form that was shown says about a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// `type` of the input.
    pub(crate) kind: String,
    /// `autocomplete` of the input.
    pub(crate) autocomplete: String,
    /// Least value.
    pub(crate) min: Option<i64>,
    /// Largest value.
    pub(crate) max: Option<i64>,
    /// Most characters.
    pub(crate) length_max: Option<i64>,
}

use Field::*;

/// Tokens of `autocomplete` (WHATWG HTML, autofill).
const AUTOCOMPLETE: [(&[&str], Field); 12] = [
    (&["email"], Email),
    (&["username", "nickname"], UserName),
    (&["new-password", "current-password"], Password),
    (&["given-name"], FirstName),
    (&["family-name"], LastName),
    (&["name", "cc-name"], FullName),
    (&["tel", "tel-national"], Phone),
    (&["street-address", "address-line1"], Street),
    (&["postal-code"], Postcode),
    (&["address-level2"], City),
    (&["address-level1"], Region),
    (&["bday"], BirthDate),
];

/// Words of a name joined, in small letters, at its end.
const NAMES: [(&[&str], Field); 13] = [
    (&["email", "mail", "emailaddress", "mailaddress"], Email),
    (&["password", "passwd", "pwd", "passphrase", "passwort", "kennwort"], Password),
    (
        &[
            "passwordconfirmation", "confirmpassword", "passwordconfirm", "passwordrepeat", "repeatpassword",
            "password1", "password2", "verifypassword",
        ],
        Password,
    ),
    (&["firstname", "givenname", "fname", "forename", "vorname", "prenom"], FirstName),
    (&["lastname", "surname", "familyname", "lname", "nachname"], LastName),
    (&["fullname", "yourname", "realname", "customername", "contactname", "cardholder", "cardholdername"], FullName),
    (&["username", "loginname", "userlogin", "nickname", "login", "benutzername"], UserName),
    (&["phone", "telephone", "tel", "telefon", "mobile", "phonenumber", "cellphone", "mobilenumber"], Phone),
    (&["street", "streetaddress", "address1", "addressline1", "line1", "strasse", "addressstreet"], Street),
    (&["housenumber", "hausnummer", "houseno"], HouseNumber),
    (&["zip", "zipcode", "postcode", "postalcode", "plz"], Postcode),
    (&["city", "town", "ort", "stadt"], City),
    (&["birthdate", "birthday", "dateofbirth", "dob", "bday", "geburtsdatum"], BirthDate),
];
/// Whole names of fields that are searched for.
const SEARCHES: [&str; 12] = [
    "q", "query", "search", "keyword", "keywords", "term", "searchterm", "searchquery", "searchtext", "suche",
    "suchbegriff", "searchword",
];
/// Whole names that are searches where the path or the form says so too.
const SEARCHES_MAYBE: [&str; 5] = ["s", "k", "text", "find", "w"];
/// Names of numbers of pieces.
const QUANTITIES: [&str; 6] = ["quantity", "qty", "pieces", "anzahl", "menge", "itemcount"];
/// Longest text that a person searches for, in characters.
const SEARCH_CHARS_MAX: usize = 80;
/// Most pieces that are taken for a number that a person chose.
const QUANTITY_MAX: i64 = 99;

/// What a field of a request is for; `path` is that of the request.
pub(crate) fn field(name: &str, value: &str, shown: &Shown, path: &str) -> Option<Field> {
    if value.trim().is_empty() || matches!(shown.kind.as_str(), "hidden" | "checkbox" | "radio" | "submit" | "select") {
        return None;
    }
    let words = split_words(name);
    let joined = words.concat();
    let tail: Vec<String> = (0..words.len()).map(|from| words[from..].concat()).collect();
    let by_name = || {
        let named = |known: &[&str]| tail.iter().any(|tail| known.contains(&tail.as_str()));
        NAMES.iter().find(|(known, _)| named(known)).map(|(_, field)| *field)
    };
    let by_form = || {
        let token = shown.autocomplete.split_ascii_whitespace().last().unwrap_or_default();
        let auto = AUTOCOMPLETE.iter().find(|(known, _)| known.contains(&token));
        auto.map(|(_, field)| *field).or(match shown.kind.as_str() {
            "email" => Some(Email),
            "password" => Some(Password),
            "tel" => Some(Phone),
            "search" => Some(Search),
            _ => None,
        })
    };
    let is_search = || {
        let is_place = path.to_ascii_lowercase().contains("search") || shown.kind == "search";
        SEARCHES.contains(&joined.as_str()) || (is_place && SEARCHES_MAYBE.contains(&joined.as_str()))
    };
    if is_email(value) {
        return Some(Email);
    }
    if is_iban(value) {
        return Some(Iban);
    }
    let found = by_form().or_else(by_name).or_else(|| match joined.as_str() {
        _ if is_search() => Some(Search),
        "state" | "province" | "region" | "bundesland" => Some(Region),
        name if QUANTITIES.contains(&name) || QUANTITIES.contains(&tail.last().map_or("", String::as_str)) => {
            Some(Quantity)
        }
        _ => None,
    });
    found.filter(|field| fits(*field, value))
}

/// A name that may be a person's, when more in the request is about one.
pub(crate) fn may_be_name(name: &str) -> bool {
    const PERSONS: [&str; 9] =
        ["customer", "user", "your", "contact", "billing", "shipping", "recipient", "display", "account"];
    let words = split_words(name);
    match words.split_last() {
        Some((last, before)) if last == "name" => before.iter().all(|word| PERSONS.contains(&word.as_str())),
        _ => false,
    }
}

/// Whether a field may be what a user is called, beside a password: a line of text that a person typed and that is no token.
pub(crate) fn may_be_login(name: &str, part: &Part, shown: &Shown) -> bool {
    let is_line = matches!(shown.kind.as_str(), "" | "text" | "email" | "tel" | "number");
    let is_given = matches!(part.place, ValueLocation::Field(..) | ValueLocation::Json(_)) && !is_flag(&part.value);
    is_line && is_given && !nmax_secrets::is_secret_name(name)
}

/// What boxes and buttons send.
fn is_flag(value: &str) -> bool {
    ["true", "false", "null", "on", "off", "yes", "no", "0", "1", "password"]
        .contains(&value.to_ascii_lowercase().as_str())
}

/// Whether a value can be what the name says.
pub(crate) fn fits(field: Field, value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    match field {
        Email => is_email(value),
        Phone => digits >= 6,
        FirstName | LastName | FullName | City => letters >= 1 && digits == 0,
        Street => letters >= 2,
        HouseNumber => digits >= 1 && value.len() <= 6,
        Postcode => digits >= 3 && value.len() <= 10,
        Region => value.len() == 2 && value.bytes().all(|byte| byte.is_ascii_uppercase()),
        BirthDate => is_iso_date(value),
        Quantity => matches!(value.parse::<i64>(), Ok(1..=QUANTITY_MAX)),
        Iban => is_iban(value),
        Search => letters >= 1 && is_typed(value),
        UserName | Password => true,
    }
}

/// Whether a person may have typed it into a line: a query of GraphQL or SQL, or JSON, is none.
fn is_typed(value: &str) -> bool {
    value.chars().count() <= SEARCH_CHARS_MAX && !value.contains(|c: char| c.is_control() || "{}<>".contains(c))
}

/// An address with a user, an `@` and a domain with a dot or `localhost`.
pub(crate) fn is_email(text: &str) -> bool {
    let Some((user, domain)) = text.split_once('@') else {
        return false;
    };
    let is_user = |c: char| c.is_alphanumeric() || ".!#$%&'*+/=?^_`{|}~-".contains(c);
    let is_domain = |c: char| c.is_alphanumeric() || ".-".contains(c);
    !user.is_empty()
        && text.len() <= 254
        && user.chars().all(is_user)
        && domain.chars().all(is_domain)
        && (domain == "localhost" || domain.split('.').count() >= 2)
        && domain.split('.').all(|label| !label.is_empty())
}

/// An IBAN with right check digits (ISO 13616).
pub(crate) fn is_iban(text: &str) -> bool {
    let plain: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let is_head = plain.len() >= 15
        && plain.len() <= 34
        && plain[..2].iter().all(u8::is_ascii_uppercase)
        && plain[2..4].iter().all(u8::is_ascii_digit)
        && plain.iter().all(u8::is_ascii_alphanumeric);
    if !is_head {
        return false;
    }
    let rest = plain[4..].iter().chain(&plain[..4]).fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        byte => (rest * 100 + u32::from(byte.to_ascii_uppercase() - b'A') + 10) % 97,
    });
    rest == 1
}

fn is_iso_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
        && (b"19".contains(&bytes[0]) || text.starts_with("20"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_name(name: &str, value: &str) -> Option<Field> {
        field(name, value, &Shown::default(), "/x")
    }

    #[test]
    fn names_and_values_tell_together() {
        for (name, value, want) in [
            ("email", "ada@shop.test", Some(Email)),
            ("username", "ada@shop.test", Some(Email)),
            ("email", "weekly", None),
            ("user[firstName]", "Ada", Some(FirstName)),
            ("billing_last_name", "Lovelace", Some(LastName)),
            ("passwordConfirmation", "x", Some(Password)),
            ("qty", "3", Some(Quantity)),
            ("qty", "0", None),
            ("qty", "1e3", None),
            ("pieces", "2", Some(Quantity)),
            ("q", "oak", Some(Search)),
            ("q", "17", None),
            ("query", "{ items(first: 3) { id } }", None),
            ("query", "one\ntwo", None),
            ("s", "oak", None),
            ("account", "DE14 9000 0000 4840 5778 62", Some(Iban)),
            ("account", "DE15 9000 0000 4840 5778 62", None),
            ("dob", "1990-12-31", Some(BirthDate)),
            ("dob", "31.12.1990", None),
            ("zip", "98059", Some(Postcode)),
            ("state", "WA", Some(Region)),
            ("state", "af0ifjsldkj", None),
            ("product_name", "Oak", None),
            ("sort", "name", None),
        ] {
            assert_eq!(by_name(name, value), want, "{name}={value}");
        }
        assert_eq!(field("s", "oak", &Shown::default(), "/search"), Some(Search));
    }

    #[test]
    fn the_form_that_was_shown_decides() {
        let shown = |kind: &str, autocomplete: &str| Shown {
            kind: kind.into(),
            autocomplete: autocomplete.into(),
            ..Shown::default()
        };
        assert_eq!(field("x1", "Ada", &shown("text", "shipping given-name"), "/"), Some(FirstName));
        assert_eq!(field("x2", "a", &shown("password", ""), "/"), Some(Password));
        assert_eq!(field("qty", "3", &shown("hidden", ""), "/"), None);
        assert_eq!(field("x3", "oak", &shown("search", ""), "/"), Some(Search));
    }

    #[test]
    fn bare_names_are_persons_only_beside_persons() {
        assert!(may_be_name("name") && may_be_name("customer[name]") && may_be_name("displayName"));
        assert!(!may_be_name("product_name") && !may_be_name("filename") && !may_be_name("names"));
    }
}
