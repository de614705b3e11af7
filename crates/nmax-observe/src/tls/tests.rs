use std::io::{Read as _, Write as _};
use std::time::Duration;

use rustls::ALL_VERSIONS;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::UnixTime;
use rustls::version::{TLS12, TLS13};

use super::*;
use crate::fixture::tls::{Authority, Identity, PemFile, vouches_for_itself};
use crate::fixture::{Fake, SLACK};
use crate::reach::{PATIENCE, now};
use crate::service_address::ServiceAddress;
use CertificateCheck::{Issuer, IssuerAndName, Nothing};

fn tls(check: CertificateCheck, issuers: Option<&str>) -> Tls {
    Tls {
        options: TlsOptions { encryption: Encryption::Always, check, issuers: issuers.map(str::to_owned) },
        option: "ca",
        config: OnceCell::new(),
    }
}

/// The first line of a server that is called `host`, or why there is none.
fn line(server: &Fake, tls: &Tls, host: &str) -> Result<String, Trouble> {
    let place = ServiceAddress::parse(&server.address.to_string(), 1).unwrap();
    let mut link = Link::open(&place).unwrap();
    let asked = tls.begin(&mut link, host).and_then(|()| Ok(link.line()?));
    asked.map(|line| String::from_utf8(line).unwrap()).map_err(|asked| match asked {
        QueryError::Broken(broken) => broken.trouble("db1"),
        QueryError::Refused(trouble) | QueryError::Barred(trouble) => trouble,
    })
}

fn greets(identity: &Identity) -> Fake {
    identity.server(ALL_VERSIONS, |stream| {
        let _ = stream.write_all(b"hello\n").and_then(|()| stream.flush());
    })
}

/// It goes well where `says` is empty, and is refused for good with these words where it is not.
#[track_caller]
fn check(server: &Fake, check: CertificateCheck, issuers: Option<&PemFile>, host: &str, says: &[&str]) {
    let told = line(server, &tls(check, issuers.map(PemFile::path)), host);
    match told {
        Ok(line) => assert!(says.is_empty() && line == "hello", "{check:?} {host}: {line}"),
        Err(trouble) => {
            let has_all = !says.is_empty() && says.iter().all(|words| trouble.text.contains(words));
            assert!(has_all && trouble.is_final, "{check:?} {host}: {trouble:?}");
        }
    }
}

#[test]
fn issuers_and_names_are_checked_as_wanted() {
    let (ours, theirs, namesake) = (Authority::new("ours"), Authority::new("theirs"), Authority::new("ours"));
    let (own_file, other_file, namesake_file) = (ours.file(), theirs.file(), namesake.file());
    let (own, other) = (Some(&own_file), Some(&other_file));
    let server = greets(&ours.identity(&["db1.test", "127.0.0.1"], 4000));
    for host in ["db1.test", "127.0.0.1", "db2.test"] {
        check(&server, Nothing, None, host, &[]);
        check(&server, Issuer, own, host, &[]);
        check(&server, Issuer, None, host, &["not trusted", "this machine", "add `ca=FILE`"]);
        check(&server, Issuer, other, host, &["not trusted", other_file.path(), "`ca`"]);
        check(&server, Issuer, Some(&namesake_file), host, &["not trusted"]);
    }
    for host in ["db1.test", "DB1.test", "127.0.0.1"] {
        check(&server, IssuerAndName, own, host, &[]);
        check(&server, IssuerAndName, other, host, &["not trusted"]);
    }
    for host in ["db2.test", "127.0.0.2", "::1"] {
        check(&server, IssuerAndName, own, host, &["another name", "db1.test"]);
    }
    check(&server, IssuerAndName, own, "db 1", &["`db 1`"]);
    // With both in one file, either is believed.
    let text = |file: &PemFile| fs::read_to_string(file.path()).unwrap();
    let both = PemFile::new(&(text(&other_file) + &text(&own_file)));
    check(&server, IssuerAndName, Some(&both), "db1.test", &[]);
}

#[test]
fn certificates_end() {
    let authority = Authority::new("ours");
    let file = authority.file();
    let old = authority.identity(&["db1.test"], 2020);
    check(&greets(&old), Issuer, Some(&file), "db1.test", &["expired"]);
    check(&greets(&old), Nothing, None, "db1.test", &[]);
}

#[test]
fn a_certificate_may_vouch_for_itself_where_it_is_named() {
    let identity = vouches_for_itself(&["db1.test"], 4000);
    let (file, server) = (identity.file(), greets(&identity));
    check(&server, IssuerAndName, Some(&file), "db1.test", &[]);
    check(&server, Issuer, Some(&file), "db2.test", &[]);
    check(&server, IssuerAndName, Some(&file), "db2.test", &["another name"]);
    check(&server, Issuer, None, "db1.test", &["not trusted", "add `ca=FILE`"]);
    // Of the same names, but another one.
    let other = vouches_for_itself(&["db1.test"], 4000).file();
    check(&server, Issuer, Some(&other), "db1.test", &["not trusted"]);
    let old = vouches_for_itself(&["db1.test"], 2020);
    check(&greets(&old), Issuer, Some(&old.file()), "db1.test", &["expired"]);
}

