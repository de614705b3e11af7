use std::time::Duration;

use rcgen::{BasicConstraints, Certificate, CertificateParams, IsCa, KeyPair, date_time_ymd};

use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{ServerName, UnixTime};

use super::*;

/// A certificate that vouches for itself as that of an authority, for these names, in the years 2001 to 2003.
fn of_authority(names: &[&str]) -> Certificate {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.not_before = date_time_ymd(2001, 1, 1);
    params.not_after = date_time_ymd(2004, 1, 1);
    params.self_signed(&KeyPair::generate().unwrap()).unwrap()
}

/// What is wrong with a server's certificate, when these were given, in a year.
fn fault(server: &Certificate, given: &[&Certificate], host: &str, year: u64) -> Option<String> {
    let given: Vec<_> = given.iter().map(|certificate| certificate.der().clone()).collect();
    let verifier = believing(given);
    let name = ServerName::try_from(host.to_owned()).unwrap();
    let since_1970 = Duration::from_secs((year - 1970) * 31_556_952 + 15_000_000);
    let now = UnixTime::since_unix_epoch(since_1970);
    let checked = verifier.verify_server_cert(server.der(), &[], &name, &[], now);
    checked.err().map(|error| error.to_string())
}

#[test]
fn a_certificate_that_was_given_is_taken_for_its_names_and_times() {
    let (own, other, nameless) = (of_authority(&["shop.test"]), of_authority(&["shop.test"]), of_authority(&[]));
    let fault_of_own = |given: &[&Certificate], host: &str, year| fault(&own, given, host, year);
    assert_eq!(fault_of_own(&[&other, &own], "shop.test", 2002), None);
    //   what is wrong                                                        words
    let cases = [
        (fault_of_own(&[], "shop.test", 2002), "vouches for itself, as that of an authority"),
        (fault_of_own(&[&other], "shop.test", 2002), "vouches for itself, as that of an authority"),
        (fault_of_own(&[&own], "other.test", 2002), "for another name"),
        (fault_of_own(&[&own], "shop.test", 2005), "has expired"),
        (fault_of_own(&[&own], "shop.test", 1999), "not valid yet"),
        (fault(&nameless, &[&nameless], "shop.test", 2002), "make one with a subjectAltName"),
    ];
    for (fault, words) in cases {
        let fault = fault.unwrap_or_default();
        assert!(fault.contains(words), "`{words}`: {fault}");
        assert!(!fault.contains("CaUsedAsEndEntity") && !fault.contains("Error("), "{fault}");
    }
}

#[test]
fn names_in_a_certificate_are_found() {
    let mut params = rcgen::CertificateParams::new(vec!["shop.test".to_owned()]).unwrap();
    params.distinguished_name.push(rcgen::DnType::CommonName, "the shop");
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    assert_eq!(common_names(certificate.der()), ["the shop", "the shop"]);
    assert_eq!(common_names(b"\x06\x03\x55\x04\x03\x0c\xff"), Vec::<String>::new());
    assert_eq!(common_names(b"\x06\x03\x55\x04\x03"), Vec::<String>::new());
}
