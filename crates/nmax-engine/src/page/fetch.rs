//! A page from its verified document to the end of its last resource.

use std::collections::VecDeque;
use std::rc::Rc;

use nmax_extract::Page as Parsed;
use nmax_extract::resources::{Found, Kind, Priority, Resources, of_style_sheet, resources};
use nmax_http::{Alarm, Exchange, KeepBody, Origin, Reply, Url};
use nmax_metrics::{ErrorKind, NameId, Nanos, Outcome};
use nmax_plan::plan::{Body, Cookies, Expect, Method, Page, Request};
use nmax_plan::template::{Escape, Template};

use super::cache::{Content, Stored};
use super::freshness::Span;
use super::lane::{Job, Lanes};
use super::queue::{Queue, Resource, Source};
use crate::context::{Assignment, Context};
use crate::driver::{Driver, Drivers};
use crate::examples::{self, Seen, SentBytes};
use crate::program::{KEPT_BODY_MAX, Prepared};
use crate::redirect;
use crate::render::{Form, Message};
use crate::runtime::Runtime;
use crate::verify::Verified;
use crate::vu::{CallsOf, StepEnd, Vu};

/// Exchanges of one page at the same time, whatever the number of its origins.
const LANES_MAX: usize = 48;
/// Redirects of one resource that are followed.
const REDIRECTS_MAX: u32 = 5;

/// What was fetched along with a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// Resources that belong to it.
    pub(crate) resources: u64,
    /// Of those, the ones that needed no exchange.
    pub(crate) cached: u64,
    /// Of those, the ones that had not changed.
    pub(crate) unchanged: u64,
    /// Of those, the ones that were not ok.
    pub(crate) failed: u64,
    /// Bytes received for them.
    pub(crate) bytes_received: u64,
}

/// A page under way.
struct Load<'a, D> {
    assignment: &'a Assignment,
    prepared: &'a Prepared,
    /// What the requests of resources have beside the defaults of the plan: nothing.
    request: Request,
    /// The document's origin: what the plan sends to it goes nowhere else.
    origin: Origin,
    queue: Queue<'a>,
    /// Drivers without an exchange.
    spare: Vec<(D, Alarm)>,
    fetched: Fetched,
    /// When the last exchange ended: whoever waits for a connection has waited until then.
    freed: Nanos,
}

impl<R: Runtime, D: Drivers> Vu<R, D> {
    /// Fetches what belongs to the page of a document that ended like this. The page ends with its last resource.
    pub(crate) async fn fetch_page(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        end: StepEnd,
    ) -> (StepEnd, Fetched) {
        let named = self.named.take();
        let (StepEnd::Next(done, true), Some(page), Some(url)) = (end, &prepared.request.page, self.page.clone())
        else {
            return (end, Fetched::default());
        };
        let mut load = Load {
            assignment,
            prepared,
            request: bare_request(),
            origin: url.origin.clone(),
            queue: Queue::new(&url, &page.discover),
            spare: Vec::new(),
            fetched: Fetched::default(),
            freed: done,
        };
        let listed = self.listed(context, prepared, page, &url, done, &mut load);
        self.admit(context, &mut load, listed);
        if load.queue.discovers() && is_html(&self.driver.reply()) {
            let named = named.unwrap_or_else(|| Parsed::new(&[], self.driver.reply().body()).resources());
            self.admit_named(context, &mut load, &named, &url, done, 0);
        }
        let timeout = prepared
            .request
            .timeout
            .unwrap_or(context.program.plan.defaults.timeout);
        let cut = self.drain(context, &mut load, done + Nanos::from(timeout)).await;
        let end = match cut {
            Some(now) => StepEnd::Cut(now),
            None => StepEnd::Next(load.freed, load.fetched.failed == 0),
        };
        (end, load.fetched)
    }

    /// Sends and receives until nothing is left; the instant at which the end of the run cut it off.
    async fn drain(
        &mut self,
        context: &Context<R, D>,
        load: &mut Load<'_, D::Driver>,
        deadline: Nanos,
    ) -> Option<Nanos> {
        let mut lanes = Lanes::until(deadline);
        let mut cut = None;
        loop {
            while lanes.len() < LANES_MAX
                && cut.is_none()
                && let Some((resource, origin)) = load.queue.next()
            {
                let job = self.job(context, load, resource, origin);
                let (driver, alarm) = load.spare.pop().unwrap_or_else(|| {
                    let alarm = Alarm::default();
                    (self.driver.sibling(Alarm::clone(&alarm)), alarm)
                });
                lanes.start(context, job, driver, alarm);
            }
            if lanes.is_empty() {
                return cut;
            }
            let done = lanes.next(&self.limit, &context.runtime).await;
            load.queue.ended(done.job.origin);
            match &done.exchange {
                Err(now) => {
                    let intended = done.job.resource.known;
                    context.censor(self.section(context, intended), intended, *now);
                    cut = Some(*now);
                }
                Ok(exchange) => {
                    load.freed = load.freed.max(exchange.done);
                    self.finish(context, load, &done.job, exchange, &done.driver);
                    if load.freed >= deadline {
                        load.fetched.failed += load.queue.give_up();
                    }
                }
            }
            load.spare.push((done.driver, done.alarm));
        }
    }