#[test]
fn both_versions_are_spoken() {
    let authority = Authority::new("ours");
    let file = authority.file();
    let identity = authority.identity(&["db1.test"], 4000);
    for version in [&TLS12, &TLS13] {
        let server = identity.server(&[version], move |stream| {
            let mut word = [0; 4];
            let _ = stream.read_exact(&mut word);
            let is_spoken = stream.conn.protocol_version() == Some(version.version);
            let _ = stream.write_all(if is_spoken && word == *b"INFO" { b"yes\n" } else { b"no\n" });
            let _ = stream.flush();
        });
        let place = ServiceAddress::parse(&server.address.to_string(), 1).unwrap();
        let mut link = Link::open(&place).unwrap();
        let asked = tls(IssuerAndName, Some(file.path())).begin(&mut link, "db1.test");
        assert!(asked.is_ok());
        link.send(b"INFO").unwrap();
        assert_eq!(link.line().unwrap(), b"yes");
        assert_eq!(link.line().unwrap_err(), Broken::Gone);
    }
}

/// Version 1 of X.509 has no field for the version: what follows comes first.
#[test]
fn certificates_of_an_old_kind_are_named() {
    let identity = vouches_for_itself(&["db1.test"], 4000);
    let mut der = identity.certificate.to_vec();
    let version = [0xA0, 3, 2, 1, 2];
    let at = der.windows(5).position(|bytes| bytes == version).unwrap();
    der.drain(at..at + 5);
    // Lengths of the certificate and of what is signed, in two bytes each.
    assert_eq!((der[1], der[5]), (0x82, 0x82));
    for at in [2, 6] {
        let length = u16::from_be_bytes([der[at], der[at + 1]]) - 5;
        der[at..at + 2].copy_from_slice(&length.to_be_bytes());
    }
    let verifier = Verifier::new(Check::Issuer, &[], Vec::new());
    let name = ServerName::try_from("db1.test").unwrap();
    let der = CertificateDer::from(der);
    let error = verifier.verify_server_cert(&der, &[], &name, &[], UnixTime::now()).unwrap_err();
    let trouble = tls(Issuer, None).trouble(&error);
    assert!(trouble.text.contains("version 1") && !trouble.text.contains("FILE"), "{trouble}");
}

#[test]
fn files_of_issuers_that_are_none() {
    let server = Fake::hangs();
    let of = |path: &str| {
        let trouble = line(&server, &tls(Issuer, Some(path)), "db1.test").unwrap_err();
        assert!(trouble.is_final && trouble.text.contains(path) && trouble.text.contains("`ca`"), "{trouble}");
        trouble.text
    };
    assert!(of("/no/such/file.pem").contains("no such file"));
    assert!(of(std::env::temp_dir().to_str().unwrap()).contains("is not a file"));
    let key = "-----BEGIN PRIVATE KEY-----\nczNjcmV0\n-----END PRIVATE KEY-----\n";
    assert!(of(PemFile::new(key).path()).contains("holds no certificate"));
    let torn = "-----BEGIN CERTIFICATE-----\ns3cret!\n-----END CERTIFICATE-----\n";
    let text = of(PemFile::new(torn).path());
    assert!(text.contains("not valid PEM") && !text.contains("s3cret"), "{text}");
}

#[test]
fn whoever_speaks_no_tls_is_named() {
    let server = Fake::start(|mut socket| {
        let _ = socket.read(&mut [0; 4096]);
        let _ = socket.write_all(b"-ERR Protocol error\r\n");
        Some(socket)
    });
    let trouble = line(&server, &tls(Nothing, None), "db1.test").unwrap_err();
    assert!(!trouble.is_final && trouble.text.contains("does not speak TLS"), "{trouble}");
}

#[test]
fn whoever_drips_a_handshake_is_left_in_time() {
    // A byte now and then keeps each wait short; the whole is limited.
    let server = Fake::start(|mut socket| {
        let _ = socket.set_read_timeout(Some(Duration::from_millis(100)));
        socket.write_all(&[22, 3, 3, 0x3F, 0xFF, 2, 0, 0x3F, 0xF0]).ok()?;
        let mut hello = [0; 4096];
        for _ in 0..50 {
            let _ = socket.read(&mut hello);
            socket.write_all(b"x").ok()?;
        }
        Some(socket)
    });
    let begin = now();
    let trouble = line(&server, &tls(Nothing, None), "db1.test").unwrap_err();
    assert_eq!(trouble.text, "db1 did not answer within 2 s");
    assert!(begin.elapsed() < PATIENCE + SLACK);
}

#[test]
fn answers_without_end_are_cut_off() {
    let server = Authority::new("ours")
        .identity(&["db1.test"], 4000)
        .server(ALL_VERSIONS, |stream| while stream.write_all(&[b'x'; 4096]).and_then(|()| stream.flush()).is_ok() {});
    let trouble = line(&server, &tls(Nothing, None), "db1.test").unwrap_err();
    assert_eq!(trouble.text, "db1 gives more than 1 MiB");
}
