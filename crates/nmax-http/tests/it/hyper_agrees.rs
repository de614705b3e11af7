//! The codec against hyper's client, which shares no framing code with it: generated replies, whole and a little
//! broken, cut at any place.
//!
//! Law: what hyper takes, we take with the same status, headers, body and persistence; what it refuses, we refuse.
//! The exceptions are those of [`STRICTER`], [`MORE_LENIENT`] and [`reason_to_differ`], each on purpose.

use std::cell::Cell;
use std::rc::Rc;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use nmax_http::KeepBody;
use nmax_http::codec::{CodecError, Expected, Receiver};
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::runtime::Runtime;
use tokio::task::{LocalSet, spawn_local, yield_now};

/// Turns of the scheduler after which everything that can happen without more bytes has happened.
const SETTLE_TURNS: usize = 20;

/// What a client makes of a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Seen {
    status: u16,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
    /// Another request may follow.
    persistent: bool,
}

/// Ours: pieces of the given sizes in turn, then the end.
fn by_nmax(stream: &[u8], sizes: &[usize], is_head: bool) -> Result<Seen, CodecError> {
    let mut receiver = Receiver::new();
    receiver.start(Expected {
        is_head,
        keep_body: KeepBody::UpTo(usize::MAX),
        body_limit: u64::MAX,
        decode: false,
        keep_failed_bytes: 0,
    });
    let mut is_complete = false;
    for piece in pieces(stream, sizes) {
        is_complete = receiver.push(piece)?;
    }
    if !is_complete {
        receiver.end()?;
    }
    let reply = receiver.reply();
    let headers = reply.headers().map(|(name, value)| (name.to_ascii_lowercase(), value.to_vec()));
    Ok(Seen {
        status: reply.status().unwrap(),
        headers: sorted(headers),
        body: reply.body().to_vec(),
        persistent: receiver.is_persistent(),
    })
}

