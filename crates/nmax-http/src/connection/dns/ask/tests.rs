use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};

use super::*;

/// The reply to `question` with this code and, for A, these addresses.
fn reply(question: &[u8], code: u8, addresses: &[[u8; 4]]) -> Vec<u8> {
    let asks_for_v4 = question[question.len() - 3] == 1;
    let addresses = if asks_for_v4 { addresses } else { &[] };
    let mut bytes = question.to_vec();
    (bytes[2], bytes[3], bytes[7]) = (0x81, 0x80 | code, addresses.len() as u8);
    for address in addresses {
        bytes.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 7, 0, 4]);
        bytes.extend(address);
    }
    bytes
}

/// The name in a question, with dots.
fn asked(question: &[u8]) -> String {
    let (mut labels, mut at) = (Vec::new(), 12);
    while question[at] != 0 {
        let end = at + 1 + usize::from(question[at]);
        labels.push(String::from_utf8(question[at + 1..end].to_vec()).unwrap());
        at = end;
    }
    labels.join(".")
}

/// A name server that sends all of what `answer` makes of a question.
async fn serve(answer: impl Fn(&[u8]) -> Vec<Vec<u8>> + Send + 'static) -> SocketAddr {
    serve_at("127.0.0.1", answer).await
}

async fn serve_at(ip: &str, answer: impl Fn(&[u8]) -> Vec<Vec<u8>> + Send + 'static) -> SocketAddr {
    let socket = UdpSocket::bind((ip, 0)).await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut question = [0; 512];
        loop {
            let (length, peer) = socket.recv_from(&mut question).await.unwrap();
            for reply in answer(&question[..length]) {
                socket.send_to(&reply, peer).await.unwrap();
            }
        }
    });
    address
}

fn resolver(servers: Vec<SocketAddr>) -> Resolver {
    Resolver { timeout: Duration::from_secs(1), attempts: 1, ..Resolver::of_servers(servers) }
}

async fn failure(resolver: &Resolver) -> String {
    let failure = by(resolver, "a.test", Family::V4).await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Dns);
    failure.text.into_owned()
}

const HERE: [u8; 4] = [127, 0, 0, 1];

#[tokio::test]
async fn an_answer_with_its_lifetime() {
    let server = serve(|question| vec![reply(question, 0, &[HERE])]).await;
    for family in [Family::V4, Family::Any] {
        let answer = by(&resolver(vec![server]), "a.test", family).await.unwrap();
        assert_eq!((answer.addresses, answer.ttl), (vec![HERE.into()], Nanos::from_secs(7)));
    }
}

/// No such name, no address, no idea, no answer, nobody there: each in its own words.
#[tokio::test]
async fn failures_are_told_apart() {
    for (code, words) in [
        (3, "does not exist (NXDOMAIN)"),
        (0, "has no IPv4 address"),
        (2, "(SERVFAIL)"),
        (5, "(REFUSED)"),
        (9, "error code 9"),
    ] {
        let server = serve(move |question| vec![reply(question, code, &[])]).await;
        let text = failure(&resolver(vec![server])).await;
        assert!(text.starts_with("a.test: ") && text.contains(words), "{text}");
    }
    let silent = serve(|_| Vec::new()).await;
    let text = failure(&resolver(vec![silent])).await;
    assert_eq!(text, format!("a.test: no answer from name server {silent}"));
    let gone = UdpSocket::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let text = failure(&resolver(vec![gone])).await;
    assert!(text.contains("refused") && text.contains(&gone.to_string()), "{text}");
}

#[tokio::test]
async fn the_next_server_is_asked_when_one_cannot_say() {
    let broken = serve(|question| vec![reply(question, 2, &[])]).await;
    let silent = serve(|_| Vec::new()).await;
    let good = serve(|question| vec![reply(question, 0, &[HERE])]).await;
    let answer = by(&resolver(vec![broken, silent, good]), "a.test", Family::V4).await;
    assert_eq!(answer.unwrap().addresses, [IpAddr::from(HERE)]);
}

/// Replies with another id, another name or no sense are not the answer; the one after them is.
#[tokio::test]
async fn forged_replies_are_passed_over() {
    let server = serve(|question| {
        let mut other_id = reply(question, 0, &[[10, 6, 6, 6]]);
        other_id[0] ^= 1;
        let mut other_name = reply(question, 0, &[[10, 6, 6, 6]]);
        other_name[13] = b'b';
        vec![other_id, other_name, b"nonsense".to_vec(), reply(question, 0, &[HERE])]
    })
    .await;
    let answer = by(&resolver(vec![server]), "a.test", Family::V4).await;
    assert_eq!(answer.unwrap().addresses, [IpAddr::from(HERE)]);
}

