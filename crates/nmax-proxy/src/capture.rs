//! What is remembered of an exchange while it happens.
//!
//! Before a request goes on, it takes a place in the queue of [`crate::Events`]; so there is always room for what became
//! of it, also when a task is dropped in the middle. Kept bytes of all exchanges together have a limit; beyond it bodies
//! are only counted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::header::{CONTENT_ENCODING, HeaderMap};
use hyper::{Version, http};
use nmax_import::recording::{Body, Entry, Kind, Message, Request, Response, Timings};
use tokio::sync::mpsc::{OwnedPermit, Sender};

use crate::clock::Clock;
use crate::event::Queued;
use crate::kind;
use crate::stream::Stream;

/// Exchanges that are under way or wait to be taken, at most; further requests wait.
pub const EVENTS_MAX: usize = 4_096;
/// Bytes of bodies that are kept for them, all together.
pub const WAITING_BYTES_MAX: usize = 256 << 20;
/// Messages of one WebSocket that are kept; the rest is only counted.
const MESSAGES_MAX: usize = 10_000;

/// What all exchanges of a recording share.
pub(crate) struct Memory {
    pub(crate) clock: Clock,
    pub(crate) body_bytes_max: usize,
    /// `None` once the recording ends, so that what is taken from it ends too.
    queue: Mutex<Option<Sender<Queued>>>,
    kept_bytes: Arc<AtomicUsize>,
    /// The recording ends: what breaks off now was not the client's doing.
    is_ending: AtomicBool,
}

/// Kept bytes; given back when dropped.
#[derive(Debug)]
pub(crate) struct MemoryReservation {
    bytes: usize,
    all: Arc<AtomicUsize>,
}

impl MemoryReservation {
    /// Whether there is room for so many more.
    fn take(&mut self, bytes: usize) -> bool {
        let before = self.all.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes > WAITING_BYTES_MAX {
            self.all.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        self.bytes += bytes;
        true
    }
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Memory {
    pub(crate) fn new(clock: Clock, body_bytes_max: usize, queue: Sender<Queued>) -> Self {
        Self {
            clock,
            body_bytes_max,
            queue: Mutex::new(Some(queue)),
            kept_bytes: Arc::default(),
            is_ending: AtomicBool::new(false),
        }
    }

    /// From now on exchanges break off because the recording ends.
    pub(crate) fn end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    fn queue(&self) -> Option<Sender<Queued>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tells of something that is no exchange; lost when nobody has taken anything for long.
    pub(crate) fn send_event(&self, queued: Queued) {
        // What it says is in the summary as well.
        let _ = self.queue().map(|queue| queue.try_send(queued));
    }

    /// An exchange that nobody wants to remember.
    pub(crate) fn ignore(self: &Arc<Self>) -> Capture {
        Capture(Arc::new(Shared { memory: Arc::clone(self), open: Mutex::new(None) }))
    }

    /// Begins to remember an exchange; waits for its place in the queue. `None` when nobody listens any more.
    pub(crate) async fn begin(self: &Arc<Self>, head: &http::request::Parts, url: String) -> Option<Capture> {
        let sent_at = self.clock.now();
        let permit = self.queue()?.reserve_owned().await.ok()?;
        let entry = Entry {
            sent_us: self.clock.wall_us(sent_at),
            kind: kind::of_request(&head.method, &head.headers),
            request: Request {
                method: head.method.as_str().to_owned(),
                url,
                version: name_of(head.version).to_owned(),
                headers: texts(&head.headers, &["proxy-connection", "proxy-authorization"]),
                body: None,
            },
            ..Entry::default()
        };
        let open = Open {
            entry,
            permit,
            request: Side::default(),
            reply: Side::default(),
            sent_at,
            request_ended_at: None,
            head_at: None,
            reservation: MemoryReservation { bytes: 0, all: Arc::clone(&self.kept_bytes) },
            message_bytes: 0,
            messages_lost: 0,
            stream: None,
        };
        Some(Capture(Arc::new(Shared { memory: Arc::clone(self), open: Mutex::new(Some(open)) })))
    }
}

/// An exchange that is remembered; clones share it.
#[derive(Clone)]
pub(crate) struct Capture(Arc<Shared>);

struct Shared {
    memory: Arc<Memory>,
    /// `None` once it was handed over.
    open: Mutex<Option<Open>>,
}

struct Open {
    entry: Entry,
    permit: OwnedPermit<Queued>,
    request: Side,
    reply: Side,
    sent_at: Duration,
    request_ended_at: Option<Duration>,
    head_at: Option<Duration>,
    reservation: MemoryReservation,
    message_bytes: usize,
    messages_lost: u64,
    /// Reads a stream of events; `None` for other replies.
    stream: Option<Stream>,
}

impl Open {
    fn keep_message(&mut self, memory: &Memory, is_sent: bool, opcode: u8, data: String) {
        let fits = self.message_bytes + data.len() <= memory.body_bytes_max;
        if self.entry.messages.len() >= MESSAGES_MAX || !fits || !self.reservation.take(data.len()) {
            self.messages_lost += 1;
            return;
        }
        self.message_bytes += data.len();
        self.entry.messages.push(Message { is_sent, at_us: memory.clock.wall_us(memory.clock.now()), opcode, data });
    }
}

/// A body as it came.
#[derive(Debug, Default)]
struct Side {
    bytes: Vec<u8>,
    count: u64,
    is_cut: bool,
}

/// Whose body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageKind {
    Request,
    Reply,
}

impl Capture {
    fn with<T>(&self, change: impl FnOnce(&mut Open, &Memory) -> T) -> Option<T> {
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.as_mut().map(|open| change(open, &self.0.memory))
    }

