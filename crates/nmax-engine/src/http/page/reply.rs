//! What the reply for a resource leads to: a record, cookies, what the cache remembers, and more resources.

use std::rc::Rc;

use nmax_extract::resources::{Kind, ResourceReference, of_style_sheet};
use nmax_extract::{GaveUp, ReplyContent};
use nmax_http::{Exchange, KeepBody, Reply, Url};
use nmax_metrics::{Code, ErrorKind, NameId, Outcome};
use nmax_plan::plan::{Cookies, Expect};

use super::cache::Content;
use super::fetch::{Load, REDIRECTS_MAX, inner_resources};
use super::freshness::Span;
use super::lane::Job;
use super::queue::Resource;
use crate::core::Core;
use crate::http::driver::{Driver, Drivers};
use crate::http::redirect;
use crate::http::shown::{Sent, messages};
use crate::runtime::Runtime;
use crate::user::site::Seen;
use crate::user::verify::{KIND_UNREAD, Verified, read_until};

impl<'a, R: Runtime, D: Drivers> Load<'_, 'a, R, D> {
    /// Records an exchange that has ended, and takes in what its reply leads to.
    pub(super) fn finish(&mut self, job: &Job, exchange: &Exchange, driver: &D::Driver) {
        let (core, resource, reply) = (self.work.site.core, &job.resource, driver.reply());
        let leads_to = match exchange.status {
            Some(_) => redirect::location(&reply, &resource.url),
            None => None,
        };
        let mut verified = verified(job, exchange, leads_to.as_ref());
        let mut found = Rc::from([]);
        if verified.outcome == Outcome::Ok {
            let until = read_until(self.deadline, exchange.done);
            match named_in(job, &reply, &|| core.runtime.now() >= until) {
                Ok(named) => found = named,
                Err(why) => verified = Verified::failed(KIND_UNREAD.to_owned(), Some(why.to_string())),
            }
        }
        let is_ok = verified.outcome == Outcome::Ok;
        let name = measured_name(core, resource);
        let seen = Seen { name, exchange, intended: resource.known };
        let sample = self.work.site.sample(&seen, job.wait, verified.outcome);
        self.work.site.record(&sample, exchange);
        if core.reports_exchanges {
            self.work.site.report_exchange(&sample, (job.text.method(), job.text.target()));
        }
        self.fetched.bytes_received += exchange.bytes_received;
        if !is_ok {
            self.fetched.failed += 1;
            if exchange.status.and_then(Code::number).is_some_and(|status| status >= 400) {
                self.store(job, exchange, driver, Content::failed());
            }
            let sent = Sent { text: &job.text, rest: &[] };
            let show = |redactor| messages(Some(sent), exchange, driver, redactor);
            return self.work.site.keep(&seen, &verified, show);
        }
        if core.plan.defaults.cookies != Cookies::Ignored {
            for cookie in reply.set_cookies() {
                // A cookie that a browser would refuse is refused here too.
                let _ = self.work.user.jar.store(
                    &resource.url.origin,
                    resource.url.target.as_bytes(),
                    cookie,
                    core.unix_now_s(),
                );
            }
        }
        let content = Content { found, leads_to: leads_to.and_then(Result::ok), is_failed: false };
        let content = self.remember(job, exchange, driver, content);
        let inner = match content.leads_to {
            Some(url) if resource.is_listed || self.queue.admits(&url) => {
                core.count_redirect(self.work.site.section(resource.known));
                // It is the same resource, wherever it is.
                self.fetched.resources -= 1;
                vec![Resource { url, redirects: resource.redirects + 1, known: exchange.done, ..resource.clone() }]
            }
            _ => inner_resources(&mut self.queue, &content.found, resource, exchange.done),
        };
        self.admit(inner);
    }

    /// Puts a reply that was asked for and leads to `content` into the cache, if it may stay there.
    fn store(&mut self, job: &Job, exchange: &Exchange, driver: &D::Driver, content: Content) {
        let (url, span) = (job.resource.url.clone(), span_of(self.work.site.core, exchange));
        let cache = self.work.user.cache.get_or_insert_default();
        cache.store(url, &driver.reply(), job.text.fields(), content, span);
    }

    /// Puts a good reply into the cache; returns what it leads to.
    fn remember(&mut self, job: &Job, exchange: &Exchange, driver: &D::Driver, content: Content) -> Content {
        let reply = driver.reply();
        if job.is_check && exchange.status == Some(Code::new(304)) {
            self.fetched.unchanged += 1;
            let (url, span) = (&job.resource.url, span_of(self.work.site.core, exchange));
            let cache = self.work.user.cache.get_or_insert_default();
            let known = cache.refresh(url, &reply, job.text.fields(), span);
            return known.unwrap_or_default();
        }
        self.store(job, exchange, driver, content.clone());
        content
    }
}

