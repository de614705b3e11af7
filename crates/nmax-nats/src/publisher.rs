//! Batches on their way from an injector's spool to the broker.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use async_nats::{HeaderMap, header};
use nmax_fleet::BatchId;
use nmax_fleet::spool::Publisher;

use crate::broker::{Broker, lock};
use crate::coordinator::token;
use crate::error::NatsError;

/// Sends batches of a run. What is not acknowledged, the spool sends again.
#[derive(Debug)]
pub struct ResultPublisher {
    broker: Broker,
    run: String,
    sent: Arc<Mutex<Sent>>,
}

#[derive(Debug, Default)]
struct Sent {
    under_way: BTreeSet<BatchId>,
    acknowledged: Vec<BatchId>,
}

impl ResultPublisher {
    /// Sends batches of a run.
    ///
    /// # Errors
    /// When the run's name cannot be part of a subject.
    pub fn new(broker: &Broker, run: &str) -> Result<Self, NatsError> {
        Ok(Self { broker: broker.clone(), run: token(run)?.into(), sent: Arc::default() })
    }
}

impl Publisher for ResultPublisher {
    fn publish(&mut self, id: BatchId, bytes: Vec<u8>) {
        if !lock(&self.sent).under_way.insert(id) {
            return;
        }
        let BatchId { shard, epoch, sequence } = id;
        let run = &self.run;
        let subject = format!("nmax.res.{run}.{shard}.{epoch}");
        let mut headers = HeaderMap::new();
        headers.insert(header::NATS_MESSAGE_ID, format!("{run}.{shard}.{epoch}.{sequence}"));
        let (link, sent) = (self.broker.link.clone(), self.sent.clone());
        self.broker.spawn(async move {
            let published = link.publish(&subject, headers, bytes).await;
            let mut sent = lock(&sent);
            sent.under_way.remove(&id);
            if published.is_ok() {
                sent.acknowledged.push(id);
            }
        });
    }

    fn acknowledged(&mut self) -> Vec<BatchId> {
        std::mem::take(&mut lock(&self.sent).acknowledged)
    }
}
