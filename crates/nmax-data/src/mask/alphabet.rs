//! Which characters may stand for each other: those of one script and case.

/// Characters at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Alphabet {
    first: u32,
    step: u32,
    /// How many there are.
    pub(super) size: u32,
}

const fn alphabet(first: char, last: char, step: u32) -> Alphabet {
    Alphabet { first: first as u32, step, size: (last as u32 - first as u32) / step + 1 }
}

/// Digits but zero.
pub(super) const LEADING: Alphabet = alphabet('1', '9', 1);
/// Digits.
pub(super) const DIGITS: Alphabet = alphabet('0', '9', 1);

/// Scripts whose letters stand alone. In the first two blocks of Latin with signs, capitals and small letters take
/// turns. Characters of other scripts are kept as they are.
const ALL: [Alphabet; 26] = [
    alphabet('a', 'z', 1),
    alphabet('A', 'Z', 1),
    DIGITS,
    alphabet('à', 'ö', 1),
    alphabet('ø', 'ÿ', 1),
    alphabet('À', 'Ö', 1),
    alphabet('Ø', 'Þ', 1),
    alphabet('Ā', 'Ķ', 2),
    alphabet('ā', 'ķ', 2),
    alphabet('Ĺ', 'Ň', 2),
    alphabet('ĺ', 'ň', 2),
    alphabet('Ŋ', 'Ŷ', 2),
    alphabet('ŋ', 'ŷ', 2),
    alphabet('Ź', 'Ž', 2),
    alphabet('ź', 'ž', 2),
    alphabet('Α', 'Ρ', 1),
    alphabet('Σ', 'Ω', 1),
    alphabet('α', 'ω', 1),
    alphabet('А', 'Я', 1),
    alphabet('а', 'я', 1),
    alphabet('א', 'ת', 1),
    alphabet('ء', 'غ', 1),
    alphabet('ぁ', 'ゖ', 1),
    alphabet('ァ', 'ヺ', 1),
    alphabet('一', '鿿', 1),
    alphabet('가', '힣', 1),
];

impl Alphabet {
    /// The alphabet of a character, if it has one.
    pub(super) fn containing(character: char) -> Option<Self> {
        ALL.into_iter().find(|alphabet| alphabet.place(character).is_some())
    }

    /// The place of a character, from 0; `None` when it is not of this alphabet.
    pub(super) fn place(self, character: char) -> Option<u32> {
        let distance = (character as u32).checked_sub(self.first)?;
        let place = distance / self.step;
        (distance.is_multiple_of(self.step) && place < self.size).then_some(place)
    }

    /// The character at a place.
    pub(super) fn character(self, place: u32) -> char {
        char::from_u32(self.first + place * self.step).unwrap_or('?')
    }

    /// A number for each alphabet.
    pub(super) const fn id(self) -> u64 {
        (self.first as u64) << 32 | self.size as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Law: places and characters are inverse, no character is of two alphabets, and case is kept.
    #[test]
    fn alphabets_are_sound() {
        let mut seen = std::collections::HashSet::new();
        for alphabet in ALL {
            let cased: Vec<bool> = (0..alphabet.size).map(|at| alphabet.character(at).is_uppercase()).collect();
            assert!(cased.iter().all(|is_upper| *is_upper == cased[0]), "{}", alphabet.character(0));
            for place in 0..alphabet.size {
                let character = alphabet.character(place);
                assert!(seen.insert(character), "{character} twice");
                assert_eq!(alphabet.place(character), Some(place));
                assert!(character.is_alphanumeric(), "{character} is not a letter");
            }
        }
        assert_eq!(Alphabet::containing('-'), None);
    }
}
