#![allow(clippy::disallowed_methods, reason = "real sockets and processes")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use nmax_metrics::{Clock, Nanos};
use nmax_plan::plan::ObservedAddress;
use nmax_sources::Unit;
use nmax_sources::figures::BUSY_CORES;
use proptest::prelude::*;
use tokio::sync::oneshot;

use super::client::RemoteAgent;
use super::sampler::Ring;
use super::server::{Agent, AgentOptions, Endpoint};
use super::stamp::{HostClock, calendar};
use super::token::Token;
use super::wire::{Head, Shot};
use crate::source::{Reading, Source, Trouble};

/// An agent on a thread of the test's; dropping it ends both.
struct Running {
    address: Option<SocketAddr>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Running {
    fn start(place: Endpoint, token: Option<&str>) -> Self {
        let options = AgentOptions { endpoint: place, token: token.and_then(Token::new), processes: Vec::new() };
        let (end, ended) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let agent = Agent::bind(options).await.unwrap();
                tell.send(agent.address()).unwrap();
                let end = async {
                    let _ = ended.await;
                };
                agent.run(end, |_| ()).await;
            });
        });
        Self { address: told.recv().unwrap(), end: Some(end), thread: Some(thread) }
    }

    fn listening(token: Option<&str>) -> Self {
        Self::start(Endpoint::Listen("127.0.0.1:0".parse().unwrap()), token)
    }

    fn url(&self) -> String {
        format!("http://{}", self.address.unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.end.take().map(|end| end.send(()));
        let _ = self.thread.take().map(std::thread::JoinHandle::join);
    }
}

fn remote(url: &str, token: Option<&str>) -> RemoteAgent {
    RemoteAgent::new("db1", &ObservedAddress::At(url.to_owned()), token, &[])
}

