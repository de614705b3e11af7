use proptest::prelude::*;

use super::*;

#[test]
fn a_page_brings_its_registrable_domain() {
    // host                       recorded                   not recorded             why
    let cases = [
        ("shop.example.co.uk", "static.example.co.uk", "other.co.uk", "a suffix of two labels"),
        ("www.example.com", "example.com", "notexample.com", "a dot must stand between"),
        ("EXAMPLE.com.", "a.b.example.com", "example.com.evil.test", "case and the last dot do not matter"),
        ("me.github.io", "x.me.github.io", "you.github.io", "a private suffix"),
        ("github.io", "GitHub.io.", "me.github.io", "what anybody can be below stands alone"),
        ("app", "app", "my.app", "a container that is called as a top-level domain"),
        ("localhost", "app.localhost", "127.0.0.1", "a name without a domain"),
        ("127.0.0.1", "127.0.0.1", "127.0.0.2", "an address is itself"),
        ("[::1]", "::1", "::2", "brackets are not part of it"),
        ("::1", "[::1]", "localhost", "nor are they needed"),
    ];
    for (host, inside, outside, why) in cases {
        let hosts = Hosts::of_page(host).unwrap();
        assert!(hosts.contains(host), "{host}: {why}");
        assert!(hosts.contains(inside), "{host} has {inside}: {why}");
        assert!(!hosts.contains(outside), "{host} has not {outside}: {why}");
    }
}

#[test]
fn what_is_no_host_is_refused() {
    for host in ["", "http://a.test", "a.test:80", "a b", "a..b", "a.test/x", "ä b"] {
        let error = Hosts::default().add(host).unwrap_err();
        assert_eq!(error, HostError::NotAHost(host.to_owned()));
    }
    for host in ["ä.test", "*.магазин.рф"] {
        let error = Hosts::default().add(host).unwrap_err();
        assert!(error.to_string().contains("xn--"), "{error}");
    }
}

#[test]
fn what_anybody_can_have_a_host_below_is_refused() {
    for host in ["com", "*.com", "CO.UK.", "github.io", "xn--p1ai"] {
        let error = Hosts::default().add(host).unwrap_err();
        assert!(matches!(error, HostError::PublicSuffix(_)), "{host}: {error}");
    }
    // Names of a network of one's own are on no list.
    for host in ["localhost", "db", "example.com", "me.github.io", "nas.internal"] {
        assert_eq!(Hosts::default().add(host), Ok(()), "{host}");
    }
}

#[test]
fn the_list_ends() {
    let mut hosts = Hosts::default();
    let added = (0..1_000).map_while(|n| hosts.add(&format!("h{n}.test")).ok()).count();
    assert_eq!(added, HOSTS_MAX);
}

proptest! {
    /// Law: what was added is contained, and so is all below it; a name that only ends with the same letters is not.
    #[test]
    fn below_belongs_beside_does_not(name in "[a-z0-9]{1,10}(\\.[a-z]{2,5}){0,3}", below in "[a-z]{1,8}") {
        let mut hosts = Hosts::default();
        prop_assume!(name.parse::<std::net::IpAddr>().is_err() && !is_public_suffix(&name));
        hosts.add(&name).unwrap();
        let (child, beside) = (format!("{below}.{name}"), format!("{below}{name}"));
        prop_assert!(hosts.contains(&name));
        prop_assert!(hosts.contains(&child));
        prop_assert!(!hosts.contains(&beside));
    }
}
