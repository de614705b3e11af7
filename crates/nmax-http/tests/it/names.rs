//! Names: how long an answer holds, who asks, and which of its addresses are used. Answers come from a name server
//! of our own, and time passes when a test says so.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use nmax_http::{Alarm, Client, Config, Family, HostOverride, NameRules, Origin, Request, Scheme, Shared};
use nmax_metrics::{Clock, Code, ErrorKind, Nanos};
use tokio::net::{TcpListener, UdpSocket};

use crate::server::{answer_always, client_by_hand, client_with, config, get, origin, pause, serve_always};

const EMPTY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/// What a name server answers, and what it was asked.
#[derive(Clone, Default)]
struct Zone(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    addresses: Vec<[u8; 4]>,
    ttl_s: u8,
    code: u8,
    is_silent: bool,
    asked: usize,
}

impl Zone {
    /// A server that answers for every name.
    async fn serve(addresses: &[[u8; 4]], ttl_s: u8) -> (Self, NameRules) {
        let zone = Self::default();
        zone.change(|state| (state.addresses, state.ttl_s) = (addresses.to_vec(), ttl_s));
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let rules =
            NameRules { family: Family::V4, servers: vec![socket.local_addr().unwrap()], ..NameRules::default() };
        let server = zone.clone();
        tokio::spawn(async move {
            let mut question = [0; 512];
            loop {
                let (length, peer) = socket.recv_from(&mut question).await.unwrap();
                if let Some(reply) = server.reply(&question[..length]) {
                    socket.send_to(&reply, peer).await.unwrap();
                }
            }
        });
        (zone, rules)
    }

    fn reply(&self, question: &[u8]) -> Option<Vec<u8>> {
        let mut state = self.0.lock().unwrap();
        state.asked += 1;
        // As many servers do: the last becomes the first.
        if let Some(last) = state.addresses.pop() {
            state.addresses.insert(0, last);
        }
        let mut reply = question.to_vec();
        (reply[2], reply[3], reply[7]) = (0x81, 0x80 | state.code, state.addresses.len() as u8);
        for address in &state.addresses {
            reply.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, state.ttl_s, 0, 4]);
            reply.extend(address);
        }
        (!state.is_silent).then_some(reply)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.0.lock().unwrap());
    }

    fn asked(&self) -> usize {
        self.0.lock().unwrap().asked
    }
}

const HERE: [u8; 4] = [127, 0, 0, 1];

fn with(names: NameRules) -> Config {
    Config { names, ..config() }
}

/// A web server on all loopback addresses, under the name `shop.test`.
async fn shop() -> Origin {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer_always(stream, EMPTY));
        }
    });
    origin(Scheme::Http, "shop.test", port)
}

/// One request over a connection of its own; returns where that went.
async fn fetch<C: Clock + 'static>(client: &mut Client<C>, origin: &Origin) -> IpAddr {
    let request = Request { keep_alive: false, ..get(origin) };
    let exchange = client.exchange(&request).await;
    assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
    exchange.opened.unwrap()
}

/// k6 keeps answers for five minutes, whatever the server says.
#[tokio::test]
async fn an_answer_holds_as_long_as_the_server_says() {
    let (zone, rules) = Zone::serve(&[], 2).await;
    let shop = shop().await;
    let (mut client, _shared, clock, _alarm) = client_by_hand(with(rules));
    // The last byte of what the server says at that instant, and of what is used.
    for (at, said, used) in
        [(0, 1, 1), (1_999_999_999, 2, 1), (2_000_000_000, 2, 2), (3_999_999_999, 3, 2), (9_000_000_000, 3, 3)]
    {
        clock.set(Nanos(at));
        zone.change(|state| state.addresses = vec![[127, 0, 0, said]]);
        assert_eq!(fetch(&mut client, &shop).await, IpAddr::from([127, 0, 0, used]), "at {at} ns");
    }
}