/// Reads until something was read that fits, at most a minute.
fn until<T>(source: &mut RemoteAgent, origin: Nanos, fits: impl Fn(&Result<Vec<Reading>, Trouble>) -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(60);
    let mut last = None;
    while Instant::now() < end {
        let read = source.read(HostClock.now().since(origin));
        if let Some(found) = fits(&read) {
            return found;
        }
        last = Some(read);
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("not seen; the last reading was {last:?}");
}

fn busy(read: &Result<Vec<Reading>, Trouble>) -> Option<Reading> {
    let readings = read.as_ref().ok()?;
    let found = readings.iter().find(|reading| reading.metric == "busy_cores");
    found.cloned()
}

#[test]
fn an_agent_is_read_on_the_runs_clock() {
    // The run has gone on for a while, so that its clock is not the agent's.
    let origin = HostClock.now() - Nanos::from_secs(1_000);
    let begun = HostClock.now().since(origin);
    let agent = Running::listening(Some("s3cret"));
    let mut source = remote(&agent.url(), Some("s3cret"));
    let reading = until(&mut source, origin, busy);
    let now = HostClock.now().since(origin);
    let at = reading.at.unwrap();
    // An answer that is late lets the clock be a little off.
    assert!(at <= now && at + Nanos::from_secs(5) > begun, "{at:?} is not between {begun:?} and {now:?}");
    let (offset, error, cost) = until(&mut source, origin, |read| {
        let readings = read.as_ref().ok()?;
        let find = |metric: &str| {
            let found = readings.iter().find(|reading| reading.metric == metric)?;
            assert_eq!(found.source, "agent db1");
            Some(found.value)
        };
        Some((find("clock_offset_s")?, find("clock_error_s")?, find("cost_cores")?))
    });
    assert!(offset.abs() < 5.0 && (0.0..5.0).contains(&error), "same host: {offset} s off, {error} s");
    assert!(cost >= 0.0);
    assert!(source.events().is_empty(), "same calendar");
}

/// No reading comes twice, and none is missing: one for each second of the agent, as soon as the machine lets it work for
/// a few seconds on end.
#[test]
fn readings_come_once() {
    let agent = Running::listening(None);
    let mut source = remote(&agent.url(), None);
    let origin = HostClock.now();
    let mut at = Vec::new();
    let is_even = |at: &[Nanos]| {
        let is_a_second = |pair: &[Nanos]| (0.5..1.9).contains(&pair[1].since(pair[0]).as_secs_f64());
        at.windows(4).any(|some| some.windows(2).all(is_a_second))
    };
    let end = Instant::now() + Duration::from_secs(60);
    while !is_even(&at) && Instant::now() < end {
        let readings = source.read(HostClock.now().since(origin)).unwrap_or_default();
        let cores = readings.iter().filter(|reading| reading.metric == "cores_count");
        at.extend(cores.map(|reading| reading.at.unwrap()));
        std::thread::sleep(Duration::from_millis(300));
    }
    assert!(is_even(&at), "{at:?}");
    assert!(at.is_sorted_by(|before, after| before < after), "one came twice: {at:?}");
}

#[test]
fn a_wrong_token_lasts_and_is_not_repeated() {
    let agent = Running::listening(Some("s3cret"));
    for token in [None, Some("s3crey"), Some("s3cret2"), Some("s")] {
        let error = remote(&agent.url(), token).read(Nanos::ZERO).unwrap_err();
        assert!(error.is_final && error.text.contains("another token"), "{error}");
        assert!(!error.text.contains("s3c"), "{error}");
    }
    assert!(remote(&agent.url(), Some("s3cret")).read(Nanos::ZERO).is_ok());
}

#[test]
fn an_agent_that_is_started_again_comes_back() {
    let agent = Running::listening(None);
    let (address, url) = (agent.address.unwrap(), agent.url());
    let mut source = remote(&url, None);
    let origin = HostClock.now();
    until(&mut source, origin, busy);
    drop(agent);
    let lost = source.read(HostClock.now().since(origin)).unwrap_err();
    assert!(!lost.is_final && lost.text.contains("is `nmax agent` running there?"), "{lost}");
    let _again = Running::start(Endpoint::Listen(address), None);
    until(&mut source, origin, busy);
    let notes = source.notes();
    assert!(notes.iter().any(|note| note.contains("started again")), "{notes:?}");
}

#[test]
fn an_agent_that_calls_is_read_the_same_way() {
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let reach = ObservedAddress::Calls(address.to_string());
    let mut source = RemoteAgent::new("db1", &reach, Some("s3cret"), &[]);
    let origin = HostClock.now();
    let lost = source.read(Nanos::ZERO).unwrap_err();
    assert!(!lost.is_final && lost.text.contains("no agent calls"), "{lost}");
    let call = |name: Option<&str>, token| {
        let name = name.map(str::to_owned);
        let place = address.to_string();
        Running::start(Endpoint::Call { place, name }, Some(token))
    };
    let wrong = [call(None, "other"), call(Some("db2"), "s3cret")];
    // Who calls, and why it is refused; not that nobody calls.
    let words = [
        format!("what calls at {address} from 127.0.0.1 is an agent with another token than the plan's"),
        "an agent that calls itself `db2` and not `db1`".to_owned(),
    ];
    until(&mut source, origin, |read| {
        let text = &read.as_ref().unwrap_err().text;
        assert!(!text.contains("s3cret"), "{text}");
        words.iter().all(|word| text.contains(word)).then_some(())
    });
    drop(wrong);
    let agent = call(Some("db1"), "s3cret");
    until(&mut source, origin, busy);
    let notes = source.notes().join("\n");
    assert!(words.iter().all(|word| notes.contains(word)), "{notes}");
    drop(agent);
    until(&mut source, origin, |read| read.is_err().then_some(()));
    let _again = call(None, "s3cret");
    until(&mut source, origin, busy);
}

/// Answers each connection with these bytes.
fn answering(bytes: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else { return };
        let mut request = [0; 512];
        let _ = stream.read(&mut request);
        let _ = stream.write_all(bytes);
    });
    address
}