    /// How long the connection took, when one was opened for this exchange.
    pub(crate) fn connected(&self, phases: Timings) {
        self.with(|open, memory| {
            open.entry.timings = phases;
            // The request is sent from here on.
            open.request_ended_at = Some(memory.clock.now());
        });
    }

    /// It is a WebSocket.
    pub(crate) fn is_socket(&self) {
        self.with(|open, _| open.entry.kind = Kind::Socket);
    }

    /// Bytes of a body came.
    pub(crate) fn bytes(&self, kind: MessageKind, bytes: &[u8]) {
        self.with(|open, memory| {
            let side = match kind {
                MessageKind::Request => &mut open.request,
                MessageKind::Reply => &mut open.reply,
            };
            side.count += bytes.len() as u64;
            let room = memory.body_bytes_max.saturating_sub(side.bytes.len());
            let part = &bytes[..bytes.len().min(room)];
            if !side.is_cut && open.reservation.take(part.len()) {
                side.bytes.extend_from_slice(part);
                side.is_cut = part.len() < bytes.len();
            } else {
                side.is_cut = true;
            }
            let events = match &mut open.stream {
                Some(stream) if kind == MessageKind::Reply => stream.push(bytes),
                _ => Vec::new(),
            };
            for event in events {
                open.keep_message(memory, false, 1, event);
            }
        });
    }

    /// The request's last byte was handed on.
    pub(crate) fn request_ended(&self) {
        self.with(|open, memory| open.request_ended_at = Some(memory.clock.now()));
    }

    /// The reply's head came.
    pub(crate) fn head(&self, head: &http::response::Parts) {
        self.with(|open, memory| {
            open.head_at = Some(memory.clock.now());
            open.entry.kind = kind::of_reply(open.entry.kind, &head.headers);
            // One that is compressed is in the body only.
            let is_plain = !head.headers.contains_key(CONTENT_ENCODING);
            open.stream = (open.entry.kind == Kind::Events && is_plain).then(Stream::default);
            name_of(head.version).clone_into(&mut open.entry.request.version);
            open.entry.response = Some(Response {
                status: head.status.as_u16(),
                version: name_of(head.version).to_owned(),
                headers: texts(&head.headers, &[]),
                ..Response::default()
            });
        });
    }

