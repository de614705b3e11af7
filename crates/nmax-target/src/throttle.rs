//! A line with so many bytes per second, for all connections together: between the outside and the target's listener.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::clock;

/// Most connections at once; further ones wait in the kernel's backlog.
const CONNECTIONS_MAX: usize = 4_096;
/// How long a connection has the line when it is its turn, as a part of a second: tokio's timers have steps of 1 ms.
const TURNS_PER_S: u64 = 500;
/// Most and fewest bytes of a turn.
const TURN_BYTES: (u64, u64) = (512, 65_536);
/// Pause after a failed accept, such as one out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// One direction of the line.
#[derive(Debug)]
struct Line {
    bytes_per_s: u64,
    /// Until when it is taken, in nanoseconds of `clock`.
    taken_until_ns: AtomicU64,
}

impl Line {
    fn new(bytes_per_s: u64) -> Self {
        Self { bytes_per_s: bytes_per_s.max(1), taken_until_ns: AtomicU64::new(0) }
    }

    /// Takes the line for `bytes`, after those who came before, and returns when they are through.
    fn take(&self, now_ns: u64, bytes: usize) -> u64 {
        let span_ns = u64::try_from(bytes as u128 * 1_000_000_000 / u128::from(self.bytes_per_s)).unwrap_or(u64::MAX);
        let through = |taken_until_ns: u64| taken_until_ns.max(now_ns).saturating_add(span_ns);
        let before =
            self.taken_until_ns.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| Some(through(taken)));
        through(before.unwrap_or(now_ns))
    }
}

/// Carries connections of `listener` to `inside`. Dropping the future closes them.
pub(crate) async fn carry(listener: TcpListener, inside: SocketAddr, bytes_per_s: u64) {
    let lines = [Arc::new(Line::new(bytes_per_s)), Arc::new(Line::new(bytes_per_s))];
    let permits = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
        let outside = loop {
            match listener.accept().await {
                Ok((stream, _)) => break stream,
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        };
        let lines = lines.clone();
        connections.spawn(async move {
            // A broken connection is for its two ends to notice.
            let _ = through(outside, inside, &lines).await;
            drop(permit);
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn through(outside: TcpStream, inside: SocketAddr, lines: &[Arc<Line>; 2]) -> io::Result<()> {
    outside.set_nodelay(true)?;
    let inside = TcpStream::connect(inside).await?;
    inside.set_nodelay(true)?;
    let (from_outside, to_outside) = outside.into_split();
    let (from_inside, to_inside) = inside.into_split();
    tokio::try_join!(pump(from_outside, to_inside, &lines[0]), pump(from_inside, to_outside, &lines[1]),)?;
    Ok(())
}

/// Passes bytes on, each when the line has room for it.
async fn pump(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, line: &Line) -> io::Result<()> {
    let turn_bytes = (line.bytes_per_s / TURNS_PER_S).clamp(TURN_BYTES.0, TURN_BYTES.1);
    let mut buffer = vec![0; turn_bytes as usize];
    loop {
        let count = from.read(&mut buffer).await?;
        if count == 0 {
            return to.shutdown().await;
        }
        let now_ns = clock::now_ns();
        let due_ns = line.take(now_ns, count);
        tokio::time::sleep(Duration::from_nanos(due_ns.saturating_sub(now_ns))).await;
        to.write_all(&buffer[..count]).await?;
    }
}

#[cfg(test)]
mod tests;
