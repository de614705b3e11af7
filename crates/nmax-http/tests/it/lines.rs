//! Lines over real sockets, in a time that the test moves: what is waited for is what the line says.

use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use nmax_http::line::{Line, LineRules};
use nmax_http::{Alarm, Client, Config, Exchange, Request};
use nmax_metrics::{Clock, Code, Nanos};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::server::{GET, Hand, client_by_hand, config, get, read_request, serve, serve_always, text_of};
use crate::tls::{acceptor, serve_over};

const TINY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// 256 kbit/s down, 64 kbit/s up, 60 ms away.
const ADSL: LineRules = LineRules {
    down_bytes_per_s: Some(32_000.0),
    up_bytes_per_s: Some(8_000.0),
    round_trip: Nanos::from_millis(60),
    jitter: Nanos::ZERO,
};

/// A visitor at the end of a line.
fn visitor(config: Config, rules: LineRules) -> (Client<Hand>, Hand, Alarm) {
    let (mut client, _, clock, alarm) = client_by_hand(config);
    client.set_line(Some(Rc::new(Line::new(rules, clock.clone(), || 0.0))));
    (client, clock, alarm)
}

/// An exchange under way, and its alarm.
type Waiting<'a> = (&'a Alarm, Pin<Box<dyn Future<Output = Exchange> + 'a>>);

/// Waits for all exchanges. Whenever nothing happens any more, goes on to the first instant that one waits for.
async fn all<'a>(clock: &Hand, exchanges: Vec<Waiting<'a>>) -> Vec<Exchange> {
    let (alarms, futures): (Vec<_>, Vec<_>) = exchanges.into_iter().unzip();
    let mut running: Vec<_> = futures.into_iter().map(Some).collect();
    let mut ended: Vec<Option<Exchange>> = running.iter().map(|_| None).collect();
    loop {
        let poll_all = std::future::poll_fn(|cx| {
            for (future, end) in running.iter_mut().zip(&mut ended) {
                if let Some(Poll::Ready(exchange)) = future.as_mut().map(|future| future.as_mut().poll(cx)) {
                    (*future, *end) = (None, Some(exchange));
                }
            }
            if running.iter().all(Option::is_none) { Poll::Ready(()) } else { Poll::Pending }
        });
        tokio::select! {
            () = poll_all => return ended.into_iter().flatten().collect(),
            () = quiet() => {}
        }
        let waiting = alarms.iter().zip(&running).filter(|(_, future)| future.is_some());
        let next = waiting.filter_map(|(alarm, _)| alarm.get()).min();
        let next = next.expect("an exchange that hangs has set its alarm");
        assert!(next > clock.now() && next < Nanos::MAX, "an exchange hangs at {:?} with {next:?}", clock.now());
        clock.set(next);
    }
}

/// Everything on this thread and its loopback had several turns.
async fn quiet() {
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(1)).await;
        // Turns and not only time: a machine that stands still lets nobody work.
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
}

async fn one(clock: &Hand, alarm: &Alarm, client: &mut Client<Hand>, request: &Request<'_>) -> Exchange {
    all(clock, vec![(alarm, Box::pin(client.exchange(request)))]).await.remove(0)
}

/// A server whose replies have a body of so many bytes, and the bytes of such a reply.
async fn serve_bytes(length: usize) -> (nmax_http::Origin, f64) {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
    let whole = (head.len() + length) as f64;
    let (origin, _) = serve(move |mut stream, _| {
        let head = head.clone();
        async move {
            while read_request(&mut stream).await {
                let reply = [head.as_bytes(), &vec![b'x'; length]].concat();
                if stream.write_all(&reply).await.is_err() {
                    return;
                }
            }
        }
    })
    .await;
    (origin, whole)
}

fn seconds(at: Nanos) -> f64 {
    at.0 as f64 / 1e9
}