    /// A message of a WebSocket passed.
    pub(crate) fn message(&self, is_sent: bool, opcode: u8, data: String) {
        self.with(|open, memory| open.keep_message(memory, is_sent, opcode, data));
    }

    /// A message that was not kept.
    pub(crate) fn message_lost(&self) {
        self.with(|open, _| open.messages_lost += 1);
    }

    /// Something to say about it.
    pub(crate) fn note(&self, text: &str) {
        self.with(|open, _| add_note(&mut open.entry.comment, text));
    }

    /// It ended as it should.
    pub(crate) fn finish(&self) {
        self.hand_over(None);
    }

    /// It ended early, for this reason.
    pub(crate) fn fail(&self, reason: &str) {
        self.hand_over(Some(reason));
    }

    /// It was dropped: the client went away, or the recording ended.
    fn abandon(&self) {
        let reason = if self.0.memory.is_ending.load(Ordering::Relaxed) {
            "the recording ended before the exchange did"
        } else {
            "the client closed the connection before the exchange had ended"
        };
        self.hand_over(Some(reason));
    }

    fn hand_over(&self, problem: Option<&str>) {
        let open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut open) = open else { return };
        let now = self.0.memory.clock.now();
        open.entry.timings = timings(&open, now);
        if let Some(problem) = problem {
            add_note(&mut open.entry.comment, problem);
        }
        if open.messages_lost > 0 {
            let text = format!("{} messages were not kept", open.messages_lost);
            add_note(&mut open.entry.comment, &text);
        }
        let Open { mut entry, permit, request, reply, reservation, .. } = open;
        let mime = |headers: &[(String, String)]| {
            nmax_import::recording::header(headers, "content-type").unwrap_or_default().to_owned()
        };
        if request.count > 0 {
            entry.request.body = Some(Body {
                mime: mime(&entry.request.headers),
                bytes: request.bytes,
                is_cut: request.is_cut,
                ..Body::default()
            });
        }
        if let Some(response) = &mut entry.response {
            response.bytes = Some(reply.count);
            response.body = Some(Body {
                mime: mime(&response.headers),
                bytes: reply.bytes,
                is_cut: reply.is_cut || problem.is_some(),
                ..Body::default()
            });
        }
        permit.send(Queued::Exchange(Box::new(entry), reservation));
    }
}

/// Hands an exchange over when the task that cares for it is dropped.
pub(crate) struct Guard(pub(crate) Capture);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// Phases that add up to the whole.
fn timings(open: &Open, now: Duration) -> Timings {
    let phases = open.entry.timings;
    let opened = phases.dns.unwrap_or_default() + phases.connect.unwrap_or_default();
    let total = now.saturating_sub(open.sent_at);
    let until_head = open.head_at.map(|at| at.saturating_sub(open.sent_at));
    let until_sent = until_head.map(|head| {
        let ended = open.request_ended_at.map(|at| at.saturating_sub(open.sent_at));
        // A server may answer before it has the whole request.
        ended.unwrap_or_default().max(opened).min(head)
    });
    Timings {
        send: until_sent.map(|sent| sent.saturating_sub(opened)),
        wait: until_head.map(|head| head.saturating_sub(until_sent.unwrap_or_default())),
        receive: until_head.map(|head| total.saturating_sub(head)),
        total: Some(total),
        ..phases
    }
}

fn add_note(comment: &mut String, text: &str) {
    if !comment.is_empty() {
        comment.push_str("; ");
    }
    comment.push_str(text);
}

/// As HAR files call it.
fn name_of(version: Version) -> &'static str {
    match version {
        Version::HTTP_09 => "HTTP/0.9",
        Version::HTTP_10 => "HTTP/1.0",
        Version::HTTP_2 => "h2",
        _ => "HTTP/1.1",
    }
}

/// Headers as texts; bytes that are no UTF-8 are read as Latin-1, as HTTP once meant them.
fn texts(headers: &HeaderMap, without: &[&str]) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    };
    headers
        .iter()
        .filter(|(name, _)| !without.contains(&name.as_str()))
        .map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes())))
        .collect()
}
