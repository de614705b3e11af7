use nix::sys::socket::getsockopt;
use tokio::net::TcpListener;

use super::*;
use crate::connection::local_address;

#[tokio::test]
async fn sources_are_used_in_turn() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let to = listener.local_addr().unwrap();
    // The one of the other family takes no turn.
    let sources: Vec<IpAddr> = ["127.0.0.2", "::1", "127.0.0.3"].map(|text| text.parse().unwrap()).into();
    for turn in 0..4 {
        let stream = connect_from(&sources, turn, to).await.unwrap();
        let (_peer, from) = listener.accept().await.unwrap();
        assert_eq!(from, local_address(&stream).unwrap());
        assert_eq!(from.ip().to_string(), if turn % 2 == 0 { "127.0.0.2" } else { "127.0.0.3" });
    }
}

/// A port taken at bind would be taken for every place at once, and 28 thousand connections in all would be the end.
#[tokio::test]
async fn no_port_is_taken_before_connect() {
    let socket = open([127, 0, 0, 1].into()).unwrap();
    match getsockopt(&socket, sockopt::IpBindAddressNoPort) {
        Ok(is_set) => {
            assert!(is_set);
            assert_eq!(local_address(&socket).unwrap().port(), 0);
        }
        Err(error) => eprintln!("SKIPPED: this kernel has no IP_BIND_ADDRESS_NO_PORT ({error})"),
    }
}
