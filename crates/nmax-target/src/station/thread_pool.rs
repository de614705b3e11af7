//! Threads that do blocking work for requests, which wait for them without blocking their worker.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use hyper::StatusCode;
use tokio::sync::oneshot;

use super::Refused;

/// Requests that may wait for a thread; further ones are sent away.
const WAITING_MAX: usize = 4_096;

/// What a thread does for the request of this number.
pub(super) type Work = Box<dyn FnMut(u64) -> io::Result<()> + Send>;

struct Job {
    number: u64,
    done: oneshot::Sender<io::Result<()>>,
}

/// Some threads. Dropping it waits for them; what nobody waits for any more is not done.
pub(super) struct ThreadPool {
    jobs: Option<SyncSender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl ThreadPool {
    /// One thread for each work.
    pub(super) fn start(kind: &str, works: Vec<Work>) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(WAITING_MAX);
        let receiver = Arc::new(Mutex::new(receiver));
        let mut pool = Self { jobs: Some(sender), threads: Vec::new() };
        for work in works {
            let receiver = Arc::clone(&receiver);
            let thread = Builder::new().name(format!("target-{kind}")).spawn(move || serve(&receiver, work))?;
            pool.threads.push(thread);
        }
        Ok(pool)
    }

    /// Has the work done for request `number`.
    pub(super) async fn work(&self, number: u64) -> Result<(), Refused> {
        let (done, outcome) = oneshot::channel();
        let sent = self.jobs.as_ref().map(|jobs| jobs.try_send(Job { number, done }));
        if !matches!(sent, Some(Ok(()))) {
            return Err(Refused::busy("too many requests wait for a thread"));
        }
        match outcome.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(failed(&error)),
            Err(_) => Err(Refused::busy("the thread has ended")),
        }
    }
}

fn failed(error: &io::Error) -> Refused {
    Refused { status: StatusCode::INTERNAL_SERVER_ERROR, text: error.to_string() }
}

fn serve(receiver: &Mutex<Receiver<Job>>, mut work: Work) {
    loop {
        let job = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else {
            return;
        };
        if !job.done.is_closed() {
            // Who left meanwhile does not want to know.
            let _ = job.done.send(work(job.number));
        }
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        drop(self.jobs.take());
        for thread in self.threads.drain(..) {
            // A thread that panicked has been seen as refused requests.
            let _ = thread.join();
        }
    }
}