#[tokio::test]
async fn new_connections_follow_a_name_that_moved_once_its_lifetime_is_over() {
    let (zone, rules) = Zone::serve(&[HERE], 1).await;
    let shop = shop().await;
    let (mut client, _shared, clock, _alarm) = client_by_hand(with(rules));
    assert_eq!(fetch(&mut client, &shop).await, IpAddr::from(HERE));
    zone.change(|state| state.addresses = vec![[127, 0, 0, 2]]);
    assert_eq!(fetch(&mut client, &shop).await, IpAddr::from(HERE));
    clock.set(Nanos::from_secs(1));
    assert_eq!(fetch(&mut client, &shop).await, IpAddr::from([127, 0, 0, 2]));
}

/// A kept connection needs no name; a new one asks, even a moment later.
#[tokio::test]
async fn lifetime_zero_is_asked_for_each_new_connection() {
    let shop = shop().await;
    for fixed in [None, Some(Nanos::ZERO)] {
        let (zone, rules) = Zone::serve(&[HERE], if fixed.is_none() { 0 } else { 60 }).await;
        let mut client = client_by_hand(with(NameRules { ttl: fixed, ..rules })).0;
        for _ in 0..3 {
            fetch(&mut client, &shop).await;
        }
        assert_eq!(zone.asked(), 3);
        for _ in 0..3 {
            assert_eq!(client.exchange(&get(&shop)).await.status, Some(Code::new(200)));
        }
        assert_eq!(zone.asked(), 4, "kept connections");
    }
}

#[tokio::test]
async fn a_fixed_lifetime_replaces_the_servers() {
    let (zone, rules) = Zone::serve(&[HERE], 1).await;
    let shop = shop().await;
    let ttl = Some(Nanos::from_secs(100));
    let (mut client, _shared, clock, _alarm) = client_by_hand(with(NameRules { ttl, ..rules }));
    for (at_s, said, used) in [(0, 1, 1), (99, 2, 1), (100, 2, 2)] {
        clock.set(Nanos::from_secs(at_s));
        zone.change(|state| state.addresses = vec![[127, 0, 0, said]]);
        assert_eq!(fetch(&mut client, &shop).await, IpAddr::from([127, 0, 0, used]), "at {at_s} s");
    }
}

#[tokio::test]
async fn failures_are_believed_for_a_second() {
    let (zone, rules) = Zone::serve(&[], 60).await;
    let shop = shop().await;
    let (mut client, _shared, clock, _alarm) = client_by_hand(with(rules));
    // What the server says at that instant, and what is believed.
    for (at, code, believed) in
        [(0, 3, "NXDOMAIN"), (999_999_999, 5, "NXDOMAIN"), (1_000_000_000, 5, "REFUSED"), (1_999_999_999, 3, "REFUSED")]
    {
        clock.set(Nanos(at));
        zone.change(|state| state.code = code);
        let failure = client.exchange(&get(&shop)).await.error.unwrap();
        assert_eq!(failure.kind, ErrorKind::Dns);
        assert!(failure.text.contains("shop.test") && failure.text.contains(believed), "at {at} ns: {}", failure.text);
    }
    zone.change(|state| (state.code, state.addresses) = (0, vec![HERE]));
    clock.set(Nanos::from_secs(2));
    fetch(&mut client, &shop).await;
}

/// Visitors of a worker: together with one question, or each for itself.
#[tokio::test]
async fn visitors_share_an_answer_unless_each_asks_for_itself() {
    let shop = shop().await;
    for per_visitor in [false, true] {
        let (zone, rules) = Zone::serve(&[HERE], 60).await;
        let names = NameRules { per_visitor, ..rules };
        let (mut first, shared, _clock, _alarm) = client_by_hand(with(names));
        let mut second = Client::new(Rc::clone(&shared), Alarm::default());
        tokio::join!(fetch(&mut first, &shop), fetch(&mut second, &shop));
        assert_eq!(zone.asked(), if per_visitor { 2 } else { 1 });
        fetch(&mut first, &shop).await;
        assert_eq!(zone.asked(), if per_visitor { 2 } else { 1 }, "each keeps its answer");
        first.forget();
        fetch(&mut first, &shop).await;
        assert_eq!(zone.asked(), if per_visitor { 3 } else { 1 }, "a new visitor knows nothing");
    }
}

