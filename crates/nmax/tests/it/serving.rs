//! `nmax serve` and whom it answers: a program that asks, a browser that came by the printed address, a viewer of a stream.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::bench::{Bench, Job, until};

/// What hangs for longer than this hangs for ever.
const SILENCE_MAX: Duration = Duration::from_secs(120);
/// A run that is only ended by somebody.
pub(crate) const LONG: &str = "duration: 300s\n";

/// Two requests, one in ten of them failed.
pub(crate) fn plan(url: &str, rate: u32, more: &str) -> String {
    format!(
        "nmax: 1\nname: shop\ntarget: {url}\nscenarios:\n  buy:\n    steps:\n      - {{ get: /, name: home, tags: [front] }}\n      \
         - {{ get: /search, name: search, query: {{ q: oak }}, tags: [back] }}\nworkload: {{ open: {{ rate: {rate}/s }} }}\n\
         window: 100ms\n{more}"
    )
}

/// A server, and where it is.
pub(crate) struct Serving {
    pub(crate) job: Job,
    pub(crate) host: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Who came by the printed address: its headers.
pub(crate) struct Visitor {
    pub(crate) cookie: String,
    pub(crate) key: String,
}

/// Whose session this reply began.
pub(crate) fn visitor(begun: &Reply) -> Visitor {
    let cookie = begun.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    Visitor { cookie, key: begun.json()["key"].as_str().unwrap().to_owned() }
}

impl Visitor {
    pub(crate) fn headers(&self) -> [(&str, &str); 2] {
        [("cookie", &self.cookie), ("x-nmax-key", &self.key)]
    }
}

impl Reply {
    #[track_caller]
    pub(crate) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl Serving {
    /// On a free port of the loopback.
    pub(crate) fn start(bench: &Bench, args: &[&str]) -> Self {
        Self::of(bench.spawn(&[&["serve", "--listen", "127.0.0.1:0"], args].concat()))
    }

    /// A server that was started, once it listens.
    pub(crate) fn of(job: Job) -> Self {
        until("it listens", || job.printed().contains("http://") || !job.is_alive());
        let printed = job.printed();
        let address = printed.split("http://").nth(1).unwrap_or_else(|| panic!("{}", job.stderr_so_far()));
        let port = address.split('/').next().unwrap().rsplit(':').next().unwrap();
        Self { host: format!("127.0.0.1:{port}"), job }
    }

    /// The secrets of all addresses that it printed.
    pub(crate) fn tokens(&self) -> Vec<String> {
        let printed = self.job.printed();
        let end = printed.rfind('\n').unwrap_or(0);
        let tokens = printed[..end].split("#token=").skip(1);
        tokens.map(|rest| rest.split_whitespace().next().unwrap().to_owned()).collect()
    }

    /// The last address that it printed, with its secret.
    pub(crate) fn opening(&self) -> String {
        until("an address", || !self.tokens().is_empty());
        format!("http://{}/#token={}", self.host, self.tokens().pop().unwrap())
    }

    /// Asks: `what` is a method and a path.
    pub(crate) fn ask(&self, what: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let has_host = headers.iter().any(|(name, _)| *name == "host");
        let host = if has_host { String::new() } else { format!("host: {}\r\n", self.host) };
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let head = format!("{what} HTTP/1.1\r\n{host}{headers}connection: close\r\ncontent-length: {length}\r\n\r\n");
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(SILENCE_MAX)).unwrap();
        // It may refuse before it has read all of it.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        let reply = String::from_utf8(reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{what}: no reply: {reply}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Reply { status, head: head.to_owned(), body: body.to_owned() }
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Value {
        self.ask(&format!("GET {path}"), &[], "").is(200).json()
    }

    pub(crate) fn begin(&self, token: &str) -> Reply {
        self.ask("POST /api/session", &[], &json!({"token": token}).to_string())
    }

    /// Comes by the printed address.
    pub(crate) fn visitor(&self) -> Visitor {
        until("an address", || !self.tokens().is_empty());
        let used = self.tokens().len();
        let reply = self.begin(&self.tokens()[used - 1]).is(200);
        until("the next address", || self.tokens().len() > used);
        visitor(&reply)
    }

    pub(crate) fn change(&self, visitor: &Visitor, what: &str, body: &Value) -> Reply {
        self.ask(what, &visitor.headers(), &body.to_string())
    }

    /// What not everybody may read.
    #[track_caller]
    pub(crate) fn read(&self, visitor: &Visitor, path: &str) -> Value {
        self.change(visitor, &format!("GET {path}"), &Value::Null).is(200).json()
    }

    /// Listens to events.
    pub(crate) fn stream(&self, query: &str, last: Option<&str>) -> Events {
        let last = last.map_or_else(String::new, |last| format!("last-event-id: {last}\r\n"));
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(SILENCE_MAX)).unwrap();
        // A client of version 1.0 gets no chunks.
        write!(stream, "GET /api/stream{query} HTTP/1.0\r\nhost: {}\r\n{last}\r\n", self.host).unwrap();
        let mut lines = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(lines.read_line(&mut head).unwrap() > 0, "{head}");
        }
        Events { status: head.split(' ').nth(1).unwrap().parse().unwrap(), lines }
    }

