use super::*;

#[test]
fn settings_of_the_host() {
    let text = "# by hand\nnameserver 10.0.0.1\nnameserver fd00::1\nnameserver nonsense\n\
        domain old.test\nsearch a.test b.test.\noptions ndots:2 timeout:1 attempts:3 rotate edns0\nsortlist 10.0.0.0\n";
    assert_eq!(
        Resolver::parse(text),
        Resolver {
            servers: vec!["10.0.0.1:53".parse().unwrap(), "[fd00::1]:53".parse().unwrap()],
            search: vec!["a.test".into(), "b.test".into()],
            dots_min: 2,
            attempts: 3,
            timeout: Duration::from_secs(1),
        }
    );
}

/// Comments count no server, and neither do words that are no address.
#[test]
fn name_servers_of_the_host() {
    let cases: [(&str, &[&str]); 3] = [
        ("search lan\n# nameserver 1.1.1.1\n; nameserver 2.2.2.2\n", &["127.0.0.1:53"]),
        ("nameserver 10.0.0.1\nnameserver\tfd00::1 # two\n", &["10.0.0.1:53", "[fd00::1]:53"]),
        ("nameserver x\nnameserver\nnameserver 10.0.0.1\n", &["10.0.0.1:53"]),
    ];
    for (text, wanted) in cases {
        let found: Vec<String> = Resolver::parse(text).servers.iter().map(SocketAddr::to_string).collect();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn limits_of_the_settings() {
    let text = "nameserver 10.0.0.1\nnameserver 10.0.0.2\nnameserver 10.0.0.3\nnameserver 10.0.0.4\n\
        options timeout:0 attempts:99 ndots:99\n";
    let resolver = Resolver::parse(text);
    assert_eq!((resolver.servers.len(), resolver.attempts, resolver.dots_min), (3, 5, 15));
    assert_eq!(resolver.timeout, Duration::from_secs(1));
    assert_eq!(Resolver::parse("").servers, ["127.0.0.1:53".parse().unwrap()]);
}

#[test]
fn short_names_are_completed() {
    let resolver = Resolver::parse("search a.test b.test\noptions ndots:2\n");
    let cases: [(&str, &[&str]); 3] = [
        ("shop", &["shop.a.test", "shop.b.test", "shop"]),
        ("www.shop.org", &["www.shop.org", "www.shop.org.a.test", "www.shop.org.b.test"]),
        ("shop.", &["shop."]),
    ];
    for (host, want) in cases {
        assert_eq!(resolver.candidates(host), want);
    }
}

#[test]
fn the_hosts_file() {
    let text = "127.0.0.1 localhost # loop\n::1\tlocalhost ip6\n10.0.0.1 shop.test shop\n10.0.0.2 SHOP.test\n\
        #10.0.0.3 shop.test\nnonsense shop.test\n10.0.0.1 shop.test\n";
    let found = |host: &str| -> Vec<String> { in_hosts(text, host).iter().map(IpAddr::to_string).collect() };
    assert_eq!(found("localhost"), ["127.0.0.1", "::1"]);
    assert_eq!(found("Shop.test."), ["10.0.0.1", "10.0.0.2"]);
    assert!(found("loop").is_empty() && found("test").is_empty());
}

#[test]
fn names_of_this_host() {
    for host in ["localhost", "LOCALHOST.", "shop.localhost"] {
        assert!(is_localhost(host), "{host}");
    }
    for host in ["localhost.test", "mylocalhost", ""] {
        assert!(!is_localhost(host), "{host}");
    }
}
