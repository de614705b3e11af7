//! One request and its reply, through the recorder.

use std::io;
use std::sync::Arc;

use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, EXPECT, HOST, HeaderValue, TRANSFER_ENCODING, UPGRADE};
use hyper::{Method, Request, Response, StatusCode, Uri, Version};
use tokio::sync::{Mutex, oneshot};

use crate::body::{self, Passing};
use crate::capture::{Capture, Guard, Memory};
use crate::headers;
use crate::problem::Problem;
use crate::socket;
use crate::upstream::{Opener, Origin, Sender, Upstreams, reply_problem};

/// What exchanges of one client connection share.
#[derive(Clone)]
pub(crate) struct Forwarder {
    pub(crate) memory: Arc<Memory>,
    pub(crate) opener: Opener,
    /// One request of a client connection at a time, so nobody waits for the lock.
    pub(crate) upstreams: Arc<Mutex<Upstreams>>,
}

/// Whether an exchange is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Recorded,
    Passed,
}

impl Forwarder {
    /// Sends a request on and gives back what comes; an explanation when nothing does.
    pub(crate) async fn go(&self, origin: &Origin, request: Request<Incoming>, wanted: Wanted) -> Response<Passing> {
        let asked = request.headers().clone();
        let (head, body) = request.into_parts();
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        let url = format!("{}{path}", origin.url());
        let capture = match wanted {
            Wanted::Recorded => self.memory.begin(&head, url).await,
            Wanted::Passed => Some(self.memory.ignore()),
        };
        let Some(capture) = capture else {
            return Problem::Ended.page(&asked);
        };
        // It stays here while nothing has come, so that a problem is told before the guard sees an end without one.
        let mut guard = Some(Guard(capture.clone()));
        let request = Request::from_parts(head, body);
        let outcome = if headers::upgrade(&asked).is_some() {
            self.upgrade(origin, request, &capture, &mut guard).await
        } else {
            self.exchange(origin, request, &capture, &mut guard).await
        };
        outcome.unwrap_or_else(|problem| {
            capture.fail(&problem.told());
            problem.page(&asked)
        })
    }

    async fn exchange(
        &self,
        origin: &Origin,
        request: Request<Incoming>,
        capture: &Capture,
        guard: &mut Option<Guard>,
    ) -> Result<Response<Passing>, Problem> {
        let kept = self.upstreams.lock().await.take(origin).await;
        let is_fresh = kept.is_none();
        let sender = match kept {
            Some(sender) => sender,
            None => self.open(origin, capture).await?,
        };
        let (outgoing, again) = prepare(request, capture);
        let (sender, reply) = self.send(origin, sender, outgoing, again, is_fresh, capture).await?;
        let (head, body) = reply.into_parts();
        capture.head(&head);
        self.upstreams.lock().await.keep(origin, sender);
        let mut reply = Response::from_parts(head, body::of_reply(body, capture.clone(), guard.take()));
        headers::strip_reply(reply.headers_mut());
        *reply.version_mut() = Version::HTTP_11;
        Ok(reply)
    }

    async fn open(&self, origin: &Origin, capture: &Capture) -> Result<Sender, Problem> {
        let (sender, phases) = self.opener.open(origin, &self.opener.trust.any).await?;
        capture.connected(phases);
        Ok(sender)
    }

    /// Sends; once more on a new connection when the server had closed the one that was kept.
    async fn send(
        &self,
        origin: &Origin,
        mut sender: Sender,
        outgoing: Request<Passing>,
        again: Option<Request<()>>,
        is_fresh: bool,
        capture: &Capture,
    ) -> Result<(Sender, Response<Incoming>), Problem> {
        let unsent = match sender.send(for_version(origin, outgoing, &sender)).await {
            Ok(reply) => return Ok((sender, reply)),
            Err(unsent) => unsent,
        };
        let closed = was_closed(&unsent.error);
        let retry = match unsent.request {
            Some(request) => Some(request),
            None if closed => again.map(|request| request.map(|()| body::empty())),
            None => None,
        };
        let Some(retry) = retry.filter(|_| !is_fresh) else {
            return Err(reply_problem(origin, &unsent.error));
        };
        let mut sender = self.open(origin, capture).await?;
        match sender.send(for_version(origin, retry, &sender)).await {
            Ok(reply) => Ok((sender, reply)),
            Err(unsent) => Err(reply_problem(origin, &unsent.error)),
        }
    }

