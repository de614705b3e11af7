use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::thread::{self, JoinHandle};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::Reactor;

fn socket() -> OwnedFd {
    socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC, None).unwrap()
}

/// A server for so many connections, which does this with each.
fn server(count: usize, each: fn(std::net::TcpStream)) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = thread::spawn(move || {
        for _ in 0..count {
            each(listener.accept().unwrap().0);
        }
    });
    (address, thread)
}

/// Sends everything back, and at its end the end.
fn echo(mut stream: std::net::TcpStream) {
    let mut buffer = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        stream.write_all(&buffer[..read]).unwrap();
    }
    stream.shutdown(Shutdown::Write).unwrap();
}

/// More than the buffers of both sockets hold, in both directions at once.
const MANY: usize = 16 << 20;

async fn talk(address: SocketAddr) {
    let socket = Socket::connect(socket(), address).await.unwrap();
    let (mut reader, mut writer) = tokio::io::split(socket);
    let (sent, mut received) = (vec![b'x'; MANY], vec![0; MANY]);
    let send = async {
        writer.write_all(&sent).await.unwrap();
        writer.shutdown().await.unwrap();
    };
    let receive = async {
        reader.read_exact(&mut received).await.unwrap();
        assert_eq!(reader.read(&mut [0; 8]).await.unwrap(), 0, "and then the end");
    };
    tokio::join!(send, receive);
    assert_eq!(received, sent);
}

#[test]
fn all_that_is_sent_comes_back_on_either_reactor() {
    let (address, thread) = server(2, echo);
    Reactor::new().unwrap().block_on(talk(address));
    let tokio = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    tokio.block_on(talk(address));
    thread.join().unwrap();
}

/// The kernel tells of both at once, and no second time.
#[test]
fn an_end_that_comes_with_the_last_bytes_is_noticed() {
    let (address, thread) = server(1, |mut stream| {
        stream.read_exact(&mut [0]).unwrap();
        stream.write_all(b"bye").unwrap();
    });
    Reactor::new().unwrap().block_on(async {
        let mut socket = Socket::connect(socket(), address).await.unwrap();
        socket.write_all(b"?").await.unwrap();
        let mut text = String::new();
        socket.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "bye");
    });
    thread.join().unwrap();
}

#[test]
fn a_refused_connection_says_so() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    Reactor::new().unwrap().block_on(async {
        let error = Socket::connect(socket(), address).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    });
}

#[test]
fn closed_sockets_leave_their_place_to_others() {
    let (address, thread) = server(20, echo);
    Reactor::new().unwrap().block_on(async {
        for _ in 0..10 {
            let first = Socket::connect(socket(), address).await.unwrap();
            drop(first);
            let mut second = Socket::connect(socket(), address).await.unwrap();
            second.write_all(b"here").await.unwrap();
            let mut bytes = [0; 4];
            second.read_exact(&mut bytes).await.unwrap();
            assert_eq!(&bytes, b"here");
        }
    });
    thread.join().unwrap();
}
