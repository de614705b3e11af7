//! Sockets that servers should close and do not.
//!
//! Framing decides when a reply ends, so an exchange without keep-alive is done with its last byte. The server then
//! owes us the end of the connection. Some keep it open for seconds, and a client that waits for the end takes that
//! for a slow reply. Here the socket is watched after the exchange, so that the report can say so without a word of it
//! in the latencies.
//!
//! Waiting has a second use: whoever closes first keeps the port in TIME_WAIT for a minute. A client that always
//! closed first would run out of ports at 500 connections a second.
//!
//! At most [`WATCHED_MAX`] sockets of a thread are watched; what comes beyond is closed at once.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use nmax_metrics::aggregate::HELD_MIN;
use nmax_metrics::{Clock, Nanos};
use nmax_reactor::{can_spawn, spawn};
use tokio::task::{spawn_local, try_id};

use super::{Notes, Shared};
use crate::connection::Stream;
use crate::wire::WireEvent;

/// Sockets watched at a time; each is a task and an open file.
const WATCHED_MAX: usize = 256;
/// How long a socket is watched.
const HELD_MAX: Nanos = Nanos::from_secs(60);
/// Notes kept until someone takes them; later ones are lost.
const NOTES_MAX: usize = 10_000;

/// The sockets that a thread watches, and what became of earlier ones.
#[derive(Debug, Default)]
pub(super) struct Held {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    watched: Vec<Watched>,
    /// Number of the next socket.
    next: u64,
    notes: Notes,
}

#[derive(Debug)]
struct Watched {
    number: u64,
    /// Last byte of the reply.
    since: Nanos,
    watch: Rc<Watch>,
}

/// What a watch and its task share.
#[derive(Debug, Default)]
struct Watch {
    is_given_up: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Watch {
    /// The task ends, and closes its socket.
    fn give_up(&self) {
        self.is_given_up.set(true);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// As [`poll_end`], with `None` once it is given up.
    fn poll(&self, stream: &mut Stream, cx: &mut Context<'_>) -> Poll<Option<bool>> {
        if self.is_given_up.get() {
            return Poll::Ready(None);
        }
        self.waker.replace(Some(cx.waker().clone()));
        poll_end(stream, cx).map(Some)
    }
}

impl Held {
    /// What was noticed since the last call; gives up what is too old at `now`, or everything.
    pub(super) fn take(&self, now: Nanos, is_end: bool) -> Notes {
        let State { watched, notes, .. } = &mut *self.state.borrow_mut();
        watched.retain(|socket| {
            let age = now.since(socket.since);
            let is_kept = !is_end && age < HELD_MAX;
            if !is_kept {
                socket.watch.give_up();
                note(&mut notes.held_open, age);
            }
            is_kept
        });
        std::mem::take(notes)
    }

    /// Sockets that are watched now.
    pub(super) fn watching(&self) -> usize {
        self.state.borrow().watched.len()
    }

    fn has_room(&self) -> bool {
        self.watching() < WATCHED_MAX
    }

    fn number(&self) -> u64 {
        let mut state = self.state.borrow_mut();
        state.next += 1;
        state.next
    }

    fn add(&self, number: u64, since: Nanos, watch: Rc<Watch>) {
        self.state.borrow_mut().watched.push(Watched { number, since, watch });
    }

    /// The watch over a socket ended; by the server's end of the connection, unless it sent more.
    fn end(&self, number: u64, now: Nanos, is_closed: bool) {
        let state = &mut *self.state.borrow_mut();
        let Some(index) = state.watched.iter().position(|socket| socket.number == number) else {
            return;
        };
        let socket = state.watched.swap_remove(index);
        if is_closed {
            note(&mut state.notes.held, now.since(socket.since));
        }
    }
}

/// Notes an age that is worth it.
fn note(notes: &mut Vec<Nanos>, age: Nanos) {
    if age > HELD_MIN && notes.len() < NOTES_MAX {
        notes.push(age);
    }
}

/// Waits for the server's end of a connection whose last reply was complete at `since`.
///
/// Where no task can be started, this end closes it at once. Only a task that was started locally can hold a client,
/// which stays on its thread, so being in any task is enough.
pub(super) fn watch<C: Clock + 'static>(shared: &Rc<Shared<C>>, mut stream: Stream, since: Nanos) {
    stream.set_idle(true);
    // Most servers have closed by now.
    if let Poll::Ready(is_closed) = poll_end(&mut stream, &mut Context::from_waker(Waker::noop())) {
        if is_closed {
            shared.emit(WireEvent::ClosedByServer);
        }
        return;
    }
    if (!can_spawn() && try_id().is_none()) || !shared.held.has_room() {
        return;
    }
    shared.emit(WireEvent::Awaited);
    let (number, watch) = (shared.held.number(), Rc::new(Watch::default()));
    shared.held.add(number, since, Rc::clone(&watch));
    let watcher = Rc::downgrade(shared);
    let task = async move {
        let is_closed = poll_fn(|cx| watch.poll(&mut stream, cx)).await;
        drop(stream);
        if let (Some(shared), Some(is_closed)) = (watcher.upgrade(), is_closed) {
            if is_closed {
                shared.emit(WireEvent::ClosedByServer);
            }
            shared.held.end(number, shared.clock.now(), is_closed);
        }
    };
    if can_spawn() {
        spawn(task);
    } else {
        spawn_local(task);
    }
}

/// Ready with true at the end of the connection, with false when something else came.
fn poll_end(stream: &mut Stream, cx: &mut Context<'_>) -> Poll<bool> {
    let mut buffer = [0; 64];
    stream.poll_read(cx, &mut buffer).map(|received| !matches!(received, Ok(1..)))
}
