//! What a recorder tells.

use nmax_import::recording::{Body, Entry, Response};
use tokio::sync::mpsc::Receiver;

use crate::capture::MemoryReservation;

/// Plain bytes of one body, as a multiple of the coded bytes that are kept: a bomb is cut.
const PLAIN_FACTOR: usize = 4;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An exchange ended, well or not: [`Entry::comment`] says so. Its number counts from 1.
    Exchange(Box<Entry>),
    /// For the first time something went to this host, which is not recorded.
    Passed(String),
    /// For the first time a client did not accept the recording's certificate for this host; why.
    Untrusted {
        /// The host.
        host: String,
        /// What the client did, and what may help.
        reason: String,
    },
}

/// Something on its way to [`Events`].
pub(crate) enum Queued {
    Exchange(Box<Entry>, MemoryReservation),
    Passed(String),
    Untrusted { host: String, reason: String },
}

/// What happened, in the order in which it ended.
pub struct Events {
    pub(crate) queue: Receiver<Queued>,
    pub(crate) body_bytes_max: usize,
    pub(crate) exchanges: usize,
}

impl Events {
    /// The next one; `None` after the last one of a recorder that was stopped.
    pub async fn next(&mut self) -> Option<Event> {
        let queued = self.queue.recv().await?;
        Some(self.event(queued))
    }

    /// The same for a thread without a runtime.
    pub fn next_blocking(&mut self) -> Option<Event> {
        let queued = self.queue.blocking_recv()?;
        Some(self.event(queued))
    }

    fn event(&mut self, queued: Queued) -> Event {
        match queued {
            Queued::Exchange(mut entry, _kept) => {
                self.exchanges += 1;
                entry.number = self.exchanges;
                if let Some(response) = &mut entry.response
                    && let Some(problem) = decode(response, self.body_bytes_max.saturating_mul(PLAIN_FACTOR))
                {
                    if !entry.comment.is_empty() {
                        entry.comment.push_str("; ");
                    }
                    entry.comment.push_str(&problem);
                }
                Event::Exchange(entry)
            }
            Queued::Passed(host) => Event::Passed(host),
            Queued::Untrusted { host, reason } => Event::Untrusted { host, reason },
        }
    }
}

/// Undoes the content codings of a reply's body, as far as it was kept; gives what is wrong with a whole one.
fn decode(response: &mut Response, bytes_max: usize) -> Option<String> {
    let body: &mut Body = response.body.as_mut()?;
    if body.bytes.is_empty() {
        return None;
    }
    let lines =
        response.headers.iter().filter(|(name, _)| name == "content-encoding").map(|(_, value)| value.as_bytes());
    let undone = nmax_http::undo(lines, &body.bytes, bytes_max)?;
    if undone.problem.is_some() && undone.bytes.is_empty() && !body.is_cut {
        // Not coded at all, as some servers do: the bytes say more than nothing.
        return undone.problem.map(|problem| problem.to_string());
    }
    let was_cut = body.is_cut;
    body.is_cut |= undone.problem.is_some();
    body.bytes = undone.bytes;
    undone.problem.filter(|_| !was_cut).map(|problem| problem.to_string())
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").field("exchanges", &self.exchanges).finish_non_exhaustive()
    }
}
