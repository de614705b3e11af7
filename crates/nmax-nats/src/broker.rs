//! A connection to NATS on a thread of its own.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::{self, Context};
use async_nats::{Client, Event, HeaderMap, Request, RequestErrorKind, header};
use nmax_metrics::Clock;
use serde::Deserialize;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;

use crate::access::{ANSWER_MAX, Access};
use crate::error::{NatsError, VERSION_MIN};
use crate::troubles::Troubles;

/// Complaints of the server that are kept.
const COMPLAINTS_MAX: usize = 16;
/// How often a server that is too busy to answer in time is asked.
const CONNECTS: u32 = 3;
/// What is said of the connection itself.
const CONNECTION: &str = "the connection";
/// How long what is on its way may take when the connection is closed.
const CLOSE_MAX: Duration = Duration::from_secs(1);

/// The monotonic clock of an injector or a manager.
pub type SharedClock = Arc<dyn Clock + Send + Sync>;

/// A connection to NATS. Its thread does all that waits; the connection ends with the last copy.
#[derive(Clone, Debug)]
pub struct Broker {
    pub(crate) link: Link,
    runtime: Handle,
    _thread: Arc<Thread>,
}

/// What tasks of a connection share.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) client: Client,
    pub(crate) context: Context,
    pub(crate) clock: SharedClock,
    complaints: Complaints,
    pub(crate) troubles: Troubles,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Link({})", self.client.connection_state())
    }
}

/// What the server complained of last, such as a permission that is missing.
type Complaints = Arc<Mutex<VecDeque<String>>>;

/// Locks what tasks and callers share; none of them panics while it holds the lock.
pub(crate) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread of a connection, which ends with it.
#[derive(Debug)]
struct Thread {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Thread {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A task that ends when its owner does.
#[derive(Debug)]
pub(crate) struct Task(AbortHandle);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What a stream answers to a message.
#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    seq: u64,
    error: Option<jetstream::Error>,
}

impl Broker {
    /// Connects, and refuses what cannot serve a fleet. Once connected, a connection that is lost comes back by itself.
    ///
    /// # Errors
    /// Within seconds, why it cannot.
    pub fn connect(access: &Access, clock: SharedClock) -> Result<Self, NatsError> {
        let unreachable = |reason: String| NatsError::Unreachable { urls: access.shown(), reason };
        let runtime =
            Builder::new_current_thread().enable_all().build().map_err(|error| unreachable(error.to_string()))?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let (result, connected) = sync_channel(1);
        let asked = access.clone();
        let thread = std::thread::Builder::new().name("nmax-nats".into()).spawn(move || {
            runtime.block_on(async move {
                let link = open(&asked, clock).await;
                let client = link.as_ref().ok().map(|link| link.client.clone());
                let _ = result.send(link);
                let _ = stopped.await;
                if let Some(client) = client {
                    let _ = tokio::time::timeout(CLOSE_MAX, client.flush()).await;
                }
            });
        });
        let thread = thread.map_err(|error| unreachable(error.to_string()))?;
        let thread = Thread { stop: Some(stop), thread: Some(thread) };
        let link = connected.recv().map_err(|_| unreachable("its thread ended".into()))??;
        Ok(Self { link, runtime: handle, _thread: Arc::new(thread) })
    }

    /// Version of the server.
    pub fn version(&self) -> String {
        self.link.client.server_info().version
    }

    /// From now on, says to `hearing` what begins to fail, works again, or is refused.
    pub fn hear(&self, hearing: impl Fn(&str) + Send + 'static) {
        self.link.troubles.hear(Box::new(hearing));
    }

    /// Whether the connection is up.
    pub fn is_connected(&self) -> bool {
        self.link.is_connected()
    }

    /// What fails at the moment.
    pub fn troubles(&self) -> Vec<NatsError> {
        self.link.troubles.now()
    }

    /// How many messages were refused, by reason.
    pub fn refusals(&self) -> BTreeMap<&'static str, u64> {
        self.link.troubles.refusals()
    }

    /// Waits for an answer: for commands of a person only, no part of a run.
    pub(crate) fn wait_for<T>(&self, answer: impl Future<Output = T>) -> T {
        self.runtime.block_on(answer)
    }

    /// Goes on beside the caller until it ends.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(task);
    }

    /// Goes on beside the caller until it ends or its owner does.
    pub(crate) fn task(&self, task: impl Future<Output = ()> + Send + 'static) -> Task {
        Task(self.runtime.spawn(task).abort_handle())
    }
}

