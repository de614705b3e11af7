//! A page from its verified document to the end of its last resource.

use std::collections::VecDeque;

use nmax_extract::resources::{Found, Kind, Priority, Resources};
use nmax_http::{Alarm, Origin, Url};
use nmax_metrics::Nanos;
use nmax_plan::plan::{HttpCall, Page};
use nmax_plan::template::{Escape, Template};

use super::cache::{Content, Stored, selected};
use super::lane::Lanes;
use super::queue::{Queue, Resource, Source};
use crate::context::Context;
use crate::http::driver::{Driver, Drivers};
use crate::iteration::{Assignment, StepEnd};
use crate::program::Prepared;
use crate::runtime::Runtime;
use crate::user::values::CallsOf;
use crate::user::vu::Vu;

/// Exchanges of one page at the same time, whatever the number of its origins.
const LANES_MAX: usize = 48;
/// Redirects of one resource that are followed.
pub(super) const REDIRECTS_MAX: u32 = 5;

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
    /// Resources beyond the most of a page, which were not asked for.
    pub(crate) left_out: u64,
    /// Bytes received for them.
    pub(crate) bytes_received: u64,
}

/// A page under way.
pub(super) struct Load<'a, D> {
    /// When all that is under way is given up.
    pub(super) deadline: Nanos,
    pub(super) assignment: &'a Assignment,
    pub(super) prepared: &'a Prepared,
    /// What the requests of resources have beside the defaults of the plan: nothing.
    pub(super) request: HttpCall,
    /// The document's origin: what the plan sends to it goes nowhere else.
    pub(super) origin: Origin,
    pub(super) queue: Queue<'a>,
    /// Drivers without an exchange.
    spare: Vec<(D, Alarm)>,
    pub(super) fetched: Fetched,
    /// When the last exchange ended: whoever waits for a connection has waited until then.
    pub(super) freed: Nanos,
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
        let (StepEnd::Next(done, true), Some(page), Some(url)) =
            (end, &prepared.request.http().page, self.page.clone())
        else {
            return (end, Fetched::default());
        };
        let timeout = prepared.request.timeout.unwrap_or(context.program.plan.defaults.timeout);
        let mut load = Load {
            deadline: done + Nanos::from(timeout),
            assignment,
            prepared,
            request: HttpCall::get(Template::default()),
            origin: url.origin.clone(),
            queue: Queue::new(prepared.request.name.as_constant().unwrap_or("page"), &url, &page.discover)
                .with_tags(context.program.tagger.as_ref()),
            spare: Vec::new(),
            fetched: Fetched::default(),
            freed: done,
        };
        let listed = self.listed(context, prepared, page, &url, done, &mut load);
        self.admit(context, &mut load, listed);
        if let Some(named) = named {
            self.admit_named(context, &mut load, &named, &url, done, 0);
        }
        let cut = self.drain(context, &mut load).await;
        load.fetched.left_out = load.queue.left_out();
        let end = match cut {
            Some(now) => StepEnd::Cut(now),
            None => StepEnd::Next(load.freed, load.fetched.failed == 0),
        };
        (end, load.fetched)
    }

    /// Sends and receives until nothing is left; the instant at which the end of the run cut it off.
    async fn drain(&mut self, context: &Context<R, D>, load: &mut Load<'_, D::Driver>) -> Option<Nanos> {
        let mut lanes = Lanes::until(load.deadline);
        let mut cut = None;
        loop {
            while lanes.len() < LANES_MAX
                && cut.is_none()
                && let Some((resource, origin)) = load.queue.next(|origin| self.driver.concurrency(origin))
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
                    if load.freed >= load.deadline {
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
            let trouble = if prepared.calls { self.values.take_trouble() } else { None };
            let target = url.join(&String::from_utf8_lossy(&reference));
            match target {
                Ok(target) if trouble.is_none() => {
                    if load.queue.is_new(&target) {
                        let name = format!("GET {}", template.display(plan.labels(scenario)));
                        let name = load.queue.name_of(&name, &target);
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
        let source = Source { base: base.as_ref().unwrap_or(url), known, depth };
        let new = load.queue.new_among(&named.found, source);
        self.admit(context, load, new);
    }

    /// Takes in resources, each known for the first time: out of the cache, or into the queue.
    pub(super) fn admit(&mut self, context: &Context<R, D>, load: &mut Load<'_, D::Driver>, new: Vec<Resource>) {
        load.fetched.resources += new.len() as u64;
        let mut new = VecDeque::from(new);
        while let Some(resource) = new.pop_front() {
            let Some(content) = self.fresh(context, load, &resource) else {
                load.queue.push(resource);
                continue;
            };
            match content.leads_to.filter(|_| resource.redirects < REDIRECTS_MAX) {
                Some(url) if resource.is_listed || load.queue.admits(&url) => {
                    new.push_back(Resource { url, redirects: resource.redirects + 1, ..resource })
                }
                _ => {
                    load.fetched.cached += 1;
                    load.fetched.failed += u64::from(content.is_failed);
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
        let values = |names: &str| selected(names, self.message(context, load, &resource.url).fields());
        let stored = cache.find(&resource.url, values, context.unix_now_s());
        self.cache = Some(cache);
        match stored? {
            Stored::Fresh(content) => Some(content),
            Stored::Stale(_) => None,
        }
    }
}

/// The resources that one in the cache, or one just received, names in its turn.
pub(super) fn inner_resources(
    queue: &mut Queue<'_>,
    found: &[Found],
    resource: &Resource,
    known: Nanos,
) -> Vec<Resource> {
    let source = Source { base: &resource.url, known, depth: resource.depth + u32::from(resource.kind == Kind::Frame) };
    queue.new_among(found, source)
}
