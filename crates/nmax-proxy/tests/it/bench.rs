//! A recorder, servers with scripts, and clients that write bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use nmax_import::recording::Entry;
use nmax_proxy::{BODY_BYTES_MAX, Event, Events, Hosts, Recorder, Settings, Summary};

/// Longest wait for anything.
pub(crate) const WAIT: Duration = Duration::from_secs(30);

/// A recorder and what happens in it.
pub(crate) struct Bench {
    pub(crate) recorder: Recorder,
    events: Events,
}

/// Records 127.0.0.1.
pub(crate) fn settings() -> Settings {
    Settings {
        listen: "127.0.0.1:0".parse().unwrap(),
        hosts: Hosts::of_page("127.0.0.1").unwrap(),
        upstream_ca: Vec::new(),
        insecure: false,
        is_browser_silenced: false,
        body_bytes_max: BODY_BYTES_MAX,
    }
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with(&settings())
    }

    pub(crate) fn with(settings: &Settings) -> Self {
        let (recorder, events) = Recorder::start(settings).unwrap();
        Self { recorder, events }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.recorder.address
    }

    /// A connection to the proxy.
    pub(crate) fn client(&self) -> Client {
        Client::new(TcpStream::connect(self.address()).unwrap())
    }

    /// The next exchange.
    pub(crate) fn entry(&mut self) -> Entry {
        loop {
            match self.events.next_blocking().expect("the recorder works") {
                Event::Exchange(entry) => return *entry,
                Event::Passed(_) | Event::Untrusted { .. } => {}
            }
        }
    }

    /// Ends the recording: everything that was not taken yet.
    pub(crate) fn end(mut self) -> (Vec<Event>, Summary) {
        self.recorder.stop();
        let mut events = Vec::new();
        while let Some(event) = self.events.next_blocking() {
            events.push(event);
        }
        (events, self.recorder.summary())
    }
}

/// A client that writes bytes.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    rest: Vec<u8>,
}

/// A reply as it came.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.head.split(' ').nth(1).unwrap().parse().unwrap()
    }

    pub(crate) fn header(&self, wanted: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case(wanted).then(|| value.trim())
        })
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Client {
    pub(crate) fn new(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(WAIT)).unwrap();
        Self { stream, rest: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).unwrap();
    }

    /// GET with an absolute target, and its reply.
    pub(crate) fn get(&mut self, url: &str) -> Answer {
        self.send(format!("GET {url} HTTP/1.1\r\nHost: x\r\n\r\n"));
        self.answer("GET")
    }

    fn more(&mut self) -> bool {
        let mut piece = [0; 16 * 1024];
        let count = self.stream.read(&mut piece).unwrap();
        self.rest.extend_from_slice(&piece[..count]);
        count > 0
    }

    /// A head, interim ones included.
    pub(crate) fn head(&mut self) -> String {
        loop {
            if let Some(at) = self.rest.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let head: Vec<u8> = self.rest.drain(..at + 4).collect();
                return String::from_utf8_lossy(&head).into_owned();
            }
            assert!(self.more(), "the connection ended in a head: {:?}", self.rest);
        }
    }

    /// So many bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        while self.rest.len() < count {
            assert!(self.more(), "the connection ended");
        }
        self.rest.drain(..count).collect()
    }

    /// The reply to a request with this method.
    pub(crate) fn answer(&mut self, method: &str) -> Answer {
        let head = self.head();
        let mut answer = Answer { head, body: Vec::new() };
        let status = answer.status();
        if method == "HEAD" || status == 204 || status == 304 || status < 200 {
            return answer;
        }
        if answer.header("transfer-encoding").is_some() {
            loop {
                let line = self.line();
                let size = usize::from_str_radix(line.trim(), 16).unwrap();
                if size == 0 {
                    break;
                }
                let chunk = self.bytes(size);
                answer.body.extend(chunk);
                self.bytes(2);
            }
            loop {
                let trailer = self.line();
                if trailer.trim().is_empty() {
                    return answer;
                }
                answer.head.push_str(&trailer);
            }
        }
        let length = answer.header("content-length").map(|length| length.parse().unwrap());
        match length {
            Some(length) => answer.body = self.bytes(length),
            None => {
                while self.more() {}
                answer.body = std::mem::take(&mut self.rest);
            }
        }
        answer
    }

    fn line(&mut self) -> String {
        loop {
            if let Some(at) = self.rest.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=at).collect();
                return String::from_utf8_lossy(&line).into_owned();
            }
            assert!(self.more(), "the connection ended in a line");
        }
    }
}

/// A server that does this with each connection, on a thread that ends with it. It listens as long as the process: its
/// last connection cannot be told from the next one.
pub(crate) fn server(meet: impl Fn(Client) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let meet = std::sync::Arc::new(meet);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let meet = std::sync::Arc::clone(&meet);
            std::thread::spawn(move || meet(Client::new(stream.unwrap())));
        }
    });
    url
}
