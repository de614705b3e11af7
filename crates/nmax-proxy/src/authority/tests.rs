use std::sync::Arc;

use tokio_rustls::rustls::client::WebPkiServerVerifier;
use tokio_rustls::rustls::client::danger::ServerCertVerifier;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{Error, RootCertStore};

use super::*;

fn authority(hosts: &[&str]) -> Authority {
    let mut all = Hosts::default();
    for host in hosts {
        all.add(host).unwrap();
    }
    Authority::new(&all, &Clock::start()).unwrap()
}

/// Whether a client that trusts the authority accepts its leaf for this host, `after` a time from now.
fn accepts(authority: &Authority, host: &str, after: Duration) -> Result<(), Error> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(authority.ca().der)).unwrap();
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::new(default_provider()));
    let verifier = verifier.build().unwrap();
    let name = ServerName::try_from(host.to_owned()).unwrap();
    let mut params = params(authority.since, authority.until);
    params.subject_alt_names = vec![match host.parse() {
        Ok(address) => SanType::IpAddress(address),
        Err(_) => SanType::DnsName(host.try_into().unwrap()),
    }];
    params.distinguished_name.push(DnType::CommonName, "a leaf");
    let leaf = params.signed_by(&authority.key, &authority.issuer).unwrap();
    let now = UnixTime::since_unix_epoch(authority.since + SKEW + after);
    verifier.verify_server_cert(leaf.der(), &[], &name, &[], now).map(|_| ())
}

#[test]
fn it_is_trusted_for_its_hosts_and_no_other() {
    let now = Duration::ZERO;
    let both = authority(&["shop.test", "127.0.0.1"]);
    let names = authority(&["shop.test"]);
    let addresses = authority(&["10.0.0.7", "::1"]);
    //   authority   host              trusted  why
    let cases = [
        (&both, "shop.test", true, "a recorded name"),
        (&both, "cdn.shop.test", true, "below a recorded name"),
        (&both, "127.0.0.1", true, "a recorded address"),
        (&both, "other.test", false, "another name"),
        (&both, "notshop.test", false, "a name that only ends like it"),
        (&both, "127.0.0.2", false, "another address"),
        (&both, "::1", false, "an address of another kind"),
        (&names, "127.0.0.1", false, "names only"),
        (&names, "::1", false, "names only, other kind"),
        (&addresses, "::1", true, "IPv6"),
        (&addresses, "10.0.0.7", true, "IPv4"),
        (&addresses, "shop.test", false, "addresses only"),
    ];
    for (authority, host, trusted, why) in cases {
        let outcome = accepts(authority, host, now);
        assert_eq!(outcome.is_ok(), trusted, "{host}: {why}: {outcome:?}");
    }
}

#[test]
fn a_host_that_stands_alone_is_trusted_without_what_is_below_it() {
    let mut hosts = Hosts::of_page("github.io").unwrap();
    let alone = Authority::new(&hosts, &Clock::start()).unwrap();
    hosts.add("shop.test").unwrap();
    let beside = Authority::new(&hosts, &Clock::start()).unwrap();
    hosts.add("me.github.io").unwrap();
    let both = Authority::new(&hosts, &Clock::start()).unwrap();
    //   authority  host              trusted
    let cases = [
        (&alone, "github.io", true),
        (&alone, "me.github.io", false),
        (&alone, "other.test", false),
        (&alone, "127.0.0.1", false),
        (&beside, "github.io", true),
        (&beside, "you.github.io", false),
        (&beside, "cdn.shop.test", true),
        (&both, "github.io", true),
        (&both, "me.github.io", true),
    ];
    for (authority, host, trusted) in cases {
        let outcome = accepts(authority, host, Duration::ZERO);
        assert_eq!(outcome.is_ok(), trusted, "{host}: {outcome:?}");
    }
}

#[test]
fn it_is_valid_for_a_day() {
    let authority = authority(&["shop.test"]);
    let hour = Duration::from_secs(3600);
    assert!(accepts(&authority, "shop.test", 23 * hour).is_ok());
    assert!(accepts(&authority, "shop.test", 25 * hour).is_err());
}

#[test]
fn each_recording_has_its_own() {
    let (one, two) = (authority(&["shop.test"]).ca(), authority(&["shop.test"]).ca());
    assert_ne!(one.spki_sha256, two.spki_sha256);
    assert_eq!(STANDARD.decode(&one.spki_sha256).unwrap().len(), 32);
    let name = |ca: &Ca| {
        let text = String::from_utf8_lossy(&ca.der).into_owned();
        let at = text.find("nmax recording ").unwrap();
        text[at..at + 27].to_owned()
    };
    assert_ne!(name(&one), name(&two), "a name of its own, so that people can tell them apart");
}

#[test]
fn leaves_are_made_once_and_remembered_up_to_a_limit() {
    let authority = authority(&["shop.test"]);
    let one = authority.config_for("a.shop.test").unwrap();
    assert!(Arc::ptr_eq(&one, &authority.config_for("a.shop.test").unwrap()));
    assert!(authority.config_for("no host").is_none());
    for number in 0..LEAVES_MAX + 5 {
        authority.config_for(&format!("h{number}.shop.test")).unwrap();
    }
    assert!(authority.leaves.lock().unwrap().len() <= LEAVES_MAX);
}
