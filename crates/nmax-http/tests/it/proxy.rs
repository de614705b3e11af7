//! Through a proxy of a few lines, which forwards and makes tunnels as real ones do.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nmax_http::{Config, ConfigError, HostOverride, NameRules, Origin, Proxy, Request, Scheme, Shared, WireEvent};
use nmax_metrics::{Code, ErrorKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;

use crate::server::{Accepted, Hand, client_with, config, get, origin, serve, serve_always, text_of};
use crate::tls::serve_tls;

const TINY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// The heads that a proxy received.
type Heads = Arc<Mutex<Vec<String>>>;

/// A proxy that lets everyone through.
async fn serve_proxy() -> (Origin, Accepted, Heads) {
    let heads = Heads::default();
    let seen = Arc::clone(&heads);
    let (origin, accepted) = serve(move |stream, _| forward(stream, Arc::clone(&seen))).await;
    (origin, accepted, heads)
}

/// Connects to the place that the first head names, and passes everything on.
async fn forward(mut stream: TcpStream, heads: Heads) {
    let Some(head) = read_head(&mut stream).await else {
        return;
    };
    let target = head.split(' ').nth(1).unwrap().to_owned();
    heads.lock().unwrap().push(head.clone());
    let place = target.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let mut server = TcpStream::connect(place).await.unwrap();
    if head.starts_with("CONNECT ") {
        stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.unwrap();
    } else {
        server.write_all(head.as_bytes()).await.unwrap();
    }
    let _ = copy_bidirectional(&mut stream, &mut server).await;
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8(head).unwrap())
}

fn through(proxy: &Origin) -> Config {
    Config { proxy: Some(Proxy { origin: proxy.clone(), authorization: Some("Basic eDp5".into()) }), ..config() }
}

#[tokio::test]
async fn plain_requests_are_absolute_and_their_connections_are_kept() {
    let (server, accepted) = serve_always(TINY).await;
    let (proxy, at_proxy, heads) = serve_proxy().await;
    let mut client = client_with(through(&proxy));
    for round in 0..3 {
        let exchange = client.exchange(&get(&server)).await;
        assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
        assert_eq!(exchange.opened.is_some(), round == 0);
        assert_eq!(client.reply().body(), b"ok");
    }
    assert_eq!((accepted.count(), at_proxy.count()), (1, 1));
    let want = format!("GET {server}/ HTTP/1.1\r\nproxy-authorization: Basic eDp5\r\nhost: h\r\n\r\n");
    assert_eq!(*heads.lock().unwrap(), [want]);
}

/// The wait for `100 Continue` begins behind the head, which grew.
#[tokio::test]
async fn a_pause_moves_with_its_head() {
    let (proxy, _) = serve(|mut stream, _| async move {
        let head = read_head(&mut stream).await.unwrap();
        assert!(head.starts_with("PUT http://") && head.contains("\r\nexpect: 100-continue\r\n"), "{head}");
        let early = tokio::time::timeout(Duration::from_millis(20), stream.read_u8()).await;
        assert!(early.is_err(), "the body came before it was asked for");
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.unwrap();
        let mut body = [0; 2];
        stream.read_exact(&mut body).await.unwrap();
        assert_eq!(&body, b"hi");
        stream.write_all(TINY.as_bytes()).await.unwrap();
    })
    .await;
    let head = "PUT /a HTTP/1.1\r\nhost: h\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n";
    let text = text_of(format!("{head}hi").as_bytes());
    let server = origin(Scheme::Http, "127.0.0.1", 9);
    let request = Request { text: &text, waits: true, ..get(&server) };
    let mut client = client_with(through(&proxy));
    // A pause within the head would have both ends wait for ever.
    let exchange = tokio::time::timeout(Duration::from_secs(30), client.exchange(&request)).await;
    let exchange = exchange.expect("the head must be complete before the pause");
    assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
}

/// Nothing of the request is for the proxy to read, and the certificate is checked against the server's name.
#[tokio::test]
async fn requests_over_tls_go_through_a_tunnel() {
    let (server, accepted, issuer) = serve_tls("127.0.0.1", 4000).await;
    let (proxy, at_proxy, heads) = serve_proxy().await;
    let mut client = client_with(Config { ca_pem: vec![issuer], ..through(&proxy) });
    for round in 0..2 {
        let exchange = client.exchange(&get(&server)).await;
        assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
        assert_eq!(exchange.network.connect.0 > 0 && exchange.network.tls.0 > 0, round == 0);
    }
    assert_eq!((accepted.count(), at_proxy.count()), (1, 1));
    let place = format!("127.0.0.1:{}", server.port);
    let want = format!("CONNECT {place} HTTP/1.1\r\nhost: {place}\r\nproxy-authorization: Basic eDp5\r\n\r\n");
    assert_eq!(*heads.lock().unwrap(), [want]);
}