    /// The resources that the plan lists.
    fn listed(
        &mut self,
        context: &Context<R, D>,
        prepared: &Prepared,
        page: &Page,
        url: &Url,
        known: Nanos,
        load: &mut Load<'_, D::Driver>,
    ) -> Vec<Resource> {
        if prepared.calls {
            self.values.count_calls_of(CallsOf::Resources);
        }
        let plan = &context.program.plan;
        let scenario = &plan.scenarios[load.assignment.scenario];
        let mut listed = Vec::with_capacity(page.listed.len());
        for template in &page.listed {
            let mut reference = Vec::new();
            template.render(&mut reference, &self.values, Escape::Path);
            let trouble = if prepared.calls {
                self.values.take_trouble()
            } else {
                None
            };
            let target = url.join(&String::from_utf8_lossy(&reference));
            match target {
                Ok(target) if trouble.is_none() => {
                    if load.queue.is_new(&target) {
                        listed.push(Resource {
                            url: target,
                            kind: Kind::Other,
                            priority: Priority::Normal,
                            name: format!("GET {}", template.display(plan.labels(scenario))).into(),
                            known,
                            redirects: 0,
                            is_listed: true,
                            depth: 0,
                        });
                    }
                }
                // What makes no URL cannot be asked for: the page lacks it.
                _ => {
                    load.fetched.resources += 1;
                    load.fetched.failed += 1;
                }
            }
        }
        listed
    }

    /// Takes in what a document or frame names.
    fn admit_named(
        &mut self,
        context: &Context<R, D>,
        load: &mut Load<'_, D::Driver>,
        named: &Resources,
        url: &Url,
        known: Nanos,
        depth: u32,
    ) {
        let base = named.base.as_deref().and_then(|base| url.join(base).ok());
        let source = Source {
            base: base.as_ref().unwrap_or(url),
            known,
            depth,
        };
        let new = load.queue.new_among(&named.found, source);
        self.admit(context, load, new);
    }

    /// Takes in resources, each known for the first time: out of the cache, or into the queue.
    fn admit(&mut self, context: &Context<R, D>, load: &mut Load<'_, D::Driver>, new: Vec<Resource>) {
        load.fetched.resources += new.len() as u64;
        let mut new = VecDeque::from(new);
        while let Some(resource) = new.pop_front() {
            let Some(content) = self.fresh(context, load, &resource) else {
                load.queue.push(resource);
                continue;
            };
            match content.leads_to.filter(|_| resource.redirects < REDIRECTS_MAX) {
                Some(url) if resource.is_listed || load.queue.admits(&url) => new.push_back(Resource {
                    url,
                    redirects: resource.redirects + 1,
                    ..resource
                }),
                _ => {
                    load.fetched.cached += 1;
                    let inner = inner_resources(&mut load.queue, &content.found, &resource, resource.known);
                    load.fetched.resources += inner.len() as u64;
                    new.extend(inner);
                }
            }
        }
    }

    /// What the browser has in store of a resource, when it need not ask.
    fn fresh(&mut self, context: &Context<R, D>, load: &Load<'_, D::Driver>, resource: &Resource) -> Option<Content> {
        let mut cache = self.cache.take()?;
        let stored = cache.find(
            &resource.url,
            || self.message(context, load, &resource.url),
            context.unix_now_s(),
        );
        self.cache = Some(cache);
        match stored? {
            Stored::Fresh(content) => Some(content),
            Stored::Stale(_) => None,
        }
    }

