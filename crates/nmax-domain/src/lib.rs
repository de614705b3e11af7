//! The public suffix list (publicsuffix.org): below which names anyone may register one, such as `com` and `co.uk`.
//!
//! The list is compiled in as generic code, a function for each branch. It is a crate of its own so that this code is compiled once; as
//! generic code it would be compiled again in every crate that asks.
//!
//! Names are in lower case and ASCII. An address is not a name: the caller tests for addresses first. O(labels).

/// What the list says of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suffix<'a> {
    /// The end of the name below which anyone may register.
    pub text: &'a str,
    /// Whether a rule of the list names it. By the list's last rule, `*`, any single label is a suffix, too.
    pub is_listed: bool,
}

/// The public suffix of a name; `None` where the name has no labels.
pub fn suffix(name: &str) -> Option<Suffix<'_>> {
    let found = psl::suffix(name.as_bytes())?;
    let text = std::str::from_utf8(found.as_bytes()).ok()?;
    Some(Suffix { text, is_listed: found.is_known() })
}

/// The registrable domain of a name: its public suffix and one label more. `None` where the name has no such label.
pub fn registrable(name: &str) -> Option<&str> {
    psl::domain_str(name)
}

#[cfg(test)]
mod tests {
    use super::{registrable, suffix};

    /// Cases of the list's own test data (publicsuffix.org, `test_psl.txt`), and names that it does not have.
    #[test]
    fn suffixes_and_domains_are_those_of_the_list() {
        // name               suffix          listed  registrable
        let cases = [
            ("com", "com", true, None),
            ("www.example.com", "com", true, Some("example.com")),
            ("a.b.example.co.uk", "co.uk", true, Some("example.co.uk")),
            ("b.c.kobe.jp", "c.kobe.jp", true, Some("b.c.kobe.jp")),
            ("www.city.kobe.jp", "kobe.jp", true, Some("city.kobe.jp")),
            ("me.github.io", "github.io", true, Some("me.github.io")),
            ("localhost", "localhost", false, None),
            ("shop.internal.test", "test", false, Some("internal.test")),
        ];
        for (name, text, is_listed, domain) in cases {
            let found = suffix(name).unwrap_or_else(|| panic!("{name} has a suffix"));
            assert_eq!((found.text, found.is_listed), (text, is_listed), "{name}");
            assert_eq!(registrable(name), domain, "{name}");
        }
        assert_eq!(suffix(""), None);
    }
}
