//! What a simulated server does with a request: a closure, and the parts to build one from.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use nmax_metrics::{ErrorKind, Nanos};

/// A request as it reaches the server.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// When it arrives, which is when it was sent.
    pub at: Nanos,
    /// How many requests came before it.
    pub number: u64,
    /// Head and body.
    pub bytes: &'a [u8],
}

impl Call<'_> {
    /// Path and query.
    pub fn target(&self) -> &str {
        let line = self.bytes.split(|byte| *byte == b'\r').next().unwrap_or_default();
        let target = line.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
        std::str::from_utf8(target).unwrap_or_default()
    }

    /// The method.
    pub fn method(&self) -> &str {
        let method = self.bytes.split(|byte| *byte == b' ').next().unwrap_or_default();
        std::str::from_utf8(method).unwrap_or_default()
    }

    /// The first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let head = self.bytes.split(|byte| *byte == b'\n').skip(1);
        let lines = head.map_while(|line| line.strip_suffix(b"\r").filter(|line| !line.is_empty()));
        let mut pairs = lines.filter_map(|line| std::str::from_utf8(line).ok()?.split_once(':'));
        let (_, value) = pairs.find(|(given, _)| given.eq_ignore_ascii_case(name))?;
        Some(value.trim())
    }

    /// What follows the head.
    pub fn body(&self) -> &[u8] {
        let end = self.bytes.windows(4).position(|bytes| bytes == b"\r\n\r\n");
        end.map_or(&[], |end| &self.bytes[end + 4..])
    }

    /// Whether the message contains this text.
    pub fn contains(&self, text: &str) -> bool {
        self.bytes.windows(text.len()).any(|window| window == text.as_bytes())
    }
}

/// What becomes of a request.
#[derive(Clone, Debug)]
pub enum Answer {
    /// These bytes arrive at that instant, all at once.
    Bytes(Nanos, Rc<[u8]>),
    /// The exchange breaks at that instant.
    Breaks(Nanos, ErrorKind),
    /// Nothing, ever.
    Never,
}

/// A server: what it answers, known at the arrival of a request.
pub trait Server: FnMut(&Call<'_>) -> Answer + 'static {}
impl<F: FnMut(&Call<'_>) -> Answer + 'static> Server for F {}

/// A reply without a body.
pub fn reply(status: u16) -> Rc<[u8]> {
    reply_with(status, "", "")
}

/// A reply with these header lines, each ended by `\r\n`, and this body.
pub fn reply_with(status: u16, headers: &str, body: &str) -> Rc<[u8]> {
    Rc::from(format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len()).into_bytes())
}

/// A server with room for everybody: status 200 after this time.
pub fn instant(service: Nanos) -> impl Server {
    let ok = reply(200);
    move |call: &Call<'_>| Answer::Bytes(call.at + service, Rc::clone(&ok))
}

/// Some equal servers behind one first-come, first-served queue.
#[derive(Clone, Debug)]
pub struct Queue {
    free_at: BinaryHeap<Reverse<Nanos>>,
}

impl Queue {
    /// So many servers, at least one.
    pub fn new(servers: usize) -> Self {
        Self { free_at: std::iter::repeat_n(Reverse(Nanos::ZERO), servers.max(1)).collect() }
    }

    /// When a request that arrives at `at` and takes `service` is done. Arrivals come in order.
    pub fn admit(&mut self, at: Nanos, service: Nanos) -> Nanos {
        let free_at = self.free_at.pop().map_or(Nanos::ZERO, |Reverse(free_at)| free_at);
        let done = at.max(free_at) + service;
        self.free_at.push(Reverse(done));
        done
    }
}

/// A time in which the server does nothing; work under way goes on afterwards.
#[derive(Clone, Copy, Debug)]
pub struct Freeze {
    /// Its beginning, inclusive.
    pub from: Nanos,
    /// Its end, exclusive.
    pub to: Nanos,
}

impl Freeze {
    /// When work begun at `at` that takes `service` is done.
    pub fn done(&self, at: Nanos, service: Nanos) -> Nanos {
        if at + service <= self.from || at >= self.to {
            at + service
        } else {
            at + service + self.to.since(self.from.max(at))
        }
    }
}