fn pieces<'a>(stream: &'a [u8], sizes: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let (mut rest, mut sizes) = (stream, sizes.iter().cycle());
    std::iter::from_fn(move || {
        let size = sizes.next().map_or(rest.len(), |&size| size.min(rest.len()));
        let (piece, after) = rest.split_at(size);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// By name; repeated ones stay in their order.
fn sorted(headers: impl Iterator<Item = (String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
    let mut headers: Vec<_> = headers.collect();
    headers.sort_by(|a, b| a.0.cmp(&b.0));
    headers
}

/// Hyper's: the same pieces over a pipe in memory, on a runtime of one thread.
fn by_hyper(stream: &[u8], sizes: &[usize], is_head: bool) -> Result<Seen, hyper::Error> {
    let runtime: Runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    LocalSet::new().block_on(&runtime, async {
        let (client, mut server) = tokio::io::duplex(1 << 20);
        let (mut sender, connection) = http1::handshake(TokioIo::new(client)).await?;
        let connection = spawn_local(connection);
        let is_complete = Rc::new(Cell::new(false));
        let (complete, method) = (Rc::clone(&is_complete), if is_head { "HEAD" } else { "GET" });
        let exchange = spawn_local(async move {
            let request = hyper::Request::builder().method(method).body(Empty::<Bytes>::new()).unwrap();
            let reply = sender.send_request(request).await?;
            let (head, body) = reply.into_parts();
            let body = body.collect().await?.to_bytes().to_vec();
            complete.set(true);
            settle().await;
            let headers = head.headers.iter().map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
            Ok::<_, hyper::Error>(Seen {
                status: head.status.as_u16(),
                headers: sorted(headers),
                body,
                persistent: sender.is_ready(),
            })
        });
        serve(&mut server, stream, sizes).await;
        settle().await;
        settle().await;
        let needed_end = !is_complete.get();
        drop(server);
        let seen = exchange.await.unwrap()?;
        connection.abort();
        Ok(Seen { persistent: seen.persistent && !needed_end, ..seen })
    })
}

/// Waits for the request, then sends the stream piece by piece.
async fn serve(server: &mut DuplexStream, stream: &[u8], sizes: &[usize]) {
    let mut request = [0; 1024];
    assert!(server.read(&mut request).await.unwrap() > 0);
    for piece in pieces(stream, sizes) {
        if server.write_all(piece).await.is_err() {
            break;
        }
        yield_now().await;
        yield_now().await;
    }
}

async fn settle() {
    for _ in 0..SETTLE_TURNS {
        yield_now().await;
    }
}

/// Where we refuse what hyper takes, and why.
const STRICTER: [(CodecError, &str); 7] = [
    (
        CodecError::Surplus,
        "hyper takes the reply and drops the connection; a server that sends more than it says is counted",
    ),
    (CodecError::Switched, "hyper hands the bytes after 101 to whoever asked for the upgrade; nobody here does"),
    (CodecError::LengthAndTransferEncoding, "hyper ignores the length; two framings are how replies are smuggled"),
    (CodecError::ContentLength, "hyper ignores any length beside transfer-encoding, and empty items of a list"),
    (CodecError::ContentLengthConflict, "hyper ignores any length beside transfer-encoding"),
    (
        CodecError::TransferEncoding,
        "hyper looks at the last coding only, and reads to the end of the connection when it is not chunked",
    ),
    (CodecError::Chunk("a line feed alone in its trailers"), "hyper takes a line feed for a line end there"),
];

/// Where we take what hyper refuses, by its error, and why.
const MORE_LENIENT: [(&str, &str); 3] = [
    (
        "TransferEncodingUnexpected",
        "HTTP/1.0 with transfer-encoding is read as framed, then the connection closed (RFC 9112 section 6.1)",
    ),
    ("HeaderName", "trailers are skipped, not read"),
    ("HeaderValue", "trailers are skipped, not read"),
];

/// Why both take a reply and understand it in two ways.
fn reason_to_differ(ours: &Seen, theirs: &Seen, stream: &[u8]) -> Option<&'static str> {
    let values = |name: &'static str| ours.headers.iter().filter(move |(n, _)| n == name).map(|(_, value)| value);
    let has_coding = values("transfer-encoding").next().is_some();
    let persistent = ours.persistent;
    let alike_else = *ours == Seen { persistent, ..theirs.clone() };
    if alike_else && !persistent && has_coding && contains(stream, b"HTTP/1.0") {
        Some("transfer-encoding in HTTP/1.0 may mean nothing, so the connection is closed (RFC 9112 section 6.1)")
    } else if alike_else && values("connection").any(|value| !value.is_ascii()) {
        Some("hyper skips a whole connection line when one of its words is not text")
    } else if values("transfer-encoding").any(|value| value.trim_ascii_end().ends_with(b",")) {
        Some("hyper takes the empty item at the end of a list for a coding")
    } else {
        None
    }
}

fn contains(stream: &[u8], part: &[u8]) -> bool {
    stream.windows(part.len()).any(|window| window == part)
}

fn check(Stream(stream): &Stream, sizes: &[usize], is_head: bool) {
    let (ours, theirs) = (by_nmax(stream, sizes, is_head), by_hyper(stream, sizes, is_head));
    let shown = stream.escape_ascii();
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            if reason_to_differ(&ours, &theirs, stream).is_none() {
                assert_eq!(ours, theirs, "{shown}");
            }
        }
        (Err(_), Err(_)) => {}
        (Err(ours), Ok(theirs)) => {
            let is_known = STRICTER.iter().any(|(error, _)| *error == ours);
            assert!(is_known, "we say {ours:?}, hyper {theirs:?}: {shown}");
        }
        (Ok(ours), Err(theirs)) => {
            let error = format!("{theirs:?}");
            let is_known = MORE_LENIENT.iter().any(|(known, _)| error.contains(known));
            assert!(is_known, "we say {ours:?}, hyper {error}: {shown}");
        }
    }
}

/// A head line, mostly harmless.
fn line() -> impl Strategy<Value = String> {
    let other = ("x-[a-z]{1,3}", "([!-~]([ -~]{0,8}[!-~])?)?").prop_map(|(name, value)| format!("{name}: {value}"));
    let known = prop::sample::select(vec![
        "Connection: close", "connection: Keep-Alive", "connection: x, close", "Connection: keep-alive, x",
        "proxy-connection: close", "set-cookie: a=1, b", "set-cookie: c=2", "X-Content-Length: 1",
        "content-encoding: gzip", "trailer: x", "upgrade: x",
    ]);
    prop_oneof![2 => other, 1 => known.prop_map(str::to_owned)]
}

