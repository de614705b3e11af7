use super::*;

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
async fn the_next_address_is_tried() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (silent, listening) = ("127.0.0.2".parse().unwrap(), "127.0.0.1".parse().unwrap());
    let stream = connect(&[silent, listening], port, None).await.unwrap();
    assert_eq!(stream.peer_addr().unwrap().ip(), listening);
    let failure = connect(&[silent], port, None).await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Connect);
}
