//! The request for a resource: a GET with the defaults of the plan, which asks whether what is stored has changed.

use nmax_extract::resources::Kind;
use nmax_http::{KeepBody, RequestText, Url};
use nmax_plan::plan::Method;

use super::cache::{Stored, selected};
use super::fetch::Load;
use super::lane::Job;
use super::queue::Resource;
use crate::context::Context;
use crate::http::compose::add_cookies;
use crate::http::driver::Drivers;
use crate::http::render::{Form, Message};
use crate::program::KEPT_BODY_MAX;
use crate::runtime::Runtime;
use crate::user::values::CallsOf;
use crate::user::vu::Vu;

impl<R: Runtime, D: Drivers> Vu<R, D> {
    /// The request for a resource.
    pub(super) fn job(
        &mut self,
        context: &Context<R, D>,
        load: &Load<'_, D::Driver>,
        resource: Resource,
        origin: usize,
    ) -> Job {
        let mut text = self.message(context, load, &resource.url);
        let now_s = context.unix_now_s();
        let cache = self.cache.as_mut();
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
        let is_read = load.queue.discovers()
            && (resource.is_listed || matches!(resource.kind, Kind::Style) || resource.kind == Kind::Frame);
        Job {
            wait: load.freed.since(resource.known),
            resource,
            origin,
            text,
            keep_body: if is_read { KeepBody::UpTo(KEPT_BODY_MAX) } else { KeepBody::Discard },
            is_check,
        }
    }

    /// A GET with the defaults of the plan and the user's cookies, whose head is still open. Another origin sees no
    /// credentials of the first.
    pub(super) fn message(&mut self, context: &Context<R, D>, load: &Load<'_, D::Driver>, url: &Url) -> RequestText {
        let authority = url.origin.authority();
        let message = Message {
            plan: &context.program.plan,
            request: &load.request,
            prepared: load.prepared,
            form: Form { method: Method::Get, has_body: false, has_credentials: url.origin == load.origin },
            authority: &authority,
            target: url.target.as_bytes(),
        };
        if load.prepared.calls {
            self.values.count_calls_of(CallsOf::Message);
        }
        let mut text = RequestText::new();
        message.write(&self.values, &mut self.buffers.body, &mut text);
        add_cookies(&self.jar, (&url.origin, url.target.as_bytes()), || context.unix_now_s(), &mut text);
        text
    }
}
