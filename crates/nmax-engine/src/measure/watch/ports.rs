//! Local ports: which of them the system gives out, and how many towards one destination are taken.
//!
//! A port is taken for one pair of source address and destination at a time; the same port may serve another
//! destination. A closed connection keeps its port in TIME_WAIT for 60 s at the side that closed first, unless
//! `net.ipv4.tcp_tw_reuse` gives it out again after one second.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

/// How long a connection stays in TIME_WAIT, s: a constant of Linux.
pub const TIME_WAIT_S: u64 = 60;
/// Age in TIME_WAIT from which a port may be given out again, where that is allowed, s.
pub const REUSE_AGE_S: u64 = 1;
/// Destinations that are told apart; more than that are not one that runs out of ports.
const DESTINATIONS_MAX: usize = 1_024;

/// The ports that the system gives out to connections without one of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The lowest.
    pub first: u16,
    /// The highest.
    pub last: u16,
    /// Those between that are kept back, as inclusive spans.
    pub reserved: Vec<(u16, u16)>,
}

impl Range {
    /// How many there are.
    pub fn count(&self) -> u64 {
        (self.first..=self.last).filter(|port| self.contains(*port)).count() as u64
    }

    /// Whether this one is given out.
    pub fn contains(&self, port: u16) -> bool {
        let is_in = |(first, last): &(u16, u16)| (*first..=*last).contains(&port);
        is_in(&(self.first, self.last)) && !self.reserved.iter().any(is_in)
    }
}

/// When a port in TIME_WAIT may be given out again: `net.ipv4.tcp_tw_reuse`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// After 60 s.
    Never,
    /// After one second, when both sides use timestamps.
    Always,
    /// After one second on the loopback, after 60 s elsewhere.
    Loopback,
}

impl Reuse {
    /// Whether ports between these two sides are given out again early.
    pub const fn holds_for(self, is_loopback: bool) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::Loopback => is_loopback,
        }
    }
}

/// Reads the range, below a root such as `/`.
pub fn range(root: &Path) -> Option<Range> {
    let text = fs::read_to_string(root.join("proc/sys/net/ipv4/ip_local_port_range")).ok()?;
    let mut ports = text.split_ascii_whitespace().map_while(|port| port.parse().ok());
    let (first, last) = (ports.next()?, ports.next()?);
    let reserved = fs::read_to_string(root.join("proc/sys/net/ipv4/ip_local_reserved_ports")).unwrap_or_default();
    let reserved = reserved
        .trim()
        .split(',')
        .filter_map(|span| {
            let (from, to) = span.split_once('-').unwrap_or((span, span));
            Some((from.parse().ok()?, to.parse().ok()?))
        })
        .collect();
    Some(Range { first, last, reserved })
}

/// Reads `tcp_tw_reuse`.
pub fn reuse(root: &Path) -> Option<Reuse> {
    let text = fs::read_to_string(root.join("proc/sys/net/ipv4/tcp_tw_reuse")).ok()?;
    match text.trim() {
        "0" => Some(Reuse::Never),
        "1" => Some(Reuse::Always),
        "2" => Some(Reuse::Loopback),
        _ => None,
    }
}

/// Connections of the host in TIME_WAIT, both families.
pub fn time_wait(root: &Path) -> Option<u64> {
    let text = fs::read_to_string(root.join("proc/net/sockstat")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("TCP:"))?;
    let mut words = line.split_ascii_whitespace();
    words.find(|word| *word == "tw")?;
    words.next()?.parse().ok()
}

/// Counts taken ports towards the destinations of this process.
#[derive(Debug)]
pub struct Counter {
    range: Range,
    reuse: Reuse,
    /// Destinations that sockets of this process had, as the kernel writes them.
    destinations: HashSet<String>,
}

impl Counter {
    /// For these rules.
    pub fn new(range: Range, reuse: Reuse) -> Self {
        Self { range, reuse, destinations: HashSet::new() }
    }

    /// Most ports taken from one address to one destination that sockets of this process have or had. `own` are the
    /// inodes of its sockets. O(connections of the host).
    pub fn most(&mut self, root: &Path, own: &HashSet<u64>) -> Option<u64> {
        let mut most = None;
        for table in ["proc/net/tcp", "proc/net/tcp6"] {
            let Ok(text) = fs::read_to_string(root.join(table)) else {
                continue;
            };
            let rows: Vec<Row> = text.lines().skip(1).filter_map(Row::parse).collect();
            most = most.max(Some(self.count(&rows, own)));
        }
        most
    }

    fn count(&mut self, rows: &[Row], own: &HashSet<u64>) -> u64 {
        for row in rows {
            let is_own = row.inode != 0 && own.contains(&row.inode) && self.range.contains(row.local_port);
            let is_known = !is_own || self.destinations.contains(row.remote);
            if !is_known && self.destinations.len() < DESTINATIONS_MAX {
                self.destinations.insert(row.remote.to_owned());
            }
        }
        let mut taken: HashMap<(&str, &str), u64> = HashMap::new();
        for row in rows {
            let counts = self.destinations.contains(row.remote)
                && self.range.contains(row.local_port)
                && !row.is_reusable(self.reuse);
            if counts {
                *taken.entry((row.local_address, row.remote)).or_default() += 1;
            }
        }
        taken.into_values().max().unwrap_or(0)
    }
}

/// A connection in the kernel's table.
#[derive(Debug)]
struct Row<'a> {
    /// Hexadecimal, as all texts here.
    local_address: &'a str,
    local_port: u16,
    /// Address and port.
    remote: &'a str,
    is_waiting: bool,
    /// What is left of its timer, hundredths of a second.
    left_cs: u64,
    inode: u64,
}

impl<'a> Row<'a> {
    /// Listening sockets are no connections and give `None`.
    fn parse(line: &'a str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace().skip(1);
        let (local_address, port) = words.next()?.split_once(':')?;
        let (remote, state) = (words.next()?, words.next()?);
        let timer = words.nth(1)?;
        if state == "0A" {
            return None;
        }
        Some(Self {
            local_address,
            local_port: u16::from_str_radix(port, 16).ok()?,
            remote,
            is_waiting: state == "06",
            left_cs: u64::from_str_radix(timer.split_once(':')?.1, 16).ok()?,
            inode: words.nth(3)?.parse().ok()?,
        })
    }

    fn is_reusable(&self, reuse: Reuse) -> bool {
        let is_old = self.left_cs <= (TIME_WAIT_S - REUSE_AGE_S) * 100;
        self.is_waiting && is_old && reuse.holds_for(self.is_loopback())
    }

    /// 127.0.0.0/8 and ::1, also within IPv6. Words are in the byte order of the machine: the first byte is last.
    fn is_loopback(&self) -> bool {
        let is_v4 = |word: &str| word.ends_with("7F");
        match self.local_address.len() {
            8 => is_v4(self.local_address),
            32 => {
                self.local_address == "00000000000000000000000001000000"
                    || (self.local_address.starts_with("0000000000000000FFFF0000") && is_v4(self.local_address))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
