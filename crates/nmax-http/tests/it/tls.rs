//! TLS: who is trusted, and the reason in words when someone is not.

use std::rc::Rc;
use std::sync::Arc;

use nmax_http::{Alarm, Client, Config, ConfigError, Origin, Request, Scheme, Shared};
use nmax_metrics::{Code, ErrorKind};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ALL_VERSIONS, RootCertStore, ServerConfig, SupportedProtocolVersion};
use tokio_rustls::server::TlsStream;

use crate::server::{
    Accepted, GET, Readings, answer_always, client_with, config, get, origin, read_request, serve, text_of,
};

pub(crate) const TINY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A server with a certificate for `name`, and the PEM of its issuer.
pub(crate) async fn serve_tls(name: &str, last_year: i32) -> (Origin, Accepted, Vec<u8>) {
    let (acceptor, issuer) = acceptor(name, last_year);
    let (origin, accepted) = serve_over(acceptor, |stream| answer_always(stream, TINY)).await;
    (origin, accepted, issuer)
}

/// A server that hands each connection to `talk` after the handshake.
pub(crate) async fn serve_over<F, T>(acceptor: TlsAcceptor, talk: F) -> (Origin, Accepted)
where
    F: Fn(TlsStream<TcpStream>) -> T + Clone + Send + 'static,
    T: Future<Output = ()> + Send + 'static,
{
    let (origin, accepted) = serve(move |stream, _| {
        let (acceptor, talk) = (acceptor.clone(), talk.clone());
        async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                talk(stream).await;
            }
        }
    })
    .await;
    (Origin { scheme: Scheme::Https, ..origin }, accepted)
}

/// A certificate for `name` that ends with `last_year`, and the PEM of its issuer.
pub(crate) fn acceptor(name: &str, last_year: i32) -> (TlsAcceptor, Vec<u8>) {
    acceptor_with(name, last_year, ALL_VERSIONS, None)
}

