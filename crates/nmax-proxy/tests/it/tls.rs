//! Encrypted traffic: decrypted for the hosts that are recorded, untouched for others.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use nmax_proxy::{Event, Hosts, Settings};
use nmax_target::{Listen, Options, Running, Scheme};
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::bench::{Bench, settings};

fn target() -> Running {
    let listen = Listen { scheme: Scheme::Https, address: "127.0.0.1:0".parse().unwrap() };
    nmax_target::spawn(Options { listen: vec![listen], ..Options::default() }).unwrap()
}

fn trusting(target: &Running) -> Settings {
    Settings { upstream_ca: vec![target.ca_pem().unwrap().as_bytes().to_vec()], ..settings() }
}

type Tls = StreamOwned<ClientConnection, TcpStream>;

/// A tunnel to `end` with TLS inside: as this name, trusting this issuer.
fn tunnel(bench: &Bench, end: &str, name: &str, ca_pem: Option<&str>) -> std::io::Result<Tls> {
    let mut client = bench.client();
    client.send(format!("CONNECT {end} HTTP/1.1\r\nHost: {end}\r\n\r\n"));
    let head = client.head();
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let mut roots = RootCertStore::empty();
    if let Some(pem) = ca_pem {
        roots.add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap()).unwrap();
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let mut connection = ClientConnection::new(Arc::new(config), name).unwrap();
    connection.complete_io(&mut client.stream)?;
    Ok(StreamOwned::new(connection, client.stream))
}

fn get(tls: &mut Tls, path: &str) -> String {
    write!(tls, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut reply = String::new();
    // A close without a farewell is an error of TLS and no matter here.
    let _ = tls.read_to_string(&mut reply);
    reply
}

#[test]
fn an_address_with_https_is_recorded() {
    let target = target();
    let mut bench = Bench::with(&trusting(&target));
    let end = target.address().to_string();
    let ca = bench.recorder.ca.pem.clone();
    let mut tls = tunnel(&bench, &end, "127.0.0.1", Some(&ca)).unwrap();
    assert_eq!(tls.conn.alpn_protocol(), Some(&b"http/1.1"[..]), "never HTTP/2 towards the client");
    let chain = tls.conn.peer_certificates().unwrap();
    assert_eq!(chain.len(), 2, "the issuer goes along");
    assert_eq!(chain[1].as_ref(), bench.recorder.ca.der);
    assert!(get(&mut tls, "/hello?x").ends_with("hello"));
    let entry = bench.entry();
    assert_eq!(entry.request.url, format!("https://{end}/hello?x"));
    assert_eq!(entry.response.unwrap().body.unwrap().bytes, b"hello");
    let phases = entry.timings;
    assert!(phases.tls.unwrap() <= phases.connect.unwrap(), "the handshake is a part of connecting: {phases:?}");
}

#[test]
fn a_name_gets_a_certificate_and_other_names_get_none() {
    let target = target();
    let mut settings = trusting(&target);
    settings.hosts = Hosts::of_page("localhost").unwrap();
    let mut bench = Bench::with(&settings);
    let ca = bench.recorder.ca.pem.clone();
    let end = format!("localhost:{}", target.address().port());
    let mut tls = tunnel(&bench, &end, "localhost", Some(&ca)).unwrap();
    assert!(get(&mut tls, "/hello").ends_with("hello"));
    let entry = bench.entry();
    assert_eq!(entry.request.url, format!("https://{end}/hello"));
    assert!(entry.timings.dns.is_some(), "a name was resolved");
    // The authority of this recording is worth nothing for a host that is not recorded: the tunnel ends at the target.
    let end = target.address().to_string();
    assert!(tunnel(&bench, &end, "127.0.0.1", Some(&ca)).is_err());
}

#[test]
fn other_hosts_pass_undecrypted_and_are_listed() {
    let target = target();
    let mut settings = settings();
    settings.hosts = Hosts::of_page("shop.test").unwrap();
    let bench = Bench::with(&settings);
    let end = target.address().to_string();
    let mut tls = tunnel(&bench, &end, "127.0.0.1", target.ca_pem()).unwrap();
    assert!(get(&mut tls, "/bytes/10000").len() > 10_000);
    drop(tls);
    let (events, summary) = bench.end();
    assert_eq!(events, [Event::Passed("127.0.0.1".into())], "and no exchange");
    let passed = &summary.passed["127.0.0.1"];
    assert!(passed.count == 1 && passed.bytes > 10_000, "{passed:?}");
}

#[test]
fn a_client_that_does_not_trust_is_counted_and_explained() {
    let target = target();
    let bench = Bench::with(&trusting(&target));
    let end = target.address().to_string();
    for _ in 0..3 {
        assert!(tunnel(&bench, &end, "127.0.0.1", None).is_err(), "it trusts nobody");
    }
    // Seen once the client's alert was read.
    let begin = std::time::Instant::now();
    while bench.recorder.summary().untrusted.get("127.0.0.1").is_none_or(|host| host.count < 3) {
        assert!(begin.elapsed() < crate::bench::WAIT, "{:?}", bench.recorder.summary());
        std::thread::yield_now();
    }
    let (events, summary) = bench.end();
    let reason = &summary.untrusted["127.0.0.1"].reason;
    assert!(reason.contains("UnknownCA") && reason.contains("ca.pem"), "{reason}");
    assert_eq!(events.len(), 1, "said once: {events:?}");
}

#[test]
fn a_server_that_is_not_trusted_is_named_with_what_helps() {
    let target = target();
    let mut bench = Bench::new();
    let end = target.address().to_string();
    let ca = bench.recorder.ca.pem.clone();
    let mut tls = tunnel(&bench, &end, "127.0.0.1", Some(&ca)).unwrap();
    let page = get(&mut tls, "/");
    assert!(page.starts_with("HTTP/1.1 502 "), "{page}");
    for part in [
        end.as_str(),
        "`nmax target`",
        "`nmax target authority`",
        "issuer is not trusted",
        "--upstream-ca",
        "--insecure",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let entry = bench.entry();
    assert!(entry.response.is_none() && entry.comment.contains("not trusted"), "{}", entry.comment);
    // Told to take anything, it does.
    let mut settings = settings();
    settings.insecure = true;
    let bench = Bench::with(&settings);
    let ca = bench.recorder.ca.pem.clone();
    let mut tls = tunnel(&bench, &end, "127.0.0.1", Some(&ca)).unwrap();
    assert!(get(&mut tls, "/hello").ends_with("hello"));
}
