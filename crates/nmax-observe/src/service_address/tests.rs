use proptest::prelude::*;

use super::*;

#[test]
fn places_as_people_write_them() {
    // text                                    user        password      host         port  path
    let cases = [
        ("127.0.0.1:6379", None, None, "127.0.0.1", 6379, ""),
        ("cache", None, None, "cache", 1, ""),
        ("[::1]:11211", None, None, "::1", 11211, ""),
        ("::1", None, None, "::1", 1, ""),
        ("redis://:s3cret@cache", None, Some("s3cret"), "cache", 1, ""),
        ("redis://app:s3cret@cache:7000/2", Some("app"), Some("s3cret"), "cache", 7000, "2"),
        ("postgres://us%40er:p%3Aa%2Fs%25@db/shop?sslmode=disable", Some("us@er"), Some("p:a/s%"), "db", 1, "shop"),
        ("postgres://u:a@b@db", Some("u"), Some("a@b"), "db", 1, ""),
        ("postgres:///shop?host=/run/pg", None, None, "", 1, "shop"),
    ];
    for (text, user, password, host, port, path) in cases {
        let place = ServiceAddress::parse(text, 1).unwrap();
        assert_eq!(place.user.as_deref(), user, "{text}");
        assert_eq!(place.password.as_deref(), password, "{text}");
        assert_eq!((&*place.host, place.port, &*place.path), (host, port, path), "{text}");
    }
    let socket = ServiceAddress::parse("postgres:///shop?host=/run/pg&sslmode=disable", 1).unwrap();
    assert_eq!(socket.option("host"), Some("/run/pg"));
    assert_eq!(socket.option("sslmode"), Some("disable"));
    assert_eq!(socket.option("user"), None);
}

#[test]
fn a_wrong_port_is_said_without_the_password() {
    for text in ["redis://:s3cret@cache:0", "redis://:s3cret@cache:99999", "redis://:s3cret@cache:x"] {
        let trouble = ServiceAddress::parse(text, 1).unwrap_err();
        assert!(trouble.is_final);
        assert!(trouble.text.contains("port") && !trouble.text.contains("s3cret"), "{trouble}");
    }
}

proptest! {
    /// Law: whatever user and password are, percent-encoded they come back, and nothing of them stays in the URL.
    #[test]
    fn users_come_back(user in "[ -~äß€]{1,12}", password in "[ -~äß€]{0,12}") {
        let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
        let url = format!("http://{}:{}@host.test:81/path@x?y=@", encoded(&user), encoded(&password));
        prop_assert_eq!(
            split_user(&url),
            ("http://host.test:81/path@x?y=@".to_owned(), Some(user), Some(password))
        );
    }

    /// No text makes it panic.
    #[test]
    fn anything_may_be_written(text in any::<String>()) {
        let _ = ServiceAddress::parse(&text, 1);
    }
}

#[test]
fn secrets_of_a_url_are_not_shown() {
    let cases = [
        ("http://h:1/metrics?x=1&y", "http://h:1/metrics?x=1&y"),
        ("http://us:s3cret@h/m?token=s3cret&x=1", "http://h/m?token=REDACTED&x=1"),
        ("http://h?API_KEY=s3=cret", "http://h?API_KEY=REDACTED"),
        ("http://h/m?api%5Fkey=s3cret#s3cret", "http://h/m?api%5Fkey=REDACTED"),
        ("http://h/m?x=1;pwd=s3;cret&y=2", "http://h/m?x=1;pwd=REDACTED&y=2"),
        ("h/m?q=a?sig=s3cret", "h/m?q=a?sig=REDACTED"),
        ("http://h/m?token=", "http://h/m?token="),
    ];
    for (url, want) in cases {
        assert_eq!(shown(url), want, "{url}");
    }
}