#[tokio::test]
async fn what_does_not_fit_comes_over_tcp() {
    // Both on one port, whose TCP side another test may have taken.
    let (server, listener) = loop {
        let server = serve(|question| {
            let mut cut = reply(question, 0, &[]);
            cut[2] |= 0x02;
            vec![cut]
        })
        .await;
        match TcpListener::bind(server).await {
            Ok(listener) => break (server, listener),
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::AddrInUse),
        }
    };
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let length = stream.read_u16().await.unwrap();
        let mut question = vec![0; usize::from(length)];
        stream.read_exact(&mut question).await.unwrap();
        let addresses: Vec<[u8; 4]> = (1..=100).map(|last| [127, 0, 0, last]).collect();
        let reply = reply(&question, 0, &addresses);
        stream.write_u16(reply.len() as u16).await.unwrap();
        stream.write_all(&reply).await.unwrap();
    });
    let answer = by(&resolver(vec![server]), "a.test", Family::V4).await;
    assert_eq!(answer.unwrap().addresses.len(), 100);
}

/// A domain that fails does not hide the next one, as in a cluster whose search list ends in the provider's domain.
#[tokio::test]
async fn search_domains_are_tried_in_order() {
    let server = serve(|question| {
        vec![match asked(question).as_str() {
            "shop.b.test" => reply(question, 0, &[HERE]),
            "shop.a.test" => reply(question, 2, &[]),
            _ => reply(question, 3, &[]),
        }]
    })
    .await;
    let mut resolver = resolver(vec![server]);
    resolver.search = vec!["a.test".into(), "b.test".into()];
    assert!(by(&resolver, "shop", Family::V4).await.is_ok());
    resolver.search.pop();
    let text = by(&resolver, "shop", Family::V4).await.unwrap_err().text;
    assert!(text.contains("SERVFAIL"), "that is why it is not known whether there is one: {text}");
    let absolute = by(&resolver, "shop.", Family::V4).await.unwrap_err().text;
    assert!(absolute.contains("NXDOMAIN"), "{absolute}");
}

/// Names of this host are never asked for.
#[test]
fn localhost_without_an_entry() {
    let both: Vec<IpAddr> = vec![Ipv6Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.into()];
    assert_eq!(of_this_host("", "shop.localhost"), Some(both.clone()));
    assert_eq!(of_this_host("10.0.0.1 localhost", "localhost"), Some(vec![[10, 0, 0, 1].into()]));
    assert_eq!(of_this_host("10.0.0.1 localhost", "a.test"), None);
    assert_eq!(of_family(both, Family::V4), [IpAddr::from(HERE)]);
}

#[test]
fn a_file_that_is_not_utf8_is_read_all_the_same() {
    let path = std::env::temp_dir().join(format!("nmax-hosts-{}", std::process::id()));
    std::fs::write(&path, b"# b\xfcro\n192.0.2.1 printer\n").unwrap();
    let text = text_of(path.to_str().unwrap());
    std::fs::remove_file(&path).unwrap();
    assert_eq!(of_this_host(&text, "printer"), Some(vec![Ipv4Addr::new(192, 0, 2, 1).into()]));
    assert_eq!(text_of("/a/file/that/is/not/there"), "");
}

/// More than a server gets: what is not asked fails as the injector's own doing.
#[tokio::test]
async fn what_is_beyond_the_limit_is_not_asked() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    // An address of its own: the limit is one for all questions of this process to it.
    let server = serve_at("127.53.0.1", move |question| {
        count.fetch_add(1, Ordering::Relaxed);
        vec![reply(question, 0, &[HERE])]
    });
    let resolver = resolver(vec![server.await]);
    #[expect(clippy::disallowed_methods, reason = "the limit is one of real time")]
    let begun = std::time::Instant::now();
    let (mut answered, mut limited) = (0, 0);
    for _ in 0..2 * quota::QUESTIONS_PER_S_MAX {
        match by(&resolver, "a.test", Family::V4).await {
            Ok(_) => answered += 1,
            Err(failure) if failure.kind == ErrorKind::Injector => {
                assert!(
                    failure.text.contains("1000 times within a second") && failure.text.contains("dns.ttl"),
                    "{failure:?}"
                );
                limited += 1;
            }
            // A datagram that this busy machine lost.
            Err(_) => {}
        }
    }
    let seconds = 1 + begun.elapsed().as_secs() as usize;
    let most = seconds * quota::QUESTIONS_PER_S_MAX;
    let asked = asked.load(Ordering::Relaxed);
    assert!(answered > 0 && asked <= most, "{asked} questions in {seconds} s");
    assert!(limited > 0 || seconds > 1, "{answered} answers in {seconds} s");
}
