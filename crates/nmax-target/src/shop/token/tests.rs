use proptest::prelude::*;

use super::*;

#[test]
fn base64url_matches_rfc_4648() {
    // RFC 4648 section 10, without padding; the last row has the two special digits.
    let cases =
        [(&b""[..], ""), (b"f", "Zg"), (b"fo", "Zm8"), (b"foo", "Zm9v"), (b"foob", "Zm9vYg"), (b"\xfb\xff", "-_8")];
    for (bytes, text) in cases {
        assert_eq!(base64url(bytes), text);
        assert_eq!(from_base64url(text).unwrap(), bytes);
    }
    assert_eq!(from_base64url("a=b"), None);
}

#[test]
fn tokens_are_ours_alive_and_untouched() {
    let signer = Signer::new(1);
    let token = signer.issue("ann@shop.test", 1_000);
    assert_eq!(signer.verify(&token, 1_000).as_deref(), Some("ann@shop.test"));
    assert_eq!(signer.verify(&token, 1_000 + TOKEN_LIFE_S), None, "expired");
    assert_eq!(Signer::new(2).verify(&token, 1_000), None, "another key");
    let (_, signature) = token.rsplit_once('.').unwrap();
    let claims = base64url(br#"{"sub":"eve@shop.test","exp":9999999999}"#);
    let forged = format!("{}.{claims}.{signature}", token.split('.').next().unwrap());
    assert_eq!(signer.verify(&forged, 1_000), None, "forged");
}

proptest! {
    /// Law: decode(encode(bytes)) = bytes.
    #[test]
    fn base64url_returns(bytes in prop::collection::vec(any::<u8>(), 0..50)) {
        prop_assert_eq!(from_base64url(&base64url(&bytes)), Some(bytes));
    }

    /// Law: no text verifies by accident, and none panics.
    #[test]
    fn noise_is_no_token(text in "[a-zA-Z0-9._-]{0,60}") {
        prop_assert_eq!(Signer::new(1).verify(&text, 0), None);
    }
}
