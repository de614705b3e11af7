use super::*;

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// The edges of every range, from both sides.
#[test]
fn classes_at_the_edges() {
    use Class::{Metadata, NoHost, Private, Public, ThisHost};
    let cases = [
        ("0.0.0.0", ThisHost),
        ("0.0.0.1", NoHost),
        ("0.255.255.255", NoHost),
        ("1.0.0.0", Public),
        ("9.255.255.255", Public),
        ("10.0.0.0", Private),
        ("10.255.255.255", Private),
        ("11.0.0.0", Public),
        ("100.63.255.255", Public),
        ("100.64.0.0", Private),
        ("100.100.100.199", Private),
        ("100.100.100.200", Metadata),
        ("100.127.255.255", Private),
        ("100.128.0.0", Public),
        ("126.255.255.255", Public),
        ("127.0.0.0", ThisHost),
        ("127.255.255.255", ThisHost),
        ("128.0.0.0", Public),
        ("168.63.129.15", Public),
        ("168.63.129.16", Metadata),
        ("169.253.255.255", Public),
        ("169.254.0.0", Private),
        ("169.254.169.253", Private),
        ("169.254.169.254", Metadata),
        ("169.254.170.2", Metadata),
        ("169.254.255.255", Private),
        ("169.255.0.0", Public),
        ("172.15.255.255", Public),
        ("172.16.0.0", Private),
        ("172.31.255.255", Private),
        ("172.32.0.0", Public),
        ("192.0.0.192", Metadata),
        ("192.167.255.255", Public),
        ("192.168.0.0", Private),
        ("192.168.255.255", Private),
        ("192.169.0.0", Public),
        ("198.18.0.1", Public),
        ("223.255.255.255", Public),
        ("224.0.0.1", NoHost),
        ("240.0.0.1", NoHost),
        ("255.255.255.255", NoHost),
        ("::", ThisHost),
        ("::1", ThisHost),
        ("2001:4860:4860::8888", Public),
        ("fbff:ffff::1", Public),
        ("fc00::", Private),
        ("fd00:ec2::253", Private),
        ("fd00:ec2::254", Metadata),
        ("fd20:ce::254", Metadata),
        ("fdff:ffff::1", Private),
        ("fe00::1", Public),
        ("fe7f:ffff::1", Public),
        ("fe80::1", Private),
        ("fe80::a9fe:a9fe", Metadata),
        ("febf:ffff::1", Private),
        ("fec0::1", Private),
        ("ff02::1", NoHost),
    ];
    for (text, class) in cases {
        assert_eq!(classify(ip(text)), class, "{text}");
    }
}

/// IPv4 in IPv6 is what the IPv4 address is; behind a translator, loopback is not ours.
#[test]
fn classes_of_carried_addresses() {
    use Class::{Metadata, NoHost, Private, Public, ThisHost};
    let cases = [
        ("::ffff:127.0.0.1", ThisHost),
        ("::ffff:0.0.0.0", ThisHost),
        ("::ffff:10.1.2.3", Private),
        ("::ffff:169.254.169.254", Metadata),
        ("::ffff:8.8.8.8", Public),
        ("::ffff:224.0.0.1", NoHost),
        ("64:ff9b::169.254.169.254", Metadata),
        ("64:ff9b::10.0.0.1", Private),
        ("64:ff9b::127.0.0.1", NoHost),
        ("64:ff9b::8.8.8.8", Public),
        ("64:ff9b:1::100.100.100.200", Metadata),
        ("::ffff:0:169.254.169.254", Metadata),
        ("::169.254.169.254", Metadata),
        ("::127.0.0.1", NoHost),
        ("2002:a9fe:a9fe::1", Metadata),
        ("2002:0a00:0001::1", Private),
        ("2002:0808:0808::1", Public),
    ];
    for (text, class) in cases {
        assert_eq!(classify(ip(text)), class, "{text}");
    }
}

/// The standard library's own predicates, where they are stable, agree.
#[test]
fn agrees_with_the_standard_library() {
    for high in 0..=u16::MAX {
        let [a, b] = high.to_be_bytes();
        let ip = Ipv4Addr::new(a, b, 7, 9);
        let expected = if ip.is_loopback() {
            Class::ThisHost
        } else if ip.is_private() || ip.is_link_local() || (a == 100 && b & 0xc0 == 64) {
            Class::Private
        } else if ip.is_multicast() || a == 0 || a >= 240 {
            Class::NoHost
        } else {
            Class::Public
        };
        assert_eq!(classify(ip.into()), expected, "{ip}");
        assert_eq!(classify(ip.to_ipv6_mapped().into()), expected, "{ip} mapped");
    }
}

/// Only addresses of the own segment are; those that a translator takes an address out of are not ours.
#[test]
fn link_local_addresses() {
    for (text, expected) in [
        ("169.254.0.1", true),
        ("::ffff:169.254.0.1", true),
        ("fe80::1", true),
        ("febf::1", true),
        ("fec0::1", false),
        ("64:ff9b::169.254.0.1", false),
        ("169.253.255.255", false),
        ("127.0.0.1", false),
        ("10.0.0.1", false),
    ] {
        assert_eq!(is_link_local(ip(text)), expected, "{text}");
    }
}