/// Answers `count` questions on one connection, with a clock and a calendar that are a minute ahead at every other one, and
/// each line twice: first with 1, then with 2.
fn jumping(count: u64) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else { return };
        for number in 0..count {
            let mut request = [0; 1_024];
            if !matches!(stream.read(&mut request), Ok(1..)) {
                return;
            }
            let ahead = Nanos::from_secs(60 * (number % 2));
            let now = HostClock.now() + ahead;
            let head = Head {
                instance: "one".into(),
                version: None,
                arrived: now,
                answered: now,
                calendar: calendar() + ahead,
                next: number,
                notes: Vec::new(),
            };
            let line = |value| Shot {
                at: now - Nanos::from_millis(1),
                readings: vec![Reading::new("cpu", BUSY_CORES, value)],
                notes: Vec::new(),
            };
            // Of a clock that did not jump.
            let old = Shot { at: HostClock.now() + Nanos::from_secs(60 * (1 - number % 2)), ..line(3.0) };
            let text = [head.line(), line(1.0).line(), line(2.0).line(), old.line()].concat();
            let reply = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{text}", text.len());
            if stream.write_all(reply.as_bytes()).is_err() {
                return;
            }
        }
    });
    address
}

/// A clock that jumps to and fro by a minute: readings lie where they were taken, what cannot be placed is counted, and it is
/// said once.
#[test]
fn a_clock_that_jumps_misplaces_nothing() {
    let mut source = remote(&format!("http://{}", jumping(20)), None);
    // The run has gone on for a while, so that a minute ago is in it.
    let origin = HostClock.now() - Nanos::from_secs(100);
    // Nothing is known yet of when it was asked before.
    source.read(HostClock.now().since(origin)).unwrap();
    let mut last = Nanos::ZERO;
    for _ in 0..10 {
        let readings = source.read(HostClock.now().since(origin)).unwrap();
        let now = HostClock.now().since(origin);
        let value = |metric: &str| {
            let found: Vec<&Reading> = readings.iter().filter(|reading| reading.metric == metric).collect();
            assert_eq!(found.len(), 1, "{metric}: {readings:?}");
            found[0].clone()
        };
        let busy = value("busy_cores");
        let at = busy.at.unwrap();
        assert_eq!(busy.value, 2.0, "the last one counts");
        assert!(last < at && at <= now && now.since(at) < Nanos::from_secs(20), "{at:?} at {now:?}");
        last = at;
        assert_eq!(value("left_out_count").value, 1.0);
        assert!(value("clock_error_s").value > 5.0, "nothing says that it did not jump since");
        std::thread::sleep(Duration::from_millis(5));
    }
    let (events, notes) = (source.events(), source.notes());
    assert_eq!(events.len(), 1, "{events:?}");
    assert!(events[0].0 == "CLOCK_OFFSET" && events[0].1.contains("60.0 s ahead"), "{events:?}");
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("left out, 1 so far"), "{notes:?}");
}

#[test]
fn garbage_is_named() {
    let cases: [(&[u8], &str); 6] = [
        (b"", "breaks off"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", "answers 404"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", "not an answer of `nmax agent`"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{}", "breaks off"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 16\r\n\r\n{\"nmax_agent\":2}", "version 2"),
    ];
    for (bytes, want) in cases {
        let error = remote(&format!("http://{}", answering(bytes)), None).read(Nanos::ZERO).unwrap_err();
        assert!(error.text.contains(want) && !error.is_final, "{want}: {error}");
    }
}

/// One that accepts and says nothing costs a bounded time.
#[test]
fn silence_is_bounded() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let begun = Instant::now();
    let error = remote(&format!("http://{}", listener.local_addr().unwrap()), None).read(Nanos::ZERO).unwrap_err();
    assert!(error.text.contains("no answer"), "{error}");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

