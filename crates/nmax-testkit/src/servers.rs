//! Small real servers on free loopback ports, each with one bad habit. They stop when dropped.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

/// Longest request that is read, bytes.
const REQUEST_BYTES_MAX: usize = 64 * 1024;
/// Connections that a server keeps open without a word.
const KEPT_MAX: usize = 1_024;

/// What a server does with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Habit {
    /// Reads it and never answers.
    Silent,
    /// Answers with something that is not HTTP.
    NotHttp,
    /// Promises 100 bytes, sends 3 and closes.
    ClosesMidReply,
    /// Closes without an answer, with the request unread: a reset.
    Resets,
    /// Answers properly, then closes without having said so.
    ClosesAfterReply,
    /// Answers properly and keeps the connection, then closes it when the next request comes over it.
    LeavesAtReuse,
    /// Answers properly, says that it closes, and does not.
    Holds,
}

/// A server with a bad habit, or with replies of one's own.
#[derive(Debug)]
pub struct BadServer {
    address: SocketAddr,
    stops: Arc<AtomicBool>,
    connections: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl BadServer {
    /// Starts it on a free port.
    ///
    /// # Panics
    /// When the loopback has no free port.
    pub fn start(habit: Habit) -> Self {
        Self::serving(move |stream, kept| meet(stream, kept, habit))
    }

    /// Starts a server that answers the head of each request like this, and then closes without having said so.
    ///
    /// # Panics
    /// When the loopback has no free port.
    pub fn answering(reply: impl Fn(&str) -> String + Send + 'static) -> Self {
        Self::serving(move |mut stream, _| {
            let Some(request) = read_head(&mut stream) else { return };
            let reply = reply(&String::from_utf8_lossy(&request));
            // A client that goes away is no concern of the server's.
            let _ = stream.write_all(reply.as_bytes());
        })
    }

    fn serving(meet: impl FnMut(TcpStream, &mut Vec<TcpStream>) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let stops = Arc::new(AtomicBool::new(false));
        let connections = Arc::new(AtomicU64::new(0));
        let (stops_too, connections_too) = (Arc::clone(&stops), Arc::clone(&connections));
        let thread = std::thread::spawn(move || serve(&listener, meet, &stops_too, &connections_too));
        Self { address, stops, connections, thread: Some(thread) }
    }

    /// Where it listens, as a URL without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Drop for BadServer {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::Relaxed);
        // A last connection ends the wait for one.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A URL on the loopback at which nobody listens.
///
/// # Panics
/// When the loopback has no free port.
pub fn refusing_url() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback has a free port");
    let address = listener.local_addr().expect("a bound socket has an address");
    format!("http://{address}")
}

/// Serves one connection after the other; these servers need no more.
fn serve(
    listener: &TcpListener,
    mut meet: impl FnMut(TcpStream, &mut Vec<TcpStream>),
    stops: &AtomicBool,
    connections: &AtomicU64,
) {
    let mut kept = Vec::new();
    for stream in listener.incoming() {
        if stops.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else { continue };
        connections.fetch_add(1, Ordering::Relaxed);
        meet(stream, &mut kept);
    }
}

/// Does to a connection what the habit says.
fn meet(mut stream: TcpStream, kept: &mut Vec<TcpStream>, habit: Habit) {
    match habit {
        Habit::Silent => {
            kept.truncate(KEPT_MAX - 1);
            kept.push(stream);
        }
        // Bytes that are there but were not read make the kernel send a reset.
        Habit::Resets => drop(stream.peek(&mut [0])),
        Habit::NotHttp => answer(&mut stream, b"220 mail.test ESMTP ready\r\n"),
        Habit::ClosesMidReply => answer(&mut stream, b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc"),
        Habit::LeavesAtReuse => {
            answer(&mut stream, b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
            drop(read_head(&mut stream));
        }
        Habit::Holds => {
            answer(&mut stream, b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok");
            kept.truncate(KEPT_MAX - 1);
            kept.push(stream);
        }
        Habit::ClosesAfterReply => answer(&mut stream, b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
    }
}

/// Reads one head and answers it. A client that goes away is no concern of the server's.
fn answer(stream: &mut TcpStream, reply: &[u8]) {
    if read_head(stream).is_some() {
        let _ = stream.write_all(reply);
    }
}

/// What came up to the end of a head; `None` when the client went away before.
fn read_head(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut request = Vec::new();
    let mut chunk = [0; 4096];
    while !request.windows(4).any(|bytes| bytes == b"\r\n\r\n") && request.len() < REQUEST_BYTES_MAX {
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return None,
            Ok(read) => request.extend_from_slice(&chunk[..read]),
        }
    }
    Some(request)
}

mod echo;
pub use echo::SocketEcho;

#[cfg(test)]
mod tests;
