//! One request's life in the target: wait, work, reply, and the truth about it.
//!
//! The service time runs from the request's head being read until its reply is handed to
//! the HTTP library: body, stalls, queueing and work included, sending excluded.

use std::sync::Mutex;
use std::sync::PoisonError;

use http_body_util::{BodyExt, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};

use crate::body::Body;
use crate::clock;
use crate::illness::{Drift, Leaked};
use crate::metrics;
use crate::model::{Model, Rule, Work};
use crate::options::{ErrorRate, Options, Share};
use crate::queue::Queue;
use crate::random::{Purpose, Random};
use crate::replies;
use crate::routes;
use crate::shared_server::SharedServer;
use crate::shop::Shop;
use crate::stall::Stall;
use crate::station::{Passage, Refused, Stations, Unmade};
use crate::timers::Timers;
use crate::truth::{Arrival, Ending, Truth};

/// Largest request body that is read, in bytes.
const REQUEST_BODY_BYTES_MAX: usize = 1 << 20;

const SERVICE_TIME: HeaderName = HeaderName::from_static("nmax-service-time-ns");
const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// What all workers share: behaviour, state and truth.
pub(crate) struct Site {
    rules: Vec<RuleState>,
    stations: Stations,
    stalls: Vec<Stall>,
    drift: Drift,
    leaked: Leaked,
    errors: ErrorRate,
    error_status: StatusCode,
    resets: Share,
    random: Random,
    pub(crate) truth: Truth,
    pub(crate) reply_bytes: Option<u64>,
    pub(crate) shop: Option<Shop>,
}

/// A rule with the state of its models.
struct RuleState {
    prefix: String,
    models: Vec<ModelState>,
}

struct ModelState {
    model: Model,
    /// Held by `lock`; fair, so the serial part is first come, first served.
    lock: tokio::sync::Mutex<()>,
    queue: Mutex<Queue>,
    /// Of a USL.
    shared_server: Option<SharedServer>,
}

/// The connection is to be reset: there is no reply.
#[derive(Debug, thiserror::Error)]
#[error("the connection is reset on purpose")]
pub(crate) struct ResetOnPurpose;

impl Site {
    pub(crate) fn new(options: &Options) -> Result<Self, Unmade> {
        let mut rules: Vec<_> = options.services.iter().map(RuleState::new).collect();
        // The longest prefix first; of equal ones the first given.
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.prefix.len()));
        let random = Random::new(options.seed);
        Ok(Self {
            rules,
            stations: Stations::new(&options.bottlenecks, random)?,
            stalls: options.stalls.clone(),
            drift: options.drift,
            leaked: Leaked::new(options.leak),
            errors: options.errors,
            error_status: StatusCode::from_u16(options.errors.status).unwrap_or(StatusCode::SERVICE_UNAVAILABLE),
            resets: options.resets,
            random,
            truth: Truth::new(clock::now_ns()),
            reply_bytes: options.reply_bytes,
            shop: options.shop.then(|| Shop::new(options.seed)),
        })
    }

    /// Waits while a stall is on, and returns the end of the last one, in nanoseconds of
    /// `clock`. Stalls may overlap, so it looks again after each.
    async fn wait_out_stalls(&self, timers: &Timers) -> Option<u64> {
        if self.stalls.is_empty() {
            return None;
        }
        let mut waited_until_ns = None;
        loop {
            let origin_ns = self.truth.origin_ns();
            let offset_ns = clock::now_ns().saturating_sub(origin_ns);
            let ends_ns = self.stalls.iter().filter_map(|stall| stall.end_ns(offset_ns));
            let Some(end_ns) = ends_ns.max() else {
                return waited_until_ns;
            };
            let until_ns = origin_ns.saturating_add(end_ns);
            timers.sleep_until(until_ns).await;
            waited_until_ns = Some(until_ns);
        }
    }

    /// Takes the service time of the rule for `path`, counted from `start_ns`.
    async fn serve(&self, timers: &Timers, path: &str, arrival: &Arrival<'_>, start_ns: u64) {
        let since_origin_ns = start_ns.saturating_sub(self.truth.origin_ns());
        self.leaked.take(since_origin_ns);
        let extra_ns = self.drift.extra_ns(since_origin_ns);
        let mut begun_ns = start_ns;
        if extra_ns > 0 {
            begun_ns = start_ns.saturating_add(extra_ns);
            timers.sleep_until(begun_ns).await;
        }
        let Some(rule) = self.rules.iter().find(|rule| path.starts_with(&rule.prefix)) else {
            return;
        };
        for (position, state) in (0_u64..).zip(&rule.models) {
            let work = state.model.work(self.random, arrival.number, position);
            begun_ns = state.carry_out(timers, work, begun_ns).await;
        }
    }

    /// Takes the request through its bottlenecks; what it holds, until its reply is made.
    async fn pass(&self, timers: &Timers, path: &str, arrival: &Arrival<'_>) -> Result<Passage<'_>, Refused> {
        if self.stations.is_empty() {
            return Ok(Passage::default());
        }
        self.stations.pass(timers, path, arrival.number).await
    }

    fn is_reset(&self, number: u64) -> bool {
        !self.resets.is_none() && self.resets.holds(self.random.unit_for(number, Purpose::Reset))
    }

    fn is_error(&self, number: u64) -> bool {
        !self.errors.share.is_none() && self.errors.share.holds(self.random.unit_for(number, Purpose::Error))
    }

    /// Replies of the control paths, which are never counted, delayed or spoiled.
    fn control(&self, method: &Method, path: &str) -> Option<Response<Body>> {
        if path == "/metrics" && method == Method::GET {
            let text = metrics::text(&self.truth.totals(), &self.stations.figures());
            return Some(replies::typed(metrics::CONTENT_TYPE, Body::text(text)));
        }
        if !path.starts_with("/_") {
            return None;
        }
        let now_ns = clock::now_ns();
        Some(match (method, path) {
            (&Method::GET, "/_truth") => replies::json(&self.truth.to_json(now_ns)),
            (&Method::POST, "/_control/reset") => {
                self.truth.reset(now_ns);
                routes::status(StatusCode::NO_CONTENT, Body::empty())
            }
            (_, "/_truth") => routes::not_allowed("GET"),
            (_, "/_control/reset") => routes::not_allowed("POST"),
            _ => routes::not_found(),
        })
    }
}

