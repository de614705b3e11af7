use proptest::prelude::*;

use super::*;
use crate::plan::Comparison;

/// `units` ten-thousandths, written with zeros that mean nothing.
fn written(units: i128, zeros: usize, has_plus: bool) -> String {
    let sign = match units {
        ..0 => "-",
        _ if has_plus => "+",
        _ => "",
    };
    let (whole, part) = (units.unsigned_abs() / 10_000, units.unsigned_abs() % 10_000);
    let mut text = format!("{sign}{}{whole}", "0".repeat(zeros));
    if part > 0 || zeros > 1 {
        text += &format!(".{part:04}{}", "0".repeat(zeros));
    }
    text
}

fn units() -> impl Strategy<Value = i128> {
    prop_oneof![
        -30_000..30_000_i128,
        (i128::MIN / 4..i128::MAX / 4),
        (-9_i128..9).prop_map(|near| (9_007_199_254_740_992 + near) * 10_000),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Law: numbers are ordered as integers of 128 bits are, however they are written. Neighbours are drawn as well.
    #[test]
    fn numbers_compare_exactly(a in units(), other in units(), step in -1..3_i128, zeros in 0..4_usize, has_plus in any::<bool>()) {
        let b = if step < 2 { a + step } else { other };
        let (left, right) = (written(a, zeros, has_plus), written(b, 3 - zeros, !has_plus));
        let holds = |comparison: Comparison| comparison.holds(&left, &right);
        prop_assert_eq!(holds(Comparison::Equal), a == b, "{} == {}", left, right);
        prop_assert_eq!(holds(Comparison::NotEqual), a != b);
        prop_assert_eq!(holds(Comparison::Below), a < b, "{} < {}", left, right);
        prop_assert_eq!(holds(Comparison::AtMost), a <= b);
        prop_assert_eq!(holds(Comparison::Above), a > b);
        prop_assert_eq!(holds(Comparison::AtLeast), a >= b);
    }

    /// Law: a text equals itself, and texts that are not both numbers are equal only to themselves.
    #[test]
    fn texts_equal_themselves(left in "[0-9a-fx.+-]{0,6}", right in "[0-9a-fx.+-]{0,6}") {
        prop_assert!(Comparison::Equal.holds(&left, &left));
        if Decimal::parse(&left).is_none() || Decimal::parse(&right).is_none() {
            prop_assert_eq!(Comparison::Equal.holds(&left, &right), left == right);
            prop_assert!(!Comparison::AtMost.holds(&left, &right));
        }
    }
}

#[test]
fn what_is_a_number() {
    for text in
        ["0", "007", "-1", "+1", "1.5", ".5", "5.", " 7 ", "-0", "12345678901234567890123456789012345678901234567890"]
    {
        assert!(Decimal::parse(text).is_some(), "{text}");
    }
    for text in ["", " ", ".", "-", "--1", "1e3", "0e1", "0x10", "inf", "NaN", "1_000", "1,5", "1.2.3", "\u{661}"] {
        assert!(Decimal::parse(text).is_none(), "{text}");
    }
    assert!(Comparison::Equal.holds("-0", "0.0"));
    assert!(!Comparison::Equal.holds("0e1", "0e2"), "tokens");
    assert!(!Comparison::Equal.holds("1e3", "1000"), "tokens");
}
