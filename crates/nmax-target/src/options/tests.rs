use super::*;

#[test]
fn listeners() {
    let cases = [
        ("8080", "http://127.0.0.1:8080"),
        (":8080", "http://127.0.0.1:8080"),
        ("0", "http://127.0.0.1:0"),
        ("0.0.0.0:80", "http://0.0.0.0:80"),
        ("localhost:80", "http://127.0.0.1:80"),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080"),
        ("https://[::1]:8443", "https://[::1]:8443"),
        ("https://8443", "https://127.0.0.1:8443"),
    ];
    for (text, want) in cases {
        assert_eq!(text.parse::<Listen>().unwrap().to_string(), want, "{text}");
    }
    for text in ["", "ftp://127.0.0.1:21", "127.0.0.1", "::1", "shop.test:80", "99999"] {
        let error = text.parse::<Listen>().unwrap_err().to_string();
        assert!(error.contains("help: write `8080`"), "{text}: {error}");
    }
}

#[test]
fn shares_and_error_rates() {
    assert_eq!("1%".parse(), Ok(Share(0.01)));
    assert_eq!("0.25".parse(), Ok(Share(0.25)));
    assert_eq!("100 %".parse(), Ok(Share(1.0)));
    for text in ["", "101%", "-1%", "nan", "1.5", "many"] {
        assert!(text.parse::<Share>().is_err(), "{text}");
    }
    assert_eq!("1%".parse(), Ok(ErrorRate { share: Share(0.01), status: 503 }));
    assert_eq!("1%:500".parse(), Ok(ErrorRate { share: Share(0.01), status: 500 }));
    for text in ["1%:404", "1%:", ":500"] {
        assert!(text.parse::<ErrorRate>().is_err(), "{text}");
    }
}

#[test]
fn nothing_and_everything_are_exact() {
    assert!(!Share::default().holds(f64::MIN_POSITIVE), "0 % never holds");
    assert!(Share(1.0).holds(1.0), "100 % always holds");
}
