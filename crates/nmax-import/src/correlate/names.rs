//! Names of values: which mean an identifier, which a measure, and which the same.

use std::collections::HashSet;

pub(super) use nmax_secrets::names::split_words;

/// Words of names whose values identify something.
const IDENTIFIERS: [&str; 34] = [
    "id", "ids", "uuid", "guid", "token", "key", "nonce", "code", "number", "nr", "ref", "reference", "csrf", "xsrf",
    "csrfmiddlewaretoken", "authenticity", "verification", "hash", "sid", "session", "cursor", "state", "signature",
    "sig", "ticket", "handle", "viewstate", "eventvalidation", "flow", "execution", "challenge", "challengeid",
    "after", "etag",
];
/// Words of names whose values measure something.
const MEASURES: [&str; 58] = [
    "price", "amount", "total", "subtotal", "count", "quantity", "qty", "sum", "cents", "size", "width", "height",
    "page", "pages", "limit", "offset", "per", "year", "month", "day", "date", "time", "age", "rate", "rating",
    "score", "stock", "weight", "percent", "discount", "tax", "vat", "version", "lat", "lng", "lon", "latitude",
    "longitude", "zip", "zipcode", "postal", "postcode", "status", "level", "duration", "position", "index", "sort",
    "pieces", "min", "max", "top", "x", "y", "step", "start", "rows", "p",
];
/// Words that say nothing about what is named.
const GENERIC: [&str; 14] =
    ["id", "ids", "uuid", "guid", "value", "data", "key", "number", "code", "the", "name", "x", "current", "new"];
/// Names that plans, functions and feeders use for themselves.
const TAKEN: [&str; 20] = [
    "iteration", "vu", "env", "setup", "people", "person", "users", "user", "accounts", "account", "secrets", "words",
    "terms", "data", "rows", "quantities", "addresses", "phones", "names", "items",
];
/// Longest name of a value, in characters.
const NAME_CHARS_MAX: usize = 40;

/// Whether the name says what is named, and not only that it is an id.
pub(super) fn says(name: &str) -> bool {
    split_words(name).iter().any(|word| word.len() > 1 && !GENERIC.contains(&word.as_str()))
}

/// Without the `s` of a plural.
pub(super) fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|word| word.len() > 2).unwrap_or(word)
}

fn is_one_of(list: &[&str], word: &str) -> bool {
    list.contains(&word) || list.contains(&singular(word))
}

/// Whether the name says that its value identifies something: `id`, `orderId`, `csrf_token`, `orderid`.
pub(super) fn identifies(name: &str) -> bool {
    let words = split_words(name);
    let ends = |word: &String| word.len() > 4 && (word.ends_with("id") || word.ends_with("token"));
    words.iter().any(|word| is_one_of(&IDENTIFIERS, word)) || words.last().is_some_and(ends)
}

/// Whether the name says that its value measures or counts something.
pub(super) fn measures(name: &str) -> bool {
    let words = split_words(name);
    words.iter().any(|word| is_one_of(&MEASURES, word)) && !identifies(name)
}

/// Whether two names are the same but for how they are written.
pub(super) fn same(a: &str, b: &str) -> bool {
    !a.is_empty() && split_words(a) == split_words(b)
}

/// Whether two lists of words name the same thing.
pub(super) fn share(a: &[String], b: &[String]) -> bool {
    let says = |word: &&str| word.len() > 1 && !GENERIC.contains(word);
    let telling = |words: &'_ [String]| words.iter().map(|word| singular(word).to_owned()).collect::<Vec<_>>();
    let (a, b) = (telling(a), telling(b));
    a.iter().filter(|a| says(&a.as_str())).any(|a| {
        b.iter().filter(|b| says(&b.as_str())).any(|b| {
            let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
            short == long || (short.len() >= 4 && long.starts_with(short.as_str()))
        })
    })
}

/// Gives each value a name of its own that a plan can use.
#[derive(Debug, Default)]
pub(super) struct Namer(HashSet<String>);

impl Namer {
    /// A name made of the first that says something; `kind` is added, and then a number, when it is taken.
    pub(super) fn name(&mut self, candidates: &[&str], kind: &str) -> String {
        let clean = |name: &&str| {
            let name = cleaned(name);
            (!name.is_empty()).then_some(name)
        };
        let name = candidates.iter().find_map(clean).unwrap_or_else(|| "value".to_owned());
        // `item_id`, but no `csrf_id`.
        let with_kind = (kind != "id" || !identifies(&name)).then(|| format!("{name}_{kind}"));
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let mut all = [name.clone()].into_iter().chain(with_kind).chain(numbered);
        let free = all.find(|name| !TAKEN.contains(&name.as_str()) && !self.0.contains(name));
        let free = free.unwrap_or(name);
        self.0.insert(free.clone());
        free
    }
}

/// Small letters, digits and `_`, beginning with a letter.
fn cleaned(name: &str) -> String {
    let mut clean = String::new();
    let mut was_small = false;
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            if c.is_ascii_uppercase() && was_small {
                clean.push('_');
            }
            clean.push(c.to_ascii_lowercase());
        } else if !clean.ends_with('_') {
            clean.push('_');
        }
        was_small = c.is_ascii_lowercase();
    }
    let clean = clean.trim_matches('_').trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let end = clean.len().min(NAME_CHARS_MAX);
    clean[..end].trim_end_matches('_').to_owned()
}
