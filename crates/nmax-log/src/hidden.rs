//! Targets without the secrets that their queries hold.

use std::collections::HashMap;

use nmax_plan::secret::is_secret_name;

/// What stands in the place of a secret.
pub const HIDDEN: &str = "REDACTED";
/// Names of parameters that are remembered.
const NAMES_MAX: usize = 10_000;

/// Takes the values of parameters with secret names out of targets, such as those of `token` and `session`.
///
/// Logs hold them, and what is made of a log is stored and shown. It remembers which names are secret.
#[derive(Clone, Debug, Default)]
pub struct Hider {
    known: HashMap<Vec<u8>, bool>,
    text: Vec<u8>,
    count: u64,
}

impl Hider {
    /// How many values were taken out so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The target without its secrets. O(length); nothing is copied where there are none.
    pub fn hide<'a>(&'a mut self, target: &'a [u8]) -> &'a [u8] {
        let Some(query_at) = memchr::memchr(b'?', target).map(|at| at + 1) else {
            return target;
        };
        let (path, query) = target.split_at(query_at);
        if !query.split(is_end).any(|pair| self.is_secret(pair)) {
            return target;
        }
        self.text.clear();
        self.text.extend_from_slice(path);
        for (index, pair) in query.split(is_end).enumerate() {
            if index > 0 {
                self.text.push(b'&');
            }
            if !self.is_secret(pair) {
                self.text.extend_from_slice(pair);
                continue;
            }
            self.count += 1;
            self.text.extend_from_slice(name_of(pair));
            self.text.push(b'=');
            self.text.extend_from_slice(HIDDEN.as_bytes());
        }
        &self.text
    }

    /// Whether a pair has a secret name and a value.
    fn is_secret(&mut self, pair: &[u8]) -> bool {
        let name = name_of(pair);
        if name.len() + 1 >= pair.len() {
            return false;
        }
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let is_secret = is_secret_name(&String::from_utf8_lossy(name));
        if self.known.len() < NAMES_MAX {
            self.known.insert(name.to_owned(), is_secret);
        }
        is_secret
    }
}

fn is_end(byte: &u8) -> bool {
    *byte == b'&'
}

fn name_of(pair: &[u8]) -> &[u8] {
    pair.split(|byte| *byte == b'=').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_are_taken_out() {
        let cases = [
            ("/a?token=abc", "/a?token=REDACTED"),
            (
                "/a?x=1&api_key=k&y=2&password=&z",
                "/a?x=1&api_key=REDACTED&y=2&password=&z",
            ),
            ("/token=abc", "/token=abc"),
            ("/a?b=c?token=1", "/a?b=c?token=1"),
            ("/a?session=s=t", "/a?session=REDACTED"),
            ("/a", "/a"),
            ("/a?", "/a?"),
        ];
        let mut hider = Hider::default();
        for (target, want) in cases {
            let hidden = String::from_utf8_lossy(hider.hide(target.as_bytes())).into_owned();
            assert_eq!(hidden, want);
        }
        assert_eq!(hider.count(), 3);
    }

    proptest! {
        /// Whatever the target, a value of a secret name is gone, and hiding twice is hiding once.
        #[test]
        fn hiding_is_thorough(before in "[a-z=&?/]{0,12}", after in "(&[a-z]{1,3}=[a-z]{0,3}){0,3}") {
            let target = format!("/p?{before}&token=sEcReT{after}");
            let mut hider = Hider::default();
            let once = hider.hide(target.as_bytes()).to_vec();
            prop_assert!(!String::from_utf8_lossy(&once).contains("sEcReT"));
            let twice = hider.hide(&once).to_vec();
            prop_assert_eq!(once, twice);
        }
    }
}
