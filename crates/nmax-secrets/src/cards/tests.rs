use super::*;

fn found(text: &str) -> Vec<&str> {
    find(text.as_bytes()).into_iter().map(|range| &text[range]).collect()
}

/// Numbers that the issuers publish for tests.
#[test]
fn cards_are_found_in_groups_and_not() {
    for card in [
        "4111111111111111", "5555555555554444", "2223003122003222", "378282246310005", "6011111111111117",
        "3530111333300000", "30569309025904", "4111 1111 1111 1111", "4111-1111-1111-1111", "4111+1111+1111+1111",
        "4111%201111%201111%201111",
    ] {
        for (before, after) in [
            ("", ""),
            ("\"", "\""),
            ("n=", "&x"),
            ("%22", "%22"),
            ("card: ", ".\n"),
            ("", " 12/28"),
            ("12:00:01 ", " x"),
        ] {
            assert_eq!(found(&format!("{before}{card}{after}")), [card], "{before} {after}");
        }
    }
}

#[test]
fn other_numbers_are_left_alone() {
    for text in [
        "4111111111111112", "1700000000000", "1111111111111117", "x4111111111111111", "4111111111111111a",
        "411111111111111111111111", "0.4111111111111111", "4111  1111  1111  1111", "2026-01-02 03:04:05",
    ] {
        assert_eq!(found(text), Vec::<&str>::new(), "{text}");
    }
}

proptest::proptest! {
    /// Whatever the first digits, one last digit of ten is right.
    #[test]
    fn one_check_digit_of_ten_is_right(digits in proptest::collection::vec(0u8..10, 12..18)) {
        let right = (0..10).filter(|last| luhn(&[&digits[..], &[*last]].concat())).count();
        proptest::prop_assert_eq!(right, 1);
    }
}
