use proptest::prelude::*;

use super::*;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn endpoints_worked_by_hand() {
    let cases = [
        ("10.0.0.1", Some(("10.0.0.1", None)), "IPv4"),
        ("10.0.0.1:80", Some(("10.0.0.1", Some(80))), "IPv4 with a port"),
        ("::1", Some(("::1", None)), "IPv6: the last group is not a port"),
        ("[::1]", Some(("::1", None)), "IPv6 in brackets"),
        ("[::1]:9443", Some(("::1", Some(9443))), "IPv6 with a port"),
        ("10.0.0.1:0", None, "no such port"),
        ("10.0.0.1:", None, "no port after the colon"),
        ("10.0.0.256", None, "no byte"),
        ("0.0.0.0", None, "any host"),
        ("[::]:80", None, "any host"),
        ("224.0.0.1", None, "many hosts"),
        ("shop.test", None, "a name"),
        ("", None, "nothing"),
    ];
    for (text, want, why) in cases {
        let want = want.map(|(address, port)| (ip(address), port));
        assert_eq!(parse_endpoint(text).ok(), want, "{text}: {why}");
    }
}

#[test]
fn hosts_worked_by_hand() {
    let cases = [
        ("Shop.test", Some(("shop.test", None)), "names have no case"),
        ("a_b.test:8443", Some(("a_b.test", Some(8443))), "with a port"),
        ("localhost", Some(("localhost", None)), "one label"),
        ("shop.test:0", None, "no such port"),
        ("shop.test:", None, "no port after the colon"),
        ("shop..test", None, "an empty label"),
        ("*.test", None, "no patterns"),
        ("http://shop.test", None, "a URL"),
        ("10.0.0.1:80", None, "an address is not looked up"),
        ("::1", None, "an address is not looked up"),
        ("", None, "nothing"),
    ];
    for (text, want, why) in cases {
        let want = want.map(|(host, port)| (host.to_owned(), port));
        assert_eq!(parse_host(text).ok(), want, "{text}: {why}");
    }
}

#[test]
fn sources_have_no_port() {
    assert_eq!(parse_source("127.0.0.2"), Ok(ip("127.0.0.2")));
    assert_eq!(parse_source("::1"), Ok(ip("::1")));
    for text in ["127.0.0.1:80", "0.0.0.0", "::", "ff02::1", "eth0", ""] {
        assert!(parse_source(text).is_err(), "{text}");
    }
}

#[test]
fn proxies_worked_by_hand() {
    let cases = [
        ("http://proxy", Some("http://proxy"), "no port"),
        ("http://proxy:3128/", Some("http://proxy:3128"), "without the slash"),
        ("http://me:p%40ss@proxy:1", Some("http://me:p%40ss@proxy:1"), "as written"),
        ("http://me@[::1]:1", Some("http://me@[::1]:1"), "a name alone"),
        ("http://REDACTED@proxy:1", Some("http://REDACTED@proxy:1"), "as stored"),
        ("https://proxy", None, "TLS to the proxy"),
        ("socks5://proxy", None, "another protocol"),
        ("proxy:3128", None, "no scheme"),
        ("http://@proxy", None, "nothing before the @"),
        ("http://:pw@proxy", None, "no name"),
        ("http://a:b c@proxy", None, "a space"),
        ("http://proxy/path", None, "more than host and port"),
        ("http://me@", None, "no host"),
        ("http://proxy:x", None, "no port"),
        ("http://proxy:0", None, "no such port"),
        ("http://proxy:+80", None, "no number"),
        ("http://me:100%@proxy", None, "half an escape"),
        ("http://[fe80::zz]:1", None, "no IPv6 address"),
        ("http://[::1:1", None, "half a bracket"),
        ("http://pro xy", None, "no host"),
    ];
    for (text, want, why) in cases {
        assert_eq!(parse_proxy(text).ok().as_deref(), want, "{text}: {why}");
    }
}

#[test]
fn origins_worked_by_hand() {
    for text in ["http://a", "https://A_b.test:65535/", "http://[::1]", "http://[::1]:8443", "http://10.0.0.1:1"] {
        assert_eq!(origin(text).as_deref(), Ok(text.trim_end_matches('/')), "{text}");
    }
    //  text                      what is wrong with it
    let cases = [
        ("http://", "has no host"),
        ("http://:80", "has no host"),
        ("http://a:0", "the port is not"),
        ("http://a:99999", "the port is not"),
        ("http://a:", "the port is not"),
        ("http://[::1]x", "the port is not"),
        ("http://[::g]", "no IPv6 address"),
        ("http://a b", "no valid host"),
        ("http://caf\u{e9}", "no valid host"),
        ("http://a/b", "more than scheme"),
        ("ftp://a", "does not begin with"),
        ("http://ann:hunter2@a", "`http://REDACTED@a` has a user name before the host"),
    ];
    for (text, want) in cases {
        let error = origin(text).unwrap_err();
        assert!(error.contains(want) && !error.contains("hunter2"), "{text}: {error}");
    }
}

#[test]
fn a_url_within_a_query_makes_no_text_absolute() {
    for text in ["http://a", "HTTPS://a/b", "h2+x.y-z://"] {
        assert!(is_absolute(text), "{text}");
    }
    for text in ["/login?next=http://a.b/c", "a.b/x?u=http://c", "127.0.0.1:80/?u=http://c", "://a", "1a://b", ""] {
        assert!(!is_absolute(text), "{text}");
    }
}

proptest! {
    /// Law: an endpoint as written by the standard library comes back.
    #[test]
    fn endpoints_come_back(address in any::<IpAddr>(), port in 1..u16::MAX) {
        prop_assume!(!address.is_unspecified() && !address.is_multicast());
        prop_assert_eq!(parse_endpoint(&address.to_string()), Ok((address, None)));
        let socket = SocketAddr::new(address, port).to_string();
        prop_assert_eq!(parse_endpoint(&socket), Ok((address, Some(port))));
        prop_assert_eq!(parse_source(&address.to_string()), Ok(address));
        prop_assert!(parse_host(&socket).is_err());
    }

    /// Law: what is wrong with a proxy is said without its password.
    #[test]
    fn messages_never_repeat_the_password_of_a_proxy(host in "[ -~]{0,12}", scheme in "(http://|https://|socks5://|)") {
        let text = format!("{scheme}me:hunter2@{host}");
        if let Err(error) = parse_proxy(&text) {
            prop_assert!(!error.to_string().contains("hunter2"), "{text}: {error}");
        }
    }

    /// Law: any text is answered without a panic.
    #[test]
    fn any_text_is_answered(text in "\\PC{0,30}") {
        let _ = (parse_endpoint(&text), parse_host(&text), parse_source(&text), parse_proxy(&text));
    }
}
