//! What injectors say of themselves, and runs that are offered to them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::HeaderMap;
use nmax_metrics::Nanos;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::broker::{Broker, Task, lock};
use crate::coordinator::token;
use crate::error::NatsError;
use crate::feed::feed;
use crate::streams::{CONTROL, WORKERS};

/// How often an injector says that it is there: thrice in the time after which it is forgotten.
const EVERY: Duration = Duration::from_secs(5);
/// Injectors that are known although they are silent.
const SILENT_MAX: usize = 256;
/// Offers that wait to be looked at.
const OFFERS_MAX: usize = 1024;

/// What an injector says of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Worker {
    /// Its id, of this process alone.
    pub id: String,
    /// Its host.
    pub host: String,
    /// Its version of nmax.
    pub version: String,
    /// Its region.
    pub region: Option<String>,
    /// Processors.
    pub cores: u32,
    /// Threads that put on its load.
    #[serde(default)]
    pub workers: u32,
    /// Requests per second that it can send, as calibrated.
    pub capacity: u32,
    /// Its clock against the broker's, ns.
    pub clock_offset_ns: i64,
    /// How uncertain that is, ns.
    pub clock_error_ns: u64,
    /// The run that it takes part in.
    pub run: Option<String>,
    /// Takes no further run.
    pub is_draining: bool,
}

/// Says what an injector is, again and again, until it is dropped.
#[derive(Debug)]
pub struct Announcement {
    broker: Broker,
    subject: String,
    worker: watch::Sender<Worker>,
    _task: Task,
}

/// An injector, and when it was heard.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// What it said last.
    pub worker: Worker,
    /// When that came, on the clock of the connection.
    pub at: Nanos,
    /// It neither said anything for longer than it is kept, nor that it leaves.
    pub is_silent: bool,
}

/// The injectors that are there, and those that fell silent since this began.
#[derive(Debug)]
pub struct Workers {
    known: Arc<Mutex<BTreeMap<String, Heard>>>,
    _task: Task,
}

/// A run that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Id of the run.
    pub run: String,
    /// Its record ([`nmax_fleet::records::Spec`]).
    pub spec: Vec<u8>,
    /// When it was offered, ns since 1970 on the broker's clock.
    pub at: Nanos,
}

/// Runs that are offered.
#[derive(Debug)]
pub struct Offers {
    waiting: Arc<Mutex<Vec<Offer>>>,
    _task: Task,
}

impl Announcement {
    /// Says that an injector is there.
    ///
    /// # Errors
    /// When its id cannot be part of a subject.
    pub fn new(broker: &Broker, worker: Worker) -> Result<Self, NatsError> {
        let subject = format!("$KV.{WORKERS}.{}", token(&worker.id)?);
        let (worker, mut changes) = watch::channel(worker);
        let (link, to) = (broker.link.clone(), subject.clone());
        let task = broker.task(async move {
            loop {
                let worker = nmax_fleet::records::encode(&*changes.borrow_and_update());
                // What does not come now comes with the next one.
                let _ = link.publish(&to, HeaderMap::new(), worker).await;
                let _ = tokio::time::timeout(EVERY, changes.changed()).await;
            }
        });
        Ok(Self { broker: broker.clone(), subject, worker, _task: task })
    }

    /// Changes what it says.
    pub fn set(&self, worker: Worker) {
        self.worker.send_replace(worker);
    }

    /// Changes what it says the next time.
    pub fn amend(&self, change: impl FnOnce(&mut Worker)) {
        self.worker.send_if_modified(|worker| {
            change(worker);
            false
        });
    }
}

impl Drop for Announcement {
    /// An injector that ends takes itself off the list.
    fn drop(&mut self) {
        let (link, subject) = (self.broker.link.clone(), self.subject.clone());
        self.broker.spawn(async move {
            let mut headers = HeaderMap::new();
            headers.insert("KV-Operation", "DEL");
            let _ = link.publish(&subject, headers, Vec::new()).await;
        });
    }
}

impl Workers {
    /// The injectors that are there, from now on.
    pub fn new(broker: &Broker) -> Self {
        let known = Arc::new(Mutex::new(BTreeMap::new()));
        let of = known.clone();
        let prefix = format!("$KV.{WORKERS}.");
        let clock = Arc::clone(&broker.link.clock);
        let task = feed(broker, "KV_nmax_workers", format!("{prefix}>"), move |message| {
            let id = message.subject.strip_prefix(&prefix).unwrap_or_default().to_owned();
            let worker = message.bytes.and_then(|bytes| serde_json::from_slice::<Worker>(&bytes).ok());
            let mut known = lock(&of);
            match worker {
                Some(worker) if worker.id == id => {
                    known.insert(id, Heard { worker, at: clock.now(), is_silent: false });
                }
                None if message.has_expired => fell_silent(&mut known, &id),
                _ => drop(known.remove(&id)),
            }
        });
        Self { known, _task: task }
    }

    /// Those that are there now, by id.
    pub fn list(&self) -> Vec<Worker> {
        lock(&self.known).values().filter(|heard| !heard.is_silent).map(|heard| heard.worker.clone()).collect()
    }

    /// Those that are there now, and those that fell silent, by id.
    pub fn heard(&self) -> Vec<Heard> {
        lock(&self.known).values().cloned().collect()
    }
}

/// Keeps an injector that says nothing more, in place of the one that has done so for longest.
fn fell_silent(known: &mut BTreeMap<String, Heard>, id: &str) {
    let Some(heard) = known.get_mut(id) else { return };
    heard.is_silent = true;
    let silent = known.iter().filter(|(_, heard)| heard.is_silent);
    if silent.clone().count() > SILENT_MAX
        && let Some(oldest) = silent.min_by_key(|(_, heard)| heard.at).map(|(id, _)| id.clone())
    {
        known.remove(&oldest);
    }
}

impl Offers {
    /// Runs that are offered, those of the last days too: whether one is still to begin, its spec and start tell.
    pub fn new(broker: &Broker) -> Self {
        let waiting = Arc::new(Mutex::new(Vec::new()));
        let of = waiting.clone();
        let task = feed(broker, CONTROL, "nmax.ctl.*.spec".into(), move |message| {
            let run = message.subject.split('.').nth(2).unwrap_or_default().to_owned();
            let mut waiting = lock(&of);
            if let Some(spec) = message.bytes
                && waiting.len() < OFFERS_MAX
            {
                waiting.push(Offer { run, spec, at: message.at });
            }
        });
        Self { waiting, _task: task }
    }

    /// Runs that were offered since the last call, in order.
    pub fn take(&mut self) -> Vec<Offer> {
        std::mem::take(&mut lock(&self.waiting))
    }
}
