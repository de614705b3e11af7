//! Targets without the secrets that they hold.

use std::collections::HashMap;
use std::ops::Range;

use nmax_plan::secret::is_secret_name;

/// What stands in the place of a secret.
pub const HIDDEN: &str = "REDACTED";
/// Names of parameters that are remembered.
const NAMES_MAX: usize = 10_000;

/// Shortest value of `code` that is taken for an authorization code of OAuth, in bytes.
const CODE_BYTES_MIN: usize = 16;
/// How tokens of JSON begin, in base64: `{"`.
const JWT: &[u8] = b"eyJ";

/// Takes secrets out of targets: values of parameters with secret names, such as `token` and `session`, in the query and
/// behind `;` in the path; authorization codes; and JSON web tokens wherever they are.
///
/// Logs hold them, and what is made of a log is stored and shown. It remembers which names are secret.
#[derive(Clone, Debug, Default)]
pub struct Hider {
    known: HashMap<Vec<u8>, bool>,
    /// Where secrets are in the target at hand.
    secrets: Vec<Range<usize>>,
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
        self.secrets.clear();
        let path_end = memchr::memchr(b'?', target).unwrap_or(target.len());
        for at in memchr::memchr_iter(b';', &target[..path_end]) {
            let rest = &target[at + 1..path_end];
            let length = memchr::memchr2(b';', b'/', rest).unwrap_or(rest.len());
            self.pair(target, at + 1..at + 1 + length);
        }
        let mut from = path_end + 1;
        while from < target.len() {
            let end = memchr::memchr(b'&', &target[from..]).map_or(target.len(), |length| from + length);
            self.pair(target, from..end);
            from = end + 1;
        }
        for token in web_tokens(target) {
            let is_new = |known: &Range<usize>| token.end <= known.start || known.end <= token.start;
            if self.secrets.iter().all(is_new) {
                self.secrets.push(token);
            }
        }
        if self.secrets.is_empty() {
            return target;
        }
        self.secrets.sort_by_key(|secret| secret.start);
        self.count += self.secrets.len() as u64;
        self.text.clear();
        let mut from = 0;
        for secret in &self.secrets {
            self.text.extend_from_slice(&target[from..secret.start]);
            self.text.extend_from_slice(HIDDEN.as_bytes());
            from = secret.end;
        }
        self.text.extend_from_slice(&target[from..]);
        &self.text
    }

    /// Keeps where the value of a pair is, if that is secret.
    fn pair(&mut self, target: &[u8], at: Range<usize>) {
        let pair = &target[at.clone()];
        let Some(equals) = memchr::memchr(b'=', pair) else {
            return;
        };
        let (name, value) = (&pair[..equals], &pair[equals + 1..]);
        let is_code = name.eq_ignore_ascii_case(b"code") && value.len() >= CODE_BYTES_MIN;
        if !value.is_empty() && value != HIDDEN.as_bytes() && (is_code || self.is_secret(name)) {
            self.secrets.push(at.start + equals + 1..at.end);
        }
    }

    /// Whether values of this name are secret.
    fn is_secret(&mut self, name: &[u8]) -> bool {
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

/// Where JSON web tokens are: two objects in base64, and perhaps a signature, with dots between.
fn web_tokens(target: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let is_base64 = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_=".contains(byte);
    let part = move |from: usize| from + target[from..].iter().take_while(is_base64).count();
    memchr::memchr_iter(JWT[2], target).filter_map(move |at| {
        let start = at.checked_sub(2).filter(|start| target[*start..].starts_with(JWT))?;
        let second = part(start);
        if !target[second..].starts_with(b".eyJ") {
            return None;
        }
        let end = part(second + 1);
        let is_signed = target.get(end) == Some(&b'.');
        Some(start..if is_signed { part(end + 1) } else { end })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn secrets_are_taken_out() {
        let cases = [
            ("/a?token=abc", "/a?token=REDACTED"),
            ("/a?x=1&api_key=k&y=2&password=&z", "/a?x=1&api_key=REDACTED&y=2&password=&z"),
            ("/token=abc", "/token=abc"),
            ("/a?b=c?token=1", "/a?b=c?token=1"),
            ("/a?session=s=t", "/a?session=REDACTED"),
            ("/a", "/a"),
            ("/a?", "/a?"),
            ("/j;jsessionid=77889900?a=1", "/j;jsessionid=REDACTED?a=1"),
            ("/j;v=1;PHPSESSID=77/b;x=2", "/j;v=1;PHPSESSID=REDACTED/b;x=2"),
            ("/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=af0", "/cb?code=REDACTED&state=af0"),
            ("/buy?code=SUMMER25", "/buy?code=SUMMER25"),
            ("/u/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln-_/x?y=1", "/u/REDACTED/x?y=1"),
            ("/u?x=eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0", "/u?x=REDACTED"),
            ("/u?token=eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0", "/u?token=REDACTED"),
            ("/eyJustAName/eyJ.eyJ", "/eyJustAName/REDACTED"),
        ];
        let mut hider = Hider::default();
        for (target, want) in cases {
            let hidden = String::from_utf8_lossy(hider.hide(target.as_bytes())).into_owned();
            assert_eq!(hidden, want);
        }
        assert_eq!(hider.count(), 10);
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
