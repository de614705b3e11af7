use proptest::prelude::*;

use super::*;

#[test]
fn secrets_are_hidden() {
    for line in [
        "login failed password=hunter2 for bob",
        "login failed, password: hunter2, for bob",
        r#"{"user":"bob","password":"hunter2"}"#,
        r#"{"user": "bob", "token": "hunter2"}"#,
        "GET /a?x=1&token=hunter2&y=2 failed",
        "calling https://bob:hunter2@db.test/x",
        "connect to postgres://bob:hunter2@db:5432/shop failed",
        "authorization: Bearer hunter2",
        "Authorization=Basic hunter2",
        "sent Bearer hunter2 to the server",
        "cookie: hunter2",
        "(apiKey=hunter2)",
    ] {
        let masked = mask(line);
        assert!(!masked.contains("hunter2"), "{line}: {masked}");
        assert!(masked.contains(HIDDEN), "{line}: {masked}");
    }
}

#[test]
fn other_words_stay() {
    for line in [
        "2026-01-31 12:00:00,123 ERROR [main] com.shop.Cart - java.io.IOException: disk full: /var/x",
        "GET http://shop.test/a?b=c 500 in 12 ms",
        "",
        "  two  blanks ",
    ] {
        assert_eq!(mask(line), line);
    }
}

proptest! {
    /// No text makes it panic, and a value behind a secret name never stays.
    #[test]
    fn nothing_breaks_it(line in "[ -~äé\t]{0,60}", value in "[a-z]{8}[0-9]{4}") {
        mask(&line);
        let masked = mask(&format!("{line} password={value}"));
        prop_assert!(!masked.contains(&value), "{masked}");
    }
}
