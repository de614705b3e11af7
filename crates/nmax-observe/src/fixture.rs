//! For tests: servers that behave badly on purpose, and what was read of them.

pub(crate) mod tls;

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::Reading;

/// What a machine with much else to do may take longer than a limit says.
pub(crate) const SLACK: Duration = Duration::from_secs(30);

/// A server on a free port of the loopback, ended when dropped.
pub(crate) struct Fake {
    pub(crate) address: SocketAddr,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Fake {
    /// Each connection is given to `serve`, one after the other; what it gives back is kept open until the end.
    pub(crate) fn start(mut serve: impl FnMut(TcpStream) -> Option<TcpStream> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            let mut kept = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                kept.extend(serve(stream));
            }
        });
        Self { address, is_over, thread: Some(thread) }
    }

    /// Answers each connection's head with `reply` and closes.
    pub(crate) fn says(reply: impl Into<Vec<u8>>) -> Self {
        let reply = reply.into();
        Self::start(move |mut stream| {
            read_head(&stream);
            let _ = stream.write_all(&reply);
            None
        })
    }

    /// Answers each connection's head with a page.
    pub(crate) fn page(content_type: &str, text: &str) -> Self {
        let length = text.len();
        Self::says(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
        ))
    }

    /// Accepts, and says nothing.
    pub(crate) fn hangs() -> Self {
        Self::start(Some)
    }

    /// Says `start`, and then `more` until the other side has enough.
    pub(crate) fn endless(start: &'static str, more: &'static str) -> Self {
        // In large parts, so that a slow machine too gives more than anybody takes.
        let more = more.repeat(1 + (64 << 10) / more.len());
        Self::start(move |mut stream| {
            let mut sent = stream.write_all(start.as_bytes());
            while sent.is_ok() {
                sent = stream.write_all(more.as_bytes());
            }
            None
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Lines up to the first empty one.
pub(crate) fn read_head(stream: &TcpStream) -> Vec<String> {
    let lines = BufReader::new(stream).lines().map_while(Result::ok);
    lines.take_while(|line| !line.is_empty()).collect()
}

/// The figure of a reading.
#[track_caller]
pub(crate) fn value(readings: &[Reading], source: &str, metric: &str) -> f64 {
    reading(readings, source, metric).value
}

/// A reading that is there once.
#[track_caller]
pub(crate) fn reading<'a>(readings: &'a [Reading], source: &str, metric: &str) -> &'a Reading {
    let mut found = readings.iter().filter(|reading| (&*reading.source, &*reading.metric) == (source, metric));
    let reading = found.next().unwrap_or_else(|| panic!("no {source} {metric} in {readings:#?}"));
    assert!(found.next().is_none(), "{source} {metric} is there twice");
    reading
}
