//! Messages of a stream from the first one on, for as long as somebody wants them.

use std::time::Duration;

use async_nats::jetstream::consumer::{DeliverPolicy, pull};
use futures_util::StreamExt;
use nmax_metrics::Nanos;

use crate::access::pause;
use crate::broker::{Broker, Link, Task};
use crate::error::NatsError;
use crate::streams::CONTROL;

/// Between two looks of a person's command.
const LOOK: Duration = Duration::from_millis(20);

/// What a caller reads of a fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Its injectors.
    Workers,
    /// Its runs.
    Runs,
}

impl Reading {
    fn stream(self) -> &'static str {
        match self {
            Self::Workers => "KV_nmax_workers",
            Self::Runs => CONTROL,
        }
    }
}

impl Broker {
    /// Waits until a stream of the fleet was read, or cannot be.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn wait_until_read(&self, what: Reading) -> Result<(), NatsError> {
        let stream = what.stream();
        self.wait_for(async {
            while !self.link.troubles.has_worked(stream) {
                if let Some(error) = self.link.troubles.now().pop() {
                    return Err(error);
                }
                tokio::time::sleep(LOOK).await;
            }
            Ok(())
        })
    }
}

/// A message of a stream.
pub(crate) struct Message {
    /// Its subject.
    pub(crate) subject: String,
    /// What it says; `None` for the mark that an earlier one expired or was deleted.
    pub(crate) bytes: Option<Vec<u8>>,
    /// The message expired: its mark has no bytes.
    pub(crate) has_expired: bool,
    /// When the broker got it, ns since 1970.
    pub(crate) at: Nanos,
}

/// Hands on each message of these subjects, in order, until the task is dropped.
pub(crate) fn feed(
    broker: &Broker,
    stream: &'static str,
    subjects: String,
    mut take: impl FnMut(Message) + Send + 'static,
) -> Task {
    let link = broker.link.clone();
    broker.task(async move {
        let (mut next, mut failures) = (1, 0);
        loop {
            let before = next;
            let reason = follow(&link, stream, &subjects, &mut next, &mut take).await;
            failures = if next > before { 1 } else { failures + 1 };
            // One break is mended by reading on.
            if failures > 1 || !link.troubles.has_worked(stream) {
                link.unread(stream, &reason);
            }
            tokio::time::sleep(pause(failures + 1).max(Duration::from_millis(10))).await;
        }
    })
}

/// Hands on messages from the number `next` on until something fails; what.
async fn follow(
    link: &Link,
    name: &str,
    subjects: &str,
    next: &mut u64,
    take: &mut (impl FnMut(Message) + Send),
) -> String {
    let config = pull::OrderedConfig {
        filter_subject: subjects.into(),
        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: *next },
        ..Default::default()
    };
    let stream = match link.context.get_stream_no_info(name).await {
        Ok(stream) => stream,
        Err(error) => return error.to_string(),
    };
    let consumer = match stream.create_consumer(config).await {
        Ok(consumer) => consumer,
        Err(error) => return error.to_string(),
    };
    let mut messages = match consumer.messages().await {
        Ok(messages) => messages,
        Err(error) => return error.to_string(),
    };
    link.reads(name);
    while let Some(message) = messages.next().await {
        let message = match message {
            Ok(message) => message,
            Err(error) => return error.to_string(),
        };
        let Ok(info) = message.info() else { return "a message without a number".into() };
        *next = info.stream_sequence + 1;
        let at = Nanos(info.published.unix_timestamp_nanos().max(0) as u64);
        let of_header = |name: &str| message.headers.as_ref()?.get(name);
        let expired = of_header("Nats-Marker-Reason").map(|reason| reason.as_str() == "MaxAge");
        let is_mark = expired.is_some() || of_header("KV-Operation").is_some();
        let bytes = (!is_mark).then(|| message.payload.to_vec());
        take(Message { subject: message.subject.to_string(), bytes, has_expired: expired == Some(true), at });
    }
    "its messages ended".into()
}