    /// A request that wants to become a WebSocket or something else: the server is asked first, and its answer is what
    /// the client gets.
    async fn upgrade(
        &self,
        origin: &Origin,
        mut request: Request<Incoming>,
        capture: &Capture,
        guard: &mut Option<Guard>,
    ) -> Result<Response<Passing>, Problem> {
        let client = hyper::upgrade::on(&mut request);
        let wanted = headers::upgrade(request.headers());
        let is_socket = wanted.as_ref().is_some_and(|wanted| wanted.as_bytes().eq_ignore_ascii_case(b"websocket"));
        if is_socket {
            capture.is_socket();
            // Frames that an extension has changed could not be read.
            request.headers_mut().remove("sec-websocket-extensions");
        }
        // HTTP/1.1, whatever the server prefers.
        let (mut sender, phases) = self.opener.open(origin, &self.opener.trust.http1).await?;
        capture.connected(phases);
        let (mut outgoing, _) = prepare(request, capture);
        if let Some(wanted) = wanted {
            let to = outgoing.headers_mut();
            to.insert(CONNECTION, HeaderValue::from_static("upgrade"));
            to.insert(UPGRADE, wanted);
        }
        let sent = sender.send(for_version(origin, outgoing, &sender)).await;
        let mut reply = sent.map_err(|unsent| reply_problem(origin, &unsent.error))?;
        if reply.status() != StatusCode::SWITCHING_PROTOCOLS {
            let (head, body) = reply.into_parts();
            capture.head(&head);
            self.upstreams.lock().await.keep(origin, sender);
            let mut reply = Response::from_parts(head, body::of_reply(body, capture.clone(), guard.take()));
            headers::strip_reply(reply.headers_mut());
            return Ok(reply);
        }
        let server = hyper::upgrade::on(&mut reply);
        let (head, _) = reply.into_parts();
        capture.head(&head);
        tokio::spawn(socket::join(client, server, capture.clone(), guard.take(), is_socket));
        Ok(Response::from_parts(head, body::empty()))
    }
}

/// The request as it goes to the server, and the same once more when it may be sent twice.
fn prepare(request: Request<Incoming>, capture: &Capture) -> (Request<Passing>, Option<Request<()>>) {
    let (mut head, incoming) = request.into_parts();
    let is_empty = incoming.is_end_stream();
    let is_chunked = head.headers.contains_key(TRANSFER_ENCODING);
    headers::strip_request(&mut head.headers);
    if is_chunked && !is_empty {
        head.headers.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
    }
    let mut go = None;
    let mut continues = None;
    if head.headers.contains_key(EXPECT) && !is_empty {
        let (sender, receiver) = oneshot::channel();
        (go, continues) = (Some(receiver), Some(sender));
    }
    let is_repeatable = matches!(head.method, Method::GET | Method::HEAD | Method::OPTIONS | Method::TRACE);
    let again = (is_empty && is_repeatable).then(|| copy(&head));
    let body = if is_empty {
        capture.request_ended();
        body::empty()
    } else {
        body::of_request(incoming, capture.clone(), go)
    };
    let mut request = Request::from_parts(head, body);
    if let Some(continues) = continues {
        let gate = Gate(Arc::new(std::sync::Mutex::new(Some(continues))));
        request.extensions_mut().insert(gate.clone());
        hyper::ext::on_informational(&mut request, move |reply| {
            if reply.status() == StatusCode::CONTINUE {
                gate.open();
            }
        });
    }
    (request, again)
}

/// Whether the server closed the connection before a byte of its reply.
fn was_closed(error: &hyper::Error) -> bool {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>());
    let is_reset = cause.is_some_and(|cause| {
        matches!(
            cause.kind(),
            io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe
        )
    });
    is_reset || error.is_incomplete_message() || error.is_canceled() || error.is_closed()
}

/// Holds a body back until the server wants it.
#[derive(Clone)]
struct Gate(Arc<std::sync::Mutex<Option<oneshot::Sender<()>>>>);

impl Gate {
    fn open(&self) {
        if let Ok(mut continues) = self.0.lock() {
            // A body that is gone needs no word.
            let _ = continues.take().map(|continues| continues.send(()));
        }
    }
}

fn copy(head: &hyper::http::request::Parts) -> Request<()> {
    let mut request = Request::new(());
    *request.method_mut() = head.method.clone();
    *request.uri_mut() = head.uri.clone();
    *request.headers_mut() = head.headers.clone();
    request
}

/// As the protocol of the connection wants it.
fn for_version(origin: &Origin, mut request: Request<Passing>, sender: &Sender) -> Request<Passing> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let uri = if sender.is_two() {
        // `:authority` says the host, framing is the protocol's, and nobody waits for `100 Continue`.
        let uri = format!("{}{path}", origin.url()).parse::<Uri>();
        let headers = request.headers_mut();
        headers.remove(HOST);
        headers.remove(TRANSFER_ENCODING);
        headers.remove(EXPECT);
        *request.version_mut() = Version::HTTP_2;
        if let Some(gate) = request.extensions_mut().remove::<Gate>() {
            gate.open();
        }
        uri
    } else {
        let uri = path.parse::<Uri>();
        if !request.headers().contains_key(HOST)
            && let Some((_, authority)) = origin.url().split_once("//")
            && let Ok(host) = HeaderValue::from_str(authority)
        {
            request.headers_mut().insert(HOST, host);
        }
        *request.version_mut() = Version::HTTP_11;
        uri
    };
    if let Ok(uri) = uri {
        *request.uri_mut() = uri;
    }
    request
}
