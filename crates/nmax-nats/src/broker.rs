//! What a fleet asks of NATS.

use nmax_fleet::records::Command;
use nmax_fleet::warrant::{PublicKey, SigningKey};
use nmax_metrics::Nanos;

use crate::access::Access;
use crate::connection::{Connection, SharedClock};
use crate::coordinator::{self, Agreement};
use crate::error::NatsError;
use crate::files;
use crate::publisher::ResultPublisher;
use crate::streams::{self, Sizes};
use crate::subscription::Subscription;
use crate::workers::{Announcement, Offers, Worker, Workers};

/// A connection to NATS. Its thread does all that waits; the connection ends with the last copy and all that was made of it.
#[derive(Clone, Debug)]
pub struct Broker(pub(crate) Connection);

impl Broker {
    /// Connects, and refuses what cannot serve a fleet. Once connected, a connection that is lost comes back by itself.
    ///
    /// # Errors
    /// Within seconds, why it cannot.
    pub fn connect(access: &Access, clock: SharedClock) -> Result<Self, NatsError> {
        Connection::open(access, clock).map(Self)
    }

    /// Version of the server.
    pub fn version(&self) -> String {
        self.0.link.client.server_info().version
    }

    /// Whether the connection is up.
    pub fn is_connected(&self) -> bool {
        self.0.link.is_connected()
    }

    /// Now, on the clock of whoever connected.
    pub(crate) fn now(&self) -> Nanos {
        self.0.link.clock.now()
    }

    /// Makes the streams that are missing, and looks at those that are there.
    ///
    /// # Errors
    /// Why a fleet cannot use one.
    pub fn prepare(&self, sizes: Sizes) -> Result<(), NatsError> {
        self.0.wait_for(streams::prepare(&self.0.link, sizes))
    }

    /// Looks at the streams, as injectors do: they make none.
    ///
    /// # Errors
    /// What is missing, or why a fleet cannot use it.
    pub fn look(&self) -> Result<(), NatsError> {
        self.0.wait_for(streams::look(&self.0.link))
    }

    /// Takes part in a run as `me`, and obeys commands that one of these keys signed.
    ///
    /// # Errors
    /// When a name cannot be part of a subject.
    pub fn agreement(&self, run: &str, me: &str, keys: Vec<PublicKey>) -> Result<Agreement, NatsError> {
        Agreement::new(&self.0, run, me, keys)
    }

    /// Asks something of a run, which needs no manager. Returns once the broker has it.
    ///
    /// # Errors
    /// Why it does not.
    pub fn order(&self, run: &str, command: Command, key: &SigningKey) -> Result<(), NatsError> {
        self.0.wait_for(coordinator::order(&self.0.link, run, command, key))
    }

    /// Sends batches of a run.
    ///
    /// # Errors
    /// When the run's name cannot be part of a subject.
    pub fn publisher(&self, run: &str) -> Result<ResultPublisher, NatsError> {
        ResultPublisher::new(&self.0, run)
    }

    /// All batches of a run, for a manager of this name: one that starts again gets them from the first one on.
    ///
    /// # Errors
    /// When a name cannot be part of a subject.
    pub fn results(&self, run: &str, manager: &str) -> Result<Subscription, NatsError> {
        Subscription::new(&self.0, run, manager)
    }

    /// Says that an injector is there.
    ///
    /// # Errors
    /// When its id cannot be part of a subject.
    pub fn announce(&self, worker: Worker) -> Result<Announcement, NatsError> {
        Announcement::new(&self.0, worker)
    }

    /// The injectors that are there, from now on.
    pub fn workers(&self) -> Workers {
        Workers::new(&self.0)
    }

    /// Runs that are offered, those of the last days too: whether one is still to begin, its spec and start tell.
    pub fn offers(&self) -> Offers {
        Offers::new(&self.0)
    }

    /// Keeps bytes under their hash, which it returns. What is there already is not sent again.
    ///
    /// # Errors
    /// Why they are not kept.
    pub fn put(&self, bytes: &[u8]) -> Result<String, NatsError> {
        self.0.wait_for(files::put(&self.0.link, bytes))
    }

    /// The bytes of this hash.
    ///
    /// # Errors
    /// When they are not there, cannot be had, or are others.
    pub fn get(&self, name: &str) -> Result<Vec<u8>, NatsError> {
        self.0.wait_for(files::get(&self.0.link, name))
    }
}
