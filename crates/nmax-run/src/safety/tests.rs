use std::cell::RefCell;

use nmax_http::Url;

use super::policy::Evidence;
use super::*;

/// Texts of a case.
type Texts = &'static [&'static str];

/// An outside of names and proofs written down; it remembers where proof was looked for.
struct Scripted {
    names: &'static [(&'static str, Texts)],
    proved: Texts,
    evidence: Evidence,
    looked: RefCell<Vec<String>>,
}

impl Outside for Scripted {
    async fn addresses(&self, host: &Host, _: &[&Origin]) -> Result<Vec<IpAddr>, String> {
        if let Some(ip) = host.address() {
            return Ok(vec![ip]);
        }
        let found = self.names.iter().find(|(name, _)| *name == host.as_str());
        let (_, addresses) = found.ok_or_else(|| "no such name".to_owned())?;
        Ok(addresses.iter().map(|text| text.parse().unwrap()).collect())
    }

    async fn proof(&self, host: &Host, origins: &[&Origin]) -> Result<Proof, Vec<String>> {
        let urls: Vec<String> = origins.iter().map(ToString::to_string).collect();
        self.looked.borrow_mut().extend(urls.clone());
        if self.proved.contains(&host.as_str()) {
            let found_at = format!("{}/.well-known/nmax", urls[0]);
            return Ok(Proof { host: host.clone(), found_at, of: self.evidence });
        }
        Err(urls.into_iter().map(|url| format!("{url}: nothing there")).collect())
    }
}

const NAMES: &[(&str, Texts)] = &[
    ("localhost", &["127.0.0.1", "::1"]),
    ("shop.lan", &["10.0.0.1"]),
    ("shop.example", &["93.184.215.14", "2606:2800::1"]),
    ("mixed.example", &["93.184.215.14", "10.0.0.1"]),
    ("evil.example", &["93.184.215.14", "169.254.169.254"]),
];

/// The authorization, or the error; and where proof was looked for.
async fn settled(
    allow: &[&str],
    authorized: &[&str],
    proved: Texts,
    urls: &[&str],
) -> (Result<Option<String>, String>, Vec<String>) {
    let allow = allow.iter().map(|text| Allowed { what: text.parse().unwrap(), given: Given::Flag });
    let authorized = authorized.iter().map(|text| text.parse().unwrap());
    let mut policy = Policy::new(allow.collect(), authorized.collect(), Vec::new());
    let origins: Vec<Origin> = urls.iter().map(|url| Url::parse(url).unwrap().origin).collect();
    let outside = Scripted { names: NAMES, proved, evidence: Evidence::Machine, looked: RefCell::default() };
    let settled = authorize(&mut policy, &origins, Role::Target, &outside).await;
    let result = settled.map(|words| (!words.is_empty()).then(|| words.join("; "))).map_err(|error| error.to_string());
    (result, outside.looked.into_inner())
}

#[tokio::test]
async fn authorizations() {
    // --allow-target, --i-am-authorized-to-test, proved hosts, URLs, authorization
    type Case<'a> = (Texts, Texts, Texts, Texts, Option<&'a str>);
    let cases: &[Case] = &[
        (&[], &[], &[], &[], None),
        (&[], &[], &[], &["http://localhost:8080/", "http://127.0.0.1/", "https://[::1]/"], Some("loopback")),
        (&["10.0.0.0/8"], &[], &[], &["http://shop.lan/"], Some("--allow-target 10.0.0.0/8")),
        (
            &["shop.lan"],
            &["shop.example"],
            &[],
            &["http://localhost/", "http://shop.lan/", "https://shop.example/"],
            Some("loopback; --allow-target shop.lan; --i-am-authorized-to-test shop.example"),
        ),
        (
            &[],
            &[],
            &["shop.example"],
            &["https://shop.example/"],
            Some("proved by https://shop.example/.well-known/nmax"),
        ),
        (
            &["10.0.0.1"],
            &[],
            &["mixed.example"],
            &["https://mixed.example/"],
            Some("proved by https://mixed.example/.well-known/nmax; --allow-target 10.0.0.1"),
        ),
    ];
    for (allow, authorized, proved, urls, wanted) in cases {
        let (result, _) = settled(allow, authorized, proved, urls).await;
        assert_eq!(result, Ok(wanted.map(str::to_owned)), "{urls:?}");
    }
}