/// As [`acceptor`], for these versions of TLS; wants clients to show a certificate of this issuer.
pub(crate) fn acceptor_with(
    name: &str,
    last_year: i32,
    versions: &[&'static SupportedProtocolVersion],
    clients: Option<&[u8]>,
) -> (TlsAcceptor, Vec<u8>) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.not_after = rcgen::date_time_ymd(last_year, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, &issuer).unwrap();
    let server = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap();
    let server = match clients {
        None => server.with_no_client_auth(),
        Some(issuer) => {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_slice(issuer).unwrap()).unwrap();
            let provider = Arc::new(ring::default_provider());
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            server.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let mut server = server
        .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
        .unwrap();
    server.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    (TlsAcceptor::from(Arc::new(server)), issuer.pem().into_bytes())
}

async fn failure_of(config: Config, origin: &Origin) -> String {
    let mut client = client_with(config);
    let exchange = client.exchange(&get(origin)).await;
    let failure = exchange.error.expect("the handshake must fail");
    assert_eq!((failure.kind, exchange.sent), (ErrorKind::Tls, None), "{}", failure.text);
    assert!(exchange.opened.is_some() && exchange.network.tls.0 > 0);
    failure.text.into_owned()
}

#[tokio::test]
async fn a_trusted_issuer() {
    let (origin, accepted, issuer) = serve_tls("127.0.0.1", 4000).await;
    let mut client = client_with(Config { ca_pem: vec![issuer], ..config() });
    for round in 0..3 {
        let exchange = client.exchange(&get(&origin)).await;
        assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
        assert_eq!(exchange.network.tls.0 > 0, round == 0);
        assert_eq!(exchange.bytes_received, TINY.len() as u64, "below TLS is not counted");
        assert_eq!(client.reply().body(), b"ok");
    }
    assert_eq!(accepted.count(), 1);
    client.forget();
    assert!(client.exchange(&get(&origin)).await.opened.is_some());
}

/// Uploads larger than the socket's buffer go out completely, and large replies come in.
#[tokio::test]
async fn large_messages_both_ways() {
    const SIZE: usize = 3_000_000;
    let (acceptor, issuer) = acceptor("127.0.0.1", 4000);
    let (origin, accepted) = serve_over(acceptor, |mut stream| async move {
        let mut request = vec![0; SIZE];
        while stream.read_exact(&mut request).await.is_ok() {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {SIZE}\r\n\r\n");
            stream.write_all(head.as_bytes()).await.unwrap();
            stream.write_all(&request).await.unwrap();
            stream.flush().await.unwrap();
        }
    })
    .await;
    let head = GET.iter().copied();
    let text = text_of(&head.chain((GET.len()..SIZE).map(|i| (i % 251) as u8)).collect::<Vec<_>>());
    let mut client = client_with(Config { ca_pem: vec![issuer], ..config() });
    for _ in 0..2 {
        let exchange = client.exchange(&Request { text: &text, ..get(&origin) }).await;
        assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
        assert_eq!(exchange.bytes_sent, SIZE as u64);
        assert!(client.reply().body() == text.bytes(), "the echo differs");
    }
    assert_eq!(accepted.count(), 1);
}

/// Many servers end TLS by closing TCP: a body that ends with the connection is complete all the same,
/// one that says its length is not.
#[tokio::test]
async fn an_end_without_a_closing_message() {
    for (reply, status) in
        [("HTTP/1.1 200 OK\r\n\r\nhi", Some(200)), ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhi", None)]
    {
        let (acceptor, issuer) = acceptor("127.0.0.1", 4000);
        let (origin, _) = serve_over(acceptor, move |mut stream| async move {
            read_request(&mut stream).await;
            stream.write_all(reply.as_bytes()).await.unwrap();
            stream.flush().await.unwrap();
        })
        .await;
        let mut client = client_with(Config { ca_pem: vec![issuer], ..config() });
        let exchange = client.exchange(&get(&origin)).await;
        assert_eq!(exchange.status, status.map(Code::new), "{reply:?}");
        assert_eq!(exchange.error.map(|failure| failure.kind), status.is_none().then_some(ErrorKind::Reset));
    }
}

#[tokio::test]
async fn untrusted_certificates() {
    let (unknown, _, _) = serve_tls("127.0.0.1", 4000).await;
    let text = failure_of(config(), &unknown).await;
    assert!(text.contains("unknown issuer"), "{text}");

    let (other, _, issuer) = serve_tls("other.test", 4000).await;
    let text = failure_of(Config { ca_pem: vec![issuer], ..config() }, &other).await;
    assert!(text.contains("another host name") && text.contains("other.test"), "{text}");

    let (expired, _, issuer) = serve_tls("127.0.0.1", 2001).await;
    let text = failure_of(Config { ca_pem: vec![issuer], ..config() }, &expired).await;
    assert!(text.contains("expired"), "{text}");

    for origin in [unknown, other, expired] {
        let mut client = client_with(Config { insecure: true, ..config() });
        assert_eq!(client.exchange(&get(&origin)).await.status, Some(Code::new(200)), "insecure takes all");
    }
}

#[tokio::test]
async fn a_port_without_tls() {
    let (greeting, _) = serve(|mut stream, _| async move {
        stream.write_all(b"220 mail.test ESMTP\r\n").await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    let text = failure_of(config(), &origin(Scheme::Https, "127.0.0.1", greeting.port)).await;
    assert!(text.contains("does not speak TLS") && text.contains("try http://"), "{text}");
}

#[test]
fn unusable_issuers_are_named_by_their_place() {
    let with = |pem: &str| Shared::new(Config { ca_pem: vec![pem.into()], ..config() }, Readings::default());
    assert!(matches!(with("nothing"), Err(ConfigError::NoCertificate { number: 1 })));
    let broken = "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n";
    assert!(matches!(with(broken), Err(ConfigError::Pem { number: 1, .. })));
    let nonsense = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(matches!(with(nonsense), Err(ConfigError::Issuer { number: 1, .. })));
}

/// A returning visitor resumes, a new one does not, and nobody resumes another one's session: k6 never resumes, and
/// oha lets all its workers share one cache.
#[tokio::test]
async fn each_visitor_resumes_its_own_sessions_only() {
    for version in [&TLS12, &TLS13] {
        let (acceptor, issuer) = acceptor_with("127.0.0.1", 4000, &[version], None);
        let (origin, accepted) = serve_over(acceptor, |stream| answer_always(stream, TINY)).await;
        let trusting = Config { ca_pem: vec![issuer], ..config() };
        let shared = Rc::new(Shared::new(trusting, Readings::default()).unwrap());
        let visitor = || Client::new(Rc::clone(&shared), Alarm::default());
        let fetch = async |client: &mut Client<Readings>| {
            let request = Request { keep_alive: false, ..get(&origin) };
            let exchange = client.exchange(&request).await;
            assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
            exchange.resumed
        };
        let (mut first, mut second) = (visitor(), visitor());
        assert_eq!(fetch(&mut first).await, Some(false), "{version:?}: its first connection");
        assert_eq!(fetch(&mut first).await, Some(true), "{version:?}: it returns");
        assert_eq!(fetch(&mut second).await, Some(false), "{version:?}: another visitor");
        first.forget();
        assert_eq!(fetch(&mut first).await, Some(false), "{version:?}: a new visitor");
        assert_eq!(fetch(&mut first).await, Some(true), "{version:?}: the new visitor returns");
        assert_eq!(accepted.count(), 5);
        assert_eq!(first.exchange(&get(&origin)).await.resumed, Some(true));
        assert_eq!(first.exchange(&get(&origin)).await.resumed, None, "a kept connection has no handshake");
    }
}

/// The server would rather speak HTTP/2, which the client does not.
#[tokio::test]
async fn only_http_1_1_is_offered() {
    let (acceptor, issuer) = acceptor("127.0.0.1", 4000);
    let (origin, _) = serve_over(acceptor, |stream| async move {
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
        answer_always(stream, TINY).await;
    })
    .await;
    let mut client = client_with(Config { ca_pem: vec![issuer], ..config() });
    assert_eq!(client.exchange(&get(&origin)).await.status, Some(Code::new(200)));
}

/// Room of a visitor with a connection that it keeps and its tickets; the server runs on a thread of its own, because
/// allocations are counted per thread.
#[test]
fn a_visitor_with_a_kept_connection_takes_little_room() {
    /// What the test measured (12.2 KB), rounded up.
    const BYTES_MAX: i64 = 16 * 1024;
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            sender.send(serve_tls("127.0.0.1", 4000).await).unwrap();
            std::future::pending::<()>().await;
        });
    });
    let (origin, _, issuer) = receiver.recv().unwrap();
    let trusting = Config { ca_pem: vec![issuer], ..config() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let shared = Rc::new(Shared::new(trusting, Readings::default()).unwrap());
    let visit = || {
        let mut client = Client::new(Rc::clone(&shared), Alarm::default());
        let exchange = runtime.block_on(client.exchange(&get(&origin)));
        assert_eq!((exchange.status, client.open_connections()), (Some(Code::new(200)), 1));
        client
    };
    // The first one makes what all share.
    let first = visit();
    let mut second = None;
    let measured = allocation_counter::measure(|| second = Some(visit()));
    assert!(measured.bytes_current <= BYTES_MAX, "{} bytes", measured.bytes_current);
    drop((first, second));
}