/// A round trip to connect, one for the request, and the bytes each way at their rates. Nothing else takes time here.
#[tokio::test(flavor = "current_thread")]
async fn a_download_takes_what_the_line_takes() {
    let (origin, reply_bytes) = serve_bytes(64 * 1024).await;
    let (mut client, clock, alarm) = visitor(config(), ADSL);
    let exchange = one(&clock, &alarm, &mut client, &get(&origin)).await;
    assert_eq!((exchange.status, &exchange.error), (Some(Code::new(200)), &None));
    assert_eq!(exchange.network.connect, Nanos::from_millis(60));
    assert_eq!(exchange.sent, Some(Nanos::from_millis(60)));
    let request_s = 0.060 + GET.len() as f64 / 8_000.0;
    let took_s = seconds(exchange.done.since(exchange.sent.unwrap()));
    let want_s = request_s + reply_bytes / 32_000.0;
    assert!(want_s > 2.1 && (took_s - want_s).abs() < 0.01, "{took_s} s, not {want_s} s");
    let first_s = seconds(exchange.first_byte.unwrap().since(exchange.sent.unwrap()));
    let packet_s = 1448.0 / 32_000.0;
    assert!(first_s >= request_s && first_s <= request_s + packet_s + 0.01, "{first_s} s");
    assert_eq!(client.reply().body().len(), 64 * 1024);

    let begun = clock.now();
    let again = one(&clock, &alarm, &mut client, &get(&origin)).await;
    let took_s = seconds(again.done.since(begun));
    assert!(again.opened.is_none() && (took_s - want_s).abs() < 0.01, "{took_s} s on a kept connection");
}

/// Downloads at the same time share the line evenly: each of three takes as long as all three in a row.
#[tokio::test(flavor = "current_thread")]
async fn downloads_share_the_line() {
    let (origin, reply_bytes) = serve_bytes(20_000).await;
    let (mut first, clock, alarm) = visitor(config(), ADSL);
    let alarms = [Alarm::default(), Alarm::default()];
    let [mut second, mut third] = alarms.each_ref().map(|alarm| first.sibling(Rc::clone(alarm)));
    let request = get(&origin);
    let ended = all(
        &clock,
        vec![
            (&alarm, Box::pin(first.exchange(&request))),
            (&alarms[0], Box::pin(second.exchange(&request))),
            (&alarms[1], Box::pin(third.exchange(&request))),
        ],
    )
    .await;
    let all_s = 0.120 + 3.0 * GET.len() as f64 / 8_000.0 + 3.0 * reply_bytes / 32_000.0;
    let took_s: Vec<f64> = ended.iter().map(|exchange| seconds(exchange.done)).collect();
    let last_s = took_s.iter().copied().fold(0.0, f64::max);
    assert!((last_s - all_s).abs() < 0.03, "{took_s:?}, all in {all_s} s");
    let first_s = took_s.iter().copied().fold(f64::MAX, f64::min);
    assert!(all_s - first_s < 8.0 * 1448.0 / 32_000.0, "one was preferred: {took_s:?}, all in {all_s} s");
}

/// A body goes up at the rate of its direction, and more of it than a send buffer holds is waited for.
#[tokio::test(flavor = "current_thread")]
async fn an_upload_takes_what_the_line_takes() {
    const BODY: usize = 100_000;
    let (origin, _) = serve(|mut stream, _| async move {
        read_request(&mut stream).await;
        let mut body = vec![0; BODY];
        if stream.read_exact(&mut body).await.is_ok() {
            let _ = stream.write_all(TINY.as_bytes()).await;
        }
    })
    .await;
    let head = format!("POST / HTTP/1.1\r\nhost: h\r\ncontent-length: {BODY}\r\n\r\n");
    let text = text_of(&[head.as_bytes(), &[b'y'; BODY]].concat());
    let rules = LineRules { up_bytes_per_s: Some(100_000.0), ..ADSL };
    let (mut client, clock, alarm) = visitor(config(), rules);
    let request = Request { text: &text, ..get(&origin) };
    let exchange = one(&clock, &alarm, &mut client, &request).await;
    assert_eq!((exchange.status, &exchange.error), (Some(Code::new(200)), &None));
    let want_s = 0.120 + text.bytes().len() as f64 / 100_000.0 + TINY.len() as f64 / 32_000.0;
    assert!((seconds(exchange.done) - want_s).abs() < 0.01, "{:?}, not {want_s} s", exchange.done);
    let send_s = seconds(exchange.send);
    assert!(send_s > 0.3 && send_s < 0.4, "all but 64 KiB leave the visitor first: {send_s} s");
}

