//! The connections of this process, as TCP sees them: round trips, segments sent again.
//!
//! A server may acknowledge a request with its reply, so a smoothed round trip holds up to 40 ms of the server's own time.
//! The shortest one of each connection does not, and is what counts here.
//!
//! The kernel is asked by `sock_diag` from the reader's own thread, for all sockets at once (sock_diag(7)); what is measured
//! is not touched, and no worker does anything for it. It tells what `TCP_INFO` tells.

mod diag;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::time::Duration;

use nmax_metrics::Nanos;
use nmax_sources::figures;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, netlink, recv, send, socket_with};

use crate::host::reading::{Pace, Previous};
use crate::{Reading, Source, Trouble};
use diag::Row;

/// Connections that one look takes. The kernel tells of them in the order of a hash of their addresses, so these are any.
const SAMPLED_MAX: usize = 256;
/// Connections of the host that one look goes through.
const ROWS_MAX: usize = 50_000;
/// Open files of this process that one look goes through.
const FILES_MAX: usize = 50_000;
/// The part of a core that looking may take: one in this many.
const COST: u64 = 1_000;
/// How long the kernel may take to answer.
const PATIENCE: Duration = Duration::from_secs(1);
/// `EPROTONOSUPPORT` and `EAFNOSUPPORT`: a kernel without netlink or without `sock_diag`.
const NO_PROTOCOL: i32 = 93;
const NO_FAMILY: i32 = 97;
/// Room for what the kernel sends at once.
const BUFFER_BYTES: usize = 64 << 10;

/// Open connections of this process.
#[derive(Debug)]
pub struct Connections {
    pace: Pace,
    /// Segments sent again by each connection, by its inode.
    before: Previous<HashMap<u64, u32>>,
    buffer: Vec<u8>,
}

impl Default for Connections {
    fn default() -> Self {
        Self::new()
    }
}

impl Connections {
    /// Nothing is read yet.
    pub fn new() -> Self {
        Self { pace: Pace::new(COST), before: Previous::default(), buffer: vec![0; BUFFER_BYTES] }
    }

    fn figures(&mut self, now: Nanos, rows: &[Row]) -> Vec<Reading> {
        let reading = |figure, value: f64| Reading::new("connections", figure, value);
        let mut readings = vec![reading(figures::SAMPLED_COUNT, rows.len() as f64)];
        let sent_again: HashMap<u64, u32> = rows.iter().map(|row| (row.inode, row.sent_again)).collect();
        if let Some((span_s, before)) = self.before.replace(now, sent_again) {
            let grown = rows.iter().filter_map(|row| {
                let before = before.get(&row.inode)?;
                row.sent_again.checked_sub(*before).map(u64::from)
            });
            // Of connections that came since nothing is known, and without any there is no rate.
            let grown = grown.reduce(u64::saturating_add);
            readings.extend(grown.map(|grown| reading(figures::RETRANSMITTED_PER_S, grown as f64 / span_s)));
        }
        let mut smooth: Vec<u32> = rows.iter().map(|row| row.rtt_us).filter(|us| *us > 0).collect();
        let mut least: Vec<u32> = rows.iter().filter_map(|row| row.rtt_min_us).collect();
        let figures = [
            (figures::RTT_MS, quantile(&mut least, 0.5)),
            (figures::RTT_P95_MS, quantile(&mut least, 0.95)),
            (figures::SMOOTHED_RTT_MS, quantile(&mut smooth, 0.5)),
        ];
        let known = figures.into_iter().filter_map(|(figure, us)| Some(reading(figure, f64::from(us?) / 1e3)));
        readings.extend(known);
        readings
    }
}

impl Source for Connections {
    fn read(&mut self, now: Nanos) -> Result<Vec<Reading>, Trouble> {
        let buffer = &mut self.buffer;
        match self.pace.run(now, || own_connections(buffer)) {
            None => Ok(Vec::new()),
            Some(Ok(rows)) => Ok(self.figures(now, &rows)),
            Some(Err(error)) => Err(trouble(&error)),
        }
    }
}

/// A kernel without `sock_diag` stays without; what a busy host refuses now it may tell later.
fn trouble(error: &io::Error) -> Trouble {
    let is_lasting = matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::Unsupported | ErrorKind::InvalidInput
    ) || matches!(error.raw_os_error(), Some(NO_PROTOCOL | NO_FAMILY));
    let text = format!("the kernel does not tell of this process's connections ({error}), so round trips are not seen");
    if is_lasting { Trouble::lasting(text) } else { Trouble::passing(text) }
}

/// The smallest value that at least the part `q` of all is not above.
fn quantile(values: &mut [u32], q: f64) -> Option<u32> {
    let rank = (values.len() as f64 * q).ceil().max(1.0) as usize - 1;
    (rank < values.len()).then(|| *values.select_nth_unstable(rank).1)
}

/// Connections of this process. O(its files and the host's connections), both within limits.
fn own_connections(buffer: &mut [u8]) -> io::Result<Vec<Row>> {
    let entries = fs::read_dir("/proc/self/fd")?;
    let links = entries.flatten().take(FILES_MAX).filter_map(|entry| fs::read_link(entry.path()).ok());
    let own: HashSet<u64> = links.filter_map(|link| inode(link.to_str()?)).collect();
    let mut rows = Vec::new();
    if own.is_empty() {
        return Ok(rows);
    }
    for family in [AddressFamily::INET, AddressFamily::INET6] {
        let asked = ask(family, &own, buffer, &mut rows);
        // A kernel without IPv6 has nothing to tell of it.
        match asked {
            Err(_) if family == AddressFamily::INET6 => {}
            asked => asked?,
        }
    }
    Ok(rows)
}

/// The number in `socket:[4711]`.
pub(crate) fn inode(link: &str) -> Option<u64> {
    link.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

/// Asks for the open connections of one family. What is left of the answer is dropped with the socket.
fn ask(family: AddressFamily, own: &HashSet<u64>, buffer: &mut [u8], rows: &mut Vec<Row>) -> io::Result<()> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, Some(netlink::SOCK_DIAG))?;
    set_socket_timeout(&socket, Timeout::Recv, Some(PATIENCE))?;
    send(&socket, &diag::request(family.as_raw() as u8), SendFlags::empty())?;
    let mut seen = 0;
    loop {
        let (length, _) = recv(&socket, &mut *buffer, RecvFlags::empty())?;
        let batch = diag::parse(&buffer[..length]);
        if let Some(code) = batch.error {
            return Err(io::Error::from_raw_os_error(code));
        }
        seen += batch.rows.len();
        let room = SAMPLED_MAX - rows.len();
        rows.extend(batch.rows.into_iter().filter(|row| own.contains(&row.inode)).take(room));
        if batch.is_last || length == 0 || seen >= ROWS_MAX || rows.len() >= SAMPLED_MAX {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests;
