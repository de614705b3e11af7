//! Batches of a run for its manager, from the first one on.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::{AckKind, Message, message::Acker};
use futures_util::StreamExt;
use nmax_fleet::Batch;
use nmax_metrics::Nanos;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::access::pause;
use crate::broker::{Broker, Link, Task};
use crate::coordinator::token;
use crate::error::NatsError;
use crate::streams::RESULTS;

/// Batches that wait for their receiver.
const WAITING_MAX: usize = 256;
/// After this time a batch without an answer comes again.
const AGAIN: Duration = Duration::from_secs(30);
/// A batch that came too early comes again after this time.
const EARLY: Duration = Duration::from_secs(1);
/// The server forgets a manager that asks for nothing for so long.
const FORGOTTEN: Duration = Duration::from_secs(3600);

/// Batches of a run. Each comes at least once, and again until [`Arrival::done`].
#[derive(Debug)]
pub struct Subscription {
    broker: Broker,
    arrivals: Receiver<Arrived>,
    _task: Task,
}

struct Arrived {
    batch: Batch,
    at: Nanos,
    acker: Acker,
}

/// A batch that came.
pub struct Arrival {
    /// The batch.
    pub batch: Batch,
    /// When the broker got it, ns since 1970 on its clock.
    pub at: Nanos,
    acker: Acker,
    broker: Broker,
}

impl Arrival {
    /// It was dealt with: it does not come again.
    pub fn done(self) {
        self.answer(AckKind::Ack);
    }

    /// It comes again later.
    pub fn again(self) {
        self.answer(AckKind::Nak(Some(EARLY)));
    }

    fn answer(self, kind: AckKind) {
        let Self { acker, broker, .. } = self;
        // An answer that gets lost makes it come again.
        broker.spawn(async move {
            let _ = acker.ack_with(kind).await;
        });
    }
}

impl Subscription {
    /// All batches of a run, for a manager of this name: one that starts again gets them from the first one on.
    ///
    /// # Errors
    /// When a name cannot be part of a subject.
    pub fn new(broker: &Broker, run: &str, manager: &str) -> Result<Self, NatsError> {
        let (run, manager) = (token(run)?.to_owned(), token(manager)?.to_owned());
        let (sender, arrivals) = channel(WAITING_MAX);
        let link = broker.link.clone();
        let task = broker.task(async move {
            let name = format!("{run}-{manager}");
            let (mut failures, mut is_new) = (0, true);
            loop {
                let problem = match follow(&link, &run, &name, is_new, &sender).await {
                    Ok(()) => return,
                    Err(Broken { reason, has_begun }) => {
                        // What is asked anew after it once worked goes on where it was.
                        is_new = is_new && !has_begun;
                        failures = if has_begun { 1 } else { failures + 1 };
                        reason
                    }
                };
                link.unread(RESULTS, &problem);
                tokio::time::sleep(pause(failures + 1).max(Duration::from_millis(10))).await;
            }
        });
        Ok(Self { broker: broker.clone(), arrivals, _task: task })
    }

    /// The next batch, if one is here.
    pub fn take(&mut self) -> Option<Arrival> {
        let Arrived { batch, at, acker } = self.arrivals.try_recv().ok()?;
        Some(Arrival { batch, at, acker, broker: self.broker.clone() })
    }
}

/// Why no more batches come.
struct Broken {
    reason: String,
    has_begun: bool,
}

/// Hands on batches until something fails, or the receiver is dropped.
async fn follow(link: &Link, run: &str, name: &str, is_new: bool, sender: &Sender<Arrived>) -> Result<(), Broken> {
    let broken = |has_begun: bool, error: &dyn std::fmt::Display| Broken { reason: error.to_string(), has_begun };
    let stream = link.context.get_stream_no_info(RESULTS).await.map_err(|error| broken(false, &error))?;
    if is_new {
        // An earlier manager of this name may have left one that is half read.
        let _ = stream.delete_consumer(name).await;
    }
    let config = pull::Config {
        durable_name: Some(name.into()),
        filter_subject: format!("nmax.res.{run}.>"),
        deliver_policy: DeliverPolicy::All,
        ack_policy: AckPolicy::Explicit,
        ack_wait: AGAIN,
        max_ack_pending: 4 * WAITING_MAX as i64,
        inactive_threshold: FORGOTTEN,
        ..pull::Config::default()
    };
    let consumer = stream.create_consumer(config).await.map_err(|error| broken(false, &error))?;
    let messages = consumer.stream().max_messages_per_batch(WAITING_MAX).messages().await;
    let mut messages = messages.map_err(|error| broken(false, &error))?;
    link.reads(RESULTS);
    while let Some(message) = messages.next().await {
        let message = message.map_err(|error| broken(true, &error))?;
        if let Some(arrived) = arrived(message, run, link).await
            && sender.send(arrived).await.is_err()
        {
            return Ok(());
        }
    }
    Err(broken(true, &"the consumer ended"))
}

/// The batch that a message is. What is none does not come again.
async fn arrived(message: Message, run: &str, link: &Link) -> Option<Arrived> {
    let at = message.info().map(|info| info.published.unix_timestamp_nanos().max(0) as u64);
    let at = Nanos(at.unwrap_or_default());
    let (message, acker) = message.split();
    let batch = Batch::decode(&message.payload);
    let is_of = |batch: &Batch| {
        batch.run == run && message.subject.as_str() == format!("nmax.res.{run}.{}.{}", batch.id.shard, batch.id.epoch)
    };
    match batch {
        Ok(batch) if is_of(&batch) => return Some(Arrived { batch, at, acker }),
        Ok(_) => link.troubles.refused("it is a batch of another run, or under the subject of another part"),
        Err(_) => link.troubles.refused("it is not a batch of results"),
    }
    let _ = acker.ack_with(AckKind::Term).await;
    None
}