/// Connects and looks at the server.
async fn open(access: &Access, clock: SharedClock) -> Result<Link, NatsError> {
    let complaints = Complaints::default();
    let troubles = Troubles::default();
    let (heard, noted, urls) = (complaints.clone(), troubles.clone(), access.shown());
    let (addresses, options) = access.options().await?;
    let options = options.event_callback(move |event| {
        match event {
            Event::ServerError(error) => {
                let mut heard = lock(&heard);
                heard.truncate(COMPLAINTS_MAX - 1);
                heard.push_front(error.to_string());
            }
            Event::Disconnected => noted.failed(CONNECTION, NatsError::Cut { urls: urls.clone() }),
            Event::Connected => noted.works(CONNECTION),
            _ => {}
        }
        std::future::ready(())
    });
    let connected = async || {
        let connected = options.clone().connect(addresses.clone()).await;
        connected.map_err(|error| NatsError::connecting(&access.shown(), &error))
    };
    let mut client = connected().await;
    for _ in 1..CONNECTS {
        // A server that is busy gives up its greeting after two seconds.
        if !matches!(&client, Err(NatsError::Unreachable { reason, .. }) if reason.contains("imeout")) {
            break;
        }
        client = connected().await;
    }
    let client = client?;
    let info = client.server_info();
    if version(&info.version) < Some(VERSION_MIN) {
        return Err(NatsError::Old { version: info.version });
    }
    if let Some(open) = access.is_open(&info) {
        return Err(open);
    }
    let mut context = jetstream::new(client.clone());
    context.set_timeout(ANSWER_MAX);
    // A leaf node may lead to the JetStream of its hub.
    if !info.jetstream
        && let Err(error) = context.query_account().await
    {
        let of = &info.server_name;
        let reason =
            format!("`{of}` runs without it, and leads to none ({error}); a leaf node needs `default_js_domain`");
        return Err(NatsError::NoJetStream { reason });
    }
    Ok(Link { client, context, clock, complaints, troubles })
}

/// Major and minor number of a version.
pub(crate) fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

impl Link {
    /// Whether the connection is up.
    pub(crate) fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Publishes to a stream; the number of the message in it, once it is kept.
    pub(crate) async fn publish(&self, subject: &str, headers: HeaderMap, bytes: Vec<u8>) -> Result<u64, NatsError> {
        // What is sent into a broken connection would wait in memory, and arrive when it is not expected any more.
        if !self.is_connected() {
            return Err(NatsError::Lost { what: subject.into(), reason: "the connection is down".into() });
        }
        let sent = self.send(subject, headers, bytes).await;
        self.note(subject, sent.as_ref().err());
        sent
    }

    /// Notes how sending went: what fails for all subjects of a kind alike is one trouble.
    fn note(&self, subject: &str, error: Option<&NatsError>) {
        let about = subject.splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
        match error {
            None | Some(NatsError::Raced { .. }) => self.troubles.works(&about),
            Some(error) => self.fails(&about, error.clone()),
        }
    }

    /// A stream cannot be read, for this reason.
    pub(crate) fn unread(&self, stream: &str, reason: &str) {
        let error = match reason.contains("stream not found") {
            true => NatsError::missing(stream),
            false => self.lost(stream, reason),
        };
        self.fails(stream, error);
    }

    /// A stream is read.
    pub(crate) fn reads(&self, stream: &str) {
        self.troubles.works(stream);
    }

    /// A connection that is down is a trouble of its own.
    fn fails(&self, about: &str, error: NatsError) {
        if self.is_connected() {
            self.troubles.failed(about, error);
        }
    }

    async fn send(&self, subject: &str, headers: HeaderMap, bytes: Vec<u8>) -> Result<u64, NatsError> {
        let what = || subject.to_owned();
        let (length, max) = (bytes.len(), self.client.max_payload());
        let request = Request::new().payload(bytes.into()).headers(headers).timeout(Some(ANSWER_MAX));
        let answer = self.client.send_request(what(), request).await;
        let answer = answer.map_err(|error| match error.kind() {
            RequestErrorKind::NoResponders => NatsError::Stream {
                stream: what(),
                reason: "is missing, or has no leader now".into(),
                help: "`nmax fleet check` makes the streams; a cluster without a majority has no leader".into(),
            },
            RequestErrorKind::MaxPayloadExceeded => NatsError::Large { bytes: length, max },
            _ => self.lost(subject, &error.to_string()),
        })?;
        let answer: Answer = serde_json::from_slice(&answer.payload)
            .map_err(|error| NatsError::Refused { what: what(), reason: error.to_string() })?;
        match answer.error {
            None => Ok(answer.seq),
            Some(error) => Err(refused(subject, &error)),
        }
    }

    /// No answer came: because it may not be asked, if the server said so, or for a reason.
    pub(crate) fn lost(&self, what: &str, reason: &str) -> NatsError {
        let is_denied = |complaint: &&String| complaint.contains("ermissions") && complaint.contains(what);
        match lock(&self.complaints).iter().find(is_denied) {
            Some(_) => NatsError::Denied { what: what.into() },
            None => NatsError::Lost { what: what.into(), reason: reason.into() },
        }
    }
}

/// What a stream's refusal means.
fn refused(subject: &str, error: &jetstream::Error) -> NatsError {
    let what = subject.to_owned();
    let reason = error.to_string();
    match error.error_code() {
        jetstream::ErrorCode::STREAM_WRONG_LAST_SEQUENCE => NatsError::Raced { what },
        jetstream::ErrorCode::STREAM_STORE_FAILED
        | jetstream::ErrorCode::INSUFFICIENT_RESOURCES
        | jetstream::ErrorCode::ACCOUNT_RESOURCES_EXCEEDED
        | jetstream::ErrorCode::STORAGE_RESOURCES_EXCEEDED => NatsError::Full { stream: what, reason },
        jetstream::ErrorCode::JETSTREAM_NOT_ENABLED | jetstream::ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT => {
            NatsError::NoJetStream { reason }
        }
        _ => NatsError::Refused { what, reason },
    }
}

/// Headers of a message that is written only when `last` is the number of the last message of its subject; 0 for none.
pub(crate) fn after(last: u64) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(header::NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, last.to_string());
    headers
}
