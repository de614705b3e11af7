use proptest::prelude::*;

use super::*;

#[test]
fn tokens_are_ours_alive_and_untouched() {
    let signer = Signer::new(1);
    let token = signer.issue("ann@shop.test", 1_000);
    assert_eq!(signer.verify(&token, 1_000).as_deref(), Some("ann@shop.test"));
    assert_eq!(signer.verify(&token, 1_000 + TOKEN_LIFE_S), None, "expired");
    assert_eq!(Signer::new(2).verify(&token, 1_000), None, "another key");
    let (_, signature) = token.rsplit_once('.').unwrap();
    let claims = BASE64_URL_SAFE_NO_PAD.encode(br#"{"sub":"eve@shop.test","exp":9999999999}"#);
    let forged = format!("{}.{claims}.{signature}", token.split('.').next().unwrap());
    assert_eq!(signer.verify(&forged, 1_000), None, "forged");
}

proptest! {
    /// Law: no text verifies by accident, and none panics.
    #[test]
    fn noise_is_no_token(text in "[a-zA-Z0-9._-]{0,60}") {
        prop_assert_eq!(Signer::new(1).verify(&text, 0), None);
    }
}
