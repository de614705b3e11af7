use std::net::TcpStream;
use std::sync::Arc;

use nmax_target::{Error, Listen, Options, spawn};
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto};

use crate::client::Client;

type TlsClient = Client<StreamOwned<ClientConnection, TcpStream>>;

/// A client that trusts only `ca_pem` and asks for `name`.
fn connect(listen: Listen, ca_pem: &[u8], name: &str) -> TlsClient {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(ca_pem).unwrap()).unwrap();
    let provider = Arc::new(crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    Client::over(StreamOwned::new(connection, TcpStream::connect(listen.address).unwrap()))
}

#[test]
fn https_serves_with_the_written_authority() {
    let folder = std::env::temp_dir().join(format!("nmax-target-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("ca.pem");
    let options = Options {
        listen: vec![Listen::http(), Listen::https()],
        tls_names: vec!["shop.test".to_owned()],
        ca_file: Some(path.clone()),
        ..Options::default()
    };
    let target = spawn(options).unwrap();
    let [plain, encrypted] = *target.addresses() else { panic!("two listeners") };
    let ca_pem = std::fs::read(&path).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(target.ca_pem().unwrap().as_bytes(), ca_pem);

    for name in ["127.0.0.1", "localhost", "shop.test"] {
        assert_eq!(connect(encrypted, &ca_pem, name).get("/").text(), "hello", "{name}");
    }
    let wrong_name = connect(encrypted, &ca_pem, "other.test").send("GET", "/", "", "");
    assert!(wrong_name.is_err(), "the certificate is not for every name");
    let other = spawn(Options { listen: vec![Listen::https()], ..Options::default() }).unwrap();
    let stranger = other.ca_pem().unwrap().as_bytes();
    assert!(connect(encrypted, stranger, "localhost").send("GET", "/", "", "").is_err());

    let mut client = Client::connect(plain.address);
    assert_eq!(client.truth()["requests"], 3, "both listeners, one truth");
}

#[test]
fn resets_reach_through_tls() {
    let options = Options { listen: vec![Listen::https()], resets: "100%".parse().unwrap(), ..Options::default() };
    let target = spawn(options).unwrap();
    let mut client = connect(target.addresses()[0], target.ca_pem().unwrap().as_bytes(), "localhost");
    let error = client.send("GET", "/", "", "").unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
}

#[test]
fn an_unwritable_ca_file_is_a_named_error() {
    let options =
        Options { listen: vec![Listen::https()], ca_file: Some("/nonexistent/ca.pem".into()), ..Options::default() };
    assert!(matches!(spawn(options), Err(Error::CaFile { .. })));
}