/// Proof is looked for only where it would help, once per origin of a host.
#[tokio::test]
async fn proof_is_looked_for_where_it_helps() {
    // --allow-target, --i-am-authorized-to-test, URLs, where proof was looked for
    let cases: &[(Texts, Texts, Texts, Texts)] = &[
        (&[], &[], &["http://localhost/", "http://shop.lan/"], &[]),
        (&[], &["shop.example"], &["https://shop.example/"], &[]),
        (&[], &[], &["https://evil.example/"], &[]),
        (&[], &[], &["https://mixed.example/"], &[]),
        (&["10.0.0.1"], &[], &["https://mixed.example/"], &["https://mixed.example"]),
        (
            &[],
            &[],
            &["https://shop.example/a", "https://shop.example/b", "http://shop.example:81/"],
            &["https://shop.example", "http://shop.example:81"],
        ),
    ];
    for (allow, authorized, urls, wanted) in cases {
        let (_, looked) = settled(allow, authorized, &[], urls).await;
        assert_eq!(looked, *wanted, "{urls:?}");
    }
}

#[tokio::test]
async fn refusals_come_all_at_once_and_name_the_way_out() {
    let urls = ["http://shop.lan/", "https://shop.example/", "https://evil.example/", "http://localhost/"];
    let (result, _) = settled(&[], &[], &[], &urls).await;
    let error = result.unwrap_err();
    for wanted in [
        "shop.lan (10.0.0.1) is a private address: if you may load it, pass `--allow-target shop.lan`",
        "shop.example (93.184.215.14) is a public address",
        "`--i-am-authorized-to-test shop.example`",
        "looked for proof: https://shop.example: nothing there",
        "evil.example (169.254.169.254) is a cloud's metadata address",
    ] {
        assert!(error.contains(wanted), "{error}\nwanted {wanted}");
    }
    assert!(!error.contains("localhost") && !error.contains("evil.example (93"), "{error}");
    assert_eq!(error.matches("shop.example (").count(), 1, "once for both addresses: {error}");
    let (result, _) = settled(&[], &[], &[], &["https://mixed.example/"]).await;
    let error = result.unwrap_err();
    assert!(error.contains("pass `--i-am-authorized-to-test mixed.example`"), "{error}");
    assert!(error.contains("pass `--allow-target mixed.example`"), "{error}");
    let (result, _) = settled(&["0.0.0.0/0"], &["evil.example"], &["evil.example"], &["https://evil.example/"]).await;
    assert!(result.unwrap_err().contains("(169.254.169.254) is a cloud's metadata address"));
    let (result, _) = settled(&[], &[], &[], &["http://nowhere.example/"]).await;
    assert!(result.unwrap_err().starts_with("nowhere.example: the name has no address: no such name\n  help: "));
}

/// A record of DNS proves the name: what allows the run says so, for each address that nobody vouched for.
#[tokio::test]
async fn a_proof_of_the_name_names_the_addresses_that_it_does_not_prove() {
    let outside =
        Scripted { names: NAMES, proved: &["shop.example"], evidence: Evidence::Name, looked: RefCell::default() };
    let mut policy = Policy::new(Vec::new(), Vec::new(), Vec::new());
    let origins = [Url::parse("https://shop.example/").unwrap().origin];
    let words = authorize(&mut policy, &origins, Role::Target, &outside).await.unwrap();
    assert_eq!(words.len(), 2, "{words:?}");
    for (words, address) in words.iter().zip(["93.184.215.14", "2606:2800::1"]) {
        assert!(
            words.ends_with(&format!("a proof of the name shop.example and not of its address {address}")),
            "{words}"
        );
    }
}

