//! The request for a resource: a GET with the defaults of the plan, which asks whether what is stored has changed.

use nmax_extract::resources::Kind;
use nmax_http::{KeepBody, RequestText, Url};
use nmax_plan::plan::Method;

use super::cache::{Stored, selected};
use super::fetch::Load;
use super::lane::Job;
use super::queue::Resource;
use crate::http::compose::{add_cookies, add_trace};
use crate::http::driver::Drivers;
use crate::http::render::{Form, Message};
use crate::program::prepare::KEPT_BODY_MAX;
use crate::runtime::Runtime;
use crate::user::values::CallsOf;

impl<'a, R: Runtime, D: Drivers> Load<'_, 'a, R, D> {
    /// The request for a resource.
    pub(super) fn job(&mut self, resource: Resource, origin: usize) -> Job {
        let core = self.work.site.core;
        let mut text = self.message(&resource.url);
        let now_s = core.unix_now_s();
        let cache = self.work.user.cache.as_mut();
        let stored = cache.and_then(|cache| cache.find(&resource.url, |names| selected(names, text.fields()), now_s));
        let mut is_check = false;
        if let Some(Stored::Stale(known)) = stored {
            for (name, value) in [("if-none-match", known.etag), ("if-modified-since", known.last_modified)] {
                if let Some(value) = value {
                    is_check = true;
                    text.field(name, &value);
                }
            }
        }
        text.end(&[]);
        let is_read = self.queue.discovers()
            && (resource.is_listed || matches!(resource.kind, Kind::Style) || resource.kind == Kind::Frame);
        Job {
            wait: self.freed.since(resource.known),
            resource,
            origin,
            text,
            keep_body: if is_read { KeepBody::UpTo(KEPT_BODY_MAX) } else { KeepBody::Discard },
            is_check,
        }
    }

    /// A GET with the defaults of the plan and the user's cookies, whose head is still open. Another origin sees no
    /// credentials of the first.
    pub(super) fn message(&mut self, url: &Url) -> RequestText {
        let (core, authority) = (self.work.site.core, url.origin.authority());
        let message = Message {
            plan: &core.plan,
            request: &self.request,
            prepared: self.work.prepared,
            form: Form { method: Method::Get, has_body: false, has_credentials: url.origin == self.origin },
            authority: &authority,
            target: url.target.as_bytes(),
        };
        if self.work.site.call.calls {
            self.work.site.actor.values.count_calls_of(CallsOf::Message);
        }
        let mut text = RequestText::new();
        message.write(&self.work.site.actor.values, &mut self.work.user.buffers.body, &mut text);
        add_cookies(&self.work.user.jar, (&url.origin, url.target.as_bytes()), || core.unix_now_s(), &mut text);
        add_trace(&self.work.site, &mut self.work.user.buffers.spans, &mut text);
        text
    }
}
