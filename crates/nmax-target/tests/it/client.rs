//! A tiny blocking HTTP/1.1 client over any stream; knows only what the tests need.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// A reply, read to its end.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The target's own service time, in nanoseconds.
    pub(crate) fn service_time_ns(&self) -> u64 {
        self.header("nmax-service-time-ns").expect("every reply has it").parse().unwrap()
    }

    /// The text between `before` and the next quote.
    pub(crate) fn between(&self, before: &str) -> &str {
        let (_, rest) = self.text().split_once(before).expect(before);
        rest.split_once('"').unwrap().0
    }
}

/// A keep-alive connection.
pub(crate) struct Client<S = TcpStream> {
    stream: BufReader<S>,
    /// Sent with every request, as whole lines.
    pub(crate) extra: String,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        // Only against a hang: no test expects to reach it.
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self::over(stream)
    }
}

impl<S: Read + Write> Client<S> {
    pub(crate) fn over(stream: S) -> Self {
        Self { stream: BufReader::new(stream), extra: String::new() }
    }

    pub(crate) fn get(&mut self, path: &str) -> Reply {
        self.send("GET", path, "", "").unwrap()
    }

    pub(crate) fn post(&mut self, path: &str, form: &str) -> Reply {
        self.send("POST", path, "application/x-www-form-urlencoded", form).unwrap()
    }

    pub(crate) fn truth(&mut self) -> Value {
        self.get("/_truth").json()
    }

    pub(crate) fn send(&mut self, method: &str, path: &str, kind: &str, body: &str) -> io::Result<Reply> {
        self.write(method, path, kind, body)?;
        self.read(method)
    }

    pub(crate) fn write(&mut self, method: &str, path: &str, kind: &str, body: &str) -> io::Result<()> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: target\r\n{}", self.extra);
        if !body.is_empty() {
            head += &format!("content-type: {kind}\r\ncontent-length: {}\r\n", body.len());
        }
        self.stream.get_mut().write_all(format!("{head}\r\n{body}").as_bytes())
    }

    pub(crate) fn read(&mut self, method: &str) -> io::Result<Reply> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("not a status line: {first}")))?;
        let mut reply = Reply { status, headers: Vec::new(), body: Vec::new() };
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(": ") else {
                break;
            };
            reply.headers.push((name.to_lowercase(), value.to_owned()));
        }
        let none = method == "HEAD" || status == 204 || status == 304;
        if none {
            return Ok(reply);
        }
        match reply.header("content-length").map(str::to_owned) {
            Some(length) => {
                reply.body = vec![0; length.parse().unwrap()];
                self.stream.read_exact(&mut reply.body)?;
            }
            None => loop {
                let size = usize::from_str_radix(&self.line()?, 16).unwrap();
                let start = reply.body.len();
                reply.body.resize(start + size, 0);
                self.stream.read_exact(&mut reply.body[start..])?;
                assert_eq!(self.line()?, "", "a chunk ends with a line break");
                if size == 0 {
                    break;
                }
            },
        }
        Ok(reply)
    }

    /// Whether the peer has closed in an orderly way.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.stream.fill_buf().is_ok_and(<[u8]>::is_empty)
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }
}
