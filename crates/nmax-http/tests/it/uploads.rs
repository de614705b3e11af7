//! Requests in pieces: files, and the wait for `100 Continue`.

use std::fs::File;
use std::future::poll_fn;
use std::io::{Read, Write};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use nmax_http::{Config, Exchange, Origin, Piece, Request, RequestText, Scheme};
use nmax_metrics::{Code, ErrorKind, Nanos};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::server::{
    GET, by_alarm, client, client_by_hand, client_with, config, get, origin, pause, read_request, serve, text_of,
};
use crate::tls::{acceptor, serve_over};

const TINY: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
/// More than a socket takes at once, and no multiple of any buffer.
const SIZE: usize = 5_000_011;
/// More than a server reads in a test.
const LARGE_BYTES: u64 = 1 << 30;

/// A file without a name that holds `bytes`.
fn file_of(bytes: &[u8]) -> File {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("nmax-http-{}-{number}", std::process::id()));
    let mut file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn pattern() -> Vec<u8> {
    (0..SIZE as u32).map(|i| (i % 251) as u8).collect()
}

/// Takes `size` bytes per request, keeps them, and answers.
async fn take_uploads(mut stream: impl AsyncRead + AsyncWrite + Unpin, size: usize, log: Arc<Mutex<Vec<u8>>>) {
    let mut request = vec![0; size];
    while stream.read_exact(&mut request).await.is_ok() {
        log.lock().unwrap().extend_from_slice(&request);
        stream.write_all(TINY).await.unwrap();
        stream.flush().await.unwrap();
    }
}

/// Over plain connections and over TLS, whose library takes bytes in parts of its own.
#[tokio::test]
async fn pieces_go_out_in_order_and_are_counted() {
    let content = pattern();
    let file = file_of(&content);
    let rest = [
        Piece::Bytes(b"--b\r\n"),
        Piece::File { name: "p.bin", file: &file, length: SIZE as u64 },
        Piece::Bytes(b""),
        Piece::File { name: "p.bin", file: &file, length: 3 },
        Piece::Bytes(b"--b--"),
    ];
    let expected = [GET, b"--b\r\n", &content, &content[..3], b"--b--"].concat();
    let size = expected.len();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (plain_log, tls_log) = (Arc::clone(&seen), Arc::clone(&seen));
    let (plain, _) = serve(move |stream, _| take_uploads(stream, size, Arc::clone(&plain_log))).await;
    let (acceptor, issuer) = acceptor("127.0.0.1", 4000);
    let (over_tls, _) = serve_over(acceptor, move |stream| take_uploads(stream, size, Arc::clone(&tls_log))).await;
    let mut client = client_with(Config { ca_pem: vec![issuer], ..config() });
    for (origin, open) in [(&plain, 1), (&plain, 1), (&over_tls, 2), (&over_tls, 2)] {
        let request = Request { rest: &rest, ..get(origin) };
        let exchange = client.exchange(&request).await;
        assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
        assert_eq!(exchange.bytes_sent, size as u64);
        assert_eq!(client.open_connections(), open);
        let got = std::mem::take(&mut *seen.lock().unwrap());
        assert!(got == expected, "the server got something else");
    }
}

/// A file of which less is left than the head promised: the server would wait for the rest for ever.
#[tokio::test]
async fn a_file_that_became_shorter_is_the_injectors_error() {
    let file = file_of(b"abc");
    let rest = [Piece::File { name: "photo.jpg", file: &file, length: 4 }];
    let (origin, _) = serve(|stream, _| take_uploads(stream, 1000, Arc::default())).await;
    let mut client = client();
    let exchange = client.exchange(&Request { rest: &rest, ..get(&origin) }).await;
    let failure = exchange.error.unwrap();
    assert_eq!(failure.kind, ErrorKind::Injector);
    assert!(failure.text.starts_with("photo.jpg: "), "{}", failure.text);
    assert_eq!((exchange.bytes_sent, client.open_connections()), (GET.len() as u64 + 3, 0));
}

/// A file of [`LARGE_BYTES`] that needs no room on the disk.
fn large_file() -> File {
    let file = file_of(b"");
    file.set_len(LARGE_BYTES).unwrap();
    file
}

fn large(file: &File) -> Piece<'_> {
    Piece::File { name: "large", file, length: LARGE_BYTES }
}