/// The handshake goes over the line too: its round trip, and its bytes with the certificate.
#[tokio::test(flavor = "current_thread")]
async fn handshakes_take_round_trips() {
    let (acceptor, issuer) = acceptor("127.0.0.1", 4000);
    let (origin, _) = serve_over(acceptor, |stream| crate::server::answer_always(stream, TINY)).await;
    let trusting = Config { ca_pem: vec![issuer], ..config() };
    let (mut client, clock, alarm) = visitor(trusting, ADSL);
    let exchange = one(&clock, &alarm, &mut client, &get(&origin)).await;
    assert_eq!((exchange.status, &exchange.error), (Some(Code::new(200)), &None));
    let tls_s = seconds(exchange.network.tls);
    assert!(tls_s > 0.060 + 500.0 / 32_000.0 + 200.0 / 8_000.0 && tls_s < 0.3, "{tls_s} s");
    let took_s = seconds(exchange.done.since(exchange.sent.unwrap()));
    assert!(took_s > 0.060 + (TINY.len() + GET.len()) as f64 / 32_000.0 && took_s < 0.2, "{took_s} s");
    let again = one(&clock, &alarm, &mut client, &get(&origin)).await;
    assert_eq!((again.status, again.opened), (Some(Code::new(200)), None));
}

/// A server that closed a kept connection is noticed before anything is sent over it, as without a line.
#[tokio::test(flavor = "current_thread")]
async fn a_connection_that_was_closed_is_not_used() {
    let (origin, accepted) = serve(|mut stream, _| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(TINY.as_bytes()).await;
    })
    .await;
    let (mut client, clock, alarm) = visitor(config(), ADSL);
    for round in 1..=3 {
        let exchange = one(&clock, &alarm, &mut client, &get(&origin)).await;
        assert_eq!((exchange.status, exchange.retried), (Some(Code::new(200)), false), "round {round}");
        quiet().await;
        assert_eq!(accepted.count(), round);
    }
}

/// A visitor who moves takes no connection along.
#[tokio::test(flavor = "current_thread")]
async fn who_moves_connects_again() {
    let (origin, accepted) = serve_always(TINY).await;
    let (mut client, clock, alarm) = visitor(config(), ADSL);
    one(&clock, &alarm, &mut client, &get(&origin)).await;
    client.set_line(None);
    assert_eq!(client.open_connections(), 0);
    let begun = clock.now();
    let exchange = client.exchange(&get(&origin)).await;
    assert_eq!((exchange.status, exchange.done), (Some(Code::new(200)), begun), "no line takes no time");
    assert_eq!(accepted.count(), 2);
}

/// A line that ends in a limit of a phase says whose it was.
#[tokio::test(flavor = "current_thread")]
async fn limits_of_phases_hold_over_a_line() {
    let (origin, _) = serve_bytes(64 * 1024).await;
    let limited = Config {
        phase_limits: nmax_http::PhaseLimits {
            receive: Some(Nanos::from_secs(1)),
            ..nmax_http::PhaseLimits::default()
        },
        ..config()
    };
    let (mut client, clock, alarm) = visitor(limited, ADSL);
    let exchange = one(&clock, &alarm, &mut client, &get(&origin)).await;
    let failure = exchange.error.expect("two seconds are too many");
    assert!(failure.text.contains("limit of phase receive"), "{}", failure.text);
    let took = exchange.done.since(exchange.first_byte.unwrap());
    assert!(took >= Nanos::from_secs(1) && took < Nanos::from_millis(1_100), "{took:?}");
}