/// A visitor that gives up takes nobody's answer with it.
#[tokio::test]
async fn a_lookup_that_was_given_up_is_taken_over() {
    let (zone, rules) = Zone::serve(&[HERE], 60).await;
    zone.change(|state| state.is_silent = true);
    let shop = shop().await;
    let (mut first, shared, _clock, _alarm) = client_by_hand(with(rules));
    let mut second = Client::new(shared, Alarm::default());
    let mut tasks = tokio::task::LocalSet::new();
    let origin = shop.clone();
    let waiting = tasks.spawn_local(async move { fetch(&mut second, &origin).await });
    {
        let request = get(&shop);
        let mut leading = std::pin::pin!(first.exchange(&request));
        while zone.asked() == 0 {
            tokio::select! {
                biased;
                _ = &mut leading => panic!("nobody answered"),
                () = &mut tasks => panic!("nobody answered"),
                () = pause() => {}
            }
        }
    }
    zone.change(|state| state.is_silent = false);
    tasks.run_until(waiting).await.unwrap();
    assert_eq!(zone.asked(), 2);
}

/// The server turns its answers by one with each question, and so do we with each connection: with two addresses
/// and a lifetime of zero, the two would cancel out.
#[tokio::test]
async fn connections_spread_over_all_addresses_although_the_server_turns_its_answers() {
    let shop = shop().await;
    for ttl_s in [0, 60] {
        let (_zone, rules) = Zone::serve(&[HERE, [127, 0, 0, 2]], ttl_s).await;
        let mut client = client_by_hand(with(rules)).0;
        let mut opened: HashMap<IpAddr, usize> = HashMap::new();
        for _ in 0..10 {
            *opened.entry(fetch(&mut client, &shop).await).or_default() += 1;
        }
        assert_eq!(opened.into_values().collect::<Vec<_>>(), [5, 5], "lifetime {ttl_s} s");
    }
}

/// 127.0.0.2 has no listener here: whoever starts there goes on to the one that has.
#[tokio::test]
async fn an_address_that_refuses_is_passed_over() {
    let (literal, accepted) = serve_always(EMPTY).await;
    let (_zone, rules) = Zone::serve(&[[127, 0, 0, 2], HERE], 60).await;
    let mut client = client_with(with(rules));
    for _ in 0..4 {
        let opened = fetch(&mut client, &origin(Scheme::Http, "shop.test", literal.port)).await;
        assert_eq!(opened, IpAddr::from(HERE));
    }
    assert_eq!(accepted.count(), 4);
}

/// One refused address among several blocks them all, turn or no turn, and whoever gave it.
#[tokio::test]
async fn one_refused_address_blocks_the_name() {
    let shop = shop().await;
    let (_zone, asked) = Zone::serve(&[HERE, [127, 0, 0, 2]], 60).await;
    let given = NameRules {
        hosts: vec![HostOverride {
            host: "shop.test".into(),
            port: None,
            addresses: vec![(HERE.into(), None), ([127, 0, 0, 2].into(), None)],
        }],
        ..NameRules::default()
    };
    for names in [asked, given] {
        let config = Config {
            allow: Arc::new(|host, ip| match ip == IpAddr::from([127, 0, 0, 2]) {
                true => Err(format!("{host} at {ip} is off limits")),
                false => Ok(()),
            }),
            ..with(names)
        };
        let mut client = client_with(config);
        for _ in 0..3 {
            let exchange = client.exchange(&get(&shop)).await;
            assert_eq!(exchange.error.unwrap().kind, ErrorKind::Blocked);
            assert_eq!(exchange.opened, None);
        }
    }
}

#[tokio::test]
async fn given_addresses_and_literal_ones_are_not_asked_for() {
    let (zone, rules) = Zone::serve(&[[127, 0, 0, 9]], 60).await;
    let (literal, accepted) = serve_always(EMPTY).await;
    let hosts = vec![HostOverride {
        host: "shop.test".into(),
        port: Some(80),
        addresses: vec![(HERE.into(), Some(literal.port))],
    }];
    let mut client = client_with(with(NameRules { hosts, ..rules }));
    for host in ["shop.test", "SHOP.test."] {
        assert_eq!(fetch(&mut client, &origin(Scheme::Http, host, 80)).await, IpAddr::from(HERE));
    }
    let exchange = client.exchange(&get(&literal)).await;
    assert_eq!((exchange.status, exchange.network.dns), (Some(Code::new(200)), Nanos::ZERO));
    assert_eq!((zone.asked(), accepted.count()), (0, 3));
}

