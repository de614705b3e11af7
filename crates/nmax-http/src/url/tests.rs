use super::*;
use proptest::prelude::*;

#[track_caller]
fn joined(base: &str, reference: &str) -> String {
    Url::parse(base).unwrap().join(reference).unwrap().to_string()
}

/// RFC 3986 sections 5.4.1 and 5.4.2, without the fragments that we drop.
#[test]
fn references_of_rfc_3986() {
    let cases = [
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"),
        ("g?y#s", "http://a/b/c/g?y"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/../x", "http://a/b/c/g"),
        ("https://h/x/../y", "https://h/y"),
    ];
    for (reference, want) in cases {
        assert_eq!(joined("http://a/b/c/d;p?q", reference), want, "{reference:?}");
    }
}

#[test]
fn schemes_that_cannot_be_loaded() {
    let base = Url::parse("http://a/b").unwrap();
    let kind = |text: &str| base.join(text).unwrap_err().kind;
    assert_eq!(kind("g:h"), UrlErrorKind::Scheme("g".into()));
    assert_eq!(kind("mailto:me@x.test"), UrlErrorKind::Scheme("mailto".into()));
    assert_eq!(kind("http:g"), UrlErrorKind::NoHost, "strict: not a relative path");
}

#[test]
fn parsed_parts() {
    // text                              shown as                          why
    let cases = [
        ("HTTP://Shop.TEST", "http://shop.test/", "scheme and host are lower-cased"),
        ("http://h:80/", "http://h/", "the scheme's own port is not shown"),
        ("https://h:80/", "https://h:80/", "but another's is"),
        ("http://h:/x", "http://h/x", "an empty port is the default"),
        ("http://h?q", "http://h/?q", "a query needs a path"),
        ("http://h#f", "http://h/", "fragments are dropped"),
        ("http://[0:0::1]:8080/a", "http://[::1]:8080/a", "IPv6 in its short form"),
        ("  http://h/x \n", "http://h/x", "white space around"),
        ("http://h/a b\r\nx: y", "http://h/a%20b%0D%0Ax:%20y", "no header injection"),
        ("http://h/é?ü=\"", "http://h/%C3%A9?%C3%BC=%22", "UTF-8 bytes"),
        ("http://h/%41%4g%", "http://h/%41%4g%", "a stray percent sign stays, as in browsers"),
        ("http://h/a/../b", "http://h/a/../b", "dot segments as written"),
        ("http://h/a??b=1", "http://h/a??b=1", "only the first ? splits"),
        ("http://h/[1]?a[]=[c]", "http://h/[1]?a[]=[c]", "brackets stay"),
        (
            "http://h/%\u{7f}\u{85}%\t<x>?%\u{0}%0",
            "http://h/%%7F%C2%85%%09%3Cx%3E?%%00%0",
            "nothing that breaks a request line",
        ),
    ];
    for (text, want, why) in cases {
        let url = Url::parse(text).unwrap();
        assert_eq!(url.to_string(), want, "{why}");
    }
}

#[test]
fn the_host_of_an_ipv6_literal_has_no_brackets() {
    let origin = Url::parse("https://[FE80::1]/").unwrap().origin;
    assert_eq!((origin.host.as_str(), origin.port), ("fe80::1", 443));
    assert_eq!(origin.authority(), "[fe80::1]");
}

#[test]
fn refused_texts() {
    let long = format!("http://{}/", "a".repeat(254));
    let cases = [
        ("", UrlErrorKind::NoScheme),
        ("shop.test/x", UrlErrorKind::NoScheme),
        ("localhost:8080/x", UrlErrorKind::NoScheme),
        ("ftp://h/", UrlErrorKind::Scheme("ftp".into())),
        ("http:///x", UrlErrorKind::NoHost),
        ("http://:80/", UrlErrorKind::NoHost),
        ("http:/x", UrlErrorKind::NoHost),
        ("http://me:secret@h/", UrlErrorKind::UserInfo),
        ("http://münchen.test/", UrlErrorKind::HostNotAscii),
        ("http://a b/", UrlErrorKind::HostCharacter(' ')),
        ("http://a%20b/", UrlErrorKind::HostCharacter('%')),
        ("http://[::1/", UrlErrorKind::Ipv6),
        ("http://[localhost]/", UrlErrorKind::Ipv6),
        ("http://[::1]80/", UrlErrorKind::Port),
        ("http://h:0/", UrlErrorKind::Port),
        ("http://h:65536/", UrlErrorKind::Port),
        ("http://h:+80/", UrlErrorKind::Port),
        (long.as_str(), UrlErrorKind::HostTooLong),
    ];
    for (text, want) in cases {
        assert_eq!(Url::parse(text).unwrap_err().kind, want, "{text:?}");
    }
    let shown = Url::parse("http://münchen.test/").unwrap_err().to_string();
    assert!(shown.contains("xn--"), "names the remedy: {shown}");
}

proptest! {
    /// Law: what is shown reads back as the same URL, so a target is already encoded.
    #[test]
    fn shown_urls_read_back(path in ".{0,40}", port in 1..=u16::MAX, secure: bool) {
        let scheme = if secure { "https" } else { "http" };
        let url = Url::parse(&format!("{scheme}://h.test:{port}/{path}")).unwrap();
        prop_assert!(url.target.bytes().all(|b| b.is_ascii_graphic()), "{url}");
        prop_assert_eq!(Url::parse(&url.to_string()).unwrap(), url);
    }

    /// Law: a joined path has no dot segment left, and joining its own target changes nothing.
    #[test]
    fn joined_paths_have_no_dots(parts in prop::collection::vec("\\.{0,3}|[a-c]", 0..8)) {
        let base = Url::parse("http://h/x/y").unwrap();
        let reference = format!("/{}", parts.join("/"));
        prop_assume!(!reference.starts_with("//"));
        let url = base.join(&reference).unwrap();
        prop_assert!(!url.target.split('/').any(|s| s == "." || s == ".."), "{url}");
        if !url.target.starts_with("//") {
            prop_assert_eq!(base.join(&url.target).unwrap(), url);
        }
    }

    /// Law: no text panics.
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
        let _ = Url::parse(&text);
        let _ = Url::parse("http://h/").unwrap().join(&text);
    }
}
