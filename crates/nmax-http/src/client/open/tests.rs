use std::sync::Arc;
use std::time::{Duration, Instant};

use nmax_metrics::Nanos;
use tokio::net::{TcpListener, TcpSocket};

use super::*;
use crate::connection::{Config, PhaseLimits};

/// Real time: what is waited for is the kernel.
#[derive(Clone)]
struct Real(Instant);

impl Clock for Real {
    #[allow(clippy::disallowed_methods)]
    fn now(&self) -> Nanos {
        Nanos::from(self.0.elapsed())
    }
}

#[allow(clippy::disallowed_methods)]
fn shared(connect: Option<Nanos>) -> Shared<Real> {
    let config = Config {
        phase_limits: PhaseLimits { connect, ..PhaseLimits::default() },
        ..Config::new(Arc::new(|_, _| Ok(())))
    };
    Shared::new(config, Real(Instant::now())).unwrap()
}

fn route(places: &[SocketAddr]) -> Route {
    Route { places: places.to_vec(), source_turn: 0, ttl: None }
}

fn deadline(shared: &Shared<Real>) -> Option<Deadline> {
    Deadline::for_phase(Phase::Connect, &shared.config.phase_limits, shared.clock.now())
}

/// Does what a caller of clients does: polls again when the alarm rings.
async fn alarmed<T>(shared: &Shared<Real>, alarm: &Alarm, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        match tokio::time::timeout(Duration::from_millis(5), work.as_mut()).await {
            Ok(done) => return done,
            Err(_) => assert!(
                alarm.get().is_some_and(|at| at > shared.clock.now() - Nanos::from_secs(1)),
                "an alarm is set, and not long past"
            ),
        }
    }
}

/// An address whose queue of connections is full: it neither takes the next one nor refuses it.
async fn silent(port: u16) -> (TcpListener, Vec<tokio::net::TcpStream>) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new([127, 0, 0, 2].into(), port)).unwrap();
    let listener = socket.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let mut queued = Vec::new();
    while let Ok(stream) =
        tokio::time::timeout(Duration::from_millis(50), tokio::net::TcpStream::connect(address)).await
    {
        queued.push(stream.unwrap());
    }
    (listener, queued)
}

#[tokio::test]
async fn the_next_address_is_tried_and_the_first_one_is_to_blame() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listening = listener.local_addr().unwrap();
    let refusing = SocketAddr::new([127, 0, 0, 2].into(), listening.port());
    let other = SocketAddr::new([127, 0, 0, 3].into(), listening.port());
    let shared = shared(None);
    let alarm = Alarm::default();
    let unlimited = Limit { alarm: &alarm, deadline: None };
    let ((stream, _), peer) = shared.first_of(&route(&[refusing, listening]), unlimited).await.unwrap();
    assert_eq!(
        (SocketAddr::try_from(rustix::net::getpeername(&stream).unwrap().unwrap()).unwrap(), peer),
        (listening, listening)
    );
    let failure = shared.first_of(&route(&[refusing, other]), unlimited).await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Connect);
    assert!(failure.text.starts_with("127.0.0.2:"), "{}", failure.text);
}

/// Only where another address took the connection: otherwise the failure says it.
#[tokio::test]
async fn an_address_that_refuses_is_passed_over_and_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listening = listener.local_addr().unwrap();
    let refusing = SocketAddr::new([127, 0, 0, 2].into(), listening.port());
    let shared = shared(None);
    let alarm = Alarm::default();
    let unlimited = Limit { alarm: &alarm, deadline: None };
    shared.first_of(&route(&[refusing]), unlimited).await.unwrap_err();
    shared.first_of(&route(&[listening, refusing]), unlimited).await.unwrap();
    assert_eq!(shared.take_notes(false).passed_over, []);
    for _ in 0..3 {
        shared.first_of(&route(&[refusing, listening]), unlimited).await.unwrap();
    }
    assert_eq!(shared.take_notes(false).passed_over, [(refusing.ip(), 3)]);
    assert_eq!(shared.take_notes(false).passed_over, [], "told once");
}

#[tokio::test]
async fn a_silent_address_takes_only_its_share_of_the_connect_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listening = listener.local_addr().unwrap();
    let (_listener, queued) = silent(listening.port()).await;
    let silent = SocketAddr::new([127, 0, 0, 2].into(), listening.port());
    assert!(!queued.is_empty());
    let shared = shared(Some(Nanos::from_secs(2)));
    let alarm = Alarm::default();
    let limited = || Limit { alarm: &alarm, deadline: deadline(&shared) };
    let both = route(&[silent, listening]);
    let connected = alarmed(&shared, &alarm, shared.first_of(&both, limited())).await;
    assert_eq!(connected.unwrap().1, listening);
    assert_eq!(shared.take_notes(false).passed_over, [(silent.ip(), 1)]);
    // Where nobody answers, it is the limit that ended it, and not before its time.
    let begun = shared.clock.now();
    let nobody = route(&[silent, silent]);
    let failure = alarmed(&shared, &alarm, shared.first_of(&nobody, limited())).await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Timeout);
    assert!(failure.text.contains("within 2s"), "{}", failure.text);
    assert!(shared.clock.now().since(begun) >= Nanos::from_secs(2));
}
