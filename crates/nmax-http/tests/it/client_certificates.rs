//! Client certificates: shown when a server asks, and why they cannot be, in words.

use nmax_http::{ClientCertificate, ClientProblem, Config, ConfigError, Shared};
use nmax_metrics::{Code, ErrorKind};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio_rustls::rustls::version::{TLS12, TLS13};

use crate::server::{Readings, answer_always, client_with, config, get};
use crate::tls::{TINY, acceptor_with, serve_over};

/// A certificate for a client, its key, and the PEM of their issuer.
fn client_pair() -> (Vec<u8>, KeyPair, Vec<u8>) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["client.test".to_owned()]).unwrap();
    let certificate = certificate.signed_by(&key, &issuer).unwrap();
    (certificate.pem().into_bytes(), key, issuer.pem().into_bytes())
}

/// The key as SEC1 has it: PKCS#8 wraps that behind 29 bytes when the curve is P-256.
fn sec1(key: &KeyPair) -> String {
    let body = base64(&key.serialize_der()[29..]);
    format!("-----BEGIN EC PRIVATE KEY-----\n{body}\n-----END EC PRIVATE KEY-----\n")
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, &byte| group << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = DIGITS[(group >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= chunk.len() { digit.into() } else { '=' });
        }
    }
    text
}

#[tokio::test]
async fn a_server_that_wants_a_client_certificate() {
    let (chain_pem, key, clients) = client_pair();
    let (strange_chain, strange_key, _) = client_pair();
    for version in [&TLS12, &TLS13] {
        let (acceptor, issuer) = acceptor_with("127.0.0.1", 4000, &[version], Some(&clients));
        let (origin, _) = serve_over(acceptor, |stream| answer_always(stream, TINY)).await;
        let showing = |client_certificate| Config { ca_pem: vec![issuer.clone()], client_certificate, ..config() };
        for key_pem in [key.serialize_pem(), sec1(&key)] {
            let shown = ClientCertificate { chain_pem: chain_pem.clone(), key_pem: key_pem.into_bytes() };
            let exchange = client_with(showing(Some(shown))).exchange(&get(&origin)).await;
            assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None), "{version:?}");
        }
        let failure = client_with(showing(None)).exchange(&get(&origin)).await.error.unwrap();
        assert_eq!(failure.kind, ErrorKind::Tls, "{version:?}");
        assert!(failure.text.contains("wants a client certificate"), "{version:?}: {}", failure.text);
        let strange =
            ClientCertificate { chain_pem: strange_chain.clone(), key_pem: strange_key.serialize_pem().into_bytes() };
        let failure = client_with(showing(Some(strange))).exchange(&get(&origin)).await.error.unwrap();
        assert_eq!(failure.kind, ErrorKind::Tls, "{version:?}");
        assert!(failure.text.contains("refuses the client certificate"), "{version:?}: {}", failure.text);
    }
}

#[test]
fn unusable_client_certificates() {
    let (chain, key, _) = client_pair();
    let key = key.serialize_pem();
    let (_, other_key, _) = client_pair();
    let (rsa_chain, rsa_key) = (include_bytes!("rsa/certificate.pem"), include_str!("rsa/key.pem"));
    let problem_of = |chain_pem: &[u8], key_pem: &str| {
        let certificate = ClientCertificate { chain_pem: chain_pem.to_vec(), key_pem: key_pem.as_bytes().to_vec() };
        let settings = Config { client_certificate: Some(certificate), ..config() };
        match Shared::new(settings, Readings::default()) {
            Err(ConfigError::Client(problem)) => Some(problem),
            Err(other) => panic!("{other}"),
            Ok(_) => None,
        }
    };
    assert_eq!(problem_of(&chain, &key), None);
    assert_eq!(problem_of(rsa_chain, rsa_key), None, "PKCS#1");
    assert_eq!(problem_of(&[chain.clone(), key.clone().into_bytes()].concat(), &key), None, "both in one file");
    assert_eq!(problem_of(&chain, &other_key.serialize_pem()), Some(ClientProblem::Mismatch));
    assert_eq!(problem_of(&chain, rsa_key), Some(ClientProblem::Mismatch));
    assert_eq!(problem_of(b"nothing", &key), Some(ClientProblem::NoCertificate));
    let chain_text = String::from_utf8(chain.clone()).unwrap();
    assert_eq!(problem_of(&chain, &chain_text), Some(ClientProblem::NoKey));
    for encrypted in [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\n",
    ] {
        assert_eq!(problem_of(&chain, encrypted), Some(ClientProblem::Encrypted));
    }
    let broken = "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n";
    assert!(matches!(problem_of(broken.as_bytes(), &key), Some(ClientProblem::Chain(_))));
    let nonsense = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    assert!(matches!(problem_of(&chain, nonsense), Some(ClientProblem::Key(_))));
}