/// The proxy is a party of its own: who watches the wire sees what it is asked and what it says, also when it refuses.
#[tokio::test]
async fn the_wire_log_tells_the_tunnel() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&log);
    let wire = move |_, event: &WireEvent<'_>| {
        lines.lock().unwrap().push(match event {
            WireEvent::Sent(bytes) => format!("sent {}", String::from_utf8_lossy(bytes)),
            WireEvent::Received(bytes) => format!("received {}", String::from_utf8_lossy(bytes)),
            WireEvent::Connected { .. } => "connected".to_owned(),
            WireEvent::Tls { .. } => "tls".to_owned(),
            other => format!("{other:?}"),
        });
    };
    let (server, _, issuer) = serve_tls("127.0.0.1", 4000).await;
    let (proxy, _, heads) = serve_proxy().await;
    let settings =
        |proxy: &Origin| Config { ca_pem: vec![issuer.clone()], wire: Some(Arc::new(wire.clone())), ..through(proxy) };
    assert_eq!(client_with(settings(&proxy)).exchange(&get(&server)).await.error, None);
    let told = std::mem::take(&mut *log.lock().unwrap());
    let asked = format!("sent {}", heads.lock().unwrap()[0]);
    let answer = "received HTTP/1.1 200 Connection established\r\n\r\n";
    assert_eq!(told[..4], ["connected", &*asked, answer, "tls"]);
    let no = "HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n";
    let (refusing, _) = serve_always(no).await;
    assert!(client_with(settings(&refusing)).exchange(&get(&server)).await.error.is_some());
    let told = log.lock().unwrap().clone();
    assert_eq!(told[..3], ["connected", &*asked, &format!("received {no}")]);
}

#[tokio::test]
async fn a_proxy_that_makes_no_tunnel() {
    let cases: [(&'static str, bool, &str); 7] = [
        ("HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n", true, "refuses the credentials (status 407)"),
        ("HTTP/1.1 407 No\r\ncontent-length: 9\r\n\r\nsome text", false, "wants credentials (status 407)"),
        ("HTTP/1.1 503 No\r\n\r\nno route", true, "status 503"),
        ("HTTP/1.1 200 OK\r\n\r\nsurprise", true, "bytes follow"),
        ("SSH-2.0-OpenSSH\r\n", true, "makes no tunnel"),
        ("HTTP/1.1 200", true, "closed the connection"),
        ("", true, "closed the connection"),
    ];
    for (reply, has_credentials, words) in cases {
        let (proxy, _) = serve(move |mut stream, _| async move {
            read_head(&mut stream).await;
            stream.write_all(reply.as_bytes()).await.unwrap();
        })
        .await;
        let mut config = through(&proxy);
        if !has_credentials {
            config.proxy.as_mut().unwrap().authorization = None;
        }
        let exchange = client_with(config).exchange(&get(&origin(Scheme::Https, "127.0.0.1", 9))).await;
        let failure = exchange.error.unwrap();
        assert_eq!((failure.kind, exchange.sent), (ErrorKind::Connect, None));
        assert!(failure.text.contains(words) && failure.text.contains("127.0.0.1:9"), "{}", failure.text);
        assert!(exchange.opened.is_some(), "the connection to the proxy was opened");
    }
}

/// A proxy leads nowhere that may not be loaded: neither its own address nor the one behind it may be refused, and
/// a name behind it that has no address cannot be judged.
#[tokio::test]
async fn a_proxy_does_not_lead_around_the_safety_policy() {
    let (proxy, at_proxy, _) = serve_proxy().await;
    let beyond = |ip: [u8; 4]| NameRules {
        hosts: vec![HostOverride { host: "shop.test".into(), port: None, addresses: vec![(ip.into(), None)] }],
        ..NameRules::default()
    };
    let cases = [
        ("shop.test", beyond([203, 0, 113, 1]), [203, 0, 113, 1]),
        ("203.0.113.1", NameRules::default(), [203, 0, 113, 1]),
        ("shop.test", beyond([127, 0, 0, 2]), [127, 0, 0, 1]),
    ];
    for (host, names, refused) in cases {
        for scheme in [Scheme::Http, Scheme::Https] {
            let config = Config {
                names: names.clone(),
                allow: Arc::new(move |host, ip| {
                    let is_refused = ip == IpAddr::from(refused);
                    if is_refused { Err(format!("{host} is off limits")) } else { Ok(()) }
                }),
                ..through(&proxy)
            };
            let exchange = client_with(config).exchange(&get(&origin(scheme, host, 80))).await;
            assert_eq!(exchange.error.unwrap().kind, ErrorKind::Blocked);
        }
    }
    let unknown = "a".repeat(64);
    let exchange = client_with(through(&proxy)).exchange(&get(&origin(Scheme::Http, &unknown, 80))).await;
    let failure = exchange.error.unwrap();
    assert_eq!(failure.kind, ErrorKind::Dns);
    assert!(failure.text.contains("under `hosts`"), "{}", failure.text);
    assert_eq!(at_proxy.count(), 0);
}

#[test]
fn a_proxy_over_tls_is_refused_at_once() {
    let settings = through(&origin(Scheme::Https, "proxy.test", 443));
    let refused = Shared::new(settings, Hand::default());
    assert!(matches!(refused, Err(ConfigError::Proxy { .. })));
}
