use super::*;

#[test]
fn names_of_secrets_are_known_in_every_spelling() {
    let secret = [
        "password", "newPassword", "user[password]", "PASSWD", "api_key", "api-key", "apiKey", "X-Api-Key", "APIKEY",
        "access_token", "authenticity_token", "csrfmiddlewaretoken", "_csrf", "X-XSRF-TOKEN", "PHPSESSID",
        "session_id", "sessionId", "sid", "connect.sid", "JSESSIONID", "pin", "userPin", "otp", "cvv", "card.cvc2",
        "card_number", "cardNumber", "credit-card", "X-Amz-Signature", "nonce", "client_secret", "clientSecret", "pwd",
        "authorization", "proxy-authorization", "pass", "auth", "x-auth", "userPass", "pass1", "code_verifier",
        "encryptionKey", "mfa_code", "passwort", "contraseña",
    ];
    for name in secret {
        assert!(is_secret_name(name), "{name}");
    }
    let open = [
        "", "shipping", "opinion", "discard", "cardinality", "user", "email", "side", "inside", "residence", "author",
        "page", "q", "sort", "code", "assign", "design", "spinner", "obsession2", "key", "___", "run_once",
        "secretary", "tokenizer",
    ];
    for name in open {
        assert!(!is_secret_name(name), "{name}");
    }
}

#[test]
fn headers_of_cookies_and_logins_are_secret() {
    for name in [
        "Cookie", "set-cookie", " Authorization", "Proxy-Authorization", "x-auth-token", "X-CSRF-Token", "HTTP_COOKIE",
        "X-Echo-Cookie",
    ] {
        assert!(is_secret_header(name), "{name}");
    }
    for name in ["host", "accept", "x-request-id", "www-authenticate", "sec-websocket-key"] {
        assert!(!is_secret_header(name), "{name}");
    }
}

proptest::proptest! {
    /// Signs around a word do not hide it.
    #[test]
    fn signs_around_a_word_do_not_hide_it(before in "[._\\[\\]-]{0,3}", after in "[._\\[\\]-]{0,3}", at in 0..WORDS.len()) {
        let name = format!("{before}{}{after}", WORDS[at]);
        proptest::prop_assert!(is_secret_name(&name), "{}", name);
        let capital = WORDS[at][..1].to_uppercase() + &WORDS[at][1..];
        let name = format!("user{capital}");
        proptest::prop_assert!(is_secret_name(&name), "{}", name);
    }
}
