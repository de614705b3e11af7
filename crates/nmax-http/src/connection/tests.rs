use super::*;

fn config() -> Config {
    Config::new(Arc::new(|_, _| Ok(())))
}

/// A socket bound to a port that connects to it is its own peer.
#[tokio::test]
async fn a_connection_to_itself_is_refused() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    let stream = socket.connect(address).await.unwrap();
    assert_eq!(prepare(stream.into(), address).unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
}

/// The room is given back with the connection, and by one that did not come about.
#[tokio::test]
async fn a_connection_beyond_the_budget_is_the_injectors_fault() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listening = listener.local_addr().unwrap();
    let sockets = Arc::new(SocketBudget::new(1));
    let config = Config { sockets: Some(Arc::clone(&sockets)), ..config() };
    let refusing = SocketAddr::new([127, 0, 0, 2].into(), listening.port());
    connect_to(refusing, 0, &config).await.unwrap_err();
    assert_eq!(sockets.open(), 0);
    let first = connect_to(listening, 0, &config).await.unwrap();
    let failure = connect_to(listening, 0, &config).await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Injector);
    assert!(failure.text.contains("open files"), "{}", failure.text);
    let stream = Stream::Plain(first.0, first.1);
    assert_eq!(sockets.open(), 1);
    drop(stream);
    connect_to(listening, 0, &config).await.unwrap();
}

/// 192.0.2.1 belongs to no host (RFC 5737).
#[tokio::test]
async fn a_source_address_of_another_host_is_the_injectors_fault() {
    let config = Config { sources: vec![[192, 0, 2, 1].into()], ..config() };
    let failure = connect_to("127.0.0.1:9".parse().unwrap(), 0, &config).await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Injector);
    assert!(failure.text.contains("192.0.2.1 is not an address of this host"), "{}", failure.text);
}

#[tokio::test]
async fn a_source_address_of_the_other_family_is_the_injectors_fault() {
    let config = Config { sources: vec![std::net::Ipv6Addr::LOCALHOST.into()], ..config() };
    let failure = connect_to("127.0.0.1:9".parse().unwrap(), 0, &config).await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Injector);
    assert!(failure.text.contains("no source address is IPv4"), "{}", failure.text);
}
