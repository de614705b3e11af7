//! A request's bytes put together: where it goes, and where they are.

use std::borrow::Cow;

use nmax_http::{Jar, Origin, Piece, RequestText, Url};
use nmax_plan::template::Escape;

use crate::http::driver::Drivers;
use crate::http::prepared::HttpPrepared;
use crate::http::render::{self, Form, Message};
use crate::http::state::{Buffers, Work};
use crate::runtime::Runtime;
use crate::user::site::Site;
use crate::user::values::CallsOf;

/// Where a request goes, how, and where its bytes are.
pub(crate) struct OutgoingRequest<'a> {
    pub(crate) origin: Cow<'a, Origin>,
    pub(crate) form: Form,
    pub(crate) rendered: Rendered,
}

/// Where the text of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rendered {
    /// All in [`crate::http::prepared::Fixed`].
    Fixed,
    /// The same with cookies or a trace, which is in the VU's buffer.
    FixedWithMore,
    /// All in the VU's buffers.
    Buffers,
}

impl Rendered {
    /// Head, and body up to its first file.
    pub(crate) fn text<'a>(self, prepared: &'a HttpPrepared, buffers: &'a Buffers) -> &'a RequestText {
        match (self, &prepared.fixed) {
            (Self::Fixed, Some(fixed)) => &fixed.text,
            _ => &buffers.request,
        }
    }

    /// What follows the text.
    pub(crate) fn pieces<'a>(self, prepared: &'a HttpPrepared, buffers: &'a Buffers, form: Form) -> Vec<Piece<'a>> {
        if prepared.files.is_empty() || !form.has_body {
            return Vec::new();
        }
        match (self, &prepared.fixed) {
            (Self::Fixed | Self::FixedWithMore, Some(fixed)) => render::pieces(prepared, &fixed.body, &fixed.marks),
            _ => render::pieces(prepared, &buffers.body.bytes, &buffers.body.marks),
        }
    }

    /// Path and query, for relative references.
    pub(crate) fn target<'a>(self, prepared: &'a HttpPrepared, buffers: &'a Buffers) -> Cow<'a, str> {
        String::from_utf8_lossy(self.text(prepared, buffers).target())
    }
}

impl<'a, R: Runtime, D: Drivers> Work<'a, R, D> {
    /// Puts the request's bytes together. The error says why it cannot be sent.
    #[inline]
    pub(crate) fn render(&mut self) -> Result<OutgoingRequest<'a>, String> {
        let (prepared, core, call) = (self.prepared, self.site.core, self.site.call);
        let request = &prepared.request;
        let form = Form::from_call(request);
        let (jar, buffers, values) = (&self.user.jar, &mut self.user.buffers, &self.site.actor.values);
        if let Some(fixed) = &prepared.fixed {
            let mut rendered = Rendered::Fixed;
            if !jar.is_empty() || core.plan.defaults.trace.is_some() {
                let (text, to) = (&mut buffers.request, (&prepared.origin, fixed.text.target()));
                text.begin_as(&fixed.text);
                let has_cookies = add_cookies(jar, to, || core.unix_now_s(), text);
                if add_trace(&self.site, &mut buffers.spans, text) || has_cookies {
                    text.end(fixed.text.body());
                    rendered = Rendered::FixedWithMore;
                }
            }
            return Ok(OutgoingRequest { origin: Cow::Borrowed(&prepared.origin), form, rendered });
        }
        if call.calls {
            values.count_calls_of(CallsOf::Target);
        }
        buffers.target.clear();
        request.url.render(&mut buffers.target, values, Escape::Path);
        let origin = if buffers.target.first() == Some(&b'/') && buffers.target.get(1) != Some(&b'/') {
            Cow::Borrowed(&prepared.origin)
        } else {
            let text = String::from_utf8_lossy(&buffers.target);
            let base = self.user.page.as_ref().unwrap_or(&self.http.of.base);
            let url = base.join(&text).map_err(|error| format!("`{text}` is not a URL to request: {error}"))?;
            buffers.target.clear();
            buffers.target.extend_from_slice(url.target.as_bytes());
            Cow::Owned(url.origin)
        };
        if let Some(fragment) = buffers.target.iter().position(|byte| *byte == b'#') {
            buffers.target.truncate(fragment);
        }
        render::query(&request.query, values, &mut buffers.target);
        let authority = match &origin {
            Cow::Borrowed(_) => Cow::Borrowed(prepared.authority.as_str()),
            Cow::Owned(origin) => Cow::Owned(origin.authority()),
        };
        let rendered = self.compose(form, &origin, &authority);
        if call.calls
            && let Some(why) = self.site.actor.values.take_trouble()
        {
            return Err(why);
        }
        Ok(OutgoingRequest { origin, form, rendered })
    }

    /// Writes the request for the target that is in its buffer, with its cookies.
    pub(crate) fn compose(&mut self, form: Form, origin: &Origin, authority: &str) -> Rendered {
        let (core, call, prepared) = (self.site.core, self.site.call, self.prepared);
        let (jar, buffers, values) = (&self.user.jar, &mut self.user.buffers, &self.site.actor.values);
        let target = &buffers.target;
        let message = Message { plan: &core.plan, request: &prepared.request, prepared, form, authority, target };
        if call.calls {
            values.count_calls_of(CallsOf::Message);
        }
        message.write(values, &mut buffers.body, &mut buffers.request);
        add_cookies(jar, (origin, &buffers.target), || core.unix_now_s(), &mut buffers.request);
        add_trace(&self.site, &mut buffers.spans, &mut buffers.request);
        buffers.request.end(buffers.body.beginning());
        Rendered::Buffers
    }

    /// Where the last rendered request went.
    pub(crate) fn url(&self, outgoing: &OutgoingRequest<'_>) -> Url {
        Url {
            origin: outgoing.origin.clone().into_owned(),
            target: outgoing.rendered.target(self.prepared, &self.user.buffers).into_owned(),
        }
    }
}

/// Adds the trace that a request is a span of; false when the plan asks for none, or the head has one already.
pub(crate) fn add_trace<R: Runtime>(site: &Site<'_, R>, spans: &mut u64, text: &mut RequestText) -> bool {
    let Some(trace) = site.trace() else { return false };
    if text.fields().get("traceparent").is_some() {
        return false;
    }
    let span = *spans;
    *spans += 1;
    text.field_from("traceparent", |out| {
        trace.write(span, out);
        true
    });
    true
}

/// Adds the cookies that belong to a request; false when none do.
pub(crate) fn add_cookies(
    jar: &Jar,
    (origin, target): (&Origin, &[u8]),
    now_s: impl FnOnce() -> i64,
    text: &mut RequestText,
) -> bool {
    let mut has_some = false;
    if !jar.is_empty() {
        text.field_from("cookie", |out| {
            has_some = jar.write(origin, target, now_s(), out);
            has_some
        });
    }
    has_some
}
