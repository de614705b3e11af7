//! Connections, bounds and replies.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH,
    REFERRER_POLICY, RETRY_AFTER, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use ring::digest::{SHA256, digest};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, broadcast, mpsc, watch};
use tokio::task::JoinSet;

use crate::api::{self, In, Out};
use crate::capacity::Counted;
use crate::fleet::Fleet;
use crate::guard::{COOKIE_NAME, Caller, Guard};
use crate::live::{Hub, Message, Watch};
use crate::page::Reports;
use crate::plans::Plans;
use crate::recordings::Recordings;
use crate::refusal::Refusal;
use crate::routes::{Asked, Needs, Route, openapi, table};
use crate::runs::{Runs, SharedRuns};
use crate::scrape::Scrape;
use crate::session::{LENGTH_S, Sessions, is_same, random};
use crate::started::{Grants, Processes};
use crate::ui::ASSETS;

/// Connections at the same time.
const CONNECTIONS_MAX: usize = 256;
/// Streams at the same time.
const VIEWERS_MAX: usize = 200;
/// Questions that are answered at the same time.
const ANSWERING_MAX: usize = 4;
/// Questions of capacity that are studied at the same time, besides these: each takes seconds.
const STUDYING_MAX: usize = 2;
/// Longest head of a question, bytes.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// Longest body of a question, bytes.
const BODY_BYTES_MAX: usize = 2 << 20;
/// How long a client may take for the head of a question.
const HEAD_MAX: Duration = Duration::from_secs(15);
/// Between two signs of life of a stream.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Between two looks at the folder of the runs.
const LIST_LOOK: Duration = Duration::from_secs(1);
/// How many ports after the one that was asked for are tried.
const PORTS: u16 = 20;
/// Messages that wait for a viewer.
const WAITING_MAX: usize = 64;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What `nmax serve` is told.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the runs.
    pub runs_dir: PathBuf,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Whether another port may be taken when this one is in use.
    pub may_move: bool,
    /// Names that it goes by, besides addresses.
    pub hosts: Vec<String>,
    /// The secret of programs, which begins sessions as well; `None` for none.
    pub token: Option<String>,
    /// The folder of the plans.
    pub plans: Option<PathBuf>,
    /// What may be started.
    pub grants: Grants,
    /// This program.
    pub program: PathBuf,
    /// The fleet that is shown.
    pub fleet: Option<Arc<dyn Fleet>>,
}

/// What every answer needs.
pub(crate) struct Shared {
    pub(crate) runs: SharedRuns,
    pub(crate) hub: Hub,
    pub(crate) reports: Reports,
    pub(crate) plans: Plans,
    pub(crate) processes: Processes,
    pub(crate) recordings: Recordings,
    pub(crate) fleet: Option<Arc<dyn Fleet>>,
    scrape: Scrape,
    guard: Guard,
    /// The secret of the printed address, which works once.
    once: Mutex<String>,
    table: Vec<Route>,
    pub(crate) counted: Counted,
    answering: Arc<Semaphore>,
    studying: Arc<Semaphore>,
    viewers: AtomicUsize,
    /// Is told of each new secret of the printed address.
    printed: watch::Sender<String>,
    ending: watch::Receiver<bool>,
}

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
    end: watch::Sender<bool>,
    /// The first port was in use.
    pub moved_from: Option<u16>,
}

