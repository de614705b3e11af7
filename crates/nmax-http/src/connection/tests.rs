use super::*;

fn config() -> Config {
    Config::new(Arc::new(|_, _| Ok(())))
}

fn way(places: &[SocketAddr]) -> Way {
    Way {
        places: places.to_vec(),
        source_turn: 0,
        ttl: None,
    }
}

/// A socket bound to a port that connects to it is its own peer.
#[tokio::test]
async fn a_connection_to_itself_is_refused() {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    let stream = socket.connect(address).await.unwrap();
    assert_eq!(
        prepare(stream, address).unwrap_err().kind(),
        io::ErrorKind::ConnectionRefused
    );
}

#[tokio::test]
async fn the_next_address_is_tried_and_the_first_one_is_to_blame() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listening = listener.local_addr().unwrap();
    let silent = SocketAddr::new([127, 0, 0, 2].into(), listening.port());
    let other = SocketAddr::new([127, 0, 0, 3].into(), listening.port());
    let (stream, peer) = connect(&way(&[silent, listening]), &config()).await.unwrap();
    assert_eq!((stream.peer_addr().unwrap(), peer), (listening, listening));
    let failure = connect(&way(&[silent, other]), &config()).await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Connect);
    assert!(failure.text.starts_with("127.0.0.2:"), "{}", failure.text);
}

/// 192.0.2.1 belongs to no host (RFC 5737).
#[tokio::test]
async fn a_source_address_of_another_host_is_the_injectors_fault() {
    let config = Config {
        sources: vec![[192, 0, 2, 1].into()],
        ..config()
    };
    let failure = connect(&way(&["127.0.0.1:9".parse().unwrap()]), &config)
        .await
        .unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Injector);
    assert!(
        failure.text.contains("192.0.2.1 is not an address of this host"),
        "{}",
        failure.text
    );
}

#[tokio::test]
async fn a_source_address_of_the_other_family_is_the_injectors_fault() {
    let config = Config {
        sources: vec![std::net::Ipv6Addr::LOCALHOST.into()],
        ..config()
    };
    let failure = connect(&way(&["127.0.0.1:9".parse().unwrap()]), &config)
        .await
        .unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Injector);
    assert!(failure.text.contains("no source address is IPv4"), "{}", failure.text);
}