    /// The request for a resource.
    fn job(&mut self, context: &Context<R, D>, load: &Load<'_, D::Driver>, resource: Resource, origin: usize) -> Job {
        let mut bytes = self.message(context, load, &resource.url);
        let now_s = context.unix_now_s();
        let cache = self.cache.as_mut();
        let stored = cache.and_then(|cache| cache.find(&resource.url, || bytes.clone(), now_s));
        let mut is_check = false;
        if let Some(Stored::Stale(known)) = stored {
            bytes.truncate(bytes.len() - 2);
            for (name, value) in [
                ("if-none-match", known.etag),
                ("if-modified-since", known.last_modified),
            ] {
                if let Some(value) = value {
                    is_check = true;
                    bytes.extend_from_slice(name.as_bytes());
                    bytes.extend_from_slice(b": ");
                    bytes.extend_from_slice(&value);
                    bytes.extend_from_slice(b"\r\n");
                }
            }
            bytes.extend_from_slice(b"\r\n");
        }
        let is_read = load.queue.discovers()
            && (resource.is_listed || matches!(resource.kind, Kind::Style) || resource.kind == Kind::Frame);
        Job {
            wait: load.freed.since(resource.known),
            resource,
            origin,
            bytes,
            keep_body: if is_read {
                KeepBody::UpTo(KEPT_BODY_MAX)
            } else {
                KeepBody::Discard
            },
            is_check,
        }
    }

    /// A GET with the defaults of the plan and the user's cookies. Another origin sees no credentials of the first.
    fn message(&mut self, context: &Context<R, D>, load: &Load<'_, D::Driver>, url: &Url) -> Vec<u8> {
        let authority = url.origin.authority();
        let message = Message {
            plan: &context.program.plan,
            request: &load.request,
            prepared: load.prepared,
            form: Form {
                method: Method::Get,
                has_body: false,
                has_credentials: url.origin == load.origin,
            },
            authority: &authority,
            target: url.target.as_bytes(),
        };
        if load.prepared.calls {
            self.values.count_calls_of(CallsOf::Message);
        }
        let mut bytes = Vec::with_capacity(256);
        message.write(&self.values, &mut self.buffers.body, &mut bytes);
        if !self.jar.is_empty() {
            let end = bytes.len() - 2;
            bytes.truncate(end);
            bytes.extend_from_slice(b"cookie: ");
            if self
                .jar
                .write(&url.origin, &url.target, context.unix_now_s(), &mut bytes)
            {
                bytes.extend_from_slice(b"\r\n");
            } else {
                bytes.truncate(end);
            }
            bytes.extend_from_slice(b"\r\n");
        }
        bytes
    }

    /// Records an exchange that has ended, and takes in what its reply leads to.
    fn finish(
        &mut self,
        context: &Context<R, D>,
        load: &mut Load<'_, D::Driver>,
        job: &Job,
        exchange: &Exchange,
        driver: &D::Driver,
    ) {
        let (resource, reply) = (&job.resource, driver.reply());
        let leads_to = match exchange.status {
            Some(_) => redirect::location(&reply, &resource.url),
            None => None,
        };
        let verified = verified(job, exchange, leads_to.as_ref());
        let is_ok = verified.outcome == Outcome::Ok;
        let name = measured_name(context, resource);
        let seen = Seen {
            assignment: load.assignment,
            name,
            exchange,
            intended: resource.known,
        };
        self.record(context, &seen, job.wait, verified.outcome);
        load.fetched.bytes_received += exchange.bytes_received;
        if !is_ok {
            load.fetched.failed += 1;
            let sent = SentBytes {
                bytes: &job.bytes,
                rest: &[],
            };
            return examples::keep(context, &seen, &verified, sent, driver);
        }
        if context.program.plan.defaults.cookies != Cookies::Ignored {
            for cookie in reply.set_cookies() {
                // A cookie that a browser would refuse is refused here too.
                let _ = self
                    .jar
                    .store(&resource.url.origin, &resource.url.target, cookie, context.unix_now_s());
            }
        }
        let content = self.remember(context, load, job, exchange, driver, leads_to.and_then(Result::ok));
        let inner = match content.leads_to {
            Some(url) if resource.is_listed || load.queue.admits(&url) => {
                let section = self.section(context, resource.known);
                let mut meter = context.meter.borrow_mut();
                meter.window().aggregate.load_mut(section).redirects += 1;
                drop(meter);
                // It is the same resource, wherever it is.
                load.fetched.resources -= 1;
                vec![Resource {
                    url,
                    redirects: resource.redirects + 1,
                    known: exchange.done,
                    ..resource.clone()
                }]
            }
            _ => inner_resources(&mut load.queue, &content.found, resource, exchange.done),
        };
        self.admit(context, load, inner);
    }

