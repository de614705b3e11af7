//! Permutations of texts: each pattern of letters, digits and the rest has one of its own.

use super::alphabet::{Alphabet, DIGITS, LEADING};
use crate::permute::permute;
use crate::sip::SipKey;

/// Rounds over long texts.
const ROUNDS: u64 = 8;

/// Permutes texts under a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cipher {
    key: SipKey,
}

/// A character that is replaced.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    alphabet: Alphabet,
    /// Its place in the alphabet.
    place: u32,
}

impl Cipher {
    pub(super) const fn new(key: SipKey) -> Self {
        Self { key }
    }

    /// The text that stands for `value`: of the same length, with letters of the same script and case, digits for
    /// digits, and all else kept. In a number, a leading zero is kept and no other first digit becomes one.
    pub(super) fn text(self, value: &str) -> String {
        let leading = leading_digit(value);
        self.permuted(value, 0, |at, character| match leading {
            Some((first, '0')) if at == first => None,
            Some((first, _)) if at == first => Some(LEADING),
            _ => Alphabet::containing(character),
        })
    }

    /// [`Cipher::text`], again and again until `is_taken` does not hold. A bijection of the texts for which it does
    /// not hold, when `value` is one of them: there is an end, because the walk would come back to `value`.
    pub(super) fn walk(self, value: &str, is_taken: impl Fn(&str) -> bool) -> String {
        let mut text = self.text(value);
        while text != value && is_taken(&text) {
            text = self.text(&text);
        }
        text
    }

    /// The text for `value` where `alphabet` says what each character may become; it must say the same for the
    /// result. Different tweaks give different permutations.
    pub(super) fn permuted(
        self,
        value: &str,
        tweak: u64,
        alphabet: impl Fn(usize, char) -> Option<Alphabet>,
    ) -> String {
        let symbol = |at, character| {
            let alphabet = alphabet(at, character)?;
            let place = alphabet.place(character)?;
            Some(Symbol { alphabet, place })
        };
        let mut symbols = Vec::with_capacity(value.len());
        let mut pattern = Vec::with_capacity(value.len() + 1);
        pattern.push(tweak);
        for (at, character) in value.char_indices() {
            match symbol(at, character) {
                Some(symbol) => {
                    symbols.push(symbol);
                    pattern.push(symbol.alphabet.id());
                }
                None => pattern.push(u64::from(u32::from(character))),
            }
        }
        self.permute(self.key.hash(pattern), &mut symbols);
        let mut symbols = symbols.into_iter();
        let replaced = |(at, character)| match symbol(at, character).and_then(|_| symbols.next()) {
            Some(symbol) => symbol.alphabet.character(symbol.place),
            None => character,
        };
        value.char_indices().map(replaced).collect()
    }

    /// A word that follows from these words.
    pub(super) fn word(self, words: [u64; 3]) -> u64 {
        self.key.hash(words)
    }

    /// Where `index` goes among `n` things.
    pub(super) fn index(self, tweak: u64, n: u64, index: u64) -> u64 {
        permute(n, index, |round, half| self.key.hash([tweak, round, half]))
    }

    /// Few symbols are a number, which is permuted as one; of many, each half is shifted by what the other half says.
    fn permute(self, tweak: u64, symbols: &mut [Symbol]) {
        let size = symbols.iter().try_fold(1_u64, |size, symbol| {
            size.checked_mul(u64::from(symbol.alphabet.size)).filter(|size| *size < 1 << 62)
        });
        if let Some(size) = size {
            let number = symbols
                .iter()
                .fold(0, |number, symbol| number * u64::from(symbol.alphabet.size) + u64::from(symbol.place));
            let mut number = self.index(tweak, size, number);
            for symbol in symbols.iter_mut().rev() {
                symbol.place = (number % u64::from(symbol.alphabet.size)) as u32;
                number /= u64::from(symbol.alphabet.size);
            }
            return;
        }
        let (left, right) = symbols.split_at_mut(symbols.len() / 2);
        for round in 0..ROUNDS {
            let (from, to) = if round % 2 == 0 { (&*right, &mut *left) } else { (&*left, &mut *right) };
            let said =
                self.key.hash([tweak, round].into_iter().chain(from.iter().map(|symbol| u64::from(symbol.place))));
            for (at, symbol) in to.iter_mut().enumerate() {
                let size = u64::from(symbol.alphabet.size);
                let shift = self.key.hash([said, at as u64]) % size;
                symbol.place = ((u64::from(symbol.place) + shift) % size) as u32;
            }
        }
    }
}

/// Where a number of two digits or more begins, and with which digit; `None` when `value` is none.
fn leading_digit(value: &str) -> Option<(usize, char)> {
    let number = value.strip_prefix(['-', '+']).unwrap_or(value);
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.chars().all(|digit| DIGITS.place(digit).is_some());
    (whole.len() > 1 && is_digits(whole) && is_digits(part))
        .then(|| whole.chars().next())
        .flatten()
        .map(|digit| (value.len() - number.len(), digit))
}
