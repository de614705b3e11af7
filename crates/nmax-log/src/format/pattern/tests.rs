//! What `strftime` writes is read back; `jiff` writes it.

use jiff::tz::{Offset, TimeZone};
use proptest::prelude::*;

use super::*;

/// Patterns that tell a time to the second, with their zone or without.
const PATTERNS: [&str; 9] = [
    "%d/%b/%Y:%H:%M:%S %z", "%Y-%m-%dT%H:%M:%S%z", "%F %T %z", "%a, %d %b %Y %H:%M:%S %z", "%s",
    "%d.%m.%y %H.%M.%S (%z)", "%j of %Y, %I:%M:%S %p, %z", "%e %B %Y 100%% %R:%S%:z", "%D %T",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Law: read(write(t)) = t, and the length is that of what was written.
    #[test]
    fn patterns_are_read_back(second in 0_i64..3_100_000_000, quarters in -48_i32..=48, which in 0..PATTERNS.len()) {
        let offset_s = quarters * 900;
        let zone = TimeZone::fixed(Offset::from_seconds(offset_s).expect("within a day"));
        let text = jiff::Timestamp::from_second(second).expect("in range").to_zoned(zone).strftime(PATTERNS[which]).to_string();
        let mut pattern = Pattern::new();
        prop_assert_eq!(pattern.push(PATTERNS[which]), Ok(()));
        prop_assert!(pattern.is_complete());
        let read = pattern.read(format!("{text} and more").as_bytes(), offset_s);
        prop_assert_eq!(read, Some((Stamp { us: second * S, resolution_us: 1_000_000 }, text.len())), "{}", text);
        prop_assert_eq!(pattern.has_zone(), PATTERNS[which] != "%D %T");
    }
}

#[test]
fn what_cannot_be_read_back_is_said() {
    assert_eq!(Pattern::new().push("%Y-%Q"), Err("%Q".to_owned()));
    assert_eq!(Pattern::new().push("%"), Err("%".to_owned()));
    let mut pattern = Pattern::new();
    assert_eq!(pattern.push("%H:%M"), Ok(()));
    assert!(!pattern.is_complete(), "no day");
    assert_eq!(pattern.read(b"12:3", 0), None);
}
