use super::*;

#[test]
fn a_browser_sends_everything_through_the_proxy_and_trusts_one_key() {
    let own = ["--lang=de".to_owned()];
    let wanted = Wanted {
        path: None,
        is_headless: true,
        arguments: &own,
        proxy: "0.0.0.0:8888".parse().unwrap(),
        spki: "abc=",
        url: "https://127.0.0.1/",
    };
    let all = arguments(&wanted, Path::new("/tmp/profile"));
    for flag in [
        "--user-data-dir=/tmp/profile",
        "--proxy-server=http://127.0.0.1:8888",
        "--proxy-bypass-list=<-loopback>",
        "--ignore-certificate-errors-spki-list=abc=",
        "--disable-quic",
        "--disable-background-networking",
        "--headless=new",
        "--lang=de",
    ] {
        assert!(all.iter().any(|one| one == flag), "{flag}: {all:?}");
    }
    assert_eq!(all.last().map(String::as_str), Some("https://127.0.0.1/"));
}

#[test]
fn a_browser_that_cannot_start_leaves_no_profile() {
    let wanted = Wanted {
        path: Some(Path::new("/nowhere/chromium")),
        is_headless: true,
        arguments: &[],
        proxy: "127.0.0.1:8888".parse().unwrap(),
        spki: "",
        url: "http://127.0.0.1/",
    };
    let error = open(&wanted).err().expect("there is no such browser");
    assert!(error.contains("/nowhere/chromium") && error.contains("--browser"), "{error}");
    assert!(!std::env::temp_dir().join(format!("nmax-browser-{}", std::process::id())).exists());
}