#[tokio::test]
async fn ipv6_on_loopback() {
    let listener = match TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await {
        Ok(listener) => listener,
        Err(error) => return eprintln!("SKIPPED: this host has no IPv6 loopback address ({error})"),
    };
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer_always(stream, EMPTY));
        }
    });
    let six = IpAddr::from(Ipv6Addr::LOCALHOST);
    let hosts =
        vec![HostOverride { host: "shop.test".into(), port: None, addresses: vec![(HERE.into(), None), (six, None)] }];
    for family in [Family::Any, Family::V6] {
        let names = NameRules { family, hosts: hosts.clone(), ..NameRules::default() };
        let mut client = client_with(with(names));
        for host in ["shop.test", "::1"] {
            assert_eq!(fetch(&mut client, &origin(Scheme::Http, host, port)).await, six);
        }
    }
    let names = NameRules { family: Family::V4, hosts, ..NameRules::default() };
    let refused = client_with(with(names)).exchange(&get(&origin(Scheme::Http, "shop.test", port))).await;
    assert_eq!(refused.error.unwrap().kind, ErrorKind::Connect, "IPv4 only");
}

/// A name server that nobody runs: the failure names it.
#[tokio::test]
async fn a_name_server_that_is_not_there() {
    let gone: SocketAddr = UdpSocket::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let names = NameRules { servers: vec![gone], ..NameRules::default() };
    let failure = client_with(with(names)).exchange(&get(&shop().await)).await.error.unwrap();
    assert_eq!(failure.kind, ErrorKind::Dns);
    assert!(failure.text.contains(&gone.to_string()), "{}", failure.text);
}

/// The check before a run goes the way of its requests.
#[tokio::test]
async fn reaching_a_server_asks_what_an_exchange_asks() {
    let (zone, rules) = Zone::serve(&[HERE], 60).await;
    let (literal, accepted) = serve_always(EMPTY).await;
    let shop = origin(Scheme::Http, "shop.test", literal.port);
    let reach = async |config: Config| Shared::new(config, crate::server::Hand::default()).unwrap().reach(&shop).await;
    assert_eq!(reach(with(rules.clone())).await, Ok(()));
    assert_eq!(zone.asked(), 1);
    let refused = Config { allow: Arc::new(|_, _| Err("off limits".into())), ..with(rules) };
    assert_eq!(reach(refused).await.unwrap_err().kind, ErrorKind::Blocked);
    pause().await;
    assert_eq!(accepted.count(), 1);
}

/// Law: a name server that may not be asked gets no question, neither for an exchange nor before a run. Its address is
/// judged as it stands, not by the name that is looked for.
#[tokio::test]
async fn a_name_server_that_is_refused_is_not_asked() {
    let (zone, rules) = Zone::serve(&[HERE], 60).await;
    let server = rules.servers[0].ip();
    let shop = shop().await;
    let only_the_shop = move |host: &str, ip: IpAddr| match host {
        "shop.test" => Ok(()),
        host if host == ip.to_string() && ip == server => Err("off limits".to_owned()),
        host => panic!("{host} at {ip}"),
    };
    let refused = || Config { allow: Arc::new(only_the_shop), ..with(rules.clone()) };
    let failure = client_with(refused()).exchange(&get(&shop)).await.error.unwrap();
    assert_eq!(failure.kind, ErrorKind::Blocked);
    assert_eq!(failure.text, format!("name server {}: off limits", rules.servers[0]));
    let shared = Shared::new(refused(), crate::server::Hand::default()).unwrap();
    assert_eq!(shared.addresses(&shop).await.unwrap_err().kind, ErrorKind::Blocked);
    pause().await;
    assert_eq!(zone.asked(), 0);
    assert!(client_with(with(rules)).exchange(&get(&shop)).await.error.is_none());
    assert!(zone.asked() > 0);
}
