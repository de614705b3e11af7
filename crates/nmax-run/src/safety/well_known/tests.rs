use std::net::Ipv4Addr;

use nmax_http::Scheme;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;

const LONG: Duration = Duration::from_secs(30);

/// A server on loopback that answers every connection with `reply`, and what it was asked first.
async fn serve(reply: String) -> (Origin, tokio::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (heads, asked) = tokio::sync::mpsc::channel(8);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            let _ = heads.try_send(String::from_utf8(head).unwrap());
            let _ = stream.write_all(reply.as_bytes()).await;
        }
    });
    let origin = Origin { scheme: Scheme::Http, host: "localhost".into(), port };
    (origin, asked)
}

fn with_body(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

fn anything() -> Allow {
    Arc::new(|_: &str, _: IpAddr| Ok(()))
}

#[tokio::test]
async fn the_line_proves() {
    for body in [
        "allow-load-test: localhost",
        "# for our tests\r\n  allow-load-test:   LocalHost.  \r\n",
        "allow-load-test: other.example\nallow-load-test: *\n",
    ] {
        let (origin, mut asked) = serve(with_body("200 OK", body)).await;
        let proof = prove(&origin, anything(), NameRules::default(), LONG).await.unwrap();
        assert_eq!(proof.found_at, format!("{origin}/.well-known/nmax"));
        assert_eq!(proof.host, Host::of_url("localhost"));
        let head = asked.recv().await.unwrap();
        assert!(head.starts_with("GET /.well-known/nmax HTTP/1.1\r\n"), "{head}");
        assert!(head.contains(&format!("\r\nhost: {}\r\n", origin.authority())), "{head}");
    }
}

#[tokio::test]
async fn other_replies_do_not() {
    let line = "allow-load-test: *\n";
    let moved = "HTTP/1.1 301 Moved\r\nlocation: http://localhost/\r\ncontent-length: 19\r\n\r\nallow-load-test: *\n";
    let cases = [
        (with_body("200 OK", ""), "has no line `allow-load-test: localhost`"),
        (with_body("200 OK", "<p>allow-load-test: localhost</p>"), "has no line"),
        (with_body("200 OK", "allow-load-test: localhost.example"), "has no line"),
        (with_body("200 OK", "allow-load-test:"), "has no line"),
        (with_body("200 OK", "deny\u{fffd}"), "has no line"),
        (with_body("404 Not Found", line), "status 404 in place of 200"),
        (with_body("206 Partial Content", line), "status 206 in place of 200"),
        (moved.into(), "status 301 in place of 200"),
        (with_body("200 OK", &line.repeat(4_000)), "limit"),
        ("no HTTP at all\r\n\r\n".into(), "/.well-known/nmax: "),
        (String::new(), "/.well-known/nmax: "),
    ];
    for (reply, wanted) in cases {
        let (origin, _asked) = serve(reply.clone()).await;
        let reason = prove(&origin, anything(), NameRules::default(), LONG).await.unwrap_err();
        assert!(reason.starts_with(&format!("{origin}/.well-known/nmax: ")), "{reason}");
        assert!(reason.contains(wanted), "{reason}\nwanted {wanted}");
    }
}

/// A server that never answers costs no more than the limit.
#[tokio::test]
async fn the_wait_ends() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let origin = Origin { scheme: Scheme::Http, host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
    let reason = prove(&origin, anything(), NameRules::default(), Duration::from_millis(20)).await.unwrap_err();
    assert!(reason.contains("no complete reply within 20ms"), "{reason}");
}

/// The search for proof reaches no private address, whatever the name resolves to.
#[tokio::test]
async fn only_public_addresses_are_asked() {
    let (origin, mut asked) = serve(with_body("200 OK", "allow-load-test: *")).await;
    let reason = prove(&origin, public_only(Host::of_url("localhost"), Vec::new()), NameRules::default(), LONG)
        .await
        .unwrap_err();
    assert!(reason.contains("is not a public address of localhost"), "{reason}");
    assert!(asked.try_recv().is_err(), "nothing was sent");

    let allow = public_only(Host::of_url("shop.example"), vec!["10.0.0.2:53".parse().unwrap()]);
    let cases = [
        ("shop.example", "93.184.215.14", true),
        ("Shop.Example.", "2606:2800::1", true),
        ("other.example", "93.184.215.14", false),
        ("shop.example", "10.0.0.1", false),
        ("shop.example", "127.0.0.1", false),
        ("shop.example", "169.254.169.254", false),
        ("shop.example", "::ffff:192.168.0.1", false),
        ("shop.example", "224.0.0.1", false),
        // A name server that was decided about; not the target at its address.
        ("10.0.0.2", "10.0.0.2", true),
        ("shop.example", "10.0.0.2", false),
    ];
    for (host, ip, permitted) in cases {
        assert_eq!(allow(host, ip.parse().unwrap()).is_ok(), permitted, "{host} at {ip}");
    }
}
