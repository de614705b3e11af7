use super::*;

#[test]
fn the_command_line_is_consistent() {
    <Cli as clap::CommandFactory>::command().debug_assert();
}

/// As curl reads it, and shorter.
#[test]
fn names_are_given_addresses() {
    //  text                          port       addresses                 why this row
    let cases: [(&str, Option<u16>, &[&str], &str); 7] = [
        ("Shop.test:443:10.0.0.7", Some(443), &["10.0.0.7"], "as curl"),
        ("shop.test:10.0.0.7", None, &["10.0.0.7"], "all ports"),
        (
            "shop.test:80:10.0.0.7,10.0.0.8",
            Some(80),
            &["10.0.0.7", "10.0.0.8"],
            "several",
        ),
        ("shop.test:80:[::1]", Some(80), &["::1"], "brackets"),
        ("shop.test:80:::1", Some(80), &["::1"], "none"),
        ("shop.test:::1", None, &["::1"], "no port"),
        (
            "shop.test:80::1",
            None,
            &["80::1"],
            "`:1` is no address, so 80 is no port",
        ),
    ];
    for (text, port, addresses, why) in cases {
        let given = resolve(text).unwrap();
        let found: Vec<String> = given.addresses.iter().map(|(address, _)| address.to_string()).collect();
        assert_eq!((given.host.as_str(), given.port), ("shop.test", port), "{why}");
        assert_eq!(found, addresses, "{why}");
    }
    for text in [
        "",
        "shop.test",
        "shop.test:",
        ":80:10.0.0.7",
        "shop.test:80:",
        "shop.test:99999:10.0.0.7",
        "shop.test:80:name",
    ] {
        assert!(resolve(text).is_err(), "{text}");
    }
}

#[test]
fn proxies_are_urls_without_tls() {
    for text in [
        "http://10.0.0.9:3128",
        "http://user:p@ss@proxy.lan:3128/",
        "http://[::1]:80",
    ] {
        assert_eq!(proxy(text).as_deref(), Ok(text));
    }
    for text in ["proxy.lan:3128", "https://proxy.lan", "socks5://proxy.lan", "http://"] {
        assert!(proxy(text).is_err(), "{text}");
    }
}