/// What a reply names: style sheets and frames name something. References that have another base are made absolute.
fn named_in(job: &Job, reply: &Reply<'_>, has_passed: &dyn Fn() -> bool) -> Result<Rc<[ResourceReference]>, GaveUp> {
    if job.keep_body == KeepBody::Discard {
        return Ok(Rc::from([]));
    }
    let kind = job.resource.kind;
    if kind == Kind::Frame && is_html(reply) {
        let named = ReplyContent::new(&[], reply.body()).until(has_passed).resources()?;
        let base = named.base.as_deref().and_then(|base| job.resource.url.join(base).ok());
        let absolute = |found: ResourceReference| match base.as_ref().and_then(|base| base.join(&found.reference).ok())
        {
            Some(url) => ResourceReference { reference: url.to_string(), ..found },
            None => found,
        };
        return Ok(named.found.into_iter().map(absolute).collect());
    }
    let is_css = reply.header("content-type").map_or(kind == Kind::Style, |found| begins_with(found, b"text/css"));
    let found = if is_css { of_style_sheet(&String::from_utf8_lossy(reply.body())) } else { Vec::new() };
    Ok(found.into())
}

/// Whether a resource is ok: a reply with a status from 200 to 399 that leads somewhere when it leads on.
fn verified(job: &Job, exchange: &Exchange, leads_to: Option<&Result<Url, String>>) -> Verified {
    let Some(status) = exchange.status else {
        let kind = exchange.error.as_ref().map_or(ErrorKind::Protocol, |failure| failure.kind);
        return Verified::error(kind);
    };
    match leads_to {
        Some(Err(why)) => Verified::failed(redirect::KIND_REFUSED.to_owned(), Some(why.clone())),
        Some(Ok(url)) if job.resource.redirects >= REDIRECTS_MAX => Verified::failed(
            redirect::KIND.to_owned(),
            Some(format!(
                "more than {REDIRECTS_MAX} redirects of a resource, the last one to {}",
                redirect::shown(url)
            )),
        ),
        _ => {
            let (low, high) = Expect::STATUS_DEFAULT;
            Verified::reply(status, status.number().is_some_and(|status| (low..=high).contains(&status)))
        }
    }
}

/// When an exchange that has just ended was under way.
fn span_of<R: Runtime>(core: &Core<R>, exchange: &Exchange) -> Span {
    let done_s = core.unix_now_s();
    let took = exchange.done.since(exchange.sent.unwrap_or(exchange.done));
    Span { sent_s: done_s - (took.0 / 1_000_000_000) as i64, done_s }
}

fn measured_name<R: Runtime>(core: &Core<R>, resource: &Resource) -> NameId {
    match resource.redirects {
        0 => core.names.id(&resource.name),
        hop => core.names.id(&format!("{} +{hop}", resource.name)),
    }
}

/// Whether a reply says that it is HTML, or nothing.
pub(crate) fn is_html(reply: &Reply<'_>) -> bool {
    reply
        .header("content-type")
        .is_none_or(|found| begins_with(found, b"text/html") || begins_with(found, b"application/xhtml"))
}

fn begins_with(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
}
