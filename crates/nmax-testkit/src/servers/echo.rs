//! A WebSocket server that says everything back.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::read_head;

/// What RFC 6455 adds to a key.
const MAGIC: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// A server that answers each frame with the same frame. It takes the first subprotocol that is offered, answers 401 at
/// `/refused`, and 500 to anything that no WebSocket begins with. It stops when dropped.
#[derive(Debug)]
pub struct SocketEcho {
    address: SocketAddr,
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl SocketEcho {
    /// Starts it on a free port.
    ///
    /// # Panics
    /// When the loopback has no free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("the loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let stops = Arc::new(AtomicBool::new(false));
        let stops_too = Arc::clone(&stops);
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stops_too.load(Ordering::Relaxed) {
                    return;
                }
                if let Ok(stream) = stream {
                    // Its thread ends with the connection.
                    std::thread::spawn(move || talk(stream));
                }
            }
        });
        Self { address, stops, thread: Some(thread) }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for SocketEcho {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::Relaxed);
        // A last connection ends the wait for one.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// One connection; a client that goes away ends it.
fn talk(mut stream: TcpStream) {
    let Some(head) = read_head(&mut stream) else { return };
    let head = String::from_utf8_lossy(&head).into_owned();
    let header = |wanted: &str| {
        head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case(wanted).then(|| value.trim().to_owned())
        })
    };
    if head.starts_with("GET /refused ") {
        let _ = stream.write_all(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 4\r\n\r\nno!\n");
        return;
    }
    let Some(key) = header("sec-websocket-key") else {
        let _ = stream.write_all(b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n");
        return;
    };
    let digest = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{MAGIC}").as_bytes());
    let protocol = header("sec-websocket-protocol").and_then(|list| list.split(',').next().map(str::to_owned));
    let protocol = protocol.map_or_else(String::new, |name| format!("sec-websocket-protocol: {}\r\n", name.trim()));
    let offered = header("sec-websocket-extensions").unwrap_or_default();
    let reply = format!(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: {}\r\n\
         {protocol}x-extensions: {offered}\r\n\r\n",
        STANDARD.encode(digest)
    );
    if stream.write_all(reply.as_bytes()).is_err() {
        return;
    }
    while let Some(frame) = frame(&mut stream) {
        let is_close = frame[0] & 0x0f == 8;
        if stream.write_all(&frame).is_err() || is_close {
            return;
        }
    }
}

/// The next frame of a client, as a server sends it: without a mask.
fn frame(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = [0; 2];
    stream.read_exact(&mut head).ok()?;
    let mut frame = vec![head[0], head[1] & 0x7f];
    let length = match head[1] & 0x7f {
        126 => {
            let mut more = [0; 2];
            stream.read_exact(&mut more).ok()?;
            frame.extend(more);
            u64::from(u16::from_be_bytes(more))
        }
        127 => {
            let mut more = [0; 8];
            stream.read_exact(&mut more).ok()?;
            frame.extend(more);
            u64::from_be_bytes(more)
        }
        short => u64::from(short),
    };
    let mut mask = [0; 4];
    if head[1] & 0x80 != 0 {
        stream.read_exact(&mut mask).ok()?;
    }
    let mut content = Vec::new();
    stream.take(length).read_to_end(&mut content).ok()?;
    let whole = content.len() as u64 == length;
    frame.extend(content.iter().enumerate().map(|(at, byte)| byte ^ mask[at % 4]));
    whole.then_some(frame)
}
