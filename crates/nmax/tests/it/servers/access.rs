//! The log that a server writes of its requests: one line each, fields separated by blanks, quotes around texts.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::bench::until;

/// A line of the log.
#[derive(Debug)]
pub(super) struct Line {
    /// Which connection: whatever the server calls it.
    pub(super) connection: String,
    pub(super) method: String,
    pub(super) target: String,
    pub(super) version: String,
    pub(super) status: u16,
    /// What the request said in `connection`.
    pub(super) said: String,
    /// `authorization` of the request.
    pub(super) authorization: String,
    /// Bytes of the request with its body.
    pub(super) received: u64,
    /// Bytes of the reply with its head.
    pub(super) sent: u64,
    /// TLS session taken up again.
    pub(super) resumed: bool,
}

/// A log that is being written.
pub(super) struct Access(pub(super) PathBuf);

impl Access {
    /// Its lines once there are `count`; more are an error.
    #[track_caller]
    pub(super) fn lines(&self, count: u64) -> Vec<Line> {
        // A server writes the line after it sent the reply.
        until(&format!("{count} lines in {}", self.0.display()), || self.now().len() as u64 >= count);
        let lines = self.now();
        assert_eq!(lines.len() as u64, count, "each request arrives once: {lines:#?}");
        lines
    }

    /// Empties it, between two runs against one server.
    pub(super) fn clear(&self) {
        std::fs::write(&self.0, "").unwrap();
    }

    /// Its lines so far.
    pub(super) fn now(&self) -> Vec<Line> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        complete.lines().map(line).collect()
    }
}

/// Connections that the lines came over.
pub(super) fn connections(lines: &[Line]) -> u64 {
    lines.iter().map(|line| &line.connection).collect::<BTreeSet<_>>().len() as u64
}

fn line(text: &str) -> Line {
    let fields: Vec<&str> = text.split('|').collect();
    let [connection, request, status, said, authorization, received, sent, resumed] = fields[..] else {
        panic!("{text}");
    };
    let words: Vec<&str> = request.split(' ').collect();
    let [method, target, version] = words[..] else {
        panic!("{text}");
    };
    Line {
        connection: connection.to_owned(),
        method: method.to_owned(),
        target: target.to_owned(),
        version: version.to_owned(),
        status: status.parse().unwrap(),
        said: said.to_ascii_lowercase(),
        authorization: authorization.to_owned(),
        received: received.parse().unwrap(),
        sent: sent.parse().unwrap(),
        resumed: resumed == "r",
    }
}