    /// Puts a good reply into the cache; returns what it leads to.
    fn remember(
        &mut self,
        context: &Context<R, D>,
        load: &mut Load<'_, D::Driver>,
        job: &Job,
        exchange: &Exchange,
        driver: &D::Driver,
        leads_to: Option<Url>,
    ) -> Content {
        let (reply, url) = (driver.reply(), &job.resource.url);
        let done_s = context.unix_now_s();
        let took = exchange.done.since(exchange.sent.unwrap_or(exchange.done));
        let span = Span {
            sent_s: done_s - (took.0 / 1_000_000_000) as i64,
            done_s,
        };
        let cache = self.cache.get_or_insert_default();
        if job.is_check && exchange.status == Some(304) {
            load.fetched.unchanged += 1;
            let known = cache.refresh(url, &reply, &job.bytes, span);
            return known.unwrap_or_default();
        }
        let content = Content {
            found: named_in(job, &reply),
            leads_to,
        };
        cache.store(url.clone(), &reply, &job.bytes, content.clone(), span);
        content
    }
}

/// The resources that one in the cache, or one just received, names in its turn.
fn inner_resources(queue: &mut Queue<'_>, found: &[Found], resource: &Resource, known: Nanos) -> Vec<Resource> {
    let source = Source {
        base: &resource.url,
        known,
        depth: resource.depth + u32::from(resource.kind == Kind::Frame),
    };
    queue.new_among(found, source)
}

/// What a reply names: style sheets and frames name something. References that have another base are made absolute.
fn named_in(job: &Job, reply: &Reply<'_>) -> Rc<[Found]> {
    if job.keep_body == KeepBody::Discard {
        return Rc::from([]);
    }
    let body = String::from_utf8_lossy(reply.body());
    let kind = job.resource.kind;
    if kind == Kind::Frame && is_html(reply) {
        let named = resources(&body);
        let base = named.base.as_deref().and_then(|base| job.resource.url.join(base).ok());
        let absolute = |found: Found| match base.as_ref().and_then(|base| base.join(&found.reference).ok()) {
            Some(url) => Found {
                reference: url.to_string(),
                ..found
            },
            None => found,
        };
        return named.found.into_iter().map(absolute).collect();
    }
    let is_css = reply
        .header("content-type")
        .map_or(kind == Kind::Style, |found| begins_with(found, b"text/css"));
    if is_css {
        of_style_sheet(&body).into()
    } else {
        Rc::from([])
    }
}

/// Whether a resource is ok: a reply with a status from 200 to 399 that leads somewhere when it leads on.
fn verified(job: &Job, exchange: &Exchange, leads_to: Option<&Result<Url, String>>) -> Verified {
    let failed = |kind: String, text: Option<String>| Verified {
        outcome: Outcome::Failed,
        kind,
        text,
        lacks_value: false,
    };
    let Some(status) = exchange.status else {
        let kind = exchange
            .error
            .as_ref()
            .map_or(ErrorKind::Protocol, |failure| failure.kind);
        return Verified::error(kind);
    };
    match leads_to {
        Some(Err(why)) => failed(redirect::KIND_REFUSED.to_owned(), Some(why.clone())),
        Some(Ok(url)) if job.resource.redirects >= REDIRECTS_MAX => failed(
            redirect::KIND.to_owned(),
            Some(format!(
                "more than {REDIRECTS_MAX} redirects of a resource, the last one to {}",
                redirect::shown(url)
            )),
        ),
        _ if Expect::STATUS_DEFAULT.0 <= status && status <= Expect::STATUS_DEFAULT.1 => Verified::OK,
        _ => failed(format!("status {status}"), None),
    }
}

fn measured_name<R: Runtime, D: Drivers>(context: &Context<R, D>, resource: &Resource) -> NameId {
    match resource.redirects {
        0 => context.names.id(&resource.name),
        hop => context.names.id(&format!("{} +{hop}", resource.name)),
    }
}

/// Whether a reply says that it is HTML, or nothing.
pub(crate) fn is_html(reply: &Reply<'_>) -> bool {
    reply
        .header("content-type")
        .is_none_or(|found| begins_with(found, b"text/html") || begins_with(found, b"application/xhtml"))
}

fn begins_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(start))
}

/// A GET that says nothing of its own.
fn bare_request() -> Request {
    Request {
        name: Template { parts: Vec::new() },
        method: Method::Get,
        url: Template { parts: Vec::new() },
        query: Vec::new(),
        headers: Vec::new(),
        body: Body::Empty,
        expect: Expect {
            status: Vec::new(),
            checks: Vec::new(),
        },
        extract: Vec::new(),
        timeout: None,
        redirects_max: None,
        expect_continue: false,
        page: None,
        tags: Vec::new(),
    }
}