fn now_s() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "when sessions end")]
    let now = SystemTime::now();
    now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl Server {
    /// Takes the address, or the next free port after it.
    ///
    /// # Errors
    /// It cannot listen, or the keys of its sessions cannot be kept in the folder of the runs.
    pub async fn bind(options: Options) -> io::Result<Self> {
        std::fs::create_dir_all(&options.runs_dir)?;
        let sessions = Sessions::open(&options.runs_dir, now_s())?;
        let mut address = options.listen;
        let listener = loop {
            match TcpListener::bind(address).await {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse && options.may_move => {
                    let next = address.port().checked_add(1).filter(|next| *next <= options.listen.port() + PORTS);
                    address.set_port(next.ok_or(error)?);
                }
                listener => break listener?,
            }
        };
        let moved_from = (address.port() != options.listen.port()).then_some(options.listen.port());
        let (end, ending) = watch::channel(false);
        let once = random()?;
        let shared = Shared {
            runs: Arc::new(Runs::new(&options.runs_dir)),
            hub: Hub::new(),
            reports: Reports::default(),
            plans: Plans(options.plans),
            processes: Processes::new(options.program, options.grants),
            recordings: Recordings::default(),
            fleet: options.fleet,
            scrape: Scrape::default(),
            guard: Guard {
                hosts: options.hosts,
                is_loopback: options.listen.ip().is_loopback(),
                token: options.token,
                sessions,
            },
            printed: watch::channel(once.clone()).0,
            once: Mutex::new(once),
            table: table(),
            counted: Counted::default(),
            answering: Arc::new(Semaphore::new(ANSWERING_MAX)),
            studying: Arc::new(Semaphore::new(STUDYING_MAX)),
            viewers: AtomicUsize::new(0),
            ending,
        };
        Ok(Self { listener, shared: Arc::new(shared), end, moved_from })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The secret of the printed address; changes when it was used.
    pub fn secrets(&self) -> watch::Receiver<String> {
        self.shared.printed.subscribe()
    }

    /// Answers until `end`; then runs that were started here end as by Ctrl-C.
    pub async fn run(self, end: impl Future<Output = ()>) {
        let Self { listener, shared, end: ending, .. } = self;
        let runs = Arc::clone(&shared);
        let stop = shared.ending.clone();
        // The list is looked at by a thread of its own: thousands of files take their time.
        let looking = std::thread::Builder::new().name("nmax-list".into()).spawn(move || look(&runs, &stop));
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let mut connections = JoinSet::new();
        let accept = async {
            loop {
                while connections.try_join_next().is_some() {}
                let Ok((stream, _)) = listener.accept().await else {
                    // Out of descriptors, say: it may pass.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                };
                let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
                let shared = Arc::clone(&shared);
                connections.spawn(async move {
                    connection(stream, shared).await;
                    drop(place);
                });
            }
        };
        tokio::select! {
            () = accept => {}
            () = end => {}
        }
        // Streams have no end of their own, so nothing is waited for but the answers under way.
        let _ = ending.send(true);
        let all = async { while connections.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(Duration::from_secs(2), all).await;
        connections.abort_all();
        let ended = Arc::clone(&shared);
        let _ = tokio::task::spawn_blocking(move || {
            ended.recordings.end();
            ended.processes.end();
        })
        .await;
        if let Ok(looking) = looking {
            let _ = tokio::task::spawn_blocking(move || looking.join()).await;
        }
    }
}

/// Serves on a runtime of its own until `end`; `begun` is told where, and each secret of the printed address.
///
/// # Errors
/// It cannot listen.
pub fn serve(
    options: Options,
    begun: impl FnOnce(&Server) -> io::Result<()>,
    print: impl Fn(SocketAddr, &str) + Send + 'static,
    end: impl Future<Output = ()>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().max_blocking_threads(8).build()?;
    runtime.block_on(async {
        let server = Server::bind(options).await?;
        begun(&server)?;
        let (mut secrets, address) = (server.secrets(), server.address()?);
        let printing = tokio::spawn(async move {
            while secrets.changed().await.is_ok() {
                let secret = secrets.borrow_and_update().clone();
                print(address, &secret);
            }
        });
        server.run(end).await;
        printing.abort();
        Ok(())
    })
}

/// Keeps the list up to date and tells of what changed.
fn look(shared: &Shared, stop: &watch::Receiver<bool>) {
    while !*stop.borrow() {
        let (changed, gone) = shared.runs.refresh();
        changed.iter().for_each(|row| shared.hub.publish(Message::new("runs", row)));
        gone.iter().for_each(|id| shared.hub.publish(Message::new("gone", id)));
        let mut waited = Duration::ZERO;
        while waited < LIST_LOOK && !*stop.borrow() {
            match shared.runs.draw_one() {
                Some(row) => shared.hub.publish(Message::new("runs", &row)),
                None => pause(Duration::from_millis(50)),
            }
            waited += Duration::from_millis(50);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a thread of its own waits between two looks at the folder")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

type Answer = Response<BoxBody<Bytes, Infallible>>;

async fn connection(stream: TcpStream, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let mut ending = shared.ending.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let shared = Arc::clone(&shared);
        async move { Ok::<_, Infallible>(answer(&shared, request).await) }
    });
    let mut builder = Builder::new();
    let builder = builder.timer(TokioTimer::new()).header_read_timeout(HEAD_MAX).max_buf_size(HEAD_BYTES_MAX);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        _ = connection.as_mut() => {}
        () = over(&mut ending) => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}

/// Waits for the end of the server.
async fn over(ending: &mut watch::Receiver<bool>) {
    let _ = ending.wait_for(|is_over| *is_over).await;
}

async fn answer(shared: &Arc<Shared>, request: Request<Incoming>) -> Answer {
    let caller = match shared.guard.admit(request.method(), request.headers(), now_s()) {
        Ok(caller) => caller,
        Err(refusal) => return headed(refused(&refusal)),
    };
    let renewed = caller.session.as_ref().and_then(|session| session.renewed.clone());
    let mut answer = routed(shared, request, &caller).await.unwrap_or_else(|refusal| refused(&refusal));
    if let Some(renewed) = renewed
        && !answer.headers().contains_key(SET_COOKIE)
    {
        answer.headers_mut().insert(SET_COOKIE, cookie(&renewed));
    }
    headed(answer)
}

async fn routed(shared: &Arc<Shared>, request: Request<Incoming>, caller: &Caller) -> Result<Answer, Refusal> {
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    let is_get = head.method == Method::GET;
    if is_get
        && let Some(asset) =
            ASSETS.iter().find(|asset| asset.path == path || path == "/index.html" && asset.path == "/")
    {
        let tag = format!("\"{}\"", hex(digest(&SHA256, asset.bytes).as_ref()));
        let is_same = head.headers.get(IF_NONE_MATCH).is_some_and(|sent| sent.as_bytes() == tag.as_bytes());
        let mut answer = match is_same {
            true => reply(StatusCode::NOT_MODIFIED, asset.kind, Bytes::new()),
            false => reply(StatusCode::OK, asset.kind, Bytes::from_static(asset.bytes)),
        };
        answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        answer.headers_mut().insert(ETAG, HeaderValue::from_str(&tag).expect("hexadecimal digits"));
        return Ok(answer);
    }
    match (head.method.as_str(), path) {
        ("POST", "/api/session") => return login(shared, &bytes(body).await?),
        ("GET", "/api/session") => return Ok(session(shared, caller, None)),
        _ => shared.guard.may_read(caller)?,
    }
    match (head.method.as_str(), path) {
        ("GET", "/api/stream") => {
            return stream(shared, &Asked::new(shared, Vec::new(), head.uri.query().unwrap_or("")), &head.headers);
        }
        ("GET", "/metrics") => {
            let of = Arc::clone(shared);
            let page = tokio::task::spawn_blocking(move || of.scrape.page(&of.runs)).await.unwrap_or_default();
            return Ok(reply(StatusCode::OK, nmax_export::prometheus::CONTENT_TYPE, page.into()));
        }
        ("GET", "/api/openapi.json") => return Ok(json(&openapi(&shared.table))),
        ("GET", "/api/schema") => return Ok(json(&nmax_plan::document::schema())),
        ("GET", "/api/schema/capacity") => return Ok(json(&nmax_capacity::schema())),
        _ => {}
    }
    let matching = |route: &Route| Some((route.method.clone(), route.matches(path)?));
    let known: Vec<_> =
        shared.table.iter().enumerate().filter_map(|(at, route)| Some((at, matching(route)?))).collect();
    let Some((at, (_, parts))) = known.iter().find(|(_, (method, _))| *method == head.method).cloned() else {
        return Err(match known.is_empty() {
            true => Refusal::missing("there is nothing at this address"),
            false => Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "that cannot be done here", "see /api/openapi.json"),
        });
    };
    match shared.table[at].needs {
        Needs::Read => {}
        Needs::Known => shared.guard.must_be_known(caller)?,
        Needs::Change => shared.guard.may_change(caller, &head.headers)?,
    }
    let body = bytes(body).await?;
    // Files are read and figures are made on other threads than the one that accepts.
    // Slow questions have their own limit. A question counts until its computation ends, also after the client has left.
    let places = if shared.table[at].is_study { &shared.studying } else { &shared.answering };
    let place = Arc::clone(places).acquire_owned().await;
    let (of, query) = (Arc::clone(shared), head.uri.query().unwrap_or("").to_owned());
    let answered = tokio::task::spawn_blocking(move || {
        let answered = (of.table[at].handle)(&Asked::new(&of, parts, &query), &body);
        drop(place);
        answered
    });
    let answered = answered.await;
    let text = answered.map_err(|_| Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "a defect of nmax", ""))??;
    Ok(reply(StatusCode::OK, "application/json", text.into()))
}

async fn bytes(body: Incoming) -> Result<Bytes, Refusal> {
    let read = Limited::new(body, BODY_BYTES_MAX).collect();
    let read = tokio::time::timeout(HEAD_MAX, read).await;
    let too_long = || Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("more than {BODY_BYTES_MAX} bytes"), "");
    read.map_err(|_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body did not come", ""))?
        .map(|read| read.to_bytes())
        .map_err(|_| too_long())
}

/// Begins a session by the secret of the printed address or the token of programs.
fn login(shared: &Shared, body: &[u8]) -> Result<Answer, Refusal> {
    let login = api::Login::read(body).map_err(|error| Refusal::bad(format!("the body: {error}"), ""))?;
    let used = {
        let mut once = shared.once.lock().unwrap_or_else(PoisonError::into_inner);
        let is_once = is_same(&once, &login.token);
        if is_once {
            *once = random()?;
            let _ = shared.printed.send(once.clone());
        }
        is_once
    };
    if !used && !shared.guard.token.as_ref().is_some_and(|token| is_same(token, &login.token)) {
        let help = "each printed address works once; the last one that `nmax serve` printed is the one that does";
        return Err(Refusal::new(StatusCode::UNAUTHORIZED, "this address was used, or is another one", help));
    }
    let now_s = now_s();
    let begun = shared.guard.sessions.begin(now_s)?;
    let caller = Caller { session: shared.guard.sessions.verify(&begun, now_s), has_token: false };
    Ok(session(shared, &caller, Some(&begun)))
}

/// What a viewer may do.
fn session(shared: &Shared, caller: &Caller, begun: Option<&str>) -> Answer {
    let grants = &shared.processes.grants;
    let plans = shared.plans.0.as_ref().map(|folder| {
        folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
    });
    let may_change = caller.is_known();
    let mut answer = json(&api::Session {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        may_change,
        may_start: may_change && grants.start,
        may_exec: may_change && grants.exec,
        may_record: may_change && grants.record,
        has_fleet: shared.fleet.is_some(),
        plans,
        key: caller.session.as_ref().map(|session| session.key.clone()),
    });
    if let Some(begun) = begun {
        answer.headers_mut().insert(SET_COOKIE, cookie(begun));
    }
    answer
}

fn cookie(session: &str) -> HeaderValue {
    let text = format!("{COOKIE_NAME}={session}; Path=/; Max-Age={LENGTH_S}; HttpOnly; SameSite=Strict");
    HeaderValue::from_str(&text).expect("a session has no control characters")
}

/// A stream of events: of the list, and of a run.
fn stream(shared: &Arc<Shared>, asked: &Asked<'_>, headers: &hyper::HeaderMap) -> Result<Answer, Refusal> {
    let last = headers.get("last-event-id").and_then(|sent| sent.to_str().ok()?.parse::<u64>().ok());
    let after = last.or_else(|| asked.text("after")?.parse::<f64>().ok().map(|after| after.max(0.0) as u64));
    let watch = match asked.text("run") {
        Some(id) => {
            let (_, path) = shared.runs.find(id)?;
            Some(shared.hub.watch(&path, after))
        }
        None => None,
    };
    if shared.viewers.fetch_add(1, Ordering::SeqCst) >= VIEWERS_MAX {
        shared.viewers.fetch_sub(1, Ordering::SeqCst);
        let mut answer =
            refused(&Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "too many viewers", "close another page"));
        answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("10"));
        return Ok(answer);
    }
    let (give, take) = mpsc::channel(WAITING_MAX);
    let (list, ending, of) = (shared.hub.list(), shared.ending.clone(), Arc::clone(shared));
    tokio::spawn(async move {
        feed(watch, list, ending, &give).await;
        of.viewers.fetch_sub(1, Ordering::SeqCst);
    });
    let mut answer = Response::new(BodyExt::boxed(Events(take)));
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // A proxy between must not wait for more.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    Ok(answer)
}