impl RuleState {
    fn new(rule: &Rule) -> Self {
        let models = rule.service.models.iter().map(|model| ModelState::new(*model)).collect();
        Self { prefix: rule.prefix.clone(), models }
    }
}

impl ModelState {
    fn new(model: Model) -> Self {
        let servers = match model {
            Model::Queue { servers, .. } => servers,
            _ => 1,
        };
        Self {
            model,
            lock: tokio::sync::Mutex::new(()),
            queue: Mutex::new(Queue::new(servers)),
            shared_server: match model {
                Model::Usl(law) => Some(SharedServer::new(law)),
                _ => None,
            },
        }
    }

    /// Does `work` that begins at `begun_ns` and returns when it ended.
    ///
    /// A wait ends by its deadline and not by when the worker noticed, so that neither the
    /// target's own overhead nor late wake-ups add up.
    async fn carry_out(&self, timers: &Timers, work: Work, begun_ns: u64) -> u64 {
        match work {
            Work::Wait(span_ns) => {
                let due_ns = begun_ns.saturating_add(span_ns);
                timers.sleep_until(due_ns).await;
                due_ns
            }
            Work::Burn(span_ns) => {
                clock::burn(span_ns);
                clock::now_ns()
            }
            Work::Hold(span_ns) => {
                let _held = self.lock.lock().await;
                timers.sleep(span_ns).await;
                clock::now_ns()
            }
            Work::Enqueue(service_ns) => {
                let leaves_ns = {
                    let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
                    queue.admit(clock::now_ns(), service_ns)
                };
                timers.sleep_until(leaves_ns).await;
                leaves_ns
            }
            Work::Share(work) => {
                if let Some(shared_server) = &self.shared_server {
                    shared_server.serve(timers, work).await;
                }
                clock::now_ns()
            }
        }
    }
}

/// Answers one request of a connection.
pub(crate) async fn answer(
    site: &Site,
    timers: &Timers,
    request: Request<Incoming>,
) -> Result<Response<Body>, ResetOnPurpose> {
    let arrived_ns = clock::now_ns();
    if let Some(reply) = site.control(request.method(), request.uri().path()) {
        return Ok(reply);
    }
    let arrival = site.truth.arrive();
    let (parts, incoming) = request.into_parts();
    let body = read_body(incoming).await;
    let start_ns = site.wait_out_stalls(timers).await.unwrap_or(arrived_ns);
    site.serve(timers, parts.uri.path(), &arrival, start_ns).await;
    let passage = site.pass(timers, parts.uri.path(), &arrival).await;
    if site.is_reset(arrival.number) {
        site.wait_out_stalls(timers).await;
        arrival.connection_reset();
        return Err(ResetOnPurpose);
    }
    let (mut reply, ending) = if let Err(refused) = &passage {
        let text = Body::text(format!("{}\n", refused.text));
        (routes::status(refused.status, text), Ending::Error)
    } else if site.is_error(arrival.number) {
        let text = Body::text("error on purpose\n");
        (routes::status(site.error_status, text), Ending::Error)
    } else {
        (route(site, timers, &parts, body).await, Ending::Reply)
    };
    site.wait_out_stalls(timers).await;
    let service_time_ns = clock::now_ns().saturating_sub(arrived_ns);
    arrival.replied(service_time_ns, ending);
    stamp(reply.headers_mut(), service_time_ns);
    Ok(reply)
}

/// The reply of the shop, else of the probe paths.
async fn route(site: &Site, timers: &Timers, parts: &Parts, body: Result<Bytes, StatusCode>) -> Response<Body> {
    let body = match body {
        Ok(body) => body,
        Err(status) => return routes::status(status, Body::empty()),
    };
    if let Some(reply) = site.shop.as_ref().and_then(|shop| shop.reply(parts, &body)) {
        return reply;
    }
    routes::reply(site, timers, parts, body).await
}

/// Reads the whole body, up to its limit.
async fn read_body(incoming: Incoming) -> Result<Bytes, StatusCode> {
    if incoming.is_end_stream() {
        return Ok(Bytes::new());
    }
    match Limited::new(incoming, REQUEST_BODY_BYTES_MAX).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => Err(StatusCode::BAD_REQUEST),
    }
}

/// Writes the true service time into the reply, in both forms.
fn stamp(headers: &mut HeaderMap, service_time_ns: u64) {
    headers.insert(SERVICE_TIME, HeaderValue::from(service_time_ns));
    let us = (service_time_ns + 500) / 1_000;
    let timing = format!("app;dur={}.{:03}", us / 1_000, us % 1_000);
    if let Ok(value) = HeaderValue::try_from(timing) {
        headers.insert(SERVER_TIMING, value);
    }
}
