//! Names into addresses, with the lifetime that the server gave them.
//!
//! One thread per process asks for all workers: their own runtimes have no timers, and a lookup in the C library
//! would block one of theirs and tell no lifetime. It starts with the first name; a run that loads an address has
//! none. At most [`LOOKUPS_MAX`] lookups run at once, two sockets each; the rest wait. A name server gets a limited number
//! of questions a second ([`quota`]); a lookup that would need more fails as an error of the injector.
//!
//! It knows `/etc/hosts`, `/etc/resolv.conf` with its search domains, UDP and TCP. It does not know what else the
//! C library may be set up with (mDNS, LDAP, DNSSEC), and keeps nothing: caching is the asker's.

mod ask;
mod message;
mod quota;
mod system;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use nmax_metrics::{ErrorKind, Nanos};
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::connection::Family;
use crate::connection::sockets::SocketBudget;
use crate::failure::Failure;

pub use ask::{name_servers, texts};
pub use message::{Lack, WireName};

/// Lookups that run at once.
const LOOKUPS_MAX: usize = 64;

/// A name to look up.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// The name.
    pub(crate) host: String,
    /// Which addresses are wanted.
    pub(crate) family: Family,
    /// Whom to ask in place of the system's servers.
    pub(crate) servers: Vec<SocketAddr>,
    /// Where its sockets take their places.
    pub(crate) sockets: Option<Arc<SocketBudget>>,
}

/// What is known of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// At least one, without repetition.
    pub(crate) addresses: Vec<IpAddr>,
    /// How long they hold.
    pub(crate) ttl: Nanos,
}

/// A question and where its answer goes.
type Asked = (Question, oneshot::Sender<Result<Answer, Failure>>);

/// Asks, and waits without a timer: the caller owns the limit. A dropped future ends the lookup.
pub(crate) async fn look_up(question: Question) -> Result<Answer, Failure> {
    if WireName::new(&question.host).is_none() {
        let text = format!("{}: not a name that DNS can hold", question.host);
        return Err(Failure::new(ErrorKind::Dns, text));
    }
    let (reply, answer) = oneshot::channel();
    let asker = asker().map_err(|error| {
        let text = format!("no thread for name lookups: {error}");
        Failure::new(ErrorKind::Injector, text)
    })?;
    let gone = || Failure::new(ErrorKind::Injector, "the thread of name lookups has ended");
    asker.send((question, reply)).await.map_err(|_| gone())?;
    answer.await.map_err(|_| gone())?
}

/// The way to the thread, which starts at the first call.
fn asker() -> io::Result<mpsc::Sender<Asked>> {
    static ASKER: Mutex<Option<mpsc::Sender<Asked>>> = Mutex::new(None);
    let mut asker = ASKER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(sender) = asker.as_ref() {
        return Ok(sender.clone());
    }
    let (sender, questions) = mpsc::channel(LOOKUPS_MAX);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    thread::Builder::new().name("nmax-names".into()).spawn(move || runtime.block_on(serve(questions)))?;
    Ok(asker.insert(sender).clone())
}

async fn serve(mut questions: mpsc::Receiver<Asked>) {
    let places = Arc::new(Semaphore::new(LOOKUPS_MAX));
    while let Some((question, mut reply)) = questions.recv().await {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        tokio::spawn(async move {
            let _place = place;
            let answer = tokio::select! {
                answer = ask::look_up(&question) => answer,
                () = reply.closed() => return,
            };
            // An asker that gave up meanwhile wants nothing.
            let _ = reply.send(answer);
        });
    }
}