/// Hands on what happens, until the viewer leaves or the server ends.
async fn feed(
    mut watch: Option<Watch>,
    mut list: broadcast::Receiver<Message>,
    mut ending: watch::Receiver<bool>,
    give: &mpsc::Sender<Bytes>,
) {
    if give.send(Bytes::from_static(b"retry: 1000\n\n")).await.is_err() {
        return;
    }
    for message in watch.as_mut().map(|watch| std::mem::take(&mut watch.first)).iter().flatten() {
        if give.send(event(message)).await.is_err() {
            return;
        }
    }
    loop {
        let of_run = async {
            match &mut watch {
                Some(watch) => watch.then.recv().await,
                None => std::future::pending().await,
            }
        };
        let message = tokio::select! {
            message = of_run => message,
            message = list.recv() => message,
            () = tokio::time::sleep(HEARTBEAT) => {
                if give.send(Bytes::from_static(b":\n\n")).await.is_err() {
                    return;
                }
                continue;
            }
            () = over(&mut ending) => return,
            () = give.closed() => return,
        };
        let message = match message {
            Ok(message) => message,
            // The viewer was too slow: it reads everything again.
            Err(broadcast::error::RecvError::Lagged(_)) => Message::new("resync", &()),
            Err(broadcast::error::RecvError::Closed) => {
                watch = None;
                continue;
            }
        };
        let messages = watch.as_mut().map_or([None, Some(message.clone())], |watch| watch.passed(message));
        for message in messages.iter().flatten() {
            if give.send(event(message)).await.is_err() {
                return;
            }
        }
    }
}

fn event(message: &Message) -> Bytes {
    let id = message.id.map_or_else(String::new, |id| format!("id: {id}\n"));
    format!("{id}event: {}\ndata: {}\n\n", message.name, message.data).into()
}

/// A body that grows.
struct Events(mpsc::Receiver<Bytes>);

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

fn json(answer: &impl Out) -> Answer {
    reply(StatusCode::OK, "application/json", answer.json().into())
}

fn refused(refusal: &Refusal) -> Answer {
    let mut answer = json(&refusal.failure());
    *answer.status_mut() = refusal.status;
    answer
}

fn reply(status: StatusCode, kind: &'static str, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// With what every answer has.
fn headed(mut answer: Answer) -> Answer {
    let headers = answer.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin"));
    headers.insert(HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    answer
}

fn hex(bytes: &[u8]) -> String {
    bytes[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
