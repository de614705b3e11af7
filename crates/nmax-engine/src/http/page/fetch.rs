//! A page from its verified document to the end of its last resource.

use std::collections::VecDeque;

use nmax_extract::resources::{Kind, Priority, ResourceReference, Resources};
use nmax_http::{Alarm, Origin, Url};
use nmax_metrics::Nanos;
use nmax_plan::plan::{HttpCall, Page};
use nmax_plan::template::{Escape, Template};

use super::cache::{Content, Stored, selected};
use super::lane::Lanes;
use super::queue::{Queue, Resource, Source};
use crate::http::driver::{Driver, Drivers};
use crate::http::state::Work;
use crate::iteration::StepEnd;
use crate::measure::tally::Fetched;
use crate::runtime::Runtime;
use crate::user::values::CallsOf;

/// Exchanges of one page at the same time, whatever the number of its origins.
const LANES_MAX: usize = 48;
/// Redirects of one resource that are followed.
pub(super) const REDIRECTS_MAX: u32 = 5;

/// A page under way.
pub(super) struct Load<'w, 'a, R: Runtime, D: Drivers> {
    /// The call of its document.
    pub(super) work: &'w mut Work<'a, R, D>,
    /// When all that is under way is given up.
    pub(super) deadline: Nanos,
    /// What the requests of resources have beside the defaults of the plan: nothing.
    pub(super) request: HttpCall,
    /// The document's origin: what the plan sends to it goes nowhere else.
    pub(super) origin: Origin,
    pub(super) queue: Queue<'a>,
    /// Drivers without an exchange.
    spare: Vec<(D::Driver, Alarm)>,
    pub(super) fetched: Fetched,
    /// When the last exchange ended. A request that waits for a connection waits until then.
    pub(super) freed: Nanos,
}

/// Fetches what belongs to the page of a document that ended like this. The page ends with its last resource.
pub(crate) async fn fetch_page<R: Runtime, D: Drivers>(work: &mut Work<'_, R, D>, end: StepEnd) -> (StepEnd, Fetched) {
    let named = work.user.named.take();
    let (site, http) = (&work.site, work.http);
    let call = site.call.call.as_ref();
    let (StepEnd::Next(done, true), Some(page), Some(url)) = (end, &work.prepared.request.page, work.user.page.clone())
    else {
        return (end, Fetched::default());
    };
    let timeout = call.timeout.unwrap_or(http.of.plan.defaults.timeout);
    let mut load = Load {
        deadline: done + Nanos::from(timeout),
        request: HttpCall::get(Template::default()),
        origin: url.origin.clone(),
        queue: Queue::new(call.name.as_constant().unwrap_or("page"), &url, &page.discover)
            .with_tags(http.of.tagger.as_ref()),
        spare: Vec::new(),
        fetched: Fetched::default(),
        freed: done,
        work,
    };
    let listed = load.listed(page, &url, done);
    load.admit(listed);
    if let Some(named) = named {
        load.admit_named(&named, &url, done, 0);
    }
    let cut = load.drain().await;
    load.fetched.left_out = load.queue.left_out();
    let end = match cut {
        Some(now) => StepEnd::Cut(now),
        None => StepEnd::Next(load.freed, load.fetched.failed == 0),
    };
    (end, load.fetched)
}

