//! Servers of a few lines, and the client under test.

use std::cell::Cell;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use nmax_http::{Alarm, Client, Config, Exchange, KeepBody, Origin, Request, RequestText, Scheme, Shared};
use nmax_metrics::{Clock, Nanos};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A clock that only counts its readings, so tests need no wall time.
#[derive(Clone, Default)]
pub(crate) struct Readings(Rc<Cell<u64>>);

impl Readings {
    pub(crate) fn count(&self) -> u64 {
        self.0.get()
    }
}

impl Clock for Readings {
    fn now(&self) -> Nanos {
        self.0.set(self.0.get() + 1);
        Nanos(self.0.get())
    }
}

/// A clock that a test sets by hand.
#[derive(Clone, Default)]
pub(crate) struct Hand(Rc<Cell<Nanos>>);

impl Hand {
    pub(crate) fn set(&self, at: Nanos) {
        self.0.set(at);
    }
}

impl Clock for Hand {
    fn now(&self) -> Nanos {
        self.0.get()
    }
}

/// Waits for an exchange. Whenever nothing happens any more, goes on to the instant that the client waits for.
///
/// Several short pauses and not a long one: after each, all tasks of the thread had a turn, so a machine that stood
/// still meanwhile is not taken for an exchange that does.
///
/// Returns the instants gone to, too.
pub(crate) async fn by_alarm(
    clock: &Hand,
    alarm: &Alarm,
    exchange: impl Future<Output = Exchange>,
) -> (Exchange, Vec<Nanos>) {
    let mut exchange = std::pin::pin!(exchange);
    let mut visited = Vec::new();
    loop {
        tokio::select! {
            exchange = &mut exchange => return (exchange, visited),
            () = pauses(5) => {}
        }
        let at = alarm.get().expect("an exchange that hangs has set its alarm");
        assert!(at < Nanos::MAX && at > clock.now(), "an exchange hangs with alarm {at:?}");
        visited.push(at);
        clock.set(at);
    }
}

/// Connections that a server accepted.
#[derive(Clone, Default)]
pub(crate) struct Accepted(Arc<AtomicUsize>);

impl Accepted {
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Starts a server; `talk` gets each connection and its number, from 0.
pub(crate) async fn serve<F, T>(talk: F) -> (Origin, Accepted)
where
    F: Fn(TcpStream, usize) -> T + Send + 'static,
    T: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let accepted = Accepted::default();
    let counter = accepted.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let number = counter.0.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(talk(stream, number));
        }
    });
    (origin(Scheme::Http, "127.0.0.1", port), accepted)
}

/// A server that answers every request of a connection with the same bytes.
pub(crate) async fn serve_always(reply: &'static str) -> (Origin, Accepted) {
    serve(move |stream, _| answer_always(stream, reply)).await
}

/// A server that answers one request per connection with `pieces`, each as its own segment, and closes.
pub(crate) async fn serve_once(pieces: &'static [&'static str]) -> (Origin, Accepted) {
    serve(move |mut stream, _| async move {
        read_request(&mut stream).await;
        for piece in pieces {
            stream.write_all(piece.as_bytes()).await.unwrap();
            pause().await;
        }
    })
    .await
}

pub(crate) async fn answer_always(mut stream: impl AsyncRead + AsyncWrite + Unpin, reply: &str) {
    while read_request(&mut stream).await {
        stream.write_all(reply.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
    }
}

/// Reads to the end of a request's head; false when the client closed.
pub(crate) async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> bool {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return false,
        }
    }
    true
}

/// Long enough for the kernel to pass on what was written.
const PAUSE: Duration = Duration::from_millis(10);
/// Turns of all tasks of the thread in a pause; no chain of writes and reads in a test is longer.
const TURNS: usize = 20;

pub(crate) async fn pauses(count: usize) {
    for _ in 0..count {
        pause().await;
    }
}

/// Gives everything on this thread its turns.
///
/// A machine that stands still lets time pass and no task work, so turns are counted: each ends with a look at the
/// sockets.
pub(crate) async fn pause() {
    tokio::time::sleep(PAUSE).await;
    for _ in 0..TURNS {
        tokio::task::yield_now().await;
    }
}

/// Lets an exchange get as far as it can, and gives it up; it must not end.
pub(crate) async fn give_up(exchange: impl Future<Output = Exchange>) {
    tokio::select! {
        ended = exchange => panic!("it ended: {ended:?}"),
        () = pauses(3) => {}
    }
}

pub(crate) fn origin(scheme: Scheme, host: &str, port: u16) -> Origin {
    Origin { scheme, host: host.into(), port }
}

pub(crate) fn config() -> Config {
    Config::new(Arc::new(|_: &str, _: IpAddr| Ok(())))
}

pub(crate) fn client_with(config: Config) -> Client<Readings> {
    Client::new(Rc::new(Shared::new(config, Readings::default()).unwrap()), Alarm::default())
}

/// A client whose time stands still until the test moves it, with its settings and its alarm.
pub(crate) fn client_by_hand(config: Config) -> (Client<Hand>, Rc<Shared<Hand>>, Hand, Alarm) {
    let (clock, alarm) = (Hand::default(), Alarm::default());
    let shared = Rc::new(Shared::new(config, clock.clone()).unwrap());
    let client = Client::new(Rc::clone(&shared), Rc::clone(&alarm));
    (client, shared, clock, alarm)
}

pub(crate) fn client() -> Client<Readings> {
    client_with(config())
}

pub(crate) const GET: &[u8] = b"GET / HTTP/1.1\r\nhost: h\r\n\r\n";

/// The request that these bytes are.
pub(crate) fn text_of(bytes: &[u8]) -> RequestText {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a whole head");
    let mut lines = std::str::from_utf8(&bytes[..end]).unwrap().split("\r\n");
    let mut words = lines.next().unwrap().split(' ').map(str::as_bytes);
    let mut text = RequestText::new();
    text.begin(words.next().unwrap(), words.next().unwrap(), "HTTP/1.1");
    for (name, value) in lines.map(|line| line.split_once(": ").unwrap()) {
        text.field(name, value.as_bytes());
    }
    text.end(&bytes[end + 4..]);
    assert!(text.bytes() == bytes, "the request is another one");
    text
}

/// [`GET`] with a body of so many bytes that they are so many in all.
pub(crate) fn sized(bytes: usize) -> RequestText {
    let mut whole = GET.to_vec();
    whole.resize(bytes, b'x');
    text_of(&whole)
}

/// A plain GET that keeps the connection and the body.
pub(crate) fn get(origin: &Origin) -> Request<'_> {
    static GET_TEXT: LazyLock<RequestText> = LazyLock::new(|| text_of(GET));
    Request {
        origin,
        text: &GET_TEXT,
        rest: &[],
        waits: false,
        is_head: false,
        idempotent: true,
        keep_alive: true,
        keep_body: KeepBody::UpTo(usize::MAX),
    }
}
