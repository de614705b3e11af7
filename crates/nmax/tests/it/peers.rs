//! What the program talks to: the calibrated target, and a listener that keeps what it hears.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use nmax_target::{Options, Running, spawn};
use serde_json::Value;

use crate::bench::count;

/// A plain target; `/delay/30ms` answers after that time, `/status/500` with that status after 20 ms.
pub(crate) fn target() -> Running {
    spawn(Options { services: vec!["/status=fixed:20ms".parse().unwrap()], ..Options::default() }).unwrap()
}

/// The shop.
pub(crate) fn shop() -> Running {
    spawn(Options { shop: true, ..Options::default() }).unwrap()
}

/// The target's own counters.
pub(crate) fn truth(target: &Running) -> Value {
    let mut stream = TcpStream::connect(target.address()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream.write_all(b"GET /_truth HTTP/1.1\r\nhost: target\r\nconnection: close\r\n\r\n").unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    let (_, body) = reply.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap()
}

/// Requests that arrived at the target.
pub(crate) fn arrived(target: &Running) -> u64 {
    count(&truth(target)["requests"])
}

/// Longest request that is kept, bytes.
const HEARD_BYTES_MAX: usize = 64 * 1024;

/// Keeps what was asked. One request per connection. Stops when dropped.
pub(crate) struct Listener {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Answers everything with 200.
    pub(crate) fn start() -> Self {
        Self::answering(|_| "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok".to_owned())
    }

    /// Answers to the text of a request what `answer` says.
    pub(crate) fn answering(answer: impl Fn(&str) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let stops = Arc::new(AtomicBool::new(false));
        let (heard_too, stops_too) = (Arc::clone(&heard), Arc::clone(&stops));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if stops_too.load(Ordering::Relaxed) {
                    return;
                }
                hear(stream, &heard_too, &answer);
            }
        });
        Self { address, heard, stops, thread: Some(thread) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests so far, head and body.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Reads one request with its body, keeps it, and answers it: whoever has the answer finds the request.
fn hear(mut stream: TcpStream, heard: &Mutex<Vec<String>>, answer: &dyn Fn(&str) -> String) {
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut request = Vec::new();
    let mut chunk = [0; 4096];
    while !is_whole(&request) && request.len() < HEARD_BYTES_MAX {
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => break,
            Ok(read) => request.extend_from_slice(&chunk[..read]),
        }
    }
    let text = String::from_utf8_lossy(&request).into_owned();
    let reply = answer(&text);
    if !request.is_empty() {
        heard.lock().unwrap().push(text);
    }
    let _ = stream.write_all(reply.as_bytes());
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length = length.map_or(0, |length| length.trim().parse().unwrap());
    body.len() >= length
}
