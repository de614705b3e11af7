use super::*;

/// Published examples.
#[test]
fn known_numbers_have_their_check_digits() {
    for (text, why) in [
        ("79927398713", "the example of Luhn's patent as told everywhere"),
        ("4111111111111111", "a test card"),
        ("378282246310005", "a test card of 15 digits"),
    ] {
        let digits: Vec<u8> = text.bytes().map(|byte| byte - b'0').collect();
        let (check, payload) = digits.split_last().unwrap();
        assert_eq!(luhn(payload.iter().copied()), *check, "{why}: {text}");
    }
    for text in ["GB82WEST12345698765432", "DE89370400440532013000", "FR1420041010050500013M02606"] {
        let bytes = text.as_bytes();
        let check = text[2..4].parse().ok();
        assert_eq!(iban([bytes[0], bytes[1]], text[4..].bytes()), check, "{text}");
    }
    assert_eq!(iban(*b"DE", "12-3".bytes()), None);
}
