//! Where injectors and manager of a run agree, over NATS.
//!
//! A record is written only where none is: the first one counts. All of them come to everybody, so looking is a look into
//! memory, and goes on while the connection is down. Commands count when a key that is trusted signed them for this run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::HeaderMap;
use nmax_fleet::lease::Renewal;
use nmax_fleet::records::{Command, encode};
use nmax_fleet::warrant::{PublicKey, SigningKey, verify};
use nmax_fleet::{Coordinator, Key, Lease};
use nmax_metrics::Nanos;
use nmax_metrics::clock::Stamps;
use serde::{Deserialize, Serialize};

use crate::access::ANSWER_MAX;
use crate::broker::{Broker, Link, Task, after, lock};
use crate::error::NatsError;
use crate::feed::{Message, feed};
use crate::lease::Held;
use crate::streams::CONTROL;

/// Between stamps before the start, and while the run goes on.
const STAMPS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(10)];
/// Stamps that are kept for a caller who does not ask for them.
const STAMPS_MAX: usize = 64;
/// Between attempts to write a record.
const AGAIN: Duration = Duration::from_millis(500);

/// What a person asks of a run, as it is signed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Order {
    run: String,
    command: Command,
}

/// What is known of a run.
#[derive(Debug, Default)]
struct Known {
    records: BTreeMap<String, Vec<u8>>,
    writing: BTreeSet<String>,
    command: Option<Command>,
    stamps: Vec<Stamps>,
}

/// The request that is answered, and the epoch where the caller has the lease.
type Answer = (u64, Option<u32>);

/// The lease of a shard.
#[derive(Debug, Default)]
struct Shard {
    renewal: Renewal,
    held: Arc<tokio::sync::Mutex<Held>>,
    answers: Arc<Mutex<Vec<Answer>>>,
}

/// Where injectors and manager of one run agree.
#[derive(Debug)]
pub struct Agreement {
    broker: Broker,
    run: String,
    me: String,
    known: Arc<Mutex<Known>>,
    shards: BTreeMap<u32, Shard>,
    _tasks: [Task; 2],
}

/// Checks a name that becomes part of a subject.
pub(crate) fn token(name: &str) -> Result<&str, NatsError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !name.is_empty() && name.bytes().all(is_plain) {
        return Ok(name);
    }
    Err(NatsError::Refused { what: name.into(), reason: "use letters, digits, `-` and `_` only".into() })
}