/// An upload shares its thread: one poll sends a bounded part of it, however fast the network is.
#[tokio::test]
async fn an_upload_leaves_room_for_others() {
    let file = large_file();
    let rest = [large(&file)];
    // The server reads on a thread of its own, so a greedy client could go on for long.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let reader = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; GET.len()]).unwrap();
        stream.write_all(TINY).unwrap();
        std::io::copy(&mut stream, &mut std::io::sink()).ok();
    });
    let origin = origin(Scheme::Http, "127.0.0.1", port);
    let mut client = client();
    assert_eq!(client.exchange(&get(&origin)).await.status, Some(Code::new(200)));
    let request = Request { rest: &rest, ..get(&origin) };
    {
        let mut exchange = pin!(client.exchange(&request));
        poll_fn(|cx| {
            assert!(exchange.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
    }
    let sent = client.abandon().bytes_sent;
    assert!((1..512 * 1024).contains(&sent), "one poll sent {sent} bytes");
    client.close();
    reader.join().unwrap();
}

/// The server closes as the second upload arrives: the third connection gets it whole.
#[tokio::test]
async fn a_repeated_upload_starts_from_the_beginning() {
    let content = pattern();
    let file = file_of(&content);
    let rest = [Piece::File { name: "p.bin", file: &file, length: SIZE as u64 }];
    let whole = [GET, &content].concat();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let size = whole.len();
    let (origin, accepted) = serve(move |mut stream, number| {
        let log = Arc::clone(&log);
        async move {
            if number == 0 {
                read_request(&mut stream).await;
                stream.write_all(TINY).await.unwrap();
                read_request(&mut stream).await;
                return;
            }
            let mut request = vec![0; size];
            stream.read_exact(&mut request).await.unwrap();
            *log.lock().unwrap() = request;
            stream.write_all(TINY).await.unwrap();
            pause().await;
        }
    })
    .await;
    let mut client = client();
    client.exchange(&get(&origin)).await;
    let exchange = client.exchange(&Request { rest: &rest, ..get(&origin) }).await;
    assert_eq!((exchange.status, exchange.retried, exchange.error), (Some(Code::new(200)), true, None));
    assert!(exchange.bytes_sent > whole.len() as u64, "both attempts count");
    assert_eq!(accepted.count(), 2);
    assert!(*seen.lock().unwrap() == whole, "the server got something else");
}

#[tokio::test]
async fn a_reply_before_the_upload_is_sent_ends_it() {
    let file = large_file();
    let rest = [large(&file)];
    let (origin, _) = serve(|mut stream, _| async move {
        read_request(&mut stream).await;
        let reply = b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n";
        stream.write_all(reply).await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    let mut client = client();
    let exchange = client.exchange(&Request { rest: &rest, ..get(&origin) }).await;
    assert_eq!((exchange.status, exchange.error), (Some(Code::new(413)), None));
    assert!(exchange.bytes_sent < LARGE_BYTES);
    assert!(exchange.send <= exchange.first_byte.unwrap().since(exchange.sent.unwrap()));
    assert_eq!(client.open_connections(), 0, "the server would take the rest for a request");
}

const HEAD: &[u8] = b"POST / HTTP/1.1\r\nhost: h\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n";
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A server that answers the head with each of `interim`, lets the client act on it, then reads a body of nine bytes
/// and answers; it notes what had come of the body before it was asked for.
async fn expecting(interim: &'static [&'static [u8]]) -> (Origin, Arc<Mutex<Vec<Vec<u8>>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let (origin, _) = serve(move |mut stream, _| {
        let log = Arc::clone(&log);
        async move {
            while read_request(&mut stream).await {
                pause().await;
                for reply in interim {
                    let mut early = [0; 9];
                    let length = stream.try_read(&mut early).unwrap_or(0);
                    log.lock().unwrap().push(early[..length].to_vec());
                    stream.write_all(reply).await.unwrap();
                    pause().await;
                }
                let mut body = [0; 9];
                if stream.read_exact(&mut body).await.is_err() {
                    return;
                }
                log.lock().unwrap().push(body.to_vec());
                stream.write_all(TINY).await.unwrap();
            }
        }
    })
    .await;
    (origin, seen)
}

/// `some body`, half of it in the same buffer as the head.
async fn post_with_pause(interim: &'static [&'static [u8]]) -> (Exchange, Vec<Nanos>, Vec<Vec<u8>>, usize) {
    let (origin, seen) = expecting(interim).await;
    let (mut client, _, clock, alarm) = client_by_hand(config());
    let text = text_of(&[HEAD, b"some "].concat());
    let request =
        Request { text: &text, rest: &[Piece::Bytes(b"body")], waits: true, idempotent: false, ..get(&origin) };
    let (exchange, visited) = by_alarm(&clock, &alarm, client.exchange(&request)).await;
    let seen = seen.lock().unwrap().clone();
    (exchange, visited, seen, client.open_connections())
}

#[tokio::test]
async fn the_body_waits_for_100_continue() {
    let (exchange, visited, seen, open) = post_with_pause(&[CONTINUE]).await;
    assert_eq!((exchange.status, exchange.informational, open), (Some(Code::new(200)), 1, 1));
    assert_eq!(seen, [&b""[..], b"some body"]);
    assert!(visited.is_empty(), "nothing but the reply let the body go: {visited:?}");
}

#[tokio::test]
async fn without_100_continue_the_body_goes_after_a_second() {
    let (exchange, visited, seen, open) = post_with_pause(&[]).await;
    assert_eq!((exchange.status, exchange.informational, open), (Some(Code::new(200)), 0, 1));
    assert_eq!((seen, visited), (vec![b"some body".to_vec()], vec![Nanos::from_secs(1)]));
    assert_eq!(exchange.send, Nanos::from_secs(1), "the pause is part of the sending");
}

#[tokio::test]
async fn early_hints_are_no_continue() {
    let (exchange, visited, seen, _) = post_with_pause(&[b"HTTP/1.1 103 Early Hints\r\n\r\n"]).await;
    assert_eq!((exchange.status, exchange.informational), (Some(Code::new(200)), 1));
    assert_eq!(seen, [&b""[..], b"some body"]);
    assert_eq!(visited, [Nanos::from_secs(1)], "103 let the body go");
}

/// More than the kernel takes at once, so the server speaks before all of it is sent.
#[tokio::test]
async fn a_100_continue_in_the_middle_of_the_head_is_heard() {
    const HEAD_BYTES: usize = 16 << 20;
    let (origin, _) = serve(|mut stream, _| async move {
        stream.write_all(CONTINUE).await.unwrap();
        pause().await;
        let mut request = vec![0; HEAD_BYTES + 4];
        stream.read_exact(&mut request).await.unwrap();
        stream.write_all(TINY).await.unwrap();
        pause().await;
    })
    .await;
    let mut client = client_by_hand(config()).0;
    let mut text = RequestText::new();
    text.begin(b"PUT", b"/", "HTTP/1.1");
    text.field("x-long", &vec![b'x'; HEAD_BYTES - text.bytes().len() - b"x-long: \r\n\r\n".len()]);
    text.end(b"body");
    assert_eq!(text.bytes().len(), HEAD_BYTES + 4);
    let request = Request { text: &text, waits: true, ..get(&origin) };
    let exchange = tokio::time::timeout(Duration::from_secs(60), client.exchange(&request)).await;
    let exchange = exchange.expect("time stands still, so only the server lets the body go");
    assert_eq!((exchange.status, exchange.informational), (Some(Code::new(200)), 1));
}

#[tokio::test]
async fn a_late_100_continue_is_skipped() {
    let (origin, _) = serve(|mut stream, _| async move {
        read_request(&mut stream).await;
        stream.read_exact(&mut [0; 9]).await.unwrap();
        stream.write_all(&[CONTINUE, TINY].concat()).await.unwrap();
        pause().await;
    })
    .await;
    let (mut client, _, clock, alarm) = client_by_hand(config());
    let text = text_of(&[HEAD, b"some body"].concat());
    let request = Request { text: &text, waits: true, ..get(&origin) };
    let (exchange, _) = by_alarm(&clock, &alarm, client.exchange(&request)).await;
    assert_eq!((exchange.status, exchange.informational), (Some(Code::new(200)), 1));
    assert_eq!(client.reply().body(), b"ok");
}

/// A final reply in place of 100: the body stays here, and the connection cannot be used again, because the server
/// may still wait for the body.
#[tokio::test]
async fn a_final_reply_in_place_of_100_continue_keeps_the_body_back() {
    for reply in [
        &b"HTTP/1.1 417 Expectation Failed\r\ncontent-length: 0\r\n\r\n"[..],
        b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno",
        b"HTTP/1.1 307 Temporary Redirect\r\nlocation: /x\r\ncontent-length: 0\r\n\r\n",
    ] {
        let (origin, _) = serve(move |mut stream, _| async move {
            read_request(&mut stream).await;
            stream.write_all(reply).await.unwrap();
            std::future::pending::<()>().await;
        })
        .await;
        let mut client = client();
        let text = text_of(&[HEAD, b"some body"].concat());
        let request = Request { text: &text, waits: true, ..get(&origin) };
        let exchange = client.exchange(&request).await;
        assert!(exchange.status.unwrap() >= Code::new(300) && exchange.error.is_none());
        assert_eq!(exchange.bytes_sent, HEAD.len() as u64);
        assert_eq!(client.open_connections(), 0);
    }
}

/// A refusal that takes longer than the wait: once it has begun, the body does not follow.
#[tokio::test]
async fn a_refusal_that_began_keeps_the_body_back() {
    let (origin, _) = serve(|mut stream, _| async move {
        read_request(&mut stream).await;
        let head = b"HTTP/1.1 413 Content Too Large\r\ncontent-length: 2\r\n\r\n";
        stream.write_all(head).await.unwrap();
        for byte in [b"n", b"o"] {
            pause().await;
            stream.write_all(byte).await.unwrap();
        }
        std::future::pending::<()>().await;
    })
    .await;
    let (mut client, _, clock, _) = client_by_hand(config());
    let text = text_of(&[HEAD, b"some body"].concat());
    let request = Request { text: &text, waits: true, ..get(&origin) };
    let late = async {
        pause().await;
        clock.set(Nanos::from_secs(30));
        std::future::pending::<()>().await;
    };
    let exchange = tokio::select! {
        exchange = client.exchange(&request) => exchange,
        () = late => unreachable!("it never ends"),
    };
    assert_eq!((exchange.status, exchange.bytes_sent), (Some(Code::new(413)), HEAD.len() as u64));
}
