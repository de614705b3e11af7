//! Targets of requests without the secrets that they hold, for logs of millions of lines.
//!
//! What is secret is for [`find`](crate::find()) to say. Most targets hold nothing that could be, which a look at their
//! names and signs tells in a fraction of its time.

use std::collections::HashMap;

use memchr::{memchr, memchr_iter, memchr3, memmem};

use crate::find::has_shape;
use crate::names::{is_parameter, is_secret_header};
use crate::{MASK, Redactor};

/// Names that are remembered.
const NAMES_MAX: usize = 10_000;
/// Bytes of the longest name that is looked at by itself.
const NAME_BYTES_MAX: usize = 256;

/// Takes secrets out of targets: values of parameters with secret names, such as `token` and `session`, in the query and
/// behind `;` in the path; segments behind a secret's name, as in `/reset-password/4f0c..`; codes of OAuth; and JSON Web
/// Tokens and card numbers wherever they are.
///
/// Logs hold them, and what is made of a log is stored and shown. It remembers which names are secret.
#[derive(Clone, Debug, Default)]
pub struct Hider {
    redactor: Redactor,
    known: HashMap<Vec<u8>, bool>,
    text: Vec<u8>,
    count: u64,
}

impl Hider {
    /// One that takes known values out too.
    pub fn knowing(redactor: &Redactor) -> Self {
        Self { redactor: redactor.clone(), ..Self::default() }
    }

    /// How many values were taken out so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The target without its secrets. O(length); nothing is copied where there are none.
    pub fn hide<'a>(&'a mut self, target: &'a [u8]) -> &'a [u8] {
        if !self.may_hold_secret(target) {
            return target;
        }
        let spots = self.redactor.spots_of_url(target);
        if spots.is_empty() {
            return target;
        }
        self.count += spots.len() as u64;
        self.text.clear();
        let mut from = 0;
        for spot in spots {
            self.text.extend_from_slice(&target[from..spot.range.start]);
            self.text.extend_from_slice(MASK.as_bytes());
            from = spot.range.end;
        }
        self.text.extend_from_slice(&target[from..]);
        &self.text
    }

    /// Whether a search could find anything.
    fn may_hold_secret(&mut self, target: &[u8]) -> bool {
        // Texts in quotes, markup, logins, what is encoded once more, tokens.
        memchr3(b'"', b'\\', b'<', target).is_some()
            || memchr3(b'@', b'\'', b'`', target).is_some()
            || memchr(b':', target).is_some()
            || [b"%3".as_slice(), b"%22", b"&#", b"&quot;", b"eyJ", b"%26"]
                .iter()
                .any(|sign| memmem::find(target, sign).is_some())
            || memchr_iter(b'=', target).any(|at| name_before(target, at).is_none_or(|name| self.is_known(name)))
            || self.has_named_segment(target)
            || has_shape(target)
            || self.redactor.knows(target)
    }

    /// Whether a segment of the path is a secret's name.
    fn has_named_segment(&mut self, target: &[u8]) -> bool {
        let path = &target[..memchr(b'?', target).unwrap_or(target.len())];
        path.split(|byte| *byte == b'/').any(|segment| !segment.is_empty() && self.is_known(segment))
    }

    /// Whether values of this name may be secret.
    fn is_known(&mut self, name: &[u8]) -> bool {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let text = String::from_utf8_lossy(name);
        let last = text.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let is_secret = is_secret_header(&text) || is_parameter(last) || name.contains(&b'%');
        if self.known.len() < NAMES_MAX && name.len() <= NAME_BYTES_MAX {
            self.known.insert(name.to_owned(), is_secret);
        }
        is_secret
    }
}

/// What stands between a sign that begins a pair and the `=` of it; `None` when that is longer than a name.
fn name_before(target: &[u8], at: usize) -> Option<&[u8]> {
    let begins = |byte: &u8| matches!(byte, b'?' | b'&' | b';' | b'#');
    let least = at.saturating_sub(NAME_BYTES_MAX);
    match target[least..at].iter().rposition(begins) {
        Some(before) => Some(&target[least + before + 1..at]),
        None => (least == 0).then_some(&target[..at]),
    }
}

#[cfg(test)]
mod tests;