/// How the body is framed, as lines and bytes.
fn framing(body: Vec<u8>) -> impl Strategy<Value = (Vec<String>, Vec<u8>)> {
    let length = format!("Content-Length: {}", body.len());
    let in_chunks = body.clone();
    prop_oneof![
        3 => Just((vec![length.clone()], body.clone())),
        1 => Just((vec![length.clone(), length], body.clone())),
        1 => Just((vec![], body)),
        3 => (1..20_usize, prop::sample::select(vec!["", ";x", "; x=y", ";x=\"y\""]), prop::sample::select(vec!["", "t: 1\r\n"]), any::<bool>())
            .prop_map(move |(size, extension, trailer, is_upper)| {
                (vec!["Transfer-Encoding: chunked".to_owned()], chunked(&in_chunks, size, extension, trailer, is_upper))
            }),
    ]
}

fn chunked(body: &[u8], size: usize, extension: &str, trailer: &str, is_upper: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in body.chunks(size) {
        let size = if is_upper { format!("0{:X}", chunk.len()) } else { format!("{:x}", chunk.len()) };
        out.extend(format!("{size}{extension}\r\n").bytes());
        out.extend(chunk);
        out.extend(b"\r\n");
    }
    out.extend(format!("0{extension}\r\n{trailer}\r\n").bytes());
    out
}

/// A stream, printed as text when a law fails.
#[derive(Clone, PartialEq, Eq)]
struct Stream(Vec<u8>);

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}

/// A reply as a server should send it, to HEAD or to GET.
fn valid_reply() -> impl Strategy<Value = (Stream, bool)> {
    let status = prop_oneof![4 => 200..600_u16, 1 => Just(204), 1 => Just(304)];
    let framed = prop::collection::vec(any::<u8>(), 0..60).prop_flat_map(framing);
    let lines = prop::collection::vec(line(), 0..5);
    let (is_1_0, is_head) = (prop::bool::weighted(0.2), prop::bool::weighted(0.1));
    let parts = (0..3_usize, is_1_0, is_head, status, lines, framed);
    parts.prop_map(|(interim, is_1_0, is_head, status, mut lines, (framing, body))| {
        let mut out = b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n".repeat(interim);
        lines.extend(framing);
        let version = if is_1_0 { "HTTP/1.0" } else { "HTTP/1.1" };
        out.extend(format!("{version} {status} Some Reason\r\n{}\r\n\r\n", lines.join("\r\n")).bytes());
        if !is_head && !matches!(status, 204 | 304) {
            out.extend(body);
        }
        (Stream(out), is_head)
    })
}

/// One small harm done to a stream.
#[derive(Clone, Debug)]
enum Harm {
    None,
    Cut(prop::sample::Index),
    Change(prop::sample::Index, u8),
    Remove(prop::sample::Index),
    Insert(prop::sample::Index, &'static str),
}

impl Harm {
    fn apply(&self, Stream(stream): &Stream) -> Stream {
        let mut stream = stream.clone();
        match self {
            Self::None => {}
            Self::Cut(at) => stream.truncate(at.index(stream.len())),
            Self::Change(at, byte) => {
                let at = at.index(stream.len());
                stream[at] = *byte;
            }
            Self::Remove(at) => {
                stream.remove(at.index(stream.len()));
            }
            Self::Insert(at, text) => {
                let at = at.index(stream.len());
                stream.splice(at..at, text.bytes());
            }
        }
        Stream(stream)
    }
}

fn harm() -> impl Strategy<Value = Harm> {
    let texts = vec![
        "\r",
        "\n",
        "\r\n",
        " ",
        "0",
        ":",
        ",",
        "\0",
        "\r\nContent-Length: 3",
        "\r\nTransfer-Encoding: chunked",
        "\r\nTransfer-Encoding: gzip",
        "\r\nConnection: close",
        "\r\n folded",
    ];
    prop_oneof![
        3 => Just(Harm::None),
        1 => any::<prop::sample::Index>().prop_map(Harm::Cut),
        2 => (any::<prop::sample::Index>(), prop_oneof![any::<u8>(), prop::sample::select(b"\r\n :;,0a".to_vec())]).prop_map(|(at, byte)| Harm::Change(at, byte)),
        1 => any::<prop::sample::Index>().prop_map(Harm::Remove),
        3 => (any::<prop::sample::Index>(), prop::sample::select(texts)).prop_map(|(at, text)| Harm::Insert(at, text)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn hyper_and_codec_agree(
        (stream, is_head) in valid_reply(),
        harm in harm(),
        sizes in prop::collection::vec(1..60_usize, 0..5),
    ) {
        check(&harm.apply(&stream), &sizes, is_head);
    }
}