/// Whoever asks anything else gets an answer too, and the agent lives on.
#[test]
fn strange_questions_are_answered() {
    let agent = Running::listening(Some("s3cret"));
    let ask = |text: &str| {
        let mut stream = TcpStream::connect(agent.address.unwrap()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut reply = vec![0; 12];
        stream.read_exact(&mut reply).unwrap();
        String::from_utf8(reply).unwrap()
    };
    let bearer = "authorization: Bearer s3cret\r\nhost: x\r\n\r\n";
    assert_eq!(ask("GET /v1/readings HTTP/1.1\r\nhost: x\r\n\r\n"), "HTTP/1.1 401");
    assert_eq!(ask(&format!("GET /x HTTP/1.1\r\n{bearer}")), "HTTP/1.1 404");
    assert_eq!(ask(&format!("POST /v1/readings HTTP/1.1\r\n{bearer}")), "HTTP/1.1 405");
    assert_eq!(ask("garbage\r\n\r\n"), "HTTP/1.1 400");
    let many: String = (0..200).map(|n| format!("process=p{n}&")).collect();
    assert_eq!(
        ask(&format!("GET /v1/readings?{many}since=99999999999&instance=%zz HTTP/1.1\r\n{bearer}")),
        "HTTP/1.1 200"
    );
}

fn shot() -> impl Strategy<Value = Shot> {
    let reading = ("[a-z][a-z0-9 ]{0,12}", "[a-z_]{1,12}", -1_000_000_000_i64..1_000_000_000, 0..Unit::ALL.len());
    let readings = proptest::collection::vec(reading, 0..20);
    (any::<u64>(), readings, proptest::collection::vec("[ -~]{1,20}", 0..3)).prop_map(|(at, readings, notes)| Shot {
        at: Nanos(at),
        readings: readings
            .into_iter()
            .map(|(source, metric, value, unit)| Reading::named(&source, &metric, value as f64 / 8.0, Unit::ALL[unit]))
            .collect(),
        notes,
    })
}

proptest! {
    /// Law: a line comes back as it was sent, and is one line.
    #[test]
    fn shots_come_back(shot in shot()) {
        let line = shot.line();
        prop_assert_eq!(line.matches('\n').count(), 1);
        prop_assert_eq!(Shot::parse(&line), Some(shot));
    }

    /// Law: no line makes a panic.
    #[test]
    fn any_line_does(text in "\\PC{0,80}", number: u64) {
        let _ = (Shot::parse(&text), Head::parse(&text));
        let almost = format!("{{\"at_ns\":{number},\"readings\":[[{text:?},\"m\",1e999,\"count\"],[1]],\"notes\":[{text:?},1]}}");
        let _ = Shot::parse(&almost);
    }

    /// Law: only the right header is right.
    #[test]
    fn only_the_token_opens(token in "[!-~]{1,20}", other in "[!-~]{0,20}") {
        let known = Token::new(&token).unwrap();
        let header = format!("Bearer {token}");
        let other = format!("Bearer {other}");
        prop_assert!(known.is(header.as_bytes()));
        prop_assert_eq!(known.is(other.as_bytes()), header == other);
        let shown = format!("{known:?}");
        prop_assert_eq!(shown, "Token(..)");
    }
}

proptest! {
    // Hundreds of lines each.
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Law: whoever asks for what comes after the last line gets each line once, unless it is longer than the ring ago.
    #[test]
    fn the_ring_gives_each_line_once(steps in proptest::collection::vec(0_usize..400, 1..5)) {
        let ring = Ring::default();
        let (mut next, mut kept) = (0, 0_u64);
        for step in steps {
            for _ in 0..step {
                ring.keep(&Shot { at: Nanos(kept), ..Shot::default() });
                kept += 1;
            }
            let (lines, after) = ring.since(Some(next));
            let at: Vec<u64> = lines.lines().map(|line| Shot::parse(line).unwrap().at.0).collect();
            let first = next.max(kept.saturating_sub(300));
            prop_assert_eq!(at, (first..kept).collect::<Vec<_>>());
            prop_assert_eq!(after, kept);
            next = after;
        }
    }
}