    /// The id of the run that somebody else began.
    pub(crate) fn running(&self) -> String {
        let running = || self.get("/api/runs?verdict=running")["runs"][0]["id"].as_str().map(str::to_owned);
        until("a run appears", || running().is_some());
        running().unwrap()
    }
}

/// A stream of events.
pub(crate) struct Events {
    pub(crate) status: u16,
    lines: BufReader<TcpStream>,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) data: Value,
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let (mut id, mut name) = (None, String::new());
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).expect("a stream gives a sign of life") == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("id", value)) => id = Some(value.to_owned()),
                Some(("event", value)) => name = value.to_owned(),
                Some(("data", value)) => {
                    return Some(Event { id, name, data: serde_json::from_str(value).unwrap() });
                }
                _ => {}
            }
        }
    }
}

impl Events {
    /// The next of one of these names.
    #[track_caller]
    pub(crate) fn until(&mut self, names: &[&str]) -> Event {
        self.find(|event| names.contains(&event.name.as_str())).unwrap_or_else(|| panic!("it ended without {names:?}"))
    }
}

/// The ids of a list.
pub(crate) fn ids(list: &Value) -> Vec<&str> {
    list["runs"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect()
}

/// Gives a campaign eight levels that follow the Universal Scalability Law, whatever this machine could measure.
pub(crate) fn lawful(campaign: &Path) {
    let levels = fs::read_to_string(campaign.join("levels.jsonl")).unwrap();
    let one: Value = serde_json::from_str(levels.lines().next().unwrap()).unwrap();
    let (mut rows, mut points) = (String::new(), "n,x,r_ms,level,run,count\n".to_owned());
    for (place, n) in [1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0_f64].into_iter().enumerate() {
        let x = 50.0 * n / (1.0 + 0.03 * (n - 1.0) + 0.0043 * n * (n - 1.0));
        let (r_ms, run, mut row) = (n / x * 1e3, format!("levels/level-{place}"), one.clone());
        row["number"] = json!(place + 1);
        for (key, value) in [("n", n), ("level", n), ("x", x), ("r_ms", r_ms), ("lawful_r_s", r_ms / 1e3)] {
            row[key] = json!(value);
        }
        for (key, value) in [("verdict", "pass"), ("why", ""), ("run", &run)] {
            row[key] = json!(value);
        }
        row["used"] = json!(true);
        rows += &format!("{row}\n");
        points += &format!("{n},{x},{r_ms},{n},{run},{}\n", x as u64);
    }
    fs::write(campaign.join("levels.jsonl"), rows).unwrap();
    fs::write(campaign.join("points.csv"), points).unwrap();
}