/// Asks something of a run, which needs no manager. Returns once the broker has it.
///
/// # Errors
/// Why it does not.
pub fn order(broker: &Broker, run: &str, command: Command, key: &SigningKey) -> Result<(), NatsError> {
    let run = token(run)?;
    let text = key.sign(&encode(&Order { run: run.into(), command }));
    // One subject for each signer and command: a stranger's message does not keep out another's.
    let mark = crate::files::hash(text.as_bytes());
    let subject = format!("nmax.ctl.{run}.cmd.{}", &mark[..16]);
    match broker.wait_for(broker.link.publish(&subject, after(0), text.into_bytes())) {
        Ok(_) | Err(NatsError::Raced { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

impl Known {
    /// A message of the run came.
    ///
    /// # Errors
    /// Why it does not count.
    fn came(&mut self, run: &str, key: &str, message: &Message, keys: &[PublicKey]) -> Result<(), &'static str> {
        let Some(bytes) = &message.bytes else { return Ok(()) };
        if !key.starts_with("cmd.") {
            self.records.entry(key.into()).or_insert_with(|| bytes.clone());
            return Ok(());
        }
        let order = std::str::from_utf8(bytes).ok().and_then(|text| verify(text, keys).ok());
        let order = order.ok_or("no key that is trusted signed this command")?;
        let order = serde_json::from_slice::<Order>(&order).ok().filter(|order| order.run == run);
        let order = order.ok_or("this command was signed for something else")?;
        self.command = self.command.max(Some(order.command));
        Ok(())
    }
}

impl Agreement {
    /// Takes part in a run as `me`, and obeys commands that one of these keys signed.
    ///
    /// # Errors
    /// When a name cannot be part of a subject.
    pub fn new(broker: &Broker, run: &str, me: &str, keys: Vec<PublicKey>) -> Result<Self, NatsError> {
        let (run, me) = (token(run)?.to_owned(), token(me)?.to_owned());
        let known = Arc::new(Mutex::new(Known::default()));
        let (seen, of) = (known.clone(), run.clone());
        let prefix = format!("nmax.ctl.{run}.");
        let troubles = broker.link.troubles.clone();
        let records = feed(broker, CONTROL, format!("{prefix}>"), move |message| {
            let key = message.subject.strip_prefix(&prefix).unwrap_or_default();
            if let Err(reason) = lock(&seen).came(&of, key, &message, &keys) {
                troubles.refused(reason);
            }
        });
        let (link, stamps, subject) = (broker.link.clone(), known.clone(), format!("nmax.stamp.{run}.{me}"));
        let clock = broker.task(async move {
            loop {
                if let Some(stamp) = stamp(&link, &subject).await {
                    let mut known = lock(&stamps);
                    known.stamps.push(stamp);
                    let over = known.stamps.len().saturating_sub(STAMPS_MAX);
                    known.stamps.drain(..over);
                }
                let [before, after] = STAMPS;
                let has_begun = lock(&stamps).records.contains_key(&Key::Start.to_string());
                tokio::time::sleep(if has_begun { after } else { before }).await;
            }
        });
        Ok(Self { broker: broker.clone(), run, me, known, shards: BTreeMap::new(), _tasks: [records, clock] })
    }

    /// Writes a record in the background.
    fn write(&self, key: String, value: Vec<u8>) {
        let (link, known) = (self.broker.link.clone(), self.known.clone());
        let subject = format!("nmax.ctl.{}.{key}", self.run);
        self.broker.spawn(async move {
            let written = first(&link, &subject, &value).await;
            match written {
                Ok(bytes) => drop(lock(&known).records.entry(key.clone()).or_insert(bytes)),
                Err(_) => tokio::time::sleep(AGAIN).await,
            }
            lock(&known).writing.remove(&key);
        });
    }
}

/// Writes a value where none is; the one that stands there.
async fn first(link: &Link, subject: &str, value: &[u8]) -> Result<Vec<u8>, NatsError> {
    match link.publish(subject, after(0), value.to_vec()).await {
        Ok(_) => return Ok(value.to_vec()),
        Err(NatsError::Raced { .. }) => {}
        Err(error) => return Err(error),
    }
    // A server that is behind does not have it yet.
    let found = crate::lease::last(link, subject).await?;
    let missing = || NatsError::Lost { what: subject.into(), reason: "its value is not known yet".into() };
    found.and_then(|found| found.bytes).ok_or_else(missing)
}

/// One exchange with the broker's clock: when it got a message.
pub(crate) async fn stamp(link: &Link, subject: &str) -> Option<Stamps> {
    let sent = link.clock.now();
    let number = link.publish(subject, HeaderMap::new(), Vec::new()).await.ok()?;
    let received = link.clock.now();
    let stream = link.context.get_stream_no_info(CONTROL).await.ok()?;
    let message = tokio::time::timeout(ANSWER_MAX, stream.direct_get(number)).await.ok()?.ok()?;
    let at = Nanos(message.time.unix_timestamp_nanos().max(0) as u64);
    Some(Stamps { sent, arrived: at, answered: at, received })
}

impl Coordinator for Agreement {
    fn once(&mut self, key: Key, value: Option<&[u8]>) -> Option<Vec<u8>> {
        let key = key.to_string();
        let mut known = lock(&self.known);
        if let Some(record) = known.records.get(&key) {
            return Some(record.clone());
        }
        let value = value?;
        if known.writing.insert(key.clone()) {
            drop(known);
            self.write(key, value.to_vec());
        }
        None
    }

    fn lease(&mut self, shard: u32, length: Nanos) -> Option<Lease> {
        let now = self.broker.link.clock.now();
        let lease = self.shards.entry(shard).or_default();
        for (id, epoch) in std::mem::take(&mut *lock(&lease.answers)) {
            lease.renewal.answered(id, epoch, length);
        }
        // One that is under way goes first; a second one waits for it.
        if Arc::strong_count(&lease.held) <= 2
            && let Some(id) = lease.renewal.ask(now, length)
        {
            let (held, answers) = (lease.held.clone(), lease.answers.clone());
            let (link, run, me) = (self.broker.link.clone(), self.run.clone(), self.me.clone());
            self.broker.spawn(async move {
                // What is not known is asked for again.
                if let Ok(epoch) = held.lock().await.ask(&link, &run, shard, &me, length).await {
                    lock(&answers).push((id, epoch));
                }
            });
        }
        lease.renewal.known()
    }

    fn release(&mut self, shard: u32) {
        let Some(lease) = self.shards.get_mut(&shard) else { return };
        lease.renewal.release();
        lock(&lease.answers).clear();
        let (held, link, run) = (lease.held.clone(), self.broker.link.clone(), self.run.clone());
        self.broker.spawn(async move { held.lock().await.release(&link, &run, shard).await });
    }

    fn command(&mut self) -> Option<Command> {
        lock(&self.known).command
    }

    fn stamps(&mut self, _: Nanos) -> Vec<Stamps> {
        std::mem::take(&mut lock(&self.known).stamps)
    }
}
