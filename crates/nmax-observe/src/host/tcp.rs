//! TCP of the whole host: segments sent again, connections refused by full queues, sockets by state.

use nmax_sources::figures;

use super::files::{CachedFile, Files};
use super::reading::{HostReading, Pace, Previous, rates};

/// The part of a core that looking at each socket may take: one in this many.
const SOCKETS_COST: u64 = 1_000;

/// Values of a table whose lines come in pairs: names, then numbers, both behind `title`.
fn pairs<const N: usize>(text: &str, title: &str, names: [&str; N]) -> [Option<u64>; N] {
    let mut found = [None; N];
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(title));
    let (Some(head), Some(row)) = (lines.next(), lines.next()) else {
        return found;
    };
    for (name, value) in head.split_ascii_whitespace().zip(row.split_ascii_whitespace()) {
        if let Some(index) = names.iter().position(|wanted| *wanted == name) {
            found[index] = value.parse().ok();
        }
    }
    found
}

/// Connections in TIME_WAIT, both families: `TCP: inuse 5 orphan 0 tw 314 ..` of `/proc/net/sockstat`.
fn parse_time_wait(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("TCP:"))?;
    let mut words = line.split_ascii_whitespace();
    words.find(|word| *word == "tw")?;
    words.next()?.parse().ok()
}

/// Sockets by state, and connections that wait to be accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct States {
    syn_sent: u64,
    syn_received: u64,
    fin_wait: u64,
    close_wait: u64,
    last_ack: u64,
    listening: u64,
    /// Connections that stand in the queues of listening sockets.
    to_accept: u64,
}

impl States {
    /// Adds the rows of `/proc/net/tcp` or `/proc/net/tcp6`. The queue behind the colon is that of received bytes, and of
    /// connections to accept where the socket listens.
    fn add(&mut self, text: &str) {
        for line in text.lines().skip(1) {
            let mut words = line.split_ascii_whitespace().skip(3);
            let (Some(state), Some(queues)) = (words.next(), words.next()) else {
                continue;
            };
            let field = match state {
                "02" => &mut self.syn_sent,
                "03" => &mut self.syn_received,
                "04" | "05" => &mut self.fin_wait,
                "08" => &mut self.close_wait,
                "09" => &mut self.last_ack,
                "0A" => {
                    let waiting = queues.split_once(':').map(|(_, received)| u64::from_str_radix(received, 16));
                    self.to_accept = self.to_accept.saturating_add(waiting.and_then(Result::ok).unwrap_or(0));
                    &mut self.listening
                }
                _ => continue,
            };
            *field += 1;
        }
    }

    fn read(files: &mut Files) -> Option<Self> {
        let mut states = Self::default();
        states.add(files.read("proc/net/tcp").ok()?);
        // Hosts without IPv6 have no such table.
        if let Ok(text) = files.read("proc/net/tcp6") {
            states.add(text);
        }
        Some(states)
    }
}

/// The host's TCP.
#[derive(Debug)]
pub(super) struct Tcp {
    snmp: CachedFile,
    netstat: CachedFile,
    sockstat: CachedFile,
    /// Segments sent, and sent again; connections refused by full queues.
    before: Previous<[Option<u64>; 4]>,
    pace: Pace,
}

impl Tcp {
    pub(super) fn new() -> Self {
        Self {
            snmp: CachedFile::new("proc/net/snmp"),
            netstat: CachedFile::new("proc/net/netstat"),
            sockstat: CachedFile::new("proc/net/sockstat"),
            before: Previous::default(),
            pace: Pace::new(SOCKETS_COST),
        }
    }

    pub(super) fn read(&mut self, look: &mut HostReading<'_>) {
        let names = ["CurrEstab", "OutSegs", "RetransSegs"];
        let text = self.snmp.read(look.files).unwrap_or_default();
        let [established, sent, sent_again] = pairs(text, "Tcp:", names);
        let text = self.netstat.read(look.files).unwrap_or_default();
        let [overflows, drops] = pairs(text, "TcpExt:", ["ListenOverflows", "ListenDrops"]);
        let time_wait = self.sockstat.read(look.files).ok().and_then(parse_time_wait);
        let number = |value: Option<u64>| value.map(|value| value as f64);
        look.put("tcp", figures::ESTABLISHED_COUNT, number(established));
        look.put("tcp", figures::TIME_WAIT_COUNT, number(time_wait));
        let now = [sent, sent_again, overflows, drops];
        if let Some((span_s, before)) = self.before.replace(look.now, now) {
            let [sent, sent_again, overflows, drops] = rates(now, before, span_s);
            let figures = [
                (figures::SENT_SEGMENTS_PER_S, sent),
                (figures::RETRANSMITTED_PER_S, sent_again),
                (figures::LISTEN_OVERFLOWS_PER_S, overflows),
                (figures::LISTEN_DROPS_PER_S, drops),
            ];
            look.put_all("tcp", &figures);
        }
        let states = self.pace.run(look.now, || States::read(look.files)).flatten();
        if let Some(states) = states {
            let figures = [
                (figures::SYN_SENT_COUNT, states.syn_sent),
                (figures::SYN_RECV_COUNT, states.syn_received),
                (figures::FIN_WAIT_COUNT, states.fin_wait),
                (figures::CLOSE_WAIT_COUNT, states.close_wait),
                (figures::LAST_ACK_COUNT, states.last_ack),
                (figures::LISTENING_COUNT, states.listening),
                (figures::ACCEPT_QUEUE_COUNT, states.to_accept),
            ];
            let figures = figures.map(|(figure, count)| (figure, Some(count as f64)));
            look.put_all("tcp", &figures);
        }
    }
}

#[cfg(test)]
mod tests;