/// Name servers of a plan need what targets at their addresses need; proof is looked for at each address once.
#[tokio::test]
async fn name_servers_obey_the_rules_of_targets() {
    // --allow-target, --i-am-authorized-to-test, proved, servers, what is said
    type Case<'a> = (Texts, Texts, Texts, Texts, Result<&'a [&'a str], &'a [&'a str]>);
    let cases: &[Case] = &[
        (&[], &[], &[], &["127.0.0.1:5353", "[::1]:53", "127.0.0.1:53"], Ok(&["loopback"])),
        (
            &[],
            &[],
            &[],
            &["10.0.0.2:53"],
            Err(&["name server of the plan: 10.0.0.2 is a private address", "--allow-target 10.0.0.2"]),
        ),
        (&["10.0.0.0/8"], &[], &[], &["10.0.0.2:53"], Ok(&["--allow-target 10.0.0.0/8"])),
        (
            &["0.0.0.0/0"],
            &[],
            &[],
            &["8.8.4.4:5353", "8.8.4.4:53"],
            Err(&[
                "name server of the plan: 8.8.4.4 is a public address",
                "--i-am-authorized-to-test 8.8.4.4",
                "looked for proof: http://8.8.4.4: nothing there",
            ]),
        ),
        (&[], &["8.8.4.4"], &[], &["8.8.4.4:5353"], Ok(&["--i-am-authorized-to-test 8.8.4.4"])),
        (&[], &[], &["8.8.4.4"], &["[::ffff:8.8.4.4]:53"], Ok(&["proved by http://8.8.4.4/.well-known/nmax"])),
        (
            &["0.0.0.0/0", "::/0"],
            &["169.254.169.254", "fd00:ec2::254"],
            &["169.254.169.254", "fd00:ec2::254"],
            &["169.254.169.254:53", "[fd00:ec2::254]:53", "[64:ff9b::a9fe:a9fe]:53"],
            Err(&[
                "169.254.169.254 is a cloud's metadata",
                "fd00:ec2::254 is a cloud's metadata",
                "64:ff9b::a9fe:a9fe is a cloud's metadata",
            ]),
        ),
    ];
    for (allow, authorized, proved, servers, wanted) in cases {
        let servers: Vec<SocketAddr> = servers.iter().map(|text| text.parse().unwrap()).collect();
        let outside = Scripted { names: &[], proved, evidence: Evidence::Machine, looked: RefCell::default() };
        let allow = allow.iter().map(|text| Allowed { what: text.parse().unwrap(), given: Given::Flag });
        let authorized = authorized.iter().map(|text| text.parse().unwrap());
        let mut policy = Policy::new(allow.collect(), authorized.collect(), Vec::new());
        let settled = authorize(&mut policy, &origins_of_servers(&servers), Role::NameServer, &outside).await;
        match (settled.map_err(|error| error.to_string()), wanted) {
            (Ok(words), Ok(wanted)) => assert_eq!(words, *wanted, "{servers:?}"),
            (Err(error), Err(wanted)) => {
                assert!(wanted.iter().all(|wanted| error.contains(wanted)), "{servers:?}: {error}");
            }
            (said, _) => panic!("{servers:?}: {said:?}"),
        }
        let mut looked = outside.looked.into_inner();
        let all = looked.len();
        looked.dedup();
        assert_eq!(looked.len(), all, "{servers:?}");
    }
}

/// The real resolver, on names and addresses that need no network.
#[tokio::test]
async fn real_names_of_this_host() {
    let config = nmax_http::Config::new(std::sync::Arc::new(|_, _| Err("nothing".into())));
    let client = Shared::new(config, RealClock::starting_now()).unwrap();
    let of = async |host: &str| {
        let origin = Url::parse(&format!("http://{host}/")).unwrap().origin;
        Network(&client).addresses(&Host::of_url(host), &[&origin]).await.unwrap()
    };
    let addresses = of("localhost").await;
    assert!(!addresses.is_empty() && addresses.iter().all(IpAddr::is_loopback), "{addresses:?}");
    let literal = of("10.1.2.3").await;
    assert_eq!(literal, [IpAddr::from([10, 1, 2, 3])]);
}
