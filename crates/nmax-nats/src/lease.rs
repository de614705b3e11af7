//! Leases of shards: a message that lives for as long as the lease, and a number of grants beside it that lives on.
//!
//! Each message is written after the one that was read before, or not at all, so one of several who ask gets the lease. The
//! number of the grant is counted up while the lease is held, in the same way: a holder that was overtaken between the two is
//! refused. What expires is marked by the server, and the mark is written over like any other message.

use std::time::Duration;

use async_nats::header;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use nmax_fleet::records::encode;
use nmax_metrics::Nanos;
use serde::{Deserialize, Serialize};

use crate::broker::{Link, after};
use crate::error::NatsError;
use crate::streams::CONTROL;

/// Tries to count up while others do.
const TRIES: u32 = 5;
/// The clocks of the servers of a cluster may differ by this much: another leader frees what it did not see begin.
const SERVERS_APART: Duration = Duration::from_secs(1);

/// Who has a lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    /// Id of the injector; `None` for a lease that was let go.
    holder: Option<String>,
    /// Which of its attempts it was.
    attempt: u64,
}

/// The lease of one shard, as one injector knows it.
#[derive(Debug, Default)]
pub(crate) struct Held {
    attempts: u64,
    has: Option<Has>,
}

/// A lease that is held.
#[derive(Clone, Copy, Debug)]
struct Has {
    /// The attempt that got it.
    attempt: u64,
    /// The number of its last message.
    last: u64,
    /// Its epoch, once that is counted.
    epoch: Option<u32>,
}

/// Where the lease of a shard stands.
fn subject(run: &str, shard: u32) -> String {
    format!("nmax.lease.{run}.{shard}")
}

impl Held {
    /// Asks for the lease, or renews it; the epoch, or `None` where another has it.
    ///
    /// # Errors
    /// When that is not known.
    pub(crate) async fn ask(
        &mut self,
        link: &Link,
        run: &str,
        shard: u32,
        me: &str,
        length: Nanos,
    ) -> Result<Option<u32>, NatsError> {
        let subject = subject(run, shard);
        let renewed = match self.has {
            Some(has) => write(link, &subject, me, has, length).await?,
            None => None,
        };
        let Some(has) = (match renewed {
            Some(has) => Some(has),
            None => self.acquire(link, &subject, me, length).await?,
        }) else {
            self.has = None;
            return Ok(None);
        };
        self.has = Some(has);
        let epoch = match has.epoch {
            Some(epoch) => epoch,
            None => count(link, &format!("{subject}.epoch")).await?,
        };
        self.has = Some(Has { epoch: Some(epoch), ..has });
        Ok(Some(epoch))
    }

    /// Writes over a lease that is free: never held, expired, let go, or an own message whose answer got lost.
    async fn acquire(&mut self, link: &Link, subject: &str, me: &str, length: Nanos) -> Result<Option<Has>, NatsError> {
        let found = last(link, subject).await?;
        let holder = found.as_ref().and_then(|found| serde_json::from_slice::<Holder>(found.bytes.as_deref()?).ok());
        let is_mine = holder.as_ref().is_some_and(|holder| holder.holder.as_deref() == Some(me));
        if !is_mine && holder.as_ref().is_some_and(|holder| holder.holder.is_some()) {
            return Ok(None);
        }
        let last = found.map_or(0, |found| found.number);
        // Only a lease that was held all the time is of the same epoch.
        let has = match (self.has, holder) {
            (Some(has), Some(holder)) if is_mine && holder.attempt == has.attempt => Has { last, ..has },
            _ => {
                self.attempts += 1;
                Has { attempt: self.attempts, last, epoch: None }
            }
        };
        write(link, subject, me, has, length).await
    }

    /// Lets go of what is held.
    pub(crate) async fn release(&mut self, link: &Link, run: &str, shard: u32) {
        if let Some(Has { attempt, last, .. }) = self.has.take() {
            let free = encode(&Holder { holder: None, attempt });
            // What cannot be let go expires.
            let _ = link.publish(&subject(run, shard), after(last), free).await;
        }
    }
}

/// Writes the lease after its last message; `None` when another wrote first.
async fn write(link: &Link, subject: &str, me: &str, has: Has, length: Nanos) -> Result<Option<Has>, NatsError> {
    let mut headers = after(has.last);
    let seconds = (Duration::from(length) + SERVERS_APART).as_secs_f64().ceil();
    headers.insert(header::NATS_MESSAGE_TTL, format!("{seconds:.0}s"));
    let holder = encode(&Holder { holder: Some(me.into()), attempt: has.attempt });
    match link.publish(subject, headers, holder).await {
        Ok(last) => Ok(Some(Has { last, ..has })),
        Err(NatsError::Raced { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Adds one to the number that a subject holds.
async fn count(link: &Link, subject: &str) -> Result<u32, NatsError> {
    for _ in 0..TRIES {
        let (number, value) = match last(link, subject).await? {
            None => (0, 0),
            Some(last) => {
                let text = last.bytes.and_then(|bytes| String::from_utf8(bytes).ok());
                (last.number, text.and_then(|text| text.parse::<u32>().ok()).unwrap_or(0))
            }
        };
        match link.publish(subject, after(number), (value + 1).to_string().into_bytes()).await {
            Ok(_) => return Ok(value + 1),
            Err(NatsError::Raced { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(NatsError::Raced { what: subject.into() })
}

/// The last message of a subject.
pub(crate) struct Last {
    pub(crate) number: u64,
    /// `None` for a mark.
    pub(crate) bytes: Option<Vec<u8>>,
}

/// The last message of a subject, as the leader of the stream knows it.
pub(crate) async fn last(link: &Link, subject: &str) -> Result<Option<Last>, NatsError> {
    let stream = link.context.get_stream_no_info(CONTROL).await;
    let stream = stream.map_err(|error| NatsError::of_operation(subject, &error))?;
    match stream.get_last_raw_message_by_subject(subject).await {
        Ok(message) => {
            let is_mark = message.headers.get(header::NATS_MARKER_REASON).is_some();
            let bytes = (!is_mark).then(|| message.payload.to_vec());
            Ok(Some(Last { number: message.sequence, bytes }))
        }
        Err(error) => match error.kind() {
            LastRawMessageErrorKind::NoMessageFound => Ok(None),
            LastRawMessageErrorKind::JetStream(error) if error.error_code() == ErrorCode::NO_MESSAGE_FOUND => Ok(None),
            _ => Err(link.lost(subject, &error.to_string())),
        },
    }
}