impl<'a, R: Runtime, D: Drivers> Load<'_, 'a, R, D> {
    /// Sends and receives until nothing is left; the instant at which the end of the run cut it off.
    async fn drain(&mut self) -> Option<Nanos> {
        let core = self.work.site.core;
        let mut lanes = Lanes::until(self.deadline);
        let mut cut = None;
        loop {
            while lanes.len() < LANES_MAX
                && cut.is_none()
                && let Some((resource, origin)) = self.queue.next(|origin| self.work.user.driver.concurrency(origin))
            {
                let job = self.job(resource, origin);
                let (driver, alarm) = self.spare.pop().unwrap_or_else(|| {
                    let alarm = Alarm::default();
                    (self.work.user.driver.sibling(Alarm::clone(&alarm)), alarm)
                });
                lanes.start(core, job, driver, alarm);
            }
            if lanes.is_empty() {
                return cut;
            }
            let done = lanes.next(&self.work.site.actor.limit, &core.runtime).await;
            self.queue.ended(done.job.origin);
            match &done.exchange {
                Err(now) => {
                    let intended = done.job.resource.known;
                    core.censor(self.work.site.section(intended), intended, *now);
                    cut = Some(*now);
                }
                Ok(exchange) => {
                    self.freed = self.freed.max(exchange.done);
                    self.finish(&done.job, exchange, &done.driver);
                    if self.freed >= self.deadline {
                        self.fetched.failed += self.queue.give_up();
                    }
                }
            }
            self.spare.push((done.driver, done.alarm));
        }
    }

    /// The resources that the plan lists.
    fn listed(&mut self, page: &Page, url: &Url, known: Nanos) -> Vec<Resource> {
        if self.work.site.call.calls {
            self.work.site.actor.values.count_calls_of(CallsOf::Resources);
        }
        let plan = &self.work.site.core.plan;
        let scenario = &plan.scenarios[self.work.site.assignment.scenario];
        let mut listed = Vec::with_capacity(page.listed.len());
        for template in &page.listed {
            let mut reference = Vec::new();
            template.render(&mut reference, &self.work.site.actor.values, Escape::Path);
            let trouble = if self.work.site.call.calls { self.work.site.actor.values.take_trouble() } else { None };
            let target = url.join(&String::from_utf8_lossy(&reference));
            match target {
                Ok(target) if trouble.is_none() => {
                    if self.queue.is_new(&target) {
                        let name = format!("GET {}", template.display(plan.labels(scenario)));
                        let name = self.queue.name_of(&name, &target);
                        listed.push(Resource {
                            url: target,
                            kind: Kind::Other,
                            priority: Priority::Normal,
                            name,
                            known,
                            redirects: 0,
                            is_listed: true,
                            depth: 0,
                        });
                    }
                }
                // What makes no URL cannot be asked for: the page lacks it.
                _ => {
                    self.fetched.resources += 1;
                    self.fetched.failed += 1;
                }
            }
        }
        listed
    }

    /// Takes in what a document or frame names.
    fn admit_named(&mut self, named: &Resources, url: &Url, known: Nanos, depth: u32) {
        let base = named.base.as_deref().and_then(|base| url.join(base).ok());
        let source = Source { base: base.as_ref().unwrap_or(url), known, depth };
        let new = self.queue.new_among(&named.found, source);
        self.admit(new);
    }

    /// Takes in resources, each known for the first time: out of the cache, or into the queue.
    pub(super) fn admit(&mut self, new: Vec<Resource>) {
        self.fetched.resources += new.len() as u64;
        let mut new = VecDeque::from(new);
        while let Some(resource) = new.pop_front() {
            let Some(content) = self.fresh(&resource) else {
                self.queue.push(resource);
                continue;
            };
            match content.leads_to.filter(|_| resource.redirects < REDIRECTS_MAX) {
                Some(url) if resource.is_listed || self.queue.admits(&url) => {
                    new.push_back(Resource { url, redirects: resource.redirects + 1, ..resource })
                }
                _ => {
                    self.fetched.cached += 1;
                    self.fetched.failed += u64::from(content.is_failed);
                    let inner = inner_resources(&mut self.queue, &content.found, &resource, resource.known);
                    self.fetched.resources += inner.len() as u64;
                    new.extend(inner);
                }
            }
        }
    }

    /// What the browser has in store of a resource, when it need not ask.
    fn fresh(&mut self, resource: &Resource) -> Option<Content> {
        let (mut cache, now_s) = (self.work.user.cache.take()?, self.work.site.core.unix_now_s());
        let values = |names: &str| selected(names, self.message(&resource.url).fields());
        let stored = cache.find(&resource.url, values, now_s);
        self.work.user.cache = Some(cache);
        match stored? {
            Stored::Fresh(content) => Some(content),
            Stored::Stale(_) => None,
        }
    }
}

/// The resources that one in the cache, or one just received, names in its turn.
pub(super) fn inner_resources(
    queue: &mut Queue<'_>,
    found: &[ResourceReference],
    resource: &Resource,
    known: Nanos,
) -> Vec<Resource> {
    let source = Source { base: &resource.url, known, depth: resource.depth + u32::from(resource.kind == Kind::Frame) };
    queue.new_among(found, source)
}
