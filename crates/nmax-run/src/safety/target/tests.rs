use proptest::prelude::*;

use super::*;

fn pattern(text: &str) -> Pattern {
    text.parse().unwrap()
}

#[test]
fn patterns_in_their_own_words() {
    let cases = [
        ("staging.lan", "staging.lan"),
        ("Staging.LAN.", "staging.lan"),
        (" db_1 ", "db_1"),
        ("10.1.2.3", "10.1.2.3"),
        ("10.1.2.3/32", "10.1.2.3"),
        ("10.0.0.0/8", "10.0.0.0/8"),
        ("0.0.0.0/0", "0.0.0.0/0"),
        ("[fd00::1]", "fd00::1"),
        ("FD00::/8", "fd00::/8"),
        ("[fd00::]/8", "fd00::/8"),
        ("::/0", "::/0"),
        ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
    ];
    for (text, shown) in cases {
        assert_eq!(pattern(text).to_string(), shown, "{text}");
    }
}

#[test]
fn errors_name_the_remedy() {
    let long_label = format!("{}.lan", "a".repeat(64));
    let long_name = vec!["a".repeat(60); 5].join(".");
    let cases = [
        ("", "is empty"),
        (".", "is empty"),
        ("http://shop.lan/", "is a URL: write only its host"),
        ("shop.lan:8080", "has a port"),
        ("[::1]:80", "has a port"),
        ("*.lan", "has a wildcard"),
        ("shop..lan", "is not a host name"),
        ("shop lan", "is not a host name"),
        ("bücher.example", "is not a host name"),
        (&long_label, "is not a host name"),
        (&long_name, "is not a host name"),
        ("shop.lan/8", "has no IP address before its `/`"),
        ("10.0.0.0/", "write a number from 0 to 32"),
        ("10.0.0.0/33", "write a number from 0 to 32"),
        ("10.0.0.0/+8", "write a number from 0 to 32"),
        ("10.0.0.0/8/8", "write a number from 0 to 32"),
        ("fd00::/129", "write a number from 0 to 128"),
        ("fd00::/999", "write a number from 0 to 128"),
        ("10.1.2.3/8", "did you mean `10.0.0.0/8`?"),
        ("10.0.0.1/0", "did you mean `0.0.0.0/0`?"),
        ("fd00::1/8", "did you mean `fd00::/8`?"),
    ];
    for (text, wanted) in cases {
        let error = text.parse::<Pattern>().unwrap_err().to_string();
        assert!(error.contains(wanted), "`{text}` {error}\nwanted {wanted}");
    }
    assert_eq!("10.0.0.0/8".parse::<Host>(), Err(TargetError::NotOneHost));
}

/// Names are compared without case and final dot, addresses by value.
#[test]
fn equal_hosts() {
    let cases = [
        ("Shop.Example.", "shop.example", true),
        ("[2001:db8:0::1]", "2001:db8::1", true),
        ("::ffff:10.0.0.1", "10.0.0.1", true),
        ("shop.example", "www.shop.example", false),
        ("shop.example", "shop.example.net", false),
    ];
    for (text, other, equal) in cases {
        assert_eq!(text.parse::<Host>().unwrap() == Host::of_url(other), equal, "{text} and {other}");
    }
}

/// A name covers any address of that host, a network covers any name.
#[test]
fn covering() {
    let cases = [
        ("shop.lan", "shop.lan", "10.0.0.1", true),
        ("shop.lan", "other.lan", "10.0.0.1", false),
        ("10.0.0.0/8", "any.lan", "10.255.0.1", true),
        ("10.0.0.0/8", "any.lan", "11.0.0.1", false),
        ("10.0.0.0/8", "any.lan", "::ffff:10.0.0.1", true),
        ("10.0.0.1", "any.lan", "10.0.0.1", true),
        ("10.0.0.1", "any.lan", "10.0.0.2", false),
        ("0.0.0.0/0", "any.lan", "192.168.0.1", true),
        ("0.0.0.0/0", "any.lan", "fd00::1", false),
        ("::/0", "any.lan", "fd00::1", true),
        ("::/0", "any.lan", "10.0.0.1", false),
    ];
    for (text, host, ip, covered) in cases {
        let found = pattern(text).covers(&Host::of_url(host), ip.parse().unwrap());
        assert_eq!(found, covered, "{text} covers {host} at {ip}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Law: a network holds exactly the addresses whose first bits, as text of ones and zeros, are those of its base.
    #[test]
    fn networks_hold_their_prefix(base: u128, flip in 0_u32..128, prefix in 0_u8..=128, is_v4: bool) {
        let width = if is_v4 { 32 } else { 128 };
        let prefix = if is_v4 { prefix.min(32) } else { prefix };
        let flip = flip % width;
        let make = |bits: u128| -> IpAddr {
            if is_v4 { Ipv4Addr::from_bits(bits as u32).into() } else { Ipv6Addr::from_bits(bits).into() }
        };
        let digits = |ip: IpAddr| match ip {
            IpAddr::V4(ip) => format!("{:032b}", ip.to_bits()),
            IpAddr::V6(ip) => format!("{:0128b}", ip.to_bits()),
        };
        let (one, other) = (make(base), make(base ^ (1 << flip)));
        prop_assume!(one.to_canonical() == one && other.to_canonical() == other);
        let cut = usize::from(prefix);
        let zeros = "0".repeat(width as usize - cut);
        let start = u128::from_str_radix(&format!("{}{zeros}", &digits(one)[..cut]), 2).unwrap();
        let net: Net = format!("{}/{prefix}", make(start)).parse().unwrap();
        prop_assert!(net.contains(one));
        prop_assert_eq!(net.contains(other), digits(one)[..cut] == digits(other)[..cut]);
        prop_assert_eq!(net.to_string().parse::<Pattern>(), Ok(Pattern::Net(net)));
    }

    /// Law: any text is an entry or an error, and an entry reads back from its own words.
    #[test]
    fn any_text_is_read(text in "(?s).{0,40}|[0-9a-f:./\\[\\]]{0,24}") {
        if let Ok(read) = text.parse::<Pattern>() {
            prop_assert_eq!(read.to_string().parse::<Pattern>(), Ok(read));
        }
    }
}
